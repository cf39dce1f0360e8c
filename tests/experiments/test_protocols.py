"""Which documents train and which make each bag, worked out by hand on a few dates."""

from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantext.experiments.counts import describe
from quantext.experiments.protocols import artificial_prevalence
from quantext.experiments.splits import Bag, Split, by_period
from quantext.texts.corpus import Corpus


def corpus_of(periods, labels=None):
    texts = pl.Series(["x"] * len(periods), dtype=pl.String)
    return Corpus("c", texts=texts, labels=labels, periods=pl.Series(periods))


def bags_of(split):
    return [(bag.name, bag.indices.tolist()) for bag in split.bags]


# Tuesday 20 August 1996 is day 0, so weeks begin on days 0, 7 and 14.
DAYS = [date(1996, 8, 20), date(1996, 9, 3), date(1996, 8, 26), date(1996, 8, 27), date(1996, 9, 2)]


def test_the_first_week_trains_and_each_later_week_is_a_bag():
    split = by_period(corpus_of(DAYS), train_periods=1, by="week")
    assert split.train.tolist() == [0, 2]  # 20 and 26 August; 27 August is day 7
    assert bags_of(split) == [("1996-08-27", [3, 4]), ("1996-09-03", [1])]
    assert split.notes == ()


@pytest.mark.parametrize(
    ("by", "train", "bags"),
    [
        (
            None,
            [0],
            [("1996-08-26", [2]), ("1996-08-27", [3]), ("1996-09-02", [4]), ("1996-09-03", [1])],
        ),
        (
            "day",
            [0],
            [("1996-08-26", [2]), ("1996-08-27", [3]), ("1996-09-02", [4]), ("1996-09-03", [1])],
        ),
        ("month", [0, 2, 3], [("1996-09-01", [1, 4])]),
    ],
)
def test_periods_are_as_asked(by, train, bags):
    split = by_period(corpus_of(DAYS), train_periods=1, by=by)
    assert split.train.tolist() == train
    assert bags_of(split) == bags


@pytest.mark.parametrize("until", [date(1996, 8, 27), "1996-08-27"])
def test_training_ends_before_the_date_that_is_named(until):
    split = by_period(corpus_of(DAYS), train_until=until, by="month")
    assert split.train.tolist() == [0, 2]
    assert bags_of(split) == [("1996-08-01", [3]), ("1996-09-01", [1, 4])]


def test_weeks_without_documents_are_no_periods():
    days = [date(1996, 8, 20), date(1996, 10, 1), date(1996, 11, 1)]
    split = by_period(corpus_of(days), train_periods=2, by="week")
    assert split.train.tolist() == [0, 1]
    assert len(split.bags) == 1


def test_small_and_late_periods_are_left_out_and_counted():
    days = [date(1996, 8, d) for d in (20, 21, 21, 22, 23, 23, 24, 25)]
    split = by_period(corpus_of(days), train_periods=1, test_periods=3, min_size=2)
    assert bags_of(split) == [("1996-08-21", [1, 2]), ("1996-08-23", [4, 5])]
    assert split.notes == (
        "1 of 5 test periods, with fewer than 2 documents, were left out: 1 documents",
        "2 of 5 test periods, after the first 3, were left out: 2 documents",
    )


def test_named_periods_follow_their_numbers():
    corpus = corpus_of(["wave 10", "wave 9", "wave 11", "wave 9"])
    assert by_period(corpus, train_periods=1).train.tolist() == [1, 3]
    split = by_period(corpus, train_until="wave 11")
    assert split.train.tolist() == [0, 1, 3]
    assert bags_of(split) == [("wave 11", [2])]


@pytest.mark.parametrize(
    ("periods", "options", "message"),
    [
        (DAYS, {}, "say how far the training data goes: train_until= or train_periods="),
        (DAYS, {"train_until": "1996-09-01", "train_periods": 1}, "say how far"),
        (DAYS, {"train_periods": 0}, "train_periods is 0; it must be 1 or more"),
        (DAYS, {"train_periods": 1, "test_periods": 0}, "test_periods is 0"),
        (
            DAYS,
            {"train_periods": 5},
            "there are no test documents in corpus 'c', whose periods run",
        ),
        (
            DAYS,
            {"train_until": "1996-08-20"},
            "no training documents .* from 1996-08-20 to 1996-09-03",
        ),
        (DAYS, {"train_until": "March"}, "train_until='March' is no date; write 1987-03-16"),
        (DAYS, {"train_periods": 1, "min_size": 2}, "no bag has 2 documents; the largest has 1"),
        (DAYS, {"train_periods": 1, "by": "hour"}, "period 'hour' is unknown"),
        (["a", "b"], {"train_periods": 1, "by": "week"}, "by='week' needs dates"),
        (
            pl.Series([], dtype=pl.Date),
            {"train_periods": 1},
            "corpus 'c' has no documents with dates",
        ),
    ],
)
def test_what_cannot_be_divided_is_an_error(periods, options, message):
    with pytest.raises(ValueError, match=message):
        by_period(corpus_of(periods), **options)


