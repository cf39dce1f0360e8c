import tracemalloc
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from quantext.learners.kernels import best_count, best_table_f1, best_table_q
from quantext.learners.losses import LOSSES, ContingencyTable
from quantext.learners.oracle import make_oracle, mean_loss
from quantext.learners.products import BLOCK, BlockSum, add_up, join_runs, make_products
from quantext.learners.searches import by_count, by_f1, by_q, by_table, cost_of_counts
from quantext.vectors.csr import csr_matvec, csr_rmatvec


def weighted_misses(table):
    """A loss of the whole table that is in no table of names."""
    return (3 * table.fn + table.fp**2 / table.size) / table.size


ALL_LOSSES = {**LOSSES, "own": weighted_misses}


def risk_of(predicted, positive, scores, loss):
    """Δ(ȳ) − (1/n) Σ over the wrong ones of y·s; `predicted` may hold one labelling a row."""
    pairs = [(predicted, positive), (predicted, ~positive), (~predicted, positive)]
    tp, fp, fn = (np.sum(a & b, axis=-1).astype(float) for a, b in pairs)
    cost = loss(ContingencyTable(tp, fp, fn, len(positive) - tp - fp - fn))
    signs = np.where(positive, 1.0, -1.0)
    return cost - np.sum((predicted != positive) * signs * scores, axis=-1) / len(scores)


def brute_force(positive, scores, loss):
    labellings = np.array(list(product([False, True], repeat=len(positive))))
    return risk_of(labellings, positive, scores, loss).max()


def oracle_of(positive, loss):
    return make_oracle(make_products(np.zeros((len(positive), 1))), positive, loss)


@st.composite
def scored_labels(draw, max_size=8):
    n = draw(st.integers(1, max_size))
    positive = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    # Multiples of a half up to 4: ties and scores beyond every margin are common.
    score = st.integers(-8, 8).map(lambda x: x / 2) | st.floats(-4, 4)
    scores = draw(st.lists(score, min_size=n, max_size=n))
    return np.array(positive), np.array(scores, dtype=float)


@pytest.mark.parametrize("name", ALL_LOSSES)
@settings(max_examples=60, deadline=None)
@given(case=scored_labels())
def test_oracle_finds_the_most_violated_labelling(name, case):
    positive, scores = case
    labelling = oracle_of(positive, ALL_LOSSES[name])(scores)
    assert labelling.risk == pytest.approx(
        brute_force(positive, scores, ALL_LOSSES[name]), rel=1e-12, abs=1e-12
    )


@pytest.mark.parametrize("name", ALL_LOSSES)
@settings(max_examples=60, deadline=None)
@given(case=scored_labels())
def test_risk_and_loss_are_those_of_the_labelling_returned(name, case):
    positive, scores = case
    labelling = oracle_of(positive, ALL_LOSSES[name])(scores)
    predicted = (labelling.coefficients != 0) != positive
    value = risk_of(predicted, positive, scores, ALL_LOSSES[name])
    assert labelling.risk == pytest.approx(value, rel=1e-12, abs=1e-12)
    cost = risk_of(predicted, positive, np.zeros(len(scores)), ALL_LOSSES[name])
    assert labelling.loss == pytest.approx(cost, rel=1e-12, abs=1e-15)


def spread_of_scores(n, seed):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < rng.uniform(0.05, 0.95)
    positive[:2] = True, False
    scores = rng.normal(size=n) * 10 ** rng.uniform(-2, 1) + positive * rng.uniform(0, 1)
    return positive, np.round(scores, rng.integers(1, 6))  # rounded: ties


@pytest.mark.parametrize("name", ["kld", "nkld", "ae", "rae"])
@pytest.mark.parametrize("seed", range(5))
def test_by_count_equals_by_table(name, seed):
    positive, scores = spread_of_scores(300, seed)
    fast = by_count(cost_of_counts(positive, LOSSES[name]))(scores)
    slow = by_table(positive, LOSSES[name])(scores)
    assert risk_of(fast[0], positive, scores, LOSSES[name]) == pytest.approx(
        risk_of(slow[0], positive, scores, LOSSES[name]), rel=1e-12
    )


