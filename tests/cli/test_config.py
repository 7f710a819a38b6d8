from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from cleanse.cli import yaml
from cleanse.cli.config import Loaded, adapter, load, typed
from cleanse.cli.discovery import discover
from cleanse.errors import ConfigError
from cleanse.settings import CheckSettings, ColumnSettings, Settings

CONFIGS = Path(__file__).parent.parent.parent / "configs"
WRONG = [
    *[("check", f"title_min: {value}") for value in ("ten", "true", "5.5", "'5'", "-1", "010", "[1]")],
    *[("run", f"part_mb: {value}") for value in ("0.24", "256.1", "null")],
    *[("run", f"workers: {value}") for value in ("0", "many", "1.5")],
    *[("decode", f"{key}: 0") for key in ("max_record_mb", "max_join_lines", "delimiter", "expect", "encoding")],
    *[("strip", "drop: ['']"), ("strip", "lines: [x]"), ("resample", "all_train: yes"), ("columns", "title: 5")],
    *[("shard", "count: 0"), ("shard", "target_mb: 0"), ("shard", "by: characters")],
]


def read(folder: Path, text: str, sets: Sequence[str] = (), flags: Mapping[str, Any] | None = None) -> Loaded:
    (folder / "cleanse.yaml").write_text(text, encoding="utf-8")
    return load(folder / "cleanse.yaml", isolated=True, sets=sets, flags=flags)


def faults(folder: Path, text: str, sets: Sequence[str] = ()) -> list[str]:
    """All faults as they are printed, places without the folder."""
    with pytest.raises(ConfigError) as caught:
        read(folder, text, sets)
    shown = [str(caught.value), *getattr(caught.value, "__notes__", [])]
    return [each.replace(f"{folder}/", "") for each in shown]


@pytest.mark.parametrize(
    ("text", "key", "place", "help"),
    [
        ("check:\n  titel_min: 5\n", "titel_min", "2:3", "'title_min'?"),
        ("run:\n    seed: 1\n    sed: 1\n", "sed", "3:5", "'seed'?"),
        ("# x\n\nchek: {}\n", "chek", "3:1", "'check'?"),
        ("columns:\n  标题: 5\n", "标题", "2:3", f"one of {', '.join(f.name for f in fields(ColumnSettings))}"),
    ],
)
def test_an_unknown_key_is_named_with_its_place_and_the_nearest_one(
    tmp_path: Path, text: str, key: str, place: str, help: str
) -> None:
    want = f"error[config-unknown-key]: unknown key '{key}'\n  --> cleanse.yaml:{place}\n  help: {help}"
    assert faults(tmp_path, text) == [want]


@pytest.mark.parametrize(("section", "line"), WRONG)
def test_a_wrong_type_or_value_names_its_key_and_line(tmp_path: Path, section: str, line: str) -> None:
    (fault,) = faults(tmp_path, f"version: 1\n{section}:\n  {line}\n")
    assert fault.startswith(f"error[config-type]: {section}.{line.partition(':')[0]}: ")
    assert "--> cleanse.yaml:3:" in fault


@pytest.mark.parametrize(
    ("key", "text", "want"),
    [
        *[("check.title_min", "0", 0), ("check.title_max", "10", 10), ("check.body_max", "null", None)],
        *[("run.part_mb", "0.25", 0.25), ("run.part_mb", "256", 256.0), ("run.workers", "1", 1)],
        *[("decode.expect", "[]", ()), ("decode.expect", "[标题, no]", ("标题", "no")), ("strip.drop", "[]", ())],
        *[("decode.delimiter", '"\\t"', "\t"), ("decode.encoding", "'936'", "936"), ("columns.title", "no", "no")],
    ],
)
def test_values_at_their_bounds_are_taken_and_no_is_a_text(tmp_path: Path, key: str, text: str, want: Any) -> None:
    section, _, name = key.partition(".")
    settings = read(tmp_path, f"{section}: {{{name}: {text}}}").settings
    assert getattr(getattr(settings, section), name) == want


def test_what_fits_no_single_key_points_at_its_section(tmp_path: Path) -> None:
    (window,) = faults(tmp_path, "version: 1\ncheck:\n  title_min: 61\n")
    assert window.startswith("error[config-type]: check: title_min 61 is above title_max 60\n  --> cleanse.yaml:2:1\n")
    (encoding,) = faults(tmp_path, "decode:\n  encoding: no\n")
    assert "unknown encoding 'no'" in encoding
    assert read(tmp_path, "check:\n  title_min: 60\n").settings.check == CheckSettings(title_min=60)


def test_all_faults_are_shown_at_once_each_with_its_place(tmp_path: Path) -> None:
    text = "version: 2\ncheck:\n  titel_min: 5\n  body_min: ten\nrun:\n  workers: many\nfoo: 1\n"
    shown = faults(tmp_path, text, ["shard.count=0"])
    places = sorted(line.removeprefix("  --> ") for each in shown for line in each.splitlines() if " --> " in line)
    assert places[0] == "--set shard.count"
    assert [place.rpartition(":")[0] for place in places[1:]] == [f"cleanse.yaml:{n}" for n in (1, 3, 4, 6, 7)]


