"""The best number of predicted positives, from scores in bins: only a few of them are sorted."""

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import kernel

__all__ = ["best_count_in_bins"]

Array = NDArray[np.float64]

_WHOLE = 1024  # scores: fewer are sorted as quickly
_EACH = 8  # scores in a bin, on average
_MOST = 4  # what has to be sorted is at most one part of so many, or else all may be


@kernel
def best_count_in_bins(
    cost: Array, largest: float, scores: Array, low: float, high: float
) -> tuple[int, float]:
    """The k with the largest cost[k] plus sum of the k highest scores, and the k-th highest.

    It is the k that `best_count` finds in sorted scores, or −1 where that is uncertain: where
    another is as good up to rounding, or too many scores would have to be sorted. The sum of the k
    highest lies between what the edges of a bin allow, so few bins can have the best k, and these
    are sorted. `largest` is that of the absolute costs, `low` and `high` are the extreme scores.
    """
    n = len(scores)
    if n < _WHOLE or not 0.0 < high - low < np.inf:
        return -1, 0.0
    bins = n // _EACH
    scale = bins / (high - low)
    if not scale < np.inf:
        return -1, 0.0
    which, size, total = np.empty(n, np.int32), np.zeros(bins, np.int64), np.zeros(bins)
    for i in range(n):
        b = min(int((high - scores[i]) * scale), bins - 1)
        which[i] = b
        size[b] += 1
        total[b] += scores[i]
    floor, k, above = cost[0], 0, 0.0
    for b in range(bins):
        k += size[b]
        above += total[b]
        floor = max(floor, cost[k] + above)
    # More than sums can differ by if they are added in another order.
    unsure = 4 * n * 2.3e-16 * (largest + n * max(abs(low), abs(high)))
    wanted, found = _possible(cost, size, total, high, 1 / scale, floor - unsure)
    if found > n // _MOST:
        return -1, 0.0
    place, inside = np.zeros(bins, np.int64), np.empty(found)
    first = 0
    for b in range(bins):
        place[b] = first
        if wanted[b]:
            first += size[b]
    end = place.copy()
    for i in range(n):
        b = which[i]
        if wanted[b]:
            inside[end[b]] = scores[i]
            end[b] += 1
    best, second, best_k, threshold = cost[0], -np.inf, 0, np.inf
    k, above = 0, 0.0
    for b in range(bins):
        if wanted[b]:
            own = np.sort(inside[place[b] : end[b]])
            here = above
            for j in range(1, size[b] + 1):
                here += own[size[b] - j]
                value = cost[k + j] + here
                if value > best:
                    best, second, best_k, threshold = value, best, k + j, own[size[b] - j]
                elif value > second:
                    second = value
        k += size[b]
        above += total[b]
    if best - second <= unsure:
        return -1, 0.0
    return best_k, threshold


@kernel
def _possible(
    cost: Array, size: NDArray[np.int64], total: Array, high: float, width: float, floor: float
) -> tuple[NDArray[np.bool_], int]:
    """Bins, the highest first, with a k that may reach the floor; and how many scores they have.

    Of a bin's scores the j highest are at most at its upper edge, and the others at least at its
    lower edge.
    """
    wanted, found = np.zeros(len(size), np.bool_), 0
    k, above = 0, 0.0
    for b in range(len(size)):
        if size[b]:
            upper, lower = high - b * width, high - (b + 1) * width
            below = above + total[b]
            for j in range(1, size[b] + 1):
                most = min(above + j * upper, below - (size[b] - j) * lower)
                if cost[k + j] + most >= floor:
                    wanted[b] = True
                    found += size[b]
                    break
            k += size[b]
            above = below
    return wanted, found
