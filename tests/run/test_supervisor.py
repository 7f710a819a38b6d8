"""What a supervisor does with the answers of one round, by a crew that answers as it is told."""

import pickle
from collections.abc import Hashable

import pytest

from cleanse.run.engines.attempts import Death
from cleanse.run.engines.base import answer, failed
from cleanse.run.engines.supervisor import Supervised

Answer = tuple[Hashable, bytes | Death]


class Scripted:
    """Three places; in each round every call is answered, but in the rounds of `script` only those of these tasks. A
    task of `fails` fails so often, with what stands there.
    """

    n_workers = n_calls = 3

    def __init__(self, script: list[set[int]], fails: dict[int, list[Death | Exception]]) -> None:
        self.script, self.fails = script, fails
        self.calls = dict[int, bytes]()
        self.rounds = list[list[str]]()  # what was under way
        self.alone = set[int]()
        self.begun = 0

    def begin(self, call: bytes, *, alone: bool) -> Hashable:
        self.begun += 1
        self.calls[self.begun] = call
        self.alone |= {self.begun} if alone else set()
        return self.begun

    def task(self, call: int) -> int:
        return int(pickle.loads(self.calls[call])[1])

    def news(self) -> list[Answer]:
        self.rounds.append([f"{self.task(call)}{'!' if call in self.alone else ''}" for call in self.calls])
        wanted = self.script.pop(0) if self.script else set(range(9))
        return [self.answered(call) for call in list(self.calls) if self.task(call) in wanted]

    def answered(self, call: int) -> Answer:
        task, packed = self.task(call), self.calls.pop(call)
        left = self.fails.get(task, [])
        if not left:
            return call, answer(packed)
        error = left.pop(0)
        return call, error if isinstance(error, Death) else failed(error)

    def drop(self) -> None: ...

    def close(self) -> None: ...


def same(n: int) -> int:
    return n


def test_a_task_that_is_to_be_alone_waits_for_all_that_failed_in_the_round() -> None:
    deaths: list[Death | Exception] = [Death("SIGKILL")]
    crew = Scripted([{0}, {0}], {0: [*deaths, *deaths], 2: [*deaths]})
    assert Supervised(crew).map(same, range(3), lambda done: None) == [0, 1, 2]
    assert crew.rounds[-1] == ["0!"]


def test_nothing_is_begun_when_a_task_of_the_round_has_failed_for_good() -> None:
    crew, told = Scripted([], {1: [ValueError("bad")]}), list[int]()
    with pytest.raises(ValueError, match="bad"):
        Supervised(crew).map(same, range(9), told.append)
    assert (crew.begun, told) == (3, [0, 2])


@pytest.mark.parametrize(("at_once", "most"), [(None, 3), (9, 3), (2, 2), (1, 1)])
def test_no_more_calls_are_under_way_than_have_room(at_once: int | None, most: int) -> None:
    crew = Scripted([], {})
    assert Supervised(crew).map(same, range(5), lambda done: None, at_once) == [*range(5)]
    assert max(map(len, crew.rounds)) == most
    assert bool(crew.alone) == (most == 1)  # then all memory is for it
