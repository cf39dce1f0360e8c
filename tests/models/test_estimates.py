"""Bags of documents summarised, and estimates made of the summaries."""

from datetime import date

import numpy as np
import polars as pl
import pytest

from quantext.models.bags import MOST_BAGS, BagSummaries, summarise
from quantext.models.estimates import aggregate, estimate
from quantext.models.train import train
from quantext.texts.corpus import Corpus
from tests.support.survey import survey

TRAINED = survey([40, 30, 20], seed=1)
NEW = survey([10, 20, 60], seed=2)


@pytest.fixture(scope="module")
def model():
    return train(Corpus("a", TRAINED["answer"], TRAINED["topic"]), name="acc", folds=5).model


def test_estimates_are_those_of_the_model_bag_by_bag(model):
    days = NEW.with_columns(pl.col("day").str.to_date())
    for by, names in [("topic", ["battery", "price", "screen"]), ("day", None)]:
        blocks = days.select(text="answer", period=by).iter_slices(13)
        found = estimate(model, ((len(b), b) for b in blocks), period="month", replicates=20)
        keys = days[by].dt.truncate("1mo") if by == "day" else days[by]
        assert found.table["batch"].unique(maintain_order=True).to_list() == (
            names or [date(2024, 1, 1), date(2024, 2, 1), date(2024, 3, 1)]
        )
        for bag in found.table.partition_by("batch"):
            texts = days.filter(keys == bag["batch"][0])["answer"]
            p_hat = model.predict(texts)
            low, high = model.predict_interval(texts, replicates=20)
            assert bag["class"].to_list() == ["battery", "price", "screen"]
            np.testing.assert_array_equal(bag["share"], p_hat)
            np.testing.assert_array_equal(bag["low"], low)
            np.testing.assert_array_equal(bag["high"], high)
            np.testing.assert_array_equal(bag["count"], np.rint(p_hat * len(texts)))
            assert bag["size"].to_list() == 3 * [len(texts)]
            np.testing.assert_allclose(bag["p_train"], np.array([40, 30, 20]) / 90)


def test_estimates_do_not_depend_on_blocks_nor_on_what_is_counted_at_once(model):
    table = NEW.select(text="answer", label="topic", period="day")
    whole = estimate(model, [(90, table)], level=None)
    slices = ((len(b), b) for b in table.iter_slices(7))
    parts = aggregate(model, summarise(model, slices, scores_at_once=1), level=None)
    assert parts.table.equals(whole.table)
    assert parts.known_share == whole.known_share


def test_summaries_of_parts_add_up_to_the_summary_of_all(model):
    table = NEW.select(text="answer", label="topic", period="day")
    whole = estimate(model, [(90, table)], level=None)
    first, second = (summarise(model, [(len(t), t)]) for t in (table[:40], table[40:]))
    both = first + second
    assert both.n_rows == 90
    assert aggregate(model, both, level=None).table.equals(whole.table)


def test_weeks_are_counted_from_the_earliest_day_wherever_it_comes(model):
    days = [date(2024, 3, 9), date(2024, 3, 3), date(2024, 3, 10)]
    table = pl.DataFrame({"text": ["battery"] * 3, "period": days})
    found = estimate(model, [(3, table)], level=None, period="week").table
    assert found["batch"].unique().sort().to_list() == [date(2024, 3, 3), date(2024, 3, 10)]
    assert found["size"].to_list() == [2, 2, 2, 1, 1, 1]


def test_the_known_share_is_that_of_the_model_bag_by_bag(model):
    texts = ["battery unheard words", "the screen", "screen screens unheard"]
    table = pl.DataFrame({"text": texts, "period": ["a", "b", "a"]})
    found = estimate(model, [(3, table)], level=None)
    # In a, battery and screen twice, of six words; in b, one of two.
    assert found.known_share == {"a": 0.5, "b": 0.5}
    assert found.known_share["a"] == model.known_share([texts[0], texts[2]])


def test_words_of_no_text_are_not_all_known(model):
    table = pl.DataFrame({"text": ["😀", "42", "battery"], "period": ["a", "a", "b"]})
    found = estimate(model, [(3, table)], level=None)
    assert found.known_share == {"a": None, "b": 1.0}
    assert found.verdicts["a"].level == "distrust"


@pytest.mark.parametrize("name", ["acc", "cc", "adaptive"])
def test_of_documents_that_cannot_be_read_any_share_is_possible(name):
    model = train(Corpus("a", TRAINED["answer"], TRAINED["topic"]), name=name, folds=5).model
    texts = 20 * ["gauge boson"] + 18 * ["gauge boson"] + 2 * ["battery"] + 20 * ["battery gauge"]
    table = pl.DataFrame({"text": texts, "period": np.repeat(["none", "hardly", "all"], 20)})
    found = estimate(model, [(60, table)], replicates=20).table
    for bag in ("none", "hardly"):
        own = found.filter(batch=bag)
        assert own["low"].to_list() == [0, 0, 0]
        assert own["high"].to_list() == [1, 1, 1]
        assert own["share"].sum() == pytest.approx(1)
    assert found.filter(batch="all")["high"].min() < 1


def test_the_table_has_the_verdict_on_each_bag(model):
    table = NEW.select(text="answer", label="topic", period="topic")
    found = estimate(model, [(90, table)], replicates=20)
    assert found.table.columns[-2:] == ["verdict", "true_share"]
    for name, verdict in found.verdicts.items():
        assert set(found.table.filter(batch=name)["verdict"]) == {verdict.level}
        assert (verdict.level == "fine") == (not verdict.reasons)
    assert set(found.changes) == set(found.verdicts)


def test_too_many_bags_are_an_error(model):
    table = NEW.select(text="answer", period="day")
    message = r"more than 5 batches, one of them '2024-.*'; name a column with fewer values or, if"
    with pytest.raises(ValueError, match=message):
        summarise(model, [(90, table)], most_bags=5)


def test_too_many_bags_in_a_sum_are_an_error(model):
    (part,) = summarise(model, [(1, pl.DataFrame({"text": ["battery"]}))]).parts.values()
    full = BagSummaries(1, dict.fromkeys(map(str, range(MOST_BAGS)), part))
    assert len((full + BagSummaries(1, {"0": part})).parts) == MOST_BAGS
    with pytest.raises(ValueError, match="more than 10,000 batches"):
        full + BagSummaries(1, {"another": part})


def test_bags_are_counted_as_they_are_estimated(model):
    told = []
    table = NEW.select(text="answer", period="topic")
    estimate(model, [(90, table)], level=None, progress=lambda *done: told.append(done))
    assert told == [("documents", 90, None), *(("bags", n, 3) for n in (1, 2, 3))]


@pytest.mark.parametrize(
    ("bags", "message"),
    [
        (BagSummaries(0, {}), "there are no documents"),
        (BagSummaries(3, {}), "none of the 3 rows that were read has a text"),
    ],
)
def test_nothing_to_estimate_is_an_error(model, bags, message):
    with pytest.raises(ValueError, match=message):
        aggregate(model, bags)
