"""The certificate where rounding may have spoilt it: primal and dual evaluated afresh.

The solver keeps scores and products of planes up to date by sums and differences. With a column of
1e9 beside columns of 1 these cancel to less than their rounding, and then both of its numbers may
be anything: equal to each other, and far from the truth. How much that can be is known from the
largest score of a plane. Where it matters, what the weights amount to is worked out once more, from
documents: nothing cancels in a sum of shares of planes, and little in a product with X.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from quantext.learners.oracle import Oracle, dot

__all__ = ["Solution", "certify", "column_sizes", "rounding"]

Array = NDArray[np.float64]

_MANY = 1e3  # roundings, of which some cancel, as do the documents of a normal
_PROBES = 3
_SMALL = 0.01  # of what the tolerance allows
_ORDINARY = 1e-9  # of the primal: what any data may lose
_FAR_APART = 1e6


@dataclass(frozen=True)
class Solution:
    """How good some weights are.

    Parameters
    ----------
    primal
        Objective at the weights, by the exact oracle.
    dual
        Lower bound of the objective at any weights.
    n_iter
        Iterations, of a plane or two.
    converged
        Whether the gap came down to the tolerance.
    unscaled
        Column so large beside others that rounding hid them from the solver, if it did not
        converge for that.
    """

    primal: float
    dual: float
    n_iter: int
    converged: bool
    unscaled: int | None = None

    @property
    def gap(self) -> float:
        """Primal minus dual: the objective is at most this far above its minimum."""
        return self.primal - self.dual


def rounding(budget: float, largest: float) -> float:
    """About how far off an objective can be whose scores are sums of planes' scores.

    Parameters
    ----------
    budget
        Weight of the risk.
    largest
        Score of any document by any plane.
    """
    return float(_MANY * np.finfo(np.float64).eps * budget * budget * largest)


def certify(
    oracle: Oracle,
    budget: float,
    weights: Array,
    lowest: tuple[Array, float],
    solution: Solution,
    tol: float,
) -> Solution:
    """The solution as it is at the weights, by products with X and not by the solver's own numbers.

    Parameters
    ----------
    oracle, budget
        Of the problem.
    weights
        That are returned.
    lowest
        How much of each document is in the weights where a mean of planes is lowest, and what that
        mean says of the risk at zero, times the budget. Any mean bounds the objective from below.
    solution
        By the solver's numbers.
    tol
        Largest gap, as a fraction of the primal.
    """
    sizes = column_sizes(oracle)
    slack = _MANY * np.finfo(np.float64).eps
    risk = oracle(oracle.scores(weights)).risk
    primal = float(dot(weights, weights) / 2 + budget * risk)
    unsure = budget * slack * dot(np.abs(weights), sizes)
    documents, at_zero = lowest
    there = np.abs(oracle.weights(documents)) + budget * slack * sizes  # or less
    dual = min(max(at_zero - dot(there, there) / 2, 0.0), primal)
    allowed = tol * primal
    holds = primal + unsure - dual <= (1 + _SMALL) * allowed
    found = replace(
        solution, primal=primal, dual=dual, converged=bool(solution.converged and holds)
    )
    off = max(abs(primal - solution.primal), solution.dual - dual)
    differs = off > max(_SMALL * allowed, _ORDINARY * primal)
    apart = sizes.max() > _FAR_APART * np.median(sizes)
    if found.converged or not (differs or apart):
        return found
    return replace(found, unscaled=int(np.argmax(sizes[:-1])))


def column_sizes(oracle: Oracle) -> Array:
    """About the root mean square of each column of X, and of the constant 1 after them.

    By products with X, which may be elsewhere: the sum of a column with random signs has its length
    as standard deviation, so of a few the largest is near it.

    Parameters
    ----------
    oracle
        That has X.
    """
    rng, n = np.random.default_rng(0), oracle.size
    probes = [rng.choice([-1.0, 1.0], n) for _ in range(_PROBES)]
    sums = [oracle.weights(probe)[:-1] / np.sqrt(n) for probe in probes]
    means = oracle.weights(np.full(n, 1 / n))[:-1]
    return np.append(np.abs([*sums, means]).max(axis=0), 1.0)
