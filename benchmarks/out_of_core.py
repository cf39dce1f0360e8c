"""Training on a matrix that stays on disk: CPU time, and memory other than that of mapped files.

Run with ``python -m benchmarks.out_of_core``; numbers of documents may follow (250,000 and 1
million unless told). Documents are generated straight to disk, in a temporary folder: 75 of 100,000
features each, 3% of them positive. Every model is trained in a process of its own, with defaults;
on Dask there are two workers besides, which hold the matrix in memory.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster
from scipy import sparse

from quantext.learners.linear import LinearSVM
from quantext.learners.structural import StructuralSVM
from quantext.vectors.disk import open_vectors, write_vectors

FEATURES, NON_ZEROS = 100_000, 75
ROWS = 16_384  # generated at a time
ROOT = Path(__file__).parents[1]


def labels(n: int, seed: int = 0):
    """3% positive."""
    return np.random.default_rng([seed, n]).random(n) < 0.03


def pieces(positive, seed: int = 0) -> Iterator[sparse.csr_matrix]:
    """Unit rows of text-like documents, some at a time.

    The features are cut into as many ranges as a document has non-zeros, each wider than the one
    before, and it has one feature of each: the first are common, most are rare, as in Zipf's law.
    Positive documents draw some of their features, a share that varies, from the lower tenth of the
    range.
    """
    rng = np.random.default_rng(seed)
    edges = np.geomspace(1, FEATURES - NON_ZEROS, NON_ZEROS + 1).astype(int) - 1
    edges += np.arange(NON_ZEROS + 1)  # no range is empty
    width = np.diff(edges)
    value = np.log(width + 1.0)
    value = (value / np.linalg.norm(value)).astype(np.float32)
    for start in range(0, len(positive), ROWS):
        n = len(positive[start : start + ROWS])
        place = rng.random((n, NON_ZEROS), dtype=np.float32)
        share = 0.5 * rng.random((n, 1)) * positive[start : start + n, np.newaxis]
        place[rng.random((n, NON_ZEROS), dtype=np.float32) < share] *= 0.1
        indices = (edges[:-1] + place * width).astype(np.int32)
        ends = np.arange(0, n * NON_ZEROS + 1, NON_ZEROS, dtype=np.int32)
        yield sparse.csr_matrix((np.tile(value, n), indices.ravel(), ends), shape=(n, FEATURES))


class Memory:
    """The most memory that this process has had, apart from mapped files, while in the block."""

    def __enter__(self):
        self.peak, self._done = 0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()

    def _watch(self):
        while True:
            self.peak = max(self.peak, anonymous_memory())
            if self._done.wait(0.02):
                return


def anonymous_memory() -> int:
    """Bytes of this process that no file stands behind."""
    lines = Path("/proc/self/status").read_text().splitlines()
    [kilobytes] = [int(line.split()[1]) for line in lines if line.startswith("RssAnon")]
    return 1024 * kilobytes


def rows(folder: str, start: int, stop: int) -> sparse.csr_matrix:
    """Some rows of the matrix in a folder."""
    return open_vectors(folder)[start:stop]


def train_mapped(model, folder: str) -> dict[str, float]:
    """Facts of one training on the matrix in a folder, where it is."""
    first = next(pieces(labels(ROWS)))
    model.fit(first, labels(ROWS))  # compiles
    X = open_vectors(folder)
    return train(model, X, labels(X.shape[0]))


def train_on_dask(folder: str) -> dict[str, float]:
    """Facts of one training on two worker processes that hold half of the matrix each."""
    n, length = open_vectors(folder).shape[0], 8 * ROWS
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        borders = [*range(0, n, length), n]
        X = da.concatenate(
            [
                da.from_delayed(
                    dask.delayed(rows)(folder, start, stop), (stop - start, FEATURES), np.float32
                )
                for start, stop in pairwise(borders)
            ]
        ).persist()
        StructuralSVM(C=1e-6).fit(X, labels(n))  # loads and compiles
        return train(StructuralSVM(), X, labels(n))


def train(model, X, y) -> dict[str, float]:
    """Facts of one training."""
    cpu, wall = time.process_time(), time.perf_counter()
    with Memory() as memory:
        model.fit(X, y)
    facts = {
        "cpu": time.process_time() - cpu,
        "wall": time.perf_counter() - wall,
        "bytes": memory.peak,
        "n_iter": model.n_iter_,
    }
    if isinstance(model, StructuralSVM):
        facts["gap"] = model.solution_.gap / model.solution_.primal
    return facts


TRAININGS = {
    "StructuralSVM": partial(train_mapped, StructuralSVM()),
    "LinearSVM": partial(train_mapped, LinearSVM()),
    "StructuralSVM on Dask, the client": train_on_dask,
}


def run(name: str, folder: str) -> dict[str, float]:
    """Facts of one training, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.out_of_core", "--train", name, folder]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT)
    facts: dict[str, float] = json.loads(done.stdout)
    return facts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", nargs="*", type=int, default=[250_000, 1_000_000])
    parser.add_argument("--train", nargs=2, metavar=("MODEL", "FOLDER"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.train:
        name, folder = arguments.train
        print(json.dumps(TRAININGS[name](folder)))
        return
    print(f"{'':40}{'CPU time':>10}{'time':>10}{'memory':>12}{'iterations':>12}{'gap':>9}")
    for n in arguments.documents:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place, "vectors")
            write_vectors(pieces(labels(n)), folder)
            size = sum(file.stat().st_size for file in folder.iterdir())
            print(f"{n:,} documents, {size / 1e6:,.0f} MB on disk")
            for name in TRAININGS:
                facts = run(name, str(folder))
                print(
                    f"  {name:38}{facts['cpu']:8.1f} s{facts['wall']:8.1f} s"
                    f"{facts['bytes'] / 1e6:9,.0f} MB{facts['n_iter']:12}"
                    f"{facts.get('gap', float('nan')):9.4f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
