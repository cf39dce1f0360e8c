"""What every method does where little or nothing can be learned, and with several classes."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from quantext.learners.linear import LinearSVM
from quantext.models.methods import find_method
from quantext.quantifiers import (
    AdjustedCount,
    ProbabilisticCount,
)
from quantext.scores.training import TrainingScores
from tests.support.ten_documents import (
    METHODS,
    OUT_OF_FOLD,
    SCORES,
    TEN,
    THREE,
    share,
    three_classes,
    training,
)


@pytest.mark.parametrize("method", ["ACC", "T50", "X", "MAX", "MS", "MS2"])
def test_adjusted_counts_fall_back_on_the_bare_count_where_tpr_equals_fpr(method):
    # Both classes have the same scores, so tpr = fpr at every threshold.
    assert share(method, training([1, -1], [1, -1]), [2, 2, 2, -2]) == 0.75


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bag", [[0], [0, 0, 0], [-5], [5, 5]])
def test_no_bag_makes_a_method_leave_the_unit_interval(method, bag):
    for scores in (
        TEN,
        training([0, 0], [0, 0, 0]),  # all equal
        training([-1, -2], [-3, -4]),  # no positives predicted
        training([-2, -2], [3, 3]),  # the wrong way round
        training([1], [-1]),
    ):
        assert 0 <= share(method, scores, bag) <= 1


def test_equal_scores_give_the_documented_values():
    scores = training([0, 0], [0, 0, 0, 0, 0, 0])
    # Nothing is above zero: the bare count is 0.
    for method in ("CC", "ACC", "T50", "X", "MAX", "MS", "MS2"):
        assert share(method, scores, [0, 0]) == 0
    # Mixtures and posteriors know nothing but the training prevalence.
    for method in ("MM(KS)", "MM(PP)", "PCC", "PACC", "EMQ"):
        assert share(method, scores, [0, 0]) == pytest.approx(0.25, abs=1e-12)


def test_classes_estimated_one_by_one_are_divided_by_their_sum():
    scores = three_classes(OUT_OF_FOLD, [0, 0, 1, 1, 2, 2], counts_each_class=True)
    bag = [[1, 1, -1], [1, -1, -1], [-1, 1, -1], [1, -1, -1]]  # 3/4, 2/4 and 0 are above zero
    assert_allclose(METHODS["CC"].fit_scores(scores).predict(bag), [3 / 5, 2 / 5, 0])


@pytest.mark.parametrize("method", METHODS)
def test_condensed_scores_have_the_same_summary(method):
    rng = np.random.default_rng(0)
    several = np.round(rng.normal(size=(50, 3)), 1)  # some tie, some are zero
    y = np.array(OUT_OF_FOLD) > 0
    labels = TrainingScores(np.asarray, several[:6], y, 0.0, THREE, "multilabel")
    separate = three_classes(OUT_OF_FOLD, [0, 0, 1, 1, 2, 2], counts_each_class=True)
    for scores, bag in (
        (training([1, 0.5], [-1, 0.2]), several[:, :1]),
        (labels, several),
        (SCORES, several),
        (separate, several),
    ):
        fitted = clone(METHODS[method]).fit_scores(scores)
        condensed = fitted.condense(bag)
        assert fitted.summarise_scores(condensed) == fitted.summarise_scores(bag)
        if method in ("CC", "ACC"):
            assert condensed.nbytes == bag.size


def test_classes_that_are_all_zero_give_the_training_prevalence():
    scores = three_classes([*OUT_OF_FOLD, [0, 0, 1]], [0, 0, 1, 1, 2, 2, 2], counts_each_class=True)
    p_hat = METHODS["CC"].fit_scores(scores).predict([[-1, -1, -1]])
    assert_allclose(p_hat, [2 / 7, 2 / 7, 3 / 7])


@pytest.mark.parametrize("method", METHODS)
def test_class_without_training_scores_does_no_harm(method):
    # A fitted classifier may know a class of which the held-out documents have none.
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=40)
    out_of_fold = rng.normal(size=(40, 3)) + 2 * (y[:, None] == np.arange(3))
    fitted = METHODS[method].fit_scores(three_classes(out_of_fold, y))
    bag = rng.normal(size=(30, 3))
    p_hat = fitted.predict(bag)
    low, high = fitted.predict_interval(bag, replicates=20)
    assert p_hat.sum() == pytest.approx(1)
    assert np.all((low >= 0) & (low <= high) & (high <= 1))


def test_methods_that_learn_from_folds_say_so():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    with pytest.raises(
        ValueError, match=r"AdjustedCount learns from out-of-fold scores.*folds >= 2"
    ):
        AdjustedCount(LogisticRegression(), folds=0).fit(X, y)
    bare = partial(ProbabilisticCount, LogisticRegression(), folds=0)
    assert bare(posteriors="logistic").fit(X, y).predict(X).sum() == pytest.approx(1)


def test_estimate_and_interval_together_are_those_one_by_one():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 3
    quantifier = ProbabilisticCount(LinearSVM(), folds=3).fit(X, y)
    summary = quantifier.summarise(X[:20])
    p, low, high = quantifier.aggregate_interval(summary, 0.9, 1, replicates=20)
    assert_array_equal(p, quantifier.aggregate(summary))
    assert_array_equal([low, high], quantifier.interval(summary, 0.9, 1, replicates=20))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("classes", [2, 3])
def test_many_bags_are_estimated_as_each_by_itself(name, classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = (X[:, :classes] + rng.normal(size=(120, classes))).argmax(axis=1)
    fresh = find_method(name).make()
    folds = {"folds": 5} if "folds" in fresh.get_params() else {}
    quantifier = fresh.set_params(**folds).fit(X, y)
    rows = quantifier.rows(X)
    bags = [rng.integers(0, 120, size) for size in (1, 10, 10, 50)]
    one_by_one = [quantifier.aggregate(quantifier.summarise_scores(rows[bag])) for bag in bags]
    assert_array_equal(quantifier.estimate_bags(rows, bags), one_by_one)


def test_many_bags_of_documents_whose_scores_are_not_finite_are_an_error():
    quantifier = AdjustedCount(LinearSVM()).fit_scores(TEN)
    with pytest.raises(ValueError, match=r"gives document 1 \(counting from 0\) the score"):
        quantifier.estimate_bags(np.array([[0.0], [np.nan]]), [np.array([0])])
