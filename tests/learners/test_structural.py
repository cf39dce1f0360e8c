import pickle
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from quantext import measures
from quantext.learners.losses import LOSSES, PrevalenceLoss
from quantext.learners.structural import StructuralSVM


@parametrize_with_checks([StructuralSVM()])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def documents():
    """Sixty documents, of which twenty are positive and lean to one side."""
    rng = np.random.default_rng(0)
    positive = np.arange(60) % 3 == 0
    return rng.normal(size=(60, 4)) + 1.5 * positive[:, None], positive


def misses(table):
    return table.fn / table.size


@dataclass
class Misses:
    """A callable that cannot be hashed."""

    weight: float

    def __call__(self, table):
        return self.weight * table.fn / table.size


@pytest.mark.parametrize("loss", [*LOSSES, PrevalenceLoss(measures.kld), misses, Misses(2)])
def test_every_loss_can_be_trained_cloned_and_pickled(documents, loss):
    X, positive = documents
    svm = pickle.loads(pickle.dumps(clone(StructuralSVM(loss, C=1.0)).fit(X, positive)))
    assert svm.solution_.converged
    assert svm.solution_.gap <= 1e-2 * svm.solution_.primal


def test_kld_predicts_nearly_the_true_number_of_positives(documents):
    X, positive = documents
    assert abs(StructuralSVM("kld").fit(X, positive).predict(X).sum() - 20) <= 1


@pytest.mark.parametrize(
    "names",
    [("no", "yes"), (1, 2), (False, True), (-1, 1), (0.0, 1.0)],
    ids=lambda names: type(names[0]).__name__,
)
def test_labels_are_only_names(documents, names):
    X, positive = documents
    plain = StructuralSVM(C=2.0).fit(X, positive.astype(int))
    named = StructuralSVM(C=2.0).fit(X, np.array(names)[positive.astype(int)])
    assert named.classes_.tolist() == list(names)
    np.testing.assert_array_equal(named.coef_, plain.coef_)
    np.testing.assert_array_equal(named.predict(X) == names[1], plain.predict(X) == 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix])
def test_sparse_equals_dense(documents, dtype, make):
    X, positive = np.where(documents[0] > 0.3, documents[0], 0).astype(dtype), documents[1]
    dense = StructuralSVM(C=2.0, tol=1e-6).fit(X, positive)
    same = StructuralSVM(C=2.0, tol=1e-6).fit(make(X), positive)
    np.testing.assert_allclose(same.coef_, dense.coef_, atol=1e-3)
    np.testing.assert_allclose(
        same.decision_function(make(X)), dense.decision_function(X), atol=1e-3
    )


def test_wide_indices_and_read_only_arrays_are_accepted(documents):
    X, positive = sparse.csr_matrix(documents[0]), documents[1]
    plain = StructuralSVM().fit(X, positive)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    for array in (X.data, X.indices, X.indptr):
        array.flags.writeable = False
    np.testing.assert_array_equal(StructuralSVM().fit(X, positive).coef_, plain.coef_)


def test_columns_are_the_models_of_their_labels(documents):
    X, positive = documents
    Y = np.column_stack([positive, X[:, 0] > 0.5, X[:, 1] < 0]).astype(int)
    together = StructuralSVM(C=2.0, n_jobs=2).fit(X, Y)
    assert together.coef_.shape == (3, 4)
    assert together.classes_.tolist() == [0, 1, 2]
    assert together.n_iter_.shape == (3,)
    assert together.predict(X).shape == together.decision_function(X).shape == (60, 3)
    for j in range(3):
        alone = StructuralSVM(C=2.0).fit(X, Y[:, j])
        np.testing.assert_array_equal(together.coef_[j], alone.coef_[0])
        assert together.solution_[j] == alone.solution_
        np.testing.assert_array_equal(together.predict(X)[:, j], alone.predict(X))


def test_a_single_column_stays_two_dimensional(documents):
    X, positive = documents
    svm = StructuralSVM().fit(X, positive[:, np.newaxis])
    assert svm.predict(X).shape == svm.decision_function(X).shape == (60, 1)


def test_names_of_columns_are_kept(documents):
    X, positive = documents
    frame = pl.DataFrame({"first": positive, "second": ~positive})
    assert StructuralSVM().fit(X, frame).classes_.tolist() == ["first", "second"]


def test_sparse_columns_are_accepted(documents):
    X, positive = documents
    Y = np.column_stack([positive, ~positive]).astype(int)
    np.testing.assert_array_equal(
        StructuralSVM().fit(X, sparse.csr_matrix(Y)).coef_, StructuralSVM().fit(X, Y).coef_
    )


@pytest.mark.parametrize("loss", LOSSES)
def test_constant_columns_are_predicted_and_never_raise(documents, loss):
    X, positive = documents
    Y = np.column_stack([np.zeros(60), positive, np.ones(60)])
    svm = StructuralSVM(loss).fit(X, Y)
    assert svm.predict(X)[:, 0].sum() == 0
    assert svm.predict(X)[:, 2].sum() == 60
    assert svm.solution_[0].converged


