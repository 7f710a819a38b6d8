"""`explain` knows every reason and every error id that the code can give: one source of truth."""

import ast
import json
import re
from pathlib import Path

from cleanse.errors import ConfigError, InputError, LedgerError, MachineError
from cleanse.report.faults import FAULTS
from cleanse.report.reasons import REASONS
from cleanse.stages import ORDER

ROOT = Path(__file__).parents[2]
FAMILIES = {kind.__name__: kind.exit_code for kind in (ConfigError, InputError, LedgerError, MachineError)}


def raised() -> dict[str, set[int]]:
    """Error id → the exit codes it is raised with, from every `XError("id", …)` in the package."""
    found: dict[str, set[int]] = {}
    for path in (ROOT / "cleanse").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FAMILIES:
                first = node.args[0]
                ids = (
                    [first]
                    if isinstance(first, ast.Constant)
                    else [n for n in ast.walk(first) if isinstance(n, ast.Constant)]
                )
                for each in ids:
                    if re.fullmatch(r"[a-z]+(-[a-z]+)*", str(each.value)):
                        found.setdefault(str(each.value), set()).add(FAMILIES[node.func.id])
    return found


def test_every_error_id_is_explained_with_its_exit_code() -> None:
    ids = raised()
    assert len(ids) > 20
    assert {id: codes for id, codes in ids.items() if id not in FAULTS} == {}
    assert {id: codes for id, codes in ids.items() if codes != {FAULTS[id].exit_code}} == {}


def test_every_reason_of_the_samples_is_explained() -> None:
    ledger = json.loads((ROOT / "tests/samples_ledger.json").read_text(encoding="utf-8"))
    given = {(reason, entry["stage"]) for entry in ledger["entries"] for reason in entry["rejected"]}
    assert given
    assert [(reason, stage) for reason, stage in given if stage not in REASONS[reason].stages] == []


def test_reasons_are_stable_words_in_two_languages() -> None:
    for id, reason in REASONS.items():
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", id)
        assert set(reason.stages) <= set(ORDER)
        assert re.search("[a-z]", reason.en)
        assert re.search("[\u4e00-\u9fff]", reason.zh)
        assert reason.todo
    assert not REASONS.keys() & FAULTS.keys()
