"""Arrows between the parts of the package run downwards only."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "cleanse"
ROOT = ("stage", "table", "ledger", "settings", "cleaning", "judging", "keys", "errors", "__init__")
LAYERS = [("cli",), ("report",), ("run",), ("stages",), ROOT, ("text", "records", "measures", "sampling")]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
MODULES = sorted(PACKAGE.rglob("*.py"))


def part(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """Modules that a file imports anywhere, also inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def parts_used(path: Path) -> set[str]:
    names = {name.split(".")[1] for name in imported(path) if name.startswith("cleanse.")}
    return {name for name in names if name in LEVEL} - {part(path)}


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_no_arrow_runs_upwards(path: Path) -> None:
    upwards = {name for name in parts_used(path) if LEVEL[name] < LEVEL[part(path)]}
    assert not upwards


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_the_bottom_layer_knows_no_neighbour(path: Path) -> None:
    if LEVEL[part(path)] == len(LAYERS) - 1:
        assert not parts_used(path)


def test_text_knows_no_tables() -> None:
    for path in (PACKAGE / "text").glob("*.py"):
        assert not {name.split(".")[0] for name in imported(path)} & {"polars", "numpy", "pyarrow"}


def test_only_run_opens_data_files_and_only_cli_and_report_know_a_screen() -> None:
    for path in MODULES:
        if part(path) not in ("cli", "report"):
            assert not {name.split(".")[0] for name in imported(path)} & {"typer", "rich"}, path
        if part(path) in ("stages", *ROOT, "text", "records", "measures", "sampling"):
            assert not {name.split(".")[0] for name in imported(path)} & {"pathlib", "os", "shutil"}, path


def test_every_file_says_what_it_is_and_stays_short() -> None:
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        assert ast.get_docstring(ast.parse(text)), path
        assert len(text.splitlines()) <= 300, path
