"""The bytes of a source, span by span: what is read forward only is not read twice."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Protocol, TypeVar

import polars as pl

from cleanse.text import codecs
from cleanse.text.encoding import Decision

BLOCK, GATHERED = 1 << 20, 4 << 20  # bytes
T = TypeVar("T")
SHOWN = 1 << 12  # bytes of a block that tell how long its lines are
STEP = 1 << 14  # bytes in which the last line end of a block is looked for


class Content(Protocol):
    """The bytes of a source, as run/ gives them. `problem`: reason and detail, once they have ended early;
    `is_plain`: any byte can be reached without reading those before it.
    """

    problem: tuple[str, str] | None

    @property
    def is_plain(self) -> bool: ...

    def blocks(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """Blocks of BLOCK bytes, from byte `start` to `end`."""
        ...

    def gathered(self, start: int, end: int, least: int) -> Iterator[bytes]:
        """The blocks of `gathered`, where any byte can be reached."""
        ...

    def file(self) -> IO[bytes]:
        """A file object that can seek."""
        ...


def text_blocks(content: Content, decision: Decision) -> Iterator[bytes]:
    """The bytes that `batches` reads: those of the source behind its BOM, or in UTF-8 what is transcoded."""
    blocks = content.blocks(decision.bom)
    return codecs.transcoded(blocks, decision.encoding) if codecs.is_transcoded(decision.encoding) else blocks


class Spans:
    """Successive spans of the text of a source, without reading anything twice where it can only be read forward."""

    def __init__(self, content: Content, decision: Decision | None) -> None:
        self.content = content
        self._decision = decision or Decision("utf-8", 1.0, "source")
        self._is_transcoded = codecs.is_transcoded(self._decision.encoding)
        self.first = 0 if self._is_transcoded else self._decision.bom
        self._stream: Iterator[bytes] = iter(())
        self._held, self._at = b"", -1

    def blocks(self, start: int, end: int) -> Iterator[bytes]:
        """The bytes from `start` to `end`, as `text_blocks` counts them (a BOM that is read over included)."""
        start = max(start, self.first)
        if self.content.is_plain and not self._is_transcoded:
            yield from self.content.blocks(start, end)
            return
        if not 0 <= self._at <= start:
            self._stream, self._held, self._at = text_blocks(self.content, self._decision), b"", self.first
        while self._at < end and (block := self._held or next(self._stream, b"")):
            taken, self._held = block[: end - self._at], block[end - self._at :]
            wanted, self._at = taken[max(0, start - self._at) :], self._at + len(taken)
            if wanted:
                yield wanted

    def gathered(self, start: int, end: int, least: int) -> Iterator[bytes]:
        """The same bytes, as `gathered` puts them together."""
        if self.content.is_plain and not self._is_transcoded:
            return self.content.gathered(max(start, self.first), end, least)
        return gathered(self.blocks(start, end), least)


def gathered(blocks: Iterable[bytes], least: int = GATHERED) -> Iterator[bytes]:
    """The same bytes in blocks of `least` and more: each table of lines has its price, however short. Where lines are
    `dense`, a block is long enough as it is.
    """
    held, size = list[bytes](), 0
    for block in blocks:
        held.append(block)
        size += len(block)
        if size >= least or dense(block):
            end = block.rfind(b"\n") + 1 or len(block)  # where lines end, too, they need not be put together again
            yield b"".join((*held[:-1], memoryview(block)[:end]))
            held, size = [block[end:]], len(block) - end
    if size:
        yield b"".join(held)


def ends(read: Callable[[int, int], bytes], start: int, end: int, least: int) -> Iterator[int]:
    """Where the blocks of `gathered` end: little need be read to know it. `read`: so many bytes from a place on."""
    begun = start
    for at in range(start, end, BLOCK):
        stop = min(at + BLOCK, end)
        if stop - begun >= least or dense(read(min(SHOWN, stop - at), at)):
            steps = ((max(to - STEP, at), to) for to in range(stop, at, -STEP))
            lines = (behind for a, b in steps if (behind := a + read(b - a, a).rfind(b"\n") + 1) > a)
            begun = next(lines, stop)
            yield begun
    if begun < end:
        yield end


def dense(block: bytes) -> bool:
    """True where more than every fourth byte is a line end: a table of so many lines is large."""
    return max(block.count(b"\n", 0, SHOWN), block.count(b"\r", 0, SHOWN)) > SHOWN // 4


def ahead(items: Iterator[T]) -> Iterator[T]:
    """The same items, each made on another thread while the one before is looked at. In a worker all is one thread."""
    if pl.thread_pool_size() == 1:
        yield from items
        return
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = pool.submit(next, items, None)
            yield item
