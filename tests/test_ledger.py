from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleanse.errors import LedgerError
from cleanse.ledger import Entry, balance, chain, total

COUNTS, N = st.dictionaries(st.sampled_from(["title_short", "标题"]), st.integers(0, 9)), st.integers(0, 9)
NAMES = st.sampled_from(["decode", "check"]), st.sampled_from(["file", "record"])
ENTRIES = st.lists(st.builds(Entry, *NAMES, rows_in=N, kept=N, added=N, rejected=COUNTS, changed=COUNTS))


@pytest.mark.parametrize(("rows_in", "kept", "added"), [(3, 0, 0), (3, 5, 5), (5, 2, 0)])
def test_a_balanced_entry_passes_as_it_is(rows_in: int, kept: int, added: int) -> None:
    entry = Entry("check", "record", rows_in, kept, added, {"a": 1, "b": 2}, changed={"tags": 9})
    assert balance(entry, "part-00000") is entry


@pytest.mark.parametrize(("kept", "added", "rejected"), [(1, 0, 1), (3, 0, 1), (2, 1, 1), (2, 0, 0)])
def test_a_row_too_few_or_too_many_is_a_bug_with_its_place_and_figures(kept: int, added: int, rejected: int) -> None:
    with pytest.raises(LedgerError, match=rf"check: {3 + added} records came in, {kept + rejected} left") as caught:
        balance(Entry("check", "record", 3, kept, added, {"title_short": rejected}), "part-00007")
    assert (caught.value.id, caught.value.where) == ("ledger-unbalanced", "part-00007")
    assert caught.value.found == f"rows_in 3, added {added}, kept {kept}, rejected {rejected}"


def test_a_stage_reads_exactly_what_the_one_before_it_kept() -> None:
    before = Entry("decode", "record", 5, 2)
    chain(before, Entry("strip", "record", 2, 0))
    for rows_in in (1, 3):
        with pytest.raises(LedgerError, match=f"decode kept 2 records, strip read {rows_in}"):
            chain(before, Entry("strip", "record", rows_in, 2))


def test_parts_add_up_by_stage_and_unit_in_order_of_first_sight() -> None:
    parts = [
        Entry("decode", "file", 1, 1),
        Entry("decode", "record", 3, 2, rejected={"a": 1}, changed={"x": 5}),
        Entry("decode", "file", 1, 0, rejected={"b": 1}),
        Entry("decode", "record", 2, 2, changed={"x": 1, "y": 2}),
    ]
    assert total(parts) == [
        Entry("decode", "file", 2, 1, 0, {"b": 1}, {}),
        Entry("decode", "record", 5, 4, 0, {"a": 1}, {"x": 6, "y": 2}),
    ]


def test_json_has_sorted_reasons() -> None:
    tree = Entry("check", "record", 3, 1, rejected={"b": 1, "a": 1}, changed={"z": 1, "y": 1}).as_json()
    assert list(tree) == ["stage", "unit", "rows_in", "kept", "added", "rejected", "changed"]
    assert (list(tree["rejected"]), list(tree["changed"])) == (["a", "b"], ["y", "z"])


@given(entries=ENTRIES)
def test_the_order_of_parts_does_not_change_the_total(entries: Sequence[Entry]) -> None:
    forward, backward = total(entries), total(reversed(entries))
    assert sorted(map(repr, map(Entry.as_json, forward))) == sorted(map(repr, map(Entry.as_json, backward)))
    assert total(forward) == forward
