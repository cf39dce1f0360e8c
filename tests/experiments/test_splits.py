"""Which documents train and which make each bag, worked out by hand on a few dates."""

from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from quantext.experiments.splits import as_given, by_group, by_period, halves
from quantext.texts.corpus import Corpus, VectorCorpus


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


# Groups


def grouped(names):
    texts = pl.Series(["x"] * len(names), dtype=pl.String)
    return Corpus("c", texts=texts, groups=pl.Series(names))


def test_one_group_after_the_other_is_left_out():
    splits = by_group(grouped(["tea", "mate", "tea", "coffee", "mate", "tea"]))
    assert [bags_of(split) for split in splits] == [
        [("coffee", [3])],
        [("mate", [1, 4])],
        [("tea", [0, 2, 5])],
    ]
    assert [split.train.tolist() for split in splits] == [[0, 1, 2, 4, 5], [0, 2, 3, 5], [1, 3, 4]]
    assert [split.name for split in splits] == ["without coffee", "without mate", "without tea"]
    assert not any(split.in_time for split in splits)


def test_names_of_periods_are_groups_if_there_are_no_others():
    assert len(by_group(corpus_of(["north", "south", "north"]))) == 2


def test_small_groups_train_and_are_no_bags():
    splits = by_group(grouped(["a", "a", "b", "b", "c"]), min_size=2)
    assert [bags_of(split)[0][0] for split in splits] == ["a", "b"]
    assert splits[0].train.tolist() == [2, 3, 4]
    assert splits[0].notes == ("1 of 3 groups, with fewer than 2 documents, make no bag",)


def test_many_groups_are_left_out_a_few_at_a_time_and_each_is_a_bag():
    # Five groups of 5, 4, 3, 2, 1 documents in two parts: a, c, e and b, d.
    names = [name for name, size in zip("abcde", range(5, 0, -1), strict=True) for _ in range(size)]
    splits = by_group(grouped(names), parts=2)
    assert [[bag.name for bag in split.bags] for split in splits] == [["a", "c", "e"], ["b", "d"]]
    assert [len(split.train) for split in splits] == [4 + 2, 5 + 3 + 1]


@pytest.mark.parametrize(
    ("corpus", "options", "message"),
    [
        (Corpus("c", pl.Series(["a"])), {}, "corpus 'c' has no groups"),
        (grouped(["a", "a"]), {}, "one group only, 'a'; there must be one to train on"),
        (grouped(["a", "b", "b"]), {"min_size": 3}, "no group has 3 documents; the largest, 'b'"),
        (grouped(["a", "b"]), {"parts": 1}, "parts is 1; it must be 2 or more"),
    ],
)
def test_what_cannot_be_divided_by_group_is_an_error(corpus, options, message):
    with pytest.raises(ValueError, match=message):
        by_group(corpus, **options)


# As the files have it


def test_bags_are_as_the_files_have_them():
    bags = pl.Series(["late", None, "early", "late", None])
    corpus = Corpus("c", pl.Series(list("vwxyz")), pl.Series(list("ababa")), bags=bags)
    split = as_given(corpus)
    assert split.train.tolist() == [1, 4]
    assert bags_of(split) == [("late", [0, 3]), ("early", [2])]  # in order of appearance
    assert all(bag.shares is None for bag in split.bags)


def test_known_shares_come_with_their_bags():
    shares = pl.DataFrame({"bag": ["2", "1"], "b": [0.25, 1.0], "a": [0.75, 0.0]})
    corpus = VectorCorpus(
        "c",
        sparse.csr_matrix(np.eye(4)),
        np.array([[1, 0], [0, 1], [0, 0], [0, 0]], dtype=bool),
        ("a", "b"),
        bags=pl.Series([None, None, "1", "2"]),
        shares=shares,
        multilabel=False,
    )
    split = as_given(corpus)
    assert [bag.shares.tolist() for bag in split.bags] == [[0, 1], [0.75, 0.25]]


@pytest.mark.parametrize(
    ("bags", "message"),
    [
        (None, "corpus 'c' has no bags of its own; choose another protocol"),
        (pl.Series([None, None], dtype=pl.String), "corpus 'c' has no bags"),
        (pl.Series(["1", "2"]), "corpus 'c' has no training documents"),
    ],
)
def test_a_corpus_without_bags_or_training_is_an_error(bags, message):
    with pytest.raises(ValueError, match=message):
        as_given(Corpus("c", pl.Series(["a", "b"]), pl.Series(["x", "y"]), bags=bags))


# Halves


def test_halves_have_equally_many_documents_of_each_class():
    lists = [["a"]] * 40 + [["a", "b"]] * 10 + [["b", "c"]] * 4 + [[]] * 7
    y = corpus_of(["1"] * 61, pl.Series(lists, dtype=pl.List(pl.String))).indicator
    first, second = halves(y, seed=0)
    # Documents stand together by their rarest class: c in 4 of them, b in 10, a alone in 40.
    np.testing.assert_array_equal(y[first].sum(axis=0), [25, 7, 2])
    assert sorted([*first, *second]) == list(range(61))
    assert len(first) == 31


def test_parts_have_the_share_that_is_asked_for():
    y = np.arange(100)[:, None] < [80, 20]
    first, _ = halves(y, seed=1, share=0.25)
    np.testing.assert_array_equal(y[first].sum(axis=0), [20, 5])
    np.testing.assert_array_equal(halves(y, seed=1, share=0.25)[0], first)
    assert not np.array_equal(halves(y, seed=2, share=0.25)[0], first)
    with pytest.raises(ValueError, match="train on is 1, not between 0 and 1"):
        halves(y, seed=1, share=1)
