"""Scores of linear models: the kernel agrees with a loop, to the last bit."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from quantext.scores.scorers import LinearScorer, ModelScorer


def loop_scores(X, coef, intercept):
    """X @ coef + intercept, entry by entry."""
    scores = np.zeros((X.shape[0], coef.shape[1]))
    for i in range(X.shape[0]):
        for k in range(X.indptr[i], X.indptr[i + 1]):
            scores[i] += np.float64(X.data[k]) * coef[X.indices[k]]
    return scores + intercept


@pytest.mark.parametrize("n_classes", [2, 9])
def test_scores_are_summed_in_the_order_of_the_entries(n_classes):
    rng = np.random.default_rng(n_classes)
    dense = rng.normal(size=(40, 30)) * (rng.random((40, 30)) < 0.3)
    dense[3:5] = 0  # documents without a known word
    X = sparse.csr_array(dense.astype(np.float32))
    lengths = set(np.diff(X.indptr).tolist())
    assert {length % 4 for length in lengths} == {0, 1, 2, 3}  # what four at a time leaves over
    assert 0 in lengths
    coef, intercept = rng.normal(size=(30, n_classes)), rng.normal(size=n_classes)
    assert_array_equal(LinearScorer(coef, intercept)(X), loop_scores(X, coef, intercept))


@pytest.mark.parametrize(
    "X",
    [
        sparse.csr_array([[1, 2]]),
        sparse.csc_matrix([[1.0, 2.0]]),
        [[1, 2]],
    ],
    ids=["integers", "by column", "lists"],
)
def test_documents_in_any_form_have_the_same_scores(X):
    # 1 · 3 + 2 · 4 + 5
    assert_array_equal(LinearScorer(np.array([[3.0], [4.0]]), np.array([5.0]))(X), [[16.0]])


@pytest.mark.parametrize(
    ("X", "what"),
    [
        (sparse.csr_array([[1.0, np.nan]]), "NaN"),
        (sparse.csr_matrix([[1.0, np.inf]]), "infinity"),
        (sparse.csr_array((0, 2)), "0 sample"),
        (sparse.csr_array([[1.0]]), "1 features"),
        (sparse.coo_array([1.0, 2.0]).tocsr(), "2D"),
    ],
    ids=["NaN", "infinite", "no documents", "a feature missing", "one dimension"],
)
def test_documents_that_have_no_scores_are_refused(X, what):
    with pytest.raises(ValueError, match=what):
        LinearScorer(np.array([[3.0], [4.0]]), np.array([5.0]))(X)


@pytest.mark.parametrize(
    ("scorer", "message"),
    [
        (LinearScorer(np.ones((3, 2)), np.ones(3)), "intercepts are not one for each"),
        (LinearScorer(np.ones((3, 3)), np.ones(2)), "weights are not one column for each"),
        (LinearScorer(np.ones(2), np.ones(2)), "weights are not one column for each"),
        (LinearScorer(np.ones((3, 2), int), np.ones(2)), "weights are no fractions"),
        (ModelScorer((1.0,)), "constant scores are not one for each"),
        (ModelScorer((1.0, "a")), "constant scores are not one for each"),
    ],
    ids=str,
)
def test_a_scorer_says_if_its_parts_do_not_fit_two_columns(scorer, message):
    LinearScorer(np.ones((3, 2)), np.ones(2)).check(2)
    ModelScorer((1.0, -1.0)).check(2)
    with pytest.raises(ValueError, match=message):
        scorer.check(2)


@pytest.mark.parametrize("n_classes", [1, 3])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, np.asarray])
def test_scores_are_the_same_where_features_are_counted_too(n_classes, kind):
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(40, 30)) * (rng.random((40, 30)) < 0.3)
    scorer = LinearScorer(rng.normal(size=(30, n_classes)), rng.normal(size=n_classes))
    X = kind(dense)
    if kind is sparse.csr_array:
        X.data[::7] = 0  # stored, but not there
        dense = X.toarray()
    scores, documents = scorer.score_and_count(X)
    assert_array_equal(scores, scorer(X))
    assert_array_equal(documents, np.count_nonzero(dense, axis=0))


def test_counting_features_refuses_what_scoring_refuses():
    scorer = LinearScorer(np.ones((2, 1)), np.zeros(1))
    with pytest.raises(ValueError, match="NaN"):
        scorer.score_and_count(sparse.csr_array([[1.0, np.nan]]))
    with pytest.raises(ValueError, match="X has 3 features"):
        scorer.score_and_count(sparse.csr_array([[1.0, 2.0, 3.0]]))
