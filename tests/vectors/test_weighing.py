"""Rows of weights, against a plain reference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantext.vectors.terms import Counts
from quantext.vectors.weighing import FEW, LOG_TF, Features, n_weights, rows


def reference(counts, column_of, idf):
    """Rows as dicts in order of columns, in plain Python."""
    found, start = [], 0
    for end in counts.ends:
        weights = {}
        for term, tf in zip(counts.terms[start:end], counts.frequencies[start:end], strict=True):
            column = column_of[term]
            if column >= 0 and idf[column] > 0:
                weights[int(column)] = (1 + np.log(tf)) * idf[column]
        length = np.sqrt(sum(w * w for w in weights.values()))
        found.append({c: weights[c] / length for c in sorted(weights)})
        start = end
    return found


def assert_rows(counts, column_of, idf):
    features = Features.of(column_of, idf)
    weights, columns, ends = rows(counts, features)
    assert len(weights) == len(columns) == n_weights(counts, features)
    begin = 0
    for end, expected in zip(ends, reference(counts, column_of, idf), strict=True):
        assert columns[begin:end].tolist() == list(expected)
        assert weights[begin:end] == pytest.approx(list(expected.values()), rel=1e-6)
        begin = end
    assert begin == len(weights)


@given(st.integers(0, 10_000))
def test_rows_are_sorted_and_of_unit_length_as_the_reference_has_them(seed):
    rng = np.random.default_rng(seed)
    n_terms = int(rng.integers(1, 400))
    column_of = rng.permutation(n_terms).astype(np.int32)
    column_of[rng.random(n_terms) < 0.2] = -1
    idf = np.where(rng.random(n_terms) < 0.1, 0.0, rng.random(n_terms) + 0.1)
    sizes = rng.integers(0, min(n_terms, 3 * int(FEW)) + 1, rng.integers(0, 6))
    terms = [rng.choice(n_terms, size, replace=False) for size in sizes]
    counts = Counts(
        np.concatenate([[], *terms]).astype(np.int32),
        rng.integers(1, 2 * len(LOG_TF), sizes.sum()).astype(np.int32),
        np.cumsum(sizes).astype(np.int64),
    )
    assert_rows(counts, column_of, idf)


@pytest.mark.parametrize("n_columns", [1, 2, 63, 64, 65, 4096, 4097, 300_000])
def test_columns_of_any_number_of_digits_are_sorted(n_columns):
    n = min(n_columns, 200)
    columns = np.unique(np.linspace(0, n_columns - 1, n).astype(np.int32))
    column_of = np.random.default_rng(0).permutation(columns)
    counts = Counts(
        np.arange(len(column_of), dtype=np.int32),
        np.ones(len(column_of), np.int32),
        np.array([len(column_of)]),
    )
    assert_rows(counts, column_of, np.ones(n_columns))
