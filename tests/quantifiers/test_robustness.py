"""What must not happen: answers that others can change, and numbers from what is no number."""

import numpy as np
import pytest
from scipy import sparse

from quantext import AdaptiveCount, LinearSVM, TrainingPrevalence, method
from quantext.models.methods import METHODS

X = np.eye(40, 12) + np.arange(12) / 10
Y = np.arange(40) % 3 == 0


@pytest.mark.parametrize("name", METHODS)
def test_an_estimate_may_be_written_to(name):
    for y in (Y, np.full(40, "only")):
        quantifier = method(name)
        if getattr(quantifier, "folds", 0):
            quantifier.set_params(folds=3)
        quantifier.fit(X, y)
        before = quantifier.predict(X).copy()
        quantifier.predict(X)[:] = 7
        np.testing.assert_array_equal(quantifier.predict(X), before)
    trained = TrainingPrevalence().fit(X, Y)
    trained.predict(X)[:] = 9
    np.testing.assert_allclose(trained.predict(X), [1 - Y.mean(), Y.mean()])


WITHOUT_CLASSIFIER = {"Training prevalence", "HDx", "ReadMe"}


@pytest.mark.parametrize("name", [name for name in METHODS if name not in WITHOUT_CLASSIFIER])
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_score_that_is_not_finite_is_an_error_that_names_classifier_and_document(name, wrong):
    quantifier = method(name)
    if getattr(quantifier, "folds", 0):
        quantifier.set_params(folds=3)
    fitted = quantifier.fit(X, Y)
    classifier = type(quantifier.classifier).__name__
    with pytest.raises(
        ValueError, match=rf"{classifier} gives document 1 \(counting from 0\) the score"
    ):
        fitted.summarise_scores(np.array([[1.0], [wrong]]))


def test_a_column_twice_in_a_row_is_one_word():
    twice = sparse.csr_matrix(
        (np.ones(6), np.array([0, 0, 1, 2, 2, 2]), np.array([0, 3, 6])), shape=(2, 12)
    )
    once = twice.copy()
    once.sum_duplicates()
    fitted = AdaptiveCount(LinearSVM(), folds=3).fit(sparse.csr_matrix(X), Y)
    assert fitted.summarise(twice) == fitted.summarise(once)
    assert not twice.has_canonical_format


@pytest.mark.parametrize("size", [500, 200_000, 20_000_000])
def test_the_interval_of_a_class_that_is_not_there_begins_at_zero(size):
    scores = np.where(np.arange(4000) % 4 == 0, 5.0, -5.0)[:, None]
    model = AdaptiveCount(None).fit_scores(_given(scores))
    part = model.summarise_scores(np.full((1, 1), -5.0))
    bag = type(part)(size, (tuple(size * counts for counts in part.counts[0]),))
    low, high = model.interval(bag)
    assert low[1] == 0.0
    assert high[0] == 1.0


def _given(scores):
    from quantext import TrainingScores

    return TrainingScores.given(scores[:, 0], scores[:, 0] > 0)
