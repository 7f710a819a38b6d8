import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.sampling.choice import draw, draws

IDS = ["80a7f3fdc5b6:1", "80a7f3fdc5b6:2", "80a7f3fdc5b6:10"]


def test_a_draw_is_the_hash_of_seed_purpose_and_id() -> None:
    assert draw(42, "under", IDS[0]) == 0xC10DCFD96C6D5260  # printf '42|under|80a7f3fdc5b6:1' | b2sum -l 64
    assert len({draw(42, "under", IDS[0]), draw(43, "under", IDS[0]), draw(42, "shard", IDS[0])}) == 3


@given(seed=st.integers(0, 2**64), id=st.text())
def test_a_draw_fits_64_bits(seed: int, id: str) -> None:
    assert 0 <= draw(seed, "shard", id) < 2**64


@pytest.mark.parametrize("ids", [[], IDS, IDS[::-1], [IDS[0]] * 2], ids=["none", "some", "reversed", "twice"])
def test_a_column_of_draws_follows_its_ids_in_any_order(ids: list[str]) -> None:
    found = draws(7, "under", pl.Series(ids, dtype=pl.String))
    assert found.dtype == pl.UInt64
    assert found.to_list() == [draw(7, "under", id) for id in ids]
