"""Scores and labels from elsewhere: a language model's, a rule set's, an old system's."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.scores.labels import Labels
from quantext.scores.scorers import Scorer, log_odds

__all__ = ["GivenLabels", "GivenScores", "read_given"]

Array = NDArray[Any]


@dataclass(frozen=True)
class GivenLabels:
    """Scores of documents that come with a label each: 1 for its class and −1 for the others.

    Parameters
    ----------
    classes
        All labels there may be; of two, only the second has a column.
    """

    classes: tuple[Any, ...]

    def __call__(self, X: Any) -> Array:
        """Scores of the documents, shape (n, 1) for two classes, else (n, K)."""
        values = np.asarray(X)
        if values.ndim != 1:
            raise ValueError(f"there should be one label a document, not an array {values.shape}")
        names = np.array(self.classes, dtype=object)
        found = values.astype(object)[:, None] == names
        if not (known := found.any(axis=1)).all():
            i = int(np.argmin(known))
            raise ValueError(
                f"label {values.tolist()[i]!r} of document {i} (counting from 0) is no class of y; "
                f"these are {', '.join(map(repr, self.classes))}. If these are scores and not "
                "labels, give them as floating-point numbers"
            )
        return np.where(found[:, 1:] if len(names) == 2 else found, 1.0, -1.0)


@dataclass(frozen=True)
class GivenScores:
    """Scores of documents that come with them, or with posteriors, whose log-odds they then are.

    Parameters
    ----------
    n_columns
        Of what is given.
    posteriors
        Whether they are posteriors.
    both
        Whether there is a posterior for each of two classes, of which the second tells all.
    """

    n_columns: int
    posteriors: bool = False
    both: bool = False

    def __call__(self, X: Any) -> Array:
        """Scores of the documents, shape (n, m)."""
        values = np.asarray(X, dtype=np.float64)
        values = values[:, None] if values.ndim == 1 else values
        if values.ndim != 2 or values.shape[1] != self.n_columns:
            raise ValueError(
                f"the scores have shape {np.shape(X)}, but there should be {self.n_columns} for "
                "each document, as in training"
            )
        if not (finite := np.isfinite(values).all(axis=1)).all():
            i = int(np.argmin(finite))
            raise ValueError(
                f"a score of document {i} (counting from 0) is not finite: {values[i]}"
            )
        if not self.posteriors:
            return values
        if values.min(initial=0.0) < 0 or values.max(initial=0.0) > 1:
            i, j = np.argwhere((values < 0) | (values > 1))[0]
            raise ValueError(
                f"in training there were posteriors, between 0 and 1, but document {i} (counting "
                f"from 0) has {values[i, j]:g}"
            )
        return log_odds(values[:, 1:] if self.both else values)


def read_given(values: Any, labels: Labels) -> tuple[Scorer, Array]:
    """How documents with such values are scored, and the scores of these.

    Parameters
    ----------
    values
        Scores, posteriors or labels, as in ``TrainingScores.given``.
    labels
        What the documents are in truth.
    """
    found = np.asarray(values)
    if found.ndim not in (1, 2) or len(found) != len(labels.y):
        raise ValueError(
            f"there are scores or labels of shape {found.shape} for {len(labels.y)} documents; "
            "give a value, or a row of values, for each"
        )
    columns = labels.y.shape[1]
    if found.ndim == 1 and (found.dtype.kind != "f" or columns > 1):
        if labels.kind == "multilabel":
            raise ValueError(f"y has {columns} labels, so give a column for each")
        scorer: Scorer = GivenLabels(tuple(labels.classes.tolist()))
        return scorer, scorer(found)
    numbers = found.astype(np.float64)
    numbers = numbers[:, None] if numbers.ndim == 1 else numbers
    both = labels.kind == "binary" and numbers.shape[1] == 2
    if numbers.shape[1] != columns and not both:
        raise ValueError(
            f"there are {numbers.shape[1]} columns of scores, but y needs {columns}: one for each "
            "class, or for two classes that of the second"
        )
    posteriors = _are_posteriors(numbers, one_class_each=labels.kind == "multiclass" or both)
    if both and not posteriors:
        raise ValueError("two columns for two classes must be posteriors, whose rows sum to 1")
    scorer = GivenScores(numbers.shape[1], posteriors, both)
    return scorer, scorer(numbers)


def _are_posteriors(values: Array, *, one_class_each: bool) -> bool:
    """Whether numbers can be posteriors: between 0 and 1, rows of one class each summing to 1."""
    if not ((values >= 0) & (values <= 1)).all():
        return False
    return not one_class_each or bool(np.allclose(values.sum(axis=1), 1, atol=1e-3))
