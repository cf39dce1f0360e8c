"""Many bags at once, where there is one class to estimate: as each by itself, but for rounding."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quantext.kernels import kernel
from quantext.quantifiers.adaptive.change import COHERENCE, least_change
from quantext.quantifiers.adaptive.estimating import Bags, find_shares
from quantext.quantifiers.adaptive.grid import POSTERIOR, find_bins, tally
from quantext.quantifiers.adaptive.learning import Learned
from quantext.quantifiers.adaptive.prior import bag_prior
from quantext.vectors.sparse import check_sparse, without_duplicates

__all__ = ["can_estimate_many", "find_many_shares", "read_words"]

Array = NDArray[Any]

_AT_ONCE = 128  # bags: bounds the memory


def can_estimate_many(learned: Learned, X: Any) -> bool:
    """Whether `find_many_shares` says what ``find_shares`` does.

    Parameters
    ----------
    learned
        From training.
    X
        Documents, or None.
    """
    one = len(learned.p_train) == 1 and bool(learned.known[0])
    return one and (learned.words is None or X is None or sparse.issparse(X))


def find_many_shares(learned: Learned, scores: Array, X: Any, bags: Sequence[Array]) -> Array:
    """Share of the class in each bag, shape (n, 1).

    Parameters
    ----------
    learned
        From training, where there is one class, or label, to estimate.
    scores, X
        Of documents.
    bags
        Places of the documents of each bag.
    """
    sizes = np.array([len(bag) for bag in bags])
    bins = find_bins(learned.slope, learned.offset, scores)[:, 0]
    rows = None
    if learned.words is not None and X is not None:
        check_sparse(X)
        rows = without_duplicates(X.tocsr())
    p = np.empty((len(bags), 1))
    for size in np.unique(sizes).tolist():
        log_prior = bag_prior(learned.population, size)[None]
        places = np.flatnonzero(sizes == size)
        for start in range(0, len(places), _AT_ONCE):
            now = places[start : start + _AT_ONCE]
            documents = np.array([bags[number] for number in now])
            # One at a time: a product of all of them would wake the threads of a library.
            mean = np.array([tally(own) / size @ POSTERIOR for own in bins[documents]])[:, None]
            change = _Change.of(learned, rows, documents).at
            some = Bags(sizes[now], mean, change)
            priors = np.broadcast_to(log_prior, (len(now), *log_prior.shape[1:]))
            p[now] = find_shares(learned, some, priors).p
    return p


class _Change:
    """What `measure_change` says of each bag: a square of its share, whose terms are known.

    The change of a word that shares leave unexplained is a - p e, with what its share is less what
    it is without the class, a, and what the class adds to it, e.
    """

    def __init__(self, learned: Learned, terms: Array | None, size: int) -> None:
        self._learned, self._terms, self._size = learned, terms, size

    @classmethod
    def of(cls, learned: Learned, rows: Any, documents: Array) -> "_Change":
        if rows is None:
            return cls(learned, None, documents.shape[1])
        words = learned.words
        assert words is not None
        n_words = len(words.columns)
        place = np.full(rows.shape[1], n_words, dtype=np.uint32)
        place[words.columns] = np.arange(n_words)
        terms = np.empty((len(documents), 2))
        csr = rows.indptr, rows.indices, rows.data
        base, effects, weights = (
            x.astype(np.float64) for x in (words.base, words.effects[0], words.weights[0])
        )
        read_words(*csr, place, documents, base, effects, weights, terms)
        return cls(learned, terms, documents.shape[1])

    def at(self, p: Array, numbers: Array) -> Array:
        """Variance of the change of some bags, at these shares, shape (n, 1)."""
        least = least_change(self._learned)
        words = self._learned.words
        if self._terms is None or words is None:
            return np.tile(least, (len(p), 1))
        weights, effects = (x[0].astype(np.float64) for x in (words.weights, words.effects))
        squares, crossed = self._terms[numbers].T[:, :, None]
        counts = np.maximum(self._learned.counts[0], 1)
        moved = (p - self._learned.p_train) ** 2
        chance = 1 / self._size + 1 / counts.sum() + moved * (1 / counts).sum()
        left = squares - 2 * p * crossed + p**2 * (weights @ effects**2)
        excess = left - chance * (weights @ words.variance)
        return np.asarray(least + COHERENCE * np.maximum(excess, 0))


@kernel
def read_words(
    indptr: Array,
    indices: Array,
    data: Array,
    place: Array,
    documents: Array,
    base: Array,
    effects: Array,
    weights: Array,
    terms: Array,
) -> None:
    """Set `terms` to the weighted sums of a squared, and of a times e, over the words of each bag.

    Parameters
    ----------
    indptr, indices, data
        Documents: CSR, no column twice in a row.
    place
        Of each column among the words; of others, the place after the last.
    documents
        Rows of each bag, shape (bags, size).
    base, effects, weights
        Of the words.
    terms
        Shape (bags, 2).
    """
    counts = np.zeros(len(base) + 1, np.int32)
    size = documents.shape[1]
    for bag in range(len(documents)):
        counts[:] = 0
        for i in documents[bag]:
            for k in range(indptr[i], indptr[i + 1]):
                counts[place[np.uint64(indices[k])]] += data[k] != 0
        squares, crossed = 0.0, 0.0
        for f in range(len(base)):
            a = counts[f] / size - base[f]
            squares += weights[f] * a * a
            crossed += weights[f] * a * effects[f]
        terms[bag, 0], terms[bag, 1] = squares, crossed