def test_a_corpus_without_dates_cannot_be_divided():
    with pytest.raises(ValueError, match="corpus 'c' has no documents with dates"):
        by_period(Corpus("c", texts=pl.Series(["a"])), train_periods=1)


@given(st.lists(st.integers(0, 40), min_size=2, max_size=60), st.integers(0, 40))
def test_every_document_trains_or_is_in_one_bag(offsets, until):
    days = [date.fromordinal(728_000 + offset) for offset in offsets]
    until = date.fromordinal(728_000 + until)
    if not min(days) < until <= max(days):
        return
    split = by_period(corpus_of(days), train_until=until, by="week")
    parts = [split.train, *(bag.indices for bag in split.bags)]
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(days)))
    assert all(days[i] < until for i in split.train)
    weeks = {(day - min(days)).days // 7 for day in days if day >= until}
    assert len(split.bags) == len(weeks)


# Artificial prevalence

Y = np.arange(100) % 4 == 0  # 25 positives in 100; 15 of the first 60, 10 of the last 40
WHOLE = Split(np.arange(60), (Bag("a", np.arange(60, 80)), Bag("b", np.arange(80, 100))))


def test_bags_have_the_prescribed_prevalence():
    [split] = artificial_prevalence(WHOLE, Y, prevalences=[0, 0.25, 1], repeats=3, size=10)
    assert split.train is WHOLE.train
    assert len({bag.name for bag in split.bags}) == 9
    # Of ten documents a quarter is 2.5, rounded up.
    assert [int(Y[bag.indices].sum()) for bag in split.bags] == [0] * 3 + [3] * 3 + [10] * 3
    for bag in split.bags:
        assert len(set(bag.indices.tolist())) == 10
        assert bag.indices.min() >= 60


def test_training_sets_have_the_prescribed_prevalence():
    splits = artificial_prevalence(WHOLE, Y, prevalences=[0.5], repeats=2, size=30, side="train")
    assert [split.name for split in splits] == ["prevalence 0.5, draw 1", "prevalence 0.5, draw 2"]
    for split in splits:
        assert split.bags is WHOLE.bags
        assert Y[split.train].sum() == 15  # all that there are
        assert len(set(split.train.tolist())) == 30
        assert split.train.max() < 60


def test_same_seed_same_draws():
    def draw(seed):
        [split] = artificial_prevalence(WHOLE, Y, prevalences=[0.2], repeats=2, size=20, seed=seed)
        return [bag.indices.tolist() for bag in split.bags]

    assert draw(1) == draw(1)
    assert draw(1) != draw(2)
    assert draw(1)[0] != draw(1)[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"prevalences": [0.5], "size": 24},
            "prevalence of 0.5 among 24 documents needs 12 positive ones, and there are 10 among "
            "the test documents; lower size=",
        ),
        ({"prevalences": [0], "size": 31}, "needs 31 negative ones, and there are 30"),
        ({"prevalences": [1.5]}, "prevalence 1.5 is not between 0 and 1"),
        ({"repeats": 0}, "size is 100 and repeats is 0; both must be 1 or more"),
        ({"side": "both"}, "side 'both' is unknown; choose one of test, train"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(options, message):
    with pytest.raises(ValueError, match=message):
        artificial_prevalence(WHOLE, Y, **options)


# Counts


def test_counts_are_over_classes_with_a_training_document():
    labels = pl.Series([["x"], ["x", "y"], [], ["z", "x"], ["y"], [], []])
    days = [date(1987, 1, 1)] * 3 + [date(1988, 1, 1)] * 2 + [date(1989, 1, 1)] * 2
    corpus = corpus_of(days, labels)
    assert describe(corpus, [by_period(corpus, train_periods=1)]) == {
        "documents in the files": 7,
        "documents": 7,
        "classes": 3,
        "tasks": 2,  # z has no training document
        "training documents": 3,
        "training positives, min": 1,  # y
        "training positives, max": 2,  # x
        "training positives, mean": 1.5,
        "training prevalence, min": pytest.approx(1 / 3),
        "training prevalence, max": pytest.approx(2 / 3),
        "training prevalence, mean": pytest.approx(0.5),
        "test documents": 4,
        "bags": 2,
        "documents a bag": 2.0,
        "test positives, min": 0,
        "test positives, max": 1,
        "test positives, mean": 0.5,  # x and y: one of 2 in 1988, none of 2 in 1989
        "test prevalence, min": 0.0,
        "test prevalence, max": 0.5,
        "test prevalence, mean": 0.25,
    }


def test_counts_without_any_class_in_training_are_an_error():
    corpus = corpus_of(["1", "2"], pl.Series([[], ["x"]]))
    with pytest.raises(ValueError, match="no training document has a class"):
        describe(corpus, [by_period(corpus, train_periods=1)])
