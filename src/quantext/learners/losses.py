"""Losses: how wrong a labelling of all documents is, read from its contingency table.

A loss is any function of a `ContingencyTable` that broadcasts over its entries, is never negative
and is zero (or least) on the perfect table; `StructuralSVM` trains for it. A `PrevalenceLoss` is
made of a measure of prevalences, and its type says that it depends on the number of predicted
positives alone, which lets the oracle search far fewer tables.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quantext import measures

__all__ = [
    "LOSSES",
    "ContingencyTable",
    "Loss",
    "PrevalenceLoss",
    "error_rate",
    "evaluate",
    "f1",
    "find_loss",
    "q",
]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ContingencyTable:
    """Counts of documents by true and predicted class; arrays hold many tables at once.

    Parameters
    ----------
    tp, fp, fn, tn
        True positives, false positives, false negatives, true negatives.
    """

    tp: Array
    fp: Array
    fn: Array
    tn: Array

    @property
    def positives(self) -> Array:
        """Documents whose true class is the positive one."""
        return self.tp + self.fn

    @property
    def negatives(self) -> Array:
        """Documents whose true class is the negative one."""
        return self.fp + self.tn

    @property
    def predicted_positives(self) -> Array:
        """Documents that the labelling calls positive."""
        return self.tp + self.fp

    @property
    def size(self) -> Array:
        """All documents."""
        return self.positives + self.negatives


Loss = Callable[[ContingencyTable], Array]


@dataclass(frozen=True)
class PrevalenceLoss:
    """A loss that applies a measure of prevalence to the true and the predicted shares.

    Parameters
    ----------
    measure
        A function ``f(p_true, p_hat, *, size)`` of two prevalences with the classes (negative,
        positive) on the last axis, such as those of `quantext.measures`.

    Examples
    --------
    >>> from quantext import measures
    >>> loss = PrevalenceLoss(measures.absolute_error)
    >>> table = ContingencyTable(tp=np.array(20), fp=np.array(5), fn=np.array(15), tn=np.array(60))
    >>> round(float(loss(table)), 6)
    0.1
    """

    measure: Callable[..., Array]

    def __call__(self, table: ContingencyTable, /) -> Array:
        """Measure the predicted prevalence against the true one."""
        size = table.size
        return self.measure(
            measures.binary(table.positives / size),
            measures.binary(table.predicted_positives / size),
            size=size,
        )


def error_rate(table: ContingencyTable, /) -> Array:
    """Fraction of documents given the wrong class."""
    return (table.fp + table.fn) / table.size


def f1(table: ContingencyTable, /) -> Array:
    """One minus the harmonic mean of precision and recall."""
    # 0/0 only where there are no positives and none are predicted: perfect.
    return 1 - _ratio(2 * table.tp, 2 * table.tp + table.fp + table.fn, undefined=1.0)


def q(table: ContingencyTable, /) -> Array:
    """One minus the harmonic mean of recall and closeness in prevalence.

    Barranquero et al. (2015), "Quantification-oriented learning based on reliable classifiers",
    with β = 1.
    """
    largest = np.maximum(table.positives, table.negatives)
    closeness = 1 - np.abs(table.fn - table.fp) / largest
    # Without positives recall is 0/0: nothing was missed, so it is 1 unless some are predicted.
    recall = _ratio(table.tp, table.positives, undefined=np.where(table.fp == 0, 1.0, 0.0))
    return 1 - _ratio(2 * closeness * recall, closeness + recall, undefined=0.0)


LOSSES: Mapping[str, Loss] = {
    "ae": PrevalenceLoss(measures.absolute_error),
    "error_rate": error_rate,
    "f1": f1,
    "kld": PrevalenceLoss(measures.kld),
    "nkld": PrevalenceLoss(measures.normalized_kld),
    "q": q,
    "rae": PrevalenceLoss(measures.relative_absolute_error),
}


def find_loss(loss: str | Loss) -> Loss:
    """The loss of that name in `LOSSES`; a callable is returned as it is.

    Parameters
    ----------
    loss
        A name or a callable.
    """
    if callable(loss):
        return loss
    if isinstance(loss, str) and loss in LOSSES:
        return LOSSES[loss]
    raise ValueError(
        f"loss {loss!r} is unknown; choose one of {', '.join(sorted(LOSSES))}, "
        "or pass a callable of a ContingencyTable"
    )


def evaluate(loss: Loss, table: ContingencyTable) -> Array:
    """Values of a loss on tables of one shape, or an error that says how the loss misbehaved.

    Parameters
    ----------
    loss
        Any loss, a user's own included.
    table
        Tables whose four entries have the same shape.
    """
    values = np.asarray(loss(table), dtype=np.float64)
    if values.shape != table.tp.shape:
        raise ValueError(
            f"loss {_name(loss)} returned shape {values.shape} for tables of shape "
            f"{table.tp.shape}; it must return one value for each table, by arithmetic that "
            "broadcasts over tp, fp, fn and tn"
        )
    # Rounding may leave a loss of zero a hair below it.
    wrong = ~((values >= -1e-12) & (values < np.inf))
    if wrong.any():
        place = np.unravel_index(np.argmax(wrong), wrong.shape)
        entries = ", ".join(f"{key}={getattr(table, key)[place]:g}" for key in _ENTRIES)
        raise ValueError(
            f"loss {_name(loss)} is {values[place]} at {entries}; it must be finite and never "
            "negative on every table (check for divisions by zero)"
        )
    return np.maximum(values, 0.0)


_ENTRIES = ("tp", "fp", "fn", "tn")


def _name(loss: Loss) -> str:
    return getattr(loss, "__name__", None) or repr(loss)


def _ratio(numerator: Array, denominator: Array, undefined: ArrayLike) -> Array:
    """The quotient, and `undefined` where the denominator is zero."""
    zero = np.equal(denominator, 0)
    return np.where(zero, undefined, numerator / np.where(zero, 1.0, denominator))
