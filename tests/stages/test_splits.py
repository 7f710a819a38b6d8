from typing import Any

import pytest
from tables import records

from cleanse.settings import ColumnSettings, Settings
from cleanse.stages import splits


@pytest.mark.parametrize(
    ("given", "want"),
    [
        (["train", " train ", "val", "valid", "dev"], ["train", "train", "validation", "validation", "validation"]),
        ([None, "", "  "], ["unsplit"] * 3),
        (["../x", "第一", "a b"], ["___x", "第一", "a_b"]),
        ([1, 2, None], ["1", "2", "unsplit"]),
        ([["train"], [], None], ["__train__", "__", "unsplit"]),
    ],
)
def test_a_split_is_a_name_that_may_stand_in_a_file_name(given: list[Any], want: list[str]) -> None:
    assert splits.of(records({"split": given}), Settings()).to_list() == want


def test_without_a_split_column_every_row_is_train_and_the_mapped_column_wins() -> None:
    assert splits.of(records({"body": ["x", "y"]}), Settings()).to_list() == ["train", "train"]
    mapped = Settings(columns=ColumnSettings(split="part"))
    assert splits.of(records({"part": ["test"], "split": ["train"]}), mapped).to_list() == ["test"]
