"""Bayesian counts, against direct integration of the same posteriors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import xlogy

from quantext.quantifiers import BayesianCount, PreciseQuantifier
from quantext.quantifiers.bayesian import posterior_by_bins, solve_draws
from quantext.quantifiers.weighted import weighted_quantiles
from tests.support.ten_documents import BAG, TEN, TWO, three_classes

# Training documents by the class they were put in (row) and their own (column); a bag's, put in it.
TABLE = np.array([[40, 6], [10, 24]])
COUNTED = np.array([55, 45])


def integrated(table, counted):
    """Shares on a grid and their posterior, summed over a grid of both rates."""
    fpr, tpr, p = np.meshgrid(*[(np.arange(n) + 0.5) / n for n in (120, 120, 120)], indexing="ij")
    found = fpr + (tpr - fpr) * p
    logs = (
        xlogy(table[1, 0], fpr) + xlogy(table[0, 0], 1 - fpr) + xlogy(table[1, 1], tpr)
        + xlogy(table[0, 1], 1 - tpr) + xlogy(counted[1], found) + xlogy(counted[0], 1 - found)
    )  # fmt: skip
    posterior = np.exp(logs - logs.max()).sum(axis=(0, 1))
    return p[0, 0], posterior / posterior.sum()


@pytest.mark.parametrize("draw", [solve_draws, posterior_by_bins])
def test_two_classes_have_the_posterior_that_integration_gives(draw):
    p, posterior = integrated(TABLE, COUNTED)
    mean = p @ posterior
    ends = np.interp([0.05, 0.95], np.cumsum(posterior), p)
    shares, weights = draw(TABLE, COUNTED, 20_000, np.random.default_rng(0))
    assert_allclose(weights @ shares[:, 1] / weights.sum(), mean, atol=0.01)
    assert_allclose(weighted_quantiles(shares, weights, (0.05, 0.95))[:, 1], ends, atol=0.015)


def test_a_perfect_classifier_leaves_the_chance_of_the_bag_alone():
    # 30 of 100 are positive, and the posterior is nearly Beta(31, 71).
    shares, weights = solve_draws(
        np.diag([10**6, 10**6]), np.array([70, 30]), 20_000, np.random.default_rng(0)
    )
    assert_allclose(weights @ shares[:, 1] / weights.sum(), 31 / 102, atol=1e-3)


def test_a_classifier_that_knows_nothing_leaves_everything_open():
    shares, weights = posterior_by_bins(
        np.full((2, 2), 10**6), np.array([50, 50]), 500, np.random.default_rng(0)
    )
    assert_allclose(weights @ shares / weights.sum(), [0.5, 0.5], atol=0.01)
    assert_allclose(weighted_quantiles(shares, weights, (0.25,))[0], [0.25, 0.25], atol=0.01)


def test_ten_documents_are_counted_by_class():
    # At zero: 5 of 6 negatives and 3 of 4 positives are put where they belong; of the bag 5 and 5.
    fitted = BayesianCount(None, draws=20_000).fit_scores(TEN)
    assert fitted.learned_[0].tolist() == [[5, 1], [1, 3]]
    bag = np.array(BAG)[:, None]
    assert fitted.summarise(bag).counts[0].tolist() == [5, 5]
    p, posterior = integrated(np.array([[5, 1], [1, 3]]), np.array([5, 5]))
    assert_allclose(fitted.predict(bag)[1], p @ posterior, atol=0.01)


def test_bins_have_quantiles_of_the_scores_as_edges():
    # Sorted: −4 −3 −2 −2 −1 −1 1 1 2 3; a quarter and half of them lie at −2 and −1, 3/4 at 1.
    fitted = PreciseQuantifier(None).fit_scores(TEN)
    edges, table = fitted.learned_[0]
    assert edges.tolist() == [-2, -1, 1]
    assert table.T.tolist() == [[4, 1, 1, 0], [0, 1, 1, 2]]
    # Of −5 −2 −1.5 −1 0 0.25 0.5 2 2 4, up to −2, −1, 1 and beyond:
    assert fitted.summarise(np.array(BAG)[:, None]).counts[0].tolist() == [2, 2, 3, 3]


def test_scores_that_are_all_alike_have_one_bin_and_leave_the_middle():
    scores = np.zeros((12, 1))
    same = type(TEN)(np.asarray, scores, np.arange(12)[:, None] < 4, 0.0, TEN.classes, "binary")
    assert_allclose(PreciseQuantifier(None).fit_scores(same).predict(scores), [0.5, 0.5], atol=0.02)


def test_many_classes_have_a_posterior_where_hardly_any_draw_is_a_prevalence():
    rng = np.random.default_rng(0)
    table = 50 * np.eye(30, dtype=int) + rng.integers(0, 4, (30, 30))
    counted = np.zeros(30, dtype=int)
    counted[:3] = 100
    shares, weights = solve_draws(table, counted, 500, np.random.default_rng(1))
    assert shares.shape[1] == 30
    assert_allclose(shares.sum(axis=1), 1)
    assert (shares >= 0).all()
    assert (weights @ shares / weights.sum())[:3].sum() > 0.8


def test_intervals_are_quantiles_and_shorter_with_more_training():
    bag = np.array([[1.0]] * 50 + [[-1.0]] * 50)
    widths = []
    for times in (1, 20):
        scores = type(TWO)(
            np.asarray, np.tile(TWO.out_of_fold, (times, 1)), np.tile(TWO.y, (times, 1)), 0.0,
            TWO.classes, "binary",
        )  # fmt: skip
        fitted = BayesianCount(None).fit_scores(scores)
        low, high = fitted.predict_interval(bag)
        assert (low <= fitted.predict(bag)).all()
        assert (fitted.predict(bag) <= high).all()
        assert_allclose(low[0], 1 - high[1])
        widths.append(high[1] - low[1])
    assert widths[1] < 0.7 * widths[0]


def test_three_classes_are_solved_together():
    y = np.repeat([0, 1, 2], 300)
    scores = three_classes(np.eye(3)[y], y)
    bag = np.eye(3)[np.repeat([0, 1, 2], [100, 200, 700])]
    # Nothing was ever mistaken: nearly Dirichlet(101, 201, 701).
    found = BayesianCount(None).fit_scores(scores).predict(bag)
    assert_allclose(found, np.array([101, 201, 701]) / 1003, atol=0.01)


@pytest.mark.parametrize(
    ("quantifier", "message"),
    [
        (BayesianCount(None, draws=0), "draws is 0; a posterior needs at least one"),
        (BayesianCount(None, draws="1"), "draws is '1'; a posterior needs at least one"),
        (PreciseQuantifier(None, draws=10**9), "draws is 1000000000; .* at most 1,000,000"),
        (PreciseQuantifier(None, bins=1), "bins is 1; there must be at least 2"),
    ],
)
def test_parameters_that_leave_no_posterior_are_errors(quantifier, message):
    with pytest.raises(ValueError, match=message):
        quantifier.fit_scores(TEN)
