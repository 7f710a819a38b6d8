"""Malformed files of several faults each: what becomes of each line, as a person would decide it."""

from typing import Any

import pytest
from memory import Bytes, read_all

from cleanse.settings import DecodeSettings, Settings

LABELS = ("民生", "文化", "科普")
OK = None
Line = tuple[str, str | None]  # as it stands in the file, and what becomes of it: None, a repair, a problem or a kind


def row(i: int, cut: str = ",", body: str = "") -> str:
    return cut.join(
        (f"旧书店搬进二楼之{i}", body or f"雨停以后路面干得很快；账目贴在门口{'谁都能看' * (i % 3)}。", LABELS[i % 3])
    )


def good(n: int, cut: str = ",") -> list[Line]:
    return [(row(i, cut), OK) for i in range(n)]


HEAD = ("title,body,label", "header")
FILES: dict[str, list[Line]] = {
    "a report with its frame": [
        ("二季度稿件清单", "preamble"), ("导出：系统", "preamble"), ("  ", "blank"), HEAD, *good(9), ("\t", "blank"),
        *good(9), ("共 18 条", "footer"),
    ],
    "a licence of many lines": [
        ("数据使用许可", "preamble"), ("版本,3", "preamble"), ("-----", "preamble"), ('"注意"', "preamble"),
        HEAD, *good(20),
    ],
    "a second table with another column": [
        HEAD, *good(14), (" ", "blank"),
        ("title,body,label,date", "second_table"), (row(1) + ",2031-01-01", "second_table"),
    ],
    "pipes too many at either end": [
        ("title|body|label", "header"), *good(9, "|"), (row(3, "|") + "|", "trailing_delim"), *good(9, "|"),
        ("|" + row(4, "|"), "empty_surplus"), *good(9, "|"),
    ],
    "a stray quote, whole quotes below": [
        HEAD, *good(5), ('"' + row(5), "quote_literal"), *good(5), (row(6, body='"雨停，路干"'), OK), *good(5),
        (row(7, body='"雨停,路干"'), OK), *good(5),
    ],
    "exports glued with their BOMs": [
        HEAD, *good(9), ("\ufefflabel,title,body", "header_reordered"),
        *[(f"{LABELS[i % 3]},旧书店搬进二楼之{i},雨停以后路面干得很快", OK) for i in range(9)],
        ("\ufeff Title , BODY,Label", "header_reordered"), *good(9),
    ],
    "single quotes in a file of double ones": [
        HEAD, *[(row(i, body='"雨停,路干"'), OK) for i in range(12)], (row(5, body="'雨停,路干'"), "fields_extra"),
        *[(row(i, body='"雨停,路干"'), OK) for i in range(6)],
    ],
    "a delimiter that is missing": [
        HEAD, *good(9), ("旧书店搬进二楼,雨停以后路面干得很快。民生", "fields_missing"), *good(9)
    ],
    "two of a few lines in quotes": [HEAD, *good(6), *[(f'"{row(i)}"', "fields_missing") for i in range(2)], *good(9)],
    "literal quotes between tabs": [
        ("title\tbody\tlabel", "header"), *good(4, "\t"), (row(1, "\t", '"雨停"，路面干得很快'), OK), *good(4, "\t"),
        (row(2, "\t", '"雨停以后路面干得很快'), OK), *good(4, "\t"), (row(3, "\t", '"雨停以后'), OK), *good(4, "\t"),
    ],
    "comments between rows": [HEAD, *good(9), ("# page 2", "fields_missing"), *good(9)],
    "a quote that is open at the end": [
        HEAD, *[(row(i, body='"雨停\n路干"'), OK) for i in range(9)],
        ('旧书店搬进二楼,"雨停\n路干,民生', "quote_unterminated"),
    ],
}  # fmt: skip
JSON = [
    ('{"title": "a", "body": "b", "label": "c"}', OK),
    ('data: {"title": "a", "body": "b", "label": "c"}', "json_syntax"),
    ("{'title': 'a', 'body': 'b', 'label': 'c'}", "json_syntax"),
    ('{"title": "a", "bo', "json_syntax"),
    ('{"title": "a", "body": "b"好"", "label": "c"}', "json_syntax"),
    (r'{"title": "a", "body": "\x41", "label": "c"}', "json_syntax"),
    ('{"title": "a", "body": "b", "label": "c"};', "json_syntax"),
    ('[{"title": "a", "body": "b", "label": "c"}]', "json_not_object"),
    ('"a"', "json_not_object"),
    (" ", "blank"),
    ('{\n "title": "a",\n "body": "b", "label": "c"\n}', "lines_joined"),
    ('{"title": "a", "body": "b", "label": "c", "n": NaN}', "json_nonfinite"),
    ('{"title": "a", "body": "b", "label": "c"}', OK),
]


def becomes(lines: list[Line], name: str, **settings: Any) -> list[Line]:
    data = "\n".join(text for text, _ in lines) + "\n"
    found = read_all(Bytes(data.encode()), name, Settings(decode=DecodeSettings(**settings)))
    assert found.structural is not None
    seen = [
        (offset, size, problem or repair)
        for offset, size, problem, repair in found.records.select("_offset", "_bytes", "_problem", "_repair").rows()
    ] + found.structural.select("_offset", "_bytes", "_kind").rows()
    return [(data.encode()[at : at + size].decode(), code) for at, size, code in sorted(seen)]


@pytest.mark.parametrize("lines", [pytest.param(lines, id=name) for name, lines in FILES.items()])
def test_each_line_of_a_malformed_table_is_what_a_person_would_say(lines: list[Line]) -> None:
    assert becomes(lines, "a.csv") == lines


def test_each_line_of_malformed_json_is_what_a_person_would_say() -> None:
    assert becomes(JSON, "a.jsonl", expect=("title", "body", "label")) == JSON
