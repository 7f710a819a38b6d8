"""What decode does to the records of a part, all at once: NULs out, mojibake back, and what is no text is rejected."""

from collections import Counter

import polars as pl

from cleanse.settings import DecodeSettings, Settings
from cleanse.stage import Outcome, reject
from cleanse.table import ROLES
from cleanse.text import mojibake

MIN_CELL = 12  # characters of a cell, below which only valid UTF-8 is proof of mojibake
SUSPECT = mojibake.suspect()  # once, before workers are forked: it asks 20,000 hanzi
FEW_REPLACED = 2  # characters: so many are no damage, whatever their share
_FAULTS = {  # problems of a record that are decode's own reasons
    "too_large": "longer than a record may be",
    "undecodable": "no encoding fits its bytes",
    "unsupported": "no text by its MIME type",
}


def finish(records: pl.DataFrame, settings: Settings) -> Outcome:
    """The records of a part, mended and judged: one pass over all of them is cheaper than one a source."""
    s, changed = settings.decode, Counter(replaced=int(records["_replaced"].sum()))
    codes = records["_repair"].drop_nulls()
    changed.update(codes.str.split("+").explode().to_list() if codes.len() else ())  # of framing: mojibake comes next
    texts = [n for n, t in records.schema.items() if t == pl.String() and (n == "_raw" or not n.startswith("_"))]
    roles = [name for name in ROLES if records.schema.get(name) == pl.String()]
    seen = _seen(records, texts, roles, s)
    mended = _mended(records, seen, roles, s, changed)
    bad = seen["_reason"].is_not_null()
    if not bad.any():
        return Outcome(mended, reject(mended.clear(), "", ""), changed)
    rejected = mended.with_columns(seen["_reason"]).filter(bad)
    return Outcome(mended.filter(~bad), rejected.with_columns(_detail=_detail(texts, s)), changed)


def _seen(records: pl.DataFrame, texts: list[str], roles: list[str], s: DecodeSettings) -> pl.DataFrame:
    """What must be asked of every row, on all cores: `_reason`, and for each role if it has NULs, if it is suspect."""
    nuls = (pl.col(role).str.contains("\0", literal=True).alias(f"nul {role}") for role in roles)
    odd = (pl.col(role).str.contains(SUSPECT).alias(f"odd {role}") for role in roles)
    counted = texts if (records["_replaced"] > FEW_REPLACED).any() else []  # to count characters takes a while
    asked = records.lazy().select(_reason(texts, counted, s).alias("_reason"), *nuls, *odd)
    return asked.collect(engine="streaming")


def _reason(texts: list[str], counted: list[str], s: DecodeSettings) -> pl.Expr:
    own = pl.when(pl.col("_problem").is_in(list(_FAULTS))).then("_problem")
    large = pl.when(_size(texts) > s.max_record_mb * 2**20).then(pl.lit("too_large"))
    return pl.coalesce(own, large, pl.when(_is_damaged(counted, s)).then(pl.lit("damaged")))


def _detail(texts: list[str], s: DecodeSettings) -> pl.Expr:
    """The reason in words, with the figure."""
    own = pl.col("_problem").replace_strict(_FAULTS, default=None, return_dtype=pl.String)
    large = pl.format("{} bytes of text, at most {} MiB", _size(texts), pl.lit(f"{s.max_record_mb:g}"))
    share = pl.format("{} characters replaced, of {}", "_replaced", _chars(texts))
    return pl.coalesce(own, pl.when(pl.col("_reason") == "too_large").then(large).otherwise(share))


def _size(texts: list[str]) -> pl.Expr:
    return pl.sum_horizontal(pl.col(texts).str.len_bytes()) if texts else pl.lit(0)


def _chars(texts: list[str]) -> pl.Expr:
    return pl.sum_horizontal(pl.col(texts).str.len_chars()) if texts else pl.lit(0)


def _is_damaged(texts: list[str], s: DecodeSettings) -> pl.Expr:
    """More U+FFFD put in than an accident explains; a last character that was cut off is none."""
    cut = pl.any_horizontal(pl.col(texts).str.ends_with("\ufffd")) if texts else pl.lit(False)
    n = pl.col("_replaced").cast(pl.Int64) - cut.fill_null(False).cast(pl.Int64)
    return (n > FEW_REPLACED) & (n > s.max_replaced_share * _chars(texts))


def _mended(
    table: pl.DataFrame, seen: pl.DataFrame, roles: list[str], s: DecodeSettings, changed: Counter[str]
) -> pl.DataFrame:
    """Role cells without NULs and, where it is proven, without mojibake."""
    repairs, lost = dict[int, str](), Counter[int]()  # by row: the code; incomplete characters that became U+FFFD
    for role in roles:
        cells = table[role]
        if seen[f"nul {role}"].any():
            changed["nul_removed"] += int(cells.str.count_matches("\0", literal=True).sum())
            cells = cells.str.replace_all("\0", "", literal=True)
        rows = seen[f"odd {role}"].fill_null(False).arg_true()
        if len(rows):  # rarely: the pattern takes a while to compile
            rows = rows.filter(cells.gather(rows).str.contains(mojibake.dense()))
        looked = {row: mojibake.repair(text, MIN_CELL) for row, text in zip(rows, cells.gather(rows), strict=True)}
        found = {row: text for row, (text, code) in looked.items() if code}
        repairs |= {row: code for row, (_, code) in looked.items() if code}
        lost.update({row: text.count("\ufffd") - cells[row].count("\ufffd") for row, text in found.items()})
        table = table.with_columns(cells.scatter(list(found), list(found.values())) if found and s.repair else cells)
    changed["mojibake_repaired" if s.repair else "mojibake_left"] += len(repairs)
    if not repairs or not s.repair:
        return table
    codes = pl.Series("_code", [repairs.get(row) for row in range(table.height)], pl.String)
    changed["replaced"] += lost.total()
    put = pl.Series([lost[row] for row in range(table.height)], dtype=pl.UInt32)
    joined = pl.concat_str(pl.col("_repair"), codes, separator="+", ignore_nulls=True)
    return table.with_columns(
        pl.col("_replaced") + put, _repair=pl.when(codes.is_not_null()).then(joined).otherwise("_repair")
    )
