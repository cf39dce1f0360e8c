"""Regularised maximum likelihood: what the bag says, against what one would rather believe."""

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from quantext.quantifiers.distances import likelihood
from quantext.quantifiers.expectation import CalibratedCount, Calibration
from quantext.quantifiers.simplex import newton

__all__ = ["RegularizedLikelihood", "Solution", "maximize_likelihood"]

Array = NDArray[Any]

_TOLERANCE = 1e-9  # of the gap, in nats a document, or of the penalty if that is larger


class RegularizedLikelihood(CalibratedCount):
    """Prevalence of largest likelihood, less a penalty for being unlikely beforehand (RML).

    It minimises −mean log Σ_k p_k s_k/t_k over the bag's documents, s their calibrated posteriors
    and t the prevalence that these stand for, plus τ times a penalty: ½‖p − t‖² draws shares
    towards training; ½Σ(p_{k+1} − p_k)², for classes that have an order, makes neighbours alike.
    Without penalty, τ = 0, this is EMQ. It is convex, and solved
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
        "calibrated", "logistic" or "bias-corrected", as in `ExpectationMaximization`.
    """

    def __init__(
        self,
        classifier: Any,
        penalty: Literal["training", "ordered"] = "training",
        tau: float = 0.1,
        folds: int = 50,
        seed: int = 0,
        posteriors: Calibration = "calibrated",
    ) -> None:
        self.classifier = classifier
        self.penalty = penalty
        self.tau = tau
        self.folds = folds
        self.seed = seed
        self.posteriors = posteriors

    def maximise(self, prior: Array, likelihoods: Array, shares: Array, tol: float) -> Array:
        """Prevalence of largest likelihood less penalty."""
        if not self.tau >= 0:
            raise ValueError(f"tau is {self.tau}; it is a weight, 0 or more")
        classes = len(prior)
        match self.penalty:
            case "training":
                pulls, towards = np.eye(classes), prior
            case "ordered":
                pulls, towards = np.diff(np.eye(classes), axis=0), np.zeros(classes - 1)
            case _:
                raise ValueError(f"penalty {self.penalty!r} is unknown; choose training or ordered")
        root = np.sqrt(self.tau)
        solution = maximize_likelihood(
            likelihoods, shares, prior, root * pulls, root * towards, tol
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
    likelihoods: Array,
    weights: Array,
    start: Array,
    pulls: Array,
    towards: Array,
    tol: float = 1e-12,
) -> Solution:
    """Minimiser over all prevalences of −Σ_i w_i log(L_i·p) + ½|A·p − c|².

    A penalty is a function of A·p as the likelihood is one of L·p, so `newton` takes both at once.

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
    tol
        Gap that is small enough.

    Examples
    --------
    >>> certain = np.eye(2)                  # of four documents three are surely of class 1
    >>> none = np.zeros((0, 2)), np.zeros(0)
    >>> maximize_likelihood(certain, np.array([0.25, 0.75]), np.array([0.5, 0.5]), *none).p.round(6)
    array([0.25, 0.75])
    """
    known = start > 0
    possible = likelihoods[:, known].any(axis=1) & (weights > 0)
    columns, shares = likelihoods[possible][:, known], weights[possible]
    n = len(columns)

    def bend(mixture: Array) -> tuple[float, Array, Array]:
        value, slope, curvature = likelihood(shares, mixture[:n])
        off = mixture[n:] - towards
        value += float(off @ off) / 2
        return value, np.append(slope, off), np.append(curvature, np.ones(len(off)))

    stacked = np.vstack([columns, pulls[:, known]])
    found = newton(stacked, bend, start[known] / start.sum(), tol)
    p_hat = np.zeros(len(start))
    p_hat[known] = found.p
    converged = found.gap <= max(tol, _TOLERANCE) * (1 + abs(found.value))
    return Solution(p_hat, found.gap, converged)
