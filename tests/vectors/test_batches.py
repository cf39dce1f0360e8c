"""Texts in any kind of column, and errors that name the row."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from quantext.vectors.batches import BATCH
from quantext.vectors.ltc import LtcVectorizer


def test_any_column_of_strings_will_do():
    texts = ["good battery", "", "bad screen, good price"]
    X = LtcVectorizer().fit_transform(texts).toarray()
    for column in (
        tuple(texts),
        iter(texts),
        np.array(texts, dtype=object),
        np.array(texts),
        pd.Series(texts),
        pd.Series(texts, dtype=object, index=[7, 8, 9]),
        pl.Series(texts),
        pa.array(texts),
        pa.chunked_array([texts[:1], texts[1:]]),
    ):
        assert np.array_equal(LtcVectorizer().fit_transform(column).toarray(), X)


@pytest.mark.parametrize("bad", [None, 3, 2.5, float("nan"), b"bytes", ["list"]])
@pytest.mark.parametrize("make", [list, pl.Series, pd.Series], ids=["list", "polars", "pandas"])
def test_a_text_that_is_no_string_is_an_error_that_names_its_row(bad, make):
    texts = ["word"] * (BATCH + 5)
    texts[BATCH + 2] = bad
    column = make(texts) if make is not pl.Series else pl.Series(texts, dtype=pl.Object)
    for call in (LtcVectorizer().fit, LtcVectorizer().fit(["word", ""]).transform):
        with pytest.raises(TypeError, match=f"text {BATCH + 2} .*not a string"):
            call(column)


def test_a_null_in_a_polars_column_is_an_error_that_names_its_row():
    with pytest.raises(TypeError, match=r"text 1 .*None"):
        LtcVectorizer().fit(pl.Series(["a word", None]))


def test_one_string_instead_of_a_column_is_an_error():
    with pytest.raises(TypeError, match="list or column of strings, not one str"):
        LtcVectorizer().fit("a single text")
