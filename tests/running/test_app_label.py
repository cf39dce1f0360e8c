"""Labelling in a real browser: from an empty folder to shares, through a killed server."""

import csv

import polars as pl
import pytest

from quantext.datasets.synthetic import synthetic
from tests.support.app_server import Served
from tests.support.browser import started

pytestmark = pytest.mark.slow

CLASSES = ["negative", "neutral", "positive"]
PATIENCE = 120_000  # milliseconds, on a machine that others use as well


@pytest.fixture(scope="module")
def tweets(tmp_path_factory):
    """A file of 3,000 made-up tweets, and the truth of each row."""
    # One interval in twenty misses the truth; of this corpus none does, whenever it was learned.
    corpus = synthetic(3000, labels="sentiment", weeks=4, seed=6)
    texts = [f"{text} @{number}" for number, text in enumerate(corpus.texts)]  # none is there twice
    path = tmp_path_factory.mktemp("tweets") / "tweets.csv"
    pl.DataFrame({"tweet": texts}).write_csv(path)
    return path, corpus.labels.to_list()


@pytest.fixture
def served(tmp_path):
    server = Served(tmp_path / "folder")
    yield server
    server.close()


@pytest.fixture
def page(tmp_path, served, request):
    # axe is a script that the policy of our pages would not run.
    bypass = "axe" in request.node.name
    with started(tmp_path / "profile", bypass_csp=bypass) as context:
        context.set_default_timeout(PATIENCE)
        own = context.new_page()
        own.said = []
        own.on("pageerror", lambda error: own.said.append(str(error)))
        own.goto(served.url)
        yield own


def begin(page, path, classes=CLASSES, *, several=False):
    page.set_input_files("#file", path)
    page.wait_for_url("**/tables/**")
    page.goto(page.url.replace("/tables/", "/label/"))
    page.fill("#classes", "\n".join(classes))
    if several:
        page.check("input[value=several]")
    page.click("#question button")
    page.wait_for_selector("#answers button")
    page.wait_for_function("() => document.getElementById('document').textContent")


