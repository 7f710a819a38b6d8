"""The vectors of resample with smote: of every labelled row, and made-up ones for the train rows of small classes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from cleanse.errors import ConfigError, InputError
from cleanse.measures.classes import is_label
from cleanse.measures.features import NUMBER_SHARE
from cleanse.sampling import choice, svd
from cleanse.sampling.features import Features
from cleanse.sampling.nearest import Matrix
from cleanse.settings import Settings
from cleanse.stage import Facts, Measure
from cleanse.stages import mixed, splits
from cleanse.table import TEXTS

TABLE = {
    "_id": pl.String(),
    "label": pl.String(),
    "split": pl.String(),
    "features": pl.List(pl.Float32()),
    "is_synthetic": pl.Boolean(),
    "parent_a": pl.String(),
    "parent_b": pl.String(),
    "lambda": pl.Float64(),
    "block": pl.UInt32(),
    "vectorizer_id": pl.String(),
}


def text_feature(name: str) -> ConfigError:
    """The error for text where numbers are wanted."""
    what = f"'{name}' holds text, and text cannot be interpolated"
    return ConfigError("resample-text-feature", what, "--features svd makes vectors of title and body")


def _features(settings: Settings) -> Features:
    return Features.parse(settings.resample.features or "svd")


def needed(settings: Settings) -> bool:
    """True where vectors are made: for smote, and for cutting classes otherwise than at random."""
    s = settings.resample
    return s.method == "smote" or (s.method == "under" and s.under_kind != "random")


def columns(settings: Settings, there: frozenset[str]) -> frozenset[str]:
    """What is read to make vectors."""
    features = _features(settings)
    wanted = {"title", "body"} if features.kind == "svd" else set(features.columns)
    return (there & wanted) | splits.read_by_resample(settings, there)


def draw_fit(frame: pl.DataFrame, settings: Settings, facts: Facts) -> pl.Series:
    """The smallest draws of the train rows, as many as svd is fitted on."""
    train = frame.filter(splits.decided(frame, settings) == "train")["_id"]
    return choice.smallest(choice.draws(settings.run.seed, "pool", train), settings.resample.svd_fit_rows)


def cut(draws: pl.Series, settings: Settings, facts: Facts) -> int | None:
    """The largest draw of a row that svd is fitted on; None: all rows are."""
    return choice.largest_of(draws, settings.resample.svd_fit_rows)


def measures(settings: Settings) -> tuple[Measure, ...]:
    """Which rows svd is fitted on; the categories of mixed features."""
    if not needed(settings):
        return ()
    if not fits(settings):
        return mixed.measures(settings)
    return (Measure("fit", draw_fit, lambda one, other: pl.concat([one, other]), cut, columns=splits.read_by_resample),)


def _texts(frame: pl.DataFrame) -> list[str]:
    roles = [frame[role].fill_null("").to_list() for role in TEXTS if role in frame.columns]
    return ["\n".join(texts) for texts in zip(*roles, strict=True)]


def sample(frame: pl.DataFrame, settings: Settings, facts: Facts) -> bytes:
    """What `fit` must know of the part."""
    train = frame.filter(splits.decided(frame, settings) == "train")
    if facts["fit"] is not None:
        train = train.filter(choice.draws(settings.run.seed, "pool", train["_id"]) <= facts["fit"])
    return svd.sample(train["_id"].to_list(), _texts(train))


def fit(samples: Sequence[bytes], settings: Settings) -> bytes:
    """The model from all samples."""
    return svd.fit(samples, settings.resample.svd_dim, settings.run.seed)


def side(model: bytes) -> Mapping[str, bytes | dict[str, Any]]:
    """The files of a model."""
    return {"vectorizer.npz": model, "vectorizer.json": svd.described(model)}


def embed(frame: pl.DataFrame, settings: Settings, facts: Facts, model: bytes | None) -> pl.DataFrame:
    """The vectors of all rows with a label, columns of TABLE. Raises for what is no vector."""
    splits.no_parent_outside(frame, settings, facts["classes"]["copies"])
    frame = labelled(frame)
    features = _features(settings)
    if model is not None:
        made = svd.transform(_texts(frame), model) if frame.height else np.zeros((0, 1), np.float32)
        column = pl.Series("features", made).arr.to_list()
    elif features.kind == "mixed":
        column = mixed.embed(frame, facts["mixed"])
    elif features.kind == "embedding":
        column = _embedding(frame, features.columns[0])
    else:
        column = frame.select(features=pl.concat_list(_number(frame, name) for name in features.columns))["features"]
    _sound(frame["_id"], column)
    known = {"label": frame["label"], "split": splits.decided(frame, settings), "features": column}
    table = frame.select("_id").with_columns(**known, is_synthetic=pl.lit(False))
    return whole_table(table, svd.identity(model) if model else None)


def labelled(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows with a label."""
    labels = [label for label in frame["label"].unique() if is_label(label)]
    found = frame["label"].is_in(labels).fill_null(False)
    return frame if found.all() else frame.filter(found)


