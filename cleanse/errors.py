"""Errors a person can act on. Bad data is never one of these: it becomes a rejected row with a reason."""

import difflib


class CleanseError(Exception):
    """What went wrong, where, what was there and what to do: one message on stderr, no traceback.

    `id` is stable and lower-case (`column-missing`); `exit_code` follows the family. All arguments are
    positional for `Exception`, so that an error raised in a worker process arrives whole.
    """

    exit_code = 70

    def __init__(self, id: str, what: str, help: str, where: str = "", found: str = "") -> None:
        super().__init__(id, what, help, where, found)
        self.id, self.what, self.help, self.where, self.found = id, what, help, where, found

    def __str__(self) -> str:
        lines = [f"error[{self.id}]: {self.what}"]
        if self.where:
            lines.append(f"  --> {self.where}")
        if self.found:
            lines.append(f"  found: {self.found}")
        return "\n".join([*lines, f"  help: {self.help}"])


class ConfigError(CleanseError):
    """Wrong usage or settings."""

    exit_code = 2


class InputError(CleanseError):
    """The input is not there, not readable, or not of the promised shape as a whole."""

    exit_code = 3


class MachineError(CleanseError):
    """Disk, permission or memory: the same command may work later or elsewhere."""

    exit_code = 4


LIMITS = {  # errno → id and help, for what a machine has run out of
    **dict.fromkeys((28, 122, 27), ("disk-full", "free some space or take another disk, then the same command")),
    **dict.fromkeys((23, 24), ("open-files", "ulimit -n 4096, or fewer --workers")),  # ENFILE, EMFILE
    12: ("no-memory", "--workers 1, or a machine with more memory"),  # ENOMEM
    11: ("no-processes", "--workers 1, or raise the limits (ulimit -a)"),  # EAGAIN, where a thread could not begin
}


def limit(errno: int | None, what: str) -> MachineError | None:
    """The error for a limit of the machine, None for any other number.

    >>> limit(24, "cannot read a.csv"), limit(5, "cannot read a.csv")
    (MachineError('open-files', 'cannot read a.csv', 'ulimit -n 4096, or fewer --workers', '', ''), None)
    """
    return MachineError(LIMITS[errno][0], what, LIMITS[errno][1]) if errno in LIMITS else None


def column_missing(name: str, there: frozenset[str], flag: str) -> InputError:
    """The error for a named column that a table does not have, with the nearest name. `flag`: how to name another."""
    known = sorted(column for column in there if not column.startswith("_"))
    near = difflib.get_close_matches(name, known, 1)
    help = f"{flag} {near[0]}" if near else f"{flag} with one of them"
    return InputError("column-missing", f"no column '{name}' in the table", help, found=", ".join(known) or "no column")


class LedgerError(CleanseError):
    """Records that are neither kept nor rejected: a bug in cleanse."""

    exit_code = 70
