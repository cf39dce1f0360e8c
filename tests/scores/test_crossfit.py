import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression

from quantext.learners.folds import stratified_folds
from quantext.scores.crossfit import as_given, cross_fit
from quantext.vectors.answers import Numbers, read_proxy


def posteriors_by_hand(said, known, truth, n_classes, of):
    """Shares of the classes among documents with the same answer, and one document like all."""
    overall = np.bincount(truth, minlength=n_classes) / len(truth)
    same = np.array([said[i] == of for i in known], dtype=bool)
    own = np.bincount(truth[same], minlength=n_classes)
    return (own + overall) / (own.sum() + 1)


def test_one_label_a_document_is_left_out_one_at_a_time():
    rng = np.random.default_rng(0)
    said = rng.choice(["a", "b", "c", None], 60)
    known, truth = rng.choice(60, 25, replace=False), rng.integers(0, 3, 25)
    found = cross_fit(read_proxy(said), known, truth, 4)
    for i, document in enumerate(known):
        rest = np.arange(25) != i
        expected = posteriors_by_hand(said, known[rest], truth[rest], 4, said[document])
        assert_allclose(found.own[i], expected)
    for document in range(60):
        expected = posteriors_by_hand(said, known, truth, 4, said[document])
        assert_allclose(found.values[found.rows[document]], expected)


def test_an_answer_that_no_known_truth_has_says_what_all_truths_say():
    found = cross_fit(read_proxy(["a", "a", "a", "b"]), np.arange(3), np.array([0, 0, 1]), 2)
    assert_allclose(found.values[found.rows[3]], [2 / 3, 1 / 3])


def test_an_only_truth_says_of_itself_what_the_others_say():
    found = cross_fit(read_proxy(["a", "a", "a", "b"]), np.arange(4), np.array([0, 0, 1, 1]), 2)
    assert_allclose(found.own[3], [2 / 3, 1 / 3])


def test_scores_are_regressed_in_folds_without_the_document_itself():
    rng = np.random.default_rng(1)
    truth = np.repeat([0, 1], 20)
    scores = truth + rng.normal(size=40)
    found = cross_fit([Numbers(scores[:, None])], np.arange(40), truth, 2, seed=3)
    folds = stratified_folds(truth, 10, 3)
    X = ((scores - scores.mean()) / scores.std())[:, None]
    for fold in (0, 7):
        own = folds == fold
        expected = LogisticRegression().fit(X[~own], truth[~own]).predict_proba(X[own])
        assert_allclose(found.own[own], expected, atol=1e-4)
    assert_allclose(found.values, LogisticRegression().fit(X, truth).predict_proba(X), atol=1e-4)
    assert_array_equal(found.rows, np.arange(40))


def test_two_models_of_labels_have_a_posterior_for_each_pair_of_answers():
    models = read_proxy({"x": ["a", "b"] * 20, "y": ["c", "c", "d", None] * 10})
    found = cross_fit(models, np.arange(30), np.tile([0, 1, 0, 1, 1], 6), 2)
    assert len(found.values) == 4  # a c, b c, a d, b and none
    assert_array_equal(found.rows[:4], found.rows[4:8])
    assert_allclose(found.own.sum(axis=1), 1)


def test_scores_that_are_missing_are_told_apart_from_the_mean():
    rng = np.random.default_rng(2)
    truth = np.repeat([0, 1], 30)
    scores = 2.0 * truth + rng.normal(size=60)
    scores[40:60] = np.nan  # only documents of class 1
    found = cross_fit([Numbers(scores[:, None])], np.arange(60), truth, 2)
    assert np.isfinite(found.values).all()
    assert found.values[45, 1] > 0.8


def test_a_class_without_a_truth_and_a_single_class_get_what_is_known():
    numbers = Numbers(np.arange(12.0)[:, None])
    found = cross_fit([numbers], np.arange(12), np.tile([0, 2], 6), 3)
    assert_allclose(found.values[:, 1], 0)
    alone = cross_fit([numbers], np.arange(12), np.zeros(12, dtype=int), 2)
    assert_allclose(alone.values, [[1, 0]] * 12)


def test_given_posteriors_are_kept():
    values = np.array([[0.2, 0.8], [0.5, 0.5], [0.2, 0.8]])
    found = as_given(values, np.array([1]))
    assert_allclose(found.own, [[0.5, 0.5]])
    assert_allclose(found.values[found.rows], values)


@pytest.mark.parametrize("names", [["a", "b"], [1, 2], [False, True]])
def test_labels_are_only_names(names):
    said = [names[i] for i in (0, 0, 1, 1, 0, 1)]
    found = cross_fit(read_proxy(said), np.arange(4), np.array([0, 1, 1, 1]), 2)
    assert_allclose(found.values[:, 1], [(1 + 0.75) / 3, (2 + 0.75) / 3])
