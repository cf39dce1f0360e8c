"""Kernels of the solver: each says what a plain line of NumPy says."""

import numpy as np
import pytest

from quantext.learners.kernels import (
    highest,
    mix_rows,
    read_mistakes,
    sum_at,
    sums_at,
)


@pytest.fixture(name="rng")
def a_source_of_randomness():
    return np.random.default_rng(0)


@pytest.mark.parametrize("k", [1, 2, 7, 29, 30])
def test_the_highest_are_those_of_a_stable_sort(rng, k):
    scores = rng.integers(0, 6, 30).astype(float)  # with many ties, of which the first count
    expected = np.zeros(30, dtype=bool)
    expected[np.argsort(-scores, kind="stable")[:k]] = True
    found = highest(scores, np.sort(scores)[30 - k], k)
    assert found.tolist() == expected.tolist()


def test_mistakes_are_where_prediction_and_sign_differ(rng):
    predicted, positive = rng.random(50) < 0.4, rng.random(50) < 0.3
    signs = np.where(positive, 1 / 50, -1 / 50)
    coefficients, wrong = read_mistakes(predicted, signs)
    assert coefficients.tolist() == (signs * (predicted != positive)).tolist()
    assert wrong.tolist() == np.flatnonzero(coefficients).tolist()
    assert [len(own) for own in read_mistakes(positive, signs)] == [50, 0]


def test_sums_at_some_places_are_products_with_a_sparse_vector(rng):
    rows = rng.normal(size=(4, 40))
    weights = np.where(rng.random(40) < 0.2, rng.normal(size=40), 0.0)
    places = np.flatnonzero(weights)
    assert sums_at(places, weights, rows) == pytest.approx(rows @ weights, abs=1e-14)
    assert sum_at(places, weights, rows[2]) == sums_at(places, weights, rows)[2]
    assert sum_at(places[:0], weights, rows[2]) == 0


def test_rows_are_mixed_by_their_shares(rng):
    rows, shares = rng.normal(size=(5, 8)), np.array([0.5, 0.0, 0.25])
    rows[1] = np.nan  # has no share, and the last two not even that
    expected = 0.5 * rows[0] + 0.25 * rows[2]
    assert mix_rows(shares, rows).tolist() == expected.tolist()


@pytest.mark.parametrize("used", [4, 5, 7, 8])
def test_rows_are_added_one_after_the_other(rng, used):
    rows, shares = rng.normal(size=(12, 50)), np.zeros(12)
    shares[rng.permutation(12)[:used]] = rng.random(used)
    expected = np.zeros(50)
    for share, row in zip(shares, rows, strict=True):
        expected += share * row
    assert mix_rows(shares, rows).tolist() == expected.tolist()
