"""Labels that are missing."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from quantext import ClassifyAndCount, LinearSVM, TextQuantifier, load, save
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
    "days": np.array(["2024-01-01", "2024-01-02", "NaT"], dtype="datetime64[D]"),
    "lengths": np.array([1, 2, "NaT"], dtype="timedelta64[s]"),
    "NaT of NumPy": ["a", "b", np.datetime64("NaT")],
    "masked": np.ma.array([1, 2, 3], mask=[False, False, True]),
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


@pytest.mark.parametrize("take", [list, tuple, pl.Series, pd.Series], ids=lambda t: t.__name__)
def test_labels_that_differ_in_a_nul_at_the_end_are_two(take):
    labels = read_labels(take(["a", "a\0", "b", "a"]))
    assert labels.classes.tolist() == ["a", "a\0", "b"]
    assert labels.y.argmax(axis=1).tolist() == [0, 1, 2, 0]


def test_a_nul_at_the_end_of_a_label_comes_back_from_a_model_file(tmp_path):
    model = TextQuantifier(ClassifyAndCount(LinearSVM()))
    model.fit(["good", "bad"] * 4, ["a", "a\0"] * 4)
    save(model, tmp_path / "m.qx")
    assert load(tmp_path / "m.qx").classes_.tolist() == ["a", "a\0"]
