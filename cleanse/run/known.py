"""What a stage has to know of the whole corpus before it sees a row: counted part by part, merged, kept in a file."""

from collections.abc import Sequence
from os import fspath
from pathlib import Path
from typing import Any

from cleanse.errors import ConfigError
from cleanse.run import markers, store, ways
from cleanse.run.history import history
from cleanse.run.job import Job, Table
from cleanse.run.markers import Marker
from cleanse.run.places import place
from cleanse.run.tasks import Count
from cleanse.settings import Settings
from cleanse.stage import Facts, Measure, Stage, State

FACTS = "facts.json"  # what a stage knows of the corpus, for its tasks
MARKER = "facts"


def known(stage: Stage, given: Table, state: State, folder: Path, job: Job) -> Facts:
    """The facts of a stage, as they stand in its folder. `state`: of its first open measure, where that was tallied on
    the way.
    """
    measures = stage.measures(job.settings)
    if not measures:
        return {}
    found = {measure.name: _saved(measure, given.folder) for measure in measures}
    facts: Facts = {name: tree for name, tree in found.items() if tree is not None}
    if stage.history and (past := history(given.folder)):
        facts["history"] = past
    basis = markers.basis(stage, job.settings, given.schema, facts)
    key = markers.digest(basis, [(output.path, output.sha256) for output in given.parts])
    if is_kept(stage, job.settings) and job.found(stage.name, folder, MARKER, key):
        return store.read_json(folder / FACTS) or {}
    for number, measure in enumerate(measures):
        if measure.name in facts:
            continue
        if number or state is None:
            state = ways.tallied(given, Count(stage.name, number, fspath(write(folder, facts)) if facts else None), job)
        facts[measure.name] = measure.finish(state, job.settings, facts)
    if not is_kept(stage, job.settings):
        return facts
    markers.write(folder, MARKER, Marker(key, outputs=[store.output(write(folder, facts), folder)]))
    return store.read_json(folder / FACTS) or {}  # as a later call would find them: with 12 digits


def is_kept(stage: Stage, settings: Settings) -> bool:
    """True where tasks ask for the facts, and so a file of the stage holds them: else they need not be JSON."""
    return bool(stage.vectors) or not stage.passes(settings)


def next_count(queue: Sequence[Stage], settings: Settings) -> Count | None:
    """The first measure of the next stage, to be tallied while its table is still in memory."""
    measures = queue[0].measures(settings) if queue else ()
    return Count(queue[0].name, 0) if measures and measures[0].given is None else None


def write(folder: Path, facts: Facts) -> Path:
    """The file that tasks read."""
    store.write_json(folder / FACTS, facts)
    return folder / FACTS


def _saved(measure: Measure, folder: Path) -> Any:
    """The finished facts from the file that the user names, or from the input folder; None: there are none."""
    if measure.given is None:
        return store.read_json(folder / measure.saved) if measure.saved else None
    tree = store.read_json(place(measure.given))
    if tree is None:
        what = f"no {measure.name} in {place(measure.given)}"
        raise ConfigError("facts-unreadable", what, "name a file of an earlier run")
    return tree
