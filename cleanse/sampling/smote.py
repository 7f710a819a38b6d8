"""SMOTE that can be repeated and explained: blocks with seeds of their own, and the parents of every row."""

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cleanse.sampling.nearest import Index, Matrix
from cleanse.sampling.targets import Draws

COMPARED = 8  # coordinates of a block that are compared with imbalanced-learn's: all take as long as the draw
CACHED = 256  # rows made at once: 0.25 MiB of float64 at 128 coordinates


class Block(NamedTuple):
    """Made-up rows: `vectors` = a + lambda·(b − a), where `a` and `b` are row numbers of the class."""

    number: int
    vectors: Matrix
    a: Index
    b: Index
    lam: NDArray[np.float64]


def prepare() -> None:
    """Import imbalanced-learn, which takes a second."""
    import imblearn.over_sampling  # noqa: F401  # for its side effect


def label_number(label: str) -> int:
    """A 64-bit number of a label, so that each class has draws of its own: BLAKE2b-64."""
    return int.from_bytes(hashlib.blake2b(label.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def seed_of(seed: int, label: str, number: int) -> int:
    """What imbalanced-learn is given as the seed of a block of a class."""
    return int(np.random.SeedSequence([seed, label_number(label), number]).generate_state(1)[0])


def names(x: Matrix) -> list[bytes]:
    """What tells rows apart: equal rows have the same 16 bytes, others have not (BLAKE2b-128).

    >>> one, same, other = names(np.float32([[0, 1], [0, 1], [2, 0]]))
    >>> one == same, one == other
    (True, False)
    """
    return [hashlib.blake2b(row + np.float32(0), digest_size=16).digest() for row in x]  # -0 is 0


def blocks(x: Matrix, near: Index, label: str, seed: int, draws: Draws, *, even: bool) -> Iterator[Block]:
    """Rows between `x` and its neighbours, in blocks that depend on nothing but seed, label and number.

    So fewer rows asked for are a prefix, and no two classes share draws. `even`: each row is a parent equally often.
    Raises RuntimeError unless imbalanced-learn makes the very same rows: the first block of a class is compared whole,
    every other on the coordinates that spread most (a row is drawn once for all of them).
    """
    spread = np.sort(np.argsort(-np.ptp(x, axis=0), kind="stable")[:COMPARED])
    for number in draws.numbers:
        state = seed_of(seed, label, number)
        a, b, lam = _parents(near, state, draws.rows, draws.rows * number if even else None)
        made, wanted = between(x, a, b, lam), draws.wanted(number)
        if not even:
            some = spread if number else np.arange(x.shape[1])
            _same_as_imbalanced_learn(x[:, some], near, state, made[:, some])
        yield Block(number, made[:wanted], a[:wanted], b[:wanted], lam[:wanted])


def copies(x: Matrix, draws: Draws) -> Iterator[Block]:
    """Whole copies in turn, lambda 0: of a class that has no neighbours to draw between."""
    for number in draws.numbers:
        a = (draws.rows * number + np.arange(draws.wanted(number))) % len(x)
        yield Block(number, x[a], a, a, np.zeros(len(a)))


def _parents(near: Index, state: int, n: int, turn: int | None) -> tuple[Index, Index, NDArray[np.float64]]:
    """Parents and lambda of n rows, drawn as imbalanced-learn draws them. `turn`: the first parents' place in line."""
    random = np.random.RandomState(state)
    drawn = random.randint(0, near.size, n)
    lam = random.uniform(size=n)
    a = drawn // near.shape[1] if turn is None else (turn + np.arange(n)) % len(near)
    return a, near[a, drawn % near.shape[1]], lam


def between(x: Matrix, a: Index, b: Index, lam: NDArray[np.float64]) -> Matrix:
    """a + lambda·(b − a): the difference in float32, the product in float64, as imbalanced-learn has it.

    >>> between(np.float32([[1, 2, 0], [3, 0, 1]]), np.array([0]), np.array([1]), np.array([0.25])).tolist()
    [[1.5, 1.5, 0.25]]
    """
    made = np.empty((len(a), x.shape[1]), np.float32)
    for start in range(0, len(a), CACHED):
        some = slice(start, start + CACHED)
        near = x[a[some]]
        made[some] = near + lam[some, None] * (x[b[some]] - near)
    return made


def _same_as_imbalanced_learn(x: Matrix, near: Index, state: int, made: Matrix) -> None:
    from imblearn.over_sampling import SMOTE

    n = len(x)
    y = np.zeros(n + 1, np.int8)
    y[n] = 1  # a sentinel: imbalanced-learn wants two classes, and the majority need not be in memory
    sampler = SMOTE(sampling_strategy={0: n + len(made)}, random_state=state, k_neighbors=answers(near))
    theirs = sampler.fit_resample(np.vstack([x, np.zeros((1, x.shape[1]), np.float32)]), y)[0][n + 1 :]
    if not np.array_equal(theirs, made):
        raise RuntimeError("imbalanced-learn draws in another way than this version of cleanse knows")


def answers(*tables: Index) -> Any:
    """A neighbour search for imbalanced-learn that knows its answers: one table each time that it is fitted."""
    from sklearn.base import BaseEstimator

    class Answers(BaseEstimator):  # type: ignore[misc]  # no types
        def __init__(self, tables: list[Index]):
            self.tables = tables

        def fit(self, x: Matrix) -> "Answers":
            self.number_ = getattr(self, "number_", -1) + 1
            self.n_neighbors = self.tables[self.number_].shape[1] + 1  # with the row itself
            return self

        def kneighbors(self, x: Matrix, return_distance: bool = False) -> Index:  # its signature
            near = self.tables[self.number_]
            return np.column_stack([np.arange(len(near)), near])

        def kneighbors_graph(self) -> None:
            """Asked for by imbalanced-learn, never called."""

    return Answers(list(tables))


def unit(x: Matrix) -> Matrix:
    """Rows brought to length 1; a row of zeros stays."""
    length = np.linalg.norm(x.astype(np.float64), axis=1, keepdims=True)
    found: Matrix = (x / np.where(length == 0, 1, length)).astype(np.float32)
    return found
