"""The page as a machine sees it: allowed tags only, nothing loaded, nothing executed, every number twice."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from runs import PWN, STRANGE, made_run

from cleanse.report.page.build import as_data, html
from cleanse.run.finished import Finished, finished
from cleanse.settings import ReportSettings

SECTIONS = "verdict gates funnel reasons encodings lengths classes shards resampling samples provenance".split()
FIGURES = "fig-funnel fig-reasons fig-title-length fig-body-length fig-classes fig-shards fig-resampling".split()
TAGS = set(
    "html head meta title style script noscript body header main footer nav section article figure figcaption details "
    "summary h1 h2 h3 h4 p ul ol li dl dt dd div span b strong em code pre del ins small br hr a button label select "
    "option input table caption colgroup col thead tbody tfoot tr th td time svg g desc defs clippath pattern rect "
    "path line polyline circle text tspan".split()
)


class Page(HTMLParser):
    """Every tag with its attributes, and the text of scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    return finished(made_run(tmp_path_factory.mktemp("page")))


@pytest.fixture(scope="module")
def text(run: Finished) -> str:
    return html(run, ReportSettings(), "en")


def test_every_section_and_figure_is_there_in_order(text: str) -> None:
    tags = Page(text).tags
    assert [attrs["id"] for tag, attrs in tags if tag == "section"] == SECTIONS
    assert [attrs["id"] for tag, attrs in tags if tag == "figure"] == FIGURES
    ids = {attrs.get("id") for _, attrs in tags}
    named = [attrs for tag, attrs in tags if tag == "svg"]
    assert len(named) == len(FIGURES)
    assert all(attrs["role"] == "img" and attrs["aria-labelledby"] in ids for attrs in named)
    assert all(attrs.get("scope") for tag, attrs in tags if tag == "th")


def test_only_known_tags_no_handler_no_style_no_reference(text: str) -> None:
    for tag, attrs in Page(text).tags:
        assert tag in TAGS, tag
        for name, value in attrs.items():
            assert not name.startswith("on"), (tag, name)
            assert name != "style", tag
            assert name not in ("src", "srcset", "action", "xlink:href"), (tag, name)
            assert name != "href" or (value or "").startswith("#"), value


def test_the_policy_is_the_two_hashes_of_the_page_and_nothing_else(text: str) -> None:
    policy = next(attrs["content"] for tag, attrs in Page(text).tags if attrs.get("http-equiv"))
    rules = {part.split()[0]: part.split()[1:] for part in str(policy).split(";")}
    for tag in ("style", "script"):
        (block,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.S)
        digest = base64.b64encode(hashlib.sha256(block.encode()).digest()).decode()
        assert rules[f"{tag}-src"] == [f"'sha256-{digest}'"]
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == ["'none'"]
    assert set(rules) == {"default-src", "style-src", "script-src", "img-src", "base-uri", "form-action"}
    assert not re.search(r"@import|url\(", text.partition("</style>")[0])


def test_planted_text_stays_text(text: str) -> None:
    assert PWN in text.replace("&#39;", "'").replace("&lt;", "<").replace("&gt;", ">")
    assert not re.search(r"<script[^>]*>document", text)
    block = text.partition('id="samples-data">')[2].partition("</script>")[0]
    assert not set(block) & set("<>&\u2028\u2029\u202e\x1b")
    assert any(PWN in "".join(part for _, part in sample["diff"]) for sample in json.loads(block))


def test_both_languages_stand_in_every_heading(text: str) -> None:
    for heading in re.findall(r"<h2.*?</h2>", text):
        assert re.search(r'<span lang="en">\w.*?</span><span lang="zh-CN">.*[\u4e00-\u9fff]', heading), heading
    assert '<html lang="en">' in text


def test_numbers_of_the_page_are_those_of_the_files(run: Finished, text: str) -> None:
    for entry in run.manifest["entries"]:
        for reason, n in entry["rejected"].items():
            assert re.search(rf"<code>{reason}</code>.*?<td class=\"n\">{n:,}</td>", text, re.S), reason
    assert f"<dd>{run.metrics()['rows.in']:,}</dd>" in text
    assert f"<dd>{run.metrics()['rows.out']:,}</dd>" in text


def samples(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text.partition('id="samples-data">')[2].partition("</script>")[0])
    return found


def test_each_reason_has_its_first_five_samples_and_kept_rows_that_changed_are_shown(run: Finished, text: str) -> None:
    found = samples(text)
    for reason, n in pl.read_parquet(run.out / "rejects/*.parquet")["_reason"].value_counts().iter_rows():
        assert len({s["id"] for s in found if s["reason"] == reason}) >= min(5, n), reason
    assert {s["kind"] for s in found} == {"rejected", "changed", "near"}
    before = pl.read_parquet(run.out / "stages/1-decode/kept/*.parquet")
    texts = {
        id: [title or "", body or "", label or ""]
        for id, title, body, label in before.select("_id", "title", "body", "label").iter_rows()
    }
    for s in found:
        was = "".join(part for op, part in s["diff"] if op in "=-")
        assert s["id"] not in texts or any(was in each for each in texts[s["id"]]), s
    assert len(re.findall("<article>", text)) == min(20, len(found))


@pytest.mark.parametrize("limit", [0, 1, 5, 12])
def test_never_more_samples_than_asked_for(run: Finished, limit: int) -> None:
    found = samples(html(run, ReportSettings(samples=limit), "en"))
    assert len({s["id"] for s in found}) <= limit


def test_excerpts_and_language_follow_the_settings(run: Finished) -> None:
    text = html(run, ReportSettings(excerpt=20, title="一批数据", lang="zh-CN"), "en")
    assert all(sum(len(part) for _, part in s["diff"]) <= 20 for s in samples(text))
    assert '<html lang="zh-CN">' in text
    assert "<h1>cleanse · 一批数据</h1>" in text


def test_personal_data_is_masked_where_it_is_asked_for(run: Finished) -> None:
    plain, masked = (html(run, ReportSettings(redact=redact), "en") for redact in (False, True))
    assert "13800138000" in plain
    assert "13800138000" not in masked


def test_the_same_folder_gives_the_same_bytes(run: Finished, text: str) -> None:
    assert html(run, ReportSettings(), "en") == text


@pytest.mark.parametrize("kind", STRANGE)
def test_a_strange_run_has_all_sections(tmp_path: Path, kind: str) -> None:
    text = html(finished(made_run(tmp_path, kind)), ReportSettings(max_labels=5, max_shards=5), "en")
    assert [attrs["id"] for tag, attrs in Page(text).tags if tag == "section"] == SECTIONS
    assert len(text.encode()) < 500_000
    if kind == "no labels":
        assert "fig-classes" not in text


def test_data_is_json_again() -> None:
    hostile = ["</script>", "\u2028\u202e\x00\ud800", "&lt;"]
    assert json.loads(as_data(hostile)) == hostile


def test_only_one_module_makes_markup_and_no_template_says_safe() -> None:
    folder = Path(__file__).parents[3] / "cleanse"
    assert [path.name for path in folder.rglob("*.py") if "Markup(" in path.read_text(encoding="utf-8")] == ["build.py"]
    assert not [path for path in folder.rglob("*.j2") if re.search(r"\|\s*safe", path.read_text(encoding="utf-8"))]
