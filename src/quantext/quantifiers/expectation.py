"""Maximum likelihood: the prevalence that makes the posteriors of a bag likeliest."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.correction import mean_of_classes
from quantext.quantifiers.distances import likelihood
from quantext.quantifiers.likeliest import most_likely_each
from quantext.quantifiers.problems import Problems, Relearned, Relearner
from quantext.quantifiers.simplex import newton
from quantext.quantifiers.summary import CoarseTally, MeanTally, Tally
from quantext.quantifiers.temperature import Softmax, scale_temperature
from quantext.scores.calibration import LOGISTIC, Sigmoid, calibrate, posteriors, rounded
from quantext.scores.recalibration import recalibrate
from quantext.scores.training import ScoresByClass, TrainingScores

__all__ = ["ExpectationMaximization"]

Array = NDArray[Any]

Calibration = Literal["calibrated", "logistic", "bias-corrected"]

# The histogram of log-odds: 65,536 bins of 1/1,024 from 32 below to 32 above those of the prior
# prevalence; further out a posterior cannot be told from 0 or 1. A bin stands for the mean of its
# documents, in 1/65,536 of its width: a posterior's mean is off by 4e-9 at most. The prior
# prevalence itself is the middle of a bin, so that scores that say nothing move nothing.
_PER_UNIT, _WITHIN, _REACH = 1_024, 65_536, 32
# With more than two classes a posterior is counted by how far it is from the prior prevalence.
_FINE, _FINEST = 2**24, 2**31  # steps in 1, if there are few classes and if there are many
_FEW_CLASSES = 4  # so few that rows of 8 bits for each posterior are 11 million at most
_TOLERANCE = 1e-12  # of the likelihood, in nats a document
NEAR = 1e-7  # how near to the maximum is near enough for a replicate of an interval
_LEAST = 1e-12  # prior prevalence of a class of which there are documents


@dataclass(frozen=True)
class Calibrated:
    """What turns scores into posteriors, and the prevalence that these stand for."""

    calibration: tuple[Sigmoid, ...] | Softmax
    prior: Array

    @classmethod
    def of(cls, calibration: tuple[Sigmoid, ...] | Softmax, training: ScoresByClass) -> Self:
        """The prevalence is the mean of the posteriors over the training documents."""
        documents = training.counts.sum(axis=1)
        rows = calibrated_posteriors(calibration, training.scores)
        mean = documents @ rows / documents.sum()
        return cls(calibration, _of_known(mean, training.counts.any(axis=0)))

    @property
    def log_odds(self) -> Any:
        """Log-odds of the prevalence of the second class."""
        return logit(self.prior[1])

    def posteriors(self, scores: Array) -> Array:
        """Posterior of each class, shape (n, K)."""
        return calibrated_posteriors(self.calibration, scores)


class CalibratedCount(Quantifier):
    """What methods share that look at how many documents have which calibrated posteriors."""

    posteriors: Calibration

    def divide(self, scores: TrainingScores) -> Problems:
        """All classes together: their posteriors are made to sum to 1."""
        return Problems.all_classes(scores)

    def coarsen(self, scores: Array) -> Array:
        """Scores rounded to much less than posteriors can tell."""
        return rounded(scores)

    def learn(self, training: ScoresByClass) -> Calibrated:
        """Calibration, and the mean of the posteriors that it gives."""
        return Calibrated.of(self._calibration(training), training)

    def _calibration(self, training: ScoresByClass) -> tuple[Sigmoid, ...] | Softmax:
        match self.posteriors:
            case "calibrated":
                return calibrate(training)
            case "logistic":
                return (LOGISTIC,)
            case "bias-corrected":
                return scale_temperature(training)
        raise ValueError(
            f"posteriors {self.posteriors!r} is unknown; choose calibrated, logistic or "
            "bias-corrected"
        )

    def count(self, learned: Calibrated, scores: Array, weights: Array | None = None) -> Tally:
        """Number of documents by log-odds or, with several classes, by rounded posteriors."""
        if scores.shape[1] > 1:
            apart = learned.posteriors(scores) - learned.prior
            if scores.shape[1] > _FEW_CLASSES:
                return Tally.of(np.rint(apart * _FINEST).astype(np.int32), weights)
            return CoarseTally.of(np.rint(apart * _FINE).astype(np.int32), weights)
        assert isinstance(learned.calibration, tuple)
        log_odds = learned.calibration[0].log_odds(scores[:, 0]) - learned.log_odds
        reach = _REACH - 1 / _PER_UNIT  # the middle of the last bin
        steps = np.rint(np.clip(log_odds, -reach, reach) * (_PER_UNIT * _WITHIN))
        return MeanTally.of(steps.astype(np.int32) + _WITHIN // 2, weights)

    def likelihoods(self, learned: Calibrated, counts: Tally) -> Array:
        """Likelihood of each key of a bag's tally under each class, up to a factor a key."""
        if not isinstance(counts, MeanTally):
            own = counts.keys / _FINEST + learned.prior
        elif isinstance(counts, CoarseTally):
            own = counts.means() / _FINE + learned.prior
        else:
            apart = (counts.means() - _WITHIN // 2) / (_PER_UNIT * _WITHIN)
            positive = expit(apart + learned.log_odds)
            own = np.column_stack([1 - positive, positive])
        return divided(np.maximum(own, 0.0), learned.prior)

    @abstractmethod
    def maximise(self, prior: Array, likelihoods: Array, shares: Array, tol: float) -> Array:
        """Prevalence that is best, given the rows that `likelihoods` has and their shares of a bag.

        Parameters
        ----------
        prior
            Prevalence that posteriors stand for.
        likelihoods
            Shape (r, K).
        shares
            Shape (r,).
        tol
            By how much another may be better, in nats a document.
        """

    def estimate(self, learned: Calibrated, counts: Tally, size: int) -> Array:
        """Prevalence that is best."""
        likelihoods = self.likelihoods(learned, counts)
        return self.maximise(learned.prior, likelihoods, counts.counts / size, _TOLERANCE)

    def maximise_each(self, prior: Array, likelihoods: Array, rows: Array, numbers: Array) -> Array:
        """Prevalence that is best for each of redrawn bags, shape (R, K).

        Parameters
        ----------
        prior
            Of each replicate, shape (R, K).
        likelihoods
            Of each row in each replicate, shape (R, r, K).
        rows, numbers
            Rows that documents have, and how many have them, shape (R, n).
        """
        shares = numbers / numbers.sum(axis=1, keepdims=True)
        replicates = zip(prior, likelihoods, rows, shares, strict=True)
        return np.array(
            [self.maximise(p, table[own], share, NEAR) for p, table, own, share in replicates]
        )

    def reestimator(self, training: ScoresByClass) -> Relearner:
        """The same without a tally."""
        tabulate = self._tables(training)

        def relearn(redrawn: Array) -> Relearned:
            tables = tabulate(redrawn)
            prior = mean_of_classes(tables, redrawn.sum(axis=1, keepdims=True))[:, 0]
            prior = _of_known(prior, redrawn.any(axis=2))
            return partial(self.maximise_each, prior, divided(tables, prior[:, None]))

        return relearn

    def _tables(self, training: ScoresByClass) -> Callable[[Array], Array]:
        """Function that gives posteriors of each row: see `recalibrate`."""
        if self.posteriors == "calibrated":
            return recalibrate(training)

        def tables(redrawn: Array) -> Array:
            samples = (ScoresByClass(training.scores, own.T) for own in redrawn)
            return np.array(
                [calibrated_posteriors(self._calibration(s), training.scores) for s in samples]
            )

        return tables


class ExpectationMaximization(CalibratedCount):
    """Maximum-likelihood prevalence, given calibrated posteriors (EMQ).

    Saerens et al. correct the posteriors for the prevalence, make the prevalence their mean, and
    begin again: each round climbs the likelihood, ever more slowly. Here Newton's method goes to
    the top, which is where those rounds would end: no prevalence is likelier by more than some
    1e-12 nats a document. The prevalence that posteriors stand for, by which they are divided, is
    their own mean over the out-of-fold documents, and not quite the training prevalence:
    calibration after Platt is cautious where positives are few, and corrected for the wrong
    prevalence such a class would grow without end.

    Saerens, Latinne & Decaestecker (2002), "Adjusting the outputs of a classifier to new a priori
    probabilities". Posteriors are calibrated after Platt on out-of-fold scores, or by a temperature
    and a bias for each class, after Alexandari et al. (2020), which is EMQ(BCTS).

    With two classes the bag's log-odds go into a histogram of 65,536 bins, each of which also keeps
    their sum: documents in it stand for their mean, and the estimate is that of all of them to some
    1e-8. With more, each posterior is rounded to a multiple of 2⁻³¹ and documents with equal rows
    are counted together. With three or four classes, where it is 2⁻²⁴, rows share a key that agree
    but for the last 8 bits, which costs no more. Where a bag has more than 131,072 such keys, it is
    the last 16 bits, and estimates are off by some 1e-6. So the summary is bounded however large
    the bag: by some 6 MB with three classes, and with four by half a gigabyte, of which a million
    documents take some 20 to 40 MB. With more classes nothing small says enough, and for each
    distinct row the summary has four bytes a class and eight more.

    Parameters
    ----------
    classifier
        A scikit-learn classifier; it is cloned.
    folds
        Of the cross-validation that gives the out-of-fold scores; at least 2.
    seed
        Of the folds.
    posteriors
        "calibrated": a sigmoid for each class, after Platt; "logistic": the bare conversion, as in
        `ProbabilisticCount`; "bias-corrected": softmax(scores/T + bias) of largest likelihood,
        which with two classes is a sigmoid too.
    """

    def __init__(
        self,
        classifier: Any,
        folds: int = 50,
        seed: int = 0,
        posteriors: Calibration = "calibrated",
    ) -> None:
        self.classifier = classifier
        self.folds = folds
        self.seed = seed
        self.posteriors = posteriors

    def maximise(self, prior: Array, likelihoods: Array, shares: Array, tol: float) -> Array:
        """Prevalence of largest likelihood."""
        if len(prior) > 2:
            return most_likely(likelihoods, shares, prior, tol)
        # The same steps, compiled: of two classes a sixth of the time.
        rows = np.arange(len(shares))[None]
        found = most_likely_each(likelihoods[None], rows, shares[None], prior[None], tol)
        return np.asarray(found[0])

    def maximise_each(self, prior: Array, likelihoods: Array, rows: Array, numbers: Array) -> Array:
        """Prevalence of largest likelihood."""
        return most_likely_each(likelihoods, rows, numbers, prior, NEAR)


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


def divided(own: Array, p_train: Array) -> Array:
    """Posteriors over the prevalence that they stand for; 0 for a class that has none."""
    return np.divide(own, p_train, out=np.zeros_like(own), where=p_train > 0)


def _of_known(mean: Array, known: Any) -> Array:
    """Mean posteriors as a prevalence: a classifier may know classes that have no documents."""
    own = np.where(known, np.maximum(mean, _LEAST), 0.0)
    return np.asarray(own / own.sum(axis=-1, keepdims=True))


def most_likely(likelihoods: Array, weights: Array, start: Array, tol: float = _TOLERANCE) -> Array:
    """Prevalence p for which Σ_i w_i log(L_i·p) is largest, among all prevalences.

    Parameters
    ----------
    likelihoods
        L, shape (r, K): of each row under each class, up to a factor for each row.
    weights
        w, shape (r,): share of the bag that each row has.
    start
        A prevalence; a class that has none gets none. Of several prevalences that are equally
        likely, one near it is found.
    tol
        By how much another prevalence may be likelier, in nats a document.

    Examples
    --------
    >>> certain = np.eye(2)                   # of four documents three are surely of class 1
    >>> most_likely(certain, np.array([0.25, 0.75]), np.array([0.5, 0.5])).round(9)
    array([0.25, 0.75])
    """
    known = start > 0
    possible = likelihoods[:, known].any(axis=1) & (weights > 0)
    p_hat = np.zeros(len(start))
    columns, shares = likelihoods[possible][:, known], weights[possible]
    bend = partial(likelihood, shares)
    p_hat[known] = newton(columns, bend, start[known] / start.sum(), tol).p
    return p_hat
