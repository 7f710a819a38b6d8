import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleanse.sampling import nearest

POINTS = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=4, max_size=14)


@settings(deadline=None)
@given(points=POINTS, k=st.integers(1, 3))
def test_neighbours_are_those_of_the_sorted_distances_ties_by_number(points: list[tuple[int, int]], k: int) -> None:
    x = np.array(points, dtype=np.float32)
    for row, found in enumerate(nearest.neighbours(x, k)):
        away = [(float(((x[row] - x[other]) ** 2).sum()), other) for other in range(len(x)) if other != row]
        assert found.tolist() == [other for _, other in sorted(away)[:k]]


@pytest.mark.parametrize("n", [6, 63, 64, 65, 300])
def test_rows_in_groups_and_ranges_find_the_neighbours_of_all_rows_at_once(n: int) -> None:
    x = np.random.default_rng(n).integers(-4, 5, (n, 3)).astype(np.float32)  # many ties
    away = ((x[:, None].astype(np.float64) - x) ** 2).sum(axis=2)
    away[np.arange(n), np.arange(n)] = np.inf
    want = np.argsort(away, axis=1, kind="stable")[:, :5]
    assert np.array_equal(nearest.neighbours(x, 5), want)
    ranges = [nearest.neighbours(x, 5, start, start + 7) for start in range(0, n, 7)]
    assert np.array_equal(np.vstack(ranges), want)


def test_strips_of_rows_do_not_change_a_neighbour(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(1).normal(size=(50, 3)).astype(np.float32)
    whole = nearest.neighbours(x, 4)
    monkeypatch.setattr(nearest, "STRIP", 60)
    assert np.array_equal(nearest.neighbours(x, 4), whole)


def test_what_rounding_may_hide_is_done_again_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(1).normal(size=(80, 3)).astype(np.float32)
    want = nearest.neighbours(x, 4)
    monkeypatch.setattr(nearest, "_smallest", lambda away, width: (np.zeros((away.shape[1], width), int), -np.inf))
    assert np.array_equal(nearest.neighbours(x, 4), want)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 3.0, 1e30])
def test_coordinates_become_whole_numbers_of_fifteen_bits_at_any_scale(scale: float) -> None:
    q = nearest.whole(np.array([[1.0, -0.5], [0.25, 0.0]], dtype=np.float32) * np.float32(scale))
    assert (q == np.rint(q)).all()
    assert 2**14 <= np.abs(q).max() <= 2**15


def test_zeros_have_no_scale() -> None:
    assert nearest.whole(np.zeros((2, 2), np.float32)).tolist() == [[0, 0], [0, 0]]
