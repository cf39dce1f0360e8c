"""A search over 5 values of C × 4 aggregations × 200 bags, against its 5 cross-validations alone.

One label of 12,500 abstracts on arXiv, as vectors, 50 folds. CPU time, one thread, interleaved
rounds, the median of the ratios. The search includes the fit of the best one to all documents.
"""

import time

import numpy as np

from benchmarks.corpora import arxiv, folder_argument
from quantext.experiments.protocol_names import uniform
from quantext.experiments.search import SearchQ
from quantext.learners.linear import LinearSVM
from quantext.scores.training import score_training

CS = [0.1, 0.3, 1.0, 3.0, 10.0]
COUNTS = {
    "four counts": ["CC", "PCC", "ACC", "PACC"],
    "with EMQ": ["CC", "ACC", "PACC", "EMQ"],
    "with Adaptive": ["PCC", "PACC", "EMQ", "Adaptive"],
}
ROUNDS = 5


def seconds(work, *arguments):
    start = time.process_time()
    work(*arguments)
    return time.process_time() - start


def main():
    split = arxiv(folder_argument(__doc__))
    by_prevalence = np.argsort(-split.Y.mean(axis=0))

    def cross_validate(y):
        for C in CS:
            score_training(LinearSVM(C=C), split.X, y, folds=50)

    def search(y, names):
        grid = {"quantifier": names, "classifier__C": CS}
        return SearchQ("CC", grid, protocol=uniform(bags=200, size=500)).fit(split.X, y)

    print(f"{'label':>6}{'prevalence':>12}{'':4}{'aggregations':16}", end="")
    print(f"{'alone, s':>10}{'search, s':>11}{'ratio':>8}")
    for place in (0, 20):
        y = split.Y[:, by_prevalence[place]]
        for name, methods in COUNTS.items():
            search(y, methods)  # compile
            rounds = [
                (seconds(cross_validate, y), seconds(search, y, methods)) for _ in range(ROUNDS)
            ]
            alone, whole = np.median(rounds, axis=0)
            ratio = np.median([b / a for a, b in rounds])
            print(f"{place:6}{y.mean():12.4f}{'':4}{name:16}{alone:10.2f}{whole:11.2f}{ratio:8.2f}")


if __name__ == "__main__":
    main()
