"""The documentation as a site: built, opened from the disk, searched, and fit for every reader."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from tests.support.browser import started
from tests.support.places import ROOT

pytestmark = pytest.mark.slow

PAGES = sorted(page.stem for page in (ROOT / "docs").glob("*.md"))
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}

# The entries of the reference look all alike, and to measure the contrast of all takes minutes.
SHORTEN = "entries => entries.slice(20).forEach(entry => entry.remove())"

# Only what is wrong is told, in few words: the page of the reference has 15,000 elements.
LOOK = """(options) => axe.run({preload: false, resultTypes: ["violations"], ...options})
    .then((found) => found.violations.map((wrong) =>
        `${wrong.id}: ${wrong.nodes.length} times, first ${wrong.nodes[0].html}`))"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Folder of the site, built as `make docs` does it."""
    pytest.importorskip("material", reason="the site needs the extra dev")
    pytest.importorskip("mkdocstrings", reason="the site needs the extra dev")
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert built.stderr == ""
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with started(tmp_path_factory.mktemp("profile")) as context:
        yield context


@pytest.fixture
def page(browser):
    """An open tab; afterwards: it has said nothing, and asked no other host for anything."""
    page = browser.new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    yield page
    page.close()
    assert said == []
    assert [address for address in asked if not re.match("file:|data:|about:", address)] == []


class Resources(HTMLParser):
    """Addresses from which a page loads something by itself; links are not among them."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "link" and attrs.get("rel") != "canonical":
            self.found.append(attrs.get("href"))
        elif tag != "a":
            self.found += [attrs.get("src"), attrs.get("srcset"), attrs.get("data")]


def test_every_page_is_there_and_loads_nothing_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert set(PAGES) <= {page.stem for page in pages}
    for page in pages:
        resources = Resources()
        resources.feed(page.read_text("utf-8"))
        elsewhere = [r for r in resources.found if r and re.match(r"(https?:)?//", r)]
        assert not elsewhere, f"{page.name} loads {elsewhere}"
    for sheet in site.rglob("*.css"):
        style = sheet.read_text("utf-8")
        imported = re.findall(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')\s]+)", style)
        assert not imported, f"{sheet.name} loads {imported}"


def test_the_search_finds_pages_when_the_site_is_opened_from_the_disk(site, page):
    page.set_viewport_size(WIDE)
    page.goto((site / "index.html").as_uri())
    page.get_by_role("textbox", name="Search").click()
    page.keyboard.type("what an interval means")
    first = page.locator(".md-search-result__item a").first
    first.wait_for()
    assert "What an interval means" in first.inner_text()
    first.click()
    page.wait_for_url("**/intervals.html*")


def test_no_page_is_wider_than_a_phone_and_wide_tables_scroll_by_themselves(site, page):
    page.set_viewport_size(PHONE)
    scrolled = 0
    for name in PAGES:
        page.goto((site / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], name
        widths = "tables => tables.map(t => [t.getBoundingClientRect().right, t.scrollWidth])"
        for right, width in page.locator(".table").evaluate_all(widths):
            assert right <= PHONE["width"], name
            scrolled += width > PHONE["width"]
    assert scrolled > 10


@pytest.mark.parametrize(
    ("window", "scheme", "rules"),
    [
        (WIDE, "light", {}),
        (WIDE, "dark", {"runOnly": ["color-contrast", "link-in-text-block"]}),
        # What is asked of contrast does not depend on the width, and takes most of the time.
        (PHONE, "light", {"rules": {"color-contrast": {"enabled": False}}}),
    ],
    ids=["light", "dark", "phone"],
)
def test_axe_finds_nothing_wrong_with_any_page(site, page, window, scheme, rules):
    axe = pytest.importorskip("axe_playwright_python.base", reason="axe is not installed")
    page.set_viewport_size(window)
    page.emulate_media(color_scheme=scheme)
    for name in PAGES:
        page.goto((site / f"{name}.html").as_uri())
        if window is WIDE:
            page.locator(".doc-object").evaluate_all(SHORTEN)
        page.evaluate(axe.AXE_SCRIPT)
        assert page.evaluate(LOOK, rules) == [], name
