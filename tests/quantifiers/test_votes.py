"""Votes, counted by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from quantext.learners.forest import QuantificationForest
from quantext.learners.neighbours import WeightedNeighbours
from quantext.quantifiers import VoteCount
from quantext.quantifiers.votes import VoteScorer

X = np.array([[0.0], [1], [2], [3], [10], [11]])
Y = np.array(["no", "no", "no", "no", "yes", "yes"])


def test_pwk_counts_the_documents_whose_weighted_neighbours_say_so():
    # The three nearest of 6 are 3, 10 and 2: ½ + ½ against 1, a tie, which goes to the first class;
    # of 7 they are 10, 11 and 3.
    fitted = VoteCount(WeightedNeighbours(n_neighbors=3, alpha=1)).fit(X, Y)
    assert_allclose(fitted.predict([[6.0], [7.0], [0.0], [11.0]]), [0.5, 0.5])


def test_the_counts_of_trees_are_averaged():
    rng = np.random.default_rng(0)
    X, y, bag = rng.normal(size=(90, 3)), rng.integers(0, 3, 90), rng.normal(size=(40, 3))
    forest = QuantificationForest(n_trees=5)
    trees = forest.fit(X, y).votes_
    counts = []
    for root in trees.roots:
        one = type(trees)(*[getattr(trees, f) for f in ("features", "thresholds", "left", "right",
                          "labels")], np.array([root]), 3, 3)  # fmt: skip
        counts.append(one(bag).sum(axis=0) / 40)
    assert_allclose(VoteCount(forest).fit(X, y).predict(bag), np.mean(counts, axis=0))


def test_intervals_need_folds():
    fitted = VoteCount(WeightedNeighbours(n_neighbors=1)).fit(X, Y)
    with pytest.raises(ValueError, match="fit with folds >= 2"):
        fitted.predict_interval(X)
    low, high = VoteCount(WeightedNeighbours(n_neighbors=1), folds=3).fit(X, Y).predict_interval(X)
    assert (low <= high).all()


def test_a_class_that_a_fold_does_not_know_gets_no_votes_there():
    y = ["a", "a", "b", "b", "b", "c"]
    fitted = VoteCount(LogisticRegression(), folds=6).fit(X, y)
    assert fitted.scores_.out_of_fold[5].tolist() == [-0.5, 0.5, -0.5]
    assert fitted.scores_.decisions[5].tolist() == [False, True, False]


def test_a_label_that_never_changes_has_all_votes_or_none():
    y = np.column_stack([np.zeros(6), np.ones(6), Y == "yes"])
    fitted = VoteCount(WeightedNeighbours(n_neighbors=1)).fit(X, y)
    assert_allclose(fitted.predict(X), [0, 1, 1 / 3])


def test_folds_of_one_are_an_error():
    with pytest.raises(ValueError, match="folds is 1; use 0"):
        VoteCount(WeightedNeighbours(), folds=1).fit(X, Y)


@pytest.mark.parametrize(
    ("voters", "n_classes", "n_columns", "message"),
    [
        ((0.0,), 2, 2, "as many classes as there are"),
        ((3.0,), 2, 1, "always for a class that is not there"),
        ((None,), 2, 1, "no voter"),
    ],
)
def test_voters_that_do_not_fit_are_refused(voters, n_classes, n_columns, message):
    with pytest.raises(ValueError, match=message):
        VoteScorer(voters, n_classes).check(n_columns)
