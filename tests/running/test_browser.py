"""The pages in a real browser: they draw, sort, filter, and ask the network for nothing."""

import io
from contextlib import contextmanager

import polars as pl
import pytest

from quantext.models.changes import Change, WordChange
from quantext.models.verdicts import Verdict
from quantext.reports.correct import correct
from quantext.reports.estimates_page import estimates_page
from quantext.reports.experiment_page import render, summarise
from tests.support.browser import started
from tests.support.estimates import example_estimates
from tests.support.results import example_results

pytestmark = pytest.mark.slow

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
    with started(tmp_path_factory.mktemp("profile")) as context:
        yield context


@contextmanager
def opened(browser, url, drawn):
    """The page, open; afterwards: no error, no message, no request but for itself."""
    page = browser.new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": 1400, "height": 900})
    page.goto(url)
    page.wait_for_selector(drawn)
    yield page
    page.close()
    assert said == []
    others = [address for address in asked if address not in (url, "data:,")]
    assert [address for address in others if not address.startswith("blob:")] == []


@pytest.fixture
def page(browser, url):
    with opened(browser, url, "#trend-plot svg") as page:
        yield page


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


# Estimates ---------------------------------------------------------------------------------------

NAMES = [BAD, *(f"topic {k}" for k in range(1, 40))]


