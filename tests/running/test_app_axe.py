"""axe finds nothing on the pages of the app; nothing is wider than a phone."""

import shutil

import pytest

from quantext.datasets.judged import judged_survey
from tests.support.app_server import Served
from tests.support.browser import started

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A folder in which everything has been done once, in a browser."""
    folder = tmp_path_factory.mktemp("app")
    judged = folder.parent / "judged.csv"
    judged_survey(2000, seed=1).table.write_csv(judged)
    server = Served(folder)
    # axe is a script that the policy of our pages would not run.
    with started(tmp_path_factory.mktemp("profile"), bypass_csp=True) as context:
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.goto(server.url)
        page.empty = axe_of(page)
        page.click("#example")
        page.wait_for_url("**/tables/example.csv")
        page.get_by_role("link", name="Train a model").click()
        page.get_by_role("button", name="Train", exact=True).click()
        page.wait_for_url("**/models/*.qx")
        page.model = page.url
        page.goto(server.url.partition("?")[0] + "estimate/example-later.csv")
        page.get_by_role("button", name="Count").click()
        page.wait_for_url("**/pages/**")
        page.result = page.url
        shutil.copy(judged, folder)
        page.root = server.url.partition("?")[0]
        page.goto(page.root + "correct/judged.csv")
        page.select_option("select[name=design]", "srs")
        page.get_by_role("button", name="Correct", exact=True).click()
        page.wait_for_selector("#shares")
        yield page
    server.close()


def axe_of(page):
    """What axe finds, in light and dark, on a desk and on a phone."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not there")
    found = {}
    for width in (1280, 390):
        for theme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=theme)
            # What is in a frame is a page of results, which has tests of its own.
            violations = axe.Axe().run(page, {"exclude": [["iframe"]]}).response["violations"]
            found[width, theme] = [
                (one["id"], [node["target"] for node in one["nodes"]]) for one in violations
            ]
        wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        found[width, "wider"] = ["it scrolls sideways"] if wide else []
    return {where: what for where, what in found.items() if what}


def test_an_empty_folder(page):
    assert page.empty == {}


@pytest.mark.parametrize(
    "path",
    ["", "tables/example.csv", "train/example.csv", "estimate/example-later.csv",
     "compare/example.csv", "correct/judged.csv", "tables/none.csv"],
)  # fmt: skip
def test_a_page(page, path):
    page.goto(page.root + path)
    page.wait_for_load_state("networkidle")
    assert axe_of(page) == {}


def test_the_pages_of_a_model_and_of_a_result(page):
    for address in (page.model, page.result):
        page.goto(address)
        assert axe_of(page) == {}
