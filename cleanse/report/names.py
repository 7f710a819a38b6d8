"""The names of metrics.json: which there are, which end in data, and the nearest to a misspelt one."""

import difflib
import re
from collections.abc import Iterable

from cleanse.report.reasons import REASONS
from cleanse.settings.base import TEXTS
from cleanse.stages import ORDER

COUNTED = tuple(
    f"{stage}.{what}" for stage in ORDER for what in ("rows_in", "added", "kept", "rejected", "reject_rate")
)
DRIFT = tuple(
    f"drift.{name}"
    for name in (
        *("label.psi", "label.js_distance", "label.linf", "title_chars.psi", "body_chars.psi"),
        *("reasons.js_distance", "encodings.linf", "labels_new", "labels_gone"),
    )
)
FIXED = (
    *("files.in", "files.kept", "files.rejected", "bytes.in"),
    *("rows.in", "rows.added", "rows.rejected", "rows.out", "rows.reject_rate", "rows.sampled_away"),
    *COUNTED,
    *(f"decode.{name}" for name in ("replaced", "replaced_rate", "confidence_min", "confidence_p05")),
    *(f"decode.{name}" for name in ("repaired_rate", "misaligned_rate", "encodings")),
    *("text.chars_in", "text.chars_out", "text.chars_kept_rate"),
    *(f"out.{role}_chars.{figure}" for role in TEXTS for figure in ("p05", "p50", "p95", "max")),
    *(f"out.{name}" for name in ("labels", "majority_share", "imbalance_ratio", "unlabelled_rate")),
    *("out.shards", "out.shard_max_over_mean"),
    *(f"skew.findings.{grade}" for grade in ("notice", "warn", "severe")),
    *("skew.rows", "skew.classes.rows", "skew.classes.k", "skew.classes.unlabelled", "skew.classes.unlabelled_share"),
    *("skew.classes.majority.rows", "skew.classes.majority.share"),
    *("skew.classes.rarest.rows", "skew.classes.rarest.share", "skew.classes.imbalance_ratio"),
    *(f"skew.classes.{name}" for name in ("entropy_nats", "entropy_bits", "evenness", "gini", "gini_max")),
    *(f"skew.classes.{name}" for name in ("gini_simpson", "effective_classes", "inverse_simpson")),
    *DRIFT,
)
REASON = re.compile(rf"(?:{'|'.join(ORDER)})\.rejected\.(.+)", re.S)
COUNTS_AS_ZERO = re.compile(  # absent means "did not occur", when what is asked of was measured at all
    rf"((?:{'|'.join(ORDER)})\.rejected|decode\.encoding_share|skew\.classes\.shares)\..+", re.S
)
OPEN = re.compile(  # names that hold a column, label, shard or counter of the data or of a stage
    rf"(?:{'|'.join(ORDER)})\.changed\.[a-z0-9_]+|decode\.encoding_share\..+"
    r"|skew\.(?:classes\.(?:shares|by_split)|lengths|features|shards|keys|drift|leaks|cleaning)\..+"
    r"|skew\.leaks\.synthetic_outside_train",
    re.S,
)


def known(name: str, own_reasons: Iterable[str] = ()) -> bool:
    """True for a name that metrics.json may hold; `own_reasons`: names of the user's rules.

    >>> known("rows.out"), known("check.rejected.title_shrt"), known("skew.classes.shares.体育")
    (True, False, True)
    """
    reason = REASON.fullmatch(name)
    if reason:
        return reason[1] in REASONS or reason[1] in own_reasons
    return name in FIXED or bool(OPEN.fullmatch(name))


def nearest(name: str, own_reasons: Iterable[str] = ()) -> list[str]:
    """Up to three known names like this one, the likeliest first.

    >>> nearest("rows.reject_rat")[0]
    'rows.reject_rate'
    """
    stage = name.partition(".")[0]
    reasons = [f"{stage}.rejected.{reason}" for reason in (*REASONS, *own_reasons)] if stage in ORDER else []
    return difflib.get_close_matches(name, [*FIXED, *reasons], 3, 0.6)


def measured_when(name: str) -> str | None:
    """The number whose presence says that a name ending in data was measured: absent then means 0.

    >>> measured_when("check.rejected.title_short"), measured_when("rows.out")
    ('check.rows_in', None)
    """
    found = COUNTS_AS_ZERO.fullmatch(name)
    if not found:
        return None
    return {"decode.encoding_share": "decode.encodings", "skew.classes.shares": "skew.classes.k"}.get(
        found[1], f"{found[1].partition('.')[0]}.rows_in"
    )
