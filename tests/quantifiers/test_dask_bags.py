"""Quantifiers on Dask arrays: as in memory, and nothing but summaries comes back."""

import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import quantext as qx


@pytest.fixture
def documents(rng):
    X = sparse.random(900, 40, density=0.2, format="csr", dtype=np.float32, rng=rng)
    w = rng.normal(size=40)
    y = np.digitize(X @ w, np.quantile(X @ w, [0.5, 0.8]))
    return X, y


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def chunked(X, rows):
    """The matrix as a Dask array of CSR chunks."""
    return da.from_array(X.toarray(), chunks=(rows, -1)).map_blocks(sparse.csr_matrix)


@pytest.mark.parametrize("name", ["CC", "PACC", "MS", "EMQ", "Training prevalence", "SVM(KLD)"])
def test_a_bag_in_a_dask_array_has_the_prevalence_that_it_has_in_memory(documents, name):
    X, y = documents
    quantifier = qx.method(name).fit(X, y)
    assert quantifier.summarise(chunked(X, 200)) == quantifier.summarise(X)
    assert quantifier.predict(chunked(X, 200)).tolist() == quantifier.predict(X).tolist()


def test_chunks_may_be_empty_or_of_unknown_length(documents):
    X, y = documents
    quantifier = qx.method("CC").fit(X, y)
    bag = chunked(X, 300)
    some = bag[da.from_array(y, chunks=300) == 2]  # lengths are not known
    assert quantifier.predict(some).tolist() == quantifier.predict(X[y == 2]).tolist()
    first = bag[da.arange(900, chunks=300) < 300]  # two chunks are empty
    assert quantifier.predict(first).tolist() == quantifier.predict(X[:300]).tolist()


def test_an_empty_dask_array_is_an_empty_bag(documents):
    X, y = documents
    quantifier = qx.method("CC").fit(X, y)
    with pytest.raises(ValueError, match="the bag is empty"):
        quantifier.predict(chunked(X, 300)[:0])


def test_other_collections_of_dask_are_refused_with_what_to_pass(documents):
    X, y = documents
    quantifier = qx.method("CC").fit(X, y)
    for bag in (
        dd.from_pandas(pd.DataFrame(X.toarray()), npartitions=2),
        db.from_sequence(["one text", "another"]),
    ):
        with pytest.raises(TypeError, match=rf"X is a {type(bag).__name__} of Dask; pass a dask"):
            quantifier.predict(bag)
    with pytest.raises(ValueError, match="Expected 2D array, got 3D array"):
        quantifier.predict(da.zeros((5, 40, 2)))


def test_svm_kld_learns_from_a_dask_array_what_it_learns_in_memory(documents):
    X, y = documents
    ours = qx.method("SVM(KLD)").fit(chunked(X, 250), y)
    theirs = qx.method("SVM(KLD)").fit(X, y)
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()