@pytest.mark.parametrize(("name", "search"), [("f1", by_f1), ("q", by_q)])
@pytest.mark.parametrize("seed", range(20))
def test_structured_search_equals_by_table(name, search, seed):
    positive, scores = spread_of_scores(150, seed)
    fast, slow = search(positive)(scores), by_table(positive, LOSSES[name])(scores)
    assert risk_of(fast[0], positive, scores, LOSSES[name]) == pytest.approx(
        risk_of(slow[0], positive, scores, LOSSES[name]), rel=1e-12
    )


def test_count_kernel_equals_prefix_sums():
    rng = np.random.default_rng(0)
    for _ in range(20):
        cost, ascending = rng.normal(size=51), np.sort(rng.normal(size=50))
        value = cost + np.append(0.0, np.cumsum(ascending[::-1]))
        assert best_count(cost, ascending) == np.argmax(value)


@st.composite
def shares_of_labels(draw, max_size=8):
    n = draw(st.integers(1, max_size))
    share = st.sampled_from([0.0, 0.25, 0.5, 1.0]) | st.floats(0, 1, width=32)
    shares = draw(st.lists(share, min_size=n, max_size=n))
    positive = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    return np.array(positive), np.array(shares)


@settings(max_examples=60, deadline=None)
@given(case=shares_of_labels())
def test_mean_loss_is_that_of_the_labellings_one_by_one(case):
    positive, shares = case
    cost = cost_of_counts(positive, LOSSES["kld"])
    # The labelling of a threshold calls positive what has that share at least.
    levels = sorted({0.0, 1.0, *shares.tolist()})
    expected = sum(
        (high - low) * cost[np.count_nonzero(shares >= high)] for low, high in pairwise(levels)
    )
    between, ones = shares[(shares > 0) & (shares < 1)], int(np.count_nonzero(shares == 1))
    assert mean_loss(between, ones, cost) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("store", [sparse.csr_matrix, np.ascontiguousarray])
def test_the_largest_value_is_that_of_either_sign(store):
    X = np.array([[0.0, 2.0], [-3.0, 0.0]])
    assert make_products(store(X)).largest() == 3
    assert make_products(store(-X)).largest() == 3
    assert make_products(store(np.zeros((2, 3)))).largest() == 0


@pytest.mark.parametrize("store", [sparse.csr_matrix, np.ascontiguousarray])
def test_rows_are_those_at_the_places(store):
    dense = np.random.default_rng(0).normal(size=(9, 4)).astype(np.float32)
    places = np.array([7, 0, 3])
    rows = make_products(store(dense)).rows(places)
    assert rows.format == "csr"
    np.testing.assert_array_equal(rows.toarray(), dense[places])


def test_indices_are_not_copied_to_take_rows_of_a_matrix_of_long_offsets():
    X = sparse.random(50, 30, density=0.3, format="csr", rng=np.random.default_rng(0))
    X.indptr = X.indptr.astype(np.int64)  # as of vectors on disk with very many entries
    rows = make_products(X).rows(np.array([4, 4, 49, 0]))
    np.testing.assert_array_equal(rows.toarray(), X.toarray()[[4, 4, 49, 0]])
    assert make_products(X).rows(np.array([], np.intp)).shape == (0, 30)


def best_table_by_loop(positive_sums, negative_sums, loss):
    """Largest value over all contingency tables, one by one."""
    P, N = len(positive_sums) - 1, len(negative_sums) - 1
    counts = product(range(P + 1), range(N + 1))
    tables = (ContingencyTable(*np.array([tp, fp, P - tp, N - fp], float)) for tp, fp in counts)
    return max(
        (P + N) * float(loss(table)) + positive_sums[int(table.tp)] + negative_sums[int(table.fp)]
        for table in tables
    )


@pytest.mark.parametrize(("name", "kernel"), [("f1", best_table_f1), ("q", best_table_q)])
@pytest.mark.parametrize("seed", range(8))
def test_search_kernel_equals_a_loop_over_all_tables(name, kernel, seed):
    positive, scores = spread_of_scores(40, seed)
    sums = [
        np.append(0.0, np.cumsum(np.sort(scores[side])[::-1])) for side in (positive, ~positive)
    ]
    tp, fp = kernel(*sums)
    P, N = len(sums[0]) - 1, len(sums[1]) - 1
    table = ContingencyTable(*np.array([tp, fp, P - tp, N - fp], dtype=float))
    value = 40 * float(LOSSES[name](table)) + sums[0][tp] + sums[1][fp]
    assert value == pytest.approx(best_table_by_loop(*sums, LOSSES[name]), rel=1e-12)


