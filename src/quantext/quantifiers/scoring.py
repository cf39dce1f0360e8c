"""What scikit-learn gets of a quantifier: the score of a bag, and a word where it wants another."""

import inspect
import warnings
from collections import Counter
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.learners.folds import indicator_columns
from quantext.measures import Measure, binary, find_measure
from quantext.scores.labels import Kind
from quantext.vectors.sparse import check_sparse

__all__ = ["bag_score", "tell_of_bags", "true_prevalence"]

Array = NDArray[Any]


def bag_score(
    y: Any, p_hat: Array, *, size: int, classes: Array, kind: Kind, measure: str | Measure
) -> float:
    """Minus the error of an estimate; of several labels, minus the mean of their errors.

    Parameters
    ----------
    y
        Labels of the documents of the bag.
    p_hat
        Estimated prevalence.
    size
        Number of documents that the estimate is of.
    classes, kind
        What the quantifier was fitted to.
    measure
        A name in `MEASURES`, or a function ``f(p_true, p_hat, *, size)``.
    """
    error_of = find_measure(measure)
    p_true = true_prevalence(y, size, classes, kind)
    if kind == "multilabel":
        p_true, p_hat = binary(p_true), binary(p_hat)
    errors = np.asarray(error_of(p_true, p_hat, size=size))
    # One error a label, or their mean if that is what the measure gives.
    if errors.shape not in (p_true.shape[:-1], ()):
        name = getattr(error_of, "__name__", repr(error_of))
        raise ValueError(
            f"{name} gives {errors.size} numbers of a bag, and a score is one; choose a measure "
            "that gives one error, such as kld or ae"
        )
    return float(0.0 - errors.mean())  # 0 − 0 is 0, and −0 would be printed as -0.0


def true_prevalence(y: Any, size: int, classes: Array, kind: Kind) -> Array:
    """Share of each class in the labels of a bag, in the order of the classes.

    Parameters
    ----------
    y
        One-dimensional: classes, some of which may be absent. Two-dimensional: 0/1 columns, one a
        class.
    size
        Number of documents that there should be labels of.
    classes, kind
        What the quantifier was fitted to.

    Examples
    --------
    >>> true_prevalence(["b", "b", "b", "a"], 4, np.array(["a", "b", "c"]), "multiclass")
    array([0.25, 0.75, 0.  ])
    """
    check_sparse(y)
    values = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
    if values.ndim != (2 if kind == "multilabel" else 1):
        asked = "a 0/1 column for each label" if kind == "multilabel" else "one class a document"
        raise ValueError(
            f"y has shape {values.shape}, and the quantifier was fitted to a {kind} y: give {asked}"
        )
    if len(values) != size:
        raise ValueError(f"the bag has {size} documents, and y the labels of {len(values)}")
    if kind == "multilabel":
        _check_columns(values, getattr(y, "columns", None), classes)
        return np.asarray(indicator_columns(values).mean(axis=0))
    counts, known = Counter(values.tolist()), classes.tolist()
    if unknown := [value for value in counts if value not in known]:
        names = ", ".join(map(repr, known[:10])) + ", ..." * (len(known) > 10)
        raise ValueError(
            f"y has the class {unknown[0]!r}, and the quantifier was fitted to {names}; if this is "
            "a fold of a cross-validation, let all folds have all classes: cv=StratifiedKFold(5)"
        )
    return np.array([counts[value] for value in known]) / size


def tell_of_bags() -> None:
    """Raise if scikit-learn's ``cross_val_predict`` asks, warn if a search or validation does.

    Before any work, they ask for the tags of the estimator, to see if it is a classifier. It is the
    one moment to speak: there the user still is in charge and hears it once, whereas predictions
    and scores are asked for in every fold, and maybe in other processes.
    """
    asking = _validation_that_asks()
    if asking is None:
        return
    if asking.f_code.co_name == "cross_val_predict":
        # A Pipeline swallows a TypeError and a ValueError of its last step's tags.
        raise NotImplementedError(
            "cross_val_predict is for predictions of single documents, and a quantifier predicts "
            "one prevalence for a whole bag. Use cross_val_score, where each fold is a bag, or "
            "qx.SearchQ, which draws bags; for predictions of documents, give cross_val_predict "
            "the classifier inside: quantifier.classifier"
        )
    warnings.warn(
        "here each fold is one bag, and its shares are about those of training, so the scores say "
        "little of bags whose shares have moved; qx.SearchQ searches with bags that are drawn by a "
        "protocol, and shares the cross-validation between them",
        UserWarning,
        stacklevel=_level_of_the_caller(),
    )


def _validation_that_asks() -> FrameType | None:
    """Frame of the function in ``sklearn.model_selection`` that waits for these tags, if any."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_name != "is_classifier":
        frame = frame.f_back
    asking = frame.f_back if frame else None
    return asking if asking and _is_in(asking, "sklearn.model_selection.") else None


def _level_of_the_caller() -> int:
    """Level, for a warning of the calling function, of the first frame outside of libraries."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and _is_in(frame, "sklearn.", "quantext."):
        frame, level = frame.f_back, level + 1
    return level


def _is_in(frame: FrameType, *packages: str) -> bool:
    """Whether the code of a frame is of one of these packages."""
    return str(frame.f_globals.get("__name__")).startswith(packages)


def _check_columns(values: Array, names: Any, classes: Array) -> None:
    """Raise unless the columns of a multi-label y are those that the quantifier was fitted to."""
    if values.shape[1] != len(classes):
        raise ValueError(
            f"y has {values.shape[1]} columns, and the quantifier was fitted to {len(classes)}"
        )
    # Columns without names are numbered, and their order is all there is.
    if names is not None and classes.dtype.kind != "i" and list(names) != classes.tolist():
        raise ValueError(
            f"y has the columns {', '.join(map(str, names))}, and the quantifier was fitted to "
            f"{', '.join(map(str, classes))}, in this order"
        )
