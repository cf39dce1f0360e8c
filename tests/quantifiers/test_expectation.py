"""Expectation maximisation, against the likelihood and a plain loop."""

import numpy as np
from numpy.testing import assert_allclose

from quantext.quantifiers import ExpectationMaximization
from quantext.quantifiers.expectation import expectation_maximization
from tests.support.ten_documents import HALF, HIGH, LOW, METHODS, TWO, share, three_classes


def test_emq_finds_the_maximum_of_the_likelihood():
    # Of ten documents four are at +1 and six at −1, so the mean posterior is
    prior = (4 * HIGH + 6 * LOW) / 10
    # Likelihoods of +1 and −1 in the two classes, posterior over prior:
    positive = np.array([HIGH, LOW]) / prior
    negative = (1 - np.array([HIGH, LOW])) / (1 - prior)
    # With gains d = positive − negative and half of the bag at each score, the derivative
    # ½d₁/(n₁+qd₁) + ½d₂/(n₂+qd₂) is zero at q = −(d₁n₂ + d₂n₁)/(2d₁d₂).
    d = positive - negative
    q = -(d[0] * negative[1] + d[1] * negative[0]) / (2 * d[0] * d[1])
    assert 0 < q < 1
    assert_allclose(share("EMQ", TWO, HALF), q, atol=1e-3)  # a bin is 1/1,024 of log-odds wide


def test_kernel_of_expectation_maximization_agrees_with_a_plain_loop():
    rng = np.random.default_rng(0)
    own = rng.dirichlet([0.5, 0.5, 0.5], size=40)
    weights, p_train = np.full(40, 1 / 40), np.array([0.5, 0.3, 0.2])
    p = p_train
    for _ in range(1000):
        corrected = own * p / p_train
        corrected /= corrected.sum(axis=1, keepdims=True)
        change, p = np.abs(corrected.mean(axis=0) - p).max(), corrected.mean(axis=0)
        if change < 1e-6:
            break
    assert_allclose(expectation_maximization(own, weights, p_train), p, atol=1e-12)


def test_emq_of_three_classes_agrees_with_unrounded_posteriors():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=300)
    out_of_fold = rng.normal(size=(300, 3)) - 1 + 2 * (y[:, None] == np.arange(3))
    fitted = METHODS["EMQ"].fit_scores(three_classes(out_of_fold, y))
    bag = rng.normal(size=(200, 3)) - 1
    bag[:120, 2] += 2
    own = fitted.learned_[0].posteriors(bag)
    expected = expectation_maximization(own, np.full(200, 1 / 200), fitted.learned_[0].prior)
    assert_allclose(fitted.predict(bag), expected, atol=1e-4)


def test_coarse_posteriors_hardly_change_the_estimate_of_emq():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 600)
    scores = three_classes(2 * np.eye(3)[y] + rng.normal(size=(600, 3)), y)
    emq = ExpectationMaximization(None).fit_scores(scores)
    drawn = rng.choice(3, 100_000, p=[0.1, 0.3, 0.6])
    bag = 2 * np.eye(3)[drawn] + rng.normal(size=(100_000, 3))
    fine = emq.summarise(bag)
    assert fine.counts[0].lost == 0
    # Twice as many posteriors that are hardly others are too many to be told apart.
    coarse = fine + emq.summarise(bag + rng.normal(scale=1e-3, size=bag.shape))
    assert coarse.counts[0].lost == 8
    assert_allclose(emq.aggregate(coarse), emq.aggregate(fine), atol=1e-4)
