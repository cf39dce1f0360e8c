"""What is fetched ahead changes nothing, and is never beyond the end."""

import numpy as np

from quantext.kernels import kernel
from quantext.learners.ahead import NEXT, fetch, fetch_rows

RECORDS = np.zeros(4, [("start", "i8"), ("length", "i4")])
RECORDS["start"], RECORDS["length"] = [0, 40, 40, 41], [40, 0, 1, 49]
VALUES, FEATURES = np.zeros(90, np.float32), np.zeros(90, np.int32)


@kernel
def fetch_all(order, records, values, features):
    found = np.empty(len(order), np.int64)
    for r in range(len(order)):
        found[r] = fetch_rows(order, r, len(order), records, values, features)
        fetch(values, records[order[r]].start)
    return found


def test_the_document_fetched_is_some_places_ahead_or_none():
    order = np.random.default_rng(0).integers(0, 4, 5 * NEXT)
    expected = [*order[NEXT:], *[-1] * NEXT]
    for run, records in (fetch_all, RECORDS), (fetch_all.py_func, RECORDS.view(np.recarray)):
        assert run(order, records, VALUES, FEATURES).tolist() == expected
    assert not VALUES.any()


def test_fewer_documents_than_are_looked_ahead_are_none():
    assert fetch_all(np.arange(4), RECORDS, VALUES, FEATURES).tolist() == [-1] * 4
