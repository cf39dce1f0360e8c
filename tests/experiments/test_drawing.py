"""Bags with prescribed shares: what is drawn, and how often, as theory says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantext.experiments.drawing import (
    DirichletShares,
    GridShares,
    ListedShares,
    NaturalShares,
    UniformShares,
    draw,
    largest_remainder,
)


def there(k, n=1000):
    return {chr(97 + i): n for i in range(k)}


def members(*sizes):
    ends = np.cumsum(sizes)
    return {
        chr(97 + i): np.arange(end - size, end)
        for i, (size, end) in enumerate(zip(sizes, ends, strict=True))
    }


@pytest.mark.parametrize("k", [3, 10])
@pytest.mark.parametrize("shares", [UniformShares(40_000), DirichletShares(1.0, 40_000)])
def test_uniform_shares_have_the_mean_and_covariance_of_theory(k, shares):
    p = shares.prevalences(there(k), 100, np.random.default_rng(0))
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert p.min() >= 0
    # Dirichlet(1, …, 1): mean 1/k, variance (k−1)/(k²(k+1)), covariance −1/(k²(k+1)).
    np.testing.assert_allclose(p.mean(axis=0), 1 / k, atol=4 * np.sqrt(1 / k**2 / 40_000))
    covariance = (np.eye(k) * k - 1) / (k**2 * (k + 1))
    np.testing.assert_allclose(np.cov(p.T), covariance, atol=0.05 * covariance.max())


@pytest.mark.parametrize("k", [3, 10])
def test_uniform_shares_are_uniform_and_not_only_so_on_average(k):
    p = UniformShares(40_000).prevalences(there(k), 100, np.random.default_rng(0))
    # Each share is Beta(1, k − 1): P(share > x) = (1 − x)^(k − 1).
    for x in (0.05, 0.2, 0.5):
        expected = (1 - x) ** (k - 1)
        tolerance = 4 * np.sqrt(expected * (1 - expected) / 40_000)
        np.testing.assert_allclose((p > x).mean(axis=0), expected, atol=tolerance)


def test_dirichlet_shares_have_their_own_mean():
    p = DirichletShares([6, 3, 1], 20_000).prevalences(there(3), 100, np.random.default_rng(0))
    np.testing.assert_allclose(p.mean(axis=0), [0.6, 0.3, 0.1], atol=0.005)
    # Variance of the first: 0.6 · 0.4 / 11.
    assert p[:, 0].var() == pytest.approx(0.24 / 11, rel=0.05)


@pytest.mark.parametrize("size", [50, 100, 500])
def test_natural_shares_differ_by_chance_as_those_of_a_population(size):
    classes = {"a": 60, "b": 30, "c": 10}
    p = NaturalShares(20_000).prevalences(classes, size, np.random.default_rng(0))
    np.testing.assert_allclose(p.mean(axis=0), [0.6, 0.3, 0.1], atol=0.005)
    # Also where a bag is as large as all there is to draw from.
    assert p[:, 0].var() == pytest.approx(0.24 / size, rel=0.05)


@pytest.mark.parametrize(
    ("k", "points", "number"), [(2, 21, 21), (3, 5, 15), (4, 3, 10), (1, 3, 1)]
)
def test_a_grid_has_every_point_once(k, points, number):
    grid = GridShares(points, repeats=2).prevalences(there(k), 100, np.random.default_rng(0))
    assert len(grid) == 2 * number
    assert len(np.unique(grid.round(9), axis=0)) == number
    np.testing.assert_allclose(grid.sum(axis=1), 1)
    steps = grid * (points - 1)
    np.testing.assert_allclose(steps, np.rint(steps), atol=1e-9)


def test_a_grid_of_many_classes_is_coarse_by_itself_and_refused_if_it_is_asked_to_be_fine():
    def grid(k, **options):
        return len(GridShares(repeats=1, **options).prevalences(there(k), 100, None))

    assert grid(2) == 21
    assert grid(3) == 231  # 21 values
    assert grid(4) == 969  # 17 values: 19 · 18 · 17 / 6
    assert grid(28) == 406  # 3 values: 29 · 28 / 2
    with pytest.raises(ValueError, match=r"a grid of 21 values for 28 classes has .* points; low"):
        grid(28, points=21)


def test_shares_of_ones_own_are_taken_as_they_are():
    numbers = ListedShares(np.linspace(0, 1, 3, dtype="float32"), repeats=1)
    np.testing.assert_array_equal(
        numbers.prevalences(there(2), 100, np.random.default_rng(0)), [[1, 0], [0.5, 0.5], [0, 1]]
    )
    assert numbers.describe() == "with 3 shares from 0% to 100%"
    listed = ListedShares([[0.2, 0.3, 0.5], {"c": 0.5, "a": 0.5}], repeats=2)
    np.testing.assert_array_equal(
        listed.prevalences(there(3), 100, np.random.default_rng(0)),
        [[0.2, 0.3, 0.5], [0.2, 0.3, 0.5], [0.5, 0, 0.5], [0.5, 0, 0.5]],
    )


@pytest.mark.parametrize(
    ("shares", "k", "message"),
    [
        (ListedShares([0.5]), 3, "a share of 0.5 alone says nothing of 3 classes; give one for"),
        (ListedShares([[0.5, 0.5]]), 3, "are not one for each class: a, b, c"),
        (ListedShares([[0.5, 0.6]]), 2, "are not from 0 to 1 with a sum of 1"),
        (ListedShares([1.5]), 2, "are not from 0 to 1"),
        (ListedShares([{"z": 1.0}]), 2, "the class 'z', of which there are no documents to draw"),
        (ListedShares([]), 2, "the list of shares is empty"),
        (ListedShares([0.5], repeats=0), 2, "repeats is 0; it must be 1 or more"),
        (UniformShares(0), 2, "bags is 0; it must be 1 or more"),
        (DirichletShares(0.0), 2, "alpha is 0.0; it must be above 0"),
        (DirichletShares([1, 2]), 3, "alpha has 2 values and there are 3 classes"),
        (GridShares(1), 2, "points is 1; a share has at least two values"),
    ],
)
def test_shares_that_make_no_sense_are_an_error(shares, k, message):
    with pytest.raises(ValueError, match=message):
        shares.prevalences(there(k), 100, np.random.default_rng(0))


def test_a_bag_has_exactly_the_shares_it_was_drawn_for():
    pools = members(300, 200, 100)
    shares = UniformShares(50)
    exact = shares.prevalences({name: len(p) for name, p in pools.items()}, 97, seeded())
    bags, counts = draw(shares, pools, 97, seeded())
    np.testing.assert_array_equal(counts, largest_remainder(exact, 97))
    for bag, row in zip(bags, counts, strict=True):
        assert [np.isin(bag, pool).sum() for pool in pools.values()] == row.tolist()
        assert len(bag) == 97
        assert len(np.unique(bag)) == 97  # there are enough of each


def seeded():
    return np.random.default_rng(7)


def test_a_document_is_drawn_twice_only_where_there_are_too_few():
    bags, _ = draw(ListedShares([[0.5, 0.5]], repeats=20), members(100, 5), 40, seeded())
    for bag in bags:
        assert len(np.unique(bag[bag < 100])) == 20
        assert (bag >= 100).sum() == 20


@given(
    st.lists(st.integers(0, 1000), min_size=1, max_size=8).filter(any),
    st.integers(1, 500),
)
def test_rounding_keeps_the_sum_and_errs_by_less_than_a_document(weights, size):
    p = np.array([weights]) / sum(weights)
    [counts] = largest_remainder(p, size)
    assert counts.sum() == size
    assert (np.abs(counts - p[0] * size) < 1 + 1e-9).all()
    # No other rounding is nearer: what was rounded up had the largest remainders.
    remainders = p[0] * size - np.floor(p[0] * size + 1e-9)
    up = counts > np.floor(p[0] * size + 1e-9)
    if up.any() and not up.all():
        assert remainders[up].min() >= remainders[~up].max() - 1e-9


def test_a_share_that_is_whole_is_not_rounded_down():
    assert largest_remainder(np.array([[0.29, 0.71]]), 100).tolist() == [[29, 71]]


def test_a_bag_has_a_document():
    with pytest.raises(ValueError, match="size is 0; it must be 1 or more"):
        draw(UniformShares(1), members(3, 3), 0, seeded())
