"""Training on Dask arrays, with the scheduler of Dask that has one thread."""

import subprocess
import sys
from dataclasses import replace

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from quantext.learners import normals
from quantext.learners.dask_products import hold, in_whole_blocks
from quantext.learners.linear import LinearSVM
from quantext.learners.products import BLOCK, make_products
from quantext.learners.structural import StructuralSVM
from tests.support.dask_documents import (
    ARRAYS,
    CSR,
    DENSE,
    D,
    N,
    X,
    Y,
    assert_same,
    chunked,
    of_unknown_length,
    svm,
    y,
)


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(scope="module")
def in_memory():
    return svm().fit(X, y)


@pytest.fixture(scope="module")
def in_memory_dense():
    return svm().fit(DENSE, y)


@pytest.mark.parametrize("name", CSR)
def test_weights_are_those_of_the_matrix_in_memory_to_the_last_bit(in_memory, name):
    model = svm().fit(CSR[name], y)
    assert_same(model, in_memory)
    assert model.n_features_in_ == D


@pytest.mark.parametrize("name", ARRAYS)
def test_weights_are_those_of_the_array_in_memory_to_the_last_bit(in_memory_dense, name):
    assert_same(svm().fit(ARRAYS[name], y), in_memory_dense)


@pytest.mark.parametrize("most_bytes", [2**22, 1_000], ids=["one graph", "many graphs"])
@pytest.mark.parametrize("name", CSR)
def test_rows_are_those_of_the_matrix_in_memory(name, most_bytes):
    places = np.random.default_rng(0).permutation(N)[:5_000]
    products = replace(hold(in_whole_blocks(CSR[name])), most_bytes=most_bytes)
    rows = products.rows(places)
    assert rows.format == "csr"
    assert abs(rows - X[places]).nnz == 0


@pytest.mark.parametrize("name", ARRAYS)
def test_the_largest_value_is_that_of_the_array_in_memory(name):
    assert hold(in_whole_blocks(ARRAYS[name])).largest() == abs(ARRAYS[name]).max().compute()


def test_no_row_of_a_chunk_may_be_asked_for():
    places = np.arange(1_000)  # all of the first chunk, and more bytes than go in one graph
    products = replace(hold(in_whole_blocks(chunked(BLOCK))), most_bytes=1_000)
    assert abs(products.rows(places) - X[places]).nnz == 0


def test_weights_are_the_same_where_means_of_labellings_are_sought(monkeypatch):
    sought = []
    better_mean = normals.better_mean

    def recorded(*arguments):
        sought.append(better_mean(*arguments))
        return sought[-1]

    monkeypatch.setattr(normals, "better_mean", recorded)
    assert_same(StructuralSVM(C=8.0).fit(CSR["unknown lengths"], y), StructuralSVM(C=8.0).fit(X, y))
    assert any(mean is not None for mean in sought)


def test_whole_numbers_are_taken_as_they_are():
    counts = sparse.csr_matrix((DENSE * 5).astype(np.int64))
    chunks = da.from_array(counts, chunks=(BLOCK, 30), asarray=False)
    assert_same(StructuralSVM(C=0.001).fit(chunks, y), StructuralSVM(C=0.001).fit(counts, y))


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        pytest.param(da.from_array(y, chunks=1_000), [False, True], id="array"),
        pytest.param(dd.from_pandas(pd.Series(y), npartitions=3), [False, True], id="series"),
        pytest.param(np.where(y, "yes", "no").tolist(), ["no", "yes"], id="list"),
    ],
)
def test_labels_may_be_anywhere_and_of_any_type(in_memory, labels, classes):
    model = svm().fit(chunked(25_000), labels)
    assert_same(model, in_memory)
    assert model.classes_.tolist() == classes


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_columns_are_the_models_of_their_labels(n_jobs):
    together = StructuralSVM(C=0.1, n_jobs=n_jobs).fit(
        chunked(25_000), da.from_array(Y, chunks=9_000)
    )
    alone = StructuralSVM(C=0.1).fit(X, Y)
    np.testing.assert_array_equal(together.coef_, alone.coef_)
    assert together.solution_ == alone.solution_


def test_names_of_columns_are_kept():
    frame = dd.from_pandas(pd.DataFrame(Y[:, :2], columns=["a", "b"]), npartitions=2)
    assert StructuralSVM(C=0.01).fit(chunked(N), frame).classes_.tolist() == ["a", "b"]


def test_long_vectors_travel_in_several_graphs():
    rng = np.random.default_rng(0)
    w, v = rng.normal(size=D), rng.normal(size=N)
    # w has 3,200 bytes, v 480,000.
    products = replace(hold(in_whole_blocks(chunked(BLOCK))), most_bytes=1_000)
    np.testing.assert_array_equal(products.matvec(w), make_products(X).matvec(w))
    np.testing.assert_array_equal(products.rmatvec(v), make_products(X).rmatvec(v))


@pytest.mark.parametrize("rows", [100, 5_000, 2 * BLOCK, 30_000])
def test_chunks_end_where_blocks_end_and_stay_about_as_large(rows):
    chunks = in_whole_blocks(chunked(rows)).chunks[0]
    assert sum(chunks) == N
    assert all(length % BLOCK == 0 for length in chunks[:-1])
    assert max(chunks) <= max(rows + BLOCK, 2 * BLOCK)


def test_the_array_of_the_caller_stays_as_it_is():
    unknown = of_unknown_length()
    in_whole_blocks(unknown)
    assert np.isnan(unknown.shape[0])


