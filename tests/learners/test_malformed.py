"""A malformed sparse matrix is an error at every door of the learners."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from quantext.learners.forest import QuantificationForest
from quantext.learners.linear import LinearSVM
from quantext.learners.neighbours import WeightedNeighbours
from quantext.learners.structural import StructuralSVM

DENSE = np.random.default_rng(0).exponential(size=(12, 3))
Y = np.arange(12) % 2


def malformed(make, dense=DENSE):
    """A matrix with a place outside it."""
    X = make(dense)
    (X.coords[1] if X.format == "coo" else X.indices)[-1] = 12
    return X


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
@pytest.mark.parametrize(
    "learner",
    [LinearSVM(), StructuralSVM(), QuantificationForest(n_trees=2), WeightedNeighbours()],
    ids=lambda learner: type(learner).__name__,
)
def test_no_learner_takes_a_malformed_matrix(learner, make):
    fitted = clone(learner).fit(DENSE, Y)
    doors = ("predict", "decision_function", "predict_proba")
    calls = [getattr(fitted, door) for door in doors if hasattr(fitted, door)]
    calls += [lambda X: clone(learner).fit(X, Y)]
    if hasattr(learner, "fold_scores"):
        calls += [lambda X: clone(learner).fold_scores(X, Y, 2, 0)]
    for call in calls:
        with pytest.raises(ValueError, match="the sparse matrix is malformed: entry"):
            call(malformed(make))


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
@pytest.mark.parametrize("learner", [LinearSVM(), StructuralSVM()], ids=repr)
def test_no_learner_takes_malformed_labels(learner, make):
    labels = malformed(make, np.eye(12, 3))
    with pytest.raises(ValueError, match="the sparse matrix is malformed: entry"):
        clone(learner).fit(DENSE, labels)


def test_labels_of_documents_in_chunks_may_not_be_malformed_either():
    da = pytest.importorskip("dask.array")
    X = da.from_array(DENSE, chunks=(6, 3))
    with pytest.raises(ValueError, match="the sparse matrix is malformed: entry"):
        StructuralSVM().fit(X, malformed(sparse.csr_matrix, np.eye(12, 3)))


def test_a_malformed_chunk_is_an_error_wherever_it_is():
    da = pytest.importorskip("dask.array")
    X = da.from_array(DENSE, chunks=(6, 3)).map_blocks(
        lambda chunk, block_info=None: (
            malformed_chunk(chunk) if block_info[0]["chunk-location"][0] else csr(chunk)
        ),
        dtype=np.float64,
        meta=sparse.csr_matrix((0, 0)),
    )
    with pytest.raises(ValueError, match="the sparse matrix is malformed: entry 17 of its indices"):
        StructuralSVM().fit(X, Y)
    fitted = StructuralSVM().fit(DENSE, Y)
    with pytest.raises(ValueError, match="the sparse matrix is malformed"):
        fitted.decision_function(X).compute()


def csr(chunk):
    return sparse.csr_matrix(chunk)


def malformed_chunk(chunk):
    X = csr(chunk)
    X.indices[-1] = 3
    return X
