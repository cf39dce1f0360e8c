"""The kernels against the primal problem, solved by Newton's method."""

import numpy as np
import pytest
from scipy import sparse

from quantext.learners import descent as _descent
from quantext.learners.descent import Documents, Model, descend, descend_folds, read_documents
from quantext.learners.folds import stratified_folds

TOL, MAX_ITER = 1e-4, 100_000


def with_one(X):
    """X with the constant 1 appended to each document."""
    return np.column_stack([X, np.ones(len(X))])


def primal_optimum(X, y, C=1.0):
    """Weights that minimise ½‖w‖² + C Σ max(0, 1 − y_i w·x_i)², the bias at the end."""
    rows, signs = with_one(X), np.where(y, 1.0, -1.0)

    def objective(w):
        hinge = np.maximum(0, 1 - signs * (rows @ w))
        return w @ w / 2 + C * hinge @ hinge

    w = np.zeros(rows.shape[1])
    for _ in range(1000):
        inside = signs * (rows @ w) < 1
        # The minimum of the quadratic function that the objective is around w.
        A = rows[inside]
        new = np.linalg.solve(np.eye(len(w)) + 2 * C * A.T @ A, 2 * C * A.T @ signs[inside])
        step = 1.0
        while objective(w + step * (new - w)) > objective(w) + 1e-12:
            step /= 2
        w, old = w + step * (new - w), w
        if np.abs(w - old).max() < 1e-10:
            return w
    raise AssertionError("the reference did not converge")


def out_of_fold(X, y, fold_of, C=1.0):
    """Scores by a separate optimum for each fold."""
    scores = np.empty(len(y))
    for fold in np.unique(fold_of):
        held_out = fold_of == fold
        rest = y[~held_out]
        if rest.all() or not rest.any():
            scores[held_out] = 1.0 if rest.any() else -1.0
        else:
            scores[held_out] = with_one(X[held_out]) @ primal_optimum(X[~held_out], rest, C)
    return scores


def weights_of(documents: Documents, model: Model, n_features):
    weights = np.zeros(n_features + 1)
    weights[np.append(documents.used, n_features)] = model.weights
    return weights


def random_problem(seed, n=60, d=20, positives=20):
    """Unit documents of a few features each, and labels that follow their first feature."""
    rng = np.random.default_rng(seed)
    X = rng.exponential(size=(n, d)) * (rng.random((n, d)) < 0.3)
    X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-9)
    ranks = np.argsort(np.argsort(-(X[:, 0] + 0.3 * rng.random(n))))
    return X.astype(np.float32).astype(float), ranks < positives


def with_duplicates(X, y):
    return np.vstack([X, X[:10], X[:10]]), np.concatenate([y, y[:10], ~y[:10]])


def with_zero_rows(X, y):
    X = X.copy()
    X[::7] = 0
    return X, y


PROBLEMS = {
    "balanced": random_problem(0, positives=30),
    "rare": random_problem(1, positives=4),
    "one positive": random_problem(2, positives=1),
    "one negative": random_problem(3, positives=59),
    "duplicate rows": with_duplicates(*random_problem(4)),
    "zero rows": with_zero_rows(*random_problem(5)),
    "more features than documents": random_problem(6, n=25, d=80, positives=9),
    "all zero": (np.zeros((9, 3)), np.arange(9) < 4),
}


@pytest.mark.parametrize("C", [0.1, 1.0, 20.0])
@pytest.mark.parametrize("name", PROBLEMS)
def test_one_model_is_the_primal_optimum(name, C):
    X, y = PROBLEMS[name]
    documents = read_documents(X)
    model = descend(documents, y, C, 1e-6, MAX_ITER)
    assert model.converged
    weights = weights_of(documents, model, X.shape[1])
    np.testing.assert_allclose(weights, primal_optimum(X, y, C), atol=2e-5)


