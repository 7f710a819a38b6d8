"""What a call works on and who works: sources and engine, found before anything heavy is loaded."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cleanse.run import sources
from cleanse.run.engines.base import Engine
from cleanse.run.engines.choice import Work, chosen
from cleanse.run.events import Event, Listener, Watched
from cleanse.run.sources import Source
from cleanse.settings import Settings


@contextmanager
def found(inputs: Sequence[str], out: Path, settings: Settings) -> Iterator[list[Source]]:
    """The sources of the inputs; standard input is one while this lasts."""
    with sources.with_stdin(inputs, out) as given:
        yield sources.find(given, out, settings.decode.max_members)


@contextmanager
def engine(
    found: Sequence[Source], out: Path, settings: Settings, listen: Listener, work: Work = "heavy"
) -> Iterator[Engine]:
    """The engine for so many sources; its workers have begun to start."""
    size = sum(source.size for source in found)
    engine = chosen(settings.run, size, len(found), out, listen, work)
    listen(Event("found", {"sources": len(found), "bytes": size, "workers": engine.workers}))
    try:
        yield Watched(engine, listen)
    finally:
        engine.close()
