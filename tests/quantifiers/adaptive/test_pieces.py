"""Each piece of the adaptive method, by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats
from scipy.special import expit, logit

from quantext.quantifiers.adaptive import change, company, grid, posterior, prior, words
from quantext.quantifiers.adaptive.learning import MOST_IN_PAIRS, learn
from quantext.scores.features import describe_features
from quantext.vectors.csr import csr_count

AT_HALF = 96  # the candidate 1/2, where theta is 0


def histogram(*log_odds):
    return np.bincount(np.rint(np.array(log_odds) * 5).astype(int) + 70, minlength=141)


def test_mean_posterior_of_a_histogram_is_that_of_its_documents():
    counts = histogram(-1.0, 0.0, 2.0, 2.0)
    mean, variance = grid.read_posteriors(counts, grid.POSTERIOR)
    at_half = expit([-1.0, 0.0, 2.0, 2.0])
    assert_allclose(mean[AT_HALF], at_half.mean())
    assert_allclose(variance[AT_HALF], at_half.var())
    at_quarter = expit(np.array([-1.0, 0.0, 2.0, 2.0]) + grid.THETA[AT_HALF - 9])
    assert_allclose(mean[AT_HALF - 9], at_quarter.mean())


def test_no_documents_have_a_mean_posterior_of_zero():
    mean, variance = grid.read_posteriors(np.zeros(141, dtype=int), grid.POSTERIOR)
    assert not mean.any()
    assert not variance.any()


def test_noise_of_a_mean_counts_two_more_documents():
    # (4 x 0.01 + 2 x 0.25 x 0.75)/6 = 0.0691667 is the variance of one of 4 documents.
    noise = grid.mean_noise(np.array(0.25), np.array(0.01), np.array(4))
    assert_allclose(noise, 0.415 / 6 / 4)
    assert_allclose(grid.mean_noise(np.array(0.5), np.array(0.0), np.array(0)), 0.25)


def test_bins_are_fifths_of_log_odds_and_the_last_ones_hold_all_beyond():
    bins = grid.find_bins(np.array([2.0]), np.array([1.0]), np.array([[-0.5], [0.0], [99.0]]))
    assert_array_equal(bins[:, 0], [70, 75, 140])


def test_kernel_counts_what_find_bins_and_tally_do():
    rng = np.random.default_rng(0)
    scores, times = rng.normal(scale=4, size=(200, 3)), rng.integers(0, 4, 200)
    scores[:5] = [0.1, 0.3, -0.1]  # between two bins
    slope, offset = np.array([1.0, -2.0, 3.0]), np.array([0.0, 0.5, -9.0])
    counted = np.zeros((3, 141), dtype=np.int64)
    grid.count_bins(scores, slope, offset, times, counted)
    bins = grid.find_bins(slope, offset, scores)
    assert_array_equal(counted, [grid.tally(np.repeat(own, times)) for own in bins.T])


def test_kernel_counts_the_documents_that_have_a_word():
    X = sparse.random(50, 7, 0.4, format="csr", random_state=0)
    X.data[::5] = 0  # stored, but not there
    documents = np.zeros(7, dtype=np.int32)
    csr_count(X.indices, X.data, documents)
    assert_array_equal(documents, np.count_nonzero(X.toarray(), axis=0))


def test_population_is_a_students_t_with_three_degrees_about_training():
    mass = prior.population(np.array([0.1, 0.6]), np.zeros(2))
    assert mass.shape == (7, 2, 193)
    assert_allclose(mass.sum(axis=2), 1)
    edges = grid.THETA[:-1] + grid.CELL / 2
    for s, sigma in enumerate(prior.SIGMAS):
        below = stats.t(3, loc=logit(0.1), scale=sigma).cdf(edges)
        assert_allclose(np.cumsum(mass[s, 0])[:-1], below, atol=1e-12)


def test_a_training_prevalence_that_is_a_samples_widens_the_population():
    # The squared scale is 3 sigma^2 plus the variance, where Student's t has 3 sigma^2.
    mass = prior.population(np.array([0.5]), np.array([0.3]))
    scale = np.sqrt(prior.SIGMAS[2] ** 2 + 0.1)
    edges = grid.THETA[:-1] + grid.CELL / 2
    assert_allclose(np.cumsum(mass[2, 0])[:-1], stats.t(3, scale=scale).cdf(edges), atol=1e-12)


@pytest.mark.parametrize("size", [1, 20, 10**6])
def test_sampling_gives_each_population_a_distribution_of_bags(size):
    kernel = prior.sampling(size)
    assert_allclose(kernel.sum(axis=1), 1)
    assert_allclose(kernel @ grid.B, grid.B, atol=2e-3)
    wide = np.minimum(size, 128 / (grid.B * (1 - grid.B)))
    for g in (20, 60, 96):  # some rare, some common
        own = stats.beta(wide[g] * grid.B[g], wide[g] * (1 - grid.B[g]))
        below = np.cumsum(kernel[g])[[0, 40, 90]]
        assert_allclose(below, own.cdf(expit(grid.THETA[[0, 40, 90]] + grid.CELL / 2)), atol=5e-3)
    assert_allclose(kernel, kernel[::-1, ::-1], atol=1e-12)


def test_effects_of_two_labels_on_four_documents():
    # Labels that say nothing of each other: the scatter is the identity, and 1 is added to it.
    y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=bool)
    assert_allclose(company.regression(y), np.eye(2) / 2)
    # Covariances of 0, 1, 2, 5 with the labels are 3 and 2 (sums); halved by the ridge.
    centred = y - y.mean(axis=0)
    assert_allclose(company.regression(y) @ centred.T @ [0, 1, 2, 5], [1.5, 1.0])


def test_a_label_beside_moves_the_posterior_by_its_effect_times_its_drift():
    effects = np.zeros((2, 2, len(grid.COARSE)), dtype=np.float32)
    effects[0, 1] = 0.1
    without, given = np.array([[0, 0.2], [0, 0]]), np.array([[1, 0.6], [0, 1]])
    beside = company.Beside(effects, without, given)
    # Beside a share of 1/2 there should be 0.4 of the other label, and there is 0.7.
    shift, noise = company.shift_beside(beside, np.array([0.5, 0.7]), np.zeros(2))
    assert_allclose(shift[0], 0.03, rtol=1e-6)
    assert_allclose(shift[1], 0)
    assert_allclose(noise, 0)
    # A drift of 0.3 with a variance of 0.01 is three deviations: 1 - 4/9 of it are sure.
    shift, noise = company.shift_beside(beside, np.array([0.5, 0.7]), np.array([0.0, 0.01]))
    assert_allclose(shift[0], 0.03 * 5 / 9, rtol=1e-6)
    assert_allclose(noise[0], 0.01 * 0.1**2, rtol=1e-6)


def test_rest_is_the_mixture_of_the_other_classes():
    counts = np.zeros((3, 3, 141), dtype=np.int64)
    for k, z in enumerate((3.0, -1.0, 1.0)):
        counts[:, k] = histogram(z, z)
    rest = company.learn_rest(counts)
    p = np.array([0.5, 0.4, 0.1])
    assert_allclose(company.rest_weights(p)[0], [0, 0.8, 0.2])
    mean, variance, noise, about = company.mix_rest(rest, p, np.array([0, 0.01, 0.0]))
    one, two = expit(-1.0), expit(1.0)
    assert_allclose(mean[0, AT_HALF], 0.8 * one + 0.2 * two, rtol=1e-6)
    assert_allclose(variance[0, AT_HALF], 0.8 * 0.2 * (two - one) ** 2, rtol=1e-5)
    unsure = [2 * x * (1 - x) / 4 / 2 for x in (one, two)]
    assert_allclose(noise[0, AT_HALF], 0.64 * unsure[0] + 0.04 * unsure[1], rtol=1e-5)
    moved = 0.01 / 0.5**2 * (one - mean[0, AT_HALF]) ** 2
    assert_allclose(about[0, AT_HALF], moved, rtol=1e-4)


def small_words():
    """Two words; the first is in all documents of the class and in none of the others."""
    y = np.arange(8)[:, None] < 4
    X = np.column_stack([y[:, 0], np.arange(8) % 2]).astype(float)
    features = describe_features(sparse.csr_array(X), y)
    return words.learn_words(features, y, "binary", np.array([[1.0], [2.0]]), np.array([3.0]))


def test_words_weigh_the_squares_of_what_they_add_to_the_log_odds():
    found = small_words()
    assert_allclose(found.weights, [[9.0, 36.0]])
    assert_allclose(found.share, [0.5, 0.5])
    assert_allclose(found.variance, [0.25, 0.25])
    # The covariance is a sum of 2; the scatter of the label also, and the ridge adds 1.
    assert_allclose(found.effects, [[2 / 3, 0.0]], atol=1e-7)
    assert_allclose(found.base + 0.5 * found.effects[0], found.share, atol=1e-7)


def test_change_is_what_shares_leave_of_the_words_beyond_chance():
    y = np.arange(8)[:, None] < 4
    scores = np.where(y, 1.0, -1.0) + np.linspace(-1, 1, 8)[:, None]
    X = np.column_stack([y[:, 0], np.arange(8) % 2]).astype(float)
    features = describe_features(sparse.csr_array(X), y)
    learned = learn(scores, y, "binary", features, np.array([[1.0], [2.0]]))
    bag = change.Bag(20, np.zeros((1, 141), dtype=int), np.array([10, 20]))
    # At the training prevalence half of the documents should have each word; all have the second.
    left, noise = change.unexplained(learned, bag, np.array([0.5]))
    assert_allclose(left, [0, 0.5], atol=1e-7)
    assert_allclose(noise, 0.25 * (1 / 20 + 1 / 8))
    slope = learned.slope[0]
    excess = slope**2 * (1 * (0 - noise[0]) + 4 * (0.25 - noise[1]))
    expected = (0.1 * learned.spread) ** 2 + 1.5 * excess
    assert_allclose(change.measure_change(learned, bag, np.array([0.5])), expected, rtol=1e-5)
    [word] = change.find_changed_words(learned, bag, np.array([0.5]), 5)
    assert (word.column, word.weight) == (1, 1.0)
    assert_allclose([word.expected, word.share, word.train], [0.5, 1, 0.5], atol=1e-7)


def test_a_bag_without_words_has_the_least_change():
    y = np.arange(8)[:, None] < 4
    learned = learn(np.where(y, 1.0, -1.0), y, "binary")
    bag = change.Bag(3, np.zeros((1, 141), dtype=int), np.zeros(0, dtype=int))
    found = change.measure_change(learned, bag, learned.p_train)
    assert_array_equal(found, change.least_change(learned))
    assert change.find_changed_words(learned, bag, learned.p_train, 5) == []


def test_posterior_without_evidence_is_the_prior():
    mass = prior.population(np.array([0.3]), np.zeros(1))
    log_prior = np.log(mass)
    found = posterior.find_posterior(np.zeros((1, 193)), log_prior, np.array([True]), np.zeros(1))
    weights = np.exp(prior.LOG_WEIGHTS) @ mass[:, 0]
    mean = (weights * grid.B).sum() / weights.sum()
    assert_allclose(found.moments()[0], mean, atol=2e-3)
    assert_allclose(found.mass.sum(axis=1), 1)


def test_posterior_of_much_evidence_is_where_the_score_is_zero():
    # The score of a normal likelihood about theta = 1/3, with a deviation of 1/1,000.
    score = (1 / 3 - grid.THETA)[None] * 1e6
    log_prior = np.log(prior.population(np.array([0.3]), np.zeros(1)))
    found = posterior.find_posterior(score, log_prior, np.array([True]), np.zeros(1))
    mean, variance = found.moments()
    assert_allclose(mean, expit(1 / 3), atol=1e-6)
    slope = expit(1 / 3) * (1 - expit(1 / 3))
    assert_allclose(np.sqrt(variance), slope / 1000, rtol=0.01)
    low, high = found.quantiles(0.025)
    assert_allclose((high - low) / 2, 1.96 / 1000, rtol=0.01)


def test_shares_that_sum_to_one_take_from_the_least_certain():
    p = posterior.sum_to_one(np.array([0.5, 0.4, 0.3]), np.array([0.0, 0.0, 0.01]))
    assert_allclose(p, [0.5, 0.4, 0.1])
    certain = posterior.sum_to_one(np.array([0.5, 0.4, 0.3]), np.zeros(3))
    assert_allclose(certain, np.array([0.5, 0.4, 0.3]) / 1.2)


def test_bounds_given_the_sum_are_narrower_and_move_with_the_estimate():
    theta = np.tile(np.linspace(-0.5, 0.5, 97), (2, 1))
    found = posterior.Posterior(theta, np.full((2, 97), 1 / 97))
    bounds = np.array([[-0.4, -0.4], [0.4, 0.4]])
    mean, _ = found.moments()
    moved = posterior.given_sum(found, bounds, mean)
    # Two equal variances: each keeps half of its own.
    assert_allclose(moved, bounds * np.sqrt(0.5), atol=1e-12)
    further = posterior.given_sum(found, bounds, expit(logit(mean) + 0.1))
    assert_allclose(further, moved + 0.1)


def test_documents_of_a_class_are_the_same_in_pairs_as_by_themselves():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 30)[:, None] == np.arange(3)
    learned = learn(rng.normal(size=(30, 3)) + y, y, "multiclass")
    assert learned.rest is not None
    assert_allclose(learned.rest.shares.sum(axis=2), 1, rtol=1e-6)
    assert_allclose(learned.rest.mean[0, 0], learned.mean[0, 1, ::4], rtol=1e-6)


@pytest.mark.parametrize("kind", ["multiclass", "multilabel"])
def test_more_classes_than_can_be_kept_in_pairs_have_the_company_of_training(kind):
    rng = np.random.default_rng(0)
    m = MOST_IN_PAIRS + 1
    y = np.arange(2 * m)[:, None] % m == np.arange(m)
    learned = learn(rng.normal(size=y.shape) + y, y, kind)
    assert learned.rest is None
    assert learned.beside is None
