"""A real browser for tests of pages."""

import shutil
from contextlib import contextmanager

import pytest

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
OPTIONS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


@contextmanager
def started(folder, **options):
    """The browser, with its profile in the folder; a test skips where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with sync_api.sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            folder, executable_path=CHROMIUM, args=OPTIONS, headless=True, **options
        )
        yield context
        context.close()


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


def make_as_wide(page, width):
    """Make the window as wide; fails unless the page is soon no wider, once it is drawn anew."""
    page.set_viewport_size({"width": width, "height": 900})
    fits = "(width) => document.documentElement.scrollWidth <= width"
    page.wait_for_function(fits, arg=width, timeout=10_000)
