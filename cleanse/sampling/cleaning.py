"""Which rows of large classes the cleaning samplers of imbalanced-learn leave, on one pool of vectors."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from cleanse.sampling.nearest import Index, Matrix

Kind = Literal["nearmiss1", "nearmiss2", "nearmiss3", "tomek", "enn", "cluster"]


def survivors(x: Matrix, labels: Sequence[str], kind: Kind, targets: Mapping[str, int], seed: int) -> Index:
    """Row numbers that stay, ascending. `targets`: of each class that may lose rows, what nearmiss and cluster leave.

    Real rows only: clusters vote for the row nearest their centre. One BLAS thread, so that ties fall alike everywhere.
    """
    from threadpoolctl import threadpool_limits

    sampler, y = _sampler(kind, targets, seed), np.array(labels, dtype=object).astype(str)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # nearmiss3 says so when it finds fewer rows than asked for
        made = sampler.fit_resample(x, y)[0]
    if kind == "cluster":
        return _found(x, made)
    return np.sort(np.asarray(sampler.sample_indices_, dtype=np.int64))


def _sampler(kind: Kind, targets: Mapping[str, int], seed: int) -> Any:
    from imblearn import under_sampling

    if kind == "tomek":
        return under_sampling.TomekLinks(sampling_strategy=list(targets))
    if kind == "enn":
        return under_sampling.EditedNearestNeighbours(sampling_strategy=list(targets))
    if kind == "cluster":
        strategy = dict(targets)
        return under_sampling.ClusterCentroids(sampling_strategy=strategy, voting="hard", random_state=seed % 2**32)
    return under_sampling.NearMiss(sampling_strategy=dict(targets), version=int(kind[-1]))


def _found(x: Matrix, made: Matrix) -> Index:
    """The row numbers of vectors that were taken from `x`; equal vectors in row order."""
    places: dict[bytes, list[int]] = {}
    for number in reversed(range(len(x))):
        places.setdefault(x[number].tobytes(), []).append(number)
    taken = [places[row.tobytes()].pop() for row in made.astype(np.float32) if places.get(row.tobytes())]
    return np.sort(np.array(taken, dtype=np.int64))
