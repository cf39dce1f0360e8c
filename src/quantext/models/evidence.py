"""Evidence: what the rules of `rules` ask of a model and of a bag."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.models.changes import Change, tell_apart
from quantext.models.textquantifier import TextQuantifier
from quantext.models.train import quality

__all__ = ["Evidence", "Trained", "distance", "examine"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Trained:
    """What rules ask of a model; None is what nobody knows.

    Parameters
    ----------
    classes, p_train
        Names, and shares in training.
    single_label
        Whether a document has exactly one class.
    level
        Of the intervals.
    documents, n_train
        Training documents of each class, and of all.
    tpr, fpr
        Rates of true and false positives among documents that the classifier did not know.
    gap, apart
        By how much scores with and without each class differ there, and in standard deviations.
    usual_known
        Share of known words in documents like those of training.
    corrects
        Whether the method follows a bag far from the training shares.
    """

    classes: Sequence[str]
    p_train: Array
    single_label: bool
    level: float
    documents: Array | None = None
    n_train: int | None = None
    tpr: Array | None = None
    fpr: Array | None = None
    gap: Array | None = None
    apart: Array | None = None
    usual_known: float | None = None
    corrects: bool | None = None


@dataclass(frozen=True)
class Evidence:
    """What rules ask of a bag; None is what nobody knows.

    Parameters
    ----------
    size
        Number of documents.
    share, low, high, true_share
        Of each class.
    known
        Share of known words.
    unreadable
        Share of the documents without a known word.
    change
        Of the documents.
    known_answers
        Share of what models say of the documents that they said in training too.
    """

    size: int
    share: Array
    low: Array | None = None
    high: Array | None = None
    true_share: Array | None = None
    known: float | None = None
    unreadable: float | None = None
    change: Change | None = None
    known_answers: float | None = None


def examine(model: TextQuantifier, level: float) -> Trained:
    """What rules ask of a model.

    Parameters
    ----------
    model
        Fitted. One that was loaded may remember the usual share of known words.
    level
        Of the intervals.
    """
    quantifier = model.quantifier_
    scores, rates = quantifier.scores_, quality(quantifier)
    gap = apart = None
    if scores.out_of_fold is not None and scores.out_of_fold.shape == scores.y.shape:
        gap, apart = tell_apart(scores.out_of_fold, scores.y)
    usual = getattr(model, "about_", {}).get("known_share")
    known = isinstance(usual, float) and 0 <= usual <= 1  # anyone can write a model file

    def rate(name: str) -> Array | None:
        values = rates[name]
        return None if values.null_count() == len(values) else values.to_numpy()

    return Trained(
        classes=rates["class"].to_list(),
        p_train=quantifier.prevalence_,
        single_label=scores.kind != "multilabel",
        level=level,
        documents=rates["documents"].to_numpy(),
        n_train=len(scores.y),
        tpr=rate("tpr"),
        fpr=rate("fpr"),
        gap=gap,
        apart=None if apart is None else np.resize(apart, len(rates)),
        usual_known=usual if known else None,
        corrects=quantifier.corrects,
    )


def distance(p: Array, q: Array, single_label: bool) -> float:
    """Share of the documents that would have to change class, or the largest move of a label.

    Parameters
    ----------
    p, q
        Shares of each class.
    single_label
        Whether a document has exactly one.
    """
    moves = np.asarray(p - q)
    if not single_label:
        return float(np.abs(moves).max())
    # Rises equal falls, but for a binary model of which only one class is shown.
    return float(max(moves.clip(min=0).sum(), -moves.clip(max=0).sum()))