@pytest.mark.parametrize("labels", [y, Y], ids=["one", "many"])
@pytest.mark.parametrize("method", ["decision_function", "predict"])
@pytest.mark.parametrize("learner", [StructuralSVM(C=0.01), LinearSVM(C=0.01)])
def test_scores_and_classes_are_lazy_and_those_in_memory(learner, method, labels):
    model = learner.fit(X[:2_000], labels[:2_000])
    made = []

    def make(start):
        made.append(start)
        return X[start : start + 1_000]

    parts = [dask.delayed(make)(start) for start in (0, 1_000)]
    rows = da.concatenate([da.from_delayed(part, (1_000, D), X.dtype) for part in parts])
    result = getattr(model, method)(rows)
    assert not made
    expected = getattr(model, method)(X[:2_000])
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result.compute(), expected)


@pytest.mark.parametrize("name", ["unknown lengths", "columns apart"])
def test_scores_of_any_chunks_are_those_in_memory(in_memory, name):
    scores = in_memory.decision_function(CSR[name]).compute()
    np.testing.assert_array_equal(scores, in_memory.decision_function(X))


def test_a_chunk_without_rows_has_no_scores(in_memory):
    empty = da.from_array(X[:0], chunks=(0, D), asarray=False)
    assert in_memory.decision_function(empty).compute().shape == (0,)
    some = da.concatenate([empty, da.from_array(X[:5], chunks=(5, D), asarray=False)])
    np.testing.assert_array_equal(in_memory.predict(some).compute(), in_memory.predict(X[:5]))


def test_scores_are_of_the_model_as_it_was_when_they_were_asked_for():
    model = StructuralSVM(C=0.01).fit(X[:1_000], y[:1_000])
    expected = model.decision_function(X[:100])
    scores = model.decision_function(da.from_array(X[:100], chunks=(50, D), asarray=False))
    model.fit(X[:1_000], ~y[:1_000])
    np.testing.assert_array_equal(scores.compute(), expected)


def delayed_chunk(chunk, shape, dtype=np.float32):
    return da.from_delayed(dask.delayed(chunk), shape, dtype)


def spoilt(value):
    """A hundred documents, one of them with such a value."""
    rows = DENSE[:100].copy()
    rows[70, 3] = value
    return rows


def zeros(rows):
    return delayed_chunk(sparse.csr_matrix((rows, 30), dtype=np.float32), (rows, 30))


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (da.zeros((100,)), r"Expected 2D array, got 1D array"),
        (da.zeros((0, 3)), r"X has shape \(0, 3\); training needs a document"),
        (delayed_chunk(X[:100].tocsc(), (100, D)), r"from row 0 on is a csc_matrix.*map_blocks"),
        (delayed_chunk(X[:99], (100, D)), r"has shape \(99, 400\).*should be \(100, 400\)"),
        (delayed_chunk(X[:100, 1:], (100, D)), r"has shape \(100, 399\).*should be \(100, 400\)"),
        (da.from_array(DENSE[:100].astype(str)), r"holds <U\d+; it must hold numbers"),
        (da.from_array(DENSE[:100].astype(complex)), r"holds complex128; it must hold numbers"),
        (da.from_array(DENSE[:100].astype(np.float16)), r"holds float16; it must hold numbers"),
        (
            da.concatenate(
                [zeros(2 * BLOCK), delayed_chunk(sparse.csr_matrix(spoilt(np.nan)), (100, 30))]
            ),
            r"contains NaN; the first row that is not finite is 32838",
        ),
        (da.from_array(spoilt(np.inf)), r"contains infinity.* not finite is 70"),
    ],
)
def test_what_is_wrong_with_an_array_is_said(array, message):
    labels = np.arange(array.shape[0]) % 3 == 0
    with pytest.raises(ValueError, match=message):
        StructuralSVM().fit(array, labels)


def test_a_data_frame_is_refused_with_what_to_do():
    frame = dd.from_pandas(pd.DataFrame(DENSE[:50]), npartitions=2)
    with pytest.raises(TypeError, match=r"DataFrame of Dask; pass a dask\.array .* to_dask_array"):
        StructuralSVM().fit(frame, y[:50])
    with pytest.raises(TypeError, match=r"DataFrame of Dask; pass a dask\.array .* to_dask_array"):
        StructuralSVM().fit(DENSE[:50], y[:50]).predict(frame)


def test_labels_of_another_number_are_an_error():
    with pytest.raises(ValueError, match="X has 60000 documents, but y has labels for 59999"):
        StructuralSVM().fit(chunked(N), y[1:])


def test_no_labels_are_an_error():
    with pytest.raises(ValueError, match="y is None"):
        StructuralSVM().fit(chunked(N), None)


def test_another_number_of_features_is_an_error(in_memory):
    with pytest.raises(ValueError, match="expecting 400 features"):
        in_memory.predict(chunked(N)[:, 1:])


@pytest.mark.parametrize(
    "train", [LinearSVM().fit, lambda X, y: LinearSVM().fold_scores(X, y, 5, 0)]
)
def test_linear_svm_refuses_a_dask_array_with_what_to_do(train):
    with pytest.raises(TypeError, match=r"mapped from a file.*distributed\.score_training"):
        train(chunked(N), y)


@pytest.mark.slow
def test_dask_is_not_imported_for_other_arrays():
    code = """
import sys
import numpy as np
from quantext.learners.structural import StructuralSVM
StructuralSVM().fit(np.eye(4), [0, 0, 0, 1]).predict(np.eye(4))
assert not any(name.partition(".")[0] == "dask" for name in sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
