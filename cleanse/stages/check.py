"""check: a row passes when its fields are in place, its texts of a usable length and whole, its label known.

Two passes: what each column looks like, over the whole corpus; then row by row, the first rule that hits is the reason.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import polars as pl

from cleanse.errors import ConfigError
from cleanse.measures import roles, swapped
from cleanse.measures.swapped import Verdict
from cleanse.settings import CheckSettings, Settings
from cleanse.stage import Facts, Measure, Outcome, Rule, Side, Stage, State, reject, split
from cleanse.stages import overlong, rules, tokens
from cleanse.table import ROLES, Schema, user_columns

ROLES_FILE = "roles.json"
MAX_SHIFTED = 0.2  # share of a source's rows; above, a block of it was written in another order
NAMED = 3  # sources of the warning that says so


def apply(frame: pl.DataFrame, settings: Settings, facts: Facts) -> Outcome:
    """Reject misaligned rows, then shifted ones, then by rule; flag, cut or split those that stay."""
    s, learnt, changed = settings.check, facts.get("roles"), Counter[str]()
    numbered = frame.with_row_index("_row")
    aligned = pl.col("_problem").is_null()
    misaligned, rest = _misaligned(numbered.filter(~aligned)), numbered.filter(aligned)
    verdicts = _verdicts(rest, s, learnt, changed)
    sources = _by_source(rest, verdicts)
    shifted, rest = _shifted(rest, verdicts, s, changed)
    found = _by_rule(rest, s, _words(s, learnt))
    kept, added = _long(_flagged(found.kept, s, _words(s, learnt), changed).drop("_row"), s, changed)
    rejected = pl.concat([misaligned, shifted, found.rejected.select(misaligned.columns)]).sort("_row").drop("_row")
    return Outcome(kept.select(frame.columns), rejected, changed, added, sources)


def _misaligned(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows whose fields could not be placed: the problem as it stands is the reason."""
    figure = pl.when(pl.col("_fields").is_not_null()).then(pl.format("{} fields found", "_fields"))
    return frame.with_columns(_reason="_problem", _detail=figure.otherwise(pl.lit("fields not placed, see _raw")))


def _words(s: CheckSettings, learnt: roles.Facts | None) -> Sequence[str] | None:
    """The labels there are, None where any will do."""
    if s.label_values != "infer":
        return s.label_values
    label = learnt["columns"].get("label", {}) if learnt else {}
    return label["words"] if label.get("kind") == "vocab" and label.get("cover", 1.0) >= roles.COVER else None


def _verdicts(
    frame: pl.DataFrame, s: CheckSettings, learnt: roles.Facts | None, changed: Counter[str]
) -> list[Verdict] | None:
    """The rows whose values are in the wrong columns; None where that is not judged."""
    if s.roles == "off" or learnt is None:
        return None
    if not learnt["columns"]:
        changed["roles_unchecked"] += frame.height
        return None
    return swapped.judge(frame, learnt, s.permute_margin)


def _by_source(frame: pl.DataFrame, verdicts: Sequence[Verdict] | None) -> dict[str, tuple[int, ...]]:
    """source → rows whose values are in the wrong columns, rows looked at."""
    if verdicts is None:
        return {}
    hit = Counter(frame["_source"].gather([v.row for v in verdicts]))
    rows = frame["_source"].value_counts().sort("_source")
    return {source: (hit[source], n) for source, n in rows.iter_rows()}


