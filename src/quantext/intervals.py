"""Intervals: how far estimates of redrawn bags are from the truth.

The prevalence asked for is that of one bag, so what matters is the error of the estimate: each
replicate has a true share of its own, by which its estimate is judged.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.scores import ScoresByClass

__all__ = ["bounds", "check_level", "draw_errors"]

Array = NDArray[Any]

_FEW_ROWS = 64


def draw_errors(
    training: ScoresByClass,
    p_hat: Array,
    size: int,
    estimate: Callable[[ScoresByClass, Array], Array],
    *,
    replicates: int,
    rng: np.random.Generator,
) -> Array:
    """Errors of the estimates of redrawn bags, shape (replicates, K).

    Parameters
    ----------
    training
        Out-of-fold scores by class.
    p_hat
        Prevalence of each class at which bags are drawn.
    size
        Number of documents in the bag.
    estimate
        Prevalence in a bag, given the training scores by class and how many of the bag's documents
        have each row's scores.
    replicates
        Number of bags.
    rng
        Source of randomness.
    """
    rows, row_of = np.unique(training.scores, axis=0, return_inverse=True)
    documents = [np.repeat(row_of.reshape(-1), counts) for counts in training.counts.T]
    known = np.array([len(rows_of_class) > 0 for rows_of_class in documents])
    # A classifier may find classes of which there are no scores to draw from.
    p = np.where(known, p_hat, 0.0)
    p = p / p.sum() if p.sum() > 0 else known / known.sum()
    draws = [_drawer(rows_of_class, len(rows), rng) for rows_of_class in documents]
    errors = np.empty((replicates, len(p)))
    for r in range(replicates):
        classes = rng.multinomial(size, p)
        redrawn = [draw(len(own)) for draw, own in zip(draws, documents, strict=True)]
        bag = sum(draw(n) for draw, n in zip(draws, classes, strict=True))
        again = ScoresByClass(rows, np.column_stack(redrawn))
        errors[r] = estimate(again, np.asarray(bag)) - classes / size
    return errors


def bounds(p_hat: Array, errors: Array, level: float) -> tuple[Array, Array]:
    """Lower and upper bounds from the errors of replicates, shape (K,) each.

    Quantiles of the errors, as they lie around their median, are laid around the estimate less
    that median, so that the bias of a method is taken off and not added once more. The bounds
    are widened to contain the estimate, if need be.

    Parameters
    ----------
    p_hat
        Estimate for the bag.
    errors
        Shape (replicates, K).
    level
        Share of bags whose prevalence the interval should contain.

    Examples
    --------
    >>> errors = np.linspace(0.0, 0.2, 101)[:, None]      # too high by 0.1, give or take 0.1
    >>> [bound.round(3).tolist() for bound in bounds(np.array([0.5]), errors, level=0.9)]
    [[0.31], [0.5]]
    """
    tail = (1 - level) / 2
    low, middle, high = np.quantile(errors, [tail, 0.5, 1 - tail], axis=0)
    centre = p_hat - 2 * middle
    return (
        np.clip(np.minimum(centre + low, p_hat), 0, 1),
        np.clip(np.maximum(centre + high, p_hat), 0, 1),
    )


def check_level(level: float) -> None:
    """Raise if the level of an interval is not between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; it is a share of bags between 0 and 1, such as 0.95")


def _drawer(documents: Array, n_rows: int, rng: np.random.Generator) -> Callable[[int], Array]:
    """Function that draws n documents with replacement and counts them by row."""
    if n_rows <= _FEW_ROWS and len(documents):
        shares = np.bincount(documents, minlength=n_rows) / len(documents)
        return lambda n: rng.multinomial(n, shares)
    # One document at a time: numpy's multinomial takes longer than this for many rows.
    return lambda n: np.bincount(
        documents[rng.integers(len(documents), size=n)] if n else documents[:0], minlength=n_rows
    )