def test_by_table_searches_more_tiles_than_one():
    # With tiles of 4 × 4 the 31 × 71 tables are 8 × 18 tiles, the last ones incomplete.
    rng = np.random.default_rng(0)
    positive = np.arange(100) < 30
    for scale in (0.01, 0.3, 1.0, 3.0):
        scores = scale * rng.normal(size=100)
        predicted, _ = by_table(positive, weighted_misses, least_edge=4)(scores)
        sums = [
            np.append(0.0, np.cumsum(np.sort(scores[side])[::-1])) for side in (positive, ~positive)
        ]
        best = best_table_by_loop(*sums, weighted_misses) - sums[0][-1]
        assert risk_of(predicted, positive, scores, weighted_misses) == pytest.approx(best / 100)


def test_by_table_asks_for_a_few_tables_only_once_the_tiles_are_known():
    asked = []

    def counting(table):
        asked.append(table.tp.size)
        return weighted_misses(table)

    positive, scores = spread_of_scores(3000, 1)
    search = by_table(positive, counting)
    in_advance = sum(asked)
    search(scores)
    assert sum(asked) - in_advance < in_advance / 4


def test_by_table_stays_in_bounded_memory():
    positive = np.arange(6_000) % 9 < 4  # nine million tables: 71 MB for each array of them
    scores = np.random.default_rng(0).normal(size=6_000)
    tracemalloc.start()
    by_table(positive, weighted_misses)(scores)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50e6


def test_a_loss_that_misbehaves_on_some_table_is_found_before_training():
    def undefined_without_prediction(table):
        with np.errstate(invalid="ignore", divide="ignore"):
            return 1 - table.tp / (table.tp + table.fp)

    with pytest.raises(ValueError, match=r"is nan at tp=0, fp=0"):
        oracle_of(np.array([True, False, False]), undefined_without_prediction)


@pytest.mark.parametrize("name", ALL_LOSSES)
def test_planes_are_lower_bounds_everywhere_and_touch_where_they_were_cut(name):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 6))
    oracle = make_oracle(make_products(X), rng.random(40) < 0.3, ALL_LOSSES[name])
    for _ in range(10):
        w = rng.normal(size=7)
        labelling = oracle(X @ w[:-1] + w[-1])
        normal = oracle.plane(labelling).normal
        assert labelling.loss - normal @ w == pytest.approx(labelling.risk, abs=1e-12)
        for other in rng.normal(size=(20, 7)) * 10 ** rng.uniform(-2, 2, size=(20, 1)):
            risk = oracle(X @ other[:-1] + other[-1]).risk
            assert labelling.loss - normal @ other <= risk + 1e-9


