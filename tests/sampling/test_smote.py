import numpy as np
import pytest

from cleanse.sampling import nearest, smote
from cleanse.sampling.targets import Draws

POINTS = np.random.default_rng(1).normal(size=(30, 12)).astype(np.float32)
NEAR = nearest.neighbours(POINTS, 3)


def test_a_negative_zero_is_one() -> None:
    zero, negative, one = smote.names(np.array([[0.0], [-0.0], [1.0]], dtype=np.float32))
    assert zero == negative != one


def test_blocks_are_the_same_in_whatever_task_they_are_drawn() -> None:
    whole = list(smote.blocks(POINTS, NEAR, "b", 1, Draws(20, 8, range(3)), even=False))
    assert [len(block.vectors) for block in whole] == [8, 8, 4]
    for block in whole:
        some = range(block.number, block.number + 1)
        (again,) = smote.blocks(POINTS, NEAR, "b", 1, Draws(20, 8, some), even=False)
        assert np.array_equal(again.vectors, block.vectors)


def test_rows_made_in_pieces_are_those_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, lam = np.arange(20), np.arange(20)[::-1], np.linspace(0, 0.9, 20)
    at_once = smote.between(POINTS, a, b, lam)
    monkeypatch.setattr(smote, "CACHED", 7)
    assert np.array_equal(smote.between(POINTS, a, b, lam), at_once)


@pytest.mark.parametrize("number", [0, 1])
def test_rows_are_those_of_imbalanced_learn_or_it_is_a_bug(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    draws = Draws(20, 8, range(number, number + 1))
    (block,) = smote.blocks(POINTS, NEAR, "b", 1, draws, even=False)
    assert block.vectors.shape == (8, 12)
    monkeypatch.setattr(smote, "between", lambda x, a, b, lam: x[a])
    with pytest.raises(RuntimeError, match="draws in another way"):
        next(smote.blocks(POINTS, NEAR, "b", 1, draws, even=False))


def test_one_draw_that_differs_is_seen_in_any_block(monkeypatch: pytest.MonkeyPatch) -> None:
    real = smote._parents

    def other(*given: object) -> tuple[nearest.Index, nearest.Index, np.ndarray]:
        a, b, lam = real(*given)  # type: ignore[arg-type]  # as given
        return np.where(np.arange(len(a)) == 3, (a + 1) % 30, a), b, lam

    monkeypatch.setattr(smote, "_parents", other)
    with pytest.raises(RuntimeError, match="draws in another way"):
        list(smote.blocks(POINTS, NEAR, "b", 1, Draws(20, 8, range(1, 2)), even=False))


def test_copies_go_round_and_round_whatever_the_task() -> None:
    blocks = list(smote.copies(POINTS[:3], Draws(10, 4, range(3)))) + list(
        smote.copies(POINTS[:3], Draws(10, 4, range(2, 3)))
    )
    assert [block.a.tolist() for block in blocks] == [[0, 1, 2, 0], [1, 2, 0, 1], [2, 0], [2, 0]]
