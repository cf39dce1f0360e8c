"""Documents to search with, and quantifiers that show what a search did."""

from typing import ClassVar

import numpy as np

import quantext as qx
from quantext.experiments.protocol_names import artificial
from quantext.quantifiers import TrainingPrevalence

__all__ = ["HALVES", "CountingSVM", "Says", "X", "Y"]

HALVES = artificial(prevalences=[0.5], repeats=4, size=10)


class Says(TrainingPrevalence):
    """An estimate that is its parameter, whatever the bag."""

    def __init__(self, share=0.5):
        self.share = share

    def estimate(self, learned, counts, size):
        if self.share > 1:
            raise ZeroDivisionError("a share above 1")
        return np.array([1 - self.share, self.share])


class CountingSVM(qx.LinearSVM):
    """A classifier that says how often it was cross-validated."""

    validated: ClassVar[list[float]] = []

    def fold_scores(self, X, Y, folds, seed):
        self.validated.append(self.C)
        return super().fold_scores(X, Y, folds, seed)


def documents(n=300, seed=0):
    """Two columns of which the first tells the classes apart, but for some noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=n) > 0.6, "yes", "no")
    return X, y


X, Y = documents()
