import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from quantext.learners.folds import indicator_columns, stratified_folds, stratified_part

labels = st.lists(st.integers(0, 2), min_size=1, max_size=60)
folds = st.integers(2, 70)
seeds = st.integers(0, 2**32 - 1)


def spread(counts: np.ndarray) -> int:
    return int(counts.max() - counts.min())


@given(labels, folds, seeds)
def test_there_are_as_many_folds_as_asked_for_or_as_documents(y, folds, seed):
    fold_of = stratified_folds(y, folds, seed)
    assert set(fold_of) == set(range(min(folds, len(y))))


@given(labels, folds, seeds)
def test_sizes_of_folds_differ_by_at_most_one_overall_and_in_each_class(y, folds, seed):
    fold_of = stratified_folds(y, folds, seed)
    k = min(folds, len(y))
    assert spread(np.bincount(fold_of, minlength=k)) <= 1
    for label in set(y):
        assert spread(np.bincount(fold_of[np.equal(y, label)], minlength=k)) <= 1


@given(labels, folds, seeds)
def test_the_same_seed_gives_the_same_folds(y, folds, seed):
    again = stratified_folds(y, folds, seed)
    np.testing.assert_array_equal(stratified_folds(y, folds, seed), again)


def test_another_seed_gives_other_folds():
    y = np.arange(100) < 30
    assert (stratified_folds(y, 10, seed=0) != stratified_folds(y, 10, seed=1)).any()


def test_labels_are_only_names():
    y = np.array([True, False, False, True, False, False, False])
    words = np.where(y, "yes", "no")
    np.testing.assert_array_equal(stratified_folds(words, 3, 0), stratified_folds(y, 3, 0))


def test_one_fold_is_an_error_that_says_so():
    with pytest.raises(ValueError, match="folds is 1; cross-validation needs at least 2"):
        stratified_folds([0, 1, 1], folds=1, seed=0)


@pytest.mark.parametrize("y", [[], [[0, 1], [1, 0]]])
def test_labels_that_are_not_one_a_document_are_an_error(y):
    with pytest.raises(ValueError, match="give one label for each document"):
        stratified_folds(y, folds=2, seed=0)


INDICATOR = np.array([[0, 1], [1, 1], [0, 0]])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, pd.DataFrame, pl.DataFrame])
def test_columns_of_any_kind_are_read_as_booleans(kind):
    columns = indicator_columns(kind(INDICATOR))
    assert columns.dtype == bool
    np.testing.assert_array_equal(columns, INDICATOR == 1)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, pd.DataFrame])
@pytest.mark.parametrize("wrong", [2.0, -1.0, 0.5, np.nan])
def test_what_is_no_0_and_no_1_is_an_error_that_says_where(kind, wrong):
    values = np.zeros((6, 2))
    values[5, 1] = wrong
    with pytest.raises(ValueError, match=r"y\[5, 1\] is .*; for classes, pass a one-dim"):
        indicator_columns(kind(values))


def test_a_y_without_columns_is_an_error():
    with pytest.raises(ValueError, match="y has no columns"):
        indicator_columns(np.empty((3, 0)))


@pytest.mark.parametrize("parts", [2, 3, 7])
def test_a_part_has_one_of_any_so_many_documents_of_each_class(parts):
    positive = np.random.default_rng(0).random(100) < 0.3
    places = stratified_part(positive, parts, seed=0)
    assert (np.diff(places) > 0).all()
    for own in (positive, ~positive):
        rank = np.cumsum(own) - 1  # of each document among those of its class
        chosen = rank[places[own[places]]]
        assert (chosen // parts).tolist() == list(range(own.sum() // parts))
        assert len(set((chosen % parts).tolist())) > 1  # at random


def test_the_part_is_the_same_for_the_same_seed():
    positive = np.arange(90) % 3 == 0
    one, other = stratified_part(positive, 4, seed=1), stratified_part(positive, 4, seed=1)
    np.testing.assert_array_equal(one, other)
    assert (stratified_part(positive, 4, seed=2) != one).any()


def test_of_too_few_documents_none_is_taken():
    assert stratified_part(np.array([True, True, False]), 4, seed=0).tolist() == []
