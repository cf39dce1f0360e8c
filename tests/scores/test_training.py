"""Labels, scores of training documents by any classifier, and their calibration."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from quantext.learners.folds import stratified_folds
from quantext.learners.linear import LinearSVM
from quantext.learners.structural import StructuralSVM
from quantext.quantifiers import ClassifyAndCount
from quantext.scores import calibration
from quantext.scores.calibration import (
    LOGISTIC,
    Sigmoid,
    calibrate,
    posteriors,
    rounded,
)
from quantext.scores.labels import read_labels
from quantext.scores.recalibration import fit_sigmoid, recalibrate
from quantext.scores.scorers import LinearScorer, ModelScorer
from quantext.scores.training import ScoresByClass, TrainingScores, score_training


@pytest.fixture
def documents():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 5)) + 2 * (y[:, None] == np.arange(5))
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


# Labels


def test_two_classes_are_one_column_of_the_second():
    labels = read_labels(["b", "a", "b"])
    assert (labels.kind, labels.classes.tolist()) == ("binary", ["a", "b"])
    assert_array_equal(labels.y, [[True], [False], [True]])


def test_more_classes_are_one_column_each():
    labels = read_labels(np.array([3, 1, 2]))
    assert (labels.kind, labels.classes.tolist()) == ("multiclass", [1, 2, 3])
    assert_array_equal(labels.y, np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]], dtype=bool))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frame_names_the_labels(frame):
    labels = read_labels(frame({"sport": [0, 1], "news": [1, 1]}))
    assert (labels.kind, labels.classes.tolist()) == ("multilabel", ["sport", "news"])
    assert_array_equal(labels.y, [[False, True], [True, True]])


@pytest.mark.parametrize("form", [np.array, sparse.csr_array, list])
def test_columns_without_names_are_numbered_and_always_multilabel(form):
    labels = read_labels(form([[1], [0]]))
    assert (labels.kind, labels.classes.tolist(), labels.y.shape) == ("multilabel", [0], (2, 1))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "y is None"),
        ([], "y is empty"),
        ([[0, 2]], r"y\[0, 1\] is .*2.*; for classes, pass a one-dimensional y"),
        (np.empty((3, 0)), "no columns"),
        ([0.5, 1.5, 0.1], r"y\[0\] is 0.5: labels are names"),
    ],
)
def test_labels_that_are_none_are_an_error_that_says_why(y, message):
    with pytest.raises(ValueError, match=message):
        read_labels(y)


# Scores


def test_out_of_fold_scores_come_from_models_that_have_not_seen_the_document(documents):
    X, classes = documents
    y = classes == 1
    scores = score_training(LogisticRegression(), X, y, folds=4, seed=7)
    fold_of = stratified_folds(y, 4, 7)
    for fold in range(4):
        model = LogisticRegression().fit(X[fold_of != fold], y[fold_of != fold])
        own = model.decision_function(X[fold_of == fold])
        assert_allclose(scores.out_of_fold[fold_of == fold, 0], own, atol=1e-12)
    full = LogisticRegression().fit(X, y)
    assert_allclose(scores.scorer(X)[:, 0], full.decision_function(X), atol=1e-12)
    assert scores.seconds > 0


@pytest.mark.parametrize("classifier", [LinearSVM(tol=1e-5), LinearSVC(tol=1e-8)])
def test_own_folds_and_any_folds_give_the_same_scores(classifier, documents):
    X, classes = documents
    y = classes[:, None] == np.arange(3)
    expected = score_training(LinearSVC(tol=1e-8), X, y, folds=5)
    scores = score_training(classifier, X, y, folds=5)
    assert_allclose(scores.out_of_fold, expected.out_of_fold, atol=1e-3)
    assert_allclose(scores.scorer(X), expected.scorer(X), atol=1e-3)


def test_several_threads_give_the_same_scores(documents):
    X, y = documents
    one, two = (score_training(LogisticRegression(), X, y, folds=3, n_jobs=n) for n in (None, 2))
    assert_array_equal(one.out_of_fold, two.out_of_fold)


def test_structural_svm_is_cross_validated_too(documents):
    X, y = documents
    scores = score_training(StructuralSVM(), X, y == 1, folds=3)
    assert scores.out_of_fold.shape == (60, 1)
    assert np.mean((scores.out_of_fold[:, 0] > 0) == (y == 1)) > 0.7


def test_without_folds_there_are_no_out_of_fold_scores(documents):
    X, y = documents
    assert score_training(LogisticRegression(), X, y, folds=0).out_of_fold is None
    with pytest.raises(ValueError, match="folds is 1; use 0 for no cross-validation"):
        score_training(LogisticRegression(), X, y, folds=1)


class Refuses(ClassifierMixin, BaseEstimator):
    """A classifier that must not be asked."""

    def fit(self, X, y):
        raise AssertionError("called")


@pytest.mark.parametrize("classifier", [Refuses(), LinearSVM()])
def test_constant_columns_have_constant_scores_and_no_learner(classifier, documents):
    X, _ = documents
    scores = score_training(classifier, X, np.tile([0, 1], (60, 1)), folds=5)
    assert_array_equal(scores.out_of_fold, np.tile([-1, 1], (60, 1)))
    assert_array_equal(scores.scorer(X), np.tile([-1, 1], (60, 1)))


@pytest.mark.parametrize("classifier", [LogisticRegression(), LinearSVM()])
def test_a_single_positive_is_scored_by_a_constant(classifier, documents):
    X, _ = documents
    # With it held out no positive is left to learn from, and everything in its fold scores −1.
    y = np.arange(60) == 17
    scores = score_training(classifier, X, y, folds=6, seed=1)
    fold_of = stratified_folds(y, 6, 1)
    assert_array_equal(scores.out_of_fold[fold_of == fold_of[17]], -1)
    assert np.all(scores.out_of_fold[fold_of != fold_of[17]] != -1)


def test_constant_and_learned_columns_stand_side_by_side(documents):
    X, y = documents
    Y = np.column_stack([np.zeros(60), y == 1, np.ones(60)])
    for classifier in (LinearSVM(), LinearSVC(), SVC(), GaussianNB()):
        scores = score_training(classifier, X, Y, folds=3)
        assert_array_equal(scores.scorer(X)[:, [0, 2]], np.tile([-1, 1], (60, 1)))
        assert np.unique(scores.scorer(X)[:, 1]).size > 10


def test_score_without_decision_function_is_the_log_odds(documents):
    X, y = documents
    scores = score_training(GaussianNB(), X, y == 1, folds=3)
    own = GaussianNB().fit(X, y == 1).predict_proba(X)[:, 1]
    assert_allclose(expit(scores.scorer(X)[:, 0]), own, atol=1e-12)
    sure = score_training(RandomForestClassifier(5, random_state=0), X, y == 1, folds=3)
    assert np.isfinite(sure.scorer(X)).all()


def test_classifier_without_scores_is_an_error(documents):
    class OnlyClasses(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            return self

    X, y = documents
    with pytest.raises(TypeError, match="OnlyClasses has neither decision_function nor"):
        score_training(OnlyClasses(), X, y, folds=2)


def test_texts_reach_a_classifier_that_takes_them():
    texts = ["good day", "fine day", "bad day", "awful day"] * 3
    classifier = make_pipeline(CountVectorizer(), LogisticRegression())
    y = ["yes", "yes", "no", "no"] * 3
    fitted = ClassifyAndCount(classifier, folds=3).fit(texts, y)
    assert_allclose(fitted.predict(["good", "fine", "awful", "fine"]), [0.25, 0.75])


def test_number_of_labels_must_match(documents):
    X, y = documents
    with pytest.raises(ValueError, match="X has 60 documents but y has labels for 59"):
        score_training(LogisticRegression(), X, y[:59])


# Classifiers that are already fitted


def test_frozen_classifier_scores_held_out_documents(documents):
    X, y = documents
    names = np.array(["a", "b", "c"])
    model = LogisticRegression().fit(X[:30], names[y[:30]])
    scores = score_training(FrozenEstimator(model), X[30:], names[y[30:]])
    assert (scores.kind, scores.classes.tolist()) == ("multiclass", ["a", "b", "c"])
    assert_allclose(expit(scores.out_of_fold), model.predict_proba(X[30:]), atol=1e-12)
    assert_allclose(expit(scores.scorer(X)), model.predict_proba(X), atol=1e-12)


def test_frozen_classifier_knows_classes_that_the_held_out_documents_lack(documents):
    X, y = documents
    for model in (LogisticRegression().fit(X, y), GaussianNB().fit(X, y)):
        scores = score_training(FrozenEstimator(model), X[y < 2], y[y < 2])
        assert scores.classes.tolist() == [0, 1, 2]
        assert_array_equal(scores.prevalence, [0.5, 0.5, 0])


def test_frozen_classifier_of_two_classes_and_of_labels(documents):
    X, y = documents
    two = score_training(FrozenEstimator(GaussianNB().fit(X, y == 1)), X, y == 1)
    assert two.out_of_fold.shape == (60, 1)
    Y = y[:, None] == np.arange(2)
    forest = RandomForestClassifier(5, random_state=0).fit(X, Y)
    many = score_training(FrozenEstimator(forest), X, Y)
    assert (many.kind, many.out_of_fold.shape) == ("multilabel", (60, 2))


def test_frozen_classifier_does_not_accept_classes_it_has_never_seen(documents):
    X, y = documents
    frozen = FrozenEstimator(LogisticRegression().fit(X, y == 1))
    with pytest.raises(ValueError, match="does not know: it was trained on"):
        score_training(frozen, X, y)
    with pytest.raises(ValueError, match="1 scores a document, but y has 3 columns"):
        score_training(frozen, X, y[:, None] == np.arange(3))


# Scorers


def test_score_does_not_depend_on_the_documents_beside_it_nor_on_sparsity():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 37))
    scorer = LinearScorer(rng.normal(size=(37, 3)), rng.normal(size=3))
    whole = scorer(X)
    assert_allclose(whole, X @ scorer.coef + scorer.intercept, atol=1e-12)
    assert_array_equal(np.vstack([scorer(X[:1]), scorer(X[1:5000]), scorer(X[5000:])]), whole)
    assert_array_equal(scorer(sparse.csr_array(X)), whole)
    assert_array_equal(scorer(sparse.coo_matrix(X)), whole)


def test_linear_classifiers_become_one_product_and_others_do_not(documents):
    X, y = documents
    assert isinstance(score_training(LinearSVC(), X, y, folds=0).scorer, LinearScorer)
    assert isinstance(score_training(SVC(), X, y == 1, folds=0).scorer, ModelScorer)


def test_scorer_says_how_many_features_it_wants(documents):
    X, y = documents
    scorer = score_training(LinearSVC(), X, y, folds=0).scorer
    with pytest.raises(ValueError, match="X has 2 features, but the classifier was trained on 5"):
        scorer(X[:, :2])


def test_own_scores_can_be_brought():
    y = np.array([[True], [False]])
    scores = TrainingScores(np.asarray, np.array([[1.0], [-1.0]]), y, 0.0, np.arange(2), "binary")
    assert_array_equal(
        ClassifyAndCount(None).fit_scores(scores).predict([[3.0], [-2.0]]), [0.5, 0.5]
    )


# Calibration


def by_class(scores, negative, positive):
    return ScoresByClass(np.array(scores, float)[:, None], np.column_stack([negative, positive]))


def cross_entropy(scores, negative, positive):
    """Platt's objective, by the book."""
    n, p = np.sum(negative), np.sum(positive)
    high, low = (p + 1) / (p + 2), 1 / (n + 2)

    def value(parameters):
        f = parameters[0] * scores + parameters[1]
        log_1p = np.logaddexp(0, f)
        return np.sum(positive * (log_1p - high * f) + negative * (log_1p - low * f))

    return value


