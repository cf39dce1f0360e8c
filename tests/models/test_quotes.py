"""Documents that show a class: which are chosen, whatever the parts in which they come."""

from datetime import date
from itertools import permutations

import numpy as np
import polars as pl
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from quantext.models import quotes as module
from quantext.models.bags import summarise
from quantext.models.estimates import aggregate, estimate
from quantext.models.methods import method
from quantext.models.proxy import train_proxy
from quantext.models.quotes import BagQuotes, Quotes, best, choose, cut, make_quote
from quantext.models.shown import check_quotes, class_scores
from quantext.models.textquantifier import TextQuantifier
from quantext.models.train import train
from quantext.texts.answers import join_answers
from quantext.texts.corpus import Corpus
from tests.support.survey import survey

TRAINED = survey([40, 30, 20], seed=1)
NEW = survey([10, 20, 60], seed=2)
LONG = "a document that is long enough, number "


@pytest.fixture(scope="module")
def model():
    return train(Corpus("a", TRAINED["answer"], TRAINED["topic"]), name="acc", folds=5).model


def fitted(name, y=TRAINED["topic"]):
    return TextQuantifier(method(name, folds=3)).fit(TRAINED["answer"], y)


def chosen(texts, scores, most=3):
    found = choose(pl.Series(texts), np.array(scores, dtype=float)[:, None], most)
    return [quote.text for quote in found.by_class.get(0, ())]


# Which documents


def test_the_documents_of_the_highest_scores_come_first():
    texts = [LONG + letter for letter in "abcd"]
    assert chosen(texts, [1, 3, 2, 4], 3) == [texts[3], texts[1], texts[2]]


def test_documents_that_are_not_put_in_the_class_do_not_show_it():
    texts = [LONG + letter for letter in "abc"]
    assert chosen(texts, [1, 0, -1]) == texts[:1]
    assert choose(pl.Series(texts), np.full((3, 2), -1.0), 3) == BagQuotes(3, {})


def test_short_documents_are_chosen_only_if_there_are_no_others():
    texts = ["so dear", LONG + "a", "dear", LONG + "b"]
    scores = [9, 1, 8, 2]
    assert chosen(texts, scores, 2) == [texts[3], texts[1]]
    assert chosen(texts, scores, 3) == [texts[3], texts[1], "so dear"]


@pytest.mark.parametrize(
    "repetition",
    [
        "A DOCUMENT that is long\n enough,  number a",
        "RT @someone: a document that is long enough, number a",
        "rt @a RT @b: a document that is long enough, number a",
        "a document that is long enough; number “a”!!! https://example.org/1",
        "www.example.org a document that is long enough, number a",
    ],
)
def test_repetitions_are_left_out(repetition):
    texts = [LONG + "a", repetition, LONG + "b"]
    assert chosen(texts, [2, 3, 1], 2) == [repetition, LONG + "b"]


def test_documents_that_begin_alike_are_repetitions():
    start = "word " * 60
    assert chosen([start + "a", start + "b"], [1, 2]) == [start + "b"]


def test_texts_without_a_word_are_not_quoted():
    assert chosen(["", "?!…", "https://example.org", "😀"], [4, 3, 2, 1]) == ["😀"]


@pytest.mark.parametrize("text", ["。。。！？", "« — »", "„‚‘", "https://a.b/c !"])
def test_punctuation_of_any_script_is_no_word(text):
    assert make_quote(text, 1.0) is None


def test_a_long_link_at_the_start_does_not_hide_what_follows():
    text = f"https://t.co/{'x' * 420} the train was late again"
    assert make_quote(text, 1.0).key == make_quote("The train was late again!", 1.0).key


def test_of_equal_scores_the_text_decides():
    texts = [LONG + letter for letter in "cabd"]
    for order in permutations(texts):
        assert chosen(order, [1] * 4, 2) == [LONG + "a", LONG + "b"]


def test_a_text_is_kept_up_to_500_characters():
    text = "word " * 99 + "words more"  # the 500th character is the fifth of "words"
    assert len(text) == 505
    assert make_quote(text, 1.0).text == "word " * 98 + "word…"
    assert make_quote(text[:500], 1.0).text == text[:500]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nine char", "nine char"),
        ("seven 2 ten", "seven 2…"),
        ("eleven     chars", "eleven…"),
        ("unbreakable", "unbreakab…"),
        ("a unbreakable", "a unbreak…"),
        ("価格が高すぎると思います", "価格が高すぎると思…"),
        ("12345678\u200d9012", "12345678…"),
    ],
)
def test_a_text_is_cut_at_the_end_of_a_word(text, expected):
    assert cut(text, 10) == expected
    assert len(expected) <= 10


# By which scores


def test_of_two_classes_the_score_is_for_one_and_against_the_other():
    model = fitted("CC", TRAINED["topic"] == "price")
    assert class_scores(model.quantifier_, np.array([[2.0], [-0.5]])).tolist() == [
        [-2.0, 2.0],
        [0.5, -0.5],
    ]


