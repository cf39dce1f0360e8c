"""Kernels of the solver: the best labelling, and the small quadratic problem."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import kernel
from quantext.learners.bins import add
from quantext.vectors.sparse import ONE, row_times

__all__ = [
    "add_part",
    "best_count",
    "best_table_f1",
    "best_table_q",
    "highest",
    "minimise_on_simplex",
    "mix_rows",
    "raise_shares",
    "read_border",
    "read_mistakes",
    "read_shares",
    "squared_lengths",
    "sum_at",
    "sums_at",
]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Places = NDArray[np.int64]


@kernel
def best_count(cost: Array, ascending: Array) -> int:
    """The k with the largest cost[k] plus sum of the k highest scores."""
    n = len(ascending)
    best, best_k, total, rest = cost[0], 0, 0.0, 0.0
    for k in range(1, n + 1):
        total, lost = add(total, ascending[n - k])
        rest += lost
        value = cost[k] + (total + rest)
        if value > best:
            best, best_k = value, k
    return best_k


@kernel
def highest(scores: Array, threshold: float, k: int) -> Mask:
    """The k documents of the highest scores, given the k-th highest; of equal ones the first."""
    at = k
    for score in scores:
        at -= score > threshold
    found = np.empty(len(scores), np.bool_)
    for i in range(len(scores)):
        tie = scores[i] == threshold and at > 0
        at -= tie
        found[i] = scores[i] > threshold or tie
    return found


@kernel
def read_mistakes(predicted: Mask, signs: Array) -> tuple[Array, Places]:
    """The signs of documents that are predicted wrongly, 0 for the others; and the former's places.

    Those with a positive sign should have been predicted.
    """
    n, m = len(signs), 0
    for i in range(n):
        m += predicted[i] != (signs[i] > 0)
    # Without branches, which would be guessed wrongly where many are wrong; hence one place more.
    coefficients, wrong, m = np.empty(n), np.empty(m + 1, np.int64), 0
    for i in range(n):
        differs = predicted[i] != (signs[i] > 0)
        coefficients[i] = signs[i] if differs else 0.0
        wrong[m] = i
        m += differs
    return coefficients, wrong[:m]


@kernel
def squared_lengths(indptr: NDArray[Any], data: NDArray[Any]) -> Array:
    """Of each row of a CSR matrix, and of the constant 1 after it."""
    squares = np.empty(len(indptr) - 1)
    for i in range(len(squares)):
        total, k, end = 0.0, np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        while k < end:
            total += np.float64(data[k]) * np.float64(data[k])
            k += ONE
        squares[i] = 1 + total
    return squares


@kernel
def sum_at(places: Places, weights: Array, scores: Array) -> float:
    """Weighted sum of the scores at some places."""
    total = 0.0
    for i in places:
        total += weights[i] * scores[i]
    return total


@kernel
def sums_at(places: Places, weights: Array, rows: Array) -> Array:
    """What `sum_at` says of each row."""
    totals = np.empty(len(rows))
    for j in range(len(rows)):
        totals[j] = sum_at(places, weights, rows[j])
    return totals


@kernel
def mix_rows(shares: Array, rows: Array) -> Array:
    """Sum of the rows, each times its share; there may be more rows. Those without cost nothing."""
    total = np.zeros(rows.shape[1])
    used = np.flatnonzero(shares)
    fours = len(used) & ~3
    for k in range(0, fours, 4):
        # Four rows at once: the total is read and written once for all of them.
        a, w = shares[used[k]], rows[used[k]]
        b, x = shares[used[k + 1]], rows[used[k + 1]]
        c, y = shares[used[k + 2]], rows[used[k + 2]]
        d, z = shares[used[k + 3]], rows[used[k + 3]]
        for i in range(len(total)):
            total[i] = (((total[i] + a * w[i]) + b * x[i]) + c * y[i]) + d * z[i]
    for j in used[fours:]:
        for i in range(len(total)):
            total[i] += shares[j] * rows[j, i]
    return total


@kernel
def add_part(share: float, signs: Array, wrong: NDArray[Any], total: Array) -> None:
    """Add to `total` the signs of documents that are wrong, or of a part of them, times a share."""
    if share != 0.0:
        for i in range(len(total)):
            if wrong[i]:
                total[i] += share * wrong[i] * signs[i]


@kernel
def read_border(
    part: Array, signs: Array, scores: Array, slope: float, nothing: float
) -> tuple[Array, Array]:
    """Of labellings that have documents wrong in this part of them: how near these are to moving.

    The share of the labellings that calls each document positive, or 0 or 1 where it is as good as
    that; and how far its score plus the slope is from where this share would move. One in between
    moves wherever it is: −∞.
    """
    shares, away = np.empty(len(part)), np.empty(len(part))
    for i in range(len(part)):
        share = 1 - part[i] if signs[i] > 0 else part[i]
        if share < nothing:
            share = 0.0
        elif share > 1 - nothing:
            share = 1.0
        shares[i] = share
        # Beyond zero, it wants to stay.
        excess = scores[i] + slope
        away[i] = -np.inf if 0 < share < 1 else excess if share > 0 else -excess
    return shares, away


@kernel
def read_shares(
    shares: Array, signs: Array
) -> tuple[NDArray[np.float32], Array, Places, Array, int]:
    """Of labellings that call each document positive in this share of them: their mistakes.

    In which part of them its class differs, in single precision; that times the sign; where it is
    not zero; and, as rounded so, the shares between 0 and 1 and the number of those that are 1.
    """
    n, m, n_between, ones = len(shares), 0, 0, 0
    part, coefficients = np.empty(n, np.float32), np.empty(n)
    for i in range(n):
        positive = signs[i] > 0
        part[i] = 1 - shares[i] if positive else shares[i]
        differs = part[i] != 0
        m += differs
        n_between += differs and part[i] != 1
    wrong, between = np.empty(m + 1, np.int64), np.empty(n_between + 1)
    m, n_between = 0, 0
    for i in range(n):
        own = float(part[i])
        coefficients[i] = own * signs[i]
        wrong[m] = i
        m += own != 0
        share = 1 - own if signs[i] > 0 else own
        between[n_between] = share
        n_between += 0 < share < 1
        ones += share == 1
    return part, coefficients, wrong[:m], between[:n_between], ones


@kernel
def raise_shares(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    squares: Array,
    visited: Places,
    slope: float,
    step: float,
    w: Array,
    shares: Array,
) -> tuple[Places, float]:
    """Move the shares of the documents visited to where each is best, and the weights along.

    The share of a row of the CSR matrix, between 0 and 1, takes `step` times the row from the
    weights; the last of these is the intercept. It rises while the row's score plus the slope is
    positive. `squares` are squared lengths of the rows, with the 1 of the intercept. Returns the
    documents that moved, and by how much all of them together did.
    """
    last, m, total = len(w) - 1, 0, 0.0
    moved = np.empty(len(visited), np.int64)
    for i in visited:
        start, end = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        excess = w[last] + row_times(indices, data, start, end, w) + slope
        share = min(max(shares[i] + excess / (step * squares[i]), 0.0), 1.0)
        if share != shares[i]:
            change = step * (shares[i] - share)
            total += share - shares[i]
            shares[i] = share
            moved[m] = i
            m += 1
            w[last] += change
            k = start
            while k < end:
                w[np.uint64(indices[k])] += change * data[k]
                k += ONE
    return moved[:m].copy(), total


@kernel
def best_table_f1(positive: Array, negative: Array) -> tuple[int, int]:
    """(tp, fp) of the largest n·F1 loss plus sums of the tp and fp highest scores.

    `positive[tp]` and `negative[fp]` are those sums, of the positive and the negative documents.
    For a fixed tp the value is concave in fp, and the best fp never decreases with tp (the loss is
    supermodular), so one pass of two pointers is exact. There must be a positive document.
    """
    P, N = len(positive) - 1, len(negative) - 1
    n = float(P + N)
    best, best_tp, best_fp = -np.inf, 0, 0
    fp = 0
    for tp in range(P + 1):
        value = negative[fp] - n * 2.0 * tp / (tp + P + fp)
        while fp < N:
            following = negative[fp + 1] - n * 2.0 * tp / (tp + P + fp + 1)
            if following <= value:
                break
            value = following
            fp += 1
        if value + positive[tp] > best:
            best, best_tp, best_fp = value + positive[tp], tp, fp
    return best_tp, best_fp


@kernel
def best_table_q(positive: Array, negative: Array) -> tuple[int, int]:
    """(tp, fp) of the largest n·Q loss plus sums of the tp and fp highest scores.

    `positive[tp]` and `negative[fp]` are those sums, of the positive and the negative documents.
    Closeness in prevalence is the lesser of two linear functions of tp + fp, so the loss is the
    greater of two losses, one for each. The one that rises with fp is supermodular: its best fp
    never decreases with tp. The other is submodular: it never increases. Rows are visited in the
    order of a bisection, each between the best columns of its neighbours, which is exact and takes
    O((P+N) log P). There must be a positive document.
    """
    P, N = len(positive) - 1, len(negative) - 1
    n, M = float(P + N), float(max(P, N))
    best, best_tp, best_fp = -np.inf, 0, 0
    column = np.empty(P + 1, np.int64)
    for sign in (1.0, -1.0):
        step = 1
        while 2 * step <= P + 1:
            step *= 2
        while step >= 1:
            for tp in range(step - 1, P + 1, 2 * step):
                before = column[tp - step] if tp >= step else (0 if sign > 0 else N)
                after = column[tp + step] if tp + step <= P else (N if sign > 0 else 0)
                recall = tp / P
                row_best, row_fp = -np.inf, 0
                for fp in range(min(before, after), max(before, after) + 1):
                    closeness = 1.0 + sign * (P - tp - fp) / M
                    total = closeness + recall
                    harmonic = closeness * recall / total if total > 0 else 0.0
                    value = negative[fp] - 2.0 * n * harmonic
                    if value > row_best:
                        row_best, row_fp = value, fp
                column[tp] = row_fp
                if row_best + positive[tp] > best:
                    best, best_tp, best_fp = row_best + positive[tp], tp, row_fp
            step //= 2
    return best_tp, best_fp


@kernel
def minimise_on_simplex(H: Array, b: Array, start: Array) -> Array:
    """The x ≥ 0 of sum 1 that minimises ½xᵀHx − bᵀx, by an active-set method from a start.

    Entries that are not zero are free. In turn, go to the minimum over the free ones, stopping to
    fix the first that would become negative; when there, free the one that promises most. H is
    symmetric and positive semidefinite; the start is not negative and has the sum 1.
    """
    n = len(b)
    x, gradient, step = np.empty(n), np.empty(n), np.empty(n)
    free, inside = np.empty(n, np.bool_), np.empty(n, np.int64)
    differences = np.empty((n, n))
    size, diagonal = 0.0, 0.0
    for i in range(n):
        x[i], free[i] = start[i], start[i] > 0
        size, diagonal = max(size, abs(b[i])), max(diagonal, H[i, i])
    # A ridge for planes that are the same or nearly so: a direction without curvature then leads
    # far, to the next bound.
    ridge = max(1e-13 * diagonal, 1e-25 * size, 1e-200)
    newest = -1
    for _ in range(3 * n + 30):  # a few suffice; where rounding rules, there might be no end
        _gradient(H, b, x, gradient)
        m = 0
        for i in range(n):
            if free[i]:
                inside[m] = i
                m += 1
        # In terms of differences from one entry, the first, the sum is no longer a constraint.
        first = inside[0]
        for r in range(1, m):
            i = inside[r]
            step[r] = gradient[i] - gradient[first]
            for c in range(r, m):
                j = inside[c]
                differences[r, c] = H[i, j] - H[i, first] - H[first, j] + H[first, first]
            differences[r, r] += ridge
        _solve(differences, step, m, ridge)
        step[0] = 0.0
        for r in range(1, m):
            step[0] -= step[r]
        reach, blocking = 1.0, -1
        for r in range(m):
            here = x[inside[r]]
            if here + step[r] < 0 and here <= -reach * step[r]:
                reach, blocking = -here / step[r], inside[r]
        if blocking >= 0 and blocking == newest and reach == 0:
            break  # what was freed last wants to go back: only rounding is left
        for r in range(m):
            x[inside[r]] = max(x[inside[r]] + reach * step[r], 0.0)
        if blocking >= 0:
            x[blocking], free[blocking] = 0.0, False
            continue
        level = _gradient(H, b, x, gradient)
        newest, promise = -1, 1e-12 * size
        for i in range(n):
            if not free[i] and gradient[i] - level > promise:
                newest, promise = i, gradient[i] - level
        if newest < 0:
            break
        free[newest] = True
    total = 0.0
    for i in range(n):
        total += x[i]
    for i in range(n):
        x[i] /= total  # 1, but for rounding
    return x


@kernel
def _gradient(H: Array, b: Array, x: Array, out: Array) -> float:
    """Write b − H·x to `out`; its mean, weighted by x."""
    n = len(b)
    for i in range(n):
        out[i] = b[i]
    for j in range(n):
        if x[j] != 0.0:
            for i in range(n):
                out[i] -= x[j] * H[j, i]
    mean = 0.0
    for i in range(n):
        mean += x[i] * out[i]
    return mean


@kernel
def _solve(A: Array, x: Array, end: int, least: float) -> None:
    """Overwrite x by the solution of A·(solution) = x, and the upper triangle of A by its factor.

    Rows and columns from 1 to `end` count. A is positive definite; its factor is Cholesky's, in
    which pivots below `least` are rounding and taken for it.
    """
    for j in range(1, end):
        A[j, j] = np.sqrt(max(A[j, j], least))
        for i in range(j + 1, end):
            A[j, i] /= A[j, j]
        for i in range(j + 1, end):
            for c in range(i, end):
                A[i, c] -= A[j, i] * A[j, c]
    for j in range(1, end):
        x[j] /= A[j, j]
        for i in range(j + 1, end):
            x[i] -= A[j, i] * x[j]
    for j in range(end - 1, 0, -1):
        for i in range(j + 1, end):
            x[j] -= A[j, i] * x[i]
        x[j] /= A[j, j]
