"""Measures: hand-worked values, properties, and errors that say what is wrong where.

Properties common to all measures are at the end, those of one measure beside its values.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantext import measures
from quantext.measures import (
    MEASURES,
    absolute_error,
    ae,
    bias,
    binary,
    find_measure,
    kld,
    mae,
    mrae,
    nae,
    nkld,
    nmd,
    normalized_kld,
    nrae,
    rae,
    relative_absolute_error,
    se,
)

BY_BAG = {name: f for name, f in MEASURES.items() if f not in (mae, mrae)}
NORMALISED = {"nae": nae, "nkld": nkld, "nmd": nmd, "nrae": nrae}

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


def test_squared_error_is_the_mean_of_the_squares():
    # (.3² + .1² + .2²) / 3 = (.09 + .01 + .04) / 3
    assert se([0.5, 0.3, 0.2], [0.2, 0.4, 0.4], size=10) == pytest.approx(0.14 / 3)


def test_normalised_absolute_error_is_relative_to_the_worst_estimate():
    # AE .2, as above. The rarest class has .2: the worst estimate is (0, 0, 1), whose AE is
    # (.5 + .3 + .8) / 3 = 2·(1 − .2) / 3 = 1.6 / 3. So .6 / 1.6.
    assert nae([0.5, 0.3, 0.2], [0.2, 0.4, 0.4], size=10) == pytest.approx(0.375)
    assert nae([0.5, 0.3, 0.2], [0, 0, 1], size=10) == pytest.approx(1)


def test_normalised_relative_absolute_error_smooths_its_largest_value_too():
    # size 5 adds .1 and divides by 1.3: the truth is (.6, .4, .3)/1.3, the rarest 3/13. RAE is
    # (.3/.6 + .1/.4 + .2/.3)/3 = (17/12)/3; the largest (2 + (10/13)/(3/13))/3 = (16/3)/3.
    value = nrae([0.5, 0.3, 0.2], [0.2, 0.4, 0.4], size=5)
    assert value == pytest.approx((17 / 12) / (16 / 3))


def test_normalised_match_distance_counts_the_steps_between_ordered_classes():
    # Cumulated (.5, .8, 1) and (.2, .6, 1): (.3 + .2) of at most 2 steps.
    assert nmd([0.5, 0.3, 0.2], [0.2, 0.4, 0.4], size=10) == pytest.approx(0.25)
    # All documents one class away, and two.
    assert nmd([1, 0, 0], [0, 1, 0], size=10) == 0.5
    assert nmd([1, 0, 0], [0, 0, 1], size=10) == 1


def test_match_distance_of_two_classes_is_their_absolute_error():
    # Cumulated .2 and .5: .3 of at most one step.
    assert nmd([0.2, 0.8], [0.5, 0.5], size=10) == pytest.approx(0.3)
    assert ae([0.2, 0.8], [0.5, 0.5], size=10) == pytest.approx(0.3)


def test_means_are_over_all_bags_however_they_are_laid_out():
    p_true = [[[0.5, 0.5], [1, 0]], [[0.25, 0.75], [0, 1]]]
    # Absolute errors against (.5, .5): 0, .5, .25, .5.
    assert mae(p_true, [0.5, 0.5], size=10) == pytest.approx(1.25 / 4)
    # Sizes 5 and 1 add .1 and .5: .5/1.1 and .5/.1, then 0; mean of 2.7272… and 0.
    value = mrae([[1, 0], [0.5, 0.5]], [0.5, 0.5], size=[5, 1])
    assert value == pytest.approx((0.5 / 1.1 + 0.5 / 0.1) / 4)


def test_the_mean_over_one_bag_is_its_error():
    p, q = [0.5, 0.3, 0.2], [0.2, 0.4, 0.4]
    assert mae(p, q, size=5) == ae(p, q, size=5)
    assert mrae(p, q, size=5) == rae(p, q, size=5)


@pytest.mark.parametrize("mean", [mae, mrae])
def test_no_bags_have_no_mean(mean):
    with pytest.raises(ValueError, match="there are no bags to take the mean of"):
        mean(np.empty((0, 2)), np.empty((0, 2)), size=7)


@pytest.mark.parametrize("measure", NORMALISED.values(), ids=NORMALISED)
@given(p=prevalences(4), q=prevalences(4), size=SIZES)
def test_a_normalised_measure_is_between_0_and_1(measure, p, q, size):
    assert 0 <= measure(p, q, size=size) <= 1


@given(p=prevalences(4))
def test_the_largest_absolute_error_is_that_of_the_rarest_class_alone(p):
    errors = nae(p, np.eye(4), size=9)
    assert errors[np.argmin(p)] == pytest.approx(1)
    assert errors.max() <= 1


@given(p=prevalences(4), size=SIZES)
def test_the_largest_relative_error_is_that_of_the_rarest_class_alone(p, size):
    errors = nrae(p, np.eye(4), size=size)
    assert errors[np.argmin(p)] == pytest.approx(errors.max())


def test_the_largest_relative_error_nears_1_in_a_large_bag():
    # At size 5 the truth is (.3, .9)/1.2: RAE is (.8/.3 + .8/.9)/2, the largest
    # (1 + .75/.25)/2 = 2, which only an estimate of (1, 0) after smoothing would have.
    assert nrae([0.2, 0.8], [1, 0], size=5) == pytest.approx((0.8 / 0.3 + 0.8 / 0.9) / 4)
    assert nrae([0.2, 0.8], [1, 0], size=10**9) == pytest.approx(1)


@given(p=prevalences(5), q=prevalences(5))
def test_match_distance_is_the_same_from_either_end_and_in_either_direction(p, q):
    distance = nmd(p, q, size=9)
    assert nmd(p[::-1], q[::-1], size=9) == pytest.approx(distance, abs=1e-12)
    assert nmd(q, p, size=9) == pytest.approx(distance, abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_a_single_class_has_no_error(measure):
    assert np.all(measure([1.0], [1.0], size=10) == 0)


@pytest.mark.parametrize("measure", [nae, nrae, nmd])
def test_what_a_single_class_lacks_of_1_is_no_error(measure):
    assert measure([1 - 5e-7], [1.0], size=10**9) == pytest.approx(0, abs=1e-6)


def test_binary_adds_the_complement_before_the_share():
    assert binary(0.25).tolist() == [0.75, 0.25]
    assert binary([[0.0], [1.0]]).tolist() == [[[1.0, 0.0]], [[0.0, 1.0]]]


@pytest.mark.parametrize("share", [-0.1, 1.1, math.nan])
def test_binary_names_a_share_out_of_range(share):
    with pytest.raises(ValueError, match=rf"p\[1\] is {share}; a share is from 0 to 1"):
        binary([0.5, share])


def test_the_table_has_every_measure_of_the_module_by_its_name():
    others = {"MEASURES", "Measure", "binary", "find_measure"}
    assert {name: getattr(measures, name) for name in {*measures.__all__} - others} == MEASURES


def test_the_names_of_papers_are_those_of_the_same_functions():
    assert ae is absolute_error
    assert rae is relative_absolute_error
    assert nkld is normalized_kld


def test_a_measure_is_found_by_its_name_in_any_case_or_is_a_function():
    assert find_measure("KLD") is kld
    assert find_measure(abs) is abs


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mrea", "measure 'mrea' is unknown; did you mean mrae\\? There are absolute_error, ae, "),
        ("xyzzy", "measure 'xyzzy' is unknown; choose one of absolute_error, ae, bias, "),
        (None, "measure None is unknown; "),
    ],
)
def test_an_unknown_measure_is_an_error_that_names_the_choices(name, message):
    with pytest.raises(ValueError, match=message):
        find_measure(name)


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_size_is_a_required_keyword(measure):
    with pytest.raises(TypeError, match="size"):
        measure([1, 0], [1, 0])


@pytest.mark.parametrize("measure", BY_BAG.values(), ids=BY_BAG)
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


@pytest.mark.parametrize("measure", BY_BAG.values(), ids=BY_BAG)
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
