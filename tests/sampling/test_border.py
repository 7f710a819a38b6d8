from typing import Any

import numpy as np
import pytest
from imblearn.over_sampling import ADASYN, BorderlineSMOTE

from cleanse.sampling import border, nearest

RANDOM = np.random.default_rng(1)
OWN = RANDOM.normal(size=(40, 6)).astype(np.float32)
ALL = np.vstack([OWN, RANDOM.normal(size=(90, 6)).astype(np.float32) + np.float32(0.5)])
CLASS = (np.arange(130) >= 40).astype(int)
NEAR, AROUND = nearest.neighbours(OWN, 5), nearest.neighbours(ALL, 10, 0, 40)


def plain(sampler: Any) -> Any:
    """What imbalanced-learn makes by itself, with its own search."""
    return sampler.fit_resample(ALL, CLASS)[0][130:]


@pytest.mark.parametrize("stripe", [1, 400, 1 << 22])
def test_borderline_rows_are_those_of_imbalanced_learn(stripe: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(border, "STRIPE", stripe)
    made = border.borderline(ALL, NEAR, AROUND, 7, 60)
    assert np.array_equal(made, plain(BorderlineSMOTE(sampling_strategy={0: 100}, random_state=7)))


@pytest.mark.parametrize("n_new", [1, 2, 39, 40, 41, 60, 500])
def test_adasyn_rows_are_among_those_of_imbalanced_learn_and_as_many_as_asked_for(n_new: int) -> None:
    made = border.adasyn(ALL, NEAR, AROUND[:, :5], 7, n_new)
    asked = next(n for n in range(n_new + 41) if rounded(n) >= n_new)
    theirs = {row.tobytes() for row in plain(ADASYN(sampling_strategy={0: 40 + asked}, random_state=7))}
    assert made.shape == (n_new, 6)
    assert {row.tobytes() for row in made} <= theirs
    assert len(theirs) == rounded(asked)


def rounded(n: int) -> int:
    """Rows that ADASYN makes when it is asked for n."""
    share = (AROUND[:, :5] >= 40).sum(axis=1) / 5
    return int(np.rint(share / share.sum() * n).sum())


@pytest.mark.parametrize(("n_others", "want"), [(0, False), (4, False), (5, True), (9, True), (10, False)])
def test_a_row_is_in_danger_from_half_of_its_neighbours_on_and_not_when_all_are_others(
    n_others: int, want: bool
) -> None:
    around = np.array([[0] * (10 - n_others) + [1] * n_others])
    assert border.in_danger(around).tolist() == [want]