def test_plane_has_the_scores_of_its_normal():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(20, 3))
    positive = rng.random(20) < 0.5
    oracle = make_oracle(make_products(X), positive, LOSSES["kld"])
    plane = oracle.plane(oracle(rng.normal(size=20)))
    with_constant = np.column_stack([X, np.ones(20)])
    np.testing.assert_allclose(plane.scores, with_constant @ plane.normal)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_csr_kernels_equal_plain_loops(dtype):
    rng = np.random.default_rng(0)
    X = sparse.random(50, 30, density=0.2, random_state=0, format="csr", dtype=dtype)
    w, v = rng.normal(size=30), rng.normal(size=50) * (rng.random(50) < 0.5)
    matvec, rmatvec = np.empty(50), np.zeros(30)
    csr_matvec(X.indptr, X.indices, X.data, w, matvec)
    csr_rmatvec(X.indptr, X.indices, X.data, v, rmatvec)
    loop_matvec, loop_rmatvec = np.zeros(50), np.zeros(30)
    for i, j in zip(*X.nonzero(), strict=True):
        loop_matvec[i] += float(X[i, j]) * w[j]
        loop_rmatvec[j] += float(X[i, j]) * v[i]
    np.testing.assert_allclose(matvec, loop_matvec, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(rmatvec, loop_rmatvec, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_products_equal_sparse_ones(dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 700)).astype(dtype)  # in single precision two blocks of rows
    w, v = rng.normal(size=700), rng.normal(size=3000)
    dense, csr = make_products(X), make_products(sparse.csr_matrix(X))
    np.testing.assert_allclose(dense.matvec(w), csr.matvec(w), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(dense.rmatvec(v), csr.rmatvec(v), rtol=1e-10, atol=1e-10)


class Written(str):
    """A vector that shows in which order it was added up: (ab) is a + b."""

    def __add__(self, other):
        return Written(f"({self}{other})")


def written_blocks(first, stop):
    return [
        BlockSum(number, 1, Written("abcdefghijklmnopqrstuvwxyz"[number]))
        for number in range(first, stop)
    ]


def test_blocks_are_added_in_a_binary_tree():
    # Seven blocks have the whole nodes abcd, ef and g, which are added from the last to the first.
    run = join_runs(written_blocks(0, 7))
    assert run == [(0, 4, "((ab)(cd))"), (4, 2, "(ef)"), (6, 1, "g")]
    assert add_up(run) == "(((ab)(cd))((ef)g))"


def test_a_run_has_only_whole_nodes_of_the_tree():
    # From block 3 to 9: of abcd only d is in the run, efgh is whole, of ijkl there are i and j.
    assert join_runs(written_blocks(3, 10)) == [
        (3, 1, "d"),
        (4, 4, "((ef)(gh))"),
        (8, 2, "(ij)"),
    ]


@settings(deadline=None)
@given(st.data())
def test_however_a_run_is_divided_the_sums_are_the_same(data):
    first = data.draw(st.integers(0, 10))
    stop = data.draw(st.integers(first + 1, 26))
    cuts = data.draw(st.sets(st.integers(first, stop)))
    borders = [first, *sorted(cuts), stop]
    runs = [join_runs(written_blocks(*ends)) for ends in pairwise(borders)]
    half = data.draw(st.integers(0, len(runs)))
    whole = join_runs(written_blocks(first, stop))
    assert join_runs(*runs) == whole
    assert join_runs(join_runs(*runs[:half]), join_runs(*runs[half:])) == whole


def test_sums_over_blocks_of_rows_are_those_of_a_loop_to_the_last_bit():
    n = 3 * BLOCK + 100
    X = sparse.random(n, 7, density=0.3, random_state=0, format="csr", dtype=np.float32)
    v = np.random.default_rng(0).normal(size=n)
    a, b, c, d = (np.zeros(7) for _ in range(4))
    for number, total in enumerate((a, b, c, d)):
        rows = X[number * BLOCK : (number + 1) * BLOCK]
        of_entries = np.repeat(v[number * BLOCK : (number + 1) * BLOCK], np.diff(rows.indptr))
        np.add.at(total, rows.indices, of_entries * rows.data)  # one by one, in their order
    np.testing.assert_array_equal(make_products(X).rmatvec(v), (a + b) + (c + d))


@pytest.mark.parametrize("store", [sparse.csr_matrix, np.ascontiguousarray, np.asfortranarray])
def test_products_with_parts_of_a_matrix_are_those_with_the_whole_to_the_last_bit(store):
    rng = np.random.default_rng(1)
    n = 4 * BLOCK + 5
    dense = rng.normal(size=(n, 70)).astype(np.float32) * (rng.random((n, 70)) < 0.2)
    w, v = rng.normal(size=70), rng.normal(size=n)
    whole = make_products(dense if store is not sparse.csr_matrix else store(dense))
    borders = [0, BLOCK, 3 * BLOCK, n]
    scores, runs = [], []
    for start, stop in pairwise(borders):
        part = make_products(store(dense[start:stop]))
        scores.append(part.matvec(w))
        runs.append(part.block_sums(v[start:stop], start // BLOCK))
    np.testing.assert_array_equal(np.concatenate(scores), whole.matvec(w))
    np.testing.assert_array_equal(add_up(join_runs(*runs)), whole.rmatvec(v))
