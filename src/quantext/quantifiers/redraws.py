"""Redraws: training documents and bags, drawn anew from out-of-fold scores."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import kernel
from quantext.scores.training import ScoresByClass

__all__ = ["Documents", "count_bags", "in_all_rows", "pick_bags", "redraw_training"]

Array = NDArray[Any]

_FEW_ROWS = 64
_MANY_DOCUMENTS = 50  # of a bag, for each row
_AT_A_TIME = 2**12  # documents that are drawn


@dataclass(frozen=True)
class Documents:
    """Training documents, from which others are drawn.

    Parameters
    ----------
    training
        Their scores in distinct rows.
    rows
        Row of each document, one class after the other.
    ends
        Where each class ends among these.
    """

    training: ScoresByClass
    rows: Array
    ends: Array

    @classmethod
    def of(cls, training: ScoresByClass) -> Self:
        """Documents with these scores, in distinct rows or not."""
        scores, row_of = np.unique(training.scores, axis=0, return_inverse=True)
        own = [np.repeat(row_of.reshape(-1), counts) for counts in training.counts.T]
        counts = np.column_stack([np.bincount(rows, minlength=len(scores)) for rows in own])
        ends = np.cumsum([len(rows) for rows in own])
        return cls(ScoresByClass(scores, counts), np.concatenate(own), ends)

    @property
    def counts(self) -> Array:
        """Documents of each class."""
        return np.diff(self.ends, prepend=0)

    def possible(self, p: Array) -> Array:
        """The same prevalences, shape (B, K), without classes that have no documents to draw from.

        A classifier may find such classes.

        Parameters
        ----------
        p
            Prevalences, shape (B, K).
        """
        known = self.counts > 0
        left = np.where(known, p, 0.0)
        total = left.sum(axis=1, keepdims=True)
        even = known / known.sum()
        return np.where(total > 0, left / np.where(total > 0, total, 1.0), even)

    def draw_training(self, replicates: int, rng: np.random.Generator) -> Array:
        """How many documents of each class have each row, shape (replicates, K, rows).

        Each class has as many as in training, drawn from its own.

        Parameters
        ----------
        replicates
            How many times.
        rng
            Source of randomness.
        """
        n_rows = len(self.training.scores)
        redrawn = np.zeros((replicates, len(self.ends), n_rows), dtype=np.int64)
        if n_rows > _FEW_ROWS:
            redraw_training(rng, self.rows, self.ends, redrawn)
            return redrawn
        for k, (n, own) in enumerate(zip(self.counts, self.training.counts.T, strict=True)):
            if n:
                redrawn[:, k] = rng.multinomial(n, own / n, replicates)
        return redrawn

    def draw_bags(
        self, p: Array, size: int, replicates: int, rng: np.random.Generator
    ) -> tuple[Array, Array, Array]:
        """Classes of bags, shape (replicates, K), and of their documents rows and numbers, (., n).

        ``numbers[r, i]`` documents of bag r have row ``rows[r, i]``. Of a small bag the documents
        are there one by one, of a large one all rows.

        Parameters
        ----------
        p
            Prevalence of each class.
        size
            Number of documents in a bag.
        replicates
            Number of bags.
        rng
            Source of randomness.
        """
        classes = rng.multinomial(size, p, replicates)
        n_rows = len(self.training.scores)
        if n_rows <= max(_FEW_ROWS, size / _MANY_DOCUMENTS):
            # Its time does not depend on the size of the bag.
            numbers = np.zeros((replicates, n_rows), dtype=np.int64)
            for k, (n, own) in enumerate(zip(self.counts, self.training.counts.T, strict=True)):
                if n:
                    numbers += rng.multinomial(classes[:, k], own / n)
            return classes, *in_all_rows(numbers)
        if size <= n_rows:
            rows = np.empty((replicates, size), dtype=np.int64)
            pick_bags(rng, self.rows, self.ends, classes, rows)
            return classes, rows, np.ones_like(rows)
        numbers = np.zeros((replicates, n_rows), dtype=np.int64)
        count_bags(rng, self.rows, self.ends, classes, numbers)
        return classes, *in_all_rows(numbers)


def in_all_rows(numbers: Array) -> tuple[Array, Array]:
    """Rows and numbers of documents of bags, given how many have each row.

    Parameters
    ----------
    numbers
        Shape (R, rows).
    """
    rows = np.empty_like(numbers)
    rows[:] = np.arange(numbers.shape[1])
    return rows, numbers


@kernel
def redraw_training(rng: np.random.Generator, rows: Array, ends: Array, counts: Array) -> None:
    """Count by row the documents that are redrawn of each class, as many as there are.

    Parameters
    ----------
    rng
        Source of randomness.
    rows, ends
        Rows of the documents of all classes, one class after the other, and where each ends.
    counts
        Zeros, shape (R, K, rows), to be added to.
    """
    for r in range(len(counts)):
        start = 0
        for k in range(len(ends)):
            own = rows[start : ends[k]]
            start = ends[k]
            if len(own):
                for drawn in rng.integers(0, len(own), len(own)):
                    counts[r, k, own[drawn]] += 1


@kernel
def pick_bags(
    rng: np.random.Generator, rows: Array, ends: Array, classes: Array, picked: Array
) -> None:
    """Draw the rows of the documents of bags, class after class.

    Parameters
    ----------
    rng, rows, ends
        As in `redraw_training`.
    classes
        Documents of each class in each bag, shape (R, K).
    picked
        Where the rows go, shape (R, size).
    """
    for r in range(len(classes)):
        start, place = 0, 0
        for k in range(len(ends)):
            own = rows[start : ends[k]]
            start = ends[k]
            if classes[r, k]:
                for drawn in rng.integers(0, len(own), classes[r, k]):
                    picked[r, place] = own[drawn]
                    place += 1


@kernel
def count_bags(
    rng: np.random.Generator, rows: Array, ends: Array, classes: Array, counts: Array
) -> None:
    """Count by row the documents of bags, of as many documents as it may be.

    Parameters
    ----------
    rng, rows, ends, classes
        As in `pick_bags`.
    counts
        Zeros, shape (R, rows), to be added to.
    """
    for r in range(len(classes)):
        start = 0
        for k in range(len(ends)):
            own = rows[start : ends[k]]
            start = ends[k]
            left = classes[r, k]
            while left > 0:  # some at a time, so that a large bag takes no memory
                n = min(left, _AT_A_TIME)
                for drawn in rng.integers(0, len(own), n):
                    counts[r, own[drawn]] += 1
                left -= n
