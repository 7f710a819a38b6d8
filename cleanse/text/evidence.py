"""What the bytes of a source show of their encoding: gathered block by block, so that memory does not grow with it."""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from cleanse.text.codecs import decodes, high_bytes, is_legacy, valid_high_bytes

Count = Callable[[bytes, bytes, int, int], int]
Blocks = Callable[[], Iterable[bytes]]  # the bytes of a source from its beginning, in blocks of 1 MiB

HEAD = 1 << 16  # bytes kept of the beginning
STEP = 1 << 18  # bytes: a source is cut no finer
SPREAD = 1 << 17  # bytes of each block that are looked at line by line
BARED = 1 << 18  # bytes at the beginning of each block that lose their markup
SHOWN = 1 << 18  # bytes of lines kept for the detector: it looks at 200 kB of what it gets
TAIL = 1 << 16  # bytes kept of a last line that has not ended
ESCAPES = (b"\x1b$", b"\x1b(", b"~{")
_MARKUP = re.compile(rb"(?is)<(script|style)\b.*?</\1[^>]*>|<[^>]*>")


@dataclass(frozen=True)
class Look:
    """What a pass over all bytes tells. Counts are exact; `head`: the first HEAD bytes.

    `utf8`: strict UTF-8 without its NULs; its last character may be incomplete if a whole one stands before it.
    `lf`, `cr`, `crlf`: line ends of each kind (a CR LF is none of the others). `breaks`: about every STEP bytes an
    offset behind an LF, and the number of LF before it. `tail`: the end of a last line that has none.
    """

    head: bytes = b""
    size: int = 0
    nuls: int = 0
    is_ascii: bool = True
    has_escape: bool = False
    utf8: bool = True
    lf: int = 0
    cr: int = 0
    crlf: int = 0
    breaks: tuple[tuple[int, int], ...] = ()
    tail: bytes = b""


def _is_utf8(data: bytes) -> bool:
    return decodes(data, "utf-8")


def look(blocks: Blocks, is_utf8: Callable[[bytes], bool] = _is_utf8, count: Count = bytes.count) -> Look:
    """Read all blocks once. `is_utf8`, `count`: how to tell strict UTF-8, and to count a byte between two places;
    a caller may know a faster way.

    >>> found = look(lambda: [b"a\\r\\n", "天".encode()[:2], "天".encode()[2:]])
    >>> found.size, found.utf8, found.is_ascii, found.crlf, found.lf
    (6, True, False, 1, 0)
    """
    head, last, tail, rest = b"", b"", b"", b""  # rest: the beginning of a character
    size = nuls = lf = cr = crlf = 0
    breaks = list[tuple[int, int]]()
    is_ascii, has_escape, utf8, whole = True, False, True, False
    for block in blocks():
        head += block[: HEAD - len(head)]
        for at, n in _breaks(block, count):
            lf += n
            breaks.append((size + at, lf))
        size += len(block)
        if b"\0" in block:  # asked first: a search is ten times as fast as a count
            nuls += block.count(0)
        if b"\r" in block:
            cr, crlf = cr + block.count(b"\r"), crlf + block.count(b"\r\n")
        crlf += last == b"\r" and block.startswith(b"\n")
        last, tail = block[-1:], _tail(tail, block)
        is_ascii = is_ascii and block.isascii()
        has_escape = has_escape or (is_ascii and any(mark in block for mark in ESCAPES))
        if utf8 and not is_ascii:
            text, rest = _whole(rest + _without_nuls(block))
            utf8 = is_utf8(text)
            whole = whole or not text.isascii()
    utf8 = utf8 and (whole or not rest) and _begins_character(rest)
    return Look(head, size, nuls, is_ascii, has_escape, utf8, lf - crlf, cr - crlf, crlf, tuple(breaks), tail)


def _tail(before: bytes, block: bytes) -> bytes:
    """The end of what has no LF behind it, from a byte on that is no half of a character."""
    cut = block.rfind(b"\n") + 1
    tail = block[max(cut, len(block) - TAIL) :] if cut else (before + block[-TAIL:])[-TAIL:]
    return tail if len(tail) < TAIL else tail[next((n for n in range(TAIL) if tail[n] < 0x30), 0) :]


def _whole(data: bytes) -> tuple[bytes, bytes]:
    """Bytes up to the last character of UTF-8 that is whole, and those that begin the next."""
    begin = next((n for n in range(1, 4) if data[-n : len(data) - n + 1] >= b"\xc0"), 0)
    n_bytes = 2 + (data[-begin] >= 0xE0) + (data[-begin] >= 0xF0) if begin else 0
    return (data[:-begin], data[-begin:]) if begin < n_bytes else (data, b"")


