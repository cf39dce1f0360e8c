"""Training on Dask arrays, on a cluster of two worker processes."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster
from scipy import sparse

from quantext.learners.dask_products import DaskProducts, hold, in_whole_blocks
from quantext.learners.losses import LOSSES
from quantext.learners.oracle import make_oracle
from quantext.learners.products import BLOCK, make_products
from quantext.learners.solver import minimise
from quantext.learners.structural import StructuralSVM
from tests.support.dask_documents import ARRAYS, CSR, DENSE, X, Y, assert_same, chunked, svm, y
from tests.support.places import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def client():
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    )
    with cluster, Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def in_memory():
    return svm().fit(X, y)


@pytest.fixture(scope="module")
def in_memory_dense():
    return svm().fit(DENSE, y)


@pytest.mark.parametrize(
    "name", ["one chunk", "chunks with odd ends", "columns apart", "unknown lengths"]
)
def test_workers_give_the_weights_of_the_matrix_in_memory(in_memory, name):
    assert_same(svm().fit(CSR[name], y), in_memory)


@pytest.mark.parametrize("name", ["chunks of one block", "by columns"])
def test_workers_give_the_weights_of_the_array_in_memory(in_memory_dense, name):
    assert_same(svm().fit(ARRAYS[name], y), in_memory_dense)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_workers_train_all_columns(n_jobs):
    labels = da.from_array(Y, chunks=9_000)
    together = StructuralSVM(C=0.1, n_jobs=n_jobs).fit(chunked(25_000), labels)
    np.testing.assert_array_equal(together.coef_, StructuralSVM(C=0.1).fit(X, Y).coef_)


def test_an_array_that_workers_hold_already_is_not_held_twice(client):
    persisted = chunked(BLOCK).persist()
    products = hold(in_whole_blocks(persisted))
    held = {key for keys in client.has_what().values() for key in keys if isinstance(key, tuple)}
    assert len(held) == len(products.chunks) == 4


def test_an_array_that_only_the_call_refers_to_is_held(in_memory):
    assert_same(svm().fit(chunked(BLOCK).persist(), y), in_memory)


def test_workers_forget_the_array_after_training(client):
    svm().fit(chunked(BLOCK), y)
    deadline = time.monotonic() + 20  # the scheduler hears of it a little later
    while any(client.has_what().values()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(client.has_what().values())


def test_wide_and_long_arrays_send_no_large_graphs():
    # The weights are 12 MB and the coefficients 13: above 10 MB Dask warns of a graph.
    n, d = 100 * BLOCK, 1_500_000
    one_each = sparse.csr_matrix(
        (np.ones(n, np.float32), np.arange(n, dtype=np.int32) % d, np.arange(n + 1)), (n, d)
    )
    rng = np.random.default_rng(0)
    w, v = rng.normal(size=d), rng.normal(size=n)
    length = 10 * BLOCK

    def make(start):
        places = np.arange(start, start + length, dtype=np.int32) % d
        return sparse.csr_matrix(
            (np.ones(length, np.float32), places, np.arange(length + 1)), (length, d)
        )

    parts = [dask.delayed(make)(start) for start in range(0, n, length)]
    products = DaskProducts(tuple(dask.persist(*parts)), (length,) * 10)
    np.testing.assert_array_equal(products.matvec(w), make_products(one_each).matvec(w))
    np.testing.assert_array_equal(products.rmatvec(v), make_products(one_each).rmatvec(v))


@pytest.mark.parametrize("bytes_of_graphs", [2**22, 100_000], ids=["one graph", "many graphs"])
def test_a_worker_killed_in_training_changes_nothing(in_memory, client, bytes_of_graphs):
    client.cluster.scale(2)  # not always does Dask replace one that was killed
    client.wait_for_workers(2, timeout=60)
    victim = next(iter(client.run(os.getpid).values()))
    calls = []

    class KillInTheThird(DaskProducts):
        def matvec(self, w):
            calls.append(1)
            if len(calls) == 3:
                # A moment later, so that the products are under way.
                threading.Timer(0.005, os.kill, (victim, signal.SIGKILL)).start()
            return super().matvec(w)

    held = hold(in_whole_blocks(chunked(7_001)))
    products = KillInTheThird(held.chunks, held.lengths, bytes_of_graphs)
    one = svm()
    oracle = make_oracle(products, y, LOSSES[one.loss])
    w, solution = minimise(oracle, one.C, tol=one.tol, max_iter=one.max_iter)
    np.testing.assert_array_equal(w, [*in_memory.coef_[0], *in_memory.intercept_])
    assert solution == in_memory.solution_
    assert len(calls) > 3
    assert victim not in client.run(os.getpid).values()


CLIENT = """
import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster
from scipy import sparse
from benchmarks.out_of_core import Memory, anonymous_memory
from quantext.learners.structural import StructuralSVM

ROWS, CHUNKS, NON_ZEROS, FEATURES = 16_384, 16, 150, 20_000

def make(seed):
    rng = np.random.default_rng(seed)
    indices = rng.integers(0, FEATURES, ROWS * NON_ZEROS, dtype=np.int32)
    values = np.full(ROWS * NON_ZEROS, 0.1, np.float32)
    ends = np.arange(0, ROWS * NON_ZEROS + 1, NON_ZEROS, dtype=np.int32)
    return sparse.csr_matrix((values, indices, ends), (ROWS, FEATURES))

def main():
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    with cluster, Client(cluster):
        chunks = [dask.delayed(make)(seed) for seed in range(CHUNKS)]
        shape = (ROWS, FEATURES)
        X = da.concatenate([da.from_delayed(chunk, shape, np.float32) for chunk in chunks])
        y = np.random.default_rng(0).random(ROWS * CHUNKS) < 0.05
        before = anonymous_memory()
        with Memory() as memory:
            StructuralSVM(C=0.05).fit(X, y)
        print(memory.peak - before, 8 * ROWS * CHUNKS * NON_ZEROS)

if __name__ == "__main__":
    main()
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_the_client_never_holds_the_array():
    command = [sys.executable, "-c", CLIENT]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    grown, size = map(int, done.stdout.split())
    assert grown < size / 3, f"{grown:,} bytes for an array of {size:,}"
