import inspect
import pickle

import pytest

from cleanse import errors
from cleanse.errors import CleanseError, ConfigError, InputError, LedgerError, MachineError

CODES = {ConfigError: 2, InputError: 3, MachineError: 4, LedgerError: 70, CleanseError: 70}
PLACES = [("", ""), ("a.csv:1:2", ""), ("", "id, 标题"), ("a.csv", "id, 标题\n\x1b")]


def test_every_family_has_its_exit_code() -> None:
    assert {kind for _, kind in inspect.getmembers(errors, inspect.isclass)} == set(CODES)
    assert {kind: kind.exit_code for kind in CODES} == CODES


@pytest.mark.parametrize("kind", CODES)
@pytest.mark.parametrize(("where", "found"), PLACES)
def test_an_error_arrives_whole_from_another_process(kind: type[CleanseError], where: str, found: str) -> None:
    error = kind("column-missing", "no column 'x'", "--title-col 标题", where, found)
    error.add_note("and another fault")
    arrived = pickle.loads(pickle.dumps(error))
    assert type(arrived) is kind
    assert (arrived.id, arrived.what, arrived.help) == ("column-missing", "no column 'x'", "--title-col 标题")
    assert (arrived.where, arrived.found, arrived.exit_code) == (where, found, CODES[kind])
    assert (str(arrived), vars(arrived)) == (str(error), vars(error))


@pytest.mark.parametrize(("where", "found"), PLACES)
def test_a_message_says_what_where_what_was_there_and_what_to_do(where: str, found: str) -> None:
    middle = [f"  --> {where}"] * bool(where) + [f"  found: {found}"] * bool(found)
    assert str(InputError("x", "what", "do", where, found)) == "\n".join(["error[x]: what", *middle, "  help: do"])
