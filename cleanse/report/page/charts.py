"""Charts as plain SVG shapes, each with the same numbers as a table. Sizes are attributes, colours are CSS classes."""

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

WIDTH = 400  # px: wider drawings shrink to unreadable letters on a telephone
ROW, BAR = 24, 15  # px of a row, and of the bar in it
LABEL, VALUE = 140, 66  # px for names on the left, for numbers on the right
CHAR = 7.0  # px of a letter; Chinese counts two
HIST = 150  # px height of a histogram


@dataclass(frozen=True)
class Shape:
    """A rectangle or a text. `title`: the whole of a text that was cut, or what a bar stands for."""

    kind: str
    x: float
    y: float
    width: float = 0
    height: float = 0
    cls: str = ""
    text: str = ""
    title: str = ""
    anchor: str = "start"


@dataclass(frozen=True)
class Chart:
    """`id` of the figure, its shapes, and its twin: `head` as (en, zh) and `rows` of a table."""

    id: str
    height: float
    shapes: Sequence[Shape]
    head: Sequence[tuple[str, str]]
    rows: Sequence[Sequence[str]]
    width: float = WIDTH
    legend: Sequence[tuple[str, str, str]] = field(default_factory=tuple)  # class, en, zh


def columns(text: str) -> int:
    """Width of a text in letters; wide characters count two.

    >>> columns("ab"), columns("标题")
    (2, 4)
    """
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def cut(text: str, width: int) -> str:
    """The text in at most `width` letters, with `…` where it goes on.

    >>> cut("标题过短", 8), cut("标题过短", 7)
    ('标题过短', '标题过…')
    """
    if columns(text) <= width:
        return text
    kept = ""
    for char in text:
        if columns(kept + char) > width - 1:
            break
        kept += char
    return kept + "…"


def _name(text: str, y: float) -> Shape:
    return Shape("text", LABEL - 8, y, text=cut(text, int(LABEL / CHAR)), title=text, anchor="end", cls="name")


def bars(id: str, head: Sequence[tuple[str, str]], rows: Sequence[tuple[str, int]], cls: str = "bar") -> Chart:
    """A horizontal bar for each (name, number)."""
    most, room = max((n for _, n in rows), default=0) or 1, WIDTH - LABEL - VALUE
    shapes: list[Shape] = []
    for i, (name, n) in enumerate(rows):
        y = i * ROW
        length = round(room * n / most, 1)
        shapes += [
            _name(name, y + BAR),
            Shape("rect", LABEL, y + 3, max(length, 1), BAR, cls, title=f"{name} {n:,}"),
            Shape("text", LABEL + length + 6, y + BAR, text=f"{n:,}"),
        ]
    return Chart(id, len(rows) * ROW + 4, shapes, head, [(name, f"{n:,}") for name, n in rows])


def pairs(id: str, head: Sequence[tuple[str, str]], rows: Sequence[tuple[str, int, int]]) -> Chart:
    """Two bars for each (name, before, after)."""
    most, room = max((max(a, b) for _, a, b in rows), default=0) or 1, WIDTH - LABEL - VALUE
    shapes: list[Shape] = []
    for i, (name, before, after) in enumerate(rows):
        y = i * (ROW + 8)
        shapes.append(_name(name, y + BAR + 4))
        for n, cls, top in ((before, "before", 2), (after, "after", 15)):
            length = round(room * n / most, 1)
            shapes += [
                Shape("rect", LABEL, y + top, max(length, 1), 11, cls, title=f"{name} {n:,}"),
                Shape("text", LABEL + length + 6, y + top + 10, text=f"{n:,}", cls="small"),
            ]
    table = [(name, f"{before:,}", f"{after:,}") for name, before, after in rows]
    legend = (("before", "before", "清洗前"), ("after", "after", "清洗后"))
    return Chart(id, len(rows) * (ROW + 8) + 4, shapes, head, table, legend=legend)


