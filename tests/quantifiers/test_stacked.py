"""Stacked scores: the second layer in closed form, against leaving out one by one."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn.linear_model import RidgeClassifier

from quantext.quantifiers import ProbabilisticAdjustedCount, StackedCount
from quantext.quantifiers.stacked import stack

RNG = np.random.default_rng(0)


def ridge(scores, y, centre, scale):
    """Weights of a ridge regression on standardised scores, with an offset without penalty."""
    Z = np.column_stack([(scores - centre) / scale, np.ones(len(scores))])
    system = np.vstack([Z, np.eye(Z.shape[1])[:-1]])
    targets = np.vstack([np.where(y, 1.0, -1.0), np.zeros((Z.shape[1] - 1, y.shape[1]))])
    return np.linalg.lstsq(system, targets)[0]


def test_the_scores_of_a_document_are_those_of_a_layer_that_did_not_know_it():
    scores, y = RNG.normal(size=(30, 3)), RNG.random((30, 3)) < 0.4
    second, out_of_fold = stack(scores, y)
    centre, scale = scores.mean(axis=0), scores.std(axis=0)
    for i in range(30):
        others = np.arange(30) != i
        weights = ridge(scores[others], y[others], centre, scale)
        assert_allclose(out_of_fold[i], np.append((scores[i] - centre) / scale, 1) @ weights)
    weights = ridge(scores, y, centre, scale)
    assert_allclose(
        second(scores), np.column_stack([(scores - centre) / scale, np.ones(30)]) @ weights
    )


def test_a_label_that_never_changes_has_a_constant_score():
    scores, y = RNG.normal(size=(20, 2)), np.column_stack([np.ones(20, bool), np.arange(20) < 9])
    second, out_of_fold = stack(scores, y)
    assert (out_of_fold[:, 0] == 1).all()
    assert_allclose(second(scores)[:, 0], 1)


def test_a_label_that_only_another_tells_is_found():
    # Each label has a score of its own, and that of the second is noise; but it goes with the
    # first, so the second layer scores it by the first.
    y = np.tile([[True, True], [False, False]], (100, 1))
    scores = np.column_stack([np.where(y[:, 0], 2.0, -2.0), np.zeros(200)])
    scores += RNG.normal(size=(200, 2))
    second, out_of_fold = stack(scores, y)
    assert np.mean((scores[:, 1] > 0) == y[:, 1]) < 0.6
    assert np.mean((out_of_fold[:, 1] > 0) == y[:, 1]) > 0.95
    assert abs(second.coef[0, 1]) > 10 * abs(second.coef[1, 1])


def test_labels_are_estimated_from_the_second_layer():
    y = np.tile([[1, 1], [0, 0]], (100, 1))
    X = np.column_stack([y[:, 0] * 4.0, np.zeros(200)]) + RNG.normal(size=(200, 2))

    bag = np.column_stack([np.repeat([4.0, 0], [60, 20]), np.zeros(80)]) + RNG.normal(size=(80, 2))
    fitted = StackedCount(RidgeClassifier(), folds=5).fit(X, y)
    assert_allclose(fitted.predict(bag), [0.75, 0.75], atol=0.1)
    assert fitted.scores_.scorer.second.coef.shape == (2, 2)


def test_two_classes_are_estimated_as_without_a_second_layer():
    # The second layer of one score is a line, which calibration undoes, but for its penalty and
    # the documents that are left out.
    y = np.arange(200) % 2
    X = RNG.normal(size=(200, 2)) + y[:, None]
    bag = RNG.normal(size=(100, 2)) + (np.arange(100) < 30)[:, None]
    plain = ProbabilisticAdjustedCount(RidgeClassifier(), folds=5).fit(X, y).predict(bag)
    assert_allclose(
        StackedCount(RidgeClassifier(), folds=5).fit(X, y).predict(bag), plain, atol=0.03
    )
