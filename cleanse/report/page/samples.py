"""The rows of the before/after viewer: which, and what became of their texts."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from cleanse.report.page.spans import Span, diff, excerpt, redacted
from cleanse.run.finished import Finished
from cleanse.run.tables import scan
from cleanse.sampling import choice
from cleanse.settings import ReportSettings
from cleanse.table import ROLES

PER_REASON = 5  # rows of each reason, before the rest is shared out
AS_WHOLE = 100_000  # characters of a text that are compared at all; a longer one is compared by its head
COLUMNS = ("_id", "_source", "_record", *ROLES)


@dataclass(frozen=True)
class Pick:
    """A row to show. `kind`: rejected, changed, near or kept; `reason` and `stage` of a rejected one."""

    id: str
    kind: str
    stage: str | None = None
    reason: str | None = None
    detail: str | None = None


def samples(run: Finished, settings: ReportSettings) -> list[dict[str, Any]]:
    """The list of `samples-data`: one object for each field of a picked row that changed or is at fault."""
    picks = picked(run, settings.samples)
    before = _rows(run.parts("decode", "kept"), picks, "_raw")
    after = _rows([*run.outputs("rejects"), *run.outputs("data")], picks)
    found: list[dict[str, Any]] = []
    for pick in picks:
        found += _fields(pick, before.get(pick.id, {}), after.get(pick.id, {}), settings)
    return found


def picked(run: Finished, limit: int) -> list[Pick]:
    """At most `limit` rows, the same for any engine: the draw of a row follows from the seed and its `_id`."""
    profile = run.tree("profile.json").get("picks", {})
    kept = [Pick(id, kind) for kind in ("changed", "near") for id in profile.get(kind, [])]
    kept = list({pick.id: pick for pick in reversed(kept)}.values())[::-1][: max(0, limit // 2)]
    rejected = _rejected(run, limit - len(kept))
    return _mixed([*rejected, *kept])


def _mixed(picks: Sequence[Pick]) -> list[Pick]:
    """One of each reason and kind in turn, so that the first screen shows all of them."""
    turns: dict[str, int] = {}
    order: list[tuple[int, Pick]] = []
    for pick in picks:
        group = pick.reason or pick.kind
        turns[group] = turns.get(group, -1) + 1
        order.append((turns[group], pick))
    return [pick for _, pick in sorted(order, key=lambda pair: pair[0])]


def _rejected(run: Finished, limit: int) -> list[Pick]:
    files = run.outputs("rejects")
    if not files or limit <= 0:
        return []
    table = scan(files).select("_id", "_stage", "_reason", "_detail").collect(engine="streaming")
    u = choice.draws(run.manifest["settings"]["run"]["seed"], "report", table["_id"])
    ranked = table.with_columns(u=u).sort("_reason", "u", "_id")
    room = shares(dict(ranked.group_by("_reason").len().sort("_reason").iter_rows()), limit)
    quota = pl.col("_reason").replace_strict(room, default=0, return_dtype=pl.Int64)
    chosen = ranked.filter(pl.int_range(pl.len()).over("_reason") < quota)
    return [Pick(id, "rejected", stage, reason, detail) for id, stage, reason, detail, _ in chosen.iter_rows()]


def shares(counts: Mapping[str, int], limit: int) -> dict[str, int]:
    """Rows of each reason: the first five of all, then the rest by the root of the count, never more than there are.

    >>> shares({"a": 10000, "b": 100, "c": 2}, 34)
    {'a': 24, 'b': 6, 'c': 2}
    """
    first = {reason: min(PER_REASON, n) for reason, n in counts.items()}
    while sum(first.values()) > limit:
        largest = max(first, key=lambda reason: first[reason])
        first[largest] -= 1
    rest = limit - sum(first.values())
    weights = {reason: math.sqrt(n) for reason, n in counts.items()}
    total = sum(weights.values()) or 1
    return {reason: min(counts[reason], first[reason] + int(rest * weights[reason] / total)) for reason in counts}


def _rows(files: Sequence[Any], picks: Sequence[Pick], *more: str) -> dict[str, dict[str, Any]]:
    """The picked rows of some tables, by `_id`."""
    found: dict[str, dict[str, Any]] = {}
    ids = pl.Series([pick.id for pick in picks], dtype=pl.String)
    for file in files:
        table = scan([file])
        names = [name for name in (*COLUMNS, *more) if name in table.collect_schema().names()]
        rows = table.select(names).filter(pl.col("_id").is_in(ids.implode())).collect(engine="streaming")
        found |= {row["_id"]: row for row in rows.to_dicts()}
    return found


def _fields(
    pick: Pick, before: Mapping[str, Any], after: Mapping[str, Any], settings: ReportSettings
) -> Iterator[dict[str, Any]]:
    place = {**after, **before}
    head = {
        "id": pick.id, "source": place.get("_source", ""), "record": place.get("_record", 0), "kind": pick.kind,
        "stage": pick.stage, "reason": pick.reason, "detail": pick.detail,
    }  # fmt: skip
    pairs = [(role, _text(before.get(role), settings), _text(after.get(role), settings)) for role in ROLES]
    shown = [pair for pair in pairs if before and pair[1] != pair[2]] or [_at_fault(pick, pairs)]
    if before.get("_raw"):
        shown = [("_raw", "", "")]
    for role, was, now in shown:
        spans, more = _shown(was, now if role in after else was, settings.excerpt)
        raw = {"raw": _text(before["_raw"], settings)[: settings.excerpt]} if role == "_raw" else {}
        yield {**head, "field": role, "diff": [list(span) for span in spans], "more": more, **raw}


def _text(value: Any, settings: ReportSettings) -> str:
    text = "" if value is None else str(value)
    return redacted(text) if settings.redact else text


def _at_fault(pick: Pick, pairs: Sequence[tuple[str, str, str]]) -> tuple[str, str, str]:
    """The field that the reason speaks of, else the body."""
    role = next((role for role in ROLES if (pick.reason or "").startswith(f"{role}_")), "body")
    return next(pair for pair in pairs if pair[0] == role)


def _shown(was: str, now: str, limit: int) -> tuple[list[Span], int]:
    """The merged stream of two texts, as an excerpt. Of very long texts only the heads are compared."""
    spans, more = excerpt(diff(was[:AS_WHOLE], now[:AS_WHOLE]), limit)
    return spans, more + max(0, len(was) - AS_WHOLE)
