"""The page in chromium: it works under its own policy, offline, and shuts nobody out."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import axe_core_python
import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from runs import PWN, made_run

CHROMIUM = shutil.which("chromium")
AXE = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine: apt-get install chromium"),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    from cleanse.report.page.build import write_report
    from cleanse.run.finished import finished
    from cleanse.settings import ReportSettings

    out = made_run(tmp_path_factory.mktemp("browser"))
    write_report(finished(out), ReportSettings(), out / "report.html", "en")
    return (out / "report.html").as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


def opened(browser: Browser, address: str, width: int = 1280, scheme: str = "light", *, axe: bool = False) -> Page:
    """A fresh offline page that fails on any message of the console and on any request."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True, bypass_csp=axe,  # type: ignore[arg-type]  # light or dark
    )  # fmt: skip
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda problem: said.append(str(problem)))
    page.on("request", lambda request: None if request.url == address else said.append(request.url))
    page.goto(address)
    assert said == []
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("lang", ["en", "zh-CN"])
def test_axe_finds_nothing_serious(browser: Browser, address: str, scheme: str, lang: str) -> None:
    page = opened(browser, address, scheme=scheme, axe=True)
    if lang != "en":
        page.click("#lang")
    assert page.evaluate("document.documentElement.lang") == lang
    page.evaluate(AXE)
    found = page.evaluate("axe.run()")["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in ("serious", "critical")] == []


@pytest.mark.parametrize("width", [320, 500, 1280])
def test_nothing_scrolls_sideways(browser: Browser, address: str, width: int) -> None:
    page = opened(browser, address, width=width)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_planted_scripts_do_not_run(browser: Browser, address: str) -> None:
    assert opened(browser, address).evaluate("document.documentElement.dataset.pwned") is None
    assert opened(browser, address, axe=True).evaluate("document.documentElement.dataset.pwned") is None


def test_samples_are_filtered_and_searched(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    whole = page.inner_text("#samples-count")
    page.select_option("#samples-reason", "title_short")
    n = int(page.inner_text("#samples-count").split(" / ")[0])
    assert 5 <= n == page.locator("#samples-list article").count()
    page.select_option("#samples-reason", "")
    page.fill("#samples-search", "来自第二个文件")
    assert page.inner_text("#samples-count") != whole
    page.fill("#samples-search", PWN)
    assert page.locator("#samples-list article").count() >= 1
    page.fill("#samples-search", "no such text")
    assert page.inner_text("#samples-count").startswith("0 / ")


def test_removed_text_is_struck_through_and_invisible_signs_can_be_shown(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    page.select_option("#samples-reason", "changed")
    assert "<script>" in page.locator("#samples-list del").all_inner_texts()[0]
    assert (
        page.locator("#samples-list del").first.evaluate("d => getComputedStyle(d).textDecorationLine")
        == "line-through"
    )
    page.select_option("#samples-reason", "")
    page.check("#samples-marks")
    assert "·" in page.inner_text("#samples-list")
    assert "\u202e" not in page.inner_text("#samples-list")


def test_paper_shows_ten_samples_and_no_controls(browser: Browser, address: str) -> None:
    page = opened(browser, address)
    page.emulate_media(media="print")
    assert not page.is_visible("#lang")
    assert sum(each.is_visible() for each in page.locator("#samples-list article").all()) == 10


def test_the_page_is_of_use_without_script(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(address)
    assert page.locator("#samples-list article").count() == 20
    assert "cleanse show" in page.inner_text("noscript")