def _shifted(
    frame: pl.DataFrame, verdicts: Sequence[Verdict] | None, s: CheckSettings, changed: Counter[str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows whose values are in the wrong columns, rejected or (`permute: repair`) moved back; and all others."""
    verdicts = verdicts or []
    if s.permute == "repair":
        frame = _moved(frame, [v for v in verdicts if v.move])
        changed["columns_permuted"] += sum(bool(v.move) for v in verdicts)
        verdicts = [v for v in verdicts if not v.move]
    if not verdicts:
        return reject(frame.clear(), "", ""), frame
    hit = [v.row for v in verdicts]
    bad = frame[hit].with_columns(
        _reason=pl.Series(["columns_permuted" if v.move else "role_mismatch" for v in verdicts], dtype=pl.String),
        _detail=pl.Series([_proposal(v) for v in verdicts], dtype=pl.String),
    )
    return bad, frame.filter(~pl.int_range(pl.len()).is_in(hit))


def _proposal(verdict: Verdict) -> str:
    if not verdict.move:
        return "a long text where a word of the vocabulary belongs"
    return f"move={';'.join(f'{source}>{to}' for source, to in verdict.move)} margin {verdict.margin:.1f}"


def _moved(frame: pl.DataFrame, verdicts: Sequence[Verdict]) -> pl.DataFrame:
    """The values back in their columns."""
    if not verdicts:
        return frame
    new = {
        to: {v.row: frame[source][v.row] for v in verdicts for source, at in v.move if at == to} for to in frame.columns
    }
    rows = [v.row for v in verdicts]
    moved = frame.with_columns(
        frame[name].scatter(list(cells), list(cells.values())) for name, cells in new.items() if cells
    )
    code = pl.concat_str("_repair", pl.lit("columns_permuted"), separator="+", ignore_nulls=True)
    return moved.with_columns(_repair=pl.when(pl.int_range(pl.len()).is_in(rows)).then(code).otherwise("_repair"))


def _by_rule(frame: pl.DataFrame, s: CheckSettings, words: Sequence[str] | None) -> Outcome:
    table = rules.measured(frame, s).with_columns(overlong.long_rows(frame, s).alias("_long"))
    found = rules.rejecting(s, table, words)
    if s.over_long == "reject":
        limit = f"more than {s.over_long_limit} {s.over_long_unit}s"
        found["body_over_long"] = Rule(pl.col("_long"), pl.lit(limit))
    try:
        return split(table, found | rules.own(s, "reject"))
    except pl.exceptions.PolarsError as problem:
        raise _faulty([rule.name for rule in s.rules], problem) from None


def _faulty(names: Sequence[str], problem: Exception) -> ConfigError:
    return ConfigError(
        "rule-faulty", f"check.rules ({', '.join(names)}): {str(problem).splitlines()[0]}", "mend its sql"
    )


def _flagged(table: pl.DataFrame, s: CheckSettings, words: Sequence[str] | None, changed: Counter[str]) -> pl.DataFrame:
    """What is noticed in rows that are kept; what an earlier run noticed stays, once."""
    noticed = rules.flagging(s, table, words)
    if s.over_long == "keep":
        noticed["body_over_long"] = pl.col("_long")
    if not noticed:
        return table
    try:
        marks = table.select(**{name: bad.fill_null(True) for name, bad in noticed.items()})
    except pl.exceptions.PolarsError as problem:
        raise _faulty([rule.name for rule in s.rules], problem) from None
    changed.update({f"flag_{name}": int(marks[name].sum()) for name in marks.columns})
    if not marks.select(pl.any_horizontal(pl.all()).any()).item():
        return table
    codes = pl.concat_list(pl.when(marks[name]).then(pl.lit(name)) for name in marks.columns).list.drop_nulls()
    old = pl.col("_flags").str.split("+").fill_null(pl.lit([], pl.List(pl.String)))
    joined = pl.concat_list(old, codes).list.unique(maintain_order=True).list.join("+")
    return table.with_columns(_flags=pl.when(joined != "").then(joined))


def _long(frame: pl.DataFrame, s: CheckSettings, changed: Counter[str]) -> tuple[pl.DataFrame, int]:
    """Over-long bodies cut or split, as asked for; and the rows that splitting added."""
    if s.over_long == "truncate":
        frame, n, lost = overlong.truncated(frame, s)
        changed.update(body_truncated=n, chars_truncated=lost)
    if s.over_long == "split":
        frame, n, added = overlong.divided(frame, s)
        changed.update(body_split=n)
        return frame, added
    return frame, 0


def _tally(frame: pl.DataFrame, settings: Settings, facts: Facts) -> State:
    texts = [name for name in user_columns(frame.columns) if frame.schema[name] == pl.String()]
    names = sorted(texts, key=lambda name: name not in ROLES)[: roles.MAX_TALLIED]
    whole = frame.filter(pl.col("_problem").is_null()).drop_nulls([name for name in ROLES if name in names])
    return roles.tally(whole, names)


def _finish(state: State, settings: Settings, facts: Facts) -> roles.Facts:
    given = settings.check.label_values
    return roles.finish(state, None if given == "infer" else given)


def _measures(settings: Settings) -> tuple[Measure, ...]:
    s = settings.check
    if s.roles == "off" and s.label_values != "infer":
        return ()
    return (Measure("roles", _tally, roles.merge, _finish, saved=ROLES_FILE, given=s.roles_from),)


def _side(settings: Settings, facts: Facts) -> Mapping[str, Side]:
    return {ROLES_FILE: facts["roles"]} if "roles" in facts else {}


def accepts(settings: Settings, schema: Schema) -> None:
    """Raises ConfigError for an own rule that speaks of a column that is not there, or is no condition on those; and
    for a tokenizer that cannot be read.
    """
    if settings.check.over_long_unit == "token":
        tokens.tokenizer(settings.check.tokenizer or "")
    columns = frozenset(schema)
    for rule in settings.check.rules:
        absent = sorted(set(pl.sql_expr(rule.sql).meta.root_names()) - columns)
        if absent:
            found = ", ".join(sorted(columns - {name for name in columns if name.startswith("_")}))
            raise ConfigError(
                "rule-column", f"rule {rule.name}: no column {', '.join(absent)}", "mend its sql", "", found
            )
        try:
            pl.DataFrame(schema=schema).filter(pl.sql_expr(rule.sql))
        except pl.exceptions.PolarsError as problem:
            raise _faulty([rule.name], problem) from None


def notes(settings: Settings, facts: Facts) -> list[str]:
    """What was not looked at, for lack of rows or of a vocabulary."""
    s, learnt, found = settings.check, facts.get("roles"), []
    if learnt and s.roles == "auto" and not learnt["columns"]:
        found.append(f"{learnt['n']} whole rows, fewer than {roles.MIN_ROWS}: rows with swapped columns are not found")
    if s.label_values == "infer" and _words(s, learnt) is None:
        found.append("label_values infer: the labels are no vocabulary, so any label passes")
    return found


def _blocks(facts: Facts) -> list[tuple[str, int, int]]:
    """The sources with more shifted rows than MAX_SHIFTED, and their rows, those first that have most of them. One row
    is no block.
    """
    found = [(name, hit, n) for name, (hit, n) in facts["sources"].items() if hit > 1 and hit / n > MAX_SHIFTED]
    return sorted(found, key=lambda each: (-each[1], each[0]))


def counted(settings: Settings, facts: Facts) -> Mapping[str, int]:
    """Sources in which a block seems to have been written in another order."""
    blocks = len(_blocks(facts))
    return {"sources_permuted": blocks} if blocks else {}


def warnings(settings: Settings, facts: Facts) -> list[str]:
    """The same, by name."""
    blocks = _blocks(facts)
    named = [f"{hit:,} of {n:,} rows of {name}" for name, hit, n in blocks[:NAMED]]
    if len(blocks) > NAMED:
        named.append(f"as many of {len(blocks) - NAMED:,} more sources")
    what = "hold values in the wrong columns: was a block written in another order?"
    return [f"{', '.join(named)} {what}"] if named else []


STAGE = Stage(
    "check",
    ("check",),
    apply,
    _measures,
    accepts,
    side=_side,
    notes=notes,
    warnings=warnings,
    counted=counted,
)