def test_of_several_classes_the_score_is_how_far_it_is_above_the_others():
    scores = class_scores(fitted("CC").quantifier_, np.array([[3.0, 1.0, 2.5], [-3.0, -2.0, -2.0]]))
    assert scores.tolist() == [[0.5, -2.0, -0.5], [-1.0, 0.0, 0.0]]


def test_scores_that_cannot_be_compared_are_taken_as_they_are():
    rows = np.array([[3.0, 1.0, -2.5]])
    assert class_scores(fitted("SVM(KLD)").quantifier_, rows).tolist() == rows.tolist()


def test_each_label_is_scored_by_itself():
    y = TRAINED["topic"].to_dummies().to_numpy()
    rows = np.array([[3.0, 1.0, -2.5]])
    assert class_scores(fitted("CC", y).quantifier_, rows).tolist() == rows.tolist()


def test_members_of_an_ensemble_score_together():
    quantifier = method("Ensemble")
    quantifier.set_params(n_members=2, quantifier__folds=2)
    model = TextQuantifier(quantifier).fit(TRAINED["answer"], TRAINED["topic"])
    rows = np.array([[3.0, 1.0, 0.0, 1.0, 0.0, 1.0]])  # means: 2, ½, ½
    assert class_scores(model.quantifier_, rows).tolist() == [[1.5, -1.5, -1.5]]


@pytest.mark.parametrize("name", ["Adaptive", "CC", "PACC", "SVM(KLD)", "Stacked"])
def test_quotes_are_of_the_class_that_they_show(name):
    table = NEW.select(text="answer")
    found = estimate(fitted(name), [(90, table)], level=None, quotes=3).quotes
    assert found["class"].to_list() == ["battery"] * 3 + ["price"] * 3 + ["screen"] * 3
    assert found["rank"].to_list() == [1, 2, 3] * 3
    topic = dict(NEW.select("answer", "topic").iter_rows())
    assert found["class"].to_list() == [topic[text] for text in found["text"]]
    assert all(own["score"].is_sorted(descending=True) for own in found.partition_by("class"))


@pytest.mark.parametrize("name", ["Training prevalence", "HDx", "ReadMe"])
def test_a_method_without_scores_for_each_class_says_so(name):
    fresh = method(name) if name != "ReadMe" else method(name).set_params(draws=2)
    model = TextQuantifier(fresh).fit(TRAINED["answer"], TRAINED["topic"])
    with pytest.raises(ValueError, match="no score for each class by which to choose them; leave"):
        summarise(model, [], quotes=1)


def test_a_model_that_reads_no_texts_quotes_none():
    said = pl.Series("model", ["a", "b"] * 10)
    corpus = Corpus("a", join_answers([said]), said)
    model = train_proxy(corpus, ["model"]).model
    check_quotes(model, 0)
    with pytest.raises(ValueError, match="not their texts, so there is nothing to quote"):
        check_quotes(model, 1)


@pytest.mark.parametrize("quotes", [-1, 21, 1.5, True, "3"])
def test_a_number_of_quotes_that_makes_no_sense_is_an_error(model, quotes):
    with pytest.raises(ValueError, match=r"ask for 1 to 20 documents a class, or 0"):
        check_quotes(model, quotes)


# In parts


def same(a, b):
    return a.quotes.equals(b.quotes)


@pytest.fixture(scope="module")
def table():
    """Documents by day, some of them again on another one and in capitals."""
    rows = NEW.select(text="answer", period=pl.col("day").str.to_date())
    return pl.concat([rows, rows[::3].with_columns(pl.col("text").str.to_uppercase())])


def test_quotes_do_not_depend_on_blocks_nor_on_what_is_counted_at_once(model, table):
    whole = estimate(model, [(120, table)], level=None, quotes=2, period="month")
    slices = ((len(b), b) for b in table.iter_slices(7))
    parts = summarise(model, slices, scores_at_once=1, quotes=2)
    assert same(aggregate(model, parts, level=None, period="month"), whole)
    backwards = estimate(model, [(120, table[::-1])], level=None, quotes=2, period="month")
    assert same(backwards, whole)
    assert len(whole.quotes) == 3 * 3 * 2


def test_quotes_do_not_depend_on_threads(table):
    model = train(Corpus("a", TRAINED["answer"], TRAINED["topic"]), name="acc", folds=5).model
    many = pl.concat([table] * 20)
    found = []
    for n_jobs in (1, 2):
        model.vectorizer_.n_jobs = n_jobs
        found.append(estimate(model, [(len(many), many)], level=None, quotes=2))
    assert same(*found)