@pytest.mark.parametrize("seed", range(8))
def test_sigmoid_minimises_the_cross_entropy_to_platts_targets(seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(3, 10.0 ** rng.integers(-3, 4), 50)
    positive = rng.poisson(0.5 * expit(scores / scores.std()), 50)
    negative = rng.poisson(1.0, 50)
    positive[0] += 1
    negative[1] += 1
    objective = cross_entropy(scores, negative, positive)
    (sigmoid,) = calibrate(by_class(scores, negative, positive))
    slope, offset = sigmoid.slope, sigmoid.offset
    scale = scores.std()
    best = minimize(lambda t: objective([t[0] / scale, t[1]]), [0, 0], method="Nelder-Mead")
    assert objective([slope, offset]) <= best.fun + 1e-9
    # At the optimum the posteriors add up to the targets, which fixes the offset.
    targets = (positive.sum() * (positive.sum() + 1) / (positive.sum() + 2)) + (
        negative.sum() / (negative.sum() + 2)
    )
    total = np.sum((positive + negative) * expit(slope * scores + offset))
    assert_allclose(total, targets, rtol=1e-6)


@pytest.mark.parametrize("start", [(0.0, 0.0), (-2.0, 3.0), (50.0, -80.0)])
def test_sigmoid_is_the_same_wherever_the_fit_starts(start):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=200)
    positive = (rng.random(200) < expit(2 * scores - 1)).astype(float)
    objective = cross_entropy(scores, 1 - positive, positive)
    fitted = fit_sigmoid(scores, 1 - positive, positive, *start, 1e-6)
    best = minimize(objective, [0, 0], method="BFGS", options={"gtol": 1e-8})
    assert_allclose(fitted, best.x, atol=1e-6)


