"""Training on a matrix that stays on disk."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.out_of_core import labels, pieces, run
from quantext.learners.linear import LinearSVM
from quantext.learners.structural import StructuralSVM
from quantext.vectors.disk import write_vectors


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    """The same 40,000 documents in memory and on disk, and labels."""
    positive = labels(40_000)
    mapped = write_vectors(pieces(positive), tmp_path_factory.mktemp("mapped") / "vectors")
    return mapped.copy(), mapped, positive


@pytest.mark.parametrize("model", [StructuralSVM(C=2.0), LinearSVM()])
def test_weights_are_those_of_the_matrix_in_memory_to_the_last_bit(documents, model):
    X, mapped, positive = documents
    coef, intercept = model.fit(X, positive).coef_, model.intercept_
    np.testing.assert_array_equal(model.fit(mapped, positive).coef_, coef)
    np.testing.assert_array_equal(model.intercept_, intercept)


def test_out_of_fold_scores_are_those_of_the_matrix_in_memory_to_the_last_bit(documents):
    X, mapped, positive = documents
    scores = LinearSVM().fold_scores(X, positive, folds=3, seed=0)
    np.testing.assert_array_equal(
        LinearSVM().fold_scores(mapped, positive, folds=3, seed=0), scores
    )


def test_an_array_may_be_mapped_as_well(documents, tmp_path):
    X, _, positive = documents
    dense = X[:, :40].toarray()
    np.save(tmp_path / "X.npy", dense)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    np.testing.assert_array_equal(
        StructuralSVM(C=2.0).fit(mapped, positive).coef_,
        StructuralSVM(C=2.0).fit(dense, positive).coef_,
    )


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_a_million_documents_are_trained_in_less_memory_than_their_vectors_take(tmp_path):
    vectors = write_vectors(pieces(labels(1_000_000)), tmp_path / "vectors")
    size = vectors.data.nbytes + vectors.indices.nbytes
    assert size == 1_000_000 * 75 * 8
    structural = run("StructuralSVM", str(tmp_path / "vectors"))
    assert structural["gap"] <= 1e-2
    assert structural["bytes"] < size
    linear = run("LinearSVM", str(tmp_path / "vectors"))
    assert linear["bytes"] < size / 2
