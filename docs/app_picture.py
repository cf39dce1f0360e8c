"""Photograph the page on which documents are labelled, for docs/app.md; `make pictures` runs it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from playwright.sync_api import Page, sync_playwright

from quantext.datasets.synthetic import synthetic

HERE = Path(__file__).parent
CLASSES = ["negative", "neutral", "positive"]
LABELS = 120


def label(page: Page, address: str, table: Path, truth: dict[str, str]) -> None:
    """Drop the table, name the classes, and label documents by their keys."""
    page.goto(address)
    page.set_input_files("#file", table)
    page.wait_for_url("**/tables/**")
    page.goto(page.url.replace("/tables/", "/label/"))
    page.fill("#classes", "\n".join(CLASSES))
    page.click("#question button")
    page.wait_for_function("() => document.getElementById('document')?.textContent")
    for _ in range(LABELS):
        text = page.text_content("#document") or ""
        page.keyboard.press(str(CLASSES.index(truth[text]) + 1))
        page.wait_for_function(
            "text => { const shown = document.getElementById('document');"
            " return shown.textContent !== text && !shown.classList.contains('quiet'); }",
            arg=text,
        )


if __name__ == "__main__":
    corpus = synthetic(3000, weeks=4, labels="sentiment", seed=3)
    assert corpus.labels is not None
    known = dict(zip(corpus.texts, corpus.labels, strict=True))
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        answers = Path(folder) / "answers.csv"
        pl.DataFrame({"answer": corpus.texts}).write_csv(answers)
        command = [sys.executable, "-m", "quantext", "app", f"{folder}/survey", "--no-browser"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        told = (re.search(r"http://\S+", line) for line in server.stdout)
        address = next(found.group() for found in told if found)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1100, "height": 800}, color_scheme="light")
        tab.set_default_timeout(120_000)
        label(tab, address, answers, known)
        tab.wait_for_timeout(1500)  # until the shares are those of all labels
        tab.screenshot(path=HERE / "app.png")
        browser.close()
        server.terminate()
    print("docs/app.png is the page of labelling as it is now")
