"""Draw the demo: its figure, and the picture of its page in the README; `make pictures` runs it."""

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from matplotlib.figure import Figure

from quantext.reports.demo import Demo, run_demo, write_demo
from quantext.reports.plots import save_figure

HERE = Path(__file__).parent
TOPICS = ("battery life", "waiting time on the phone")
SIZE = {"width": 1100, "height": 800}


def draw(demo: Demo) -> Figure:
    """True and estimated shares of two topics, week by week."""
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    for axes, topic in zip(figure.subplots(1, 2, sharey=True), TOPICS, strict=True):
        k = demo.corpus.classes.index(topic)
        weeks = range(9, 9 + len(demo.weeks))
        axes.axhline(demo.p_train[k], color="grey", linestyle="--", linewidth=1, label="training")
        counted, ours = demo.p_hat["CC"][:, k], demo.p_hat["Adaptive"][:, k]
        axes.plot(weeks, counted, color="#d55e00", linewidth=1.3, label="classify and count")
        bounds = demo.low[:, k], demo.high[:, k]
        axes.fill_between(weeks, *bounds, color="#0072b2", alpha=0.2, linewidth=0, label="95%")
        axes.plot(weeks, ours, color="#0072b2", linewidth=1.6, label="quantext")
        axes.plot(weeks, demo.p_true[:, k], color="black", linewidth=1.6, label="truth")
        axes.set_title(f"“{topic}”", fontsize=10)
        axes.set_xlabel("week")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    return figure


def photograph(page: Path, picture: Path) -> None:
    """Write a picture of the top of a page, as Chromium shows it."""
    from playwright.sync_api import sync_playwright

    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        sys.exit(f"Error: no browser to take a picture with; install one of {', '.join(names)}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
        tab.goto(page.as_uri())
        tab.wait_for_selector("svg")  # the charts are drawn by a script
        tab.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    found = run_demo()
    save_figure(draw(found), HERE / "demo", ["svg"])
    with TemporaryDirectory() as folder:
        photograph(write_demo(found, Path(folder))["report.html"], HERE / "page.png")
    print("docs/demo.svg and docs/page.png are those of the demo as it is now")
