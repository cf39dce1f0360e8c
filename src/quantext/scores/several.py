"""Several classes: a classifier that knows them all is used as it is, with its own posteriors."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples

from quantext.kernels import kernel
from quantext.learners.folds import stratified_folds
from quantext.scores.finite import check_finite, or_none
from quantext.scores.labels import Labels
from quantext.scores.scorers import (
    LinearScorer,
    Scorer,
    is_linear,
    log_odds,
    make_scorer,
    without_scores,
)

__all__ = [
    "ClassScorer",
    "SoftmaxScorer",
    "class_scorer",
    "class_scores",
    "score_classes",
    "used_as_it_is",
]

Array = NDArray[Any]

_COMPARED = 64  # documents on which weights must say what the classifier says
_FARTHEST = 36.0  # log-odds, as those of `log_odds`


@dataclass(frozen=True)
class ClassScorer:
    """Scores of a classifier that knows all classes: see `class_scores`.

    Parameters
    ----------
    model
        Fitted.
    """

    model: Any

    def __call__(self, X: Any) -> Array:
        """Scores of the documents, shape (n, K)."""
        return class_scores(self.model, X)


@dataclass(frozen=True)
class SoftmaxScorer:
    """Log-odds of the posteriors of a multinomial model, which are the softmax of linear scores.

    It says what the classifier's ``predict_proba`` says, of each document by itself and whether X
    is sparse or not, and can be kept in a file.

    Parameters
    ----------
    linear
        Weights of the classes.
    """

    linear: LinearScorer

    @property
    def n_features(self) -> int:
        """Number of features that documents must have."""
        return self.linear.n_features

    def check(self, n_columns: int) -> None:
        """Raise ValueError if the weights do not fit each other or so many columns of scores.

        Parameters
        ----------
        n_columns
            Of the scores.
        """
        self.linear.check(n_columns)

    def __call__(self, X: Any) -> Array:
        """Scores of the documents, shape (n, K)."""
        scores = self.linear(X)
        finite = np.isfinite(scores).all(axis=1)
        softmax_log_odds(scores)
        scores[~finite] = np.nan  # the highest of infinite scores would hide them
        return scores


@kernel
def softmax_log_odds(scores: Array) -> None:
    """Replace linear scores, shape (n, K), by the log-odds of their softmax, up to ±36.

    Parameters
    ----------
    scores
        They are overwritten.
    """
    for own in scores:
        best = np.argmax(own)
        highest = own[best]
        others = 0.0  # e^(score - highest), summed over all classes but the best
        for k in range(len(own)):
            if k != best:
                others += np.exp(own[k] - highest)
        for k in range(len(own)):
            if k != best:
                # Without the class itself: at least 1, which is the best one's.
                rest = 1.0 + others - np.exp(own[k] - highest)
                own[k] = max(own[k] - highest - np.log(rest), -_FARTHEST)
        own[best] = min(-np.log(others), _FARTHEST) if others > 0 else _FARTHEST


def used_as_it_is(classifier: Any, labels: Labels) -> bool:
    """Whether the classifier learns all classes at once, and not each against the rest.

    Parameters
    ----------
    classifier
        Of scikit-learn's kind. One that is for two classes says so by its tags, as `LinearSVM` and
        `StructuralSVM` do.
    labels
        That it is to learn.
    """
    return labels.kind == "multiclass" and len(labels.classes) > 2 and _knows_several(classifier)


def _knows_several(classifier: Any) -> bool:
    """Whether a classifier, and the one inside it, can be fitted to more than two classes."""
    if steps := getattr(classifier, "steps", None):  # a pipeline can do what its last step can
        return _knows_several(steps[-1][1])
    tags = get_tags(classifier).classifier_tags if hasattr(classifier, "__sklearn_tags__") else None
    if tags is not None and not tags.multi_class:
        return False
    # A calibration or an ensemble says that it knows several, whatever it is made of.
    inner = getattr(classifier, "estimator", None)
    return inner is None or _knows_several(inner) or _divides_classes(classifier)


def _divides_classes(classifier: Any) -> bool:
    """Whether it is one of those that learn several classes by classifiers for two."""
    from sklearn import multiclass  # seldom needed

    kinds = (
        multiclass.OneVsOneClassifier,
        multiclass.OneVsRestClassifier,
        multiclass.OutputCodeClassifier,
    )
    return isinstance(classifier, kinds)


def class_scores(model: Any, X: Any) -> Array:
    """Scores of the documents for each class that a classifier knows, shape (n, K).

    They are the log-odds of its ``predict_proba``, up to ±36, so that 1/(1+e^−s) is its own
    posterior; or, if it has none, its ``decision_function``. The highest is the class that it
    predicts, unless it predicts otherwise than by its posteriors, as ``SVC(probability=True)``.

    Parameters
    ----------
    model
        Fitted to two classes or more.
    X
        Documents, as the classifier takes them.
    """
    if hasattr(model, "predict_proba"):
        posteriors = np.asarray(model.predict_proba(X), dtype=np.float64)
        scores = _ordered_log_odds(or_none(posteriors))
    elif hasattr(model, "decision_function"):
        _refuse_pairs(model)
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
    else:
        raise without_scores(model)
    if scores.shape[1] != len(model.classes_):
        raise ValueError(
            f"{type(model).__name__} gives {scores.shape[1]} scores a document for "
            f"{len(model.classes_)} classes; a quantifier needs one for each class"
        )
    return scores


def _ordered_log_odds(posteriors: Array) -> Array:
    """Log-odds of posteriors, of which the highest is where the highest posterior is."""
    scores = log_odds(posteriors)
    best = posteriors.argmax(axis=1)
    # Posteriors that differ in their last bit only, as those of a forest do, may have the same
    # logarithm; the class that is predicted must not depend on that.
    lost = np.flatnonzero(scores.argmax(axis=1) != best)
    scores[lost, best[lost]] = np.nextafter(scores[lost].max(axis=1), np.inf)
    return scores


def _refuse_pairs(model: Any) -> None:
    """Raise if the scores are of pairs of classes, which three classes have as many of."""
    params = model.get_params() if hasattr(model, "get_params") else {}
    for name, value in params.items():
        if name.endswith("decision_function_shape") and value == "ovo":
            raise ValueError(
                f"{name} of {type(model).__name__} is 'ovo', so that its scores are of pairs of "
                "classes; a quantifier needs one for each class: set it to 'ovr'"
            )


def class_scorer(model: Any, X: Any) -> Scorer:
    """Scorer of a fitted classifier that knows all classes: its weights, if these say it all.

    Parameters
    ----------
    model
        Fitted.
    X
        Documents that it takes, on some of which its weights are tried.
    """
    if not is_linear(model) or len(np.atleast_2d(model.coef_)) != len(model.classes_):
        return ClassScorer(model)
    rows = _safe_indexing(X, np.arange(min(_COMPARED, _num_samples(X))))
    linear = make_scorer([model])
    assert isinstance(linear, LinearScorer)
    # To single precision, in which some classifiers reckon.
    if not hasattr(model, "predict_proba"):
        same = np.allclose(linear(rows), class_scores(model, rows), rtol=1e-4, atol=1e-4)
        return linear if same else ClassScorer(model)
    softmax = SoftmaxScorer(linear)
    same = np.allclose(expit(softmax(rows)), model.predict_proba(rows), atol=1e-5)
    return softmax if same else ClassScorer(model)


def score_classes(
    learner: Any, X: Any, labels: Labels, folds: int, seed: int, n_jobs: int | None
) -> tuple[Scorer, Array | None]:
    """Scorer and out-of-fold scores of a classifier that learns all classes at once.

    Folds are stratified by class. A class that the training part of a fold lacks, since it has but
    one document, gets in that fold the lowest score that any document has for it, or that the
    document itself has for another class. Where the training part has only one class the
    classifier is not asked: the score of that class is 1, of the others −1.

    Parameters
    ----------
    learner
        Cloned for each fit.
    X
        Documents.
    labels
        Of several classes.
    folds, seed, n_jobs
        As in `score_training`; here threads are over folds.
    """
    codes = labels.y.argmax(axis=1)
    y = labels.classes[codes]
    scorer = class_scorer(clone(learner).fit(X, y), X)
    if not folds:
        return scorer, None
    fold_of = stratified_folds(codes, folds, seed)
    rows = partial(_safe_indexing, X)

    def score(fold: int) -> Array:
        held_out, rest = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        known = np.unique(codes[rest])
        scores = np.full((len(held_out), len(labels.classes)), np.nan)
        if len(known) == 1:
            scores[:] = -1.0
            scores[:, known] = 1.0
        else:
            model = clone(learner).fit(rows(rest), y[rest])
            found = class_scores(model, rows(held_out))
            check_finite(found, learner, "training document", held_out)  # NaN has a meaning here
            scores[:, known] = found
        return scores

    if n_jobs is None:
        n_jobs = getattr(learner, "n_jobs", None)
    parallel: Callable[[Any], list[Array]] = Parallel(n_jobs=n_jobs, require="sharedmem")
    parts = parallel(delayed(score)(fold) for fold in range(fold_of.max() + 1))
    out_of_fold = np.empty(labels.y.shape)
    for fold, scores in enumerate(parts):
        out_of_fold[fold_of == fold] = scores
    return scorer, _filled(out_of_fold)


def _filled(scores: Array) -> Array:
    """Scores in which NaN, for a class that was not known, is the lowest of its row and column."""
    rows, columns = np.nonzero(np.isnan(scores))
    if len(rows):
        lowest = np.fmin(np.nanmin(scores, axis=1)[rows], np.nanmin(scores, axis=0)[columns])
        scores[rows, columns] = lowest
    return scores