def _begins_character(data: bytes) -> bool:
    """True for what more bytes could make a character of UTF-8, or for none."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return False
    return True


def _without_nuls(block: bytes) -> bytes:
    return block.replace(b"\0", b"") if b"\0" in block else block


def _breaks(block: bytes, count: Count) -> Iterator[tuple[int, int]]:
    """Positions behind the last LF of each STEP bytes, with the number of LF since the one before."""
    for begin in range(0, len(block), STEP):
        if at := block.rfind(b"\n", begin, begin + STEP) + 1:
            yield at, count(block, b"\n", begin, at)


def is_page(head: bytes) -> bool:
    """True for bytes that close an element somewhere near their beginning."""
    return b"</" in head


@dataclass(frozen=True)
class Sample:
    """Lines with bytes above 7F, spread over all blocks; NULs are left out. `lines`, `utf8_lines`: how many there are,
    and how many of them are valid UTF-8; `high`, `utf8_high`: bytes above 7F in all and in valid UTF-8 lines; `valid`:
    bytes above 7F in valid UTF-8 sequences. `shown`: lines for a detector; `legacy`: those that are rather no UTF-8.
    """

    lines: int
    utf8_lines: int
    high: int
    utf8_high: int
    valid: int
    shown: bytes
    legacy: bytes

    @property
    def share(self) -> float:
        """The share of the bytes above 7F that stand in valid UTF-8 sequences, 0-1; 1 when there are none."""
        return self.valid / self.high if self.high else 1.0


def sample(blocks: Blocks, *, is_page: bool) -> Sample:
    """Lines of every block that holds a byte above 7F. `is_page`: tags, script and style say nothing of a language."""
    lines = utf8_lines = high = utf8_high = valid = 0
    shown, legacy = list[bytes](), list[bytes]()
    for all_lines in _by_lines(blocks()):
        found = _spread(all_lines)
        utf8 = [line for line in found if decodes(line, "utf-8")]
        if len(utf8) < len(found):
            _fill(legacy, (line for line in found if is_legacy(line)))
        if sum(map(len, shown)) < SHOWN:
            bare = _MARKUP.sub(b" ", _cut(b"\n".join(all_lines), BARED)).split(b"\n") if is_page else []
            _fill(shown, _spread(bare) or found)
        joined = b"\n".join(found)
        lines, utf8_lines = lines + len(found), utf8_lines + len(utf8)
        high, valid = high + high_bytes(joined), valid + valid_high_bytes(joined)
        utf8_high += high_bytes(b"".join(utf8))
    return Sample(lines, utf8_lines, high, utf8_high, valid, b"\n".join(shown), b"\n".join(legacy))


def _by_lines(blocks: Iterable[bytes]) -> Iterator[list[bytes]]:
    """The lines of each block, without NULs; that across a border with the later one. A block without a line end is
    one line; ASCII is passed over.
    """
    rest = b""
    for block in map(_without_nuls, blocks):
        if rest.isascii() and block.isascii():
            rest = block[block.rfind(b"\n") + 1 :] if b"\n" in block else b""
            continue
        lines = block.split(b"\n")
        lines[0] = rest + lines[0]
        rest = lines.pop() if len(lines) > 1 else b""
        yield lines
    if rest:
        yield [rest]


def escaped(blocks: Blocks) -> bytes:
    """The bytes from the line on in which the first escape stands, SHOWN of them at most, up to a line's end."""
    stream = iter(blocks())
    for block in stream:
        if found := [at for mark in ESCAPES if (at := block.find(mark)) >= 0]:
            begin = block.rfind(b"\n", 0, min(found)) + 1
            shown = (block[begin:] + next(stream, b""))[:SHOWN]
            return shown if len(shown) < SHOWN else shown[: shown.rfind(b"\n") + 1]
    return b""


def _spread(lines: Iterable[bytes]) -> list[bytes]:
    """Its lines with a byte above 7F: all, or every n-th of them, so that about SPREAD bytes come from all of it."""
    found = [line for line in lines if not line.isascii()]
    every = -(-sum(map(len, found)) // SPREAD)
    return found if every <= 1 else [_cut(line) for line in found[::every]]


def _cut(line: bytes, size: int = SPREAD) -> bytes:
    """A huge line up to a byte that is no half of a character."""
    return line if len(line) <= size else line[: next((n for n in range(size, 0, -1) if line[n] < 0x30), size)]


def _fill(kept: list[bytes], lines: Iterable[bytes]) -> None:
    """Take lines until SHOWN bytes are there."""
    room = SHOWN - sum(map(len, kept))
    for line in lines:
        if room <= 0:
            return
        kept.append(line)
        room -= len(line)
