"""Summaries: how a bag reaches a method, whole or in parts."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quantext.quantifiers.weights import Weights

__all__ = [
    "FEATURE_UNIT",
    "UNIT",
    "CoarseTally",
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
        # Not in floating point, for sums of weighted documents may be above 2^53.
        total, totals = np.zeros(n, np.int64), np.zeros((n, sums.shape[1]), np.int64)
        np.add.at(total, inverse, counts)
        np.add.at(totals, inverse, sums)
        return cls(distinct, total, totals, lost)


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
        return a.keys.shape[1:] == b.keys.shape[1:]
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
