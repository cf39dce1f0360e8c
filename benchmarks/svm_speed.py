"""CPU time of StructuralSVM as a multiple of that of LinearSVC() on the same data, side by side.

Run with ``python -m benchmarks.svm_speed``. The first line needs the arXiv corpus; the others are
on generated documents. One thread; the kernels are compiled before the clock starts.
"""

import time
from functools import partial
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.svm import LinearSVC

from benchmarks.corpora import arxiv, folder_argument
from benchmarks.ratios import Ratio, in_turns
from quantext.learners.structural import StructuralSVM


def generated(n: int, non_zeros: int = 75, prevalence: float = 0.44, seed: int = 0):
    """Unit rows of text-like documents, and labels.

    Terms follow Zipf's law. Up to 30% of a document's draws, a share that varies evenly, are of its
    class: Zipf's law in an order of the 5,000 commonest terms that the class has for its own. Then
    5% of the labels are inverted.
    """
    rng = np.random.default_rng(seed)
    n_features, n_topical = 50_000, 5_000
    positive = rng.random(n) < prevalence
    weights = 1 / (np.arange(n_features) + 2.7)
    draws = (n, 4 * non_zeros)
    terms = _zipf(rng, weights, draws)
    order = np.stack([rng.permutation(n_topical) for _ in range(2)])
    topical = order[positive.astype(int)[:, np.newaxis], _zipf(rng, weights[:n_topical], draws)]
    terms = np.where(rng.random(draws) < 0.3 * rng.random((n, 1)), topical, terms)
    distinct = (np.unique(row) for row in terms)
    indices = np.array([np.sort(rng.choice(row, non_zeros, replace=False)) for row in distinct])
    data = np.log(n / np.bincount(indices.ravel(), minlength=n_features)[indices])
    data /= np.linalg.norm(data, axis=1, keepdims=True)
    ends = np.arange(0, n * non_zeros + 1, non_zeros, dtype=np.int32)
    X = sparse.csr_matrix(
        (data.ravel().astype(np.float32), indices.ravel().astype(np.int32), ends),
        shape=(n, n_features),
    )
    return X, positive ^ (rng.random(n) < 0.05)


def _zipf(rng, weights, shape):
    return np.searchsorted(np.cumsum(weights) / weights.sum(), rng.random(shape))


def own_loss(table):
    """F1 that counts misses twice: a loss that the library knows nothing of."""
    return 1 - 2 * table.tp / np.maximum(2 * table.tp + table.fp + 2 * table.fn, 1)


def cpu_seconds(model, X, y) -> float:
    start = time.process_time()
    model.fit(X, y)
    return time.process_time() - start


def ratios(folder: Path) -> list[Ratio]:
    """CPU time of one fit by some losses, on generated documents."""
    del folder
    X, y = generated(12_500)
    found = []
    for loss in ("kld", "f1", "q"):
        StructuralSVM(loss).fit(X[:200], y[:200])  # loads the kernels
        found += in_turns(
            f"StructuralSVM({loss!r}), {X.shape[0]:,} generated documents",
            partial(cpu_seconds, StructuralSVM(loss), X, y),
            {"LinearSVC": partial(cpu_seconds, LinearSVC(), X, y)},
            rounds=7,
        )
    return found


def ratio(models, problems) -> list[tuple[float, float]]:
    """Mean seconds of every model, and how many times those of LinearSVC, taken in turns."""
    seconds = np.array(
        [[cpu_seconds(model, X, y) for model in (LinearSVC(), *models)] for X, y in problems]
    ).mean(axis=0)
    return [(s, s / seconds[0]) for s in seconds[1:]]


def line(what: str, seconds: float, times: float) -> None:
    print(f"{what:62}{seconds:10.4f} s{times:9.3f}", flush=True)


def main() -> None:
    folder = folder_argument(__doc__)
    for loss in ("kld", "f1", "q"):
        StructuralSVM(loss).fit(*generated(200))
    print(f"{'':62}{'CPU time':>12}{'ratio':>9}")

    split = arxiv(folder)
    problems = [(split.X, column) for column in split.Y.T]
    [(seconds, times)] = ratio([StructuralSVM()], problems)
    line("arXiv, 12,500 documents, mean of 155 classes, KLD, defaults", seconds, times)

    at_24 = {}
    for n in (50_000, 100_000):
        cheap, dear = StructuralSVM(C=0.1, tol=1e-3), StructuralSVM(C=24.0, tol=1e-2)
        results = ratio([cheap, dear], [generated(n)])
        line(f"{n:,} documents, 44% positive, KLD, C=0.1, tol=1e-3", *results[0])
        line(f"{n:,} documents, 44% positive, KLD, C=24, tol=1e-2", *results[1])
        at_24[n] = results[1][0]
    growth = at_24[100_000] / at_24[50_000]
    print(f"from 50,000 to 100,000 documents at C=24: {growth:.2f} times the CPU time", flush=True)

    problems = [generated(12_807, non_zeros=99)]
    for C in (0.0078, 0.78):
        for loss in ("f1", "q", own_loss):
            name = loss if isinstance(loss, str) else "a callable"
            [result] = ratio([StructuralSVM(loss, C=C, tol=1e-2)], problems)
            line(f"12,807 documents, 44% positive, {name}, C={C}, tol=1e-2", *result)


if __name__ == "__main__":
    main()
