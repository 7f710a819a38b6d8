"""The pages of docs/ that are made from the code: `make docs` writes them, a test compares them."""

import inspect
from pathlib import Path
from typing import Any, get_args

from cleanse.cli import catalogue
from cleanse.cli.app import COMMANDS
from cleanse.cli.options import shared
from cleanse.report import markdown
from cleanse.report.faults import FAULTS
from cleanse.report.names import FIXED
from cleanse.report.reasons import REASONS

DOCS = Path(__file__).parent.parent / "docs"
MADE = "<!-- made by `make docs`: change the code, not this page -->"


def reasons() -> str:
    """reasons.md."""
    rows = [
        [f"`{id}`", ", ".join(reason.stages), reason.en, reason.zh, _cell(reason.todo)]
        for id, reason in REASONS.items()
    ]
    faults = [[f"`{id}`", str(fault.exit_code), fault.en, fault.zh, _cell(fault.todo)] for id, fault in FAULTS.items()]
    return "\n\n".join(
        [
            "# Reasons and errors",
            MADE,
            "Why a record or a file was rejected, as it stands in `_reason`, in the report and in gate names. "
            "`cleanse explain ID` says the same.",
            markdown.table(("reason", "stage", "means", "含义", "what to do"), rows),
            "## Errors",
            "What ends a command, with its exit code.",
            markdown.table(("error", "exit", "means", "含义", "what to do"), faults),
        ]
    ) + "\n"  # fmt: skip


def options() -> str:
    """options.md."""
    parts = ["# Options", MADE, "The options of every command stand at the end. Exit codes: `cleanse --help`."]
    common = {parameter.name for parameter in shared()}
    for name, (text, example) in COMMANDS.items():
        own = [p for p in catalogue.parameters(name) if p.name not in common]
        parts += [f"## cleanse {name}", text, f"    {example}", markdown.table(HEAD, [_option(p) for p in own])]
    return "\n\n".join([*parts, "## Every command", markdown.table(HEAD, [_option(p) for p in shared()])]) + "\n"


def metrics() -> str:
    """metrics.md."""
    listed = "\n".join(f"- `{name}`" for name in FIXED)
    more = "Names that end in data, as `check.rejected.title_short`: [gate.md](gate.md)."
    return f"# Names of metrics.json\n\n{MADE}\n\n{more}\n\n{listed}\n"


HEAD = ("option", "default", "meaning")


def _option(parameter: inspect.Parameter) -> list[str]:
    _, info = get_args(parameter.annotation)
    names = ", ".join(f"`{decl}`" for decl in declared(parameter)) or f"`{parameter.name.upper()}`"
    return [names, _default(parameter, info), _cell(info.help or "")]


def declared(parameter: inspect.Parameter) -> list[str]:
    """The flags of an option; of an argument none. In an annotation typer keeps the first one as its default."""
    _, info = get_args(parameter.annotation)
    return [name for name in (info.default, *(info.param_decls or ())) if isinstance(name, str)]


def _default(parameter: inspect.Parameter, info: Any) -> str:
    shown = info.show_default
    if isinstance(shown, str):
        return _cell(shown)
    return "" if parameter.default in (inspect.Parameter.empty, None, [], False) else _cell(str(parameter.default))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


PAGES = {"reasons.md": reasons, "options.md": options, "metrics.md": metrics}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