def labelled(folder):
    with open(folder / "labels.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def answer(page, *keys):
    """Press keys, and wait until another document shows; the text of the one before."""
    text = page.text_content("#document")
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_function(
        "before => { const shown = document.getElementById('document');"
        " return shown.textContent !== before && !shown.classList.contains('quiet'); }",
        arg=text,
    )
    return text


def press(page, rows, truth, number):
    """Label documents by keys, each when it shows; their rows."""
    own = []
    for _ in range(number):
        own.append(rows[page.text_content("#document")])
        answer(page, str(CLASSES.index(truth[own[-1]]) + 1))
    return own


def test_from_an_empty_folder_to_shares_that_hold_the_truth(page, served, tweets, tmp_path):
    path, truth = tweets
    texts = pl.read_csv(path)["tweet"].to_list()
    rows = {text: number for number, text in enumerate(texts)}
    folder = tmp_path / "folder"
    begin(page, path)
    done = press(page, rows, truth, 25)
    assert [int(one["row"]) - 1 for one in labelled(folder)] == done

    served.kill()  # in the middle of labelling: the next key finds nobody
    text = page.text_content("#document")
    page.keyboard.press(str(CLASSES.index(truth[rows[text]]) + 1))
    page.wait_for_selector("#lost:not([hidden])")
    assert page.text_content("#document") == text
    assert [int(one["row"]) - 1 for one in labelled(folder)] == done
    served.start()
    page.wait_for_selector("#lost", state="hidden")
    page.wait_for_function(
        "before => document.getElementById('document').textContent !== before", arg=text
    )
    done += [rows[text], *press(page, rows, truth, 34)]
    kept = labelled(folder)
    assert [int(one["row"]) - 1 for one in kept] == done
    assert [one["label"] for one in kept] == [truth[row] for row in done]
    assert [one["text"] for one in kept] == [texts[row] for row in done]

    page.wait_for_function("() => document.getElementById('place').textContent.startsWith('60 ')")
    page.click("#finish")
    with page.expect_download() as download:
        page.click("#finished a[download], #finished a[href^='/files/shares.html']")
    page_file = download.value.path().read_text(encoding="utf-8")
    assert "60 were labelled by hand" in page_file
    shares = pl.read_csv(folder / "shares.csv")
    for name, low, high in shares.select("class", "low", "high").iter_rows():
        assert low <= truth.count(name) / len(truth) <= high
        assert high - low < 0.4
    assert page.said == []


def test_several_classes_skip_undo_note_and_a_new_class_by_keys(page, tweets, tmp_path):
    path, _ = tweets
    begin(page, path, ["price", "<b>speed</b>"], several=True)
    first = answer(page, "1", "2", "Enter")
    answer(page, "Enter")  # none of them
    answer(page, "s")
    page.keyboard.press("n")
    page.keyboard.type("not sure; 1 s u")
    page.keyboard.press("Escape")
    fourth = answer(page, "2", "Enter")
    folder = tmp_path / "folder"
    assert [one["label"] for one in labelled(folder)] == [
        "price; <b>speed</b>",
        ";",
        "",
        "<b>speed</b>",
    ]
    assert labelled(folder)[3]["note"] == "not sure; 1 s u"
    answer(page, "u")
    assert page.text_content("#document") == fourth
    assert len(labelled(folder)) == 3
    page.click("summary")
    page.fill("#added", "screen")
    page.keyboard.press("Enter")
    page.wait_for_selector("#notice button")
    page.click("#notice button")
    assert page.text_content("#document") == first
    answer(page, "3", "Enter")
    assert labelled(folder)[0]["label"] == "price; <b>speed</b>; screen"
    assert page.said == []


def test_two_people_disagree_and_settle(page, tweets, tmp_path):
    path, _ = tweets
    begin(page, path)
    folder = tmp_path / "folder"

    first = page.text_content("#document")
    for key in "1231":
        answer(page, key)
    page.fill("#by", "Bo")
    page.press("#by", "Tab")
    page.wait_for_function(
        "text => document.getElementById('document').textContent === text", arg=first
    )
    for key in "1221":
        answer(page, key)
    page.click("text=Compare two people")
    page.wait_for_selector(".kappa")
    assert "Of 4 documents that both labelled, 3 have the same label (75%)" in page.inner_text(
        ".kappa"
    )
    assert [one["label"] for one in labelled(folder)] == [
        "negative",
        "neutral",
        "positive",
        "negative",
    ]
    page.click(".differing button >> nth=1")
    page.wait_for_selector(".differing button[aria-pressed=true]")
    third = labelled(folder)[2]
    assert (third["label"], third["by"], third["settled"]) == ("neutral", "Bo", "yes")
    assert (third["label by me"], third["label by Bo"]) == ("positive", "neutral")


def test_axe_finds_nothing_while_labelling(page, tweets):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not there")
    path, _ = tweets
    found = {}

    def check(name):
        for width in (1280, 390):
            for theme in ("light", "dark"):
                page.set_viewport_size({"width": width, "height": 900})
                page.emulate_media(color_scheme=theme)
                violations = axe.Axe().run(page).response["violations"]
                wide = page.evaluate("document.documentElement.scrollWidth")
                found[name, width, theme] = [
                    *((one["id"], [node["target"] for node in one["nodes"]]) for one in violations),
                    *([f"{wide} pixels wide"] if wide > width else []),
                ]

    page.set_input_files("#file", path)
    page.wait_for_url("**/tables/**")
    page.goto(page.url.replace("/tables/", "/label/"))
    page.wait_for_selector("#question")
    check("question")
    page.fill("#classes", "\n".join(CLASSES))
    page.click("#question button")
    page.wait_for_selector("#answers button")
    page.wait_for_function("() => document.getElementById('document').textContent")
    first = page.text_content("#document")
    for key in "123123":
        answer(page, key)
    for number in (6, 7):  # the picture needs two points
        page.wait_for_function(
            f"() => document.getElementById('place').textContent.startsWith('{number} ')"
        )
        answer(page, "1")
    page.wait_for_selector("#history svg")
    page.click("#finish")
    page.wait_for_selector("#finished a")
    check("label")
    page.fill("#by", "Bo")
    page.press("#by", "Tab")
    page.wait_for_function(
        "text => document.getElementById('document').textContent === text", arg=first
    )
    for key in "321":
        answer(page, key)
    page.click("text=Compare two people")
    page.wait_for_selector(".differing")
    check("agreement")
    assert found == {where: [] for where in found}
