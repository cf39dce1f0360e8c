"""Consistency: whether training scores, from a file or for one, fit each other."""

from typing import Any

from quantext.models.files.fields import parts
from quantext.models.files.flaws import ModelFileError, check_memory
from quantext.quantifiers import Quantifier
from quantext.scores.training import TrainingScores

__all__ = ["check_effort", "check_scores", "n_columns", "n_features"]

_STEPS_OF_A_CLASS = 2**19  # what a class costs however few documents there are, in steps of one
_STEPS_OF_A_BYTE = 4


def n_columns(scores: TrainingScores) -> int:
    """Number of scores of a document.

    Parameters
    ----------
    scores
        Of training.
    """
    columns = scores.y if scores.out_of_fold is None else scores.out_of_fold
    return int(columns.shape[1])


def n_features(scores: TrainingScores) -> int | None:
    """Number of features that documents must have, if any part of the scores knows it.

    Parameters
    ----------
    scores
        Of training.
    """
    known = {int(part.n_features) for part in parts(scores) if hasattr(part, "n_features")}
    if len(known) > 1:
        raise ValueError(f"its parts are of documents of {sorted(known)} features")
    return known.pop() if known else None


def check_scores(scores: TrainingScores) -> None:
    """Raise ValueError if the parts of training scores do not fit each other.

    Each dataclass that they hold is asked: its method ``check(n_columns)``, if it has one, raises.

    Parameters
    ----------
    scores
        Of training.
    """
    y, out_of_fold, n_classes = scores.y, scores.out_of_fold, len(scores.classes)
    if y.ndim != 2 or not y.size or scores.classes.ndim != 1:
        raise ValueError("the labels are not columns with documents")
    m = y.shape[1]
    if (m, n_classes) != ((1, 2) if scores.kind == "binary" else (n_classes, n_classes)):
        raise ValueError(f"there are {m} columns of labels for {n_classes} classes")
    if scores.kind == "multiclass" and not (y.sum(axis=1) == 1).all():
        raise ValueError("a training document is not in exactly one class")
    if scores.features is not None and scores.features.sums.shape[0] != m:
        raise ValueError("the sums of the features are not a row for each label")
    if out_of_fold is not None:
        if out_of_fold.ndim != 2 or len(out_of_fold) != len(y) or not out_of_fold.size:
            raise ValueError("the out-of-fold scores are not a row for each document")
        if out_of_fold.dtype.kind != "f":
            raise ValueError("the out-of-fold scores are no fractions")
    for part in parts(scores):
        check: Any = getattr(part, "check", None)
        if check is not None:
            check(n_columns(scores))
    n_features(scores)


def check_effort(quantifier: Quantifier, scores: TrainingScores, memory_limit: int) -> None:
    """Raise `ModelFileError` if learning from the scores would take too much memory or time.

    Parameters
    ----------
    quantifier
        That is to learn.
    scores
        Of a file.
    memory_limit
        Bytes that the model may take; time is measured by it too, since a file that is large may
        take longer.
    """
    y = scores.y
    check_memory(quantifier.learning_bytes(scores), memory_limit)
    # Each class is learned against all others, which are counted anew each time.
    steps = y.shape[1] * (_STEPS_OF_A_CLASS + (y.size if scores.kind == "multiclass" else len(y)))
    if steps > _STEPS_OF_A_BYTE * memory_limit:
        raise ModelFileError(
            f"has {y.shape[1]:,} classes of {len(y):,} documents, which take longer to learn from "
            "than a file like it may; if you trust it, load it with "
            f"max_bytes={-(-steps // _STEPS_OF_A_BYTE)}"
        )
