"""Scores that are not finite are an error that names the classifier and the document."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

import quantext as qx
from quantext.scores.training import TrainingScores, score_training


class Broken(ClassifierMixin, BaseEstimator):
    """Posteriors by the nearest of the first features, but where a feature is 9 something else."""

    def __init__(self, says=np.nan):
        self.says = says

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        X = np.asarray(X)
        weights = np.exp(X[:, : len(self.classes_)])
        posteriors = weights / weights.sum(axis=1, keepdims=True)
        posteriors[(X == 9).any(axis=1), 0] = self.says
        return posteriors


Y = np.repeat([0, 1, 2], 8)
X = np.random.default_rng(0).normal(size=(24, 3)) + 2 * np.eye(3)[Y]
BAD = np.vstack([X[:5], np.full(3, 9.0), X[6:]])  # document 5
SCORED = [  # the others have no classifier, or one of their own, or count what it predicts
    name
    for name in qx.METHODS
    if "classifier" in (params := qx.method(name).get_params())
    and params["classifier"] is not None
    and not name.startswith("SVM")
    and name not in ("PWK", "QF")
]


@pytest.mark.parametrize("says", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("y", [Y, Y > 0], ids=["three classes", "two"])
def test_an_out_of_fold_score_that_is_not_finite_is_an_error(says, y):
    with pytest.raises(ValueError, match=r"Broken gives training document 5 .* is not finite"):
        score_training(Broken(says), BAD, y, folds=3)
    # It would have left no columns for least squares, at which SciPy ends the process.
    with pytest.raises(ValueError, match=r"Broken gives training document 5 .* is not finite"):
        qx.method("PACC", classifier=Broken(says), folds=3).fit(BAD, y)


@pytest.mark.parametrize("name", SCORED)
def test_a_bag_of_scores_that_are_not_finite_is_an_error_with_every_method(name):
    method = qx.method(name, classifier=Broken(), folds=3)
    fitted = method.fit(X, Y if "multiclass" in method.kinds else Y > 0)
    with pytest.raises(ValueError, match=r"Broken gives document 0 .* is not finite"):
        fitted.predict(np.full((4, 3), 9.0))


def test_scores_of_no_classifier_are_named_by_the_document_alone():
    scores = TrainingScores.given([0.5, -2.0, 1.5, -1.0], [1, 0, 1, 0])
    fitted = qx.AdjustedCount(None).fit_scores(scores)
    with pytest.raises(ValueError, match=r"^document 1 .* has the score"):
        fitted.summarise_scores(np.array([[1.0], [np.inf]]))


def test_weights_that_overflow_are_an_error_of_the_document_and_not_a_class():
    fitted = qx.method("CC", classifier=LogisticRegression()).fit(X, Y)
    bag = np.full((2, 3), 1.7e308) * [[0], [1]]
    with (
        np.errstate(over="ignore", invalid="ignore"),
        pytest.raises(ValueError, match=r"LogisticRegression gives document 1 "),
    ):
        fitted.predict(bag)
