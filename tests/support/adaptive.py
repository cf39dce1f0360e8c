"""Adaptive fitted to scores, and bags read by it with a look at what must always hold."""

import numpy as np
from numpy.testing import assert_allclose

from quantext.scores.training import TrainingScores


def given(scores, y, kind="binary"):
    y = np.asarray(y).reshape(len(scores), -1)
    classes = np.arange(2 if kind == "binary" else y.shape[1])
    return TrainingScores(np.asarray, scores, y, 0.0, classes, kind)


def read(quantifier, bag, X=None):
    """Estimate and bounds, after checking that they are what they should always be."""
    summary = quantifier.summarise_scores(np.asarray(bag, dtype=float), X)
    p, low, high = quantifier.aggregate_interval(summary)
    assert np.isfinite([p, low, high]).all()
    assert ((low >= 0) & (low <= p) & (p <= high) & (high <= 1)).all()
    if quantifier.kind_ != "multilabel":
        assert_allclose(p.sum(), 1)
    explained = quantifier.explain(summary)
    assert np.isfinite(explained.change).all()
    assert (explained.change >= 0).all()
    return p, low, high
