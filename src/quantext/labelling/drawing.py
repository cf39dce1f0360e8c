"""Draws with known chances: in proportion to sizes, without putting back, in a random order."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.labelling.task import Task, Wave

__all__ = ["FIRST", "draw", "first_wave", "inclusion_chances"]

Array = NDArray[Any]

FIRST = 40  # documents of the first wave
FLOOR = 0.25  # of the draws are as if nothing were known


def first_wave(task: Task, n_documents: int, scores: Array | None = None) -> Wave:
    """Documents to begin with: a simple random sample, or spread evenly over what a model says.

    Parameters
    ----------
    task
        What is asked.
    n_documents
        How many there are.
    scores
        What a model says of each class of each document, shape (N, K); None: there is none.

    Examples
    --------
    >>> wave = first_wave(Task(("ham", "spam")), 1000)
    >>> len(wave), wave.chances[0].item()
    (40, 0.04)
    """
    if n_documents < 1:
        raise ValueError("there are no documents to label")
    number = min(FIRST, n_documents)
    rng = np.random.default_rng([task.seed, 0])
    everything = np.arange(n_documents)
    if scores is None:
        return draw(rng, everything, np.ones(n_documents), number, rng.permutation(n_documents), 0)
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 2 or len(scores) != n_documents:
        raise ValueError(
            f"scores have shape {scores.shape} for {n_documents} documents; give a line of one "
            "number a class for each"
        )
    likeliest = scores.argmax(axis=1)
    order = np.lexsort((scores.max(axis=1), likeliest))
    return draw(rng, everything, np.ones(n_documents), number, order, 0)


def inclusion_chances(sizes: Array, number: int) -> NDArray[np.float64]:
    """Probabilities in proportion to sizes that sum to a number, none above 1.

    Parameters
    ----------
    sizes
        Above 0.
    number
        Of documents to draw, at most all.

    Examples
    --------
    >>> inclusion_chances(np.array([1.0, 1.0, 8.0]), 2).tolist()
    [0.5, 0.5, 1.0]
    """
    chances = np.ones(len(sizes))
    free = np.ones(len(sizes), dtype=bool)
    while free.any():
        left = number - (~free).sum()
        chances[free] = sizes[free] * (left / sizes[free].sum())
        if not (over := free & (chances > 1 - 1e-9)).any():
            break
        chances[over] = 1.0
        free &= ~over
    return chances


def draw(
    rng: np.random.Generator, rows: Array, sizes: Array, number: int, order: Array, wave: int
) -> Wave:
    """Documents drawn with chances in proportion to sizes, evenly along an order.

    Parameters
    ----------
    rng
        Of the draw.
    rows
        Documents that may be drawn.
    sizes
        Of each, above 0.
    number
        How many to draw, at least one and at most all.
    order
        Places of all rows, so that those beside each other are alike.
    wave
        Number of the wave.
    """
    chances = inclusion_chances(sizes, number)
    sure = np.flatnonzero(chances == 1.0)
    others = order[chances[order] < 1.0]
    left = number - len(sure)
    ends = np.cumsum(chances[others])
    ends *= left / ends[-1] if left else 1.0  # rounding must not lose a document
    places = np.searchsorted(ends, rng.random() + np.arange(left), side="right")
    own = np.concatenate([sure, others[np.minimum(places, len(others) - 1)]])
    own = own[rng.permutation(number)]
    return Wave(rows[own], chances[own], wave)
