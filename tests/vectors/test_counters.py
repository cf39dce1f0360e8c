"""Counts that wait in files until the vocabulary is known."""

import os

import numpy as np
import pytest

from quantext.vectors.counters import spill, spilled
from quantext.vectors.terms import Counts

N_BATCHES = 7


def counts(seed):
    """Counts of up to four texts, as a batch may have no term, or no text at all."""
    rng = np.random.default_rng(seed)
    ends = np.cumsum(rng.integers(0, 5, rng.integers(0, 5)))
    n = int(ends[-1]) if len(ends) else 0
    terms, frequencies = rng.integers(0, 9, (2, n)).astype(np.int32)
    return Counts(terms, frequencies, ends.astype(np.int64))


@pytest.mark.parametrize("batches_a_file", [1, 3, 64])
def test_counts_come_back_from_files_as_they_were(tmp_path, batches_a_file):
    batches = [counts(seed) for seed in range(N_BATCHES)]
    n = spill(iter(batches), tmp_path, batches_a_file=batches_a_file)
    assert n == sum(len(batch.ends) for batch in batches)
    assert len(os.listdir(tmp_path)) == -(-N_BATCHES // batches_a_file)
    for ours, expected in zip(spilled(tmp_path), batches, strict=True):
        for name in ("terms", "frequencies", "ends"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(expected, name))
    assert os.listdir(tmp_path) == []


def test_a_file_is_deleted_as_soon_as_it_has_been_used(tmp_path):
    spill(map(counts, range(3)), tmp_path, batches_a_file=1)
    back = spilled(tmp_path)
    for left in (3, 2, 1):
        next(back)
        assert len(os.listdir(tmp_path)) == left
