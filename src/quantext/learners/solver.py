"""The solver: weights that minimise ½‖w‖² + C·n·R(w), with a certificate.

It sees only an oracle. The risk R is convex and every plane of the oracle bounds it from below, so
the minimum over the planes held, a small quadratic programme, bounds the objective from below; any
weights bound it from above. Each iteration searches the segment from the best weights so far to
those that are best for the planes, and cuts with a new plane near the minimum found there (Franc
and Sonnenburg, 2008, "Optimized cutting plane algorithm for support vector machines"). C is the
weight of each document, so with more of them the weights are less bound, and ever more planes would
be needed; then it begins where a part of the documents ends (`normals`).
"""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from quantext.learners.bundle import Bundle, ByScores
from quantext.learners.certificate import Solution
from quantext.learners.folds import stratified_part
from quantext.learners.normals import ByNormals
from quantext.learners.oracle import Labelling, Oracle

__all__ = ["Solution", "minimise"]

Array = NDArray[np.float64]

_MANY = 50_000  # documents: with fewer, more planes cost less than better ones
_PARTS = 8  # of the documents, one of which is trained on first
_LEAST = 5  # documents of each class in that part, or it says too little
_ENOUGH = 0.1  # gap of that: the rest differs from it by more
_MOST_OF_PART = 50  # iterations of that


def minimise(
    oracle: Oracle,
    C: float,
    *,
    tol: float,
    max_iter: int,
    start: Iterable[Labelling] = (),
    callback: Callable[[Solution], object] | None = None,
    make_bundle: Callable[[Oracle, float], Bundle] | None = None,
) -> tuple[Array, Solution]:
    """Weights (the last is the intercept) whose objective is near the minimum, and how near.

    Parameters
    ----------
    oracle
        Planes under the risk.
    C
        Weight of the risk, per document.
    tol
        Stop when the gap is at most this fraction of the primal.
    max_iter
        Most iterations.
    start
        Labellings whose planes to begin with, such as those found for another C.
    callback
        Called with the state after each iteration.
    make_bundle
        Makes what holds the planes, from the oracle and the weight of the risk; by default what
        suits the number of documents.
    """
    bundle = (make_bundle or _make_bundle)(oracle, C * oracle.size)
    best = bundle.begin()
    for labelling in (*start, *bundle.cuts([best])):
        bundle.add(labelling)
    dual, goal = 0.0, tol
    for n_iter in range(1, max_iter + 1):
        dual = max(dual, bundle.minimum())
        if best.objective - dual > goal * best.objective and bundle.add_mean(best):
            dual = max(dual, bundle.minimum())
        best, found = bundle.segment(best).search(tolerance=0.1 * (best.objective - dual))
        bundle.move_centre(best)
        converged = bool(best.objective - dual <= goal * best.objective)
        solution = Solution(best.objective, min(dual, best.objective), n_iter, converged)
        if callback is not None:
            callback(solution)
        if converged or n_iter == max_iter:
            weights, solution = bundle.certified(solution, tol)
            # What rounding takes from the gap may be made up for, if it is not too much.
            if solution.converged or goal < tol / 4 or n_iter == max_iter:
                break
            goal /= 2
        for labelling in bundle.cuts(found):
            bundle.add(labelling)
    return weights, solution


def _make_bundle(oracle: Oracle, budget: float) -> Bundle:
    """What holds the planes of few documents, or of many."""
    by_scores = oracle.cost is None or oracle.size < _MANY
    if by_scores or oracle.size < oracle.products.rows(np.arange(1)).shape[1]:
        return ByScores(oracle, budget)
    positive = oracle.signs > 0
    places = stratified_part(positive, _PARTS, seed=0)
    if np.bincount(positive[places], minlength=2).min() < _LEAST:
        return ByNormals(oracle, budget)
    C = budget / len(places)
    known, _ = minimise(oracle.part(places), C, tol=_ENOUGH, max_iter=_MOST_OF_PART)
    return ByNormals(oracle, budget, known)
