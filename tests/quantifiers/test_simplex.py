"""Minima on the simplex: certified, and no worse than any other prevalence."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_equal

from quantext.quantifiers.blend import least_blend
from quantext.quantifiers.distances import likelihood, mean_hellinger, squared_hellinger, topsoe
from quantext.quantifiers.simplex import least_angle, least_quadratic, least_squares, newton

CONVEX = {"squared_hellinger": squared_hellinger, "topsoe": topsoe, "likelihood": likelihood}
SEEDS = st.integers(0, 10**6)


def columns_and_bag(rng, n_classes, d, documents=200):
    columns = rng.dirichlet(np.full(d, 0.5), n_classes).T
    mixed = columns @ rng.dirichlet(np.full(n_classes, 0.5))
    return columns, rng.multinomial(documents, mixed / mixed.sum()) / documents


@settings(deadline=None)
@given(SEEDS, st.integers(2, 6))
def test_the_gap_of_least_squares_bounds_how_much_better_any_prevalence_is(seed, n_classes):
    rng = np.random.default_rng(seed)
    columns, q = columns_and_bag(rng, n_classes, 8)
    p, value, gap = least_squares(columns, q, np.full(n_classes, 1 / n_classes))
    others = rng.dirichlet(np.full(n_classes, 0.3), 200)
    best = np.square(others @ columns.T - q).sum(axis=1).min()
    assert_allclose(value, np.square(columns @ p - q).sum())
    assert gap < 1e-10
    assert best >= value - gap - 1e-15


def test_equally_good_prevalences_leave_that_which_was_wished_for():
    columns = np.array([[0.2, 0.2, 0.9], [0.8, 0.8, 0.1]])  # two classes that are alike
    p, value, _ = least_squares(columns, np.array([0.55, 0.45]), np.array([0.3, 0.2, 0.5]))
    assert_allclose(p, [0.3, 0.2, 0.5], atol=1e-6)
    assert value < 1e-12
    flat = newton(columns, partial(topsoe, np.array([0.55, 0.45])), np.array([0.3, 0.2, 0.5]))
    assert_allclose(flat.p, [0.3, 0.2, 0.5], atol=1e-12)


def test_a_quadratic_form_is_least_where_calculus_says():
    # x² + 3(1−x)²: 2x = 6(1−x), so x = 3/4, and the value is 9/16 + 3/16.
    p, value, gap = least_quadratic(np.diag([1.0, 3.0]), np.array([0.5, 0.5]))
    assert_allclose(p, [3 / 4, 1 / 4], atol=1e-9)
    assert_allclose(value, 3 / 4)
    assert gap < 1e-12


def test_the_angle_is_least_where_the_mixture_points_to_the_other_vector():
    vectors = np.array([[2.0, 0.0], [0.0, 1.0]])  # in rows
    other = np.array([0.6, 0.8])
    # p₀·(2, 0) + p₁·(0, 1) has the direction (0.6, 0.8) at p = (0.3, 0.8)/1.1.
    p, value, gap = least_angle(vectors @ vectors.T, vectors @ other, np.array([0.5, 0.5]))
    assert_allclose(p, np.array([0.3, 0.8]) / 1.1, atol=1e-6)
    assert_allclose(value, -1)
    assert gap < 1e-6


@pytest.mark.parametrize("name", CONVEX)
@settings(deadline=None)
@given(seed=SEEDS, n_classes=st.integers(2, 6))
def test_newton_is_certain_of_a_convex_minimum(name, seed, n_classes):
    rng = np.random.default_rng(seed)
    columns, q = columns_and_bag(rng, n_classes, 12)
    bend = partial(CONVEX[name], q)
    p, value, gap = newton(columns, bend, np.full(n_classes, 1 / n_classes))
    assert_allclose(p.sum(), 1)
    assert (p >= 0).all()
    assert gap < 1e-9
    for other in rng.dirichlet(np.full(n_classes, 0.3), 50):
        assert bend(columns @ other)[0] >= value - gap - 1e-12


@pytest.mark.parametrize("name", CONVEX)
def test_newton_finds_the_minimum_of_as_many_classes_as_arxiv_has(name):
    rng = np.random.default_rng(0)
    columns, q = columns_and_bag(rng, 155, 1240, documents=15_000)
    assert newton(columns, partial(CONVEX[name], q), np.full(155, 1 / 155)).gap < 1e-11


@pytest.mark.parametrize("name", [*CONVEX, "mean_hellinger"])
def test_slopes_and_curvatures_are_derivatives(name):
    rng = np.random.default_rng(1)
    q, b = rng.dirichlet(np.ones(6), 2)
    q[2] = 0.0
    function = CONVEX.get(name) or partial(
        mean_hellinger, histogram=np.array([0, 0, 0, 1, 1, 1]), beyond=np.array([0.1, 0.0])
    )
    _, slope, curvature = function(q, b)
    for i, step in enumerate(1e-5 * np.eye(6)):
        (up, up_slope, _), (down, down_slope, _) = function(q, b + step), function(q, b - step)
        assert_allclose(slope[i], (up - down) / 2e-5, atol=1e-6)
        if name != "mean_hellinger":  # whose curvature is that of a bound
            assert_allclose(curvature[i], (up_slope - down_slope)[i] / 2e-5, rtol=1e-4, atol=1e-6)


def test_the_bound_of_the_mean_hellinger_distance_is_nowhere_below_it():
    rng = np.random.default_rng(2)
    q, b = rng.dirichlet(np.ones(4), 2)
    one = {"histogram": np.zeros(4, int), "beyond": np.zeros(1)}
    value, slope, _ = mean_hellinger(q, b, **one)
    weight = slope[0] / squared_hellinger(q, b)[1][0]
    for other in rng.dirichlet(np.ones(4), 100):
        squares = squared_hellinger(q, other)[0] - squared_hellinger(q, b)[0]
        assert mean_hellinger(q, other, **one)[0] <= value + weight * squares + 1e-12


@pytest.mark.parametrize("name", CONVEX)
@settings(deadline=None)
@given(seed=SEEDS)
def test_two_classes_are_blended_as_newton_does(name, seed):
    rng = np.random.default_rng(seed)
    columns, q = columns_and_bag(rng, 2, 10)
    p_train = rng.dirichlet([2, 2])
    p = newton(columns, partial(CONVEX[name], q), p_train).p
    found = least_blend(columns, q, name, p_train)
    assert_allclose(found, p, atol=1e-5)
    bend = partial(CONVEX[name], q)
    assert bend(columns @ found)[0] <= bend(columns @ p)[0] + 1e-13


@pytest.mark.parametrize("name", CONVEX)
@settings(deadline=None)
@given(seed=SEEDS, width=st.sampled_from([0.01, 0.1, 1.0]))
def test_a_blend_is_as_near_as_the_one_that_halving_the_slope_ends_at(name, seed, width):
    rng = np.random.default_rng(seed)
    columns = rng.dirichlet(np.full(20, width), 2).T + 1e-9  # with entries of very different sizes
    q = rng.dirichlet(np.full(20, width))
    low, high = 0.0, 1.0
    for _ in range(60):
        share = (low + high) / 2
        least, slope, _ = CONVEX[name](q, columns @ [1 - share, share])
        low, high = (share, high) if slope @ (columns[:, 1] - columns[:, 0]) < 0 else (low, share)
    for p in (0.001, 0.4, 0.999):
        found = least_blend(columns, q, name, np.array([1 - p, p]))
        assert CONVEX[name](q, columns @ found)[0] <= least + 1e-13


@pytest.mark.parametrize("name", CONVEX)
def test_a_blend_at_the_end_of_its_range_is_found_exactly(name):
    columns, half = np.array([[1.0, 0.25], [0.0, 0.75]]), np.array([0.5, 0.5])
    assert_allclose(least_blend(columns, columns[:, 0], name, half), [1, 0], atol=1e-12)
    assert_allclose(least_blend(columns, columns[:, 1], name, half), [0, 1], atol=1e-12)
    beyond = np.array([0.1, 0.9])  # more of the second entry than either class has
    assert_equal(least_blend(columns, beyond, name, half), [0, 1])


@pytest.mark.parametrize("name", CONVEX)
def test_classes_that_are_alike_are_blended_as_in_training(name):
    columns = np.array([[0.2, 0.2], [0.8, 0.8], [0.0, 0.0]])
    found = least_blend(columns, np.array([0.5, 0.4, 0.1]), name, np.array([0.3, 0.7]))
    assert_allclose(found, [0.3, 0.7], rtol=1e-12)
