"""What is learned of training: calibration, histograms by class, the company of each class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from quantext.quantifiers.adaptive.company import Beside, Rest, learn_beside, learn_rest
from quantext.quantifiers.adaptive.grid import (
    LOG_ODDS,
    POSTERIOR,
    find_bins,
    read_posteriors,
    tally,
)
from quantext.quantifiers.adaptive.prior import population
from quantext.quantifiers.adaptive.words import Words, learn_words
from quantext.scores.calibration import calibrate
from quantext.scores.features import ClassFeatures
from quantext.scores.labels import Kind
from quantext.scores.training import ScoresByClass

__all__ = ["Learned", "learn"]

Array = NDArray[Any]

# What classes, or labels, do to each other is kept for each pair of them: 1.2 kB of two classes,
# 200 bytes of two labels. More are not looked at in pairs: their company is that of training.
MOST_IN_PAIRS = 512
# One class may jump where the others stay. The fewer documents of it there are, the more a jump is
# likely to be an error: without this, rare topics of Reuters-21578 do.
JUMP, WELL_KNOWN = 0.2, 100


@dataclass(frozen=True)
class Learned:
    """All that is learned from training; m columns of scores, G candidates.

    Parameters
    ----------
    kind
        "multiclass": the columns are the classes; else each is a problem of two.
    slope, offset
        Log-odds less those of the mean posterior are slope x score + offset, (m,).
    spread
        Standard deviation of the log-odds within a class, (m,).
    mean, variance
        Of the posterior among documents without and with each label or class, (m, 2, G).
    counts
        Documents without and with each, (m, 2).
    p_train
        Training prevalence, (m,).
    population, doubted
        Mass of the population's share, by sigma, column and candidate, (S, m, G); and as it is if
        the training prevalence is only that of a sample.
    words, beside, rest
        None where there are none: no words, one label, no more than two classes, or so many that
        pairs of them are too many.
    """

    kind: Kind
    slope: Array
    offset: Array
    spread: Array
    mean: Array
    variance: Array
    counts: Array
    p_train: Array
    population: Array
    doubted: Array
    words: Words | None
    beside: Beside | None
    rest: Rest | None

    @property
    def jump(self) -> Array:
        """Chance that each class moves far by itself; only of one that is known well is it said."""
        if len(self.p_train) == 1:
            return np.zeros(1)  # there are no others that could keep it back
        documents = self.counts.min(axis=1)
        return np.asarray(JUMP * documents / (documents + WELL_KNOWN))

    @property
    def known(self) -> Array:
        """Columns of which training has documents with and without."""
        return (self.p_train > 0) & (self.p_train < 1)


def learn(
    out_of_fold: Array,
    y: Array,
    kind: Kind,
    features: ClassFeatures | None = None,
    weights: Array | None = None,
) -> Learned:
    """What the method knows from training.

    Parameters
    ----------
    out_of_fold, y
        Scores and labels of the training documents, shape (n, m).
    kind
        Of problem.
    features, weights
        What training says of the features, and the classifier's weights of them, (d, m), if they
        are words.
    """
    n, m = y.shape
    sigmoids = [calibrate(_by_class(out_of_fold[:, j], y[:, j]))[0] for j in range(m)]
    slope = np.array([sigmoid.slope for sigmoid in sigmoids])
    raw = np.array([sigmoid.offset for sigmoid in sigmoids])
    mean_posterior = expit(slope * out_of_fold + raw).mean(axis=0)
    offset = raw - logit(np.clip(mean_posterior, 1e-12, 1 - 1e-12))
    bins = find_bins(slope, offset, out_of_fold)
    pairs = zip(bins.T, y.T, strict=True)
    histograms = np.array([[tally(own[~has]), tally(own[has])] for own, has in pairs])
    in_pairs = 1 < m <= MOST_IN_PAIRS
    rest = by_class = None
    if in_pairs and kind == "multiclass":
        by_class = _by_pair(bins, y)
        rest = learn_rest(by_class)
    counts = histograms.sum(axis=2)
    mean, variance = read_posteriors(histograms, POSTERIOR)
    p_train = y.mean(axis=0)
    p_clipped = np.clip(p_train, 0.5 / n, 1 - 0.5 / n)
    words = None
    if features is not None and weights is not None:
        words = learn_words(features, y, kind, weights, slope)
    return Learned(
        kind,
        slope,
        offset,
        _spread(histograms if by_class is None else by_class),
        mean,
        variance,
        counts,
        p_train,
        population(p_clipped, np.zeros(m)),
        population(p_clipped, 1 / (n * p_clipped * (1 - p_clipped))),
        words,
        learn_beside(bins, y) if in_pairs and kind == "multilabel" else None,
        rest,
    )


def _by_class(scores: Array, y: Array) -> ScoresByClass:
    """Scores of a column by whether documents are in it."""
    return ScoresByClass(scores[:, None], np.column_stack([~y, y]).astype(np.int64))


def _by_pair(bins: Array, y: Array) -> Array:
    """Documents by class j, class k and bin of their log-odds for j, (m, m, bins)."""
    own, m = y.argmax(axis=1) * len(LOG_ODDS), y.shape[1]
    counts = [np.bincount(own + column, minlength=m * len(LOG_ODDS)) for column in bins.T]
    return np.array(counts).reshape(m, m, len(LOG_ODDS))


def _spread(histograms: Array) -> Array:
    """Standard deviation of the log-odds within a class, of each column."""
    counts = histograms.sum(axis=2)
    means = histograms @ LOG_ODDS / np.maximum(counts, 1)
    squares = (histograms @ LOG_ODDS**2 - counts * means**2).sum(axis=1)
    return np.asarray(np.sqrt(np.maximum(squares, 0) / np.maximum(counts.sum(axis=1), 1)))
