import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from quantext.learners.folds import stratified_folds
from quantext.learners.linear import LinearSVM
from tests.support.places import REAL_CORPORA


# Some checks have two features around 100, where the descent is right to give up.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([LinearSVM()])
def test_linear_svm_keeps_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def make_documents(n=400, d=600, seed=0):
    """Unit sparse documents like those of texts, and labels at 1%, 10% and 45%."""
    rng = np.random.default_rng(seed)
    Y = rng.random((n, 3)) < [0.01, 0.1, 0.45]
    Y[0] = True
    popularity = 1 / np.arange(5, d + 5)
    X = rng.random((n, d)) < np.minimum(0.9, 20 * popularity / popularity.sum())
    for label in range(3):  # each label has ten words, and its documents some of them
        X[:, 40 * label : 40 * label + 10] |= Y[:, [label]] & (rng.random((n, 10)) < 0.3)
    X = X * np.log(n / np.maximum(X.sum(axis=0), 1))
    return sparse.csr_matrix(X / np.linalg.norm(X, axis=1, keepdims=True)), Y


X, Y = make_documents()


def reference(X, y):
    return LinearSVC(tol=1e-7, max_iter=100_000).fit(X, y)


def objective(model, X, y, C):
    w = np.append(model.coef_[0], model.intercept_)
    hinge = np.maximum(0, 1 - np.where(y, 1, -1) * model.decision_function(X))
    return w @ w / 2 + C * hinge @ hinge


