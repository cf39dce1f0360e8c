"""The score of a bag, and what scikit-learn's searches and validations are told."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from quantext.learners.linear import LinearSVM
from quantext.measures import binary, kld
from quantext.models.methods import METHODS
from quantext.quantifiers import ClassifyAndCount, ProbabilisticCount, TrainingPrevalence
from tests.support.quick import quick

NAMES = np.array(["left", "middle", "right"])
CODES = np.repeat([0, 1, 2], [30, 20, 10])
Y = NAMES[CODES]
X = np.random.default_rng(0).normal(size=(60, 4)) + 2 * np.eye(4)[CODES]
LABELS = np.column_stack([CODES == 1, X[:, 3] > 0]).astype(int)
STRATIFIED = StratifiedKFold(3)


@pytest.fixture(scope="module")
def constant():
    """It says (30, 20, 10)/60, whatever the bag."""
    return TrainingPrevalence().fit(X, Y)


@pytest.fixture
def quantifier():
    return ClassifyAndCount(LinearSVM())


def test_the_score_is_minus_the_divergence_of_the_bag(constant):
    # Ten documents, 2, 3 and 5 of the classes.
    y = NAMES[[0, 0, 1, 1, 1, 2, 2, 2, 2, 2]]
    expected = kld([0.2, 0.3, 0.5], [3 / 6, 2 / 6, 1 / 6], size=10)
    assert constant.score(X[:10], y) == pytest.approx(-expected)
    assert isinstance(constant.score(X[:10], y), float)


def test_the_score_by_another_measure(constant):
    y = NAMES[[0, 1, 2, 2]]
    # |1/2 − 1/4| + |1/3 − 1/4| + |1/6 − 1/2| = 3/12 + 1/12 + 4/12, over three classes.
    for measure in ("ae", "AE", "mae", lambda p, q, **_: np.abs(q - p).mean()):
        assert constant.score(X[:4], y, measure=measure) == pytest.approx(-8 / 36)


def test_a_perfect_estimate_scores_zero_and_not_minus_zero(constant):
    assert str(constant.score(X, Y)) == "0.0"


def test_a_class_may_be_absent_from_the_bag(constant):
    expected = kld([0, 1, 0], [3 / 6, 2 / 6, 1 / 6], size=2)
    assert constant.score(X[:2], ["middle", "middle"]) == pytest.approx(-expected)


@pytest.mark.parametrize(
    ("classes", "same"),
    [
        (np.array([1, 2, 5]), np.array([1.0, 2.0, 5.0])),
        (np.array([False, True, True]), np.array([0, 1, 1])),
        (NAMES, NAMES.astype(object)),
    ],
)
def test_classes_may_be_of_another_type_if_they_are_equal(classes, same):
    fitted = TrainingPrevalence().fit(X, classes[CODES])
    bag = [0, 1, 2, 2]
    expected = fitted.score(X[:4], classes[bag])
    for y in (same[bag], list(same[bag]), pd.Series(same[bag]), pd.Categorical(same[bag])):
        assert fitted.score(X[:4], y) == expected


def test_the_score_of_several_labels_is_their_mean():
    fitted = TrainingPrevalence().fit(X, LABELS)
    y = np.array([[0, 1], [0, 1], [1, 1], [0, 0]])
    errors = kld(binary([0.25, 0.75]), binary(LABELS.mean(axis=0)), size=4)
    for same in (y, y.tolist(), sparse.csr_array(y), y.astype(bool)):
        assert fitted.score(X[:4], same) == pytest.approx(-errors.mean())
    by_mean = fitted.score(X[:4], y, measure="mae")
    assert by_mean == pytest.approx(fitted.score(X[:4], y, measure="ae"))


@pytest.mark.parametrize("name", METHODS)
def test_every_method_scores_what_it_predicts(name):
    method = quick(name).fit(X, Y)
    expected = kld([0.25, 0.25, 0.5], method.predict(X[[0, 30, 50, 51]]), size=4)
    assert method.score(X[[0, 30, 50, 51]], Y[[0, 30, 50, 51]]) == pytest.approx(-expected)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["left", "up"], "y has the class 'up', and the quantifier was fitted to 'left', 'middle'"),
        (["left", None], "y has the class None"),
        (["left"], "the bag has 2 documents, and y the labels of 1"),
        ([["left"], ["left"]], r"y has shape \(2, 1\), .* a multiclass y: give one class"),
    ],
)
def test_labels_that_do_not_fit_are_an_error_that_says_why(constant, y, message):
    with pytest.raises(ValueError, match=message):
        constant.score(X[:2], y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1], r"y has shape \(2,\), .* a multilabel y: give a 0/1 column"),
        ([[0, 1, 0], [0, 1, 0]], "y has 3 columns, and the quantifier was fitted to 2"),
        (pd.DataFrame({"b": [0, 1], "a": [1, 1]}), "y has the columns b, a, .* fitted to a, b"),
        ([[0, 1], [0, 2]], r"holds only 0 and 1, but y\[1, 1\] is "),
    ],
)
def test_columns_that_do_not_fit_are_an_error_that_says_why(y, message):
    fitted = TrainingPrevalence().fit(X, pd.DataFrame(LABELS, columns=["a", "b"]))
    with pytest.raises(ValueError, match=message):
        fitted.score(X[:2], y)


def test_columns_without_names_count_by_their_order():
    fitted = TrainingPrevalence().fit(X, pd.DataFrame(LABELS, columns=["a", "b"]))
    named = pd.DataFrame(LABELS[:5], columns=["a", "b"])
    assert fitted.score(X[:5], LABELS[:5]) == fitted.score(X[:5], named)


def test_a_measure_of_single_classes_is_no_score(constant):
    with pytest.raises(ValueError, match="bias gives 3 numbers of a bag, and a score is one"):
        constant.score(X, Y, measure="bias")
    with pytest.raises(ValueError, match="bias gives 4 numbers of a bag"):
        TrainingPrevalence().fit(X, LABELS).score(X, LABELS, measure="bias")


def test_an_unknown_measure_is_an_error_that_names_a_close_one(constant):
    with pytest.raises(ValueError, match="measure 'klds' is unknown; did you mean kld"):
        constant.score(X, Y, measure="klds")


def test_each_fold_of_a_search_is_a_bag(quantifier):
    search = GridSearchCV(quantifier, {"classifier__C": [0.01, 1.0]}, cv=STRATIFIED)
    with pytest.warns(UserWarning, match=r"each fold is one bag.*qx\.SearchQ"):
        search.fit(X, Y)
    for i, C in enumerate([0.01, 1.0]):
        for k, (train, test) in enumerate(STRATIFIED.split(X, Y)):
            fitted = ClassifyAndCount(LinearSVM(C=C)).fit(X[train], Y[train])
            expected = fitted.score(X[test], Y[test])
            assert search.cv_results_[f"split{k}_test_score"][i] == pytest.approx(expected)


def validations(estimator, n_jobs):
    cv = {"cv": STRATIFIED, "n_jobs": n_jobs}
    return {
        "cross_val_score": lambda: cross_val_score(estimator, X, Y, **cv),
        "cross_validate": lambda: cross_validate(estimator, X, Y, **cv),
        "GridSearchCV": lambda: GridSearchCV(estimator, {}, **cv).fit(X, Y),
        "learning_curve": lambda: learning_curve(
            estimator, X, Y, train_sizes=[0.5, 1.0], shuffle=True, random_state=0, **cv
        ),
    }


@pytest.mark.parametrize("name", validations(None, None))
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_validation_warns_once_where_the_user_calls_it(quantifier, name, n_jobs):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        validations(quantifier, n_jobs)[name]()
    assert [warning.filename for warning in caught] == [__file__]
    assert "qx.SearchQ" in str(caught[0].message)


def test_a_pipeline_is_told_the_same(quantifier):
    pipeline = make_pipeline(StandardScaler(), quantifier)
    with pytest.warns(UserWarning, match=r"qx\.SearchQ"):
        scores = cross_val_score(pipeline, X, Y, cv=STRATIFIED)
    assert scores.shape == (3,)
    assert (scores <= 0).all()


def test_nobody_else_is_told_anything(quantifier):
    # Warnings are errors here.
    pipeline = make_pipeline(StandardScaler(), clone(quantifier)).fit(X, Y)
    assert pipeline.score(X, Y) == pipeline[-1].score(pipeline[:-1].transform(X), Y)
    importance = permutation_importance(pipeline, X, Y, n_repeats=2, random_state=0)
    assert importance.importances.shape == (4, 2)
    scores = cross_val_score(LogisticRegression(), X, Y)
    assert len(scores) == 5


def test_a_search_that_is_done_scores_without_a_warning(quantifier):
    search = GridSearchCV(quantifier, {}, cv=STRATIFIED)
    with pytest.warns(UserWarning, match="each fold is one bag"):
        search.fit(X, Y)
    assert search.score(X, Y) == search.best_estimator_.score(X, Y)


def test_a_fold_whose_class_was_not_in_training_is_told_to_stratify(quantifier):
    with (
        pytest.warns(UserWarning, match=r"qx\.SearchQ"),
        pytest.raises(ValueError, match=r"y has the class .*cv=StratifiedKFold\(5\)"),
    ):
        cross_val_score(quantifier, X[::-1], Y[::-1], cv=6, error_score="raise")


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize(
    "wrap",
    [
        lambda q: q,
        lambda q: make_pipeline(StandardScaler(), q),
        lambda q: GridSearchCV(q, {}),
        lambda q: FrozenEstimator(q.fit(X, Y)),
    ],
    ids=["quantifier", "pipeline", "search", "frozen"],
)
def test_predictions_of_single_documents_are_refused_with_a_sentence(quantifier, wrap, n_jobs):
    # 20 folds of three documents: three shares each are as many numbers as there are documents.
    with pytest.raises(NotImplementedError, match=r"for a whole bag\. Use cross_val_score"):
        cross_val_predict(wrap(quantifier), X, Y, cv=20, n_jobs=n_jobs)


def test_a_classifier_that_asks_a_quantifier_may_be_cross_validated():
    class Thresholded(LogisticRegression):
        """It calls as many documents positive as a quantifier says there are."""

        def fit(self, X, y):
            super().fit(X, y)
            self.quantifier_ = ProbabilisticCount(LogisticRegression(), folds=3).fit(X, y)
            return self

        def predict(self, X):
            n_positive = round(self.quantifier_.predict(X)[1] * len(X))
            rank = np.argsort(np.argsort(-self.decision_function(X)))
            return self.classes_[(rank < n_positive).astype(int)]

    assert len(cross_val_predict(Thresholded(), X, Y == "left", cv=3)) == 60


def test_a_score_takes_no_malformed_labels():
    y = sparse.csr_array(LABELS)
    quantifier = TrainingPrevalence().fit(X, y)
    y.indices[5] = 2
    with pytest.raises(ValueError, match="the sparse matrix is malformed: entry 5 of its indices"):
        quantifier.score(X, y)
