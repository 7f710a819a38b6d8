import io
import os
from pathlib import Path

import pytest
from rich.console import Console

from cleanse.errors import InputError
from cleanse.report.inspection import as_json, shown
from cleanse.run.inspection import Inspected, Worst, inspect
from cleanse.settings import Settings

ROWS = "标题,text,label\n今天的天气,多云转晴,天气\n明天,小雨,天气\nx,y\n"


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    (tmp_path / "a.csv").write_bytes((ROWS * 9).encode("gbk"))
    (tmp_path / "b.png.txt").write_bytes(b"\x89PNG....")
    return tmp_path


def screen(found: Inspected, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    console.print(*shown(found), sep="\n")
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_source_is_told_by_encoding_columns_lengths_classes_and_worst_rows(raw: Path) -> None:
    found = inspect([str(raw)], Settings(), 100)[0]
    assert (found.source, found.encoding, found.format, found.records, found.is_all) == (
        "a.csv",
        "gb18030",
        "csv",
        27,
        True,
    )
    assert found.columns == ["标题", "text", "label"]
    assert found.roles == {"title": "标题", "body": "text", "label": "label"}
    assert found.lengths == {"title": (2, 3.5, 5), "body": (2, 3.0, 4)}
    assert (found.classes, found.problems) == ({"天气": 18}, {"fields_missing": 9})
    assert found.worst[0] == Worst(3, 4, "fields_missing", "x,y")
    assert len(found.worst) == 5


@pytest.mark.parametrize(("limit", "records", "is_all"), [(26, 26, False), (27, 27, True), (28, 27, True)])
def test_only_the_first_records_are_looked_at(raw: Path, limit: int, records: int, is_all: bool) -> None:
    found = inspect([str(raw / "a.csv")], Settings(), limit)[0]
    assert (found.records, found.is_all) == (records, is_all)


def test_what_cannot_be_read_says_why_and_nothing_is_written(raw: Path) -> None:
    before = sorted(os.listdir(raw))
    found = inspect([str(raw / "b.png.txt")], Settings(), 9)[0]
    assert found.refused == ("undecodable", "binary: png")
    assert "undecodable: binary: png" in screen(found)
    assert sorted(os.listdir(raw)) == before


def test_a_path_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="input-not-found"):
        inspect([str(tmp_path / "none.csv")], Settings(), 9)


def test_screen_and_json_show_the_same(raw: Path) -> None:
    found = inspect([str(raw / "a.csv")], Settings(), 9)[0]
    text = screen(found)
    assert "gb18030" in text
    assert "标题 (title) · text (body) · label" in text
    assert "天气 6" in text
    assert as_json(found)["classes"] == {"天气": 6}
    assert max(map(len, screen(found, 40).splitlines())) <= 40
