"""Change: how far a bag's documents have changed beyond what shares explain, and in which words."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.quantifiers.adaptive.learning import Learned
from quantext.quantifiers.summary import Summary

__all__ = [
    "Bag",
    "ChangedWord",
    "find_changed_words",
    "in_documents",
    "least_change",
    "measure_change",
]

Array = NDArray[Any]

# Change that is reckoned with in any bag, in standard deviations of the log-odds within a class:
# without, intervals of large bags are too narrow on real texts; weak classifiers, whose log-odds
# spread little, would be shrunk too much by a fixed number.
FLOOR = 0.1
# Changes of words do not quite have signs at random, as a sum of squares supposes.
COHERENCE = 1.5


@dataclass(frozen=True)
class Bag:
    """What is counted of a bag.

    Parameters
    ----------
    size
        Number of documents.
    histogram
        Documents by column and bin of log-odds, (m, bins).
    words
        Documents with each word that matters, (d,); empty if these were not counted.
    """

    size: int
    histogram: Array
    words: Array


def in_documents(summary: Summary) -> Summary:
    """A summary whose weights are turned into a number of documents that say as much.

    Parameters
    ----------
    summary
        Of a bag, with the one problem that Adaptive has.
    """
    if summary.weights is None:
        return summary
    summary.weights.check(summary.size)
    size = summary.effective_size
    scale = size / summary.total
    [counts] = summary.counts
    scaled = tuple(own * scale for own in counts) if isinstance(counts, tuple) else counts
    return Summary(size, (scaled,))


@dataclass(frozen=True)
class ChangedWord:
    """A word whose share of the documents is not what the shares of the classes explain.

    Parameters
    ----------
    column
        Of the word in X.
    expected
        Share of the documents that should have it, if only the shares of the classes had moved.
    share
        Share of the bag's documents that have it.
    train
        Share of the training documents that have it.
    weight
        Its part of all unexplained change of the log-odds, from 0 to 1.
    """

    column: int
    expected: float
    share: float
    train: float
    weight: float


def least_change(learned: Learned) -> Array:
    """Variance, in log-odds, of the change that is reckoned with in any bag, (m,).

    Parameters
    ----------
    learned
        From training.
    """
    return np.asarray((FLOOR * learned.spread) ** 2)


def measure_change(learned: Learned, bag: Bag, p: Array) -> Array:
    """Variance, in log-odds, of a shift of all documents that no prevalence explains, (m,).

    Unexplained changes of single words are taken to have signs at random, or nearly so.

    Parameters
    ----------
    learned
        From training.
    bag
        Its counts.
    p
        Current estimate of the shares.
    """
    least = least_change(learned)
    if learned.words is None or not len(bag.words):
        return least
    left, noise = unexplained(learned, bag, p)
    excess = learned.words.weights @ (left**2 - noise).astype(np.float32)
    return np.asarray(least + COHERENCE * np.maximum(excess, 0))


def unexplained(learned: Learned, bag: Bag, p: Array) -> tuple[Array, Array]:
    """Change of each word's share that the prevalences leave, and its variance by chance, (d,).

    Parameters
    ----------
    learned, bag, p
        As in `measure_change`.
    """
    words, counts = learned.words, np.maximum(learned.counts, 1)
    assert words is not None
    left = bag.words / bag.size - words.base - p.astype(np.float32) @ words.effects
    if learned.kind == "multiclass":
        chance = (p**2 / counts[:, 1]).sum()
    else:
        moved = (p - learned.p_train) ** 2
        chance = 1 / counts[0].sum() + (moved[:, None] / counts).sum()
    return left, words.variance * (1 / bag.size + chance)


def find_changed_words(learned: Learned, bag: Bag, p: Array, most: int) -> list[ChangedWord]:
    """Words behind the change, those that matter most to all classes together first.

    Parameters
    ----------
    learned, bag, p
        As in `measure_change`.
    most
        How many at most.
    """
    words = learned.words
    if words is None or not len(bag.words):
        return []
    left, noise = unexplained(learned, bag, p)
    parts = np.maximum(words.weights.sum(axis=0) * (left**2 - noise), 0)
    order = np.argsort(-parts, kind="stable")[:most]
    order = order[parts[order] > 0]
    share = (bag.words / bag.size)[order]
    columns = (
        words.columns[order],
        np.clip(share - left[order], 0, 1),
        share,
        words.share[order],
        parts[order] / parts.sum(),
    )
    return [ChangedWord(*own) for own in zip(*(x.tolist() for x in columns), strict=True)]
