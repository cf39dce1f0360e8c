"""Counts of a corpus and its splits, worked out by hand."""

from datetime import date

import numpy as np
import polars as pl
import pytest

from quantext.experiments.counts import describe
from quantext.experiments.splits import Bag, Split, by_period
from quantext.texts.corpus import Corpus


def corpus_of(periods, labels=None):
    texts = pl.Series(["x"] * len(periods), dtype=pl.String)
    return Corpus("c", texts=texts, labels=labels, periods=pl.Series(periods))


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


def test_counts_of_several_splits_are_means_of_training_and_sums_of_bags():
    corpus = corpus_of(["1"] * 4, pl.Series(["a", "b", "a", "a"]))
    one = Split(np.array([0, 1]), (Bag("p", np.array([2, 3])),))
    two = Split(np.array([1, 2, 3]), (Bag("q", np.array([0])),))
    counts = describe(corpus, [one, two])
    assert counts["training documents"] == 2  # 2 and 3, rounded to even
    assert counts["training prevalence, min"] == pytest.approx(1 / 3)  # of b in the second
    assert (counts["bags"], counts["test documents"]) == (2, 3)


def test_known_shares_are_counted_where_documents_have_no_labels():
    corpus = corpus_of(["1"] * 4, pl.Series(["a", "b", "a", "b"]))
    bag = Bag("p", np.array([2, 3]), shares=np.array([0.0, 1.0]))
    counts = describe(corpus, [Split(np.array([0, 1]), (bag,))])
    assert (counts["test positives, min"], counts["test positives, max"]) == (0, 2)
