"""Kernels of means of labellings: each says what a plain line of NumPy says."""

import numpy as np
import pytest
from scipy import sparse

from quantext.learners.shares import (
    add_part,
    raise_shares,
    read_border,
    read_shares,
    squared_lengths,
)


@pytest.fixture(name="rng")
def a_source_of_randomness():
    return np.random.default_rng(0)


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