@pytest.mark.parametrize("tol", [0.1, 1e-3])
def test_no_violation_exceeds_tol_where_the_model_says_that_it_converged(tol):
    X, y = PROBLEMS["balanced"]
    model = descend(read_documents(X), y, 1.0, tol, MAX_ITER)
    signs = np.where(y, 1.0, -1.0)
    alphas = model.alphas
    assert (alphas >= 0).all()
    # The weights are those of the alphas ...
    bias = with_one(X).T @ (alphas * signs)
    np.testing.assert_allclose(model.weights[-1], bias[-1], atol=1e-9)
    # ... and the projected gradient is small. It is measured when a document is visited, and later
    # visits of the same pass move it a little.
    scores = with_one(X) @ bias
    gradient = signs * scores - 1 + alphas / 2
    violation = np.where(alphas > 0, np.abs(gradient), np.maximum(0, -gradient))
    assert violation.max() <= 2 * tol


@pytest.mark.parametrize("C", [0.1, 1.0, 20.0])
@pytest.mark.parametrize("name", PROBLEMS)
def test_fold_scores_are_those_of_a_separate_optimum_for_each_fold(name, C):
    X, y = PROBLEMS[name]
    fold_of = stratified_folds(y, 5, seed=0)
    documents = read_documents(X)
    model = descend(documents, y, C, TOL, MAX_ITER)
    scores, converged = descend_folds(documents, y, fold_of, model, C, TOL, MAX_ITER)
    assert converged
    np.testing.assert_allclose(scores, out_of_fold(X, y, fold_of, C), atol=1e-3)


@pytest.mark.parametrize("folds", [2, 7, 8, 9, 64, 65, 150])
def test_any_number_of_folds_gives_the_scores_of_separate_optima(folds):
    # More folds than lanes are trained in blocks; 150 is one document a fold.
    X, y = random_problem(7, n=150, positives=40)
    fold_of = stratified_folds(y, folds, seed=1)
    documents = read_documents(X)
    model = descend(documents, y, 1.0, TOL, MAX_ITER)
    scores, converged = descend_folds(documents, y, fold_of, model, 1.0, TOL, MAX_ITER)
    assert converged
    np.testing.assert_allclose(scores, out_of_fold(X, y, fold_of), atol=1e-3)


def test_a_start_far_from_the_optimum_leads_to_the_same_scores():
    # A model stopped after one pass set aside the wrong documents: all are looked at in the end.
    X, y = random_problem(8, n=200, positives=20)
    fold_of = stratified_folds(y, 10, seed=0)
    documents = read_documents(X)
    rough = descend(documents, y, 1.0, TOL, max_iter=1)
    assert not rough.converged
    scores, converged = descend_folds(documents, y, fold_of, rough, 1.0, TOL, MAX_ITER)
    assert converged
    np.testing.assert_allclose(scores, out_of_fold(X, y, fold_of), atol=1e-3)


def test_folds_that_run_out_of_passes_say_so_and_still_score_every_document():
    X, y = random_problem(9, n=200, positives=60)
    fold_of = stratified_folds(y, 20, seed=0)
    documents = read_documents(X)
    model = descend(documents, y, 1.0, TOL, MAX_ITER)
    scores, converged = descend_folds(documents, y, fold_of, model, 1.0, TOL, max_iter=3)
    assert not converged
    np.testing.assert_allclose(scores, out_of_fold(X, y, fold_of), atol=0.3)


def test_alphas_that_a_fold_keeps_make_up_for_those_that_it_holds_out():
    # Class sums of the alphas are 8 (negative) and 6 (positive). Fold 0 holds out 2 of each, so it
    # keeps 6 and 4; fold 1 holds out 6 and 4.
    y = np.array([False, False, True, True])
    alphas = np.array([2.0, 6.0, 2.0, 4.0])
    shares = _descent._start_shares(y, np.array([0, 1, 0, 1]), 2, alphas)
    np.testing.assert_allclose(shares, [[8 / 6, 8 / 2], [6 / 4, 6 / 2]], rtol=1e-6)


def test_equal_input_gives_equal_output_and_is_not_written_to():
    X, y = random_problem(10)
    fold_of = stratified_folds(y, 5, seed=0)
    documents = read_documents(X)
    model = descend(documents, y, 1.0, TOL, MAX_ITER)
    before = [a.copy() for a in (documents.values, model.weights, model.alphas, fold_of, y)]
    first = descend_folds(documents, y, fold_of, model, 1.0, TOL, MAX_ITER)
    second = descend_folds(documents, y, fold_of, model, 1.0, TOL, MAX_ITER)
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(descend(documents, y, 1.0, TOL, MAX_ITER).weights, model.weights)
    for old, new in zip(
        before, (documents.values, model.weights, model.alphas, fold_of, y), strict=True
    ):
        np.testing.assert_array_equal(old, new)


