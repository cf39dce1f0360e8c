"""Regularised maximum likelihood: what the bag says, against what one would rather believe."""

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls
from sklearn.exceptions import ConvergenceWarning

from quantext.quantifiers.expectation import Calibrated, CalibratedCount
from quantext.quantifiers.summary import Tally

__all__ = ["RegularizedLikelihood", "Solution", "maximize_likelihood"]

Array = NDArray[Any]

_ROUNDS = 200
_TOLERANCE = 1e-9  # of the gap, in nats a document


class RegularizedLikelihood(CalibratedCount):
    """Prevalence of largest likelihood, less a penalty for being unlikely beforehand (RML).

    It minimises −mean log Σ_k p_k s_k/t_k over the bag's documents, s their calibrated posteriors
    and t the prevalence that these stand for, plus τ times a penalty: ½‖p − t‖² draws shares
    towards training; ½Σ(p_{k+1} − p_k)², for classes that have an order, makes neighbours alike.
    Without penalty, τ = 0, this is the maximum that EMQ climbs to. It is convex, and solved
    exactly: no prevalence is better by more than 1e-9 nats a document, as its gradient certifies.

    A likelihood with a penalty on the differences of neighbours is regularised unfolding: Blobel
    (1985), "Unfolding methods in high-energy physics experiments"; for ordered classes Bunse et al.
    (2024), "Regularization-based methods for ordinal quantification". Blobel penalises second
    differences, and posteriors stand here in place of bins.

    Parameters
    ----------
    classifier
        A scikit-learn classifier; it is cloned.
    penalty
        "training", or "ordered": classes are in the order of ``classes_``. It is the same for two
        classes or a label.
    tau
        Weight of the penalty, 0 or more. It does not depend on the size of the bag: with 0.1, a
        share that is off by 0.1 costs what 0.0005 nats a document do.
    folds
        Of the cross-validation that gives the out-of-fold scores; at least 2.
    seed
        Of the folds.
    posteriors
        "calibrated" or "bias-corrected", as in `ExpectationMaximization`.
    """

    def __init__(
        self,
        classifier: Any,
        penalty: Literal["training", "ordered"] = "training",
        tau: float = 0.1,
        folds: int = 50,
        seed: int = 0,
        posteriors: Literal["calibrated", "bias-corrected"] = "calibrated",
    ) -> None:
        self.classifier = classifier
        self.penalty = penalty
        self.tau = tau
        self.folds = folds
        self.seed = seed
        self.posteriors = posteriors

    def estimate(self, learned: Calibrated, counts: Tally, size: int) -> Array:
        """Prevalence at the minimum."""
        if not self.tau >= 0:
            raise ValueError(f"tau is {self.tau}; it is a weight, 0 or more")
        classes = len(learned.prior)
        match self.penalty:
            case "training":
                pulls, towards = np.eye(classes), learned.prior
            case "ordered":
                pulls, towards = np.diff(np.eye(classes), axis=0), np.zeros(classes - 1)
            case _:
                raise ValueError(f"penalty {self.penalty!r} is unknown; choose training or ordered")
        likelihoods, weights = self.likelihoods(learned, counts), counts.counts / size
        root = np.sqrt(self.tau)
        solution = maximize_likelihood(
            likelihoods, weights, learned.prior, root * pulls, root * towards
        )
        if not solution.converged:
            warnings.warn(
                f"RegularizedLikelihood stopped {solution.gap:.1g} nats a document from the "
                "optimum; a larger tau makes it easier",
                ConvergenceWarning,
                stacklevel=2,
            )
        return solution.p


@dataclass(frozen=True)
class Solution:
    """Prevalence of largest likelihood, and what is known of it.

    Parameters
    ----------
    p
        Share of each class.
    gap
        By how much any other prevalence may be better, at most: a certificate.
    converged
        Whether that is small enough.
    """

    p: Array
    gap: float
    converged: bool


def maximize_likelihood(
    likelihoods: Array, weights: Array, start: Array, pulls: Array, towards: Array
) -> Solution:
    """Minimiser over all prevalences of −Σ_i w_i log(L_i·p) + ½|A·p − c|².

    Newton's method: each step minimises the quadratic model over the simplex, by nonnegative least
    squares, and goes there as far as it gains. The objective is convex, so it lies above its
    tangent: no prevalence is better by more than ∇·p − min_k ∇_k, which is the gap.

    Parameters
    ----------
    likelihoods
        L, shape (r, K): of each row under each class, up to a factor for each row.
    weights
        w, shape (r,).
    start
        A prevalence; a class that has none gets none.
    pulls, towards
        A, shape (q, K), and c, shape (q,).

    Examples
    --------
    >>> certain = np.eye(2)                  # of four documents three are surely of class 1
    >>> none = np.zeros((0, 2)), np.zeros(0)
    >>> maximize_likelihood(certain, np.array([0.25, 0.75]), np.array([0.5, 0.5]), *none).p.round(6)
    array([0.25, 0.75])
    """
    known = start > 0
    possible = likelihoods[:, known].any(axis=1) & (weights > 0)
    L, w, A = likelihoods[possible][:, known], weights[possible], pulls[:, known]

    def value(p: Array) -> float:
        with np.errstate(divide="ignore"):
            return float(((A @ p - towards) ** 2).sum() / 2 - w @ np.log(L @ p))

    p = start[known] / start[known].sum()
    now, gap = value(p), np.inf
    for _ in range(_ROUNDS):
        ratios = L / (L @ p)[:, None]
        gradient = A.T @ (A @ p - towards) - w @ ratios
        gap = float(gradient @ p - gradient.min())
        if gap <= _TOLERANCE:
            break
        # −log is to second order ½(r·p − 2)² here, up to a constant, with r the ratios.
        step = _least_squares(ratios, w, A, towards) - p
        slope, length = float(gradient @ step), 1.0
        while length > 1e-12 and not (
            (new := value(p + length * step)) <= now + 1e-4 * length * slope
        ):
            length /= 2
        if length <= 1e-12:  # what is left to gain drowns in rounding
            break
        p = np.maximum(p + length * step, 0.0)
        p, now = p / p.sum(), new
    shares = np.zeros(len(start))
    shares[known] = p
    return Solution(shares, gap, converged=gap <= 1e3 * _TOLERANCE)


def _least_squares(ratios: Array, weights: Array, pulls: Array, towards: Array) -> Array:
    """Prevalence p that minimises Σ_i w_i (r_i·p − 2)² + |A·p − c|²."""
    # Σp = 1 makes both homogeneous: (r_i − 2)·p and (A − c·1ᵀ)p; see `correction.correct`.
    rows, homogeneous = ratios - 2, pulls - towards[:, None]
    gram = (rows.T * weights) @ rows + homogeneous.T @ homogeneous
    values, vectors = np.linalg.eigh(gram)
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    scale = max(float(root.max(initial=0.0)), 1e-300)
    solution, _ = nnls(np.vstack([root / scale, np.ones(len(gram))]), np.append(0 * values, 1.0))
    return np.asarray(solution / solution.sum())
