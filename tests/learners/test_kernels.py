"""Kernels of the solver: each says what a plain line of NumPy says."""

import numpy as np
import pytest
from scipy import sparse

from quantext.learners.kernels import (
    add_part,
    highest,
    mix_rows,
    raise_shares,
    read_border,
    read_mistakes,
    read_shares,
    squared_lengths,
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


def test_a_part_is_added_where_documents_are_wrong(rng):
    signs, wrong, total = rng.normal(size=9), rng.random(9) < 0.5, rng.normal(size=9)
    expected = total + 0.3 * signs * wrong
    add_part(0.0, signs, wrong, total)
    add_part(0.3, signs, wrong, total)
    assert total.tolist() == expected.tolist()


def test_a_share_is_added_of_what_is_partly_wrong(rng):
    signs, part = rng.normal(size=9), rng.random(9).astype(np.float32)
    total = np.zeros(9)
    add_part(0.3, signs, part, total)
    assert total == pytest.approx(0.3 * part.astype(float) * signs, rel=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_squared_lengths_are_those_of_rows_with_a_one(dtype):
    X = sparse.random(30, 7, density=0.4, random_state=0, format="csr", dtype=dtype)
    expected = 1 + (X.toarray().astype(float) ** 2).sum(axis=1)
    assert squared_lengths(X.indptr, X.data) == pytest.approx(expected, rel=1e-15)


def test_documents_are_as_near_to_the_border_as_scores_say(rng):
    part = np.where(rng.random(40) < 0.5, rng.integers(0, 3, 40) / 2, rng.random(40))
    part[:2] = 1e-12, 1 - 1e-12  # as good as none, and as all
    signs, scores = np.where(rng.random(40) < 0.4, 0.1, -0.1), rng.normal(size=40)
    before = part.copy()
    shares, away = read_border(part, signs, scores, 0.3, 1e-9)
    expected = np.where(signs > 0, 1 - part, part)
    expected[expected < 1e-9], expected[expected > 1 - 1e-9] = 0, 1
    assert shares.tolist() == expected.tolist()
    between = (expected > 0) & (expected < 1)
    assert 0 < between.sum() < 40
    assert (away[between] == -np.inf).all()
    excess = np.where(expected > 0, 1, -1) * (scores + 0.3)
    assert away[~between].tolist() == excess[~between].tolist()
    assert part.tolist() == before.tolist()


def test_shares_are_read_as_mistakes(rng):
    shares = np.where(rng.random(60) < 0.6, rng.integers(0, 3, 60) / 2, rng.random(60))
    shares[0] = 1e-30  # single precision makes it 1 less that, which is 1
    positive = rng.random(60) < 0.4
    positive[0] = True
    signs = np.where(positive, 1 / 60, -1 / 60)
    part, coefficients, wrong, between, ones = read_shares(shares, signs)
    expected = np.where(positive, 1 - shares, shares).astype(np.float32)
    assert part.tolist() == expected.tolist()
    assert coefficients.tolist() == (expected * signs).tolist()
    assert wrong.tolist() == np.flatnonzero(expected).tolist()
    rounded = np.where(positive, 1 - expected.astype(float), expected)
    inside = (rounded > 0) & (rounded < 1)
    assert between.tolist() == rounded[inside].tolist()
    assert ones == np.count_nonzero(rounded == 1)
    for own in read_shares(positive.astype(float), signs)[2:4]:
        assert len(own) == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_shares_of_the_documents_visited_are_raised_one_by_one(rng, dtype):
    X = sparse.random(30, 7, density=0.4, random_state=0, format="csr", dtype=dtype)
    dense = np.column_stack([X.toarray().astype(float), np.ones(30)])
    squares, slope, step = (dense**2).sum(axis=1), -0.1, 0.7
    shares, w = rng.integers(0, 5, 30) / 4, rng.normal(size=8)
    visited = rng.permutation(30)[:20]
    expected, at = shares.copy(), w.copy()
    for i in visited:
        share = np.clip(expected[i] + (dense[i] @ at + slope) / (step * squares[i]), 0, 1)
        at += step * (expected[i] - share) * dense[i]
        expected[i] = share
    before = shares.copy()
    moved, rise = raise_shares(
        X.indptr, X.indices, X.data, squares, visited, slope, step, w, shares
    )
    assert shares == pytest.approx(expected, abs=1e-12)
    assert w == pytest.approx(at, abs=1e-12)
    assert {0.0, 1.0} < set(shares.tolist())
    assert moved.tolist() == [i for i in visited if shares[i] != before[i]]
    assert rise == pytest.approx((shares - before).sum(), abs=1e-12)
