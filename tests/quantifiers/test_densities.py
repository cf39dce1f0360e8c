"""Kernel densities, mixed: by hand, and against all kernels and a general solver."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from quantext.quantifiers import KernelDensity
from quantext.quantifiers.gaussians import (
    Kernels,
    kernel_sums,
    relative_kernel_sums,
    squared_distances,
)
from tests.support.slow import by_class, kernels, minimised, posteriors, scored
from tests.support.ten_documents import HIGH, LOW, TEN, TWO, share, three_classes


def estimate(training, bag, distance, **params):
    quantifier = KernelDensity(None, distance, posteriors="logistic", **params)
    return quantifier.fit_scores(training).predict(bag)


def test_the_likelihood_of_two_scores_is_worked_by_hand():
    # Posteriors are HIGH or LOW, and a kernel at one has the height e there, 1 at its own place:
    # with b the share of the mixture that is HIGH, densities are b + (1−b)e and (1−b) + be, which
    # sum to 1+e. Three of ten are HIGH, so the first is 3/10 of that: b = (0.3(1+e) − e)/(1−e).
    e = np.exp(-((HIGH - LOW) ** 2) / 0.1**2)  # half of 2·(HIGH−LOW)², two posteriors
    b = (0.3 * (1 + e) - e) / (1 - e)
    bag = [1, 1, 1, -1, -1, -1, -1, -1, -1, -1]
    expected = (b - 1 / 6) / (3 / 4 - 1 / 6)
    assert_allclose(share("KDEy-ML", TWO, bag), expected, atol=1e-4)


@pytest.mark.parametrize("bandwidth", [0.03, 0.1, 0.5])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_likelihood_is_that_of_all_kernels(n_classes, bandwidth):
    training, bag = scored(n_classes, seed=n_classes)
    own = posteriors(bag)
    densities = np.column_stack(
        [kernels(own, k, bandwidth).mean(axis=1) for k in by_class(training)]
    )
    expected = minimised(lambda p: -np.log(densities @ p).mean(), n_classes)
    p_hat = estimate(training, bag, "likelihood", bandwidth=bandwidth)
    assert_allclose(p_hat, expected, atol=5e-5)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_angle_is_that_of_all_kernels(n_classes):
    training, bag = scored(n_classes, seed=n_classes)
    own, classes, wide = posteriors(bag), by_class(training), np.sqrt(2) * 0.1
    between = np.array([[kernels(a, b, wide).mean() for a in classes] for b in classes])
    with_bag = np.array([kernels(a, own, wide).mean() for a in classes])
    expected = minimised(lambda p: -np.log(with_bag @ p) + np.log(p @ between @ p) / 2, n_classes)
    assert_allclose(estimate(training, bag, "cauchy-schwarz"), expected, atol=5e-5)


def test_the_hellinger_distance_of_two_classes_is_an_integral():
    training, bag = scored(2, seed=4)
    # Along the line of pairs (1−s, s), on which all posteriors are; across it all are alike.
    s = np.linspace(-1, 2, 6001)
    line = np.column_stack([1 - s, s])
    negative, positive, own = (
        kernels(line, group, 0.1).mean(axis=1) for group in (*by_class(training), posteriors(bag))
    )
    expected = minimised(
        lambda p: np.square(np.sqrt(p[0] * negative + p[1] * positive) - np.sqrt(own)).sum(), 2
    )
    assert_allclose(estimate(training, bag, "hellinger"), expected, atol=5e-5)


def test_the_hellinger_distance_of_more_classes_is_drawn_and_near_that_of_two():
    # Of three classes the third has no documents in the bag and is told apart with ease.
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 200)
    scores = np.array([[4, 0, -9], [0, 4, -9], [-9, -9, 9]])[y] + rng.normal(size=(600, 3))
    training = three_classes(scores, y)
    bag = scores[np.r_[0:150, 200:250]]
    p_hat = estimate(training, bag, "hellinger")
    assert_allclose(p_hat, [0.75, 0.25, 0], atol=0.02)
    assert_allclose(estimate(training, bag, "hellinger", seed=1), p_hat, atol=0.02)
    assert not np.array_equal(estimate(training, bag, "hellinger", seed=1), p_hat)


def test_documents_far_from_all_others_are_explained_by_the_nearer_class():
    training = three_classes([[5, -5, -5]] * 3 + [[-5, 5, -5]] * 3, [0, 0, 0, 1, 1, 1])
    bag = np.array([[-1.0, -2.0, 9.0]])  # in the third corner, a little nearer to the first
    p_hat = estimate(training, bag, "likelihood", bandwidth=0.01)
    assert_allclose(p_hat, [1, 0, 0], atol=1e-9)


@pytest.mark.parametrize("distance", ["hellinger", "cauchy-schwarz"])
@pytest.mark.parametrize("size", [1, 20])
def test_a_bag_that_is_nowhere_near_any_class_is_as_in_training(distance, size):
    training = three_classes([[9, -9, -9]] * 3 + [[-9, 9, -9]] * 2, [0, 0, 0, 1, 1])
    bag = np.tile([[-9.0, -9.0, 9.0]], (size, 1))
    p_hat = estimate(training, bag, distance, bandwidth=0.01)
    assert_allclose(p_hat, [0.6, 0.4, 0], atol=1e-9)


@pytest.mark.parametrize("distance", ["likelihood", "hellinger", "cauchy-schwarz"])
def test_a_class_without_training_documents_gets_nothing(distance):
    training = three_classes([[3, 0, 0], [3, 0, 1], [0, 3, 0], [0, 2, 0]], [0, 0, 1, 1])
    p_hat = estimate(training, np.array([[3.0, 0, 0], [0, 3, 0], [0, 0, 3]]), distance)
    assert p_hat[2] == 0
    assert_allclose(p_hat.sum(), 1)


@pytest.mark.parametrize("m", [1, 3])
def test_sums_of_kernels_are_those_of_one_kernel_after_the_other(m):
    rng = np.random.default_rng(0)
    points, places = rng.random((7, m)), rng.random((5, m))
    shares = np.array([[0.5, 0], [0.5, 0.2], [0, 0.3], [0, 0.5], [0, 0]])
    own = Kernels.of(places, shares)
    expected = kernels(points, places, 0.2) @ shares
    assert_allclose(kernel_sums(points, own, 0.2), expected, rtol=1e-5)
    largest = kernels(points, places[:4], 0.2).max(axis=1)
    assert_allclose(relative_kernel_sums(points, own, 0.2), expected / largest[:, None], rtol=1e-5)


def test_compiled_distances_are_those_of_python():
    rng = np.random.default_rng(1)
    points, places = rng.random((4, 2)).astype("f"), rng.random((2, 6)).astype("f")
    squares = squared_distances(points, places)
    assert squares.dtype == np.float32
    assert_allclose(squares, squared_distances.py_func(points, places), rtol=1e-5)


def test_the_summary_of_two_classes_is_bounded():
    fitted = KernelDensity(None).fit_scores(TEN)
    summary = fitted.summarise_scores(np.random.default_rng(0).normal(size=(300_000, 1)))
    assert len(summary.counts[0].keys) <= 65_536


def test_an_unknown_parameter_is_an_error():
    with pytest.raises(ValueError, match="distance 'l2' is unknown; choose likelihood, hellinger"):
        KernelDensity(None, "l2").fit_scores(TEN)
    with pytest.raises(ValueError, match=r"bandwidth is 0; it is between 0\.001 and 10"):
        KernelDensity(None, bandwidth=0).fit_scores(TEN)