@pytest.mark.parametrize("label", ["yes", 1, True, 0])
def test_a_single_class_is_always_predicted(documents, label):
    X, _ = documents
    svm = StructuralSVM().fit(X, np.full(60, label))
    assert svm.classes_.tolist() == [label]
    assert (svm.predict(X) == label).all()


def hard_cases():
    rng = np.random.default_rng(0)
    half = np.arange(20) % 2 == 0
    yield "one positive", rng.normal(size=(20, 3)), np.arange(20) == 7
    yield "one negative", rng.normal(size=(20, 3)), np.arange(20) != 7
    yield "duplicate rows", np.repeat(rng.normal(size=(2, 3)), 10, axis=0), half
    yield "zero rows", np.zeros((20, 3)), half
    yield "constant features", np.full((20, 3), 2.0), half
    yield "two documents", np.array([[1.0], [-1.0]]), np.array([True, False])
    yield "two equal documents", np.ones((2, 1)), np.array([True, False])
    yield "large values", 1e6 * rng.normal(size=(20, 3)), half
    yield "small values", 1e-6 * rng.normal(size=(20, 3)), half


@pytest.mark.parametrize("loss", [*LOSSES, misses])
@pytest.mark.parametrize(("X", "y"), [pytest.param(X, y, id=name) for name, X, y in hard_cases()])
def test_hard_cases_are_solved(loss, X, y):
    for data in (X, sparse.csr_matrix(X)):
        svm = StructuralSVM(loss, C=1.0, tol=1e-3).fit(data, y)
        assert svm.solution_.converged
        assert np.isfinite(svm.coef_).all()


def test_zero_rows_of_equal_shares_have_the_optimum_worked_by_hand():
    # Only the intercept b counts, and by symmetry it is 0: risk is the largest AE, ½, at any b = 0;
    # the objective is C·n·½.
    svm = StructuralSVM("ae", C=0.01, tol=1e-6).fit(np.zeros((20, 2)), np.arange(20) < 10)
    assert svm.solution_.primal == pytest.approx(0.01 * 20 / 2)
    np.testing.assert_allclose(svm.intercept_, 0, atol=1e-9)


def test_error_rate_agrees_with_the_ordinary_svm(documents):
    X, positive = documents
    ours = StructuralSVM("error_rate", C=0.3, tol=1e-7).fit(X, positive)
    peer = LinearSVC(loss="hinge", C=0.3, tol=1e-9, max_iter=10**6).fit(X, positive)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=2e-3)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=2e-3)


def test_input_is_not_written_to(documents):
    X, positive = sparse.csr_matrix(documents[0]), documents[1].copy()
    before = X.copy()
    StructuralSVM().fit(X, positive)
    assert (before != X).nnz == 0
    np.testing.assert_array_equal(positive, documents[1])


def test_weights_of_documents_are_refused(documents):
    with pytest.raises(TypeError, match="sample_weight"):
        StructuralSVM().fit(*documents, sample_weight=np.ones(60))


def test_three_classes_are_an_error_that_says_what_to_do(documents):
    with pytest.raises(ValueError, match=r"y has 3 classes\. Pass one column of 0 and 1 per class"):
        StructuralSVM().fit(documents[0], np.arange(60) % 3)


@pytest.mark.parametrize("wrong", [2, -1, 0.5])
def test_columns_of_other_numbers_are_an_error_that_says_where(documents, wrong):
    Y = np.zeros((60, 2))
    Y[5, 1] = wrong
    with pytest.raises(ValueError, match=r"y\[5, 1\] is"):
        StructuralSVM().fit(documents[0], Y)


def test_columns_of_text_are_an_error(documents):
    with pytest.raises(ValueError, match=r"holds only 0 and 1, but y\[0, 0\] is"):
        StructuralSVM().fit(documents[0], np.full((60, 2), "0"))


@pytest.mark.parametrize(
    "parameters", [{"C": 0}, {"C": np.nan}, {"C": "1"}, {"tol": 0.0}, {"max_iter": -1}]
)
def test_parameters_that_make_no_sense_are_an_error(documents, parameters):
    with pytest.raises(ValueError, match=f"{next(iter(parameters))} is .* positive number"):
        StructuralSVM(**parameters).fit(*documents)


def test_unknown_loss_is_an_error(documents):
    with pytest.raises(ValueError, match="loss 'kdl' is unknown; choose one of ae"):
        StructuralSVM("kdl").fit(*documents)


def test_own_loss_of_the_wrong_shape_is_an_error(documents):
    with pytest.raises(ValueError, match="it must return one value for each table"):
        StructuralSVM(lambda table: table.fn.sum()).fit(*documents)


def test_too_few_iterations_are_a_warning_that_says_what_to_change(documents):
    with pytest.warns(ConvergenceWarning, match="raise max_iter or tol, or lower C"):
        svm = StructuralSVM(C=100, tol=1e-6, max_iter=2).fit(*documents)
    assert not svm.solution_.converged