def histogram(
    id: str,
    before: Sequence[Sequence[int]],
    after: Sequence[Sequence[int]],
    window: tuple[int | None, int | None],
) -> Chart:
    """Rows by length on a logarithmic scale, before and after; the allowed window is shaded.

    `before`, `after`: (length, rows) in ascending order.
    """
    top = max([length for length, _ in (*before, *after)], default=1)
    edges = [0, *sorted({math.ceil(2 ** (i / 2)) for i in range(2 * max(1, top).bit_length() + 1)})]
    edges = edges[: next((i for i, edge in enumerate(edges) if edge > top), len(edges) - 1) + 1]
    counts = [(_binned(before, low, high), _binned(after, low, high)) for low, high in pairwise(edges)]
    most = max((max(pair) for pair in counts), default=0) or 1
    wide = (WIDTH - 20) / len(counts)
    shapes = [_shade(edges, wide, window)]
    for i, pair in enumerate(counts):
        x = 10 + i * wide
        for n, cls, shift in ((pair[0], "before", 0.08), (pair[1], "after", 0.5)):
            height = round((HIST - 10) * n / most, 1)
            title = f"{edges[i]}–{edges[i + 1] - 1}: {n:,}"
            shapes.append(
                Shape("rect", round(x + wide * shift, 1), HIST - height, round(wide * 0.4, 1), height, cls, "", title)
            )
        if i % max(1, len(counts) // 6) == 0:
            shapes.append(Shape("text", round(x, 1), HIST + 16, text=f"{edges[i]:,}", cls="small"))
    rows = [(f"{a:,}–{b - 1:,}", f"{was:,}", f"{now:,}") for (a, b), (was, now) in
            zip(pairwise(edges), counts, strict=True)]  # fmt: skip
    head = (("characters", "字数"), ("rows before", "清洗前"), ("rows after", "清洗后"))
    legend = (("before", "before", "清洗前"), ("after", "after", "清洗后"), ("window", "allowed", "允许范围"))
    return Chart(id, HIST + 22, shapes, head, rows, legend=legend)


def _binned(counts: Sequence[Sequence[int]], low: int, high: int) -> int:
    return sum(rows for length, rows in counts if low <= length < high)


def _shade(edges: Sequence[int], wide: float, window: tuple[int | None, int | None]) -> Shape:
    """The allowed window as a rectangle behind the bars; a bound inside a bin stands at its share of the bin."""

    def at(length: float) -> float:
        for i, (low, high) in enumerate(pairwise(edges)):
            if length < high:
                return 10 + (i + (length - low) / (high - low)) * wide
        return 10 + (len(edges) - 1) * wide

    low, high = at(window[0] or 0), at(math.inf if window[1] is None else window[1] + 1)
    return Shape("rect", round(low, 1), 0, round(high - low, 1), HIST, "window")


def heat(id: str, corner: tuple[str, str], labels: Sequence[str], rows: Sequence[tuple[str, Sequence[float]]]) -> Chart:
    """A cell for each (row, label): its number, and a colour by how far it is from 0 in either direction."""
    wide = max(44.0, (WIDTH - LABEL) / max(1, len(labels)))
    shapes = [
        Shape("text", LABEL + (i + 0.5) * wide, 14, 0, 0, "small", cut(name, int(wide / CHAR)), name, "middle")
        for i, name in enumerate(labels)
    ]
    for i, (name, values) in enumerate(rows):
        y = 20 + i * ROW
        shapes.append(_name(name, y + BAR + 1))
        for j, value in enumerate(values):
            x, cls = LABEL + j * wide, f"heat{'n' if value < 0 else 'p'}{min(4, int(abs(value) // 2))}"
            shapes += [
                Shape(
                    "rect", round(x, 1), y, round(wide - 1, 1), ROW - 1, cls, title=f"{name} · {labels[j]}: {value:.1f}"
                ),
                Shape("text", round(x + wide / 2, 1), y + 16, text=f"{value:.1f}", anchor="middle", cls="small"),
            ]
    table = [(name, *(f"{value:.1f}" for value in values)) for name, values in rows]
    head = (corner, *((label, label) for label in labels))
    return Chart(id, 24 + len(rows) * ROW, shapes, head, table, width=max(WIDTH, LABEL + wide * len(labels)))
