"""What methods that classify say of single documents: contingency tables of bags."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.experiments.tasks import Task
from quantext.quantifiers import ClassifyAndCount, Quantifier

__all__ = ["asked_for", "contingency", "decisions", "where_labelled"]

Array = NDArray[Any]


def asked_for(values: Array, quantifier: Quantifier, task: Task, missing: Any) -> Array:
    """Of values for each class of the quantifier, on the last axis, those that are asked for.

    Parameters
    ----------
    values
        In the order of ``quantifier.classes_``.
    quantifier
        Fitted to the labels of the task.
    task
        What is asked.
    missing
        Value for a class without training documents, of which the quantifier does not know.
    """
    if not task.joint:
        return values
    places = np.asarray(quantifier.classes_)
    every = np.full((*values.shape[:-1], max(*task.classes, *places) + 1), missing)
    every[..., places] = values
    return every[..., list(task.classes)]


def decisions(quantifier: ClassifyAndCount, scores: Array, task: Task) -> NDArray[np.bool_]:
    """Whether each document is counted in each class that is asked for.

    Parameters
    ----------
    quantifier
        Fitted.
    scores
        Of a bag.
    task
        What is asked.
    """
    counted = quantifier.condense(scores)
    if len(quantifier.classes_) > counted.shape[1]:  # two classes, of which it scores the second
        counted = np.hstack([~counted, counted])
    return asked_for(counted, quantifier, task, missing=False)


def contingency(
    positive: Sequence[NDArray[np.bool_]], truth: Sequence[NDArray[np.bool_]]
) -> dict[str, Array]:
    """Contingency tables of each bag, one for each class.

    Parameters
    ----------
    positive
        Whether each document of each bag was put in each class.
    truth
        Whether it is in it.
    """
    pairs = zip(positive, truth, strict=True)
    tp = np.array([np.count_nonzero(p & y, axis=0) for p, y in pairs])
    said, true = (
        np.array([np.count_nonzero(own, axis=0) for own in bags]) for bags in (positive, truth)
    )
    size = np.array([np.full(own.shape[1:], len(own)) for own in truth])
    return {"tp": tp, "fp": said - tp, "fn": true - tp, "tn": size - said - true + tp}


def where_labelled(labelled: NDArray[np.bool_], columns: Mapping[str, Array]) -> dict[str, Array]:
    """The columns, with None for bags whose documents have no labels.

    Parameters
    ----------
    labelled
        Whether the documents of each bag have labels.
    columns
        With a row for each bag.
    """
    found = {name: values.astype(object) for name, values in columns.items()}
    for values in found.values():
        values[~labelled] = None
    return found
