import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.measures.classes import balance, effective_number, is_label


@pytest.mark.parametrize(("label", "want"), [("a", True), ("天", True), (None, False), ("", False), (" \u3000", False)])
def test_null_and_blank_labels_are_no_classes(label: str | None, want: bool) -> None:
    assert is_label(label) == want


def test_ties_go_to_the_first_name_and_one_class_is_even() -> None:
    found = balance({"b": 2, "a": 2, "d": 1, "c": 1})
    assert (found["majority"]["label"], found["rarest"]["label"], found["imbalance_ratio"]) == ("a", "c", 2.0)
    assert (balance({"天": 7})["imbalance_ratio"], balance({"天": 7})["evenness"]) == (1.0, 1.0)


@pytest.mark.parametrize(("a", "b", "want"), [(951, 49, ["b"]), (950, 50, []), (949, 51, [])])
def test_a_class_is_rare_below_a_tenth_of_an_even_share(a: int, b: int, want: list[str]) -> None:
    assert balance({"a": a, "b": b})["rare"] == want


def test_a_large_class_is_worth_at_most_one_over_one_minus_beta() -> None:
    found = effective_number({"a": 10**9, "b": 1}, 0.99)
    assert found["a"]["e"] == pytest.approx(100)
    assert found["b"]["e"] == pytest.approx(1)
    assert found["a"]["w"] + found["b"]["w"] == pytest.approx(2)


@given(counts=st.dictionaries(st.text(max_size=2), st.integers(1, 10**12), min_size=1))
def test_figures_do_not_depend_on_order_and_shares_make_a_whole(counts: dict[str, int]) -> None:
    found = balance(counts)
    assert found == balance(dict(reversed(counts.items())))
    assert sum(found["shares"].values()) == pytest.approx(1)
    assert found["imbalance_ratio"] >= 1
    assert 1 <= found["effective_classes"] <= len(counts) + 1e-6
    assert 0 <= found["gini"] <= found["gini_max"] + 1e-12
