"""The column roles of `check`: rows whose values changed places."""

import polars as pl
import pytest
from checking import checked, corpus, learnt, text

from cleanse.settings import CheckSettings, Settings
from cleanse.stages import check


def test_rows_whose_values_changed_places_are_rejected_with_a_proposal() -> None:
    columns, bad = corpus(300, 30)
    outcome = checked(columns, learnt(columns, Settings()))
    assert outcome.rejected["_record"].to_list() == [i + 1 for i in bad]
    assert set(outcome.rejected["_reason"]) == {"columns_permuted"}
    assert all(detail.startswith("move=body>label;label>body margin ") for detail in outcome.rejected["_detail"])


def test_they_are_moved_back_on_request() -> None:
    columns, bad = corpus(300, 30)
    outcome = checked(columns, learnt(columns, Settings()), permute="repair")
    assert outcome.kept.select("title", "body", "label").to_dict(as_series=False) == corpus(300, 0)[0]
    assert outcome.kept["_repair"].drop_nulls().to_list() == ["columns_permuted"] * len(bad)
    assert outcome.changed["columns_permuted"] == len(bad)


def test_a_long_text_under_label_that_fits_nowhere_is_a_mismatch() -> None:
    columns, _ = corpus(60, 0)
    columns["label"][5] = text(40)
    columns["body"][5] = text(200)
    outcome = checked(columns, learnt(columns, Settings()))
    assert outcome.rejected.select("_record", "_reason").rows() == [(6, "role_mismatch")]


@pytest.mark.parametrize(("n", "unchecked"), [(29, 29), (30, 0)])
def test_a_few_rows_teach_nothing(n: int, unchecked: int) -> None:
    columns, _ = corpus(n, 10)
    outcome = checked(columns, learnt(columns, Settings()), body_min=0)
    assert outcome.changed["roles_unchecked"] == unchecked
    assert outcome.rejected.is_empty() == bool(unchecked)


def test_columns_have_no_say_when_the_check_is_off() -> None:
    columns, _ = corpus(60, 10)
    assert check.STAGE.measures(Settings(check=CheckSettings(roles="off"))) == ()
    outcome = checked(columns, learnt(columns, Settings()), roles="off", body_min=0)
    assert outcome.rejected.is_empty()
    assert isinstance(outcome.kept, pl.DataFrame)


@pytest.mark.parametrize(("n", "said"), [(29, 1), (30, 0)])
def test_too_few_rows_to_learn_from_are_told(n: int, said: int) -> None:
    columns, _ = corpus(n, 0)
    found = check.notes(Settings(), learnt(columns, Settings()))
    assert len(found) == said
    assert all("29 whole rows, fewer than 30" in note for note in found)


def test_rows_with_swapped_values_are_counted_by_source() -> None:
    columns, bad = corpus(300, 30)
    for permute in ("reject", "repair"):
        assert checked(columns, learnt(columns, Settings()), permute=permute).sources == {"a.csv": (len(bad), 300)}
    few, _ = corpus(29, 10)
    assert checked(few, learnt(few, Settings()), body_min=0).sources == {}
    assert checked(columns, {}, roles="off").sources == {}


@pytest.mark.parametrize(
    ("hit", "n", "named"),
    [(0, 10, False), (2, 11, False), (2, 10, False), (2, 9, True), (1, 2, False), (2, 2, True), (7, 35, False)],
)
def test_a_source_with_more_than_a_fifth_of_its_rows_swapped_is_told(hit: int, n: int, named: bool) -> None:
    facts = {"sources": {"a.csv": (hit, n), "b.csv": (0, 9)}}
    assert [text.startswith(f"{hit} of {n} rows of a.csv hold") for text in check.warnings(Settings(), facts)] == (
        [True] if named else []
    )
    assert check.counted(Settings(), facts) == ({"sources_permuted": 1} if named else {})


def test_one_warning_names_the_sources_with_most_such_rows() -> None:
    facts = {"sources": {f"{i}.csv": (i, 10) for i in range(1, 8)}}
    (text,) = check.warnings(Settings(), facts)
    assert text.startswith("7 of 10 rows of 7.csv, 6 of 10 rows of 6.csv, 5 of 10 rows of 5.csv, as many of 2 more")
