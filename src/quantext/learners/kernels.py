"""Kernels of the solver: the best labelling, and the small quadratic problem."""

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import kernel
from quantext.learners.bins import add

__all__ = [
    "best_count",
    "best_table_f1",
    "best_table_q",
    "highest",
    "minimise_on_simplex",
    "mix_rows",
    "read_mistakes",
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
