"""Labels that are missing."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from quantext import ClassifyAndCount, LinearSVM, TextQuantifier
from quantext.learners.folds import indicator_columns
from quantext.scores.labels import read_labels

MISSING = {
    "None": ["a", "b", None],
    "nan": ["a", "b", float("nan")],
    "numpy": np.array([1.0, 2.0, np.nan]),
    "NA": pd.Series(["a", "b", pd.NA]),
    "string": pd.Series(["a", "b", None], dtype="string"),
    "category": pd.Series(["a", "b", None], dtype="category"),
    "NaT": [1, 2, pd.NaT],
    "polars": pl.Series(["a", "b", None]),
}


def test_a_malformed_sparse_matrix_holds_no_labels():
    y = sparse.csr_array(np.eye(3, dtype=int))
    y.indices[2] = 3  # NumPy would be given what is behind the array
    for take in (read_labels, indicator_columns):
        with pytest.raises(ValueError, match="the sparse matrix is malformed: entry 2 of its"):
            take(y)


@pytest.mark.parametrize("y", MISSING.values(), ids=MISSING)
def test_a_document_without_a_label_is_named(y):
    with pytest.raises(ValueError, match=r"^y\[2\] is .*: that document has no label"):
        read_labels(y)


def test_a_cell_without_a_label_is_named():
    with pytest.raises(ValueError, match=r"^y\[1, 0\] is None"):
        read_labels(pl.DataFrame({"a": [1, None], "b": [0, 1]}))


@pytest.mark.parametrize("y", MISSING.values(), ids=MISSING)
def test_models_refuse_it_before_they_read_a_text(y):
    def texts():
        raise AssertionError("a text was read")
        yield

    model = TextQuantifier(ClassifyAndCount(LinearSVM()))
    with pytest.raises(ValueError, match=r"y\[2\]"):
        model.fit(texts(), y)
    with pytest.raises(ValueError, match=r"y\[2\]"):
        ClassifyAndCount(LinearSVM()).fit(np.eye(3), y)