@pytest.mark.parametrize("label", range(3))
def test_it_finds_the_optimum_of_linear_svc(label):
    y = Y[:, label]
    ours, theirs = LinearSVM().fit(X, y), reference(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    assert objective(ours, X, y, 1.0) == pytest.approx(objective(theirs, X, y, 1.0), rel=1e-5)


@pytest.mark.parametrize("C", [0.01, 100.0])
def test_c_means_what_it_means_in_linear_svc(C):
    y = Y[:, 1]
    ours = LinearSVM(C=C, tol=1e-4).fit(X, y)
    theirs = LinearSVC(C=C, tol=1e-7, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)


def test_a_smaller_tol_comes_closer_to_the_optimum():
    y = Y[:, 2]
    scores = reference(X, y).decision_function(X)
    errors = [
        np.abs(LinearSVM(tol=tol).fit(X, y).decision_function(X) - scores).max()
        for tol in (0.1, 1e-3, 1e-5)
    ]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-5


@pytest.mark.parametrize(
    "names", [("no", "yes"), (1, 2), (False, True), (-1, 1)], ids=lambda n: str(n)
)
def test_labels_are_only_names(names):
    y = Y[:, 1]
    model = LinearSVM().fit(X, np.array(names)[y.astype(int)])
    np.testing.assert_array_equal(model.classes_, np.array(names))
    np.testing.assert_array_equal(model.coef_, LinearSVM().fit(X, y).coef_)
    assert set(model.predict(X)) <= set(names)


def test_sparse_equals_dense():
    y = Y[:, 1]
    np.testing.assert_array_equal(
        LinearSVM().fit(X, y).coef_, LinearSVM().fit(X.toarray(), y).coef_
    )


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_each_column_of_an_indicator_is_a_model_of_its_own(n_jobs):
    model = LinearSVM(n_jobs=n_jobs).fit(X, Y.astype(int))
    single = [LinearSVM().fit(X, Y[:, label]) for label in range(3)]
    np.testing.assert_array_equal(model.coef_, np.vstack([s.coef_ for s in single]))
    np.testing.assert_array_equal(model.n_iter_, [s.n_iter_ for s in single])
    np.testing.assert_array_equal(model.predict(X)[:, 1], single[1].predict(X))


def test_a_constant_column_predicts_its_constant():
    columns = np.column_stack([np.zeros(400), np.ones(400), Y[:, 1]])
    model = LinearSVM()
    scores = model.fold_scores(X, columns, folds=5, seed=0)
    np.testing.assert_array_equal(scores[:, 0], -1)
    np.testing.assert_array_equal(scores[:, 1], 1)
    np.testing.assert_array_equal(model.decision_function(X)[:, :2], scores[:, :2])


def linear_svc_out_of_fold(X, y, folds, seed):
    fold_of = stratified_folds(y, folds, seed)
    scores = np.empty(len(y))
    for fold in range(folds):
        held_out = fold_of == fold
        scores[held_out] = reference(X[~held_out], y[~held_out]).decision_function(X[held_out])
    return scores


@pytest.mark.parametrize("folds", [10, 50])
def test_out_of_fold_scores_equal_those_of_linear_svc_on_the_same_folds(folds):
    scores = LinearSVM().fold_scores(X, Y, folds=folds, seed=3)
    for label in range(3):
        theirs = linear_svc_out_of_fold(X, Y[:, label], folds, seed=3)
        np.testing.assert_allclose(scores[:, label], theirs, atol=1e-3)


def test_fold_scores_trains_the_same_model_as_fit():
    model = LinearSVM()
    model.fold_scores(X, Y, folds=10, seed=0)
    np.testing.assert_array_equal(model.coef_, LinearSVM().fit(X, Y).coef_)
    np.testing.assert_array_equal(model.intercept_, LinearSVM().fit(X, Y).intercept_)


def test_fold_scores_of_a_column_do_not_depend_on_the_others_or_on_threads():
    together = LinearSVM(n_jobs=2).fold_scores(X, Y, folds=10, seed=0)
    for label in range(3):
        alone = LinearSVM().fold_scores(X, Y[:, label], folds=10, seed=0)
        assert alone.shape == (400,)
        np.testing.assert_array_equal(together[:, label], alone)


def test_the_seed_chooses_the_folds():
    first, again, other = (LinearSVM().fold_scores(X, Y, 10, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_a_single_positive_is_scored_minus_one_by_the_fold_that_has_none():
    y = np.zeros(400, bool)
    y[123] = True
    scores = LinearSVM().fold_scores(X, y, folds=50, seed=0)
    own_fold = stratified_folds(y, 50, seed=0) == stratified_folds(y, 50, seed=0)[123]
    np.testing.assert_array_equal(scores[own_fold], -1)
    assert (scores[~own_fold] != -1).all()


def test_two_documents_are_enough():
    scores = LinearSVM().fold_scores(np.array([[0.0], [1.0]]), [0, 1], folds=50, seed=0)
    np.testing.assert_array_equal(scores, [1, -1])  # each is scored by the other's class


def test_running_out_of_passes_warns_and_says_what_to_change():
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2 passes.*raise max_iter or tol"):
        LinearSVM(max_iter=2).fit(X, Y[:, 2])
    with pytest.warns(ConvergenceWarning, match="3 of the models"):
        LinearSVM(max_iter=2).fold_scores(X, Y, folds=5, seed=0)


@pytest.mark.parametrize("parameter", ["C", "tol", "max_iter"])
def test_a_parameter_that_is_not_positive_is_an_error_that_names_it(parameter):
    with pytest.raises(ValueError, match=f"{parameter} is 0"):
        LinearSVM(**{parameter: 0}).fit(X, Y)


def find_data(name):
    path = REAL_CORPORA / name
    return path if path.exists() else pytest.skip(f"real corpora are not here: {name}")


def test_on_real_news_out_of_fold_scores_equal_those_of_linear_svc():
    X = sparse.load_npz(find_data("rcv1_train15k_X.npz"))
    Y = sparse.load_npz(find_data("rcv1_train15k_Y.npz")).toarray().astype(bool)
    y = Y[:, np.argsort(Y.mean(axis=0))[-8]]
    scores = LinearSVM().fold_scores(X, y, folds=50, seed=0)
    fold_of = stratified_folds(y, 50, seed=0)
    for fold in (0, 49):
        held_out = fold_of == fold
        theirs = reference(X[~held_out], y[~held_out]).decision_function(X[held_out])
        np.testing.assert_allclose(scores[held_out], theirs, atol=1e-3)


@pytest.mark.parametrize("large", [1e18, -1e22, 1e200])
def test_numbers_beyond_single_precision_are_an_error_that_names_the_place(large):
    X = np.array([[0.0, 1], [1, 0], [0, 2], [0, large], [1, 3], [2, 0]])
    y = [0, 0, 0, 1, 1, 1]
    for rows in (X, sparse.csr_array(X)):
        for learn in (LinearSVM().fit, lambda X, y: LinearSVM().fold_scores(X, y, 2, 0)):
            with pytest.raises(ValueError, match=r"column 1 of document 3 .* is -?1e\+"):
                learn(rows, y)
