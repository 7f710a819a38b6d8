"""Tables as Parquet: what is in them, and what writing them costs."""

import gc
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from cleanse.errors import MachineError
from cleanse.run.store import write_table

PEAK = """
import resource, sys
from pathlib import Path
import polars as pl
from cleanse.run.store import write_table
folder = Path(sys.argv[1])
frame = pl.read_parquet(folder / "a.parquet")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for number, table in enumerate((frame, frame.filter(pl.col("_raw").is_null()))):
    write_table(folder / f"{number}.parquet", folder, table, 64)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


def test_nulls_between_long_texts_take_no_memory(tmp_path: Path) -> None:
    texts = [None, "x" * 200_000, *[None] * 5000, "x" * 200_000, *[None] * 5000]
    write_table(tmp_path / "a.parquet", tmp_path, pl.DataFrame({"_raw": texts}), 64)
    done = subprocess.run([sys.executable, "-c", PEAK, str(tmp_path)], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 100  # MB; 2,000 when each null is written as the text before it
    assert pl.read_parquet(tmp_path / "0.parquet")["_raw"].to_list() == texts


def test_a_table_comes_back_as_it_was(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"a": [None, "", "x"], "b": [None, None, None], "n": [1, None, 3]},
        {"a": pl.String, "b": pl.String, "n": pl.UInt32},
    )
    for number, table in enumerate((frame, frame[:0], frame[2:], frame.select("n"))):
        write_table(tmp_path / f"{number}.parquet", tmp_path, table, 1)
        assert pl.read_parquet(tmp_path / f"{number}.parquet").equals(table)


def test_a_table_that_cannot_be_written_leaves_nothing_to_complain_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    complaints = list[str]()
    monkeypatch.setattr(sys, "unraisablehook", lambda found: complaints.append(repr(found.exc_value)))
    (tmp_path / "file").touch()
    with pytest.raises(MachineError) as caught:
        write_table(tmp_path / "file/part.parquet", tmp_path, pl.DataFrame({"a": ["x"]}), 1)
    del caught
    gc.collect()  # the frames of its traceback go now
    assert complaints == []  # of a view of a buffer Python 3.13 complains here, 3.12.1 dies
