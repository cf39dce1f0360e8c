"""What is fetched ahead changes nothing, and is never beyond the end."""

import numpy as np

from quantext.kernels import kernel
from quantext.learners.ahead import NEXT, fetch, fetch_rows

STARTS = np.array([0, 40, 40, 41, 90])
VALUES, FEATURES = np.zeros(90, np.float32), np.zeros(90, np.int32)


@kernel
def fetch_all(order, starts, values, features):
    found = np.empty(len(order), np.int64)
    for r in range(len(order)):
        found[r] = fetch_rows(order, r, len(order), starts, values, features)
        fetch(values, starts[order[r]])
    return found


def test_the_document_fetched_is_some_places_ahead_or_none():
    order = np.random.default_rng(0).integers(0, 4, 5 * NEXT)
    expected = [*order[NEXT:], *[-1] * NEXT]
    for run in (fetch_all, fetch_all.py_func):
        assert run(order, STARTS, VALUES, FEATURES).tolist() == expected
    assert not VALUES.any()


def test_fewer_documents_than_are_looked_ahead_are_none():
    assert fetch_all(np.arange(4), STARTS, VALUES, FEATURES).tolist() == [-1] * 4
