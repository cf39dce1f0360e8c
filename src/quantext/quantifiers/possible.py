"""Possible errors: those of estimates where the classes are not quite what training shows of them.

How far estimates vary is read from the labelled documents that the classifier mistakes, and these
may be few: of 20 documents of a class it may have mistaken none by luck. Redrawn from those alone,
estimates then vary too little, in some directions not at all. That matters most where all classes
must hold at once.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.quantifiers.redrawn import Estimator
from quantext.quantifiers.redraws import in_all_rows
from quantext.scores.training import ScoresByClass

__all__ = ["possible_errors"]

Array = NDArray[Any]

_BLOCK = 2**18  # counts of redrawn documents that are held at a time


def possible_errors(
    training: ScoresByClass,
    p: Array,
    size: int,
    estimator: Estimator,
    *,
    replicates: int,
    rng: np.random.Generator,
) -> Array:
    """Errors of the estimates of redrawn bags, shape (replicates, K).

    In each replicate, every class is one of those that its documents leave possible: they are
    weighted at random, by the Bayesian bootstrap, and beside them is one document more, with the
    scores of any document of another class. Training documents and bag are drawn from that.

    Rubin (1981), "The Bayesian bootstrap".

    Parameters
    ----------
    training
        Out-of-fold scores by class, of two classes or more that have documents.
    p
        Prevalence of each class at which bags are drawn; 0 for classes without documents.
    size
        Number of documents in the bag.
    estimator
        As in ``Redrawing``.
    replicates
        Number of bags.
    rng
        Source of randomness.
    """
    rows, row_of = np.unique(training.scores, axis=0, return_inverse=True)
    counts = np.zeros((len(rows), len(p)), dtype=np.int64)
    np.add.at(counts, row_of.reshape(-1), training.counts)
    relearn = estimator(ScoresByClass(rows, counts))
    drawn = [_possible_classes(counts, k, rng) for k in range(len(p))]
    errors = np.empty((replicates, len(p)))
    block = max(1, _BLOCK // counts.size)
    for start in range(0, replicates, block):
        stop = min(start + block, replicates)
        redrawn = np.zeros((stop - start, len(p), len(rows)), dtype=np.int64)
        bags = np.zeros((stop - start, len(rows)), dtype=np.int64)
        classes = rng.multinomial(size, p, stop - start)
        for again, bag, own in zip(redrawn, bags, classes, strict=True):
            for k in np.flatnonzero(counts.any(axis=0)):
                where, shares = next(drawn[k])
                again[k, where] = rng.multinomial(counts[:, k].sum(), shares)
                bag[where] += rng.multinomial(own[k], shares)
        errors[start:stop] = relearn(redrawn)(*in_all_rows(bags)) - classes / size
    return errors


def _possible_classes(
    counts: Array, k: int, rng: np.random.Generator
) -> Iterator[tuple[Array, Array]]:
    """Rows that documents of a class may have, and the share of each, again and again."""
    own, up_to = counts[:, k], np.cumsum(counts.sum(axis=1) - counts[:, k])
    while True:
        weights = own.astype(np.float64)
        weights[np.searchsorted(up_to, rng.integers(up_to[-1]), side="right")] += 1
        where = np.flatnonzero(weights)
        shares = rng.standard_gamma(weights[where])
        yield where, shares / shares.sum()
