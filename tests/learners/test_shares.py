"""Kernels of means of labellings: each says what a plain line of NumPy says."""

import numpy as np
import pytest
from scipy import sparse

from quantext.learners.shares import (
    add_part,
    differing,
    push_shares,
    raise_shares,
    read_border,
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
    expected = part.copy()
    expected[:2] = 0, 1
    away, ones = read_border(part, signs, scores, 0.3, 1e-9)
    assert part.tolist() == expected.tolist()
    shares = np.where(signs > 0, 1 - part, part)
    assert ones == np.count_nonzero(shares == 1) > 0
    between = (shares > 0) & (shares < 1)
    assert 0 < between.sum() < 40
    assert (away[between] == -np.inf).all()
    excess = np.where(shares > 0, 1, -1) * (scores + 0.3)
    assert away[~between].tolist() == excess[~between].tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.bool_])
def test_parts_differ_by_what_is_more(rng, dtype):
    part, other = rng.random(50) < 0.5, rng.random(50).round(1).astype(dtype)
    signs = rng.normal(size=50)
    difference, n_differing = differing(part, other, signs)
    expected = (part.astype(float) - other.astype(float)) * signs
    assert difference.tolist() == expected.tolist()
    assert n_differing == np.count_nonzero(part != other)
    assert differing(part, part, signs)[1] == 0


@pytest.fixture(name="X", params=[np.float32, np.float64])
def a_matrix(request):
    return sparse.random(30, 7, density=0.4, random_state=0, format="csr", dtype=request.param)


def dense(X):
    return np.column_stack([X.toarray().astype(float), np.ones(X.shape[0])])


def test_shares_of_the_documents_visited_are_raised_one_by_one(rng, X):
    squares, slope, step = (dense(X) ** 2).sum(axis=1), -0.1, 0.7
    shares, w = rng.integers(0, 5, 30) / 4, rng.normal(size=8)
    visited = rng.permutation(30)[:20]
    expected, at = shares.copy(), w.copy()
    for i in visited:
        share = np.clip(expected[i] + (dense(X)[i] @ at + slope) / (step * squares[i]), 0, 1)
        at += step * (expected[i] - share) * dense(X)[i]
        expected[i] = share
    before = shares.copy()
    rise = raise_shares(X.indptr, X.indices, X.data, squares, visited, slope, step, w, shares)
    assert shares == pytest.approx(expected, abs=1e-12)
    assert w == pytest.approx(at, abs=1e-12)
    assert {0.0, 1.0} < set(shares.tolist())
    assert rise == pytest.approx((shares - before).sum(), abs=1e-12)


def test_shares_are_pushed_on_as_far_as_they_may_go(rng, X):
    first, now = rng.integers(0, 5, (2, 30)) / 4
    visited, push = rng.permutation(30)[:20], 0.75
    came = np.zeros(30)
    came[visited] = (now - first)[visited]
    expected = np.clip(now + push * came, 0, 1)
    shares, before, cut = now.copy(), first.copy(), rng.normal(size=8)
    more = (now + push * came - expected) @ dense(X)
    assert more.any()
    expected_cut = cut + more
    moved, rise = push_shares(X.indptr, X.indices, X.data, visited, push, before, shares, cut)
    assert shares.tolist() == expected.tolist()
    assert before[visited].tolist() == now[visited].tolist()
    assert moved.tolist() == [i for i in visited if came[i]]
    assert rise == pytest.approx((expected - now).sum())
    assert cut == pytest.approx(expected_cut, abs=1e-12)


def test_a_push_of_nothing_only_notes_where_shares_are(rng, X):
    shares, before, cut = rng.random(30), np.zeros(30), np.zeros(8)
    expected = shares.tolist()
    _, rise = push_shares(X.indptr, X.indices, X.data, np.arange(30), 0.0, before, shares, cut)
    assert shares.tolist() == before.tolist() == expected
    assert rise == 0
    assert not cut.any()
