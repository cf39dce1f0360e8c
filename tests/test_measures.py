"""Measures: hand-worked values, properties, and errors that say what is wrong where."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantext.measures import (
    MEASURES,
    absolute_error,
    bias,
    binary,
    kld,
    normalized_kld,
    relative_absolute_error,
)

SIZES = st.integers(1, 10**9)


def prevalences(n_classes):
    weights = st.lists(st.integers(0, 10**6), min_size=n_classes, max_size=n_classes)
    return weights.filter(any).map(lambda w: np.array(w) / sum(w))


@pytest.mark.parametrize(
    ("p_true", "p_hat", "size", "value"),
    [
        ([0.03, 0.97], [0.05, 0.95], 100, 0.004345),
        ([0.03, 0.97], [0.05, 0.95], 15_000, 0.004880),
        ([0.1, 0.9], [0.0, 1.0], 100, 0.222598),
    ],
)
def test_kld_has_its_known_values(p_true, p_hat, size, value):
    assert kld(p_true, p_hat, size=size) == pytest.approx(value, abs=5e-7)


def test_kld_follows_its_formula_on_three_classes():
    # size 5: 1/(2·5) = 0.1 is added, and 1 + 3·0.1 = 1.3 divides:
    # (.5, .3, .2) → (.6, .4, .3)/1.3 and (.2, .8, 0) → (.3, .9, .1)/1.3; the 1.3 cancels in logs.
    expected = (0.6 * math.log(2) + 0.4 * math.log(4 / 9) + 0.3 * math.log(3)) / 1.3
    assert kld([0.5, 0.3, 0.2], [0.2, 0.8, 0.0], size=5) == pytest.approx(expected, rel=1e-13)


def test_normalized_kld_follows_its_formula():
    k = math.exp(kld([0.1, 0.9], [0.6, 0.4], size=30))
    expected = 2 * k / (1 + k) - 1
    assert normalized_kld([0.1, 0.9], [0.6, 0.4], size=30) == pytest.approx(expected, rel=1e-13)


def test_normalized_kld_stays_below_one_without_overflow():
    # 1e300 documents: the divergence is about 690 nats, whose exponential is beyond 1e299.
    value = normalized_kld([1, 0], [0, 1], size=1e300)
    assert value == pytest.approx(1)
    assert value <= 1


def test_bias_is_signed_and_per_class():
    np.testing.assert_allclose(bias([0.2, 0.8], [0.5, 0.5], size=10), [0.3, -0.3])


def test_absolute_error_is_the_mean_over_the_classes():
    # (.3 + .1 + .2) / 3
    assert absolute_error([0.5, 0.3, 0.2], [0.2, 0.4, 0.4], size=10) == pytest.approx(0.2)


def test_relative_absolute_error_is_the_mean_of_the_smoothed_ratios():
    # size 5 adds 0.1: .3/.6, .1/.4, .2/.3 with the common denominator cancelled.
    expected = (0.3 / 0.6 + 0.1 / 0.4 + 0.2 / 0.3) / 3
    value = relative_absolute_error([0.5, 0.3, 0.2], [0.2, 0.4, 0.4], size=5)
    assert value == pytest.approx(expected)


def test_relative_absolute_error_of_the_positive_class_is_its_term_alone():
    # A true share of 0 in a bag of 50: .02 / (0 + .01)
    value = relative_absolute_error([1, 0], [0.98, 0.02], size=50, positive=1)
    assert value == pytest.approx(2)
    assert isinstance(value, float)


def test_relative_absolute_error_refuses_a_positive_class_that_is_not_there():
    with pytest.raises(ValueError, match="positive=2 is not the index of one of the 2 classes"):
        relative_absolute_error([1, 0], [1, 0], size=50, positive=2)


def test_binary_adds_the_complement_before_the_share():
    assert binary(0.25).tolist() == [0.75, 0.25]
    assert binary([[0.0], [1.0]]).tolist() == [[[1.0, 0.0]], [[0.0, 1.0]]]


@pytest.mark.parametrize("share", [-0.1, 1.1, math.nan])
def test_binary_names_a_share_out_of_range(share):
    with pytest.raises(ValueError, match=rf"p\[1\] is {share}; a share is from 0 to 1"):
        binary([0.5, share])


def test_the_table_names_every_measure_by_its_function():
    assert {name: measure.__name__ for name, measure in MEASURES.items()} == {
        name: name
        for name in ("absolute_error", "bias", "kld", "normalized_kld", "relative_absolute_error")
    }


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_size_is_a_required_keyword(measure):
    with pytest.raises(TypeError, match="size"):
        measure([1, 0], [1, 0])


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_leading_axes_give_what_a_loop_gives(measure):
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(3), (4, 1)), rng.dirichlet(np.ones(3), (4, 5))
    sizes = rng.integers(1, 1000, (4, 5))
    together = measure(p, q, size=sizes)
    for i, j in np.ndindex(4, 5):
        one = measure(p[i, 0], q[i, j], size=sizes[i, j])
        np.testing.assert_allclose(together[i, j], one, rtol=1e-12)


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_one_bag_gives_one_number_to_each_class_or_to_all(measure):
    value = measure([0.2, 0.8], [0.5, 0.5], size=10)
    assert np.shape(value) == ((2,) if measure is bias else ())
    assert isinstance(value, np.ndarray if measure is bias else float)


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_no_bags_give_no_measures(measure):
    assert len(measure(np.empty((0, 2)), np.empty((0, 2)), size=7)) == 0


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
@given(p=prevalences(4), size=SIZES)
def test_a_perfect_estimate_measures_exactly_zero(measure, p, size):
    assert np.all(measure(p, p, size=size) == 0)


@given(p=prevalences(3), q=prevalences(3), size=SIZES)
def test_kld_agrees_with_the_textbook_sum_and_is_never_negative(p, q, size):
    epsilon = 1 / (2 * size)
    smooth_p, smooth_q = ((x + epsilon) / (1 + 3 * epsilon) for x in (p, q))
    textbook = np.sum(smooth_p * np.log(smooth_p / smooth_q))
    value = kld(p, q, size=size)
    assert value >= 0
    assert value == pytest.approx(textbook, rel=1e-9, abs=1e-14)


@given(n=st.integers(1, 400), data=st.data())
def test_kld_of_counts_smooths_each_count_by_a_half(n, data):
    a, b = data.draw(st.integers(0, n)), data.draw(st.integers(0, n))
    p, q = (a + 0.5) / (n + 1), (b + 0.5) / (n + 1)
    expected = p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
    assert kld(binary(a / n), binary(b / n), size=n) == pytest.approx(expected, rel=1e-9, abs=1e-14)


def test_kld_is_not_negative_when_the_sums_are_off_by_less_than_the_tolerance():
    assert kld([0.5, 0.4999995], [0.5, 0.5], size=10**6) >= 0


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
@pytest.mark.parametrize(
    ("p_true", "p_hat", "message"),
    [
        ([[1, 0], [1.2, -0.2]], [1, 0], r"p_true\[1, 1\] is -0.2; a prevalence is from 0 to 1"),
        ([1, 0], [[0.5, math.nan]], r"p_hat\[0, 1\] is nan"),
        ([1, 0], [-math.inf, math.inf], r"p_hat\[0\] is -inf"),
        ([1, 0], [[1, 0], [0.5, 0.5], [0.5, 0.625]], r"p_hat\[2\] sums to 1.125 over the classes"),
        ([0.5, 0.4], [1, 0], r"p_true sums to 0.9 over the classes, not to 1"),
        ([0, math.inf], [1, 0], r"p_true sums to inf"),
        ([0.5, 0.500002], [1, 0], r"p_true sums to 1.000002"),
        (0.3, 0.5, r"p_true of shape \(\) has no classes .* pass binary\(share\)"),
        ([1, 0], [1, 0, 0], r"p_true has 2 classes, p_hat has 3"),
        ([[1, 0]] * 2, [[1, 0]] * 3, r"p_true \(2, 2\), p_hat \(3, 2\).* do not broadcast"),
    ],
)
def test_a_wrong_prevalence_is_an_error_that_says_which(measure, p_true, p_hat, message):
    with pytest.raises(ValueError, match=message):
        measure(p_true, p_hat, size=100)


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
@pytest.mark.parametrize(
    ("size", "message"),
    [
        (0, "size is 0; a bag has at least one document"),
        ([5, -1], r"size\[1\] is -1;"),
        (math.nan, "size is nan"),
        ([5, 5, 5], r"size \(3,\) do not broadcast"),
    ],
)
def test_a_wrong_size_is_an_error_that_says_which(measure, size, message):
    with pytest.raises(ValueError, match=message):
        measure([[1, 0], [0, 1]], [1, 0], size=size)


def test_sums_within_the_tolerance_are_accepted():
    assert absolute_error([0.5, 0.4999995], [0.5, 0.5], size=10) == pytest.approx(2.5e-7)


def test_arguments_are_left_as_they_were():
    p, q, size = np.array([0.2, 0.8]), np.array([[0.5, 0.5]]), np.array([9])
    for measure in MEASURES.values():
        measure(p, q, size=size)
    assert (p.tolist(), q.tolist(), size.tolist()) == ([0.2, 0.8], [[0.5, 0.5]], [9])
