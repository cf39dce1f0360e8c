"""Quantification forests: splits worked by hand, kernels against plain loops."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from quantext.learners.forest import QuantificationForest
from quantext.learners.trees import best_split, imbalance


@parametrize_with_checks([QuantificationForest(n_trees=5, min_leaf=1)])
def test_it_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)


def test_imbalance_of_a_split_by_hand():
    # Left is put in class 0 and right in class 1. Of class 0: FP 1, FN 3; of class 1: FP 3, FN 1.
    left, right = np.array([5, 1]), np.array([3, 4])
    assert imbalance(left, right, 0) == (2 + 2, 4)
    assert imbalance(left, right, 1) == (2 * 4 + 2 * 4, 4)
    # As many of each as of the other: nothing to balance, though two are wrong.
    assert imbalance(np.array([5, 1]), np.array([1, 5]), 1) == (0, 2)
    # Both sides are put in class 0: class 1 is missed three times, class 0 found so often too much.
    assert imbalance(np.array([5, 1]), np.array([5, 2]), 0) == (3 + 3, 3)


def plain_imbalance(left, right, power):
    total = 0.0
    for c in range(len(left)):
        fp = sum(side.sum() - side[c] for side in (left, right) if side.argmax() == c)
        fn = sum(side[c] for side in (left, right) if side.argmax() != c)
        total += abs(fp - fn) * (fp + fn) ** power
    return total, sum(side.sum() - side.max() for side in (left, right))


def plain_split(values, codes, times, classes, power, min_leaf):
    """All thresholds of a dense feature, one after the other."""
    best = (np.inf, 0), None
    distinct = np.unique(values)
    for low, high in pairwise(distinct):
        sides = [
            np.bincount(codes[side], times[side], minlength=classes)
            for side in (values <= low, values > low)
        ]
        if min(side.sum() for side in sides) >= min_leaf:
            cost = plain_imbalance(*sides, power)
            if cost < best[0]:
                best = cost, low + (high - low) / 2
    return best


@pytest.mark.parametrize("power", [0, 1])
@pytest.mark.parametrize("seed", range(20))
def test_the_kernel_finds_the_best_split_that_a_plain_loop_does(seed, power):
    rng = np.random.default_rng(seed)
    n, classes = 25, int(rng.integers(2, 5))
    values = rng.integers(-3, 4, n) * (rng.random(n) < 0.6) / 2
    codes, times = rng.integers(0, classes, n), rng.integers(1, 3, n)
    (cost, errors), threshold = plain_split(values, codes, times, classes, power, 3)
    there = values != 0
    whole = np.bincount(codes, times, minlength=classes).astype(np.int64)
    found = best_split(values[there], codes[there], times[there], whole, power, 3)
    assert found[:2] == (cost, errors)
    if threshold is not None:
        assert found[2] == threshold


def walk(trees, document):
    """Votes of the trees, step by step."""
    votes = np.zeros(trees.n_classes)
    for root in trees.roots:
        node = root
        while trees.features[node] >= 0:
            low = document[trees.features[node]] <= trees.thresholds[node]
            node = (trees.left if low else trees.right)[node]
        votes[trees.labels[node]] += 1
    return votes / len(trees.roots)


def test_votes_are_those_of_walking_each_tree():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5)) * (rng.random((80, 5)) < 0.7)
    y = np.where(X[:, 0] > 0, "a", np.where(X[:, 1] > 0, "b", "c"))
    forest = QuantificationForest(n_trees=7, min_leaf=2).fit(X, y)
    new = rng.normal(size=(30, 5))
    expected = np.array([walk(forest.votes_, document) for document in new])
    assert_allclose(forest.predict_proba(new), expected)
    assert_allclose(forest.predict_proba(sparse.csr_matrix(new)), expected)
    forest.votes_.check(3)


@pytest.mark.parametrize("criterion", ["mixed", "balance"])
def test_a_forest_learns_what_a_line_divides(criterion):
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(300, 6)), rng.normal(size=(300, 6))
    forest = QuantificationForest(n_trees=25, criterion=criterion).fit(X, X[:, 0] > 0.5)
    assert np.mean(forest.predict(new) == (new[:, 0] > 0.5)) > 0.9


def test_words_that_are_there_or_not_are_split_between():
    X = sparse.csr_array(np.tile([[1.0, 0, 2], [0, 3, 2]], (20, 1)))
    forest = QuantificationForest(n_trees=3).fit(X, np.tile([0, 1], 20))
    used = forest.votes_.features >= 0
    # The third word is in all documents alike and splits nothing; the others at half their weight.
    assert set(zip(forest.votes_.features[used], forest.votes_.thresholds[used], strict=True)) <= {
        (0, 0.5),
        (1, 1.5),
    }
    assert forest.predict([[1, 0, 0], [0, 1.6, 0]]).tolist() == [0, 1]


def test_the_seed_decides():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 2, 60)
    first, same, other = (
        QuantificationForest(n_trees=3, seed=s).fit(X, y).predict_proba(X) for s in (1, 1, 2)
    )
    assert (first == same).all()
    assert (first != other).any()


def test_trees_that_lead_nowhere_are_no_trees():
    X, y = np.arange(40.0)[:, None], np.arange(40) > 20
    trees = QuantificationForest(n_trees=2).fit(X, y).votes_
    with pytest.raises(ValueError, match="leads nowhere, or back"):
        replace(trees, left=np.zeros_like(trees.left)).check(2)
    with pytest.raises(ValueError, match="classes that are not there"):
        replace(trees, labels=trees.labels + 2).check(2)
    with pytest.raises(ValueError, match="features that are not there"):
        replace(trees, features=np.where(trees.features < 0, -1, 7)).check(2)
    with pytest.raises(ValueError, match="not all their parts"):
        replace(trees, right=trees.right[:-1]).check(2)
    with pytest.raises(ValueError, match="has no root"):
        replace(trees, roots=trees.roots + 10**6).check(2)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_trees": 0}, "there must be at least one"),
        ({"min_leaf": 0}, "a leaf has at least one document"),
        ({"criterion": "gini"}, "criterion 'gini' is unknown; choose mixed or balance"),
    ],
)
def test_a_parameter_that_means_nothing_is_an_error(params, message):
    with pytest.raises(ValueError, match=message):
        QuantificationForest(**params).fit(np.eye(4), [0, 1, 0, 1])