@pytest.mark.parametrize("some", ["like all", "of one class", "alike", "far away"])
def test_sigmoid_of_many_scores_is_the_same_whatever_some_of_them_say(some, monkeypatch):
    # Where there are many, every fourth of these is fitted first.
    rng = np.random.default_rng(0)
    scores = rng.normal(size=400)
    positive = (rng.random(400) < expit(2 * scores - 1)).astype(float)
    if some == "of one class":
        positive[::4] = 1
    elif some == "alike":
        scores[::4] = 0.1
    elif some == "far away":
        scores[::4] += 30
    at_once = calibrate(by_class(scores, 1 - positive, positive))[0]
    monkeypatch.setattr(calibration, "_AT_ONCE", 100)
    in_parts = calibrate(by_class(scores, 1 - positive, positive))[0]
    assert (in_parts == at_once) == (some == "alike")  # from the start of always
    assert_allclose(
        (in_parts.slope, in_parts.offset), (at_once.slope, at_once.offset), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("seed", range(8))
def test_the_kernel_fits_the_sigmoid_that_calibration_fits(seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(3, 10.0 ** rng.integers(-3, 4), 50)
    counts = rng.poisson(rng.choice([0.05, 0.5, 5.0]), size=(50, 2)).astype(float)
    counts[seed % 50] += [1, 0]
    counts[-1 - seed] += [0, 1]
    (sigmoid,) = calibrate(by_class(scores, *counts.T))
    fitted = fit_sigmoid(scores, *counts.T, 0.0, 0.0, 1e-6)
    assert_allclose(fitted, (sigmoid.slope, sigmoid.offset), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("m", [1, 3])
def test_posteriors_of_redrawn_documents_are_those_of_sigmoids_fitted_to_them(m):
    rng = np.random.default_rng(0)
    training = ScoresByClass(
        rounded(rng.normal(size=(80, m))).round(1), rng.integers(0, 4, size=(80, max(m, 2)))
    )
    redrawn = rng.poisson(1.0, size=(5, max(m, 2), 80))
    tables = recalibrate(training)(redrawn)
    for own, counts in zip(tables, redrawn, strict=True):
        again = calibrate(ScoresByClass(training.scores, counts.T))
        assert_allclose(own, posteriors(again, training.scores), atol=1e-4)


def test_sigmoid_of_separated_scores_and_a_single_positive_is_finite():
    (sigmoid,) = calibrate(by_class([-3, -2, -1, 4], [1, 500, 1, 0], [0, 0, 0, 1]))
    assert 0 < sigmoid.slope < 100
    # Platt's target for a single positive is 2/3, no more.
    assert expit(sigmoid.log_odds(np.array([4.0])))[0] == pytest.approx(2 / 3, abs=0.01)


def test_sigmoid_of_equal_scores_is_the_training_prevalence():
    (sigmoid,) = calibrate(by_class([0.1, 0.1, 0.1], [2, 2, 2], [1, 0, 1]))
    assert sigmoid.slope == 0
    assert expit(sigmoid.offset) == pytest.approx(2 / 8)


def test_posteriors_of_several_columns_sum_to_one_even_if_all_vanish():
    own = posteriors((LOGISTIC,), np.array([[1.0, -2.0, 0.5], [-9e3, -9e3, -9e3]]))
    assert_allclose(own.sum(axis=1), 1)
    assert_allclose(own[1], 1 / 3)


def test_posteriors_of_one_column_are_those_of_both_classes():
    own = posteriors((Sigmoid(2.0, -1.0),), np.array([[0.5], [3.0]]))
    assert_allclose(own, [[0.5, 0.5], [1 - expit(5.0), expit(5.0)]])


def test_rounded_scores_hardly_differ_but_are_few():
    scores = np.random.default_rng(0).normal(size=(20_000, 1))
    coarse = rounded(scores)
    assert np.abs(coarse - scores).max() <= scores.std() / 256 + 1e-12
    assert np.unique(coarse).size < 1_300
    assert_array_equal(rounded(np.full((4, 1), 0.75)), np.full((4, 1), 0.75))


def test_a_malformed_sparse_matrix_is_an_error_for_training_and_for_a_scorer():
    X = np.eye(6)
    bad = sparse.csc_array(X)
    bad.indices[-1] = 6
    scores = score_training(LinearSVM(), X, np.arange(6) % 2, folds=2)
    for use in (scores.scorer, lambda X: score_training(LinearSVM(), X, np.arange(6) % 2)):
        with pytest.raises(ValueError, match="the sparse matrix is malformed"):
            use(bad)
