"""The keys of a JSON text: which columns they make, and which are another spelling of a key that plays a role."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import polars as pl

from cleanse.records.framed import MAX_FIELDS, unify
from cleanse.records.jsonshape import Shape
from cleanse.records.jsontext import Parsed
from cleanse.records.names import ROLE_OF, fold, roles

INT64 = range(-(2**63), 2**63)
Form = Literal["lines", "array", "spread"]
"""How objects stand in a text: one a line, in one JSON array, or one after the other over several lines each."""
MAX_MIXES = 10_000  # different sets of keys that are looked at
_SCALARS: dict[type, pl.DataType] = {bool: pl.Boolean(), int: pl.Int64(), float: pl.Float64(), str: pl.String()}


@dataclass(frozen=True)
class Keys:
    """`types`: key → type over all objects, in order of first sight. `meant`: key → the key it is another spelling of.
    `expect`: keys that every object must have. `form`: see Form. `starts`: the first line of each table that was looked
    at and may be cut off there, with the records before it; None: not known. `shapes`: those that lines were seen to
    have; `is_uniform`: all of them have the one. `is_bare`: there is no record at all.
    """

    types: Mapping[str, pl.DataType]
    meant: Mapping[str, str] = field(default_factory=dict)
    expect: tuple[str, ...] = ()
    form: Form = "lines"
    starts: tuple[tuple[int, int], ...] | None = field(default=None, compare=False)
    shapes: tuple[Shape, ...] = field(default=(), compare=False)
    is_uniform: bool = field(default=False, compare=False)
    is_bare: bool = field(default=False, compare=False)

    def as_json(self) -> dict[str, object]:
        """What plan.json says of it; types stand with the columns."""
        return {"meant": dict(self.meant), "array": self.form == "array"}


@dataclass(frozen=True)
class Seen:
    """What was seen of the keys so far: types, and how often which role-like keys stood in one object."""

    types: dict[str, pl.DataType] = field(default_factory=dict)
    mixes: Counter[tuple[str, ...]] = field(default_factory=Counter)


def see(seen: Seen, objects: Iterable[tuple[Mapping[str, pl.DataType], int]], expect: Sequence[str]) -> Seen:
    """`seen` and these objects: the types of their values by key, and how many objects have just these. Keys that are
    first seen behind MAX_FIELDS others make no column.
    """
    types, mixes, wanted = dict(seen.types), Counter(seen.mixes), {fold(name) for name in expect}
    for own, n in objects:
        like = []
        for name, new in own.items():
            old = types.get(name)
            if old is None and len(types) == MAX_FIELDS:
                continue
            if old is None or (new is not old and new != old):
                types[name] = unify(old or pl.Null(), new)
            if (folded := fold(name)) in ROLE_OF or folded in wanted:
                like.append(name)
        if len(mixes) < MAX_MIXES:
            mixes[tuple(like)] += n
    return Seen(types, mixes)


def types_of(line: Parsed) -> dict[str, pl.DataType]:
    """The types of the values of one object."""
    return {name: dtype_of(value) for name, value in line.value.items()}


def dtype_of(value: Any) -> pl.DataType:
    """The type of a value: what is nested, or beyond 64 bits, is text."""
    if value is None:
        return pl.Null()
    if type(value) is int and value not in INT64:
        return pl.String()
    return _SCALARS.get(type(value), pl.String())


def keys(seen: Seen, expect: Sequence[str], mapped: Mapping[str, str | None]) -> Keys:
    """The columns, and the keys that are another spelling (case, or a name of the same role) of one of them.

    Two keys that stand in one object are two columns, however alike.
    """
    often = Counter[str]()
    for mix, n in seen.mixes.items():
        often.update(dict.fromkeys(mix, n))
    named = {name: ROLE_OF.get(fold(name), "") for name in expect}
    by_count = sorted(seen.types, key=lambda name: -often[name])
    wanted = named if expect else roles(by_count, mapped)
    meant: dict[str, str] = {}
    for name, role in wanted.items():
        together = {other for mix in seen.mixes if name in mix for other in mix}
        for key in seen.types:
            same_role = role and ROLE_OF.get(fold(key)) == role and not mapped.get(role)
            if (fold(key) == fold(name) or same_role) and key not in together and key not in wanted:
                meant.setdefault(key, name)
    types: dict[str, pl.DataType] = {name: pl.Null() for name in expect}
    for key, dtype in seen.types.items():
        column = meant.get(key, key)
        types[column] = unify(types.get(column, pl.Null()), dtype)
    return Keys(types, meant, tuple(expect))


def placed(line: Parsed, known: Keys, names: Mapping[str, str], refuse: Collection[str]) -> Parsed:
    """The object with its keys as they are meant, or the problem of its keys and values. `names`: key → column."""
    if line.problem:
        return line
    value, codes = line.value, set[str]()
    if not known.meant.keys().isdisjoint(value):
        value, codes = _respelt(value, known)
    if codes & set(refuse) or any(name not in value for name in known.expect):
        return Parsed(problem="key_missing", n_replaced=line.n_replaced)
    if homeless := value.keys() - names.keys():  # two spellings of one key, or one key too many for a table
        twice = not homeless.isdisjoint(known.meant)
        return Parsed(problem="key_duplicate" if twice else "too_many_fields", n_replaced=line.n_replaced)
    for key, column in names.items():
        if column in ("title", "body", "label") and not isinstance(value.get(key), str | None):
            return Parsed(problem="type_mismatch", n_replaced=line.n_replaced)
    if any(value[name] is None for name in known.expect):
        return Parsed(problem="value_null", n_replaced=line.n_replaced)
    return replace(line, value=value, repairs=(*line.repairs, *sorted(codes))) if codes else line


def _respelt(value: Mapping[str, Any], known: Keys) -> tuple[Mapping[str, Any], set[str]]:
    """Under the keys that are meant, where these are not there and only one other spelling is."""
    spelt: dict[str, list[str]] = {}
    for key in value:
        if key in known.meant:
            spelt.setdefault(known.meant[key], []).append(key)
    single = {others[0]: name for name, others in spelt.items() if len(others) == 1 and name not in value}
    codes = {"key_case" if fold(key) == fold(name) else "key_alias" for key, name in single.items()}
    return {single.get(key, key): item for key, item in value.items()}, codes


def bracket_only(text: str) -> bool:
    """True for a line of an array that holds brackets and commas only."""
    return bool(re.fullmatch(r"[\s\[\],\ufeff]*", text))
