"""What is found for one question: shares by each way to find them, and what is said beside them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.models.judged import Question
from quantext.quantifiers.simplex import least_squares
from quantext.scores.crossfit import Posteriors
from quantext.vectors.answers import Answers

__all__ = ["SHARES", "Found", "decide", "named_classes", "nothing_found", "possible"]

Array = NDArray[Any]

SHARES = ("raw", "gold", "ppi", "misclassification", "share", "low", "high", "weight",
          "correlation", "effective")  # fmt: skip


@dataclass(frozen=True)
class Found:
    """Numbers for each bag and class that is asked for.

    Parameters
    ----------
    classes
        Names of the classes that are asked for.
    numbers
        For each of SHARES an array of shape (bags, classes), NaN where there is none.
    n_gold, sizes
        Documents with a known truth, and all documents, that each bag's shares are from.
    used, why
        For each bag, by class: which way was used, None for none; and why.
    notes
        What one should know, a sentence each.
    as_good, unseen
        Classes to whose known truths the model's word adds nothing, and those that have none.
    """

    classes: list[str]
    numbers: dict[str, NDArray[np.float64]]
    n_gold: NDArray[np.int64]
    sizes: NDArray[np.int64]
    used: list[list[str | None]] = field(default_factory=list)
    why: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    as_good: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)

    def use(self, way: str | None, reasons: list[str]) -> None:
        """Say which way the next bag's shares were found, with a reason for each class."""
        self.used.append([way] * len(self.classes))
        self.why.append(reasons)


def nothing_found(question: Question, n_gold: Array, sizes: Array) -> Found:
    """Room for what will be found."""
    shape = len(sizes), len(question.asked)
    classes = [question.names[k] for k in question.asked]
    return Found(classes, {name: np.full(shape, np.nan) for name in SHARES}, n_gold, sizes)


def possible(shares: Array) -> NDArray[np.float64]:
    """The nearest shares that can be: none below 0, and all together 1.

    Parameters
    ----------
    shares
        Of all classes.

    Examples
    --------
    >>> possible(np.array([1.1, 0.2, -0.3])).round(3).tolist()
    [0.95, 0.05, 0.0]
    """
    if len(shares) == 2:
        second = float(np.clip((1 + shares[1] - shares[0]) / 2, 0, 1))
        return np.array([1 - second, second])
    return least_squares(np.eye(len(shares)), shares, np.clip(shares, 0, 1)).p


def decide(
    question: Question, posteriors: Posteriors, known: Array
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Class that each distinct posterior stands for, and class of each document of a known truth.

    That of its name or else the likeliest, whatever the shares: where truths are from elsewhere,
    theirs say nothing. What is learned by regression is decided without a document's own truth.

    Parameters
    ----------
    question
        With the truths.
    posteriors
        Of its classes.
    known
        Numbers of the documents whose truth is known.
    """
    shares = np.bincount(question.truth, minlength=len(question.names)) / len(question.truth)
    usual = np.where(shares > 0, shares, np.inf)
    decided = np.asarray((posteriors.values / usual).argmax(axis=1))
    [first, *rest] = question.models
    if rest or not isinstance(first, Answers):
        return decided, np.asarray((posteriors.own / usual).argmax(axis=1))
    named = named_classes(question, posteriors)
    decided = np.asarray(np.where(named >= 0, named, decided))
    return decided, decided[posteriors.rows[known]]


def named_classes(question: Question, posteriors: Posteriors) -> NDArray[np.int64]:
    """Class that the answer of each distinct posterior is called; -1 for none.

    Parameters
    ----------
    question
        With the models.
    posteriors
        Of its classes.
    """
    [first, *rest] = question.models
    if rest or not isinstance(first, Answers) or not question.says_classes(first):
        return np.full(len(posteriors.values), -1)
    return question.answers(first)
