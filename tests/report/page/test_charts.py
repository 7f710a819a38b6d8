import pytest

from cleanse.report.page.charts import WIDTH, Chart, bars, columns, cut, heat, histogram, pairs

HEAD = (("name", "名"), ("rows", "行数"))
LABELS = ["体育", "x" * 300, "</script><script>", "👩\u200d💻" * 40, ""]


def made(names: list[str]) -> list[Chart]:
    return [
        bars("a", HEAD, [(name, i) for i, name in enumerate(names)]),
        pairs("b", HEAD, [(name, i, 0) for i, name in enumerate(names)]),
        heat("c", HEAD[0], names, [(name, [0.5] * len(names)) for name in names]),
    ]


@pytest.mark.parametrize("names", [LABELS, ["one"], [str(n) for n in range(40)]], ids=["odd", "one", "many"])
def test_nothing_runs_out_of_the_picture_and_the_whole_name_stands_in_a_title(names: list[str]) -> None:
    for chart in made(names):
        for shape in chart.shapes:
            assert 0 <= shape.x <= chart.width
            assert 0 <= shape.y <= chart.height
            assert shape.x + shape.width <= chart.width + 1
            assert columns(shape.text) <= chart.width / 6
        titles = {shape.title for shape in chart.shapes}
        assert all(name in titles for name in names if columns(name) > 21)


@pytest.mark.parametrize("names", [LABELS, []], ids=["odd", "none"])
def test_the_twin_has_a_row_for_each_bar(names: list[str]) -> None:
    assert [len(chart.rows) for chart in made(names)] == [len(names)] * 3


def test_bars_of_nothing_have_no_length_but_are_there() -> None:
    (rect,) = [shape for shape in bars("a", HEAD, [("x", 0)]).shapes if shape.kind == "rect"]
    assert rect.width == 1


@pytest.mark.parametrize(
    ("before", "after", "window"),
    [
        ([(0, 3)], [], (10, 60)),
        ([(1, 1), (9, 2), (10, 3), (60, 4), (61, 5)], [(10, 3), (60, 4)], (10, 60)),
        ([(5_000_000, 1)], [(5_000_000, 1)], (None, None)),
        ([(7, 7)], [(7, 7)], (50, None)),
        ([], [], (0, 0)),
    ],
)
def test_a_histogram_loses_no_row_and_shades_the_window(
    before: list[tuple[int, int]], after: list[tuple[int, int]], window: tuple[int | None, int | None]
) -> None:
    chart = histogram("h", before, after, window)
    for column, counts in ((1, before), (2, after)):
        assert sum(int(row[column].replace(",", "")) for row in chart.rows) == sum(n for _, n in counts)
    shade = next(shape for shape in chart.shapes if shape.cls == "window")
    assert 0 <= shade.x <= shade.x + shade.width <= chart.width


def test_the_window_begins_between_the_last_short_and_the_first_allowed_length() -> None:
    shade = histogram("h", [(n, 1) for n in range(64)], [], (8, 15)).shapes[0]
    bins = [row[0] for row in histogram("h", [(n, 1) for n in range(64)], [], (8, 15)).rows]
    wide = (WIDTH - 20) / len(bins)
    first = next(i for i, name in enumerate(bins) if name.startswith("8–"))
    last = next(i for i, name in enumerate(bins) if name.startswith("16–"))
    assert shade.x == pytest.approx(10 + first * wide, abs=0.1)
    assert shade.x + shade.width == pytest.approx(10 + last * wide, abs=0.2)


@pytest.mark.parametrize(
    ("text", "width", "want"), [("", 0, ""), ("ab", 2, "ab"), ("abc", 2, "a…"), ("标题", 3, "标…"), ("标题", 1, "…")]
)
def test_text_is_cut_by_width(text: str, width: int, want: str) -> None:
    assert cut(text, width) == want
