from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.cli.yaml import MAX_NODES, load, parse, scalar
from cleanse.errors import ConfigError, InputError

WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "~": None, "": None}
NUMBERS = {"0": 0, "10": 10, "-3": -3, "+3": 3, "1.5": 1.5, "1e3": 1000.0, "-0.25": -0.25}
TEXTS = "no yes on off y True NULL 标题 天10 010 0x10 0o7 1_000 1. .5 1e １ .inf .nan 1:30 -".split()
PIECES = [
    "\n",
    "\n  ",
    " ",
    "- ",
    ", ",
    "\t",
    "? ",
    "&x ",
    "*x",
    "!!str ",
    *"a : [ ] { } ' \" # | % 天 1 << \x01".split(),
]


@pytest.mark.parametrize(("text", "want"), [*WORDS.items(), *NUMBERS.items(), *zip(TEXTS, TEXTS, strict=True)])
def test_only_true_false_null_and_decimal_numbers_are_more_than_text(text: str, want: Any) -> None:
    assert (type(scalar(text)), scalar(text)) == (type(want), want)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        *[("# only a comment\n", {}), ("encoding: no\n", {"encoding": "no"}), ("a: '10'\n", {"a": "10"})],
        ("标题: {2024-01-01: [no, {b: ~}]}\n", {"标题": {"2024-01-01": ["no", {"b": None}]}}),
        ("a: &x 1\nb: *x\n<<: 2\n", {"a": 1, "b": 1, "<<": 2}),
    ],
)
def test_a_document_is_read_without_guesses(text: str, tree: dict[str, Any]) -> None:
    assert parse(text, "c.yaml").tree == tree


def test_each_key_has_its_place_and_an_unknown_one_that_of_what_holds_it() -> None:
    document = parse("check:\n  title_min: 5\n  body: {min: 1}\n", "c.yaml")
    found = [document.where(path) for path in ("check.title_min", "check.body.min", "check.body.max.0", "no.where")]
    assert found == ["c.yaml:2:3", "c.yaml:3:10", "c.yaml:3:3", "c.yaml:1:1"]


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        ("check:\n\ta: 1\n", "a tab cannot indent YAML", "c.yaml:2:1"),
        ("s:\n  a: 1\n\tb: 2\n", "a tab cannot indent YAML", "c.yaml:3:1"),
        ("a: 1\nb: 2\na: 1\n", "'a' is set twice", "c.yaml:3:1, first at 1:1"),
        ("s: {标题: 1, 标题: 2}", "'标题' is set twice", "c.yaml:1:12, first at 1:5"),
        *[("a: 'x\n", "unexpected end", "c.yaml:2:1"), ("a: *x\n", "undefined alias", "c.yaml:1:4")],
        *[(text, "a config is a mapping", "c.yaml:1:1") for text in ("- a\n", "null\n", "word")],
        *[("a: 1\n---\nb: 2\n", "another document", "c.yaml:2:1"), ("a: \x01\n", "special characters", "c.yaml")],
        *[(f"a: {tag} x\n", "is not allowed", "c.yaml:1:1") for tag in ("!x", "!!python/name:os.system", "!!binary")],
    ],
)
def test_what_cannot_be_meant_is_an_error_with_its_place(text: str, what: str, where: str) -> None:
    with pytest.raises(ConfigError, match=what) as caught:
        parse(text, "c.yaml")
    assert caught.value.id == ("config-duplicate-key" if "twice" in what else "config-syntax")
    assert caught.value.where == where


@pytest.mark.parametrize("text", ["a: &a [*a]\n", "a: &a {b: *a}\n", "a: " + "[" * 2000], ids=["list", "map", "deep"])
def test_a_bottomless_document_is_an_error_of_the_config(text: str) -> None:
    with pytest.raises(ConfigError):
        parse(text, "c.yaml")


def test_a_config_has_a_limited_number_of_values() -> None:
    for n in (MAX_NODES - 3, MAX_NODES - 2):  # the mapping and the list are values, too
        assert len(parse(f"a: [{','.join('1' * n)}]", "c.yaml").tree["a"]) == n
    aliases = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10))
    for text in (f"a: [{','.join('1' * (MAX_NODES - 1))}]", f"a0: &a0 1\n{aliases}"):
        with pytest.raises(ConfigError, match=f"more than {MAX_NODES} values"):
            parse(text, "c.yaml")


def test_a_file_is_utf8_with_or_without_a_bom_and_must_be_there(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    for encoding in ("utf-8", "utf-8-sig"):
        path.write_text("a: 天\n", encoding=encoding)
        assert (load(path).tree, load(path).where("a")) == ({"a": "天"}, f"{path}:1:1")
    path.write_text("a: 天\n", encoding="gbk")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load(path)
    for missing in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(InputError, match="config-unreadable"):
            load(missing)


@given(text=st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_is_a_tree_or_an_error_of_the_config(text: str) -> None:
    try:
        where = parse(text, "c.yaml").where("")
    except ConfigError as error:
        where = error.where
    assert where.startswith("c.yaml")
