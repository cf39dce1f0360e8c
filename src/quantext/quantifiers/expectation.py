"""Expectation-maximisation: posteriors and prevalence, each corrected by the other."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import expit, logit

from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.problems import Problems
from quantext.quantifiers.summary import CoarseTally, Tally
from quantext.quantifiers.temperature import Softmax, scale_temperature
from quantext.scores.calibration import Sigmoid, calibrate, posteriors, rounded
from quantext.scores.training import ScoresByClass, TrainingScores

__all__ = ["ExpectationMaximization"]

Array = NDArray[Any]

# The histogram of log-odds: 65,536 bins of 1/1,024 from 32 below to 32 above those of the prior
# prevalence; further out a posterior cannot be told from 0 or 1. A bin's middle is off by at most
# 1/2,048, a posterior by 1/8,192. The prior prevalence itself is the middle of a bin, so that
# scores that say nothing move nothing.
_BINS, _PER_UNIT = 65_536, 1_024
_LEVELS = 65_535  # to which a posterior is rounded, with more than two classes
_FEW_CLASSES = 4  # so few that rows of 8 bits for each posterior are 11 million at most


@dataclass(frozen=True)
class Calibrated:
    """What turns scores into posteriors, and the prevalence that these stand for."""

    calibration: tuple[Sigmoid, ...] | Softmax
    prior: Array

    @property
    def log_odds(self) -> Any:
        """Log-odds of the prevalence of the second class."""
        return logit(self.prior[1])

    def posteriors(self, scores: Array) -> Array:
        """Posterior of each class, shape (n, K)."""
        return calibrated_posteriors(self.calibration, scores)


class CalibratedCount(Quantifier):
    """What methods share that look at how many documents have which calibrated posteriors."""

    posteriors: Literal["calibrated", "bias-corrected"]

    def divide(self, scores: TrainingScores) -> Problems:
        """All classes together: their posteriors are made to sum to 1."""
        return Problems.all_classes(scores)

    def coarsen(self, scores: Array) -> Array:
        """Scores rounded to much less than posteriors can tell."""
        return rounded(scores)

    def learn(self, training: ScoresByClass) -> Calibrated:
        """Calibration, and the mean of the posteriors that it gives."""
        calibration: tuple[Sigmoid, ...] | Softmax
        match self.posteriors:
            case "calibrated":
                calibration = calibrate(training)
            case "bias-corrected":
                calibration = scale_temperature(training)
            case _:
                raise ValueError(
                    f"posteriors {self.posteriors!r} is unknown; choose calibrated or "
                    "bias-corrected"
                )
        documents = training.counts.sum(axis=1)
        rows = calibrated_posteriors(calibration, training.scores)
        mean = documents @ rows / documents.sum()
        # A classifier may know classes of which there are no documents.
        known = np.where(training.counts.any(axis=0), mean, 0.0)
        return Calibrated(calibration, known / known.sum())

    def count(self, learned: Calibrated, scores: Array, weights: Array | None = None) -> Tally:
        """Number of documents by log-odds or, with several classes, by rounded posteriors."""
        if scores.shape[1] > 1:
            levels = np.rint(learned.posteriors(scores) * _LEVELS)
            kind = CoarseTally if scores.shape[1] <= _FEW_CLASSES else Tally
            return kind.of(levels.astype(np.uint16), weights)
        assert isinstance(learned.calibration, tuple)
        log_odds = learned.calibration[0].log_odds(scores[:, 0]) - learned.log_odds
        bins = np.clip(np.rint(log_odds * _PER_UNIT) + _BINS // 2, 0, _BINS - 1)
        return Tally.of(bins.astype(np.int32), weights)

    def likelihoods(self, learned: Calibrated, counts: Tally) -> Array:
        """Likelihood of each key of a bag's tally under each class, up to a factor a key."""
        if counts.keys.ndim > 1:
            levels = counts.means() if isinstance(counts, CoarseTally) else counts.keys
            own = levels / _LEVELS
        else:
            log_odds = (counts.keys - _BINS // 2) / _PER_UNIT + learned.log_odds
            positive = expit(log_odds)
            own = np.column_stack([1 - positive, positive])
        return divided(own, learned.prior)


class ExpectationMaximization(CalibratedCount):
    """Maximum-likelihood prevalence, given calibrated posteriors (EMQ).

    Posteriors are corrected for the prevalence, and the prevalence becomes their mean, until no
    class changes by 1e-6 or for 1,000 rounds. The prevalence that posteriors stand for, where this
    starts, is their own mean over the out-of-fold documents, and not quite the training prevalence:
    calibration after Platt is cautious where positives are few, and corrected for the wrong
    prevalence such a class would grow with every round.

    Saerens, Latinne & Decaestecker (2002), "Adjusting the outputs of a classifier to new a priori
    probabilities". Posteriors are calibrated after Platt on out-of-fold scores, or by a temperature
    and a bias for each class, after Alexandari et al. (2020), which is EMQ(BCTS).

    With two classes the bag's log-odds go into a histogram of 65,536 bins. With more, each
    posterior is rounded to a multiple of 1/65,535 and documents with equal rows are counted
    together. With three or four classes, where a bag has more than 131,072 distinct rows, those
    whose posteriors share their first 8 of 16 bits are put together and stand for their mean. So
    the summary is bounded however large the bag: by some 4 MB with three classes, and with four by
    half a gigabyte, of which a million documents take some 20 to 40 MB. With more classes nothing
    small says enough, and for each distinct row the summary has two bytes a class and eight more.

    Parameters
    ----------
    classifier
        A scikit-learn classifier; it is cloned.
    folds
        Of the cross-validation that gives the out-of-fold scores; at least 2.
    seed
        Of the folds.
    posteriors
        "calibrated": a sigmoid for each class, after Platt; "bias-corrected": softmax(scores/T +
        bias) of largest likelihood. They are the same kind of curve if there are two classes.
    """

    def __init__(
        self,
        classifier: Any,
        folds: int = 50,
        seed: int = 0,
        posteriors: Literal["calibrated", "bias-corrected"] = "calibrated",
    ) -> None:
        self.classifier = classifier
        self.folds = folds
        self.seed = seed
        self.posteriors = posteriors

    def estimate(self, learned: Calibrated, counts: Tally, size: int) -> Array:
        """Prevalence at which expectation and maximisation agree."""
        likelihoods = self.likelihoods(learned, counts)
        return np.asarray(iterate(likelihoods, counts.counts / size, learned.prior))


def calibrated_posteriors(calibration: tuple[Sigmoid, ...] | Softmax, scores: Array) -> Array:
    """Posterior of each class, shape (n, K).

    Parameters
    ----------
    calibration
        Sigmoids, one for each column, or what there is for all of them.
    scores
        Shape (n, m).
    """
    if isinstance(calibration, Softmax):
        return calibration.posteriors(scores)
    return posteriors(calibration, scores)


def expectation_maximization(own: Array, weights: Array, p_train: Array) -> Array:
    """Prevalence from the posteriors that hold under the training prevalence.

    Parameters
    ----------
    own
        Posteriors under `p_train`, shape (r, K).
    weights
        Share of the bag that has the posteriors of each row.
    p_train
        Training prevalence; a class that has none gets none.
    """
    return np.asarray(iterate(divided(own, p_train), weights, p_train))


def divided(own: Array, p_train: Array) -> Array:
    """Posteriors over the prevalence that they stand for; 0 for a class that has none."""
    return np.divide(own, p_train, out=np.zeros_like(own), where=p_train > 0)


@njit(cache=True, nogil=True)
def iterate(likelihood: Array, weights: Array, p_train: Array) -> Array:
    """Prevalence when it no longer changes by 1e-6, or after 1,000 rounds.

    Parameters
    ----------
    likelihood
        Of each row under each class, up to a factor for each row, shape (r, K).
    weights
        Share of the bag that each row has.
    p_train
        Where to start.
    """
    rows, classes = likelihood.shape
    p, new = p_train.copy(), np.empty(classes)
    for _ in range(1000):
        new[:] = 0.0
        for i in range(rows):
            total = 0.0
            for k in range(classes):
                total += likelihood[i, k] * p[k]
            if total > 0:
                share = weights[i] / total
                for k in range(classes):
                    new[k] += likelihood[i, k] * share
        mass, change = 0.0, 0.0
        for k in range(classes):
            new[k] *= p[k]
            mass += new[k]
        if mass == 0:  # no row is possible under any class that has a share
            break
        for k in range(classes):
            change = max(change, abs(new[k] / mass - p[k]))
            p[k] = new[k] / mass
        if change < 1e-6:
            break
    return p