def test_quotes_of_parts_add_up_in_any_order(model, table):
    whole = estimate(model, [(120, table)], level=None, quotes=2)
    parts = [summarise(model, [(40, table[i : i + 40])], quotes=2) for i in (0, 40, 80)]
    for a, b, c in permutations(parts):
        assert same(aggregate(model, a + b + c, level=None), whole)
        assert same(aggregate(model, a + (b + c), level=None), whole)


def test_days_are_quoted_in_the_week_or_month_that_they_are_in(model, table):
    for period in ("week", "month"):
        found = estimate(model, [(120, table)], level=None, quotes=2, period=period)
        assert found.quotes["batch"].dtype == pl.Date
        assert set(found.quotes["batch"]) <= set(found.table["batch"])
        for (bag,), own in found.quotes.partition_by("batch", as_dict=True).items():
            end = pl.Series([bag]).dt.offset_by("1w" if period == "week" else "1mo")[0]
            there = table.filter(pl.col("period").is_between(bag, end, closed="left"))["text"]
            assert set(own["text"]) <= set(there)
            repeated = own.group_by("class").agg(pl.col("text").str.to_lowercase().n_unique())
            assert repeated["text"].sum() == len(own)


def test_weeks_of_quotes_begin_where_those_of_estimates_do(model):
    # The first day has nothing to quote, and yet weeks are counted from it.
    days = [date(2024, 3, 3), date(2024, 3, 9), date(2024, 3, 10)]
    texts = ["42", "battery charge power drain", "battery power hours empty"]
    rows = pl.DataFrame({"text": texts, "period": days})
    found = estimate(model, [(3, rows)], level=None, period="week", quotes=1).quotes
    assert found.select("batch", "class", "text").rows() == [
        (date(2024, 3, 3), "battery", texts[1]),
        (date(2024, 3, 10), "battery", texts[2]),
    ]


def test_bags_that_are_too_many_are_quoted_together(model, table):
    names = table.with_columns(pl.col("period").cast(pl.String))
    alone = estimate(model, [(120, table.drop("period"))], level=None, quotes=2).quotes
    n_bags = names["period"].n_unique()
    for room, together in ((6 * n_bags, False), (6 * n_bags - 1, True)):
        whole, first, second = (
            summarise(model, [(len(part), part)], quotes=2, most_quotes=room)
            for part in (names, names[:60], names[60:])
        )
        for bags in (whole, first + second, second + first):
            found = aggregate(model, bags, level=None).quotes
            assert bags.quotes.together == together
            assert (found["batch"].null_count() == len(found)) == together
            assert found["batch"].dtype == pl.String
            if together:
                assert found.drop("batch").equals(alone.drop("batch"))


def test_quotes_together_stay_together_when_a_bag_is_added():
    scored = ("a", 1.0), ("b", 3.0), ("c", 2.0)
    a, b, c = (BagQuotes(1, {0: (make_quote(LONG + x, s),)}) for x, s in scored)
    many = Quotes(1, {"a": a}) + Quotes(1, {"b": b})
    assert many.bags == {None: b}
    assert (Quotes(1, {"c": c}) + many).bags == (many + Quotes(1, {"c": c})).bags == {None: b}


def test_the_sum_of_quotes_is_the_best_of_both():
    first, second, third = (
        make_quote(LONG + x, s) for x, s in (("a", 3.0), ("b", 2.0), ("c", 1.0))
    )
    both = BagQuotes(2, {0: (first, third)}) + BagQuotes(2, {0: (second,), 1: (third,)})
    assert both.by_class == {0: (first, second), 1: (third,)}
    assert best([third, second, first, second], 2) == (first, second)


def test_without_quotes_no_text_is_kept(monkeypatch, model, table):
    monkeypatch.setattr(module, "make_quote", None)  # it is not called
    bags = summarise(model, [(120, table)])
    assert bags.quotes is None
    assert aggregate(model, bags, level=None).quotes is None


def test_a_document_of_weight_0_is_not_quoted(model):
    texts = ["battery charge power drain", "battery power hours empty", "the battery, so so"]
    rows = pl.DataFrame({"text": texts, "weight": [0.0, 2.0, 0.0]})
    found = estimate(model, [(3, rows)], level=None, quotes=3).quotes
    assert found["text"].to_list() == [texts[1]]


def test_a_document_of_no_word_that_the_model_knows_is_not_quoted(model):
    rows = pl.DataFrame({"text": ["nothing of this was ever heard", "battery charge power drain"]})
    found = estimate(model, [(2, rows)], level=None, quotes=3).quotes
    assert found["text"].to_list() == ["battery charge power drain"]


def test_any_vectorizer_will_do():
    model = TextQuantifier(method("CC", folds=3), TfidfVectorizer())
    model = model.fit(TRAINED["answer"], TRAINED["topic"])
    found = estimate(model, [(90, NEW.select(text="answer"))], level=None, quotes=1).quotes
    assert found["class"].to_list() == ["battery", "price", "screen"]
