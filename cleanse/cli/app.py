"""The typer app. Its names and one-line helps stand here; options and work are imported for the one command that is
called, so that `--help` stays light (docs/adr/0023).
"""

import gc
import inspect
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

import typer

from cleanse import __version__
from cleanse.errors import ConfigError

EXIT_CODES = """Exit codes: 0 fine · 1 a gate failed or no row is left · 2 usage or config · 3 input ·
4 disk, permission, memory · 70 a bug in cleanse · 130 and 143 stopped by a signal."""
COMMANDS = {  # name → (what it does, an example)
    "run": ("The whole chain, then gate and report.", "cleanse run raw/ -o out"),
    "decode": ("Bytes → UTF-8 records.", "cleanse decode raw/ -o DIR"),
    "strip": ("HTML, script and boilerplate noise out.", "cleanse strip IN -o DIR"),
    "check": ("Field alignment, title and body lengths.", "cleanse check IN -o DIR --title-min 8"),
    "skew": ("Class, length, feature and shard skew as numbers.", "cleanse skew IN -o DIR"),
    "resample": ("Even out the classes of the train rows.", "cleanse resample IN -o DIR --method under"),
    "shard": ("Shards of equal size.", "cleanse shard IN -o DIR --count 8"),
    "gate": ("Judge a run again; nothing is rerun.", "cleanse gate out --baseline last-good --output-format junit"),
    "report": ("Write report.html again.", "cleanse report out --html report.html"),
    "show": ("Rows of a run in the terminal.", "cleanse show out --reason title_short"),
    "diff": ("Compare two runs.", "cleanse diff out-a out-b"),
    "explain": ("A reason or an error in words.", "cleanse explain title_short"),
    "inspect": ("Encoding, columns, lengths and worst rows of files.", "cleanse inspect raw/"),
    "init": ("Write a cleanse.yaml.", "cleanse init --profile zh-news"),
    "config": ("The settings in force: show, check or schema.", "cleanse config show --origin"),
    "doctor": ("Versions, processors, memory, locale.", "cleanse doctor"),
}

_HINTED = re.compile(r"(.*?)(?: \(Possible options: (.*)\)| Did you mean (.*))?", re.S)

app = typer.Typer(
    name="cleanse",
    help="A dirty text corpus in, training data one can defend out: every record kept or rejected with its reason.\n\n"
    "Example: cleanse run raw/ -o out",
    epilog=EXIT_CODES,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def top(
    version: bool = typer.Option(False, "-V", "--version", help="print the version"),
) -> None:
    """Options before the command."""


def _add(name: str, *, whole: bool) -> None:
    """Add a command; its options only where they are asked for."""

    def command(**given: Any) -> None:
        from cleanse.cli import catalogue, edge

        code = edge.guarded(catalogue.body(name), given)
        if code:
            raise typer.Exit(code)

    parameters: Sequence[inspect.Parameter] = []
    if whole:
        from cleanse.cli import catalogue

        parameters = catalogue.parameters(name)
    setattr(command, "__signature__", inspect.Signature(list(parameters)))  # noqa: B010  # no attribute mypy knows
    text, example = COMMANDS[name]
    app.command(name, help=f"{text}\n\nExample: {example}", short_help=text)(command)


def build(args: Sequence[str]) -> None:
    """The app for these arguments: of all commands the names, of the called one the options, too."""
    called = next((word for word in args if not word.startswith("-")), None)
    completing = any(name.endswith("_COMPLETE") for name in os.environ)
    for name in COMMANDS:
        _add(name, whole=completing or name == called)


def main() -> None:
    """The entry point. The version is answered before anything is built."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller (`>&-`): no data file may get its descriptor
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # open to the end of the process
    args = sys.argv[1:] or ["--help"]
    if args in (["-V"], ["--version"]):
        print(f"cleanse {__version__}")
        return
    build(args)
    try:
        sys.exit(app(args, prog_name="cleanse", standalone_mode=False) or 0)
    except typer.TyperException as problem:
        sys.exit(_told(_usage(problem, args)))
    except ConfigError as error:  # of an option that is read before the command begins
        sys.exit(_told(error))
    finally:
        gc.freeze()  # nothing is collected at exit but the memory itself: 100 ms


def _usage(problem: typer.TyperException, args: Sequence[str]) -> ConfigError:
    """A mistake on the command line as one of our errors."""
    what, hint, near = re.fullmatch(_HINTED, problem.format_message()).groups()  # type: ignore[union-attr]  # matches all
    command = f"{args[0]} " if args[0] in COMMANDS else ""
    help = f"did you mean {(hint or near).rstrip('?')}?" if hint or near else f"cleanse {command}--help"
    return ConfigError("usage", " ".join(what.split()), help)


def _told(error: ConfigError) -> int:
    """Say what is wrong; the exit code."""
    from cleanse.cli.screen import put
    from cleanse.report.safe import safe_lines

    put(sys.stderr, safe_lines(str(error)) + "\n", obey=os.environ.get("GITHUB_ACTIONS") != "true")
    return error.exit_code
