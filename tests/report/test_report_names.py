import pytest

from cleanse.report.names import known, measured_when, nearest
from cleanse.stages import ORDER


@pytest.mark.parametrize(
    "name",
    [
        *("rows.in", "files.rejected", "bytes.in", "text.chars_kept_rate", "out.title_chars.p95", "out.labels"),
        *(f"{stage}.reject_rate" for stage in ORDER),
        *("check.rejected.columns_permuted", "decode.rejected.bad_archive", "strip.changed.licence"),
        *("decode.encoding_share.x-mac", "skew.classes.shares.体育 a.b\n::x"),
        *("skew.lengths.title.chars.quantiles.0.95", "skew.shards.rows.max_over_mean", "skew.findings.severe"),
        *("drift.label.psi", "drift.labels_gone", "skew.drift.shard.cramers_v"),
    ],
)
def test_names_of_metrics_json_are_known(name: str) -> None:
    assert known(name)


@pytest.mark.parametrize(
    "name",
    ["rows.ins", "rows", "", "check.rejected.title_shrt", "check.rejected.", "chek.rows_in", "drift.labels", "Rows.in"],
)
def test_a_misspelt_name_is_not(name: str) -> None:
    assert not known(name)


def test_a_rule_of_the_user_is_a_reason() -> None:
    assert known("check.rejected.no_ads", ["no_ads"])
    assert not known("check.rejected.no_ads")
    assert nearest("check.rejected.no_adds", ["no_ads"])[0] == "check.rejected.no_ads"


@pytest.mark.parametrize(
    ("name", "near"),
    [("rows.reject_rat", "rows.reject_rate"), ("check.rejected.title_shrt", "check.rejected.title_short")],
)
def test_the_nearest_name_is_proposed(name: str, near: str) -> None:
    assert nearest(name)[0] == near


@pytest.mark.parametrize(
    ("name", "when"),
    [
        *[
            ("check.rejected.x", "check.rows_in"),
            ("decode.encoding_share.x", "decode.encodings"),
            ("check.rejected", None),
        ],
        *[("skew.classes.shares.a\nb", "skew.classes.k"), ("check.changed.x", None), ("rows.out", None)],
    ],
)
def test_what_says_that_a_name_of_data_was_measured(name: str, when: str | None) -> None:
    assert measured_when(name) == when
