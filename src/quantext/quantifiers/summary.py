"""Summaries: how a bag reaches a method, whole or in parts."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quantext.quantifiers.weights import Weights

__all__ = [
    "FEATURE_UNIT",
    "UNIT",
    "CoarseTally",
    "MeanTally",
    "Summary",
    "Tally",
    "exact_sums",
    "feature_sums",
]

Array = NDArray[Any]

UNIT = 2**44  # posteriors are summed in whole numbers of 1/UNIT
_HALF = 22  # bits of a posterior that are summed at a time
_FEW = 2**18  # posteriors whose sum is below 2^62
_LOW = 16  # bits of a weight that are
FEATURE_UNIT = 2**24  # features are summed in whole numbers of 1/FEATURE_UNIT


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
class MeanTally(Tally):
    """A tally of 32-bit numbers, or rows of them, that are told apart but for their last bits.

    Numbers that share a key stand for their mean, so what is lost is of second order.

    Parameters
    ----------
    keys
        Distinct and sorted: the numbers without their last bits.
    counts
        Documents on each key.
    sums
        Sums of the last bits over the documents on each key, in the shape of the keys.
    lost
        How many bits the keys are without: 16 at most, so that weighted sums fit 64 bits.
    """

    sums: NDArray[np.int64]
    lost: int
    finest: ClassVar[int] = 16  # bits that keys are always without

    @classmethod
    def of(cls, keys: Array, weights: Array | None = None) -> Self:
        """Tally of numbers that may repeat, each as often as its weight says.

        Examples
        --------
        >>> tally = MeanTally.of(np.array([196616, 327680, 196618], dtype=np.int32))
        >>> tally.keys.tolist(), tally.counts.tolist(), (tally.means() / 2**16).tolist()
        ([3, 5], [2, 1], [3.0001373291015625, 5.0])
        """
        counts = np.ones(len(keys), np.int64) if weights is None else weights.astype(np.int64)
        there = counts > 0
        keys, counts = keys[there], counts[there]
        low = keys.astype(np.int64) & (2**cls.finest - 1)
        sums = (low.T * counts).T
        return cls._grouped(_shortened(keys, cls.finest, cls.finest), counts, sums, cls.finest)

    def __add__(self, other: Tally) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        lost = max(self.lost, other.lost)
        a, b = self._without(lost), other._without(lost)
        keys = np.concatenate([a.keys, b.keys])
        counts = np.concatenate([a.counts, b.counts])
        return self._grouped(keys, counts, np.concatenate([a.sums, b.sums]), lost)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MeanTally):
            return NotImplemented
        same_sums = np.array_equal(self.sums, other.sums)
        return self.lost == other.lost and same_sums and super().__eq__(other)

    __hash__ = None

    def means(self) -> NDArray[np.float64]:
        """Mean number, or row, of the documents on each key."""
        return np.asarray(self.keys * 2.0**self.lost + (self.sums.T / self.counts).T)

    def _without(self, lost: int) -> Self:
        """The same in keys that are without so many bits, and may repeat."""
        more = lost - self.lost
        if not more:
            return self
        low = (self.keys.astype(np.int64) & (2**more - 1)) << self.lost
        sums = self.sums + (low.T * self.counts).T
        return replace(self, keys=_shortened(self.keys, more, lost), sums=sums, lost=lost)

    @classmethod
    def _grouped(cls, keys: Array, counts: Array, sums: Array, lost: int) -> Self:
        """Tally of keys that may repeat."""
        if keys.ndim == 1:
            order = np.argsort(keys, kind="stable")
            differs = np.diff(keys[order]) != 0
        else:
            order = np.lexsort(keys.T[::-1])
            differs = np.diff(keys[order], axis=0).any(axis=1)
        first = np.flatnonzero(np.concatenate([[len(keys) > 0], differs]))
        # Not in floating point, for sums of weighted documents may be above 2^53.
        total, totals = (np.add.reduceat(own[order], first, axis=0) for own in (counts, sums))
        return cls(keys[order][first], total, totals, lost)


def _shortened(keys: Array, bits: int, lost: int) -> Array:
    """Keys without their last bits; as 16-bit numbers, which sort fastest, if 16 of 32 are lost."""
    return (keys >> bits).astype(np.int16 if lost == MeanTally.finest else np.int32)


@dataclass(frozen=True, eq=False)
class CoarseTally(MeanTally):
    """A tally of rows that are told apart by all but 8 bits or, where they are many, but for 16.

    Whether they are many does not depend on the parts in which they came, nor on their order: only
    on all of them together.
    """

    finest: ClassVar[int] = 8
    most_keys: ClassVar[int] = 2**17  # that are without 8 bits

    @classmethod
    def _grouped(cls, keys: Array, counts: Array, sums: Array, lost: int) -> Self:
        tally = super()._grouped(keys, counts, sums, lost)
        if tally.lost > cls.finest or len(tally.keys) <= cls.most_keys:
            return tally
        coarse = tally._without(MeanTally.finest)
        return super()._grouped(coarse.keys, coarse.counts, coarse.sums, coarse.lost)


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
        What the method counts, for each of its problems: arrays, sparse ones too, anything else
        that has ``+`` and ``==``, or tuples of these, which add up item by item.
    weights
        Of the documents; None: each counts once.
    """

    size: int
    counts: tuple[Any, ...]
    weights: Weights | None = None

    @property
    def total(self) -> int:
        """What counts are out of: the number of documents, or the sum of their weights."""
        return self.size if self.weights is None else self.weights.total

    @property
    def effective_size(self) -> int:
        """Number of documents that say as much, if each counts once."""
        return self.size if self.weights is None else self.weights.effective_size

    def __add__(self, other: "Summary") -> "Summary":
        if not isinstance(other, Summary):
            return NotImplemented
        if self.weights is None or other.weights is None:
            if self.weights is not other.weights:
                raise ValueError("one of these summaries has weights, and the other has none")
            return Summary(self.size + other.size, _added(self.counts, other.counts))
        weights = self.weights + other.weights  # first, for it raises if they are too much to add
        return Summary(self.size + other.size, _added(self.counts, other.counts), weights)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Summary):
            return NotImplemented
        alike = self.size == other.size and self.weights == other.weights
        return alike and _same(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]


