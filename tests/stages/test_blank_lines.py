"""Sources of hardly anything but line ends: cut into pieces like others, each line accounted for."""

import pytest
from memory import Bytes, read_all

from cleanse.settings import Settings
from cleanse.stages import survey

N = 100_000  # more bytes than the survey looks at to tell an empty file


@pytest.fixture(autouse=True)
def short_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, "MAX_LINES", N // 4)


@pytest.mark.parametrize(
    ("name", "end"), [("a.csv", "\n"), ("a.csv", "\r\n"), ("a.csv", "\r"), ("a.jsonl", "\n"), ("a.jsonl", "\r\n")]
)
def test_blank_lines_alone_are_no_records_in_several_pieces(name: str, end: str) -> None:
    content = Bytes((end * N).encode(), block=1 << 14)
    assert len(survey.pieces(survey.survey(content, name, Settings()))) in (3, 4)
    found = read_all(content, name, Settings())
    assert found.records.is_empty()
    assert found.structural is not None
    assert found.structural["_line"].to_list() == [*range(1, N + 1)]
    assert found.structural["_kind"].unique().to_list() == ["blank"]
    assert found.refused is not None
    assert found.refused.select("_reason", "_detail").rows() == [("no_records", f"{N} lines, none of them a record")]
    assert found.counted == {"structural_blank": N}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.csv", "title,body\n天,今天天气很好\n", "雨,明天有雨\n"),
        ("a.jsonl", '{"title": "天", "body": "今天天气很好"}\n', '{"title": "雨", "body": "明天有雨"}\n'),
        ("a.json", '[\n{"title": "天", "body": "今天天气很好"},\n', '{"title": "雨", "body": "明天有雨"}]\n'),
    ],
)
def test_records_on_both_sides_of_blank_lines_are_numbered_on(name: str, before: str, after: str) -> None:
    content = Bytes(f"{before}{chr(10) * N}{after}".encode(), block=1 << 14)
    assert len(survey.pieces(survey.survey(content, name, Settings()))) > 2
    found = read_all(content, name, Settings())
    assert found.refused is None
    assert found.records.select("_record", "title", "body").rows() == [(1, "天", "今天天气很好"), (2, "雨", "明天有雨")]
    assert found.counted["structural_blank"] == N


def test_an_array_may_begin_behind_blank_lines() -> None:
    content = Bytes(f'{chr(10) * N}[\n{chr(10) * N}{{"body": "x"}}]'.encode(), block=1 << 14)
    found = read_all(content, "a.json", Settings())
    assert found.records.select("_line", "_problem", "body").rows() == [(2 * N + 2, None, "x")]
    assert found.counted == {"structural_blank": 2 * N, "structural_json_bracket": 2}