@pytest.mark.parametrize("text", ["check.title_min=61", "chek.title_min=5", "decode.encoding=gbx"])
def test_a_fault_of_the_command_line_does_not_point_into_a_file(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(None, isolated=True, sets=[text])
    assert not caught.value.where or "--" in caught.value.where


@pytest.mark.parametrize("text", ["check:\n  title_min: 70\n", "check: 5\n"])
def test_a_fault_of_the_file_points_into_it_whatever_else_the_command_line_sets(tmp_path: Path, text: str) -> None:
    assert "--> cleanse.yaml:1:1" in faults(tmp_path, text, ["check.body_min=5"])[0]


@pytest.mark.parametrize("text", ["check", "check.title_min", "title_min=5", "a.b.c=1", "=", "version=1"])
def test_an_assignment_is_section_key_value(text: str) -> None:
    with pytest.raises(ConfigError, match=r"not SECTION\.KEY=VALUE"):
        load(None, isolated=True, sets=[text])


@pytest.mark.parametrize(
    ("name", "text", "want"),
    [
        *[("check.title_min", "8", 8), ("check.title_min", "null", None), ("no.such", "5", 5)],
        *[("run.workers", "2", 2), ("run.workers", "auto", "auto"), ("resample.all_train", True, True)],
        *[("decode.encoding", "936", "936"), ("resample.target", "ratio:0.5", "ratio:0.5")],
        *[("strip.drop", "none", []), ("strip.drop", "", []), ("strip.drop", "nav, footer,", ["nav", "footer"])],
        *[("decode.expect", "null", None), ("decode.expect", "标题,正文", ["标题", "正文"])],
        *[("columns.title", "null", None), ("columns.title", "no", "no")],
        *[("columns.title", "2024", "2024"), ("columns.title", "true", "true")],
    ],
)
def test_text_of_the_command_line_is_typed_by_the_schema(name: str, text: Any, want: Any) -> None:
    section, _, key = name.partition(".")
    assert repr(typed(section, key, text)) == repr(want)


@pytest.mark.parametrize("text", ["shard.target_mb=1e999", "run.seed=" + "9" * 5000], ids=["infinite", "5000 digits"])
def test_a_number_beyond_all_bounds_is_an_error_of_the_config(text: str) -> None:
    with pytest.raises(ConfigError):
        load(None, isolated=True, sets=[text])


def test_set_wins_over_flags_flags_over_the_file_and_the_file_over_defaults(tmp_path: Path) -> None:
    sets, flags = ["check.title_min=8", "check.title_min=9"], {"check.title_min": "7", "check.title_max": "42"}
    found = read(tmp_path, "check:\n  title_min: 1\n  title_max: 41\n  body_min: 3\n", sets, flags)
    assert found.settings.check == CheckSettings(title_min=9, title_max=42, body_min=3)
    origin = [found.origin[f"check.{f.name}"] for f in fields(CheckSettings)][:4]
    assert origin == ["flag", "flag", f"{tmp_path}/cleanse.yaml:4", "default"]


def test_the_config_is_found_here_or_above_up_to_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / "repo" / "a" / "b"
    (deep / "cleanse.yaml").mkdir(parents=True)
    monkeypatch.chdir(deep)
    (tmp_path / "cleanse.yaml").write_text("run:\n  seed: 1\n")
    assert discover(deep) == tmp_path / "cleanse.yaml"
    (tmp_path / "repo" / ".git").mkdir()
    assert discover(deep) is None
    (tmp_path / "repo" / "cleanse.yaml").write_text("run:\n  seed: 2\n")
    assert load(None, isolated=False).settings.run.seed == 2
    assert load(None, isolated=True).settings == Settings()
    assert load(tmp_path / "cleanse.yaml", isolated=True).settings.run.seed == 1


@pytest.mark.parametrize("section", [f.name for f in fields(Settings) if is_dataclass(getattr(Settings(), f.name))])
def test_the_default_config_names_every_key_with_its_default(section: str) -> None:
    path, default = CONFIGS / "default.yaml", getattr(Settings(), section)
    written = getattr(load(path, isolated=True).settings, section)
    assert list(yaml.load(path).tree[section]) == [f.name for f in fields(default)]
    for f in fields(default):
        assert getattr(written, f.name) == getattr(default, f.name), f.name


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: str(path.name))
def test_every_config_of_ours_loads(path: Path) -> None:
    assert load(path, isolated=True).settings.version == 1


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        *[("{name: x, pattern: '('}", "unclosed group"), ("{name: x, pattern: '(?=a)'}", "look-around")],
        *[("{name: tags, pattern: a}", "none of our own"), ("{name: X y, pattern: a}", "lower case letters")],
    ],
)
def test_a_bad_rule_of_the_user_is_named_with_line_and_column(tmp_path: Path, rule: str, said: str) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(f"strip:\n  rules:\n    - {{name: fine, pattern: a}}\n    - {rule}\n")
    with pytest.raises(ConfigError, match=said) as error:
        load(path, isolated=True)
    assert error.value.where == f"{path}:4:7"


def test_two_rules_of_one_name_are_refused() -> None:
    rule = {"name": "x", "pattern": "a"}
    with pytest.raises(ValidationError, match="two rules have one name"):
        adapter().validate_python({"strip": {"rules": [rule, rule]}})


@pytest.mark.parametrize("section", [{"drop": ["a("]}, {"boilerplate": ["1"]}, {"boilerplate": ["a b"]}])
def test_an_element_that_no_tag_can_have_is_refused(section: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="is no name of an element"):
        adapter().validate_python({"strip": section})
