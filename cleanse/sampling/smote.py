"""SMOTE that can be repeated and explained: exact neighbours, blocks with seeds of their own, parents of every row."""

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]  # rows × dimensions
Index = NDArray[np.int64]

BITS = 15  # of a coordinate, beside its sign: 2 * BITS + log2(dimensions) stays below the 53 of a float64
CHUNK = 1 << 19  # distances that are held at once: 2 MiB
SPARE = 4  # candidates beyond k; the last must be farther than the k-th neighbour by more than rounding can hide


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


def distinct(x: Matrix) -> Index:
    """Row numbers of the first of each group of equal rows.

    >>> distinct(np.float32([[0, 1], [0, 1], [2, 0]])).tolist()
    [0, 2]
    """
    first: dict[bytes, int] = {}
    for number, row in enumerate(x + np.float32(0)):  # -0 is 0
        first.setdefault(row.tobytes(), number)
    return np.fromiter(first.values(), np.int64, len(first))


def whole(x: Matrix) -> NDArray[np.float64]:
    """Coordinates as whole numbers of BITS bits: x·2^(15 − e), 2^e the smallest power of two >= max|x|.

    Sums of their products are exact in float64, so no number of BLAS threads changes a neighbour.
    """
    largest = float(np.abs(x).max(initial=0))
    _, e = np.frexp(largest)
    e = int(e) - (largest == 2.0 ** (int(e) - 1))
    return np.rint(np.ldexp(x.astype(np.float64), BITS - e)) if largest else x.astype(np.float64)


def neighbours(x: Matrix, k: int) -> Index:
    """The k nearest other rows of each row, nearest first, ties by row number. `x`: n > k rows.

    Candidates come from a float32 product, half the time of float64; the exact distances of these decide, and a row
    whose candidates may not hold all neighbours (see `SPARE`) is done again exactly.

    >>> neighbours(np.float32([[0, 0], [0, 0], [1, 0], [0, 2], [5, 5]]), 2).tolist()
    [[1, 2], [0, 2], [0, 1], [0, 1], [3, 2]]
    """
    q, n = whole(x), len(x)
    norms, rough = np.einsum("ij,ij->i", q, q), q.astype(np.float32)
    error = float(norms.max(initial=0)) * (q.shape[1] + 4) * 2.0**-22  # of a float32 distance, far above its bound
    found, width = np.empty((n, k), np.int64), min(k + SPARE, n - 1)
    step = max(1, CHUNK // n)
    for start in range(0, n, step):
        rows = np.arange(start, min(start + step, n))
        away = norms[None, :].astype(np.float32) - 2 * (rough[rows] @ rough.T)  # without the row's own norm
        near, edge = _smallest(away, rows, width)
        exact = norms[near] - 2 * np.einsum("id,ijd->ij", q[rows], q[near])
        order = np.lexsort((near, exact))[:, :k]
        found[rows] = np.take_along_axis(near, order, axis=1)
        last = np.take_along_axis(exact, order[:, -1:], axis=1)[:, 0]
        for row in rows[(edge - last <= 2 * error) & (width < n - 1)]:
            found[row] = _exactly(q, norms, row, k)
    return found


def _smallest(away: NDArray[np.float32], rows: Index, width: int) -> tuple[Index, NDArray[np.float32]]:
    """Column numbers of the `width` smallest of each row but for itself, and the largest of them."""
    at = np.arange(len(rows))
    away[at, rows] = np.inf
    near = np.empty((len(rows), width), np.int64)
    for place in range(width):
        near[:, place] = away.argmin(axis=1)
        edge = away[at, near[:, place]]
        away[at, near[:, place]] = np.inf
    return near, edge


def _exactly(q: NDArray[np.float64], norms: NDArray[np.float64], row: int, k: int) -> Index:
    """The neighbours of one row from exact distances to all."""
    away = norms - 2 * (q @ q[row])
    away[row] = np.inf
    found: Index = np.argsort(away, kind="stable")[:k]
    return found


def blocks(
    x: Matrix, near: Index, label: str, seed: int, n_new: int, block_rows: int, *, even: bool
) -> Iterator[Block]:
    """`n_new` rows between `x` and its neighbours, in blocks that depend on nothing but seed, label and number.

    So fewer rows asked for are a prefix, and no two classes share draws. `even`: each row is a parent equally often.
    """
    for number, start in enumerate(range(0, n_new, block_rows)):
        wanted = min(block_rows, n_new - start)
        state = int(np.random.SeedSequence([seed, label_number(label), number]).generate_state(1)[0])
        a, b, lam = _parents(near, state, block_rows, start if even else None)
        made = between(x, a, b, lam)
        if not even:
            _same_as_imbalanced_learn(x, near, state, made)
        yield Block(number, made[:wanted], a[:wanted], b[:wanted], lam[:wanted])


def copies(x: Matrix, n_new: int, block_rows: int) -> Iterator[Block]:
    """`n_new` whole copies in turn, lambda 0: of a class that has no neighbours to draw between."""
    for number, start in enumerate(range(0, n_new, block_rows)):
        a = (start + np.arange(min(block_rows, n_new - start))) % len(x)
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
    made: Matrix = (x[a] + lam[:, None] * (x[b] - x[a])).astype(np.float32)
    return made


def _same_as_imbalanced_learn(x: Matrix, near: Index, state: int, made: Matrix) -> None:
    """Raises RuntimeError unless imbalanced-learn makes the very same rows: parents and lambda are then known."""
    from imblearn.over_sampling import SMOTE

    n = len(x)
    y = np.zeros(n + 1, np.int8)
    y[n] = 1  # a sentinel: imbalanced-learn wants two classes, and the majority need not be in memory
    sampler = SMOTE(sampling_strategy={0: n + len(made)}, random_state=state, k_neighbors=_table(near))
    theirs = sampler.fit_resample(np.vstack([x, np.zeros((1, x.shape[1]), np.float32)]), y)[0][n + 1 :]
    if not np.array_equal(theirs, made):
        raise RuntimeError("imbalanced-learn draws in another way than this version of cleanse knows")


def _table(near: Index) -> Any:
    """A neighbour search for imbalanced-learn that knows its answer."""
    from sklearn.base import BaseEstimator

    class Table(BaseEstimator):  # type: ignore[misc]  # no types
        def __init__(self, near: Index) -> None:
            self.near = near

        def fit(self, x: Matrix) -> "Table":
            return self

        def kneighbors(self, x: Matrix, return_distance: bool = False) -> Index:  # its signature
            return np.column_stack([np.arange(len(self.near)), self.near])

        def kneighbors_graph(self) -> None:
            """Asked for by imbalanced-learn, never called."""

    return Table(near)


def unit(x: Matrix) -> Matrix:
    """Rows brought to length 1; a row of zeros stays."""
    length = np.linalg.norm(x.astype(np.float64), axis=1, keepdims=True)
    found: Matrix = (x / np.where(length == 0, 1, length)).astype(np.float32)
    return found
