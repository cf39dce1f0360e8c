"""Documents on the page of estimates: only if asked for, cut, and never more than text."""

import json

import polars as pl
import pytest

import quantext as qx
from quantext.models.quotes import quotes_table
from quantext.models.train import train
from quantext.reports.estimates_page import SCRIPTS, estimates_page
from quantext.reports.quotes import summarise_quotes
from quantext.texts.corpus import Corpus
from tests.support.estimates import example_estimates
from tests.support.page import Page
from tests.support.survey import survey

TRAINED = survey([40, 30, 20], seed=1)
NEW = survey([10, 20, 60], seed=2).with_columns(wave=pl.Series(["a", "b", "b"] * 30))
BAD = "</script><script>alert(1)</script> & 'single' \"double\" <img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def model():
    return train(Corpus("a", TRAINED["answer"], TRAINED["topic"]), name="acc", folds=5).model


def estimates(*shares):
    """A bag of 100 documents and two classes for each share of the first."""
    rows = [
        {
            "batch": f"bag {i}",
            "class": name,
            "share": p,
            "count": 100 * p,
            "size": 100,
            "p_train": 0.5,
        }
        for i, share in enumerate(shares)
        for name, p in (("good", share), ("bad", 1 - share))
    ]
    return pl.DataFrame(rows)


def quotes(*rows):
    """Quotes of a bag and class each, with their scores."""
    schema = quotes_table({}, [], pl.String()).schema
    return pl.DataFrame(
        [(bag, name, rank, text, score) for bag, name, rank, text, score in rows],
        schema=schema,
        orient="row",
    )


def embedded(html):
    """What the scripts of a page read."""
    return json.loads(Page(html).all("script")[0][1])


def test_each_bag_has_its_classes_largest_first_with_their_documents():
    given = quotes(
        ("bag 0", "good", 1, "fine", 2.0),
        ("bag 0", "good", 2, "well", 1.0),
        ("bag 1", "bad", 1, "poor", 1.0),
    )
    assert summarise_quotes(given, estimates(0.75, 0.25), 2) == {
        "any": True,
        "documents": "3 documents",
        "several": True,
        "whose": " of the batch",
        "by_batch": True,
        "batches": [
            [["good", "75.0%", ["fine", "well"]], ["bad", "25.0%", []]],
            [["bad", "75.0%", ["poor"]], ["good", "25.0%", []]],
        ],
    }


def test_only_bags_that_the_page_has_are_quoted():
    given = quotes(("bag 0", "good", 1, "fine", 2.0), ("bag 1", "bad", 1, "poor", 1.0))
    shown = summarise_quotes(given, estimates(0.75, 0.25), 1)
    assert shown["documents"] == "1 document"
    assert not shown["several"]
    assert shown["batches"] == [[["bad", "75.0%", ["poor"]], ["good", "25.0%", []]]]


def test_too_many_for_a_page_are_the_best_of_all_bags():
    first, second, third = (f"a document that is long enough, {x}" for x in "abc")
    given = quotes(
        ("bag 0", "good", 1, first, 1.0),
        ("bag 1", "good", 1, second, 3.0),
        ("bag 2", "good", 1, third, 2.0),
        ("bag 2", "good", 2, second.upper(), 1.0),  # a repetition
    )
    shown = summarise_quotes(given, estimates(0.75, 0.25, 0.5), 3, most=3)
    assert shown == {
        "any": True,
        "documents": "2 documents",
        "several": True,
        "whose": " of all batches",
        "by_batch": False,
        "batches": [[["good", "50.0%", [second, third]], ["bad", "50.0%", []]]],
    }
    last = summarise_quotes(given, estimates(0.75, 0.25, 0.45), 2, most=1)
    assert last["whose"] == " of the last 2 batches"
    assert [own[:2] for own in last["batches"][0]] == [["bad", "65.0%"], ["good", "35.0%"]]


def test_quotes_of_all_bags_together_are_shown_as_they_are():
    given = quotes((None, "bad", 1, "poor", 2.0))
    shown = summarise_quotes(given, estimates(0.75, 0.35), 2)
    assert not shown["by_batch"]
    assert shown["batches"] == [[["good", "55.0%", []], ["bad", "45.0%", ["poor"]]]]