def whole_table(table: pl.DataFrame, vectorizer: str | None) -> pl.DataFrame:
    """All columns of TABLE; what there is nothing of is null."""
    full = table.with_columns(vectorizer_id=pl.lit(vectorizer))
    there = full.columns
    return full.select(
        (pl.col(name) if name in there else pl.lit(None)).cast(dtype).alias(name) for name, dtype in TABLE.items()
    )


def _embedding(frame: pl.DataFrame, name: str) -> pl.Series:
    column = frame[name]
    if isinstance(column.dtype, pl.Array):
        column = column.arr.to_list()
    if column.dtype.is_numeric():
        what = f"'{name}' holds one number a row, and an embedding is a list of them"
        raise InputError("resample-bad-vector", what, f"--features cols:{name}")
    if not isinstance(column.dtype, pl.List) or not column.dtype.inner.is_numeric():
        raise text_feature(name)
    return column.cast(pl.List(pl.Float32))


def _number(frame: pl.DataFrame, name: str) -> pl.Series:
    column = frame[name]
    if column.dtype != pl.String:
        if not column.dtype.is_numeric():
            raise text_feature(name)
        return column.cast(pl.Float32)
    found = column.str.strip_chars().cast(pl.Float32, strict=False)
    present = column.len() - column.null_count()
    if found.len() - found.null_count() < NUMBER_SHARE * present:
        raise text_feature(name)
    return found


def _sound(ids: pl.Series, column: pl.Series) -> None:
    """Raises InputError naming the first row whose vector has a null, NaN or infinity, or another length."""
    lengths, numbers = column.list.len(), column.explode()
    whole = not column.null_count() and lengths.n_unique() <= 1 and lengths.min() != 0
    if whole and not numbers.null_count() and np.isfinite(float(numbers.sum())):  # the sum is not where a number is not
        return
    table = pl.DataFrame({"id": ids, "v": column})
    finite = pl.col("v").list.eval(pl.element().is_finite().fill_null(False)).list.all()
    bad = table.filter(
        ~finite.fill_null(False)
        | (pl.col("v").list.len() != pl.col("v").list.len().first())
        | (pl.col("v").list.len() == 0)
    )
    if bad.height:
        what = f"{bad.height} vectors hold null, NaN or infinity, or are of another length; first row {bad['id'][0]}"
        raise InputError("resample-bad-vector", what, "mend or drop those rows before resample")


def fits(settings: Settings) -> bool:
    """True where a model is fitted first."""
    return _features(settings).kind == "svd"


def width(frame: pl.DataFrame, settings: Settings) -> int:
    """Numbers of a vector of these columns: 0 where no row has one. Of svd the most that there will be, 1 of what is no
    vector (`embed` says so).
    """
    features = _features(settings)
    if features.kind == "svd":
        return settings.resample.svd_dim
    if features.kind != "embedding":
        return len(features.columns)
    column = frame[features.columns[0]]
    if isinstance(column.dtype, pl.Array):
        return column.dtype.size
    return max(column.list.len().drop_nulls(), default=0) if isinstance(column.dtype, pl.List) else 1


def matrix(rows: pl.DataFrame) -> Matrix:
    """The vectors as one matrix."""
    flat: Matrix = rows["features"].explode(empty_as_null=False).to_numpy()
    return flat.reshape(rows.height, -1) if rows.height else flat.reshape(0, 1)
