"""What the work on vectors will take, foretold from counts before any vector is read. More than allowed is refused."""

from cleanse.errors import MachineError
from cleanse.settings import Settings
from cleanse.stage import Facts
from cleanse.stages import around, growing, thinning

COST = 20  # bytes a coordinate, in one task: float32 as read, sorted, as a matrix, as whole numbers, and as written
MADE = 8  # bytes a coordinate of rows that are made at once: the draw, and what is left of it


def afford(width: int, settings: Settings, facts: Facts) -> None:
    """Raises MachineError where the largest class to raise, or a pool, is more than `memory_mb` of work.

    `width`: numbers of a vector.
    """
    s, before = settings.resample, facts["classes"]["before"]
    rows = max((min(before[label], s.neighbour_rows) for label in growing.plan(settings, facts)), default=0)
    n_values = sum(len(values or ()) for values in facts.get("mixed", {}).values())
    wide = rows * s.k_neighbors * n_values * 8  # a category is a number of its own for each of its values
    help = "leave that column out, or hash it first (transforms: hash:64)"
    _refuse(wide, f"{rows} rows with {n_values} category values", help, s.memory_mb)
    if around.wanted(settings):
        _refuse(_at_border(width, settings, facts), "the rows drawn at borders", "a smaller target", s.memory_mb)
    rows = max(rows, thinning.pool_size(settings, facts))
    help = "fewer dimensions (--svd-dim), or a smaller resample.neighbour_rows or pool_rows"
    _refuse(rows * width * COST, f"{rows} vectors of {width} numbers", help, s.memory_mb)


def _at_border(width: int, settings: Settings, facts: Facts) -> int:
    """Bytes for the most that one class takes: itself, what is seen around it, and its new rows, which are one draw."""
    n, before = settings.resample.neighbour_rows, facts["classes"]["before"]
    total = sum(before.values())
    seen = {label: min(before[label], n) + min(total - before[label], n) for label in before}
    made = growing.plan(settings, facts)
    return max((seen[label] * COST + n_new * MADE) * width for label, n_new in made.items()) if made else 0


def _refuse(need: int, what: str, help: str, memory_mb: int) -> None:
    if need > memory_mb << 20:
        what = f"{what} need {need / 2**30:.1f} GiB, resample.memory_mb allows {memory_mb} MiB"
        raise MachineError("resample-too-large", what, f"raise --memory-mb, or {help}")