def test_a_document_that_shows_two_labels_is_counted_once():
    given = quotes(("bag 0", "good", 1, "so so", 2.0), ("bag 0", "bad", 1, "so so", 1.0))
    assert summarise_quotes(given, estimates(0.75), 1)["documents"] == "1 document"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("two\r\n  lines\tand a tab", "two lines and a tab"),
        ("bell\x07, escape\x1b[31m, null\x00 and\x85 more", "bell , escape [31m, null and more"),
        ("\u202edesrever\u202c and \u2067isolated\u2069", "desrever and isolated"),
        ("👩\u200d👩\u200d👧 ❤\ufe0f", "👩\u200d👩\u200d👧 ❤\ufe0f"),
        ("البطارية جيدة", "البطارية جيدة"),
        ("ninechars " * 28, ("ninechars " * 28).strip()),
        ("ninechars " * 29, ("ninechars " * 27).strip() + " ninechars…"),
        ("x" * 300, "x" * 279 + "…"),
    ],
)
def test_a_quote_is_a_line_of_280_characters_at_most(text, line):
    shown = summarise_quotes(quotes(("bag 0", "good", 1, text, 1.0)), estimates(0.75), 1)
    assert shown["batches"][0][0][2] == [line]
    assert len(line) <= 280


def test_without_quotes_the_page_says_nothing_of_documents():
    table = estimates(0.75)
    html = estimates_page(table)
    assert html == estimates_page(table, {"quotes": None})
    assert "Documents behind the numbers" not in html
    assert len(Page(html).all("script")) == 1 + len(SCRIPTS)
    assert embedded(html)["quotes"] is None


def test_the_page_says_that_it_quotes_and_keeps_text_from_being_markup():
    table = estimates(0.75).with_columns(pl.col("class").replace("good", BAD))
    html = estimates_page(table, {"quotes": quotes(("bag 0", BAD, 1, BAD, 1.0))})
    assert "This page quotes 1 document: think before passing it on." in html
    assert "<script>alert" not in html
    assert "<img" not in html
    page = Page(html)
    assert len(page.all("script")) == 2 + len(SCRIPTS)
    assert embedded(html)["quotes"]["batches"][0][0] == [BAD, "75.0%", [BAD]]
    (policy,) = [a["content"] for a, _ in page.all("meta") if "http-equiv" in a]
    assert policy.count("sha256-") == 2 + len(SCRIPTS)  # with that of quotes, and one style


def test_asked_for_and_none_found_is_said_too():
    html = estimates_page(estimates(0.75), {"quotes": quotes()})
    assert "This page quotes no documents." in html


def test_the_page_of_many_bags_has_quotes_of_all():
    table = example_estimates(2, 1200)
    names, classes = table["batch"].unique(maintain_order=True), table["class"].unique()
    rows = [
        (day, name, 1, f"{name} {day} {i}", 1.0) for day in names for i, name in enumerate(classes)
    ]
    schema = quotes_table({}, [], pl.Date()).schema
    given = pl.DataFrame(rows * 2, schema=schema, orient="row")
    shown = embedded(estimates_page(table, {"quotes": given}))["quotes"]
    assert not shown["by_batch"]
    assert [len(texts) for _, _, texts in shown["batches"][0]] == [1, 1]


# What qx.estimate gives


def test_a_result_has_the_quotes_that_were_asked_for(model, tmp_path):
    result = qx.estimate(model, NEW, text="answer", by="wave", replicates=20, quotes=2)
    assert result.quotes.columns == ["batch", "class", "rank", "text", "score"]
    assert result.quotes["batch"].unique(maintain_order=True).to_list() == ["a", "b"]
    waves = dict(NEW.select("answer", "wave").iter_rows())
    assert [waves[text] for text in result.quotes["text"]] == result.quotes["batch"].to_list()
    result.report(tmp_path / "a.html")
    html = (tmp_path / "a.html").read_text("utf-8")
    assert f"This page quotes {len(result.quotes)} documents: think before" in html
    found = [t for bag in embedded(html)["quotes"]["batches"] for *_, texts in bag for t in texts]
    assert sorted(found) == sorted(result.quotes["text"])


def test_a_result_without_quotes_has_none_and_its_page_no_text(model, tmp_path):
    result = qx.estimate(model, NEW, text="answer", replicates=20)
    assert result.quotes is None
    result.report(tmp_path / "a.html")
    html = (tmp_path / "a.html").read_text("utf-8")
    assert not any(text in html for text in NEW["answer"])


def test_estimates_are_the_same_with_quotes(model):
    with_quotes, without = (
        qx.estimate(model, NEW, text="answer", by="wave", replicates=20, quotes=n) for n in (3, 0)
    )
    assert with_quotes.to_frame().equals(without.to_frame())


def test_a_wrong_number_of_quotes_is_an_error_before_anything_is_read(model):
    with pytest.raises(ValueError, match="quotes is 21; ask for 1 to 20"):
        qx.estimate(model, "no such file.csv", text="answer", quotes=21)