def _added(a: Any, b: Any) -> Any:
    if not _alike(a, b):
        raise ValueError("these summaries are of different quantifiers and do not add up")
    if isinstance(a, tuple):
        return tuple(map(_added, a, b))
    return a + b


def _alike(a: Any, b: Any) -> bool:
    """Whether counts are of the same make, so that their sum means something."""
    if isinstance(a, Tally) and isinstance(b, Tally):
        return type(a) is type(b) and a.keys.shape[1:] == b.keys.shape[1:]
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b)
    return type(a) is type(b) and getattr(a, "shape", None) == getattr(b, "shape", None)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    if sparse.issparse(a) and sparse.issparse(b):
        difference: Any = a != b
        return not difference.nnz
    return bool(a == b)


def exact_sums(values: Array, weights: Array | None = None) -> Array:
    """Sum of each column in whole numbers of 1/UNIT, as Python's integers, which never overflow.

    A sum in floating point depends on the order of the documents; this does not, and is exact to
    3·10⁻¹⁴ a document however many there are.

    Parameters
    ----------
    values
        Shape (n, k), between −1 and 1.
    weights
        How many documents each row stands for; one each by default.
    """
    whole = np.rint(values * UNIT).astype(np.int64)
    if weights is None and len(whole) <= _FEW:
        # Along the rows, sums of a few columns take several times as long.
        return np.asarray(np.ascontiguousarray(whole.T).sum(axis=1).astype(object))
    # In two halves, so that 2^40 documents fit in 64 bits.
    halves = (whole >> _HALF, whole & (2**_HALF - 1))
    if weights is None:
        high, low = (half.sum(axis=0).astype(object) for half in halves)
    else:  # these too in two, as they may be in small units
        parts = (weights >> _LOW, weights & (2**_LOW - 1))
        (a, b), (c, d) = ([(part @ half).astype(object) for part in parts] for half in halves)
        high, low = a * 2**_LOW + b, c * 2**_LOW + d
    return np.asarray(high * 2**_HALF + low)


def feature_sums(X: Any, columns: Array) -> NDArray[np.int64]:
    """Sums of some features over the documents of a bag, in whole numbers of 1/FEATURE_UNIT.

    They fit 64 bits as long as the sums stay below 2³⁹; float32 has no more digits than they keep.

    Parameters
    ----------
    X
        Documents: array or sparse matrix.
    columns
        Which features, ascending.
    """
    place = np.full(X.shape[1], -1)
    place[columns] = np.arange(len(columns))
    rows = sparse.csr_array(X)
    at = place[rows.indices]
    known = at >= 0
    whole = np.rint(rows.data[known].astype(np.float64) * FEATURE_UNIT).astype(np.int64)
    sums = np.zeros(len(columns), np.int64)
    np.add.at(sums, at[known], whole)
    return sums
