"""Rare classes, one class, one document, scores that say nothing: Adaptive is always defined."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from quantext.quantifiers import AdaptiveCount
from tests.support.adaptive import given, read


@pytest.mark.parametrize("positives", [0, 1, 2, 5, 195, 199, 200])
def test_rare_and_constant_classes_have_an_estimate(positives):
    rng = np.random.default_rng(0)
    y = np.arange(200)[:, None] < positives
    quantifier = AdaptiveCount(None).fit_scores(given(rng.normal(size=(200, 1)) + y, y))
    for size in (1, 300):
        p, low, high = read(quantifier, rng.normal(size=(size, 1)))
        if positives in (0, 200):
            assert_array_equal([p, low, high], [[1 - positives / 200, positives / 200]] * 3)
        else:
            assert 0 < p[1] < 1


@pytest.mark.parametrize("size", [1, 300])
@pytest.mark.parametrize(
    ("scale", "noise", "shift"),
    [(0, 0, -1), (2, 0, -1), (2, 0.1, -1), (-2, 1, 0), (2e6, 1e6, 0)],
    ids=["all equal", "separated exactly", "separated", "wrong way round", "huge"],
)
def test_odd_scores_have_an_estimate(scale, noise, shift, size):
    rng = np.random.default_rng(0)
    y = np.arange(200)[:, None] < 60
    bag_y = np.arange(size)[:, None] < size * 0.6
    scores, bag = (scale * own + noise * rng.normal(size=own.shape) + shift for own in (y, bag_y))
    p, low, high = read(AdaptiveCount(None).fit_scores(given(scores, y)), bag)
    assert high[1] > low[1]
    if scale == 0:  # nothing is learned
        assert low[1] < 0.3 < high[1]
        assert_allclose(p[1], 0.3, atol=0.12)
    elif size > 1:  # scores that are the wrong way round tell as much
        assert low[1] <= 0.6 <= high[1]


@pytest.mark.parametrize("kind", ["multiclass", "multilabel"])
def test_classes_that_training_lacks_stay_absent(kind):
    rng = np.random.default_rng(0)
    y = np.arange(100)[:, None] % 2 == np.arange(4)
    scores = rng.normal(size=(100, 4)) + 2 * y
    quantifier = AdaptiveCount(None).fit_scores(given(scores, y, kind))
    p, low, high = read(quantifier, rng.normal([0, 0, 3, 0], size=(80, 4)))
    assert_array_equal([p[2:], low[2:], high[2:]], np.zeros((3, 2)))


def test_three_classes_of_which_two_have_one_document_have_an_estimate():
    rng = np.random.default_rng(0)
    y = np.array([1, 2, *[0] * 98])[:, None] == np.arange(3)
    for scores in (rng.normal(size=(100, 3)) + y, np.zeros((100, 3))):
        quantifier = AdaptiveCount(None).fit_scores(given(scores, y, "multiclass"))
        for size in (1, 50):
            read(quantifier, rng.normal(size=(size, 3)))


def test_labels_that_are_all_alike_have_an_estimate():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(100)[:, None] < 40, 3, axis=1)
    quantifier = AdaptiveCount(None).fit_scores(
        given(rng.normal(size=(100, 3)) + 2 * y, y, "multilabel")
    )
    read(quantifier, rng.normal(size=(60, 3)))


def test_a_rare_class_is_not_expected_in_a_bag_of_one_document():
    y = np.arange(2000)[:, None] < 4
    quantifier = AdaptiveCount(None).fit_scores(given(np.zeros((2000, 1)), y))
    p, _, _ = read(quantifier, np.zeros((1, 1)))
    assert 0.002 <= p[1] < 0.01  # in training 0.002, and it may have become more frequent
