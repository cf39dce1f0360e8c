"""Changes: how far the documents of a bag differ from those of training, and in which words."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.models.textquantifier import TextQuantifier
from quantext.quantifiers.adaptive import AdaptiveCount
from quantext.quantifiers.adaptive.change import least_change
from quantext.quantifiers.base import OneClass
from quantext.quantifiers.summary import Summary
from quantext.wording import percent

__all__ = ["Change", "WordChange", "find_change", "tell_apart"]

Array = NDArray[Any]


@dataclass(frozen=True)
class WordChange:
    """A word whose share of the documents has changed more than the shares of classes explain.

    Parameters
    ----------
    word
        As it is most often written.
    share, train
        Shares of the documents that have it: of the bag and of training.
    """

    word: str
    share: float
    train: float

    def __str__(self) -> str:
        share, train = percent(self.share), percent(self.train)
        return f"{self.word}: {share} of these documents, {train} in training"


@dataclass(frozen=True)
class Change:
    """How far the documents of a bag have changed, beyond what the shares of classes explain.

    Parameters
    ----------
    extent
        By so much all documents may look more, or less, like a class than those of training, as a
        share of what sets documents with and without it apart; mean over the classes, by their
        training shares. 0 is no change beyond chance.
    length
        Distinct known words of a document, on average, as a multiple of those in training.
    words
        That have changed, those that matter most to the model first.
    """

    extent: float
    length: float
    words: tuple[WordChange, ...]


def find_change(
    model: TextQuantifier, summary: Summary, p_hat: Array, gap: Array | None, most: int = 8
) -> Change | None:
    """How the documents that were summarised have changed; None where nobody has counted words.

    Parameters
    ----------
    model
        Fitted. Only `AdaptiveCount` counts words, and only in sparse vectors.
    summary
        Of its making.
    p_hat
        What it estimates of it.
    gap
        What sets documents apart in training, in scores: the first that `tell_apart` gives.
    most
        Words that are named, at most.
    """
    quantifier = model.quantifier_
    if gap is None or not isinstance(quantifier, AdaptiveCount):
        return None
    [learned] = quantifier.learned_
    if isinstance(learned, OneClass) or learned.words is None:
        return None
    [(_, counts)] = summary.counts
    explanation = quantifier.explain(summary, most, p_hat=p_hat)
    beyond = explanation.change[: len(learned.slope)] ** 2 - least_change(learned)
    odds = gap * learned.slope
    told = odds > 0  # what tells nothing apart has nothing to lose; another rule speaks of it
    weights = learned.p_train * told
    extent = 0.0
    if weights.any():
        ratios = np.sqrt(np.maximum(beyond, 0)) / np.where(told, odds, 1)
        extent = float(ratios @ weights / weights.sum())
    names = getattr(model.vectorizer_, "words_", ())
    words_a_document = learned.words.share.sum()  # none, if no word matters to the classifier
    words = explanation.words if len(names) else ()
    return Change(
        extent,
        float(counts.sum() / summary.total / words_a_document) if words_a_document else 1.0,
        tuple(WordChange(str(names[word.column]), word.share, word.train) for word in words),
    )


def tell_apart(scores: Array, y: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Difference of the mean scores with and without each label, and in standard deviations.

    Parameters
    ----------
    scores, y
        Of training documents by models that did not know them, and their labels, shape (n, m).
        Where all or none have a label, there is no difference: it is 0.
    """
    positives = y.sum(axis=0)
    negatives = len(y) - positives
    own = np.where(y, scores, 0).sum(axis=0) / np.maximum(positives, 1)
    others = np.where(y, 0, scores).sum(axis=0) / np.maximum(negatives, 1)
    gap = np.where((positives > 0) & (negatives > 0), own - others, 0.0)
    squares = ((scores - np.where(y, own, others)) ** 2).sum(axis=0)
    spread = np.sqrt(squares / len(y))
    # Scores that are all alike within both classes set them apart by any number of deviations.
    apart = np.divide(gap, spread, out=np.where(gap > 0, np.inf, 0.0), where=spread > 0)
    return gap, apart
