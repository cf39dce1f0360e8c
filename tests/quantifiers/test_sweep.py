"""Continuous Sweep, where its answer is known."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtri

from quantext.quantifiers import ContinuousSweep
from quantext.quantifiers.sweep import Curves, curves, sweep, variance
from tests.support.ten_documents import TWO, training


def normal(n, mean, deviation=1.0):
    """Scores that are as normal as n of them can be."""
    return mean + deviation * ndtri((np.arange(n) + 0.5) / n)


@pytest.mark.parametrize("share", [0.0, 0.2, 0.9])
def test_a_bag_of_two_normal_classes_has_the_share_of_its_mixture(share):
    fitted = ContinuousSweep(None).fit_scores(training(normal(500, 1, 0.7), normal(500, -1)))
    bag = np.concatenate(
        [normal(round(1000 * share), 1, 0.7), normal(round(1000 * (1 - share)), -1)]
    )
    assert_allclose(fitted.predict(bag[:, None])[1], share, atol=5e-3)


def test_with_one_threshold_it_is_the_adjusted_count():
    # (0.5 − 0.1)/(0.9 − 0.1)
    assert sweep(Curves(np.zeros(1), np.array([0.9]), np.array([0.1])), np.array([0.5])) == 0.5


def test_two_thresholds_are_averaged_if_that_varies_less():
    # Both tell the classes apart by 0.8: adjusted counts 0.5 and 0.75, and their mean varies less
    # than either: two equal differences leave no cut between them.
    both = Curves(np.array([0.0, 1.0]), np.array([0.9, 0.8]), np.array([0.1, 0.0]))
    assert_allclose(sweep(both, np.array([0.5, 0.6])), 0.625)


def test_the_variance_is_that_of_all_pairs_of_thresholds():
    rng = np.random.default_rng(0)
    tpr, fpr = -np.sort(-rng.uniform(0.5, 1, 6)), -np.sort(-rng.uniform(0, 0.4, 6))
    pairs = 0.0
    for u in range(6):
        for v in range(6):
            low, high = min(u, v), max(u, v)  # the rates fall
            positive = 0.3 * tpr[high] * (1 - tpr[low])
            negative = 0.7 * fpr[high] * (1 - fpr[low])
            pairs += (positive + negative) / ((tpr[u] - fpr[u]) * (tpr[v] - fpr[v]))
    found = variance(Curves(np.arange(6.0), tpr, fpr), 0.3, slice(0, 6))
    assert_allclose(found, pairs / 36)


def test_rates_that_cross_are_used_on_one_side_only():
    wide = curves(np.array([0.0, 1.0]), np.array([1.0, 4.0]))
    assert (wide.tpr > wide.fpr).all()
    assert_allclose(np.diff(wide.thresholds), np.diff(wide.thresholds)[0])


def test_scores_in_the_wrong_order_are_counted_above_zero():
    fitted = ContinuousSweep(None).fit_scores(training([-1, -2, 1], [2, 3, -1]))
    assert_allclose(fitted.predict(np.array([[1.0], [2], [-1], [0]]))[1], 0.5)


def test_a_class_of_one_score_borrows_the_deviation_of_the_other():
    fitted = ContinuousSweep(None).fit_scores(training([1], [-1, -2, 0, -1]))
    assert 0 <= fitted.predict(np.array([[1.0], [-1]]))[1] <= 1
    perfect = ContinuousSweep(None).fit_scores(training([1, 1], [-1, -1]))
    assert_allclose(perfect.predict(np.array([[1.0], [1], [-1], [-1]])), [0.5, 0.5])


def test_ten_documents_with_two_scores_are_near_the_adjusted_count():
    # ACC is (0.5 − 1/6)/(3/4 − 1/6) = 0.57.
    bag = np.array([[1.0], [-1.0]])
    assert_allclose(ContinuousSweep(None).fit_scores(TWO).predict(bag)[1], 0.57, atol=0.08)
