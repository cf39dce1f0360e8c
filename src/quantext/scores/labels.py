"""Labels of any type as boolean columns."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from quantext.learners.folds import indicator_columns

__all__ = ["Kind", "Labels", "read_labels"]

Array = NDArray[Any]
Kind = Literal["binary", "multiclass", "multilabel"]


@dataclass(frozen=True)
class Labels:
    """Labels as columns: y[i, j] says whether document i is in class j.

    A binary problem has the one column of its positive class, ``classes[1]``.
    """

    y: NDArray[np.bool_]
    classes: Array
    kind: Kind


def read_labels(y: Any) -> Labels:
    """Labels as boolean columns, with the names of the classes and the kind of problem.

    Parameters
    ----------
    y
        One-dimensional: labels of any type that can be sorted. Two-dimensional: 0/1 columns, an
        array, a sparse matrix or a data frame, which then names them.

    Examples
    --------
    >>> labels = read_labels(["no", "yes", "no"])
    >>> labels.kind, labels.classes.tolist(), labels.y[:, 0].tolist()
    ('binary', ['no', 'yes'], [False, True, False])
    """
    if y is None:
        raise ValueError("a quantifier requires y to be passed, but the target y is None")
    values = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
    if values.shape[:1] == (0,):
        raise ValueError("y is empty: there are no documents to learn from")
    if values.ndim == 2:
        columns, names = indicator_columns(values), getattr(y, "columns", None)
        numbers = np.arange(columns.shape[1])
        classes = numbers if names is None else np.array(list(names), dtype=object)
        return Labels(columns, classes, "multilabel")
    values = column_or_1d(values)
    check_classification_targets(values)
    classes, codes = np.unique(values, return_inverse=True)
    if len(classes) == 2:
        return Labels((codes == 1)[:, None], classes, "binary")
    return Labels(codes[:, None] == np.arange(len(classes)), classes, "multiclass")
