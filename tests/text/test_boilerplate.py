"""Lines that go, each by its rule, and lines that stay: tests/cases/strip_lines.jsonl, also at each bound."""

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from stripping import python, takes

from cleanse.text.boilerplate import RULES

CASES = [
    json.loads(line) for line in (Path(__file__).parent.parent / "cases" / "strip_lines.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["line"])[:40])
def test_boilerplate_goes_by_the_rule_that_names_it_and_prose_with_its_words_stays(case: dict[str, Any]) -> None:
    taken = [rule.name for rule in RULES if takes(rule, case["line"])]
    assert next(iter(taken), None) == case["rule"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["line"])[:40])
def test_keys_are_in_every_line_that_a_rule_takes_and_both_engines_agree(case: dict[str, Any]) -> None:
    line = case["line"]
    for rule in RULES:
        for pattern in (rule.pattern, rule.unless):
            assert pl.Series([line]).str.contains(pattern).item() == bool(re.search(python(pattern), line))
        if rule.keys and takes(rule, line):
            assert any(re.search(key, line) for key in rule.keys)


def test_every_rule_has_a_line_that_goes() -> None:
    assert {case["rule"] for case in CASES} == {None, *(rule.name for rule in RULES)}
