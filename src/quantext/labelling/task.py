"""What is asked of people, what was drawn for them, and what they said."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Labels", "Task", "Wave", "check_waves", "places_of"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Task:
    """What is asked of people.

    Parameters
    ----------
    classes
        Names, each another; at least two, or one if ``several``.
    several
        Whether a document may have several classes, or none.
    target
        Half width of the intervals at which there are labels enough.
    level
        Of the intervals.
    seed
        Of all draws: the same task and labels give the same waves.
    """

    classes: tuple[str, ...]
    several: bool = False
    target: float = 0.03
    level: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        least = 1 if self.several else 2
        if len(self.classes) < least:
            raise ValueError(
                f"there are {len(self.classes)} classes; name {least} or more, or let a document "
                "have several"
            )
        if len(set(self.classes)) < len(self.classes):
            raise ValueError(f"classes are named twice: {', '.join(self.classes)}")
        if not 0 < self.target < 0.5:
            raise ValueError(
                f"target is {self.target}; it is half the width of an interval, as a share such as "
                "0.03 for three points"
            )
        # As quantifiers check it, but without importing them: they take seconds.
        if not 0 < self.level < 1:
            raise ValueError(
                f"level is {self.level}; it is a share of intervals between 0 and 1, such as 0.95"
            )
        if self.seed < 0:
            raise ValueError(f"seed must not be negative, but is {self.seed}")


@dataclass(frozen=True, eq=False)
class Wave:
    """Documents that were drawn together, in the order in which they are shown.

    The order is random: the first m of n are a sample with m/n times the chances.

    Parameters
    ----------
    rows
        Numbers of the documents, counted from 0; shape (n,).
    chances
        Probability with which each was drawn, given what was drawn before it; shape (n,).
    number
        Of the wave, counted from 0.
    """

    rows: NDArray[np.int64]
    chances: NDArray[np.float64]
    number: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", np.asarray(self.rows, dtype=np.int64))
        object.__setattr__(self, "chances", np.asarray(self.chances, dtype=np.float64))
        if self.rows.ndim != 1 or self.rows.shape != self.chances.shape:
            raise ValueError(
                f"wave {self.number} has rows of shape {self.rows.shape} and chances of shape "
                f"{self.chances.shape}; give one chance for each row"
            )
        if not ((self.chances > 0) & (self.chances <= 1)).all():
            raise ValueError(
                f"wave {self.number} has a chance that is no probability above 0 and at most 1"
            )

    def __len__(self) -> int:
        return len(self.rows)


def _no_rows() -> NDArray[np.int64]:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Labels:
    """What people said: each document once.

    Parameters
    ----------
    rows
        Documents whose truth is known, in any order; shape (m,).
    truths
        Whether each is of each class, shape (m, K).
    skipped
        Documents of which nobody could say.
    """

    rows: NDArray[np.int64]
    truths: NDArray[np.bool_]
    skipped: NDArray[np.int64] = field(default_factory=_no_rows)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", np.asarray(self.rows, dtype=np.int64).reshape(-1))
        object.__setattr__(self, "truths", np.asarray(self.truths, dtype=bool))
        object.__setattr__(self, "skipped", np.asarray(self.skipped, dtype=np.int64).reshape(-1))
        if self.truths.ndim != 2 or len(self.truths) != len(self.rows):
            raise ValueError(
                f"there are {len(self.rows)} rows and truths of shape {self.truths.shape}; give a "
                "line of one value a class for each row"
            )
        every = np.concatenate([self.rows, self.skipped])
        if len(np.unique(every)) < len(every):
            numbers, counts = np.unique(every, return_counts=True)
            raise ValueError(
                f"row {numbers[counts > 1][0]} is labelled or skipped more than once; settle on one"
            )

    def __len__(self) -> int:
        return len(self.rows)


def places_of(wanted: Array, rows: Array) -> NDArray[np.int64]:
    """Place of each wanted row among others that differ, −1 where it is not among them.

    Parameters
    ----------
    wanted, rows
        Numbers of documents.

    Examples
    --------
    >>> places_of(np.array([7, 3, 5]), np.array([5, 7])).tolist()
    [1, -1, 0]
    """
    if not len(rows):
        return np.full(len(wanted), -1, dtype=np.int64)
    order = np.argsort(rows, kind="stable")
    near = order[np.minimum(np.searchsorted(rows, wanted, sorter=order), len(rows) - 1)]
    return np.where(rows[near] == wanted, near, -1).astype(np.int64)


def check_waves(task: Task, n_documents: int, waves: Sequence[Wave], labels: Labels) -> None:
    """Raise if waves and labels do not belong together.

    Parameters
    ----------
    task
        What is asked.
    n_documents
        How many there are in all.
    waves
        All so far, in order.
    labels
        Of documents of these.
    """
    if labels.truths.shape[1] != len(task.classes):
        raise ValueError(
            f"truths have {labels.truths.shape[1]} columns, but there are {len(task.classes)} "
            "classes; give a column for each"
        )
    if not task.several and not (labels.truths.sum(axis=1) == 1).all():
        row = labels.rows[int(np.argmax(labels.truths.sum(axis=1) != 1))]
        raise ValueError(f"row {row} must have exactly one class; only with several it may differ")
    if not waves:
        raise ValueError("there are no waves; first_wave draws one")
    for number, wave in enumerate(waves):
        if wave.number != number:
            raise ValueError(f"wave {wave.number} stands where wave {number} belongs")
    drawn = np.concatenate([wave.rows for wave in waves])
    if len(drawn) and not (drawn.min() >= 0 and drawn.max() < n_documents):
        raise ValueError(f"a wave has a row that is not from 0 to {n_documents - 1}")
    if len(np.unique(drawn)) < len(drawn):
        raise ValueError("a document was drawn twice; are these the waves of one task?")
    every = np.concatenate([labels.rows, labels.skipped])
    if len(stray := every[places_of(every, drawn) < 0]):
        raise ValueError(
            f"row {stray[0]} has a label but was drawn in no wave, so that its chance is not "
            "known; leave it out"
        )
