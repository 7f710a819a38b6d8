"""What follows from a finished run: its profile, its numbers, the comparison with a baseline, the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cleanse.errors import CleanseError, InputError
from cleanse.report import gate, metrics, profile
from cleanse.report.baseline import drift
from cleanse.run import manifest, store
from cleanse.run.finished import Finished, finished
from cleanse.run.places import place
from cleanse.run.uris import shown

SCHEMA = 1


@dataclass(frozen=True)
class Baseline:
    """The numbers and settings of an earlier run. A metrics.json alone has neither profile nor settings."""

    metrics: Mapping[str, int | float]
    profile: Mapping[str, Any]
    settings: Mapping[str, Any]


def measure(run: Finished) -> dict[str, int | float]:
    """Write profile.json; the numbers of the run, yet without a comparison."""
    tree = profile.measure(run)
    store.write_json(run.out / "profile.json", tree)
    return metrics.metrics(run, tree)


def judge(
    run: Finished, found: Mapping[str, int | float], limits: gate.Limits
) -> tuple[gate.Verdict, dict[str, int | float]]:
    """The verdict and the numbers with `drift.…`; writes metrics.json and gate.json."""
    before = read_baseline(limits.baseline) if limits.baseline else None
    numbers = {name: value for name, value in found.items() if not name.startswith("drift.")}
    if before:
        numbers |= drift(numbers, before.metrics, run.tree("profile.json"), before.profile)
    numbers = {name: numbers[name] for name in sorted(numbers)}
    verdict = gate.judge(
        numbers, limits.gates, limits.places, before.metrics if before else None,
        baseline=limits.baseline and shown(limits.baseline), allow_empty=limits.allow_empty,
    )  # fmt: skip
    head = {"schema_version": SCHEMA, "run": manifest.digest_of(run.manifest)}
    store.write_json(run.out / "metrics.json", {**head, "metrics": numbers})
    changed = differences(before.settings, run.manifest["settings"]) if before else []
    store.write_json(run.out / "gate.json", {**verdict.as_json(), "settings_changed": changed})
    return verdict, numbers


def read_baseline(given: str) -> Baseline:
    """Raises InputError (no-baseline) when it is not there, not readable or of another schema."""
    path = place(given)
    try:
        if path.is_dir():
            run = finished(path)
            tree, head = run.tree("profile.json"), run.tree("metrics.json")
            settings = run.manifest.get("settings", {})
        else:
            tree, settings, head = {}, {}, store.read_json(path) or {}
    except CleanseError as problem:
        raise _no_baseline(given, problem.found) from None
    except OSError as problem:
        raise _no_baseline(given, problem.strerror or "unreadable") from None
    if head.get("schema_version") != SCHEMA or not isinstance(head.get("metrics"), dict):
        raise _no_baseline(given, f"schema_version {head.get('schema_version')}" if head else "no metrics.json")
    return Baseline(head["metrics"], tree, settings)


def _no_baseline(given: str, found: str) -> InputError:
    return InputError(
        "no-baseline", f"{place(given)} is no baseline", "give a run folder or a metrics.json", found=found
    )


def differences(then: Mapping[str, Any], now: Mapping[str, Any], path: str = "") -> list[str]:
    """Settings that differ, as `check.title_min 8 → 10`: a changed rule looks like changed data.

    >>> differences({"check": {"title_min": 8}}, {"check": {"title_min": 10}})
    ['check.title_min 8 → 10']
    """
    found = []
    for key in sorted({*then, *now} - {"gates", "baseline", "report"}):
        was, new, full = then.get(key), now.get(key), f"{path}{key}"
        if isinstance(was, Mapping) and isinstance(new, Mapping):
            found += differences(was, new, f"{full}.")
        elif _plain(was) != _plain(new):
            found.append(f"{full} {_plain(was)} → {_plain(new)}")
    return found


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
