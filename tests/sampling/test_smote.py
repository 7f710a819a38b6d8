import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleanse.sampling import smote

POINTS = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=4, max_size=14)


@settings(deadline=None)
@given(points=POINTS, k=st.integers(1, 3))
def test_neighbours_are_those_of_the_sorted_distances_ties_by_number(points: list[tuple[int, int]], k: int) -> None:
    x = np.array(points, dtype=np.float32)
    for row, found in enumerate(smote.neighbours(x, k)):
        away = [(float(((x[row] - x[other]) ** 2).sum()), other) for other in range(len(x)) if other != row]
        assert found.tolist() == [other for _, other in sorted(away)[:k]]


def test_chunks_of_rows_do_not_change_a_neighbour(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(1).normal(size=(50, 3)).astype(np.float32)
    whole = smote.neighbours(x, 4)
    monkeypatch.setattr(smote, "CHUNK", 60)
    assert np.array_equal(smote.neighbours(x, 4), whole)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 3.0, 1e30])
def test_coordinates_become_whole_numbers_of_fifteen_bits_at_any_scale(scale: float) -> None:
    q = smote.whole(np.array([[1.0, -0.5], [0.25, 0.0]], dtype=np.float32) * np.float32(scale))
    assert (q == np.rint(q)).all()
    assert 2**14 <= np.abs(q).max() <= 2**15


def test_zeros_have_no_scale_and_a_negative_zero_is_one() -> None:
    assert smote.whole(np.zeros((2, 2), np.float32)).tolist() == [[0, 0], [0, 0]]
    assert smote.distinct(np.array([[0.0], [-0.0], [1.0]], dtype=np.float32)).tolist() == [0, 2]


def test_rows_are_those_of_imbalanced_learn_or_it_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(1).normal(size=(9, 2)).astype(np.float32)
    near = smote.neighbours(x, 3)
    (block,) = smote.blocks(x, near, "b", 1, 5, 8, even=False)
    assert block.vectors.shape == (5, 2)
    monkeypatch.setattr(smote, "between", lambda x, a, b, lam: x[a])
    with pytest.raises(RuntimeError, match="draws in another way"):
        next(smote.blocks(x, near, "b", 1, 5, 8, even=False))
