"""A method that fails, for what becomes of an experiment when one does."""

import warnings
from pathlib import Path

from quantext.quantifiers import ClassifyAndCount


class Unlucky(ClassifyAndCount):
    """Fails on classes with this many training documents, or on all, until the file is there."""

    def __init__(self, classifier, positives=None, until="never", folds=0, seed=0):
        super().__init__(classifier, folds, seed)
        self.positives = positives
        self.until = until

    def learn(self, training):
        concerned = self.positives in (None, int(training.counts[:, 1].sum()))
        if concerned and not Path(self.until).exists():
            raise ValueError("the moon was full")
        super().learn(training)


class Warm(ClassifyAndCount):
    """Warns."""

    def learn(self, training):
        warnings.warn("rather warm", UserWarning, stacklevel=1)
        super().learn(training)
