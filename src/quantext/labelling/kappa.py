"""How far two people agree who labelled the same documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Agreement", "agreement"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Agreement:
    """How far two people agree; `agreement` makes it.

    Parameters
    ----------
    n_documents
        That both have labelled.
    kappa
        Cohen's, over all classes; with several classes a document, the mean of those of classes.
        nan where both said the same of all documents, so that chance alone would agree as well.
    observed
        Share of documents on which they agree entirely.
    classes
        Names, and in ``by_class`` the kappa of each against the rest, shape (K,).
    by_class
        See ``classes``; nan where it is not defined.
    disagreements
        Rows on which they do not agree, in ascending order.
    """

    n_documents: int
    kappa: float
    observed: float
    classes: tuple[str, ...]
    by_class: NDArray[np.float64]
    disagreements: NDArray[np.int64]


def agreement(
    first: Mapping[int, frozenset[str]],
    second: Mapping[int, frozenset[str]],
    classes: Sequence[str],
) -> Agreement:
    """Cohen's kappa (1960) of the documents that both have labelled.

    If every document of both has exactly one class, kappa is that of all classes together.
    Otherwise it is the mean over classes of that of having the class or not.

    Parameters
    ----------
    first, second
        Classes of each document, by row.
    classes
        All names.

    Examples
    --------
    >>> ham, spam = frozenset({"ham"}), frozenset({"spam"})
    >>> first = {0: ham, 1: ham, 2: spam, 3: spam}
    >>> found = agreement(first, first | {3: ham}, ["ham", "spam"])
    >>> found.kappa, found.observed, found.disagreements.tolist()
    (0.5, 0.75, [3])
    """
    rows = np.array(sorted(first.keys() & second.keys()), dtype=np.int64)
    K = len(classes)
    tables = [_columns(own, rows, classes) for own in (first, second)]
    one, other = tables
    differ = (one != other).any(axis=1)
    by_class = np.array([_kappa(one[:, k], other[:, k], 2) for k in range(K)])
    if all((table.sum(axis=1) == 1).all() for table in tables):
        kappa = _kappa(one.argmax(axis=1), other.argmax(axis=1), K)
    else:
        known = by_class[~np.isnan(by_class)]
        kappa = float(known.mean()) if len(known) else float("nan")
    observed = float(1 - differ.mean()) if len(rows) else float("nan")
    return Agreement(len(rows), kappa, observed, tuple(classes), by_class, rows[differ])


def _columns(
    said: Mapping[int, frozenset[str]], rows: Array, classes: Sequence[str]
) -> NDArray[np.bool_]:
    table = np.zeros((len(rows), len(classes)), dtype=bool)
    number = {name: k for k, name in enumerate(classes)}
    for i, row in enumerate(rows.tolist()):
        for name in said[row]:
            if name not in number:
                raise ValueError(f"row {row} has the class {name!r}, which is none of the task's")
            table[i, number[name]] = True
    return table


def _kappa(one: Array, other: Array, n_classes: int) -> float:
    """(observed − by chance) / (1 − by chance) agreement; nan where there is only chance."""
    if not len(one):
        return float("nan")
    observed = float((one == other).mean())
    first, second = (np.bincount(own.astype(int), minlength=n_classes) for own in (one, other))
    chance = float(first @ second) / len(one) ** 2
    return (observed - chance) / (1 - chance) if chance < 1 else float("nan")
