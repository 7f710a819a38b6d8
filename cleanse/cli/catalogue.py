"""The options of each command, and the function that does its work."""

from collections.abc import Callable
from importlib import import_module
from inspect import Parameter
from pathlib import Path
from typing import Any, Literal, get_type_hints

from cleanse.cli.edge import Body
from cleanse.cli.options import argument, of_section, option, shared
from cleanse.run.places import place
from cleanse.settings import Settings
from cleanse.stages import ORDER

INPUTS = (
    "files, folders, globs or URIs (s3, gs, hdfs) of .txt .html .csv .tsv .jsonl .json .parquet, also .gz .bz2 .xz .zst"
)
STAGE_RUN_KEYS = ("seed", "workers", "engine", "ray_address", "memory_limit")
RUN_DECODE_KEYS = ("format", "encoding")  # what `cleanse run` has as flags of decode, and limit; the rest by --set
OUT = "folder to write: absent, empty or ours"
PLACE: Any = {"parser": place, "metavar": "PATH"}  # a path or a URI
BODIES = {  # command → module of this folder and function in it; stages share one
    "run": ("again", "run"),
    **{name: ("judge", name) for name in ("gate", "report")},
    **{name: ("look", name) for name in ("show", "diff")},
    **{name: ("words", name) for name in ("explain", "init", "doctor")},
    "inspect": ("inspecting", "inspect"),
    "config": ("words", "config_"),
}


def parameters(name: str) -> list[Parameter]:
    """All parameters of a command, its own before those of every command."""
    own = _stage(name) if name in ORDER else _OWN[name]()
    return [*own, *shared()]


def body(name: str) -> Body:
    """The function behind a command, imported now."""
    if name in ORDER:
        single = import_module("cleanse.cli.stage")
        return lambda given, screen: int(single.stage(name, given, screen))
    module, function = BODIES[name]
    found: Body = getattr(import_module(f"cleanse.cli.{module}"), function)
    return found


def _choice(*words: str) -> Any:
    return Literal.__getitem__(words)


def _out(default: Path | None) -> Parameter:
    if default:
        return option("out", Path, default, "-o", "--out", help=OUT, panel="Output", **PLACE)
    return option("out", Path, Parameter.empty, "-o", "--out", help=OUT, panel="Output", show_default=False, **PLACE)


def _kind(*formats: str, help: str = "of stdout") -> Parameter:
    wanted = _choice(*formats)
    return option("output_format", wanted, formats[0], "--output-format", help=help, panel="Output")


def _judging() -> list[Parameter]:
    fail_on = Literal["error", "warn", "never"]
    return [
        option("fail_on", fail_on, "error", "--fail-on", help="never: only an empty result fails", panel="Gate"),
        option("baseline", str | None, None, "--baseline", help="run folder or metrics.json", panel="Gate"),
        _kind("text", "json", "github", "junit", "markdown"),
        option("write", list[str], [], "--write", help="repeatable", metavar="FORMAT=PATH", panel="Output"),
    ]  # fmt: skip


def _reporting() -> list[Parameter]:
    return of_section("report", ("samples", "redact"), panel="Output")


def _run() -> list[Parameter]:
    text = "an input or a result without rows is fine"
    parts = [
        option(f"with_{what}", bool, True, f"--{what}/--no-{what}", help=f"write {file}", panel="Output")
        for what, file in (("report", "report.html"), ("card", "README.md, the data set card"))
    ]
    return [
        argument("inputs", list[str], INPUTS), _out(Path("cleanse-out")), _overwrite(),
        option("allow_empty", bool, False, "--allow-empty", help=text, panel="Input"), *_extent(),
        *of_section("columns", panel="Input"),
        *of_section("decode", (*RUN_DECODE_KEYS, "limit"), panel="Input"), *of_section("run"), *parts,
        *_reporting(), *_judging(),
    ]  # fmt: skip


def _overwrite() -> Parameter:
    text = "empty a folder of ours first; else what is done stays"
    return option("overwrite", bool, False, "--overwrite", help=text, panel="Output")


