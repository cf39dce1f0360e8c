"""Temperature scaling with biases, and EMQ on it, worked by hand."""

import numpy as np
from numpy.testing import assert_allclose

from quantext.quantifiers import ExpectationMaximization
from quantext.quantifiers.temperature import Softmax, scale_temperature
from quantext.scores.training import ScoresByClass
from tests.support.ten_documents import HALF, TWO, three_classes

BCTS = ExpectationMaximization(None, posteriors="bias-corrected")


def test_two_classes_meet_the_shares_at_both_scores():
    # At +1 three of four documents are positive, at −1 one of six; a line goes through both.
    [sigmoid] = scale_temperature(
        ScoresByClass(np.array([[1.0], [-1]]), np.array([[1, 3], [5, 1]]))
    )
    high, low = np.log(3 / 1), np.log(1 / 5)
    assert_allclose(
        [sigmoid.slope, sigmoid.offset], [(high - low) / 2, (high + low) / 2], rtol=1e-3
    )


def test_three_classes_share_one_temperature():
    # Of six documents with the highest score of a class four are of it, one of each other:
    # e^a/(e^a + 2) = 4/6, so a = ln 4.
    counts = np.full((3, 3), 1) + 3 * np.eye(3, dtype=int)
    found = scale_temperature(ScoresByClass(np.eye(3), counts))
    assert_allclose(found.slope, np.log(4), rtol=1e-3)
    assert_allclose(found.offsets, found.offsets[0], atol=1e-6)
    assert_allclose(found.posteriors(np.eye(3))[0], [4 / 6, 1 / 6, 1 / 6], atol=1e-3)


def test_the_mean_posterior_is_the_training_prevalence():
    rng = np.random.default_rng(0)
    y = rng.choice(4, 300, p=[0.6, 0.3, 0.08, 0.02])
    scores = rng.normal(size=(300, 4)) + 1.5 * np.eye(4)[y]
    found = scale_temperature(ScoresByClass(scores, np.eye(4, dtype=int)[y]))
    assert_allclose(found.posteriors(scores).mean(axis=0), np.bincount(y) / 300, atol=1e-4)


def test_scores_that_separate_the_classes_have_a_finite_slope():
    [sigmoid] = scale_temperature(
        ScoresByClass(np.array([[-1.0], [1]]), np.array([[5, 0], [0, 5]]))
    )
    assert 3 < sigmoid.slope < 20


def test_scores_that_say_nothing_or_the_opposite_give_the_prevalence():
    for scores, counts in (([[1.0], [1.0]], [[3, 0], [0, 1]]), ([[1.0], [-1.0]], [[3, 0], [0, 1]])):
        [sigmoid] = scale_temperature(ScoresByClass(np.array(scores), np.array(counts)))
        assert sigmoid.slope == 0
        assert_allclose(sigmoid.offset, np.log(1 / 3))


def test_a_class_without_documents_has_no_posterior():
    counts = np.array([[3, 0, 1], [1, 0, 3]])
    found = scale_temperature(ScoresByClass(np.array([[1.0, 9, 0], [0, 9, 1]]), counts))
    assert_allclose(found.posteriors(np.eye(3))[:, 1], 0)


def test_softmax_of_large_scores_does_not_overflow():
    p = Softmax(1.0, np.zeros(3)).posteriors(np.array([[2000.0, 2000, -2000], [-900, 0, 900]]))
    assert_allclose(p, [[0.5, 0.5, 0], [0, 0, 1]])


def test_emq_finds_the_maximum_of_the_likelihood_on_these_posteriors():
    positive = np.array([3 / 4, 1 / 6]) / 0.4
    negative = np.array([1 / 4, 5 / 6]) / 0.6
    # Half of the bag is at each score; the derivative of the likelihood is zero at
    d = positive - negative
    q = -(d[0] * negative[1] + d[1] * negative[0]) / (2 * d[0] * d[1])
    assert 0 < q < 1
    found = BCTS.fit_scores(TWO).predict(np.array(HALF, dtype=float)[:, None])[1]
    assert_allclose(found, q, atol=2e-3)


def test_emq_of_three_classes_recovers_the_bag():
    rng = np.random.default_rng(1)
    y = rng.integers(3, size=3000)
    fitted = BCTS.fit_scores(three_classes(2 * np.eye(3)[y] + rng.normal(size=(3000, 3)), y))
    drawn = rng.choice(3, 3000, p=[0.1, 0.2, 0.7])
    bag = 2 * np.eye(3)[drawn] + rng.normal(size=(3000, 3))
    assert_allclose(fitted.predict(bag), np.bincount(drawn) / 3000, atol=0.02)
