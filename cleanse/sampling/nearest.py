"""The nearest rows of each row, exact and the same on every machine, at the speed of float32."""

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]  # rows × dimensions
Index = NDArray[np.int64]
Distances = NDArray[np.float64]  # squared, of whole numbers

BITS = 15  # of a coordinate, beside its sign: 2 * BITS + log2(dimensions) stays below the 53 of a float64
STRIP = 1 << 23  # rough distances that are held at once: 32 MiB; half of it makes all a tenth slower
GROUP = 64  # distances of which only the smallest is looked at first
SPARE = 4  # candidates beyond k; the last must be farther than the k-th neighbour by more than rounding can hide


def whole(x: Matrix) -> Matrix:
    """Coordinates as whole numbers of BITS bits: x·2^(15 − e), 2^e the smallest power of two >= max|x|.

    Sums of their products are exact in float64, so no number of BLAS threads changes a neighbour.
    """
    largest = float(np.abs(x).max(initial=0))
    _, e = np.frexp(largest)
    e = int(e) - (largest == 2.0 ** (int(e) - 1))
    found: Matrix = np.rint(np.ldexp(x, BITS - e)) if largest else x
    return found


def neighbours(x: Matrix, k: int, start: int = 0, stop: int | None = None) -> Index:
    """The k nearest other rows of each row from `start` to `stop`, nearest first, ties by row number. `x`: n > k rows.

    Candidates come from a float32 product, half the time of float64; the exact distances of these decide, and a row
    whose candidates may not hold all neighbours (see `SPARE`) is done again exactly.

    >>> neighbours(np.float32([[0, 0], [0, 0], [1, 0], [0, 2], [5, 5]]), 2).tolist()
    [[1, 2], [0, 2], [0, 1], [0, 1], [3, 2]]
    """
    from threadpoolctl import threadpool_limits

    q, n = whole(x), len(x)
    norms, end = _norms(q), n if stop is None else min(stop, n)
    table = np.column_stack([q, norms.astype(np.float32)])  # so that one product is the whole distance
    q = table[:, :-1]
    step = max(1, min(STRIP // n, end - start))
    strip = np.full((-(-n // GROUP) * GROUP, step), np.inf, np.float32)  # what lies beyond the last row is far away
    found = np.empty((end - start, k), np.int64)
    with threadpool_limits(1):  # the task next to this one has the other core
        for first in range(start, end, step):
            rows = np.arange(first, min(first + step, end))
            near, sure = _near(table, norms, rows, k, strip)
            near[~sure] = _exactly(q, norms, rows[~sure], k)
            found[rows - start] = near
    return found


def _norms(q: Matrix) -> Distances:
    found: Distances = np.einsum("ij,ij->i", q, q, dtype=np.float64)
    return found


def _near(table: Matrix, norms: Distances, rows: Index, k: int, strip: Matrix) -> tuple[Index, NDArray[np.bool_]]:
    """Neighbours of some rows, and whether rounding cannot have hidden a nearer one. `table`: rows, and their norms."""
    q, n, away = table[:, :-1], len(table), strip[:, : len(rows)]
    np.matmul(table, np.vstack([-2 * q[rows].T, np.ones((1, len(rows)), np.float32)]), out=away[:n])
    away[rows, np.arange(len(rows))] = np.inf  # distances are without the row's own norm
    near, edge = _smallest(away, min(k + SPARE, n - 1))
    exact = norms[near] - 2 * np.einsum("id,ijd->ij", q[rows], q[near], dtype=np.float64)
    order = np.lexsort((near, exact))[:, :k]
    last = np.take_along_axis(exact, order[:, -1:], axis=1)[:, 0]
    error = float(norms.max()) * (q.shape[1] + 4) * 2.0**-22  # of a float32 distance, far above its bound
    return np.take_along_axis(near, order, axis=1), (edge - last > 2 * error) | (near.shape[1] == n - 1)


def _smallest(away: Matrix, width: int) -> tuple[Index, Matrix]:
    """Row numbers of the `width` smallest of each column, and the largest of them. One pass over all: the smallest lie
    in the groups whose own smallest are the smallest.
    """
    groups = away.reshape(-1, GROUP, away.shape[1])
    least = np.ascontiguousarray(groups.min(axis=1).T)
    some = _lowest(least, min(width, len(groups)))
    values = groups[some[:, :, None], np.arange(GROUP), np.arange(len(some))[:, None, None]].reshape(len(some), -1)
    at = _lowest(values, width)
    near = np.take_along_axis(some, at // GROUP, axis=1) * GROUP + at % GROUP
    return near, np.take_along_axis(values, at, axis=1).max(axis=1)


def _lowest(values: Matrix, n: int) -> Index:
    """Places of the n smallest of each row, in any order."""
    found: Index = np.argpartition(values, n - 1, axis=1)[:, :n]
    return found


def _exactly(q: Matrix, norms: Distances, rows: Index, k: int) -> Index:
    """The neighbours of some rows from exact distances to all."""
    found, step = np.empty((len(rows), k), np.int64), max(1, STRIP // 4 // len(q))
    full = q.astype(np.float64) if len(rows) else q
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        away = norms - 2 * (full[some] @ full.T)
        away[np.arange(len(some)), some] = np.inf
        bound = np.partition(away, k - 1, axis=1)[:, k - 1]
        for number, (row, most) in enumerate(zip(away, bound, strict=True), start):
            close = np.flatnonzero(row <= most)
            found[number] = close[np.argsort(row[close], kind="stable")[:k]]
    return found
