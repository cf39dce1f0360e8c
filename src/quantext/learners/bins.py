"""The best number of predicted positives, from scores in bins: only a few of them are sorted."""

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import inlined, kernel

__all__ = ["add", "best_count_in_bins", "peaks_in_bins"]

Array = NDArray[np.float64]

_WHOLE = 1024  # scores: fewer are sorted as quickly
_EACH = 8  # scores in a bin, on average
_BINS = 4096  # in which peaks are sought
_MOST_PEAKS = 8
_MOST = 4  # what has to be sorted is at most one part of so many, or else all may be


@inlined
def add(a: float, b: float) -> tuple[float, float]:
    """The sum of two numbers, and what its rounding has lost (Knuth's)."""
    total = a + b
    of_b = total - a
    return total, (a - (total - of_b)) + (b - of_b)


@kernel
def best_count_in_bins(
    cost: Array, largest: float, scores: Array, low: float, high: float
) -> tuple[int, float]:
    """The k with the largest cost[k] plus sum of the k highest scores, and the k-th highest.

    It is the k that `best_count` finds in sorted scores, or −1 where that is uncertain: where
    another is as good up to rounding, or too many scores would have to be sorted. The sum of the k
    highest lies between what the edges of a bin allow, so few bins can have the best k, and these
    are sorted. `largest` is that of the absolute costs, `low` and `high` are the extreme scores.

    What is lost in adding is added apart: of a million scores it would hide which k is best.
    """
    n = len(scores)
    if n < _WHOLE or not 0.0 < high - low < np.inf:
        return -1, 0.0
    bins = n // _EACH
    scale = bins / (high - low)
    if not scale < np.inf:
        return -1, 0.0
    which, size, above, most = _fill(scores, high, scale, bins)
    floor, k = cost[0], 0
    for b in range(bins):
        k += size[b]
        floor = max(floor, cost[k] + above[b + 1])
    # More than the few roundings that are left can amount to.
    unsure = 64 * 2.3e-16 * (largest + most + max(abs(low), abs(high)))
    wanted, found = _possible(cost, size, above, high, 1 / scale, floor - unsure)
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
    k = 0
    for b in range(bins):
        if wanted[b]:
            own = np.sort(inside[place[b] : end[b]])
            here, rest = above[b], 0.0
            for j in range(1, size[b] + 1):
                here, lost = add(here, own[size[b] - j])
                rest += lost
                value = cost[k + j] + (here + rest)
                if value > best:
                    best, second, best_k, threshold = value, best, k + j, own[size[b] - j]
                elif value > second:
                    second = value
        k += size[b]
    if best - second <= unsure:
        return -1, 0.0
    return best_k, threshold


@kernel
def peaks_in_bins(
    cost: Array, scores: Array, low: float, high: float, least: float, known: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Bins of scores, and how many of them, the highest first, have k with a peak of the value.

    The value is cost[k] plus the sum of the k highest scores. Between peaks it falls by `least`; a
    few are enough, the highest. The one nearest to a known k is left out.
    """
    bins = _BINS
    nothing = np.empty(0, np.int64)
    scale = bins / (high - low) if 0.0 < high - low < np.inf else np.inf
    if not scale < np.inf:
        return np.zeros(len(scores), np.int32), nothing
    which, size, above, _ = _fill(scores, high, scale, bins)
    value, count = np.empty(bins + 1), np.zeros(bins + 1, np.int64)
    value[0] = cost[0]
    for b in range(bins):
        count[b + 1] = count[b] + size[b]
        value[b + 1] = cost[count[b + 1]] + above[b + 1]
    ends, found, rises = np.empty(bins + 1, np.int64), 0, True
    at = 0  # of the highest value since the last valley, or of the lowest since the last peak
    for b in range(1, bins + 1):
        if rises and value[b] < value[at] - least:
            ends[found] = at
            found += 1
            rises, at = False, b
        elif not rises and value[b] > value[at] + least:
            rises, at = True, b
        elif (value[b] > value[at]) == rises:
            at = b
    if rises:
        ends[found] = at
        found += 1
    nearest = 0
    for j in range(found):
        if abs(count[ends[j]] - known) < abs(count[ends[nearest]] - known):
            nearest = j
    value[ends[nearest]] = -np.inf
    highest = np.argsort(-value[ends[:found]])[: min(found - 1, _MOST_PEAKS)]
    others = np.sort(ends[:found][highest])
    return which, others


@kernel
def _fill(
    scores: Array, high: float, scale: float, bins: int
) -> tuple[NDArray[np.int32], NDArray[np.int64], Array, float]:
    """Bin of each score, the highest first, and how many are in each.

    And the sums of the scores in the bins before each, and of all; and the largest of these sums,
    without what was lost in adding.
    """
    which, size, total = (
        np.empty(len(scores), np.int32),
        np.zeros(bins, np.int64),
        np.zeros((bins, 2)),
    )
    for i in range(len(scores)):
        b = min(int((high - scores[i]) * scale), bins - 1)
        which[i] = b
        size[b] += 1
        total[b, 0], lost = add(total[b, 0], scores[i])
        total[b, 1] += lost
    above = np.empty(bins + 1)
    whole, rest, most = 0.0, 0.0, 0.0
    for b in range(bins):
        above[b] = whole + rest
        whole, lost = add(whole, total[b, 0])
        rest += lost + total[b, 1]
        most = max(most, abs(whole))
    above[bins] = whole + rest
    return which, size, above, most


@kernel
def _possible(
    cost: Array, size: NDArray[np.int64], above: Array, high: float, width: float, floor: float
) -> tuple[NDArray[np.bool_], int]:
    """Bins, the highest first, with a k that may reach the floor; and how many scores they have.

    `above` is the sum of the scores in the bins before each, and of all. Of a bin's scores the j
    highest are at most at its upper edge, and the others at least at its lower edge.
    """
    wanted, found = np.zeros(len(size), np.bool_), 0
    k = 0
    for b in range(len(size)):
        if size[b]:
            upper, lower = high - b * width, high - (b + 1) * width
            for j in range(1, size[b] + 1):
                most = min(above[b] + j * upper, above[b + 1] - (size[b] - j) * lower)
                if cost[k + j] + most >= floor:
                    wanted[b] = True
                    found += size[b]
                    break
            k += size[b]
    return wanted, found
