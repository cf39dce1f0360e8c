"""Searches: at given scores, the documents that the worst labelling calls positive, and its loss.

All are exact. Among labellings with the same contingency table the worst calls positive the
documents with the highest scores, of the positives and of the negatives; so a search looks only at
counts: of predicted positives (`by_count`), or of true and false ones (`by_table`, and faster
searches for losses whose structure allows it).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.learners import losses
from quantext.learners.bins import best_count_in_bins
from quantext.learners.kernels import best_count, best_table_f1, best_table_q, highest
from quantext.learners.losses import ContingencyTable, Loss, PrevalenceLoss, evaluate

__all__ = ["Search", "by_count", "by_document", "by_f1", "by_q", "by_table", "cost_of_counts"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Search = Callable[[Array], tuple[Mask, float]]

_COUNTS = 2**14  # at once, so that what a measure makes of them stays in the cache


def cost_of_counts(positive: Mask, loss: PrevalenceLoss) -> Array:
    """The loss, times n, of 0, 1, 2... predicted positives."""
    n, P = len(positive), int(np.count_nonzero(positive))
    cost = np.empty(n + 1)
    for start in range(0, n + 1, _COUNTS):
        count = np.arange(start, min(start + _COUNTS, n + 1), dtype=np.float64)
        tp = np.minimum(count, P)
        table = ContingencyTable(tp, count - tp, P - tp, n - P - count + tp)
        cost[start : start + _COUNTS] = n * evaluate(loss, table)
    return cost


def by_count(cost: Array) -> Search:
    """Search of a loss that depends only on the number of predicted positives: O(n) mostly."""
    n, largest = len(cost) - 1, float(np.abs(cost).max())

    def search(scores: Array) -> tuple[Mask, float]:
        k, threshold = best_count_in_bins(cost, largest, scores, scores.min(), scores.max())
        if k >= 0:
            return highest(scores, threshold, k), float(cost[k]) / n
        ascending = np.sort(scores)  # of thousands, a few in a hundred times
        k = best_count(cost, ascending)
        return _highest(scores, ascending, k), float(cost[k]) / n

    return search


def by_document(positive: Mask) -> Search:
    """Search of the error rate, for which each document stands alone: O(n)."""
    sign = np.where(positive, 1.0, -1.0)

    def search(scores: Array) -> tuple[Mask, float]:
        wrong = sign * scores < 1
        return wrong != positive, np.count_nonzero(wrong) / len(wrong)

    return search


def by_f1(positive: Mask) -> Search:
    """Search of the F1 loss: O(n log n)."""
    return _by_sums(positive, losses.f1, best_table_f1)


def by_q(positive: Mask) -> Search:
    """Search of the Q loss: O(n log n)."""
    return _by_sums(positive, losses.q, best_table_q)


def by_table(positive: Mask, loss: Loss, *, least_edge: int = 64) -> Search:
    """Search of any loss, over all contingency tables, in bounded memory.

    The tables are cut into square tiles, and the largest loss in each is found once. At given
    scores it gives an upper bound for every tile, so that only the few tiles whose bound exceeds
    the best value so far are searched, calling the loss on them again. `least_edge` is the least
    number of tables along a side of a tile.
    """
    P = int(np.count_nonzero(positive))
    N = len(positive) - P
    edge = max(least_edge, int(np.ceil(np.sqrt((P + 1) * (N + 1) / _MOST_TILES))))
    rows, columns = np.arange(0, P + 1, edge), np.arange(0, N + 1, edge)
    n_tiles = len(rows) * len(columns)
    at_once = max(1, _MOST_TABLES // edge**2)

    def tiles(numbers: Counts) -> tuple[Counts, Counts, Array]:
        """True and false positives of the tables in some tiles, and n times their losses."""
        row, column = np.divmod(numbers, len(columns))
        # At the far edges the last count is repeated to fill the tile.
        tp = np.minimum(rows[row][:, None, None] + np.arange(edge)[:, None], P)
        fp = np.minimum(columns[column][:, None, None] + np.arange(edge), N)
        tp, fp = np.broadcast_arrays(tp, fp)
        return tp, fp, (P + N) * evaluate(loss, _table(tp, fp, P, N))

    starts = range(0, n_tiles, at_once)
    blocks = (np.arange(start, min(start + at_once, n_tiles)) for start in starts)
    largest = np.concatenate([tiles(block)[2].max(axis=(1, 2)) for block in blocks])

    def best_table(positive_sums: Array, negative_sums: Array) -> tuple[int, int]:
        highest_of_rows = np.maximum.reduceat(positive_sums, rows)
        highest_of_columns = np.maximum.reduceat(negative_sums, columns)
        bound = largest + np.add.outer(highest_of_rows, highest_of_columns).ravel()
        order = np.argsort(-bound)
        best, best_tp, best_fp = -np.inf, 0, 0
        start, stop = 0, 1
        while start < n_tiles and bound[order[start]] > best:
            tp, fp, cost = tiles(order[start:stop])
            value = cost + positive_sums[tp] + negative_sums[fp]
            place = np.unravel_index(np.argmax(value), value.shape)
            if value[place] > best:
                best, best_tp, best_fp = value[place], tp[place], fp[place]
            start, stop = stop, min(3 * stop, stop + at_once)
        return best_tp, best_fp

    return _by_sums(positive, loss, best_table)


Counts = NDArray[np.intp]
_MOST_TILES = 2**21  # 16 MB for each array of tiles
_MOST_TABLES = 2**18  # 2 MB for each array that the loss makes


def _by_sums(
    positive: Mask, loss: Loss, best_table: Callable[[Array, Array], tuple[int, int]]
) -> Search:
    """Search that sorts positives and negatives apart and leaves it to `best_table` which counts.

    `best_table` gets the sums of the 0, 1, 2... highest scores of either.
    """
    P = int(np.count_nonzero(positive))
    N = len(positive) - P

    def search(scores: Array) -> tuple[Mask, float]:
        of_positives, of_negatives = scores[positive], scores[~positive]
        positives, negatives = np.sort(of_positives), np.sort(of_negatives)
        tp, fp = best_table(_sums_of_highest(positives), _sums_of_highest(negatives))
        predicted = np.empty(P + N, dtype=np.bool_)
        predicted[positive] = _highest(of_positives, positives, tp)
        predicted[~positive] = _highest(of_negatives, negatives, fp)
        return predicted, float(evaluate(loss, _table(np.asarray(tp), np.asarray(fp), P, N)))

    return search


def _table(tp: NDArray[Any], fp: NDArray[Any], P: int, N: int) -> ContingencyTable:
    """Contingency tables in floating point, so that no loss meets an overflow of integers."""
    tp, fp = tp.astype(np.float64), fp.astype(np.float64)
    return ContingencyTable(tp, fp, P - tp, N - fp)


def _sums_of_highest(ascending: Array) -> Array:
    """Sums of the 0, 1, 2... highest scores."""
    sums = np.zeros(len(ascending) + 1)
    np.cumsum(ascending[::-1], out=sums[1:])
    return sums


def _highest(scores: Array, ascending: Array, k: int) -> Mask:
    """The k documents with the highest scores; among equal ones the first."""
    if k == 0:
        return np.zeros(len(scores), dtype=np.bool_)
    found: Mask = highest(scores, ascending[len(scores) - k], k)
    return found
