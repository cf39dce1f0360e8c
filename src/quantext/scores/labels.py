"""Labels of any type as boolean columns."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _num_samples

from quantext.learners.folds import indicator_columns
from quantext.scores.label_types import check_column, label_array
from quantext.vectors.sparse import check_sparse

__all__ = ["Kind", "Labels", "check_labelled", "check_lengths", "read_labels"]

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
        One-dimensional: strings, whole numbers, booleans or dates, all of one type.
        Two-dimensional: 0/1 columns, an array, a sparse matrix or a data frame, which then names
        them.

    Examples
    --------
    >>> labels = read_labels(["no", "yes", "no"])
    >>> labels.kind, labels.classes.tolist(), labels.y[:, 0].tolist()
    ('binary', ['no', 'yes'], [False, True, False])
    """
    check_labelled(y)
    values = label_array(y)
    if not len(values):
        raise ValueError("y is empty: there are no documents to learn from")
    if values.ndim == 2:
        columns, names = indicator_columns(values), getattr(y, "columns", None)
        numbers = np.arange(columns.shape[1])
        classes = numbers if names is None else np.array(list(names), dtype=object)
        return Labels(columns, classes, "multilabel")
    classes, codes = np.unique(values, return_inverse=True)
    if len(classes) == 2:
        return Labels((codes == 1)[:, None], classes, "binary")
    return Labels(codes[:, None] == np.arange(len(classes)), classes, "multiclass")


def check_lengths(X: Any, labels: Labels) -> None:
    """Raise unless there are labels for each document, and for no more."""
    if (n := _num_samples(X)) != len(labels.y):
        raise ValueError(f"X has {n} documents but y has labels for {len(labels.y)}")


def check_labelled(y: Any) -> None:
    """Raise if there are no labels, or a document has none: None, NaN, NaT, NA or masked.

    A sparse matrix must be well-formed.

    Parameters
    ----------
    y
        As in `read_labels`.

    Examples
    --------
    >>> check_labelled(["no", "yes", None])
    Traceback (most recent call last):
    ValueError: y[2] is None: that document has no label; give it one, or leave it out
    """
    if y is None:
        raise ValueError("a quantifier requires y to be passed, but the target y is None")
    check_column(y)
    if hasattr(y, "toarray"):  # sparse, so numbers, which are looked at later
        check_sparse(y)
        return
    # Not by NumPy, which makes a text of a NaN among texts.
    values = y if isinstance(y, np.ndarray) else np.array(_listed(y), dtype=object)
    missing = _missing(values)
    if missing.any():
        place = tuple(np.argwhere(missing)[0].tolist())
        said = "NaN" if values.dtype.kind == "f" else values[place]
        where = ", ".join(map(str, place))
        raise ValueError(
            f"y[{where}] is {said}: that document has no label; give it one, or leave it out"
        )


def _listed(y: Any) -> Any:
    """Labels as Python has them, of a column or data frame of polars or pandas, or anything else.

    A data frame of polars is one of lists if it is made an array at once.
    """
    if hasattr(y, "rows"):
        return y.rows()
    return y.to_numpy() if hasattr(y, "iloc") else list(y)


def _missing(values: Array) -> NDArray[np.bool_]:
    """Which values are no label."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        return np.ma.getmaskarray(values)
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind != "O":
        return np.zeros(values.shape, np.bool_)
    return np.asarray(np.vectorize(_is_missing, otypes=[bool])(values))


def _is_missing(value: Any) -> bool:
    numbers = float | np.floating | np.datetime64 | np.timedelta64
    nan = isinstance(value, numbers) and value != value
    # By name, for pandas is no dependency.
    return value is None or bool(nan) or type(value).__name__ in ("NAType", "NaTType")
