"""A verdict in every form in which it leaves the command: terminal, JSON, JUnit, Markdown, annotations, files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cleanse.cli.options import targets
from cleanse.cli.screen import Screen
from cleanse.report import machine, markdown, terminal
from cleanse.report.gate import Verdict
from cleanse.report.safe import unobeyed
from cleanse.report.told import Told
from cleanse.report.words import word
from cleanse.run import manifest, store
from cleanse.run.finished import Finished
from cleanse.run.tables import scan

N_SAMPLES = 5  # rows of the largest reason in a Markdown summary
PATHS = (
    "data",
    "rejects",
    "stages",
    "metrics.json",
    "gate.json",
    "run.json",
    "report.html",
    "README.md",
    "logs/run.jsonl",
)


@dataclass(frozen=True)
class Judgement:
    """A run and what was found. `seconds`: by stage and `all`; empty when nothing ran."""

    run: Finished
    verdict: Verdict
    numbers: Mapping[str, int | float]
    exit_code: int
    seconds: Mapping[str, float]


def told(judged: Judgement, screen: Screen) -> Told:
    """What the terminal shows of it."""
    run = judged.run
    skew = run.tree(f"stages/{run.stage('skew').name}/skew.json")
    encodings = run.tree("profile.json").get("decode", {}).get("encodings", {})
    inputs = run.manifest["inputs"]
    return Told(
        str(run.out), judged.run.entries, encodings, skew.get("findings", []), judged.verdict, judged.seconds,
        sum(each["bytes"] for each in inputs), len(inputs), screen.lang, screen.signs(), screen.narrow(),
    )  # fmt: skip


def show(judged: Judgement, given: Mapping[str, Any], screen: Screen, *head: Any) -> None:
    """To stdout in the format asked for, to the files of --write, and to the CI system that runs us."""
    kind = given["output_format"]
    if kind == "text":
        _summary(judged, screen, head)
    elif screen.quiet < 2:
        text = render(kind, judged, screen)
        if kind == "github":
            screen.annotate(text)
        else:
            screen.result(text)
    if screen.on_github and kind == "text" and screen.quiet < 2:
        screen.annotate(render("github", judged, screen))
    for kind, path in targets(given["write"]):
        store.commit(path, render(kind, judged, screen).encode("utf-8", "backslashreplace"))
    if screen.summary_file:
        with store.writing(Path(screen.summary_file)), Path(screen.summary_file).open("a", encoding="utf-8") as file:
            file.write(render("markdown", judged, screen))


def _summary(judged: Judgement, screen: Screen, head: Sequence[Any]) -> None:
    tell = told(judged, screen)
    report = judged.run.out / "report.html"
    if screen.quiet == 0:
        decoded = judged.run.tree("profile.json").get("decode", {}).get("sources", []) if screen.verbose else []
        tables = (
            terminal.funnel(tell),
            terminal.sources(decoded),
            terminal.why(tell),
            terminal.gates(tell, every=screen.verbose > 0),
        )
        screen.result(*head, *(table for table in tables if table.row_count))
    if screen.quiet < 2:
        screen.result(terminal.last_line(tell, str(report) if report.exists() else None))
        if not [gate for gate in judged.verdict.gates if gate.where != "built-in"]:
            screen.talk(word("no_gates", screen.lang))
        if any(gate.note == "no baseline" for gate in judged.verdict.gates):
            screen.talk(word("no_baseline", screen.lang))


def render(kind: str, judged: Judgement, screen: Screen) -> str:
    """The verdict as one text."""
    if kind == "json":
        out = judged.run.out
        paths = {name: str(out / name) for name in PATHS if (out / name).exists()}
        return (
            machine.as_json(manifest.status(judged.exit_code), judged.exit_code, judged.numbers, judged.verdict, paths)
            + "\n"
        )
    if kind == "junit":
        return machine.junit(judged.verdict, machine.ranked(entry.rejected for entry in judged.run.entries))
    if kind == "markdown":
        return markdown.summary(judged.verdict, judged.run.entries, _samples(judged))
    if kind == "github":
        return "".join(f"{line}\n" for line in machine.github(judged.verdict))
    tell = told(judged, screen)
    lines = [terminal.gate_line(gate, tell).plain for gate in judged.verdict.gates if gate.missed]
    return unobeyed("\n".join([*lines, terminal.last_line(tell).plain]) + "\n")


def _samples(judged: Judgement) -> list[dict[str, Any]]:
    """Some rows of the reason that took most."""
    reasons = machine.ranked(entry.rejected for entry in judged.run.entries)
    files = judged.run.outputs("rejects")
    if not reasons or not files:
        return []
    import polars as pl  # late: no other form needs it

    return scan(files).filter(pl.col("_reason") == reasons[0][0]).head(N_SAMPLES).collect().to_dicts()
