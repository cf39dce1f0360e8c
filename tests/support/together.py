"""A method that looks at labels together, simple enough to work out by hand."""

from pathlib import Path

import numpy as np

from quantext.quantifiers import Quantifier
from quantext.quantifiers.problems import Problems


class Together(Quantifier):
    """Gives every label the mean of all labels' counts; fails until the file is there, if named."""

    labels_together = True
    needs_folds = False

    def __init__(self, classifier, until=None, folds=0, seed=0):
        self.classifier = classifier
        self.until = until
        self.folds = folds
        self.seed = seed

    def divide(self, scores):
        return Problems.everything(scores)

    def learn(self, training):
        if self.until is not None and not Path(self.until).exists():
            raise ValueError("the moon was new")

    def count(self, learned, scores, weights=None):
        return (scores > 0).sum(axis=0)

    def estimate(self, learned, counts, size):
        return np.full(len(counts), counts.mean() / size)