def dense(documents: Documents, n_features):
    rows = sparse.csr_array(
        (documents.values, documents.used[documents.features], documents.starts),
        shape=(len(documents.starts) - 1, n_features),
    )
    return rows.toarray()


@pytest.mark.parametrize("index_type", [np.int32, np.int64])
@pytest.mark.parametrize("value_type", [np.float32, np.float64])
def test_documents_are_the_rows_whatever_the_types(index_type, value_type):
    X = np.array([[0, 2, 0, 1], [0, 0, 0, 0], [0, 3, 0, 0]], value_type)
    rows = sparse.csr_matrix(X)
    rows.indices, rows.indptr = rows.indices.astype(index_type), rows.indptr.astype(index_type)
    documents = read_documents(rows)
    np.testing.assert_array_equal(dense(documents, 4), X)
    assert sorted(documents.used) == [1, 3]  # only the features that occur have weights
    np.testing.assert_array_equal(dense(read_documents(X), 4), X)


def mapped(array, path):
    np.save(path, array)
    return np.load(path, mmap_mode="r")


def test_a_mapped_matrix_is_read_where_it_is(tmp_path):
    X, y = random_problem(0)
    rows = sparse.csr_matrix(X.astype(np.float32))
    in_memory = descend(read_documents(rows), y, 1.0, TOL, MAX_ITER)
    rows.indices = mapped(rows.indices, tmp_path / "indices.npy")
    rows.data = mapped(rows.data, tmp_path / "data.npy")
    documents = read_documents(rows)
    assert np.shares_memory(documents.features, rows.indices)
    assert np.shares_memory(documents.values, rows.data)
    model = descend(documents, y, 1.0, TOL, MAX_ITER)
    np.testing.assert_array_equal(
        weights_of(documents, model, 20),
        weights_of(read_documents(sparse.csr_matrix(X)), in_memory, 20),
    )


def test_room_at_the_end_of_a_matrix_is_not_read():
    rows = sparse.csr_array(([1.0, 2.0], [1, 0], [0, 1, 2]), shape=(2, 2))
    rows.indices = np.append(rows.indices, np.int32(2**31 - 1))
    rows.data = np.append(rows.data, np.nan)
    documents = read_documents(rows)
    np.testing.assert_array_equal(documents.used, [1, 0])


def test_entries_given_twice_are_added_and_unsorted_ones_kept():
    # Row 0 has feature 2 twice, 1 + 4, and its features out of order.
    rows = sparse.csr_array(([1.0, 2.0, 4.0, 3.0], [2, 0, 2, 1], [0, 3, 4]), shape=(2, 3))
    documents = read_documents(rows)
    np.testing.assert_array_equal(dense(documents, 3), [[2, 0, 5], [0, 3, 0]])
    np.testing.assert_array_equal(rows.data, [1, 2, 4, 3])  # the caller's matrix is as it was


def test_what_was_set_aside_wrongly_is_visited_again_and_nothing_else():
    order, violates = np.array([4, 2, 0, 1, 5, 3]), np.array([1, 0, 0, 1, 1, 0], np.bool_)
    n_active = _descent._wake(order, 2, violates)
    assert n_active == 4
    assert sorted(order[:2]) == [2, 4]
    assert sorted(order[2:4]) == [0, 3]
    assert sorted(order) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("kind", [_descent.OF_MODEL, _descent.OF_FOLDS])
@pytest.mark.parametrize("n", [1, 3, 7000])
def test_no_record_lies_on_two_lines_of_cache(n, kind):
    documents = read_documents(np.ones((n, 2)))
    for _ in range(5):
        records = _descent._records(documents, np.arange(n) % 3 == 0, 2.0, kind)
        assert records.ctypes.data % 64 == 0
        assert 64 % kind.itemsize == 0
    np.testing.assert_array_equal(records["start"], 2 * np.arange(n))
    np.testing.assert_array_equal(records["length"], 2)
    np.testing.assert_array_equal(records["sign"], np.where(np.arange(n) % 3 == 0, 1, -1))
    np.testing.assert_allclose(records["inverse"], 1 / (2 + 1 + 1 / 4))
    assert not records[kind.names[-1]].any()
