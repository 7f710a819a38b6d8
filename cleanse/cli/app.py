"""The typer app. Commands are made from the settings; each imports its work when it is called, so that help is fast."""

import gc
import inspect
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter
from pathlib import Path
from typing import Any, Literal

import typer

from cleanse import __version__
from cleanse.cli.options import RUN_KEYS, STAGE_RUN_KEYS, argument, of_section, option, shared
from cleanse.errors import CleanseError, MachineError

EXIT_CODES = """Exit codes: 0 fine · 1 a gate failed or no row is left · 2 usage or config · 3 input ·
4 disk, permission, memory · 70 a bug in cleanse · 130 and 143 stopped by a signal."""

app = typer.Typer(
    name="cleanse",
    help="A dirty text corpus in, training data one can defend out: every record kept or rejected with its reason.\n\n"
    "Example: cleanse run raw/ -o out",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
STAGES = {  # name → (what it does, the section of its flags)
    "decode": ("Bytes → UTF-8 records.", "decode"),
    "strip": ("HTML, script and boilerplate noise out.", "strip"),
    "check": ("Field alignment, title and body lengths.", "check"),
    "skew": ("Class, length, feature and shard skew as numbers.", "skew"),
    "resample": ("Even out the classes of the train rows.", "resample"),
    "shard": ("Shards of equal size.", "shard"),
}


@app.callback()
def top(
    version: bool = typer.Option(False, "-V", "--version", help="print the version"),
) -> None:
    """Options before the command."""


def _out(default: Path | None) -> Parameter:
    text = "folder to write: absent, empty or ours"
    if default:
        return option("out", Path, default, "-o", "--out", help=text, panel="Output")
    return option("out", Path, Parameter.empty, "-o", "--out", help=text, panel="Output", show_default=False)


def _strip_output() -> list[Parameter]:
    """Strip writes a folder or shows what it would do."""
    text = "show N bodies before and after, write nothing"
    return [
        option("out", Path | None, None, "-o", "--out", help="folder to write: absent, empty or ours", panel="Output"),
        option("preview", int | None, None, "--preview", help=text, panel="Output", metavar="N", min=1),
    ]


def _command(name: str, help: str, parameters: Sequence[Parameter], body: Callable[[Mapping[str, Any]], int]) -> None:
    """Add a command whose options are `parameters`."""

    def command(**given: Any) -> None:
        code = _guarded(lambda: body(given))
        if code:
            raise typer.Exit(code)

    setattr(command, "__signature__", inspect.Signature(list(parameters)))  # noqa: B010  # no attribute mypy knows
    app.command(name, help=help, no_args_is_help=bool(name != "config"))(command)


def _guarded(body: Callable[[], int]) -> int:
    """The exit code of a body: errors become messages, bugs a crash file."""
    try:
        return body()
    except CleanseError as error:
        from cleanse.report.safe import safe_lines

        print(safe_lines("\n".join([str(error), *getattr(error, "__notes__", [])])), file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    except MemoryError:
        print("error[no-memory]: out of memory\n  help: --workers 1, or a machine with more memory", file=sys.stderr)
        return MachineError.exit_code
    except SystemExit:
        raise
    except BaseException as bug:  # noqa: BLE001  # the edge: all else is a bug and says so; a panic of polars is no Exception
        import traceback

        with tempfile.NamedTemporaryFile("w", prefix="cleanse-crash-", suffix=".txt", delete=False) as file:
            file.write(f"cleanse {__version__}\n{traceback.format_exc()}")
        print(
            f"error[bug]: {type(bug).__name__} in cleanse\n  --> {file.name}\n  help: report it with this file",
            file=sys.stderr,
        )
        return 70


def _stage_body(name: str) -> Callable[[Mapping[str, Any]], int]:
    def body(given: Mapping[str, Any]) -> int:
        from cleanse.cli import commands

        return commands.stage(name, given)

    return body


def _run_body(given: Mapping[str, Any]) -> int:
    from cleanse.cli import commands

    return commands.run(given)


def _config_body(given: Mapping[str, Any]) -> int:
    from cleanse.cli import commands

    return commands.show_config(given["what"], given)


def _build() -> None:
    inputs = argument(
        "inputs", list[str], "files, folders or globs of .txt .html .csv .tsv .jsonl .parquet, also .gz .bz2 .xz .zst"
    )
    columns = of_section("columns", panel="Input")
    never = option(
        "fail_on",
        Literal["error", "never"],
        "error",
        "--fail-on",
        help="never: only an empty result fails",
        panel="Gate",
    )
    flags = [p for section, keys in RUN_KEYS.items() if section != "columns" for p in of_section(section, keys)]
    _command(
        "run", "The whole chain.\n\nExample: cleanse run raw/ -c cleanse.yaml -o out",
        [inputs, _out(Path("cleanse-out")), *columns, *flags, never, *shared()], _run_body,
    )  # fmt: skip
    for name, (text, section) in STAGES.items():
        first = (
            inputs if name == "decode" else argument("input", Path, "a stage folder, a run folder, or Parquet files")
        )
        own = of_section(section, panel="Rules") if section else []
        example = f"Example: cleanse {name} {'raw/' if name == 'decode' else 'IN'} -o DIR"
        rest = [*own, *columns, *of_section("run", STAGE_RUN_KEYS), *shared()]
        written = _strip_output() if name == "strip" else [_out(None)]
        _command(name, f"{text}\n\n{example}", [first, *written, *rest], _stage_body(name))
    what = argument("what", Literal["show", "check", "schema"], "show: settings in force; check: exit 0 or 2; schema")
    origin = option("origin", bool, False, "--origin", help="where each value comes from", panel="Output")
    kind = option("output_format", Literal["text", "json"], "text", "--output-format", help="of show", panel="Output")
    _command(
        "config",
        "The settings in force.\n\nExample: cleanse config show",
        [what, origin, kind, *shared()],
        _config_body,
    )


_build()


def main() -> None:
    """The entry point. The version is answered before anything is built."""
    gc.set_threshold(100_000)  # objects; the default looks through all modules 60 times while they load: 45 ms
    if sys.argv[1:] in (["-V"], ["--version"]):
        print(f"cleanse {__version__}")
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as process 1 of a container Python would sleep through it
    try:
        app()
    finally:
        gc.freeze()  # nothing is collected at exit but the memory itself: 100 ms
