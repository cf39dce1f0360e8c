"""Counts and mean posteriors, bare and corrected, worked by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

from quantext.quantifiers import ProbabilisticCount
from quantext.quantifiers.counting import correct
from tests.support.ten_documents import (
    BAG,
    HALF,
    HIGH,
    LOW,
    METHODS,
    NEGATIVE,
    OUT_OF_FOLD,
    POSITIVE,
    SCORES,
    TEN,
    TWO,
    share,
    three_classes,
    training,
)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("CC", 5 / 10),  # 0 itself is not above 0
        ("ACC", (1 / 2 - 1 / 6) / (3 / 4 - 1 / 6)),  # = 4/7, with tp = 3 and fp = 1 above 0
    ],
)
def test_ten_documents_are_counted_by_hand(method, expected):
    assert_allclose(share(method, TEN, BAG), expected, rtol=0, atol=1e-12)


def test_pcc_is_the_mean_posterior():
    assert_allclose(share("PCC(logistic)", TEN, BAG), np.mean(expit(BAG)), atol=1e-12)
    # Three of ten at +1: .3·21/32 + .7·35/144.
    bag = [1, 1, 1, -1, -1, -1, -1, -1, -1, -1]
    assert_allclose(share("PCC", TWO, bag), 0.3 * HIGH + 0.7 * LOW, atol=1e-9)


def test_pacc_corrects_by_mean_posteriors():
    tpr, fpr = np.mean(expit(POSITIVE)), np.mean(expit(NEGATIVE))
    expected = (np.mean(expit(BAG)) - fpr) / (tpr - fpr)
    assert_allclose(share("PACC(logistic)", TEN, BAG), expected, atol=1e-12)
    # Three of four positives are at +1, one of six negatives is. Posteriors are linear in a
    # two-valued score, so they cancel: (5/10 − 1/6)/(3/4 − 1/6) = 4/7, as for ACC.
    assert_allclose(share("PACC", TWO, HALF), 4 / 7, atol=1e-9)
    assert_allclose(share("ACC", TWO, HALF), 4 / 7, atol=1e-12)


def test_pacc_falls_back_on_the_mean_posterior_where_the_classes_look_alike():
    scores = training([1, -1], [1, -1])
    bag = [2, 2, 2, -2]
    assert share("PACC(logistic)", scores, bag) == share("PCC(logistic)", scores, bag)


def test_three_classes_are_counted_by_the_highest_score():
    bag = [[0.1, 0, -1], [-3, -1, -2], [-3, -1, -2], [0, 0, 2]]
    assert_array_equal(METHODS["CC"].fit_scores(SCORES).predict(bag), [0.25, 0.5, 0.25])


def test_three_classes_are_corrected_by_the_whole_matrix():
    # Counted (1/4, 1/4, 1/2), of which b is half of its documents: b = 1/2, c = 1/2 − 1/4.
    bag = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]
    assert_allclose(
        METHODS["ACC"].fit_scores(SCORES).predict(bag), [1 / 4, 1 / 2, 1 / 4], atol=1e-9
    )


def test_correction_of_three_classes_is_the_best_of_all_prevalences():
    rng = np.random.default_rng(5)
    corners = rng.dirichlet([1, 1, 1], size=20_000)
    for _ in range(20):
        rates, counted = rng.dirichlet([1, 1, 1], size=3).T, rng.dirichlet([0.3, 0.3, 0.3])
        error = np.sum((rates @ correct(rates, counted) - counted) ** 2)
        assert error <= np.min(np.sum((corners @ rates.T - counted) ** 2, axis=1)) + 1e-12


def test_correction_without_information_is_what_was_counted():
    counted = np.array([0.2, 0.5, 0.3])
    assert_allclose(correct(np.tile([[0.2], [0.5], [0.3]], 3), counted), counted, atol=1e-6)


def test_three_classes_use_posteriors_that_sum_to_one():
    bag = np.array([[1.0, 0, -2], [3, 1, 1]])
    own = expit(bag)
    expected = (own / own.sum(axis=1, keepdims=True)).mean(axis=0)
    p_hat = METHODS["PCC(logistic)"].fit_scores(SCORES).predict(bag)
    assert_allclose(p_hat, expected, atol=1e-12)


@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize("method", ["CC", "ACC"])
def test_coarse_scores_mean_the_same_to_a_count(method, each):
    bag = np.random.default_rng(0).normal(size=(50, 3))
    scores = three_classes(OUT_OF_FOLD, [0, 0, 1, 1, 2, 2], counts_each_class=each)
    fitted = METHODS[method].fit_scores(scores)
    assert_array_equal(fitted.predict(fitted.coarsen(bag)), fitted.predict(bag))


def test_posterior_sums_of_a_billion_documents_are_exact():
    fitted = METHODS["PCC(logistic)"].fit_scores(TEN)
    summary = fitted.summarise_scores(np.array([[0.3]]))
    for _ in range(30):
        summary = summary + summary
    assert summary.size == 2**30
    assert_allclose(fitted.aggregate(summary)[1], expit(0.3), rtol=0, atol=1e-12)


def test_unknown_posteriors_are_an_error():
    with pytest.raises(ValueError, match="choose calibrated or logistic"):
        ProbabilisticCount(None, posteriors="own").fit_scores(TEN)
