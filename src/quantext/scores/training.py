"""Training scores: a fitted scorer and out-of-fold scores, made once and shared by every method.

A quantifier is a classifier's scores and an aggregation of them. The scores cost nearly all of the
time, so `score_training` makes them once and ``Quantifier.fit_scores`` takes them as often as there
are methods.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, column_or_1d

from quantext.learners.folds import stratified_folds
from quantext.scores.by_class import ScoresByClass
from quantext.scores.features import ClassFeatures, describe_features
from quantext.scores.finite import check_finite
from quantext.scores.given import read_given
from quantext.scores.labels import Kind, Labels, check_lengths, read_labels
from quantext.scores.scorers import LinearScorer, Scorer, make_scorer, model_scores
from quantext.scores.several import class_scorer, score_classes, used_as_it_is
from quantext.vectors.sparse import check_sparse

__all__ = ["ScoresByClass", "TrainingScores", "score_training"]

Array = NDArray[Any]
Value = TypeVar("Value")


@dataclass(frozen=True)
class TrainingScores:
    """All that a method learns from: a fitted scorer and the out-of-fold scores of its training.

    `score_training` makes it; `TrainingScores.given` makes it of scores or labels from elsewhere.
    A quantifier whose `represent` is its own may have rows that are no scores at all.

    Parameters
    ----------
    scorer
        Gives the documents of a bag their scores, shape (n, m), or rows of any other length.
    out_of_fold
        The same for the training documents, by models that were not trained on them; None if there
        was no cross-validation.
    y
        Labels of the training documents as columns, shape (n, m).
    seconds
        What it took to make them.
    classes
        Names: of the classes, or of the label of each column.
    kind
        "binary": one column, that of ``classes[1]``; "multiclass": one column per class, of which
        a document has exactly one; "multilabel": columns that have nothing to do with each other.
    counts_each_class
        Whether the scores are made to count each class against the rest, so that they cannot be
        compared between classes: then classify-and-count does not use the highest score.
    features
        What training says of the features by class, if it was asked for and X has features.

    Attributes
    ----------
    fit_seconds
        What training the scorer took of them, without cross-validation; None if that is not known.
    """

    scorer: Scorer
    out_of_fold: Array | None
    y: NDArray[np.bool_]
    seconds: float
    classes: Array
    kind: Kind
    counts_each_class: bool = False
    features: ClassFeatures | None = None
    fit_seconds: float | None = field(default=None, init=False, compare=False)

    @classmethod
    def given(cls, scores_or_labels: Any, y: Any) -> Self:
        """Training scores from elsewhere: a language model's, a rule set's, an old system's.

        A quantifier that is fitted to them, by ``fit_scores``, takes bags of the same kind:
        ``predict(labels_of_new_documents)``.

        Parameters
        ----------
        scores_or_labels
            Of documents whose classes are known, and of which whoever made them did not know these.
            One-dimensional: labels of any type, each of them a class of y; or for two classes one
            floating-point score a document, above 0 for ``classes[1]``, or its posterior, if all of
            them are between 0 and 1. Two-dimensional: a column of scores, or of posteriors, for
            each class or label; for two classes posteriors of both will do.
        y
            The classes: one-dimensional labels of any type, or 0/1 columns, always multi-label.

        Examples
        --------
        >>> from quantext import AdjustedCount
        >>> said = ["a", "a", "a", "b", "b", "b"]
        >>> scores = TrainingScores.given(said, y=["a", "a", "b", "b", "b", "b"])
        >>> AdjustedCount(None).fit_scores(scores).predict(["a", "b", "b", "b"])
        array([0., 1.])
        """
        labels = read_labels(y)
        scorer, rows = read_given(scores_or_labels, labels)
        return cls(scorer, rows, labels.y, 0.0, labels.classes, labels.kind)

    def part(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """What `make` gives; the same of the same key, where several methods share the scores.

        Parameters
        ----------
        key
            What tells the part from others.
        make
            Makes it of the scores.
        """
        del key
        return make()

    @property
    def prevalence(self) -> Array:
        """Training prevalence of each class."""
        shares = np.asarray(self.y.mean(axis=0))
        return np.array([1 - shares[0], shares[0]]) if self.kind == "binary" else shares

    @property
    def decisions(self) -> NDArray[np.bool_] | None:
        """Classes that the out-of-fold scores stand for, in the columns of y; None without any."""
        scores = self.out_of_fold
        if scores is None or scores.shape != self.y.shape:
            return None
        if self.kind == "multiclass" and not self.counts_each_class:
            return np.asarray(scores.argmax(axis=1)[:, None] == np.arange(scores.shape[1]))
        return np.asarray(scores > 0)


def score_training(
    classifier: Any,
    X: Any,
    y: Any,
    *,
    folds: int = 50,
    seed: int = 0,
    n_jobs: int | None = None,
    features: bool = False,
) -> TrainingScores:
    """Fitted scorer and out-of-fold scores of a classifier on training documents.

    Of two classes the score is the classifier's ``decision_function`` or, if it has none, the
    log-odds of its ``predict_proba``. Each label of a two-dimensional y is learned like that by a
    clone of the classifier, which sees the classes 0 and 1.

    Three classes or more are learned at once by a classifier that can, as most of scikit-learn's
    do. The scores are then the log-odds of its own ``predict_proba`` or, if it has none, its
    ``decision_function``; in both cases the highest is the class that it predicts. A classifier
    whose tags say that it is for two classes, like `LinearSVM` and `StructuralSVM`, learns each of
    them against the rest.

    A training part without positives gives all documents the score −1, one without negatives +1,
    and the classifier is not asked; so a rare class raises nothing. Nor does it where all classes
    are learned at once: a class that a training part lacks gets the lowest score there is.

    Parameters
    ----------
    classifier
        A scikit-learn classifier. It is cloned, never changed. If it has a method
        ``fold_scores(X, Y, folds, seed)``, which fits it to all columns of Y and returns their
        out-of-fold scores, that is used. An already fitted classifier goes in scikit-learn's
        ``FrozenEstimator``; X and y must then be documents that it was not trained on, and its
        scores on them serve as the out-of-fold scores.
    X
        Documents: array, sparse matrix, or whatever the classifier takes.
    y
        One-dimensional labels of any type, or 0/1 columns, always multi-label.
    folds
        Number of stratified folds, at least 2; 0 for no out-of-fold scores.
    seed
        Of the folds.
    n_jobs
        Threads over columns, or over folds if all classes are learned at once; None: as many as
        the classifier's own ``n_jobs`` says, if it has one.
    features
        Also say how often each feature of X occurs in each class, for methods that ask.
    """
    start = perf_counter()
    out_of_fold: Array | None
    fit_seconds: float | None = None
    if folds < 0 or folds == 1:
        raise ValueError(f"folds is {folds}; use 0 for no cross-validation, or at least 2")
    labels = read_labels(y)
    check_lengths(X, labels)
    check_sparse(X)
    if hasattr(X, "tocsr"):
        X = X.tocsr()  # the only common format whose rows can be picked
    if isinstance(classifier, FrozenEstimator):
        labels, model = _frozen(classifier, labels, y)
        several = labels.kind == "multiclass" and len(labels.classes) > 2
        scorer = class_scorer(model, X) if several else make_scorer([model])
        out_of_fold = _checked_columns(scorer(X), labels)
    elif used_as_it_is(classifier, labels):
        scorer, out_of_fold = score_classes(classifier, X, labels, folds, seed, n_jobs)
    else:
        learner = clone(classifier)
        own = hasattr(learner, "fold_scores") and folds > 0
        score_columns = _own_folds if own else _any_folds
        scorer, out_of_fold = score_columns(learner, X, labels.y, folds, seed, n_jobs)
        fit_seconds = getattr(learner, "fit_seconds_", None)
    if out_of_fold is not None:
        check_finite(out_of_fold, classifier, "training document")
    described = None
    if features:
        unweighted = None if isinstance(scorer, LinearScorer) else out_of_fold
        described = describe_features(X, labels.y, unweighted)
    scores = TrainingScores(
        scorer,
        out_of_fold,
        labels.y,
        perf_counter() - start,
        labels.classes,
        labels.kind,
        counts_each_class=getattr(classifier, "counts_each_class", False),
        features=described,
    )
    object.__setattr__(scores, "fit_seconds", fit_seconds)
    return scores


def _own_folds(
    learner: Any, X: Any, y: Array, folds: int, seed: int, n_jobs: int | None
) -> tuple[Scorer, Array]:
    """Scorer and out-of-fold scores of a classifier that cross-validates by itself."""
    if n_jobs is not None:
        learner.set_params(n_jobs=n_jobs)
    constant = _constants(y)
    out_of_fold = np.tile(np.where(y.all(axis=0), 1.0, -1.0), (len(y), 1))
    if constant.all():
        return make_scorer(list(out_of_fold[0])), out_of_fold
    out_of_fold[:, ~constant] = learner.fold_scores(X, y[:, ~constant], folds, seed)
    coef = np.zeros((learner.coef_.shape[1], y.shape[1]))
    intercept = out_of_fold[0].copy()
    coef[:, ~constant] = learner.coef_.T
    intercept[~constant] = learner.intercept_
    return LinearScorer(coef, intercept), out_of_fold


def _any_folds(
    learner: Any, X: Any, y: Array, folds: int, seed: int, n_jobs: int | None
) -> tuple[Scorer, Array | None]:
    """Scorer and out-of-fold scores of any classifier, one column at a time."""

    def column(labels: Array) -> tuple[Any, Array | None]:
        labels = np.ascontiguousarray(labels)
        model = _fit(learner, X, labels)
        if isinstance(model, float):
            return model, np.full(len(labels), model)
        return model, _fold_scores(learner, X, labels, folds, seed) if folds else None

    if n_jobs is None:
        n_jobs = getattr(learner, "n_jobs", None)
    parallel: Callable[[Any], list[Any]] = Parallel(n_jobs=n_jobs, require="sharedmem")
    models, scores = zip(*parallel(delayed(column)(labels) for labels in y.T), strict=True)
    return make_scorer(models), np.column_stack(scores) if folds else None


def _fold_scores(learner: Any, X: Any, y: Array, folds: int, seed: int) -> Array:
    """Out-of-fold scores for one column of labels."""
    scores = np.empty(len(y))
    fold_of = stratified_folds(y, folds, seed)
    rows = partial(_safe_indexing, X)
    for fold in range(fold_of.max() + 1):
        held_out, rest = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        model = _fit(learner, rows(rest), y[rest])
        scores[held_out] = model_scores(model, rows(held_out))[:, 0]
    return scores


def _fit(learner: Any, X: Any, y: Array) -> Any:
    """A fitted clone, or the constant score ±1 where there is only one class to learn from."""
    if y.all() or not y.any():
        return 1.0 if y.all() else -1.0
    return clone(learner).fit(X, y.astype(np.int64))


def _frozen(classifier: Any, labels: Labels, y: Any) -> tuple[Labels, Any]:
    """Held-out labels by the classes that a fitted classifier knows, and the classifier itself."""
    model = classifier.estimator
    check_is_fitted(model)
    if labels.kind == "multilabel":
        return labels, model
    known = np.asarray(model.classes_)
    values = column_or_1d(np.asarray(y))
    if unknown := set(np.unique(values).tolist()) - set(known.tolist()):
        raise ValueError(
            f"y has the classes {sorted(unknown)}, which the fitted classifier does not know: "
            f"it was trained on {known.tolist()}"
        )
    if len(known) == 2:
        return Labels((values == known[1])[:, None], known, "binary"), model
    return Labels(values[:, None] == known, known, "multiclass"), model


def _checked_columns(scores: Array, labels: Labels) -> Array:
    if scores.shape != labels.y.shape:
        raise ValueError(
            f"the fitted classifier gives {scores.shape[1]} scores a document, "
            f"but y has {labels.y.shape[1]} columns"
        )
    return scores


def _constants(y: Array) -> NDArray[np.bool_]:
    """Which columns say the same of all documents."""
    return np.asarray(y.all(axis=0) | ~y.any(axis=0))
