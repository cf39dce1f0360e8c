"""Guesses: what columns are for, in tables that are awkward in one way each."""

from itertools import cycle

import polars as pl
import pytest

from quantext.texts.guesses import guess
from quantext.texts.shapes import shape_of
from quantext.texts.tallies import Tally

N = 60
TEXTS = [f"the battery of number {i} is not good and it was dear" for i in range(N)]


def over(*values):
    """Values again and again, in an order that has no runs."""
    return [value for value, _ in zip(cycle(values), range(N), strict=False)]


def guessed(columns, **known):
    shapes = []
    for name, values in columns.items():
        tally = Tally(name, 1000, name in known.get("text", ()))
        tally.add(pl.Series(name, values))
        shapes.append(shape_of(tally))
    return guess(shapes, **known)


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("id", list(range(N)), "id"),
        ("key", [f"a{i:04}" for i in range(N)], "id"),
        ("paper_id", [1801 + i / 1000 for i in range(N)], "id"),
        ("when", ["2024-01-31"] * 30 + ["2024-02-01"] * 30, "date"),
        ("site", [f"https://example.org/{i}" for i in range(N)], "link"),
        ("empty", [None] * N, "blank"),
        ("same", ["v1"] * N, "constant"),
        ("weight", [i / 7 for i in range(N)], "number"),
        ("retweet_count", over(0, 0, 1, 2), "number"),
        ("confidence", [i / 59 for i in range(N)], "score"),
        ("country", over("FR", "DE"), "group"),
        ("age", over(*range(20, 40)), "group"),
        ("postcode", over("N1", "E2"), "group"),
        ("city", [f"Town {i}" for i in range(N)], "words"),
        ("meta", [{"a": 1}] * N, "nested"),
        ("predicted", over("good", "bad"), "model"),
        ("question", over("What did you like about it? " * 4, "And what not? " * 6), "group"),
    ],
)
def test_a_column_beside_texts_and_labels_is_known_for_what_it_is(name, values, kind):
    found = guessed({name: values, "answer": TEXTS, "topic": over("good", "bad", "mixed")})
    assert found.kinds[name] == kind
    assert (found.text, found.label) == ("answer", "topic")


def test_the_column_with_the_longer_texts_is_that_of_the_texts_and_others_are_named():
    found = guessed({"title": [f"on number {i} of them" for i in range(N)], "abstract": TEXTS})
    assert (found.text, found.texts) == ("abstract", ("title",))


def test_short_answers_are_texts_where_there_are_no_longer_ones():
    found = guessed({"id": list(range(N)), "brand": [f"brand {i}" for i in range(N)]})
    assert (found.text, found.label, found.kinds["brand"]) == ("brand", None, "text")


def test_texts_without_blanks_between_words_are_texts_too():
    found = guessed({"评论": [f"这个手机的电池不好用但是屏幕很漂亮{i}" for i in range(N)]})
    assert found.text == "评论"


def test_short_free_texts_are_no_labels():
    words = [f"word{i // 2}" for i in range(N)]  # each comes twice
    assert guessed({"answer": TEXTS, "topic": words}).label is None


def test_a_scale_is_that_of_labels_but_not_before_words():
    columns = {"answer": TEXTS, "stars": over(1, 2, 3, 4, 5)}
    assert guessed(columns).label == "stars"
    assert guessed({"answer": TEXTS, "q1": over(0, 5, 10)}).label == "q1"
    both = guessed({"answer": TEXTS, "q1": over(1, 2, 3), "q2": over("up", "down")})
    assert (both.label, both.kinds["q1"]) == ("q2", "number")


def test_numbers_are_names_of_classes_where_the_column_is_called_so():
    assert guessed({"answer": TEXTS, "q5_code": over(101, 110, 999)}).label == "q5_code"
    assert guessed({"answer": TEXTS, "q5": over(101, 110, 999)}).label is None


def test_a_name_decides_between_columns_that_could_both_be_labels():
    columns = {
        "airline_sentiment": over("negative", "positive"),
        "airline_sentiment_confidence": [1 - i / 120 for i in range(N)],
        "airline": over("Delta", "United", "Virgin"),
        "reason": over("late", "lost", "rude", None),
        "text": TEXTS,
    }
    found = guessed(columns)
    assert (found.text, found.label, found.labels) == ("text", "airline_sentiment", ("reason",))
    assert found.kinds["airline_sentiment_confidence"] == "score"
    assert found.groups == ("airline", "reason")


def test_without_a_name_what_comes_in_runs_is_a_group():
    halves = ["a"] * 30 + ["b"] * 30
    assert guessed({"x": TEXTS, "u": halves, "z": over("c", "d")}).label == "z"
    assert guessed({"x": TEXTS, "z": over("c", "d"), "q1": halves}).label == "z"


@pytest.mark.parametrize("separator", [";", "|", ",", "/"])
def test_several_labels_in_a_cell_are_known_by_labels_in_other_company(separator):
    cells = over("price", f"price{separator} speed", "speed", f"speed{separator}staff", "staff")
    shape = shape_of(_tally("topics", cells))
    assert (shape.separator, shape.several) == (separator, 24)
    assert shape.labels.rows() == [("speed", 36), ("price", 24), ("staff", 24)]
    assert guessed({"answer": TEXTS, "topics": cells}).kinds["topics"] == "labels"


def test_a_comma_within_the_name_of_a_label_divides_nothing():
    shape = shape_of(_tally("topic", over("Food, drink", "Travel", "Late / cancelled", "Other")))
    assert (shape.kind, shape.separator, len(shape.labels)) == ("category", None, 4)


def test_what_a_model_says_is_known_by_its_name():
    found = guessed({"answer": TEXTS, "llm_label": over("yes", "no")})
    assert (found.proxy, found.label) == ("llm_label", None)


def test_what_a_model_says_is_known_by_a_few_truths_of_the_same_labels():
    truth = over("yes", "no")[:20] + [None] * 40
    found = guessed({"answer": TEXTS, "a": over("no", "yes"), "b": truth})
    assert (found.proxy, found.label) == ("a", "b")
    named = guessed({"answer": TEXTS, "sentiment": over("no", "yes"), "sentiment_gold": truth})
    assert (named.proxy, named.label) == (None, "sentiment")


def test_the_model_of_a_telephone_says_nothing():
    found = guessed({"model": over("S5", "S6"), "review": TEXTS, "mood": over("good", "bad")})
    assert (found.proxy, found.label, found.kinds["model"]) == (None, "mood", "group")


def test_columns_that_are_named_are_taken():
    columns = {"title": [f"on number {i} of them" for i in range(N)], "abstract": TEXTS}
    columns |= {"topic": over("a", "b"), "country": over("FR", "DE")}
    found = guessed(columns, text=["title"], label="country")
    assert (found.text, found.label, found.kinds["country"]) == ("title", "country", "label")
    assert (found.texts, found.labels) == (("abstract",), ("topic",))


def _tally(name, values):
    tally = Tally(name, 1000, is_text=False)
    tally.add(pl.Series(name, values))
    return tally
