"""docs/ says what the code does, and what it shows works."""

import re
from pathlib import Path

import pytest
import yaml
from docs_tables import DOCS, PAGES, declared

from cleanse.cli import catalogue, config
from cleanse.cli.app import COMMANDS
from cleanse.report.names import known

ROOT = DOCS.parent
TEXTS = [path for path in [*DOCS.glob("*.md"), *ROOT.glob("*.md")] if path.name != "CHANGELOG.md"]


@pytest.mark.parametrize("name", PAGES)
def test_a_made_page_is_up_to_date(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "make docs"


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.name))
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.name))
def test_commands_and_flags_exist(path: Path) -> None:
    for line in re.findall(r"^ {4}.*?\bcleanse ([a-z]+ .*)$", path.read_text(encoding="utf-8"), re.M):
        command, _, rest = line.partition(" #")[0].partition(" ")
        if command in COMMANDS:
            flags = {flag for p in catalogue.parameters(command) for each in declared(p) for flag in each.split("/")}
            for flag in re.findall(r"(?<=\s)--?[a-z][\w-]*", f" {rest}"):
                assert flag in flags, (path.name, line, flag)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.name))
def test_gates_in_examples_name_known_metrics_and_load(path: Path, tmp_path: Path) -> None:
    for block in re.findall(r"^ {4}gates:\n(?: {6}.*\n)+", path.read_text(encoding="utf-8"), re.M):
        text = re.sub(r"^ {4}", "", block, flags=re.M)
        (tmp_path / "cleanse.yaml").write_text(f"version: 1\n{text}", encoding="utf-8")
        loaded = config.load(tmp_path / "cleanse.yaml", isolated=True)
        assert loaded.settings.gates
        assert all(known(gate.metric) for gate in loaded.settings.gates)


def test_the_action_hands_inputs_over_by_the_environment() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert set(action["inputs"]) >= {"config", "data", "args", "fail-on"}
    assert set(action["outputs"]) == {"verdict", "rows-in", "rows-out", "report"}
    for step in action["runs"]["steps"]:
        assert "${{" not in step["run"]
        assert step["shell"] == "bash"


def test_the_hooks_call_commands_that_exist() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert [hook["id"] for hook in hooks] == ["cleanse-config-check", "cleanse-gate"]
    assert all(hook["entry"].split()[1] in COMMANDS and hook["pass_filenames"] is False for hook in hooks)
