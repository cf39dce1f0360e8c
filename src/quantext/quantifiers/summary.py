"""Summaries: how a bag reaches a method, whole or in parts."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["CoarseTally", "Counts", "Summary", "Tally"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Tally:
    """How many documents fell on each key, for keys too many to hold those that none fell on.

    Parameters
    ----------
    keys
        Distinct and sorted: shape (r,), or (r, k) where a key is a row.
    counts
        Documents on each key, shape (r,).
    """

    keys: Array
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, keys: Array, weights: Array | None = None) -> Self:
        """Tally of keys that may repeat, each as often as its weight says.

        Examples
        --------
        >>> tally = Tally.of(np.array([5, 2, 5])) + Tally.of(np.array([7]))
        >>> tally.keys.tolist(), tally.counts.tolist()
        ([2, 5, 7], [1, 2, 1])
        """
        if weights is None:
            distinct, counts = np.unique(keys, axis=0, return_counts=True)
            return cls(distinct, counts.astype(np.int64))
        keys, weights = keys[weights > 0], weights[weights > 0]
        distinct, inverse = np.unique(keys, axis=0, return_inverse=True)
        # Sums of whole numbers below 2^53 are exact in floating point.
        counts = np.bincount(inverse.reshape(-1), weights, len(distinct))
        return cls(distinct, counts.astype(np.int64))

    def __add__(self, other: "Tally") -> "Tally":
        return Tally.of(
            np.concatenate([self.keys, other.keys]), np.concatenate([self.counts, other.counts])
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        return np.array_equal(self.keys, other.keys) and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class CoarseTally(Tally):
    """A tally of rows of 16-bit numbers that are told apart by 8 bits where they are many.

    Rows that are put together stand for their mean, so little is lost. Whether they are does not
    depend on the parts in which they came, nor on their order: only on all of them together.

    Parameters
    ----------
    keys
        Distinct and sorted rows of numbers; if they are many, without their last 8 bits.
    counts
        Documents on each key.
    sums
        Sums of the numbers, with all their bits, over the documents on each key.
    lost
        How many bits the keys are without: 0 or 8.
    """

    sums: NDArray[np.int64]
    lost: int = 0
    most_keys: ClassVar[int] = 2**17  # that are told apart by all 16 bits

    @classmethod
    def of(cls, keys: Array, weights: Array | None = None) -> Self:
        """Tally of rows that may repeat, each as often as its weight says."""
        tally = Tally.of(keys, weights)
        sums = tally.keys * tally.counts[:, np.newaxis]
        return cls(tally.keys, tally.counts, sums)._coarsened()

    def __add__(self, other: Tally) -> Self:
        if not isinstance(other, CoarseTally):
            return NotImplemented
        lost = max(self.lost, other.lost)
        keys = [tally.keys >> (lost - tally.lost) for tally in (self, other)]
        counts = np.concatenate([self.counts, other.counts])
        sums = np.concatenate([self.sums, other.sums])
        return self._grouped(np.concatenate(keys), counts, sums, lost)._coarsened()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CoarseTally):
            return NotImplemented
        same_sums = np.array_equal(self.sums, other.sums)
        return self.lost == other.lost and same_sums and super().__eq__(other)

    __hash__ = None

    def means(self) -> NDArray[np.float64]:
        """Mean row of the documents on each key."""
        return np.asarray(self.sums / self.counts[:, np.newaxis])

    def _coarsened(self) -> Self:
        """The same, in coarse keys if there are too many fine ones."""
        if self.lost or len(self.keys) <= self.most_keys:
            return self
        return self._grouped(self.keys >> 8, self.counts, self.sums, 8)

    @classmethod
    def _grouped(cls, keys: Array, counts: Array, sums: Array, lost: int) -> Self:
        """Tally of keys that may repeat."""
        distinct, inverse = np.unique(keys, axis=0, return_inverse=True)
        inverse, n = inverse.reshape(-1), len(distinct)
        # Sums of whole numbers below 2^53 are exact in floating point.
        columns = [np.bincount(inverse, values, n) for values in (counts, *sums.T)]
        whole = np.column_stack(columns).astype(np.int64)
        return cls(distinct, whole[:, 0].copy(), whole[:, 1:].copy(), lost)


Counts = Array | Tally


@dataclass(frozen=True, eq=False)
class Summary:
    """All that a method needs to know of a bag: whole numbers, which add up exactly.

    The summary of a bag is the sum of its parts' summaries, so a bag may come in chunks, from
    files or from a cluster: ``reduce(add, map(quantifier.summarise, chunks))``.

    Parameters
    ----------
    size
        Number of documents.
    counts
        What the method counts, for each of its problems.
    """

    size: int
    counts: tuple[Counts, ...]

    def __add__(self, other: "Summary") -> "Summary":
        if not isinstance(other, Summary):
            return NotImplemented
        if len(self.counts) != len(other.counts) or any(
            _width(a) != _width(b) for a, b in zip(self.counts, other.counts, strict=True)
        ):
            raise ValueError("these summaries are of different quantifiers and do not add up")
        pairs = zip(self.counts, other.counts, strict=True)
        return Summary(self.size + other.size, tuple(a + b for a, b in pairs))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Summary):
            return NotImplemented
        return (
            self.size == other.size
            and len(self.counts) == len(other.counts)
            and all(map(_same, self.counts, other.counts))
        )

    __hash__ = None  # type: ignore[assignment]


def _width(counts: Counts) -> tuple[int, ...]:
    """Shape of what can be added to the counts."""
    return (-1, *counts.keys.shape[1:]) if isinstance(counts, Tally) else counts.shape


def _same(a: Counts, b: Counts) -> bool:
    return a == b if isinstance(a, Tally) or isinstance(b, Tally) else np.array_equal(a, b)
