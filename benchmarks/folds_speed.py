"""Fifty folds and the full fit in one pass, against 51 fits of scikit-learn's LinearSVC.

CPU time, one thread, the same folds, interleaved rounds. LinearSVC is timed on a few folds, in the
type that it likes best, and the mean multiplied by 51. The largest difference of out-of-fold scores
is over those folds, against LinearSVC at tol=1e-6. Two threads: wall time, all columns.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.svm import LinearSVC

from benchmarks.corpora import DEFAULT_FOLDER, arxiv
from benchmarks.ratios import Ratio, cpu_seconds, in_turns
from quantext.learners.folds import stratified_folds
from quantext.learners.linear import LinearSVM

FOLDS, TIMED, ROUNDS = 50, 5, 5


def generated(n=12_807, d=53_204, length=95, seed=0):
    """Unit ltc rows over words with Zipf's frequencies; a label adds words of its own topic."""
    rng = np.random.default_rng(seed)
    Y = rng.random((n, 4)) < [0.003, 0.03, 0.12, 0.44]
    lengths = np.maximum(10, rng.lognormal(np.log(length), 0.5, n)).astype(int)
    documents = np.repeat(np.arange(n, dtype=np.int32), lengths)
    frequency = np.cumsum(1 / np.arange(5, d + 5))
    words = np.searchsorted(frequency, rng.random(lengths.sum()) * frequency[-1]).astype(np.int32)
    for y in Y.T:
        topic = rng.choice(5000, 300, replace=False)
        on_topic = y[documents] & (rng.random(len(documents)) < 0.08)
        words[on_topic] = topic[(300 * rng.random(on_topic.sum()) ** 2).astype(int)]
    X = sparse.coo_array((np.ones(len(words)), (documents, words)), shape=(n, d)).tocsr()
    idf = np.log(n / np.maximum(np.bincount(X.indices, minlength=d), 1))
    X.data = (1 + np.log(X.data)) * idf[X.indices]
    lengths = np.sqrt((X * X).sum(axis=1))
    X.data /= np.repeat(lengths, np.diff(X.indptr))
    return X.astype(np.float32), Y


def seconds(clock, work, *arguments):
    start = clock()
    work(*arguments)
    return clock() - start


def ratios(folder: Path) -> list[Ratio]:
    """CPU time of all folds and the full fit; the peer's is that of a few fits, for 51."""
    del folder
    X, Y = generated()
    LinearSVM().fold_scores(X[:200], Y[:200, 3], 2, seed=0)  # loads the kernels
    double, found = X.astype(np.float64), []
    for y in Y.T[1::2]:
        kept = [stratified_folds(y, FOLDS, seed=0) != fold for fold in range(2)]
        parts = [(double[rows], y[rows]) for rows in kept]

        def theirs(parts=parts):
            fits = cpu_seconds(lambda: [LinearSVC().fit(*part) for part in parts])
            return (FOLDS + 1) / len(parts) * fits

        found += in_turns(
            f"50 folds and the fit, {len(y):,} generated, {y.mean():.0%} positive",
            lambda y=y: cpu_seconds(lambda: LinearSVM().fold_scores(X, y, FOLDS, seed=0)),
            {"LinearSVC, 51 fits": theirs},
            rounds=5,
        )
    return found


def compare(X, y):
    fold_of = stratified_folds(y, FOLDS, seed=0)
    double = X.astype(np.float64)
    parts = [
        (fold_of == fold, double[fold_of != fold], y[fold_of != fold]) for fold in range(TIMED)
    ]
    cpu, ours, theirs = time.process_time, [], []
    for _ in range(ROUNDS):
        ours.append(seconds(cpu, LinearSVM().fold_scores, X, y, FOLDS, 0))
        fits = [seconds(cpu, LinearSVC().fit, *part) for _, *part in parts]
        theirs.append((FOLDS + 1) * np.mean(fits))
    scores = LinearSVM().fold_scores(X, y, FOLDS, seed=0)
    exact = [
        LinearSVC(tol=1e-6, max_iter=100_000).fit(X, y).decision_function(double[held_out])
        for held_out, X, y in parts
    ]
    difference = max(
        np.abs(scores[held_out] - s).max() for (held_out, _, _), s in zip(parts, exact, strict=True)
    )
    return np.median(ours), np.median(theirs), difference


def report(name, X, Y):
    print(f"{name}: {X.shape[0]:,} × {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} non-zeros a row")
    print(f"{'prevalence':>12}{'one pass, s':>14}{'51 fits, s':>14}{'ratio':>8}{'difference':>13}")
    for y in Y.T:
        ours, theirs, difference = compare(X, y)
        print(f"{y.mean():12.4f}{ours:14.3f}{theirs:14.2f}{theirs / ours:8.1f}{difference:13.1e}")
    one, two = (
        np.median([seconds(time.perf_counter, model.fold_scores, X, Y, FOLDS, 0) for _ in range(3)])
        for model in (LinearSVM(n_jobs=1), LinearSVM(n_jobs=2))
    )
    print(f"two threads over {Y.shape[1]} columns: {one / two:.2f} times as fast as one\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, help="folder of the corpora")
    folder = parser.parse_args().data
    LinearSVM().fold_scores(np.eye(4), [0, 0, 1, 1], 2, seed=0)  # compile
    report("generated", *generated())
    if not folder.is_dir():
        print(f"{folder} is absent: no measurement on arXiv")
        return
    split = arxiv(folder)
    by_prevalence = np.argsort(-split.Y.mean(axis=0))
    report("arXiv", split.X, split.Y[:, by_prevalence[[0, 5, 20, 60, 120]]].astype(bool))


if __name__ == "__main__":
    main()
