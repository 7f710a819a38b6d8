"""Time is linear in the length of a text, whatever it holds: each opener of tests/cases/strip_bait.json with each
piece that closes something, alternating and one after the other. By CPU time, so that other work does not matter.
"""

import json
import time
from pathlib import Path

import pytest
from tables import records

from cleanse.settings import Settings
from cleanse.stages import strip

BAIT = json.loads((Path(__file__).parent.parent / "cases" / "strip_bait.json").read_text())
TIMES = 4  # as long: linear is at most 4, quadratic 16
MOST = 7.0
FLOOR = 0.1  # CPU seconds: below this what a call costs is measured, not the texts


def cpu_seconds(opener: str, repeats: int) -> float:
    texts = [
        "<p>a</p>" + text
        for closed in BAIT["closed"]
        for text in ((opener + closed) * repeats, opener * repeats + closed * repeats)
    ]
    frame, began = records({"body": texts}), time.process_time()
    outcome = strip.apply(frame, Settings(), {})
    assert outcome.kept.height + outcome.rejected.height == len(texts)
    return time.process_time() - began


@pytest.mark.parametrize("opener", BAIT["openers"])
def test_time_grows_with_the_length_of_bait_and_no_faster(opener: str) -> None:
    short = max(FLOOR, min(cpu_seconds(opener, 1_500) for _ in range(2)))
    assert cpu_seconds(opener, 1_500 * TIMES) < MOST * short


@pytest.mark.parametrize(
    "text",
    [
        "<p>" + "x" * 2**20,
        "<script>" + "f(a<b);" * 150_000,
        "<div>" * 40_000,
        "<img src='data:" + "iVBORw0KGgo" * 100_000,
    ],
    ids=["word", "script", "nested", "picture"],
)
def test_a_megabyte_in_one_line_takes_no_second(text: str) -> None:
    began = time.process_time()
    outcome = strip.apply(records({"body": ["<p>a</p>" + text, "<p>b</p>" + text + "'>c"]}), Settings(), {})
    assert outcome.kept["body"].str.slice(0, 1).to_list() == ["a", "b"]
    assert time.process_time() - began < 2
