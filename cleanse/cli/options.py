"""Options, declared once: those of every command, and a flag for each key of a settings section."""

from collections.abc import Mapping, Sequence
from dataclasses import Field, fields
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from cleanse.errors import ConfigError
from cleanse.settings import Settings

ALL_KEYS = "all"
FORMATS = ("text", "json", "github", "junit", "markdown")  # of a verdict


def option(name: str, kind: Any, default: Any, *decls: str, help: str, panel: str = "Common", **more: Any) -> Parameter:
    """One parameter of a command, as typer reads it from a signature."""
    info = typer.Option(*decls, help=help, rich_help_panel=panel, **more)
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info])


def argument(name: str, kind: Any, help: str, default: Any = Parameter.empty, **more: Any) -> Parameter:
    """A positional argument of a command."""
    info = typer.Argument(help=help, show_default=False, **more)
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info])


def shared() -> list[Parameter]:
    """The options of every command."""
    return [
        option("config", Path | None, None, "-c", "--config", help="YAML file (default: cleanse.yaml here or above)"),
        option("isolated", bool, False, "--isolated", help="read no config file"),
        option("set_", list[str], [], "--set", help="SECTION.KEY=VALUE, repeatable", metavar="SECTION.KEY=VALUE"),
        option("quiet", int, 0, "-q", "--quiet", help="once: last line only; twice: nothing", count=True),
        option(
            "verbose",
            int,
            0,
            "-v",
            "--verbose",
            help="once: sources and passed gates, too; twice: tracebacks",
            count=True,
        ),
        option("color", Literal["auto", "always", "never"], "auto", "--color", help="auto: NO_COLOR, FORCE_COLOR, TTY"),
        option("progress", Literal["auto", "bar", "plain", "none"], "auto", "--progress", help="auto: bar on a TTY"),
        option("log_format", Literal["text", "json"], "text", "--log-format", help="json: one object a line on stderr"),
        option("lang", Literal["auto", "en", "zh-CN"], "auto", "--lang", help="auto: that of the locale"),
    ]


def of_section(section: str, keys: tuple[str, ...] | str = ALL_KEYS, panel: str = "Advanced") -> list[Parameter]:
    """A flag for each key of a section (or those named), called like the key."""
    kind = get_type_hints(Settings)[section]
    hints = get_type_hints(kind)
    chosen = [
        f for f in fields(kind) if (keys == ALL_KEYS or f.name in keys) and f.metadata.get("flag", "") is not None
    ]
    return [_flag(section, f, hints[f.name], panel) for f in chosen]


def _flag(section: str, key: Field[Any], hint: Any, panel: str) -> Parameter:
    name, text = called(key), key.metadata["description"]
    if hint is bool:
        both = f"{name}/--no-{name.removeprefix('--')}"
        return option(f"{section}__{key.name}", bool | None, None, both, help=text, panel=panel)
    choices = "|".join(get_args(hint)) if get_origin(hint) is Literal else "VALUE"
    is_list = isinstance(key.default, tuple)
    kind: Any = list[str] if is_list else str | None
    default = list[str]() if is_list else None
    return option(
        f"{section}__{key.name}", kind, default, name, help=text, panel=panel, metavar=choices,
        show_default=_shown(key.default),
    )  # fmt: skip


def called(key: Field[Any]) -> str:
    """The flag of a key of the settings."""
    return "--" + (key.metadata.get("flag") or key.name.replace("_", "-"))


def _shown(default: Any) -> str:
    return (
        ",".join(map(str, default)) or "none"
        if isinstance(default, tuple)
        else "none"
        if default is None
        else str(default)
    )


def flags(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings among the arguments of a command, as `section.key` → value, those that were given."""
    named = {name.replace("__", ".", 1): value for name, value in given.items() if "__" in name}
    named = {name: ",".join(value) if isinstance(value, list) and value else value for name, value in named.items()}
    return {name: value for name, value in named.items() if value is not None and value != []}


def targets(written: Sequence[str]) -> list[tuple[str, Path]]:
    """`--write FORMAT=PATH`, several times. Raises ConfigError for anything else, before any work is done."""
    from cleanse.run.places import place  # late: no help needs it

    found = []
    for each in written:
        kind, equals, path = each.partition("=")
        if kind not in FORMATS or not equals or not path:
            raise ConfigError(
                "write-format", f"--write {each}: not FORMAT=PATH", f"FORMAT: one of {', '.join(FORMATS)}"
            )
        found.append((kind, place(path)))
    return found
