"""Two columns of which some rows hold each other's values: how many rows may be so, and what the columns were before.

A trait that a value has or has not (longer than some length, ends in a sentence mark) stands in shares a and b of the
two columns. If a share q of the rows is exchanged, a = (1 − q)·A + q·B and b = (1 − q)·B + q·A, and neither A nor B
can be below 0: so q is at most min(a, b) / (a + b), whatever the trait.
"""

from collections.abc import Iterator, Mapping
from typing import Any

WHOLE = 1000  # the share is told in so many parts
MOST = 450  # of them: near one half nobody can tell which column is which
FEW = 50  # of them: so many odd rows are in any corpus, and typical values do not move for them
COMMON = 0.2  # share of the values of both columns that must have a trait: of few, chance decides

Column = Mapping[str, Any]  # `n` values, `lengths` bin → values, `ends` values with a sentence mark at their end


def share(one: Column, other: Column) -> int:
    """At most so many of WHOLE rows hold each other's values; 0 for FEW.

    >>> titles = {"n": 10, "lengths": {90: 7, 150: 3}, "ends": 3}
    >>> bodies = {"n": 10, "lengths": {90: 3, 150: 7}, "ends": 7}
    >>> share(titles, bodies), share(titles, {**bodies, "ends": 9})
    (300, 125)
    >>> share({**titles, "ends": 0}, bodies)
    0
    """
    n, m = one["n"], other["n"]
    found = MOST
    for some, others in _traits(one, other):
        for a, b in ((some * m, others * n), ((n - some) * m, (m - others) * n)):
            if a + b >= 2 * COMMON * n * m:
                found = min(found, WHOLE * min(a, b) // (a + b))
    return found if found > FEW else 0


def _traits(one: Column, other: Column) -> Iterator[tuple[int, int]]:
    """How many values of each column have a trait."""
    yield one["ends"], other["ends"]
    some = others = 0
    for length in sorted({*one["lengths"], *other["lengths"]}):
        some, others = some + one["lengths"].get(length, 0), others + other["lengths"].get(length, 0)
        yield some, others


def undone(one: Column, other: Column, exchanged: int) -> dict[str, Any]:
    """What the first column was before so many of WHOLE rows were exchanged, in the same proportions; a length that was
    rare may stand in it a negative number of times.

    >>> undone({"n": 9, "lengths": {1: 8, 2: 1}, "ends": 1}, {"n": 9, "lengths": {1: 1, 2: 8}, "ends": 8}, 0)["ends"]
    9000
    """
    mine, theirs = (WHOLE - exchanged) * other["n"], exchanged * one["n"]
    lengths = {*one["lengths"], *other["lengths"]}
    return {
        "n": mine * one["n"] - theirs * other["n"],
        "lengths": {at: mine * one["lengths"].get(at, 0) - theirs * other["lengths"].get(at, 0) for at in lengths},
        "ends": mine * one["ends"] - theirs * other["ends"],
    }
