"""Ensembles: the same method on classifiers that were trained at many prevalences."""

from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from quantext.learners.folds import stratified_folds
from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.intervals import check_level, check_replicates
from quantext.quantifiers.members import EnsembleScorer, Member, codes_of, draw_documents
from quantext.quantifiers.problems import Problems
from quantext.quantifiers.summary import Summary
from quantext.scores.labels import read_labels
from quantext.scores.scorers import Scorer
from quantext.scores.training import ScoresByClass, TrainingScores, score_training

__all__ = ["EnsembleQuantifier"]

Array = NDArray[Any]


class EnsembleQuantifier(Quantifier):
    """Mean estimate of members whose classifiers were trained at prevalences drawn uniformly.

    For each member a prevalence is drawn, each as likely as any other, and as many training
    documents as there are, so that they have it: without replacement where a class has enough of
    them. Its classifier learns from these. What the method learns of a classifier's scores, such as
    rates of errors, each member learns from all training documents, scored by classifiers that did
    not know them.

    The bag decides which members count: "all"; or the half whose training prevalence is nearest to
    the mean of all estimates; or the half whose training scores are distributed most like the
    bag's, by the Hellinger distance of histograms.

    The interval has the mean bounds of the members that count. An error of a mean has at most the
    mean deviation of the errors, so this is, if anything, too wide.

    Pérez-Gállego, Quevedo & del Coz (2017), "Using ensembles for problems with characterizable
    changes in data distribution: a case study on quantification"; Pérez-Gállego et al. (2019),
    "Dynamic ensemble selection for quantification tasks", for the choice of members. There members
    learn everything from their own documents.

    Parameters
    ----------
    quantifier
        Of which members are clones: any that aggregates a classifier's scores, with at least 2
        folds. The folds are of documents, not of what is drawn from them.
    n_members
        How many.
    select
        "all", "training prevalence" or "scores".
    seed
        Of the prevalences, and of what is drawn.

    Examples
    --------
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from quantext.quantifiers import AdjustedCount
    >>> X, y = np.arange(40.0)[:, None], np.arange(40) >= 20
    >>> ensemble = EnsembleQuantifier(AdjustedCount(RidgeClassifier(), folds=4), n_members=3)
    >>> ensemble.fit(X, y).predict(X[10:30]).round(1)
    array([0.5, 0.5])
    """

    stored = (EnsembleScorer,)

    def __init__(
        self,
        quantifier: Quantifier,
        n_members: int = 10,
        select: Literal["all", "training prevalence", "scores"] = "all",
        seed: int = 0,
    ) -> None:
        self.quantifier = quantifier
        self.n_members = n_members
        self.select = select
        self.seed = seed

    @property
    def classifier(self) -> Any:
        """The members'."""
        return self.quantifier.classifier

    def divide(self, scores: TrainingScores) -> Problems:
        """One problem: each member divides it in its own way."""
        return Problems.everything(scores)

    def represent(self, X: Any, y: Any) -> TrainingScores:
        """Scores of the training documents by all members, and what gives those of a bag.

        Parameters
        ----------
        X, y
            As in `fit`.
        """
        start = perf_counter()
        self._check()
        labels = read_labels(y)
        if (n := _num_samples(X)) != len(labels.y):
            raise ValueError(f"X has {n} documents but y has labels for {len(labels.y)}")
        if hasattr(X, "tocsr"):
            X = X.tocsr()
        # Classes are drawn together, and each label by itself.
        parts = [labels.y] if labels.kind == "multiclass" else [c[:, None] for c in labels.y.T]
        scorers, rows, prevalences = [], [], []
        for member in range(self.n_members):
            shares = []
            for part in parts:
                drawn = draw_documents(part, np.random.default_rng([self.seed, member]))
                scorer, out_of_fold = self._score(X, part, drawn)
                scorers.append(scorer)
                rows.append(out_of_fold)
                shares.append(part[drawn].mean(axis=0))
            prevalences.append(np.concatenate(shares))
        return TrainingScores(
            EnsembleScorer(tuple(scorers), np.array(prevalences)),
            np.hstack(rows),
            labels.y,
            perf_counter() - start,
            labels.classes,
            labels.kind,
        )

    def _check(self) -> None:
        if type(self.quantifier).represent is not Quantifier.represent:
            raise ValueError(
                f"members cannot be a {type(self.quantifier).__name__}, which does not aggregate "
                "the scores of a classifier; choose AdjustedCount, for one"
            )
        if self.n_members < 1:
            raise ValueError(f"n_members is {self.n_members}; there must be at least one")
        if self.select not in ("all", "training prevalence", "scores"):
            raise ValueError(
                f"select {self.select!r} is unknown; choose all, training prevalence or scores"
            )
        if self.quantifier.folds < 2:
            raise ValueError(
                f"folds of the quantifier is {self.quantifier.folds}; members need at least 2"
            )

    def _score(self, X: Any, y: Array, drawn: Array) -> tuple[Scorer, Array]:
        """Scorer of a classifier trained on what was drawn, and out-of-fold scores of all."""

        def scorer(rows: Array) -> Scorer:
            part = _safe_indexing(X, rows)
            return score_training(self.quantifier.classifier, part, y[rows], folds=0).scorer

        fold_of = stratified_folds(codes_of(y), self.quantifier.folds, self.seed)
        scores = np.empty(y.shape)
        for fold in range(fold_of.max() + 1):
            held, known = np.flatnonzero(fold_of == fold), drawn[fold_of[drawn] != fold]
            # All that was drawn may be in the fold, if documents are few.
            known = known if len(known) else np.flatnonzero(fold_of != fold)
            if len(known):
                scores[held] = scorer(known)(_safe_indexing(X, held))
            else:  # there is one document only
                scores[held] = np.where(y[held], 1.0, -1.0)
        return scorer(drawn), scores

    def learn(self, training: ScoresByClass) -> tuple[Member, ...]:
        """The members, each fitted to its scores of all documents."""
        self._check()
        whole = self.scores_
        assert isinstance(whole.scorer, EnsembleScorer)
        each = bool(getattr(self.classifier, "counts_each_class", False))
        members = []
        for own, prevalence in zip(
            self._columns(training.scores), whole.scorer.prevalences, strict=True
        ):
            scores = TrainingScores(
                whole.scorer, own, whole.y, 0.0, whole.classes, whole.kind, each
            )
            members.append(Member.of(clone(self.quantifier).fit_scores(scores), prevalence))
        return tuple(members)

    def _columns(self, scores: Array) -> Iterator[Array]:
        """Scores by each member."""
        width = self.scores_.y.shape[1]
        return (scores[:, i : i + width] for i in range(0, scores.shape[1], width))

    def count(
        self, learned: tuple[Member, ...], scores: Array, weights: Array | None = None
    ) -> tuple[Any, ...]:
        """What each member counts, and how its scores are distributed."""
        counts = []
        for member, own in zip(learned, self._columns(scores), strict=True):
            inner = member.quantifier
            problems = zip(inner.learned_, inner.problems_.rows(own), strict=True)
            said = tuple(inner._count(*problem, weights) for problem in problems)
            counts.append((said, member.histograms(own, weights)))
        return tuple(counts)

    def estimate(self, learned: tuple[Member, ...], counts: tuple[Any, ...], size: int) -> Array:
        """Mean estimate of the members that the bag selects."""
        estimates = _estimates(learned, counts, size)
        return np.asarray(estimates[self._selected(learned, counts, estimates)].mean(axis=0))

    def _selected(
        self, learned: Sequence[Member], counts: Sequence[Any], estimates: Array
    ) -> Array:
        """Which members count."""
        if self.select == "all":
            return np.arange(len(learned))
        if self.select == "scores":
            pairs = zip(learned, counts, strict=True)
            far = np.array([member.distance(histograms) for member, (_, histograms) in pairs])
        else:
            mean = estimates.mean(axis=0)
            mean = mean[1:] if self.kind_ == "binary" else mean
            far = np.array([np.abs(member.prevalence - mean).sum() for member in learned])
        return np.sort(np.argsort(far, kind="stable")[: max(1, len(learned) // 2)])

    def interval(
        self, summary: Summary, level: float = 0.95, seed: int = 0, *, replicates: int = 1000
    ) -> tuple[Array, Array]:
        """Lower and upper bounds of the prevalence of each class in the bag that was summarised.

        Parameters
        ----------
        summary
            Of this quantifier's making.
        level, seed
            As in `predict_interval`.
        replicates
            Of all members together.
        """
        check_level(level)
        check_replicates(replicates)
        p_hat = self.aggregate(summary)
        [learned], [counts] = self.learned_, summary.counts
        if not isinstance(learned, tuple):  # all training documents are of one class
            return p_hat, p_hat
        selected = self._selected(learned, counts, _estimates(learned, counts, summary.total))
        each = -(-replicates // len(selected))
        bounds = []
        for t in selected:
            bag = Summary(summary.size, counts[t][0], summary.weights)
            bounds.append(learned[t].quantifier.interval(bag, level, seed, replicates=each))
        low, high = np.mean(bounds, axis=0)
        return (np.minimum(low, p_hat), np.maximum(high, p_hat)) if self.corrects else (low, high)


def _estimates(learned: Iterable[Member], counts: Iterable[Any], size: int) -> Array:
    """Of each member, shape (T, K)."""
    estimates = []
    for member, (own, _) in zip(learned, counts, strict=True):
        inner = member.quantifier
        problems = zip(inner.learned_, own, strict=True)
        estimates.append(inner.problems_.join([inner._estimate(*p, size) for p in problems]))
    return np.array(estimates)
