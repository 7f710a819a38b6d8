"""report.html (not yet)."""

from pathlib import Path

from cleanse.run.finished import Finished
from cleanse.settings import ReportSettings


def write_report(run: Finished, settings: ReportSettings, path: Path, lang: str) -> None:
    """Write it."""
