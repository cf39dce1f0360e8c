"""The path in a real browser: from a spreadsheet to the page of estimates, by mouse and keys."""

import contextlib
import re
import subprocess
import sys
from random import Random

import pytest
import xlsxwriter

from tests.support.browser import started

pytestmark = pytest.mark.slow

SAYS = {
    "battery": ["the battery lasts long", "my battery died soon", "it charges for ages"],
    "price": ["the price is too high", "a good price, cheap", "it cost a lot of money"],
}
FILLING = ["very", "quite", "rather", "really", "so", "yes", "maybe", "thing", "day", "week"]
BAD = "<img src=x onerror=document.title=1>"


def document(random, topic):
    return f"{random.choice(SAYS[topic])} {' '.join(random.choices(FILLING, k=6))} {BAD}"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Of a server for an empty folder."""
    folder = tmp_path_factory.mktemp("work")
    command = [sys.executable, "-m", "quantext", "app", str(folder), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        lines = iter(server.stdout.readline, "")
        yield next(found[0] for line in lines if (found := re.search(r"http://\S+", line)))
        server.terminate()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with started(tmp_path_factory.mktemp("profile"), accept_downloads=True) as context:
        yield context


@pytest.fixture
def page(browser, address):
    page = browser.new_page()
    page.set_default_timeout(60_000)
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(address)
    yield page
    page.close()
    assert said == []


def two_sheets(path):
    random = Random(0)
    with xlsxwriter.Workbook(path) as book:
        for name in ("May", "It's June"):
            sheet = book.add_worksheet(name)
            sheet.write_row(0, 0, ["answer", "topic"])
            for row in range(1, 201):
                topic = random.choice([*SAYS])
                sheet.write_row(row, 0, [document(random, topic), topic if row % 20 else "N/A"])


def new_documents(path):
    """Of which nobody can know whether the day or the month comes first."""
    random = Random(1)
    lines = ["when,branch,said"]
    for i in range(300):
        topic = "battery" if random.random() < 0.7 else "price"
        day = f"{1 + i % 12:02}/{1 + i // 25:02}/2024"
        lines.append(f'{day},{"NS"[i % 2]},"{document(random, topic)}"')
    path.write_text("\n".join(lines) + "\n")


def test_from_a_spreadsheet_to_the_page_of_estimates(page, tmp_path):
    two_sheets(tmp_path / "coded.xlsx")
    new_documents(tmp_path / "new.csv")

    page.set_input_files("#file", tmp_path / "coded.xlsx")
    page.get_by_role("button", name="It's June").click()  # which sheet?
    page.get_by_text("'N/A' (10) may say that a label is missing").wait_for()
    assert BAD in page.locator(".preview td").first.inner_text()
    with page.expect_response("**/choices"):
        page.get_by_label("Leave these rows out").check()
    assert "Train a model" in page.locator(".card.advised").inner_text()

    page.get_by_role("link", name="Train a model").press("Enter")
    page.wait_for_url("**/train/**")  # and its scripts, without which a form is sent as it stands
    page.get_by_label("Name of the model file").fill("topics.qx")
    page.get_by_role("button", name="Train", exact=True).press("Enter")
    page.wait_for_url("**/models/topics.qx")
    assert page.locator("table.told tbody tr").count() == 2
    assert "of 100 such documents" in page.locator("table.told").inner_text()

    page.set_input_files("#file", tmp_path / "new.csv")
    page.wait_for_url("**/estimate/new.csv?model=topics.qx")
    page.get_by_role("button", name="Count").wait_for()
    assert page.locator("select[name=text]").input_value() == "said"
    page.locator("select[name=by]").first.select_option("when")
    page.get_by_label("A batch is each").select_option("year")
    page.get_by_label("How are the dates written?").select_option("%m/%d/%Y")
    page.get_by_role("button", name="Count").click()
    page.wait_for_url("**/pages/new-estimates.html")

    frame = page.frame_locator("iframe.shown")
    frame.locator(".plot svg").first.wait_for()
    assert "battery" in frame.locator("h1").inner_text()
    with page.expect_download() as taken:
        page.get_by_role("link", name="Table, .csv").click()
    rows = [line.split(",") for line in taken.value.path().read_text().splitlines()]
    shares = {row[1]: [*map(float, (row[2], row[4], row[5]))] for row in rows[1:]}
    share, low, high = shares["battery"]
    assert low <= 0.7 <= high
    assert abs(share - 0.7) < 0.1
    for name in ("Download the page", "Table, .xlsx", "Model"):
        with page.expect_download() as taken:
            page.get_by_role("link", name=name, exact=True).click()
        assert taken.value.path().stat().st_size > 1000


def test_the_page_of_estimates_works_in_its_frame(page):
    page.goto(page.url + "pages/new-estimates.html")
    frame = page.frame_locator("iframe.shown")
    frame.locator(".plot svg").first.wait_for()
    frame.locator("button.theme").click()
    assert frame.locator("html").get_attribute("data-theme") in ("light", "dark")
    frame.get_by_role("button", name="Copy CSV").first.click()
    frame.get_by_text(re.compile("^(Copied|Press Ctrl)")).first.wait_for()
    with page.expect_download() as taken:
        frame.locator("#download").click()
    assert taken.value.suggested_filename == "estimates.csv"


def test_dates_of_another_column_are_asked_for_when_the_work_has_begun(page):
    page.goto(page.url + "estimate/new.csv?model=topics.qx")
    page.locator("select[name=by]").first.select_option("when")
    # As if the look at the table had found nothing odd about its dates.
    page.evaluate("quantext.data.dates = null")
    page.locator("select[name=by]").first.dispatch_event("change")
    page.get_by_role("button", name="Count").click()
    page.get_by_role("button", name="2 January 2024").press("Enter")
    page.wait_for_url("**/pages/new-estimates-2.html")


def test_a_model_from_elsewhere_says_what_is_in_it(page, tmp_path):
    with page.expect_download() as taken, contextlib.suppress(Exception):
        page.goto(page.url + "files/topics.qx")
    (tmp_path / "theirs.qx").write_bytes(taken.value.path().read_bytes())
    page.set_input_files("#file", tmp_path / "theirs.qx")
    page.wait_for_url("**/models/theirs.qx")
    assert "190 documents of coded.xlsx by the method Adaptive" in page.inner_text(".lead")
    assert page.locator("table.told tbody tr").count() == 2
