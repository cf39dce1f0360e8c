"""Classifiers that know several classes are used as they are."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV, PredefinedSplit, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from quantext.learners.folds import stratified_folds
from quantext.learners.linear import LinearSVM
from quantext.learners.structural import StructuralSVM
from quantext.scores.labels import read_labels
from quantext.scores.scorers import LinearScorer
from quantext.scores.several import (
    ClassScorer,
    SoftmaxScorer,
    class_scores,
    softmax_log_odds,
    used_as_it_is,
)
from quantext.scores.training import score_training

NAMES = np.array(["news", "sport", "arts"])


@pytest.fixture
def documents():
    rng = np.random.default_rng(0)
    codes = np.arange(90) % 3
    return rng.normal(size=(90, 5)) + 1.5 * (codes[:, None] == np.arange(5)), NAMES[codes]


# Who is used as it is


@pytest.mark.parametrize(
    ("classifier", "expected"),
    [
        (LogisticRegression(), True),
        (GaussianNB(), True),
        (make_pipeline(StandardScaler(), LogisticRegression()), True),
        (GridSearchCV(SVC(), {"C": [1]}), True),
        (OneVsRestClassifier(LinearSVM()), True),
        (LinearSVM(), False),
        (StructuralSVM(), False),
        (make_pipeline(StandardScaler(), LinearSVM()), False),
        (GridSearchCV(LinearSVM(), {"C": [1]}), False),
        (CalibratedClassifierCV(LinearSVM()), False),
        (make_pipeline(StandardScaler(), CalibratedClassifierCV(LinearSVM())), False),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_classifier_is_used_as_it_is_if_it_knows_several_classes(classifier, expected):
    assert used_as_it_is(classifier, read_labels(["a", "b", "c"])) == expected


@pytest.mark.parametrize("y", [["a", "b"], ["a", "a"], np.eye(3)], ids=["two", "one", "labels"])
def test_with_two_classes_or_labels_there_is_nothing_to_use_as_it_is(y):
    assert not used_as_it_is(LogisticRegression(), read_labels(y))


def test_a_classifier_that_declares_nothing_is_taken_to_know_several_classes():
    class Bare:
        pass

    assert used_as_it_is(Bare(), read_labels([1, 2, 3]))


def test_a_calibrated_svm_for_two_classes_still_learns_each_class_against_the_rest(documents):
    X, y = documents
    scores = score_training(CalibratedClassifierCV(LinearSVM(), cv=2), X, y, folds=2)
    sport = score_training(CalibratedClassifierCV(LinearSVM(), cv=2), X, y == "sport", folds=2)
    assert_array_equal(scores.out_of_fold[:, 2:], sport.out_of_fold)


# Out-of-fold scores


@pytest.mark.parametrize(
    "classifier",
    [
        LogisticRegression(),
        GaussianNB(),
        RandomForestClassifier(7, random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression(C=0.1)),
    ],
    ids=lambda classifier: type(classifier).__name__,
)
def test_out_of_fold_posteriors_are_those_of_scikit_learns_cross_validation(classifier, documents):
    X, y = documents
    scores = score_training(classifier, X, y, folds=4, seed=3)
    folds = PredefinedSplit(stratified_folds(y, 4, 3))
    expected = cross_val_predict(classifier, X, y, cv=folds, method="predict_proba")
    assert scores.classes.tolist() == ["arts", "news", "sport"]
    assert_allclose(expit(scores.out_of_fold), expected, atol=1e-12)
    assert_allclose(expit(scores.scorer(X)), classifier.fit(X, y).predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("classifier", [LinearSVC(), RidgeClassifier(), SVC()])
def test_without_posteriors_the_decision_function_is_the_score(classifier, documents):
    X, y = documents
    scores = score_training(classifier, X, y, folds=4, seed=3)
    folds = PredefinedSplit(stratified_folds(y, 4, 3))
    expected = cross_val_predict(classifier, X, y, cv=folds, method="decision_function")
    assert_allclose(scores.out_of_fold, expected, atol=1e-12)
    assert_allclose(scores.scorer(X), classifier.fit(X, y).decision_function(X), atol=1e-12)


def test_class_with_one_document_has_the_lowest_score_where_it_is_not_known(documents):
    X, y = documents
    y = y.astype(object)
    y[17] = "weather"  # with it held out nobody knows of it
    scores = score_training(LogisticRegression(), X, y, folds=5, seed=1)
    unknown = stratified_folds(y.astype(str), 5, 1)
    unknown = unknown == unknown[17]
    weather = scores.out_of_fold[:, 3]
    lowest = np.minimum(weather[~unknown].min(), scores.out_of_fold[unknown, :3].min(axis=1))
    assert_array_equal(weather[unknown], lowest)
    others = LogisticRegression().fit(X[~unknown], y[~unknown]).predict_proba(X[unknown])
    assert_allclose(expit(scores.out_of_fold[unknown, :3]), others, atol=1e-12)


@pytest.mark.parametrize("classifier", [RidgeClassifier(), LogisticRegression()])
def test_training_part_of_two_classes_has_a_score_for_both(classifier):
    # Held out by itself, each document leaves two classes to learn from.
    X, y = np.array([[0.0, 3.0], [1.0, 0.0], [0.0, 1.0]]), ["a", "b", "c"]
    scores = score_training(classifier, X, y, folds=3).out_of_fold
    model = classifier.fit(X[1:], y[1:])
    expected = model.decision_function(X[:1])[0]
    assert_allclose(scores[0, 1:], [-expected, expected], atol=1e-12)
    assert expected > 0.1
    assert scores[0, 0] == min(-expected, scores[1, 0], scores[2, 0])


class Refuses(ClassifierMixin, BaseEstimator):
    """A classifier that must not be asked to learn one class alone."""

    def fit(self, X, y):
        assert len(np.unique(y)) > 1
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


def test_training_part_of_one_class_is_not_learned():
    y = ["a", "b", "c"]
    fold_of = stratified_folds(y, 2, 0)
    assert np.bincount(fold_of).tolist() == [2, 1]
    scores = score_training(Refuses(), np.eye(3), y, folds=2).out_of_fold
    [only] = np.flatnonzero(fold_of == 1)
    expected = np.where(np.arange(3) == only, 1.0, -1.0)
    assert_array_equal(scores[fold_of == 0], np.tile(expected, (2, 1)))


def test_labels_reach_the_classifier_under_their_own_names(documents):
    X, y = documents
    classifier = LogisticRegression(class_weight={"arts": 9.0, "news": 1.0, "sport": 1.0})
    scores = score_training(classifier, X, y, folds=0)
    assert_allclose(expit(scores.scorer(X)), classifier.fit(X, y).predict_proba(X), atol=1e-12)


def test_more_threads_give_the_same_scores(documents):
    X, y = documents
    one, two = (score_training(GaussianNB(), X, y, folds=3, n_jobs=n) for n in (None, 2))
    assert_array_equal(one.out_of_fold, two.out_of_fold)


# Scores of a classifier


def test_scores_of_pairs_of_classes_are_refused_with_advice(documents):
    X, y = documents  # three classes have three pairs: the shape tells nothing
    pairs = SVC(decision_function_shape="ovo")
    with pytest.raises(ValueError, match=r"decision_function_shape of SVC is 'ovo'.*to 'ovr'"):
        score_training(pairs, X, y, folds=2)
    within = make_pipeline(StandardScaler(), pairs)
    with pytest.raises(ValueError, match="svc__decision_function_shape of Pipeline is 'ovo'"):
        score_training(within, X, y, folds=2)


def test_as_many_scores_as_classes_are_needed(documents):
    class Odd(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def decision_function(self, X):
            return np.zeros((len(X), 2))

    with pytest.raises(ValueError, match="Odd gives 2 scores a document for 3 classes"):
        score_training(Odd(), *documents, folds=2)


class Given(ClassifierMixin, BaseEstimator):
    """A classifier whose posteriors are the documents."""

    classes_ = np.arange(3)

    def predict_proba(self, X):
        return X


def test_scores_are_log_odds_up_to_36():
    scores = class_scores(Given(), np.array([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]]))
    # ln(1/1), ln(1/3), and as far as a double can tell from 1 and 0
    assert_allclose(scores, [[0, -np.log(3), -np.log(3)], [36.04, -36.04, -36.04]], atol=0.01)


def test_highest_score_is_that_of_the_highest_posterior_to_the_last_bit():
    p = np.full((4000, 3), np.linspace(0.34, 0.45, 4000)[:, None])
    p[:, 1] = np.nextafter(p[:, 1], 1)
    p[:, 2] = 1 - p[:, 0] - p[:, 1]
    assert (class_scores(Given(), p).argmax(axis=1) == 1).all()


# Scorers of linear classifiers


def plain_log_odds(scores):
    """Log-odds of the softmax, class by class."""
    p = softmax(scores, axis=1)
    rest = np.stack([np.delete(p, k, axis=1).sum(axis=1) for k in range(p.shape[1])], axis=1)
    return np.log(p) - np.log(rest)


@pytest.mark.parametrize("n_classes", [2, 3, 9])
def test_softmax_kernel_agrees_with_the_book(n_classes):
    scores = np.random.default_rng(0).normal(scale=3, size=(50, n_classes))
    own = scores.copy()
    softmax_log_odds(own)
    assert_allclose(own, plain_log_odds(scores), rtol=1e-10, atol=1e-12)


def test_softmax_kernel_by_hand_and_at_its_ends():
    own = np.array([[np.log(2.0), 0.0, 0.0], [900.0, 0.0, -900.0], [-800.0, -800.0, -800.0]])
    softmax_log_odds(own)
    # Posteriors 1/2, 1/4, 1/4; then 1, 0, 0; then thirds.
    assert_allclose(own[0], [0, -np.log(3), -np.log(3)], atol=1e-12)
    assert_array_equal(own[1], [36, -36, -36])
    assert_allclose(own[2], -np.log(2))


@pytest.mark.parametrize(
    ("classifier", "kind"),
    [
        (LogisticRegression(), SoftmaxScorer),
        (LinearDiscriminantAnalysis(), SoftmaxScorer),
        (RidgeClassifier(fit_intercept=False), LinearScorer),
        (LinearSVC(), LinearScorer),
        (SVC(kernel="linear"), ClassScorer),  # its three rows of weights are of pairs
        (SGDClassifier(loss="log_loss", random_state=0), ClassScorer),  # no softmax
        (GaussianNB(), ClassScorer),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_weights_stand_for_a_classifier_where_they_say_what_it_says(
    classifier, kind, dtype, documents
):
    X, y = documents
    X = X.astype(dtype)
    scorer = score_training(classifier, X, y, folds=0).scorer
    assert type(scorer) is kind
    assert_allclose(scorer(X), class_scores(classifier.fit(X, y), X), atol=1e-3)


def test_softmax_of_a_document_does_not_depend_on_those_beside_it_nor_on_sparsity():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 17))
    scorer = SoftmaxScorer(LinearScorer(rng.normal(size=(17, 4)), rng.normal(size=4)))
    whole = scorer(X)
    assert_array_equal(np.vstack([scorer(X[:1]), scorer(X[1:777]), scorer(X[777:])]), whole)
    assert_array_equal(scorer(sparse.csr_array(X)), whole)
    assert_allclose(
        expit(whole), softmax(X @ scorer.linear.coef + scorer.linear.intercept, axis=1), atol=1e-12
    )