def written(folder, table, about=None):
    path = folder / "estimates.html"
    path.write_text(estimates_page(table, about), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def estimates():
    return example_estimates(40, 12, names=NAMES)


@pytest.fixture
def trends(browser, estimates, tmp_path):
    url = written(tmp_path, estimates, {"known_share": [0.9] * 11 + [0.4]})
    with opened(browser, url, "#bars-plot svg") as page:
        yield page


def test_the_trend_has_the_estimate_its_band_the_training_share_and_the_truth(trends):
    plot = trends.locator("#trend-plot")
    assert plot.locator("path.line").count() == 2
    assert plot.locator("polygon.band").count() == 1
    assert plot.locator("path.marks").get_attribute("d").count("M") == 12


def test_every_class_has_a_small_trend_that_shows_it_large(trends):
    assert trends.locator(".mini").count() == 24
    trends.get_by_role("button", name="Show all 40 classes").first.click()
    assert trends.locator(".mini").count() == 40
    trends.locator(".mini", has_text="alert").click()
    assert trends.inner_text("#trend-name") == BAD
    assert trends.locator(".mini[aria-pressed=true]").count() == 1


def test_small_trends_are_found_by_name_and_put_in_order(trends):
    trends.fill("#find", "TOPIC 1")
    assert trends.inner_text("#found") == "13 of 40 classes"  # 1, 10 to 19, 21, 31
    trends.select_option("#order", "name")
    assert trends.locator(".mini .name").all_inner_texts()[:3] == [
        "topic 1",
        "topic 10",
        "topic 11",
    ]


def test_a_batch_is_chosen_and_its_bars_are_drawn_largest_first(trends, estimates):
    trends.click("#earlier")
    week = estimates["batch"].unique().sort()[-2]
    assert trends.inner_text("#bars-name").startswith(f"{week}, ")
    largest = estimates.filter(pl.col("batch") == week).sort("share", descending=True)["class"]
    names = trends.locator("#bars-plot text.strong").all_text_contents()[::2]
    assert names == largest.head(25).to_list()
    assert trends.locator("#bars-plot rect.bar").count() == 25


def test_pointing_at_a_bar_tells_its_numbers(trends):
    trends.locator("#bars-plot svg > rect").nth(1).hover()
    assert "95% interval" in trends.locator("#bars-plot .tip").inner_text()


QUOTED = {
    "a": [BAD, "👩\u200d👩\u200d👧 ok", "bell\x07\u202e"],
    "b": ["البطارية جيدة", "long " * 90, "x" * 400],
}


def quotes_of(names):
    """Three quotes of the first class in each of two bags, and one of the second in the last."""
    rows = [
        (bag, names[0], i, text, 1.0)
        for bag, own in QUOTED.items()
        for i, text in enumerate(own, 1)
    ]
    schema = ["batch", "class", "rank", "text", "score"]
    return pl.DataFrame([*rows, ("b", names[1], 1, "the second", 1.0)], schema=schema, orient="row")


@pytest.fixture
def quoted(browser, tmp_path):
    names = [BAD, "second"]
    table = example_estimates(2, 2, names=names, multilabel=False).with_columns(
        batch=pl.Series(["a", "a", "b", "b"])
    )
    url = written(tmp_path, table, {"quotes": quotes_of(names)})
    with opened(browser, url, "#quotes-list blockquote") as page:
        yield page


def test_the_documents_of_the_chosen_batch_are_quoted_as_text(quoted):
    texts = quoted.locator("#quotes-list blockquote")
    assert quoted.locator("#quotes-of").inner_text() == "a"
    assert texts.all_text_contents() == [BAD, "👩\u200d👩\u200d👧 ok", "bell"]
    assert quoted.locator("#quotes-list h3 bdi").all_text_contents() == [BAD]
    assert (
        quoted.locator("#quotes-none").inner_text()
        == "By their scores no documents are put in “second”."
    )
    quoted.select_option("#batch", "1")
    assert quoted.locator("#quotes-of").inner_text() == "b"
    assert sorted(texts.all_text_contents()) == sorted(
        ["البطارية جيدة", ("long " * 56).strip() + "…", "x" * 279 + "…", "the second"]
    )
    assert quoted.locator("#quotes-none").is_hidden()


def test_a_quote_runs_in_the_direction_of_its_script(quoted):
    quoted.select_option("#batch", "1")
    direction = "e => [...e].map((q) => getComputedStyle(q).direction)"
    found = quoted.locator("#quotes-list blockquote", has_text="البطارية").evaluate_all(direction)
    assert found == ["rtl"]
    found = quoted.locator("#quotes-list blockquote", has_text="the second").evaluate_all(direction)
    assert found == ["ltr"]


@pytest.mark.parametrize("width", [390, 1280])
def test_quotes_are_never_wider_than_the_window(quoted, width):
    quoted.set_viewport_size({"width": width, "height": 800})
    quoted.select_option("#batch", "1")
    assert quoted.evaluate("document.documentElement.scrollWidth") <= width


def test_a_batch_says_what_it_deserves_why_and_which_words_have_changed(browser, tmp_path):
    verdicts = {week: Verdict("fine") for week in example_estimates(3, 3)["batch"].unique()}
    last = max(verdicts)
    verdicts[last] = Verdict("distrust", ("It rains.", f"It pours {BAD}."))
    words = (WordChange("umbrella", 0.75, 0.04), WordChange(BAD, 0.0, 0.3))
    about = {"verdicts": verdicts, "changes": {last: Change(0.3, 1.0, words)}}
    url = written(tmp_path, example_estimates(3, 3), about)
    with opened(browser, url, "#bars-plot svg") as page:
        assert page.locator("#verdict p.distrust").inner_text() == "Do not trust"
        assert page.locator("#verdict li").all_inner_texts() == ["It rains.", f"It pours {BAD}."]
        assert page.locator("#words-plot rect.bar").count() == 4
        assert "umbrella" in page.inner_text("#words-plot")
        page.click("#earlier")
        assert page.locator("#verdict p.fine").inner_text() == "Fine"
        assert page.locator("#verdict li").count() == 0
        assert page.locator("#words").is_hidden()


def test_the_table_of_estimates_sorts_all_rows_and_shows_some(trends, estimates):
    trends.locator("#estimates thead button", has_text="share").click()
    trends.locator("#estimates thead button", has_text="share").click()
    shown = column(trends, "#estimates", 3)
    assert len(shown) == 50
    expected = estimates["share"].sort(descending=True).head(50)
    assert [float(text) for text in shown] == pytest.approx((100 * expected).to_list(), abs=0.0051)
    trends.fill("#table-find", "topic 7 2024-03-04")
    assert trends.inner_text("#table-count") == "4 of 480 rows"  # topics 7, 17, 27, 37


def test_the_table_of_estimates_is_downloaded_as_csv(trends, estimates):
    with trends.expect_download() as download:
        trends.click("#download")
    assert download.value.suggested_filename == "estimates.csv"
    text = download.value.path().read_bytes()
    assert text.startswith(b"\xef\xbb\xbf")
    table = pl.read_csv(io.BytesIO(text), try_parse_dates=True)
    assert table["class"].to_list() == estimates["class"].to_list()
    assert table["batch"].to_list() == estimates["batch"].to_list()
    assert set(table["verdict"]) <= {"fine", "care", "distrust"}
    for name in ("share", "low", "high", "count", "size", "p_train", "true_share"):
        assert table[name].to_list() == pytest.approx(estimates[name].to_list(), abs=5e-7)


def test_batches_that_are_not_to_be_trusted_are_marked(trends):
    assert trends.locator("#batches tbody tr").first.inner_text().split("\t")[1] == "Do not trust"
    assert trends.inner_text("#drift-legend").strip().endswith("Do not trust")


@pytest.mark.parametrize("width", [400, 1400])
def test_the_page_of_estimates_is_never_wider_than_the_window(trends, width):
    trends.set_viewport_size({"width": width, "height": 900})
    trends.wait_for_timeout(100)
    assert trends.evaluate("document.documentElement.scrollWidth") <= width


def test_the_page_of_estimates_prints(trends):
    assert trends.pdf(format="A4").startswith(b"%PDF")
    trends.emulate_media(media="print")
    assert not trends.locator("#download").is_visible()


@pytest.mark.parametrize("intervals", [True, False])
def test_a_single_batch_is_shown_as_bars(browser, tmp_path, intervals):
    url = written(tmp_path, example_estimates(3, 1, intervals=intervals, truth=False))
    with opened(browser, url, "#bars-plot svg") as page:
        assert page.locator("#bars-plot rect.bar").count() == 3
        assert page.locator("#bars-plot path.whisker").count() == 3 * intervals
        assert page.locator("#trends").count() == 0


def test_batches_that_are_not_in_time_are_points_with_whiskers(browser, tmp_path):
    table = example_estimates(3, 5, truth=False)
    url = written(tmp_path, table, {"in_time": False})
    with opened(browser, url, "#trend-plot svg") as page:
        assert page.locator("#trend-plot path.line").count() == 1  # the training share
        assert page.locator("#trend-plot line.whisker").count() == 5


def test_the_page_of_a_correction_shows_each_batch_and_each_class(browser, tmp_path):
    classes = [BAD, "no", "yes"]
    says = [classes[i % 3] for i in range(600)]
    truth = [classes[(i + (i % 7 == 0)) % 3] if i % 4 < 2 else None for i in range(600)]
    by = [f"week {1 + i // 300}" for i in range(600)]
    correct(says, truth, design="srs", by=by).report(tmp_path / "a.html")
    with opened(browser, (tmp_path / "a.html").as_uri(), "#over-plot svg") as page:
        assert page.locator("#bars-plot rect.bar").count() == 3
        assert page.locator("#bars-plot path.whisker").count() == 3
        assert page.locator("#bars-plot circle.dot").count() == 3
        assert page.inner_text("#bars-name") == "week 2: 300 documents, 150 known truths"
        page.locator("#earlier").click()
        assert page.inner_text("#bars-name") == "week 1: 300 documents, 150 known truths"
        page.locator("#bars-plot svg > rect").nth(1).hover()
        assert "As the model says" in page.locator("#bars-plot .tip").inner_text()
        page.select_option("#class", label=BAD)
        assert page.inner_text("#over-name") == BAD
        assert page.locator("#over-plot polygon.band").count() == 1
        page.set_viewport_size({"width": 390, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