def _extent() -> list[Parameter]:
    """How much of a run one call does."""
    stages, part = (
        _choice(*ORDER) | None,
        "make every N-th part only, from the K-th; a last call without it ends the run",
    )
    return [
        option(
            "from_",
            stages,
            None,
            "--from",
            help="make this stage and all behind it anew; those before must be whole",
            panel="Work",
        ),
        option("until", stages, None, "--until", help="end behind this stage; no data/, no gate", panel="Work"),
        option("part", str | None, None, "--part", help=part, metavar="K/N", panel="Work"),
        option("force", bool, False, "--force", help="make all parts anew", panel="Work"),
        option(
            "dry_run",
            bool,
            False,
            "--dry-run",
            help="tell the plan and what is done already, write nothing",
            panel="Work",
        ),
    ]


def _stage(name: str) -> list[Parameter]:
    first = argument("inputs", list[str], INPUTS)
    if name != "decode":
        first = argument("input", Path, "a stage folder, a run folder, or Parquet files", parser=place)
    own = of_section(name, panel="Rules") if name in get_type_hints(Settings) else []
    return [
        first,
        *([_out(None)] if name != "strip" else _written_or_shown()),
        _overwrite(),
        *own,
        *of_section("columns", panel="Input"),
        *of_section("run", STAGE_RUN_KEYS),
        _kind("text", "json"),
    ]


def _written_or_shown() -> list[Parameter]:
    """Strip writes a folder or shows what it would do."""
    text = "show N bodies before and after, write nothing"
    return [
        option("out", Path | None, None, "-o", "--out", help=OUT, panel="Output", **PLACE),
        option("preview", int | None, None, "--preview", help=text, panel="Output", metavar="N", min=1),
    ]


def _folder(name: str = "out", help: str = "a run folder") -> Parameter:
    return argument(name, Path, help, parser=place)


def _report() -> list[Parameter]:
    text = "file to write (default: OUT/report.html)"
    html = option("html", Path | None, None, "--html", help=text, panel="Output", **PLACE)
    return [_folder(), html, *_reporting()]


def _show() -> list[Parameter]:
    return [
        _folder(),
        option("reason", str | None, None, "--reason", help="rejected rows with this reason", panel="Rows"),
        option("stage", _choice(*ORDER) | None, None, "--stage", help="rows that this stage rejected", panel="Rows"),
        option("id", str | None, None, "--id", help="one row through every stage", panel="Rows"),
        option("rows", int, 10, "-n", "--rows", help="how many", panel="Rows", min=1),
        option("status", bool, False, "--status", help="how far a running or stopped run is", panel="Rows"),
        _kind("text", "json", "jsonl", "csv"),
    ]  # fmt: skip


def _diff() -> list[Parameter]:
    change = option("fail_on_change", bool, False, "--fail-on-change", help="exit 1 when there is one", panel="Gate")
    return [_folder("a", "a run folder"), _folder("b", "another run folder"), change, _kind("text", "json")]


def _inspect() -> list[Parameter]:
    limit = option(
        "limit", int, 100_000, "--limit", help="records of each file that are looked at", panel="Input", min=1
    )
    return [
        argument("inputs", list[str], INPUTS), limit, *of_section("columns", panel="Input"),
        *of_section("decode", RUN_DECODE_KEYS, panel="Input"), _kind("text", "json"),
    ]  # fmt: skip


def _explain() -> list[Parameter]:
    return [argument("id", str | None, "a reason or an error id (none: all)", None), _kind("text", "json")]


def _init() -> list[Parameter]:
    profiles = Literal["default", "zh-news", "classifier", "gate"]
    return [
        argument("folder", Path, "where to write it", Path()),
        option("from_", str | None, None, "--from", help="a file whose columns and lengths to propose", panel="Input"),
        option("profile", profiles, "default", "--profile", help="what it starts from", panel="Output"),
        option("force", bool, False, "--force", help="write over a cleanse.yaml", panel="Output"),
    ]


def _config() -> list[Parameter]:
    what = Literal["show", "check", "schema"]
    return [
        argument("what", what, "show: settings in force; check: exit 0 or 2; schema: as JSON Schema"),
        option("origin", bool, False, "--origin", help="where each value comes from", panel="Output"),
        _kind("text", "json", help="of show"),
    ]


def _doctor() -> list[Parameter]:
    return [_kind("text", "json")]


_OWN: dict[str, Callable[[], list[Parameter]]] = {
    "run": _run, "gate": lambda: [_folder(), *_judging()], "report": _report, "show": _show, "diff": _diff,
    "inspect": _inspect, "explain": _explain, "init": _init, "config": _config, "doctor": _doctor,
}  # fmt: skip
