"""BorderlineSMOTE and ADASYN of imbalanced-learn on one class and the rows around it, with neighbours that are known.

x: the rows of the class, then those around it; `near`: the neighbours of each row of the class in the class; `around`:
those among all rows of x. Which parents a made-up row has is imbalanced-learn's secret.
"""

from bisect import bisect_left
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cleanse.sampling.nearest import Index, Matrix
from cleanse.sampling.smote import answers

STRIPE = 1 << 22  # coordinates that are made at once: imbalanced-learn takes 30 bytes for each


def others(around: Index) -> Index:
    """How many neighbours of each row of the class are no rows of it.

    >>> others(np.array([[1, 2], [2, 3]])).tolist()
    [1, 2]
    """
    found: Index = (around >= len(around)).sum(axis=1)
    return found


def in_danger(around: Index) -> NDArray[np.bool_]:
    """Rows that BorderlineSMOTE draws from: half of their neighbours or more, but not all, are of other classes.

    >>> in_danger(np.array([[1, 2], [2, 3]])).tolist()
    [True, False]
    """
    n, m = others(around), around.shape[1]
    found: NDArray[np.bool_] = (2 * n >= m) & (n < m)
    return found


def borderline(x: Matrix, near: Index, around: Index, state: int, n_new: int) -> Matrix:
    """`n_new` rows between rows in danger and their neighbours in the class (Han et al. 2005). Some are in danger."""
    from imblearn.over_sampling import BorderlineSMOTE

    def sampler() -> Any:
        known = {"k_neighbors": answers(near[in_danger(around)]), "m_neighbors": answers(around)}
        return BorderlineSMOTE(sampling_strategy={0: len(near) + n_new}, random_state=state, **known)

    return _made(x, len(near), n_new, sampler)


def adasyn(x: Matrix, near: Index, around: Index, state: int, n_new: int) -> Matrix:
    """`n_new` rows, the more from a row the more of its neighbours are of other classes (He et al. 2008). Some are.

    ADASYN rounds for each row and makes more or fewer than it is asked for: it is asked for the least that is enough,
    and what is too much goes by draw.
    """
    from imblearn.over_sampling import ADASYN

    share = others(around) / around.shape[1]
    share = share / share.sum()
    asked = bisect_left(range(n_new + len(near)), n_new, key=lambda n: _rounded(share, n))
    n_made = _rounded(share, asked)

    def sampler() -> Any:
        known = answers(around, near)
        return ADASYN(sampling_strategy={0: len(near) + asked}, random_state=state, n_neighbors=known)

    made = _made(x, len(near), n_made, sampler)
    return made[np.sort(np.random.RandomState(state).permutation(n_made)[:n_new])]


def _rounded(share: NDArray[np.float64], n: int) -> int:
    return int(np.rint(share * n).sum())


def _made(x: Matrix, n_own: int, n_new: int, sampler: Callable[[], Any]) -> Matrix:
    """The rows that are made, some columns at a time: a draw is the same for all, since the neighbours are known."""
    y = (np.arange(len(x)) >= n_own).astype(np.int8)
    made = np.empty((n_new, x.shape[1]), np.float32)
    step = max(1, STRIPE // (len(x) + n_new))
    for start in range(0, x.shape[1], step):
        some = slice(start, start + step)
        made[:, some] = sampler().fit_resample(x[:, some], y)[0][len(x) :]
    return made
