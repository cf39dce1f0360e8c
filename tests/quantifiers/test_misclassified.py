import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import beta

from quantext.quantifiers.misclassified import rates_of, unmix


def test_rates_are_shares_of_the_documents_of_a_class():
    rates = rates_of(np.array([[8, 1, 0], [2, 3, 0], [0, 0, 0]]))
    assert_allclose(rates[:, :2], [[0.8, 0.25], [0.2, 0.75], [0, 0]])
    assert np.isnan(rates[:, 2]).all()


def test_two_classes_are_those_of_rogan_and_gladen():
    # (apparent + specificity - 1) / (sensitivity + specificity - 1)
    found = unmix(np.array([[95, 8], [5, 32]]), np.array([700, 300]))
    assert found.p[1] == pytest.approx((0.3 + 0.95 - 1) / (0.8 + 0.95 - 1))
    assert found.p.sum() == pytest.approx(1)
    assert found.low[1] < found.p[1] < found.high[1]
    assert_allclose(found.low[0], 1 - found.high[1], atol=1e-9)


def grid_quantiles(table, q, level=0.95):
    """Quantiles of p, uniform before, if the share q that the model puts in class 1 is known.

    For each p and false positive rate there is one true positive rate that gives q, by
    q = fpr (1 − p) + tpr p, whose density is that of tpr by p.
    """
    p = (np.arange(1000) + 0.5)[:, None] / 1000
    fpr = (np.arange(400) + 0.5) / 400
    tpr = (q - fpr * (1 - p)) / p
    density = beta.pdf(fpr, 1 + table[1, 0], 1 + table[0, 0])
    density = density * beta.pdf(tpr, 1 + table[1, 1], 1 + table[0, 1]) / p
    upto = np.cumsum(density.sum(axis=1))
    return np.interp([(1 - level) / 2, (1 + level) / 2], upto / upto[-1], p[:, 0])


@pytest.mark.parametrize(
    ("table", "q"),
    [([[95, 8], [5, 32]], 0.3), ([[48, 3], [2, 47]], 0.06), ([[450, 90], [50, 410]], 0.5)],
)
def test_bounds_are_those_of_a_posterior_on_a_grid(table, q):
    table, size = np.array(table), 1_000_000
    counts = np.array([size - round(q * size), round(q * size)])
    found = unmix(table, counts, draws=20_000)
    low, high = grid_quantiles(table, q)
    assert_allclose([found.low[1], found.high[1]], [low, high], atol=0.03 * (high - low))


def test_a_small_bag_is_less_sure():
    table = np.array([[950, 80], [50, 320]])
    small, large = (unmix(table, np.array([7, 3]) * n) for n in (10, 10_000))
    assert small.high[1] - small.low[1] > 1.5 * (large.high[1] - large.low[1])
    assert_allclose(small.p, large.p)


def test_what_a_bag_was_drawn_from_is_less_sure_than_the_bag():
    table, counts = np.array([[950, 80], [50, 320]]), np.array([70, 30])
    here, there = (unmix(table, counts, population=own) for own in (False, True))
    assert there.high[1] - there.low[1] > 1.2 * (here.high[1] - here.low[1])


def test_three_classes_sum_to_one_and_lie_within_their_bounds():
    rates = np.array([[0.8, 0.1, 0.1], [0.1, 0.7, 0.2], [0.1, 0.2, 0.7]])
    p = np.array([0.6, 0.3, 0.1])
    found = unmix((100 * rates).astype(int), np.round(10_000 * rates @ p).astype(int))
    assert_allclose(found.p, p, atol=1e-3)
    assert (found.low <= p).all()
    assert (p <= found.high).all()


def test_a_model_that_hardly_tells_classes_apart_leaves_nearly_all_open():
    found = unmix(np.array([[14, 11], [11, 14]]), np.array([5000, 5000]))
    assert found.low[1] < 0.05
    assert found.high[1] > 0.95


def test_the_same_seed_gives_the_same_bounds():
    table, counts = np.array([[40, 8], [5, 32]]), np.array([70, 30])
    first, again, other = (unmix(table, counts, seed=seed) for seed in (1, 1, 2))
    assert_allclose(first.high, again.high, rtol=0)
    assert first.high[1] != other.high[1]


def test_a_level_in_percent_is_an_error():
    with pytest.raises(ValueError, match="level"):
        unmix(np.eye(2), np.array([1, 1]), level=95)
