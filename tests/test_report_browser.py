"""The page in a real browser: it draws, sorts, filters, and asks the network for nothing."""

import shutil

import pytest
from example_results import example_results

from quantext.report import render, summarise

pytestmark = pytest.mark.slow

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
OPTIONS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
BAD = '<script>alert("x")</script>'


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    names = [f"{kind} {i}" for i in range(10) for kind in ("grain", "crude", "trade")]
    names[4] = BAD
    results = example_results(30, 12, intervals=True, names=names)
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(summarise(results, {"corpus": "RCV1-v2"})), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    profile = tmp_path_factory.mktemp("profile")
    with sync_api.sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=CHROMIUM, args=OPTIONS, headless=True
        )
        yield context
        context.close()


@pytest.fixture
def page(browser, url):
    """The page, open; afterwards: no error, no message, no request but for itself."""
    page = browser.new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": 1400, "height": 900})
    page.goto(url)
    page.wait_for_selector("#trend-plot svg")
    yield page
    page.close()
    assert said == []
    assert [address for address in asked if address not in (url, "data:,")] == []


def column(page, table, number):
    cells = page.locator(f"{table} tbody tr > :nth-child({number})")
    return [text.strip() for text in cells.all_inner_texts()]


def test_all_charts_are_drawn(page):
    for name in ("by-period", "along-drift", "trend"):
        assert page.locator(f"#{name}-plot path.line").count() >= 3
    assert page.locator("#diagonal-plot path.points").count() > 0
    assert page.locator("#coverage-plot circle").count() == 7


def test_a_click_on_a_header_sorts_the_table_and_another_reverses_it(page):
    table = "#table-kld_by_prevalence table"
    header = page.locator(f"{table} thead tr:last-child th:nth-child(3)")
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    up = column(page, table, 3)
    numbers = [float(text) for text in up if text != "–"]
    assert numbers == sorted(numbers)
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "descending"
    down = column(page, table, 3)
    assert [float(text) for text in down if text != "–"] == numbers[::-1]
    # Methods that only the published table has come last either way.
    assert up[-1] == down[-1] == "–"


def test_names_sort_as_text_with_their_numbers(page):
    page.locator("#classes thead button").first.click()
    names = column(page, "#classes", 1)
    assert names[:3] == [BAD, "crude 0", "crude 2"]


def test_the_search_shows_the_classes_that_match(page):
    page.fill("#filter", "GRAIN 1")
    assert page.locator("#classes tbody tr:visible").all_inner_texts()[0].startswith("grain 1")
    assert page.inner_text("#count") == "1 of 30 classes"
    page.fill("#filter", "")
    assert page.inner_text("#count") == "30 classes"


def test_a_click_on_a_class_shows_its_trend(page):
    before = page.locator("#trend-plot path.line").last.get_attribute("d")
    page.get_by_role("button", name="trade 3", exact=True).click()
    assert page.inner_text("#trend-name") == "trade 3"
    assert page.locator("#trend-plot path.line").last.get_attribute("d") != before
    page.get_by_role("button", name=BAD).click()
    assert page.inner_text("#trend-name") == BAD


def test_methods_are_added_to_a_chart_and_taken_away(page):
    lines = page.locator("#trend-plot path.line")
    shown = lines.count()
    chip = page.locator("#trend-chips button", has_text="MS")
    chip.click()
    assert lines.count() == shown + 1
    chip.click()
    assert lines.count() == shown


def test_pointing_at_a_chart_tells_its_numbers(page):
    page.locator("#by-period-plot svg").first.hover()
    tip = page.locator("#by-period-plot .tip")
    assert tip.is_visible()
    assert "SVM(KLD)" in tip.inner_text()
    assert "e-0" in tip.inner_text()


def test_the_keyboard_walks_along_a_chart(page):
    page.locator("#trend-plot svg").first.focus()
    page.keyboard.press("ArrowRight")
    assert "1996-09-02" in page.locator("#trend-plot .tip").inner_text()


def test_the_theme_follows_the_system_until_the_reader_changes_it(page):
    colour = "getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme="light")
    light = page.evaluate(colour)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(colour)
    assert dark != light
    page.locator("button.theme").click()
    assert page.evaluate(colour) == light


@pytest.mark.parametrize("width", [400, 1400])
def test_the_page_is_never_wider_than_the_window(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_timeout(100)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_page_prints(page):
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.emulate_media(media="print")
    assert not page.locator("#filter").is_visible()


def test_the_policy_stops_a_request_before_it_leaves(browser, url):
    page = browser.new_page()
    page.goto(url)
    directive = page.evaluate(
        """() => new Promise((told) => {
            document.addEventListener("securitypolicyviolation", (e) => told(e.effectiveDirective));
            fetch("http://127.0.0.1:9/").catch(() => {});
        })"""
    )
    page.close()
    assert directive == "connect-src"
