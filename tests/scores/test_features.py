from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from quantext import LinearSVM, score_training
from quantext.scores import features
from quantext.scores.features import describe_features

X = np.array([[2.0, 0.0, 1.0], [4.0, 0.0, -1.0], [0.0, 0.0, 3.0], [6.0, 0.0, 0.0]])
Y = np.array([[True, False], [True, True], [False, False], [False, True]])


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix, sparse.csc_array])
def test_sums_counts_means_and_variances_by_hand(make):
    found = describe_features(sparse.csr_array(make(X)) if make is not np.asarray else X, Y)
    np.testing.assert_array_equal(found.sums.toarray(), [[6, 0, 0], [10, 0, -1]])
    np.testing.assert_array_equal(found.documents.toarray(), [[2, 0, 2], [2, 0, 1]])
    np.testing.assert_array_equal(found.total_documents, [3, 0, 3])
    np.testing.assert_allclose(found.mean, X.mean(axis=0))
    np.testing.assert_allclose(found.variance, X.var(axis=0))
    found.check(n_columns=2)


def test_blocks_of_documents_add_up():
    rng = np.random.default_rng(0)
    n = 2 * features._ROWS + 5
    big, y = sparse.random_array((n, 4), density=0.3, rng=rng).tocsr(), rng.random((n, 3)) < 0.2
    found = describe_features(big, y)
    np.testing.assert_allclose(found.sums.toarray(), y.T.astype(float) @ big.toarray())
    np.testing.assert_allclose(found.total_squares, (big.toarray() ** 2).sum(axis=0))
    assert found.n_documents == n


def test_texts_have_no_features():
    assert describe_features(np.array(["a", "b"]), Y[:2]) is None
    assert describe_features(["a", "b"], Y[:2]) is None


def test_training_scores_have_features_if_asked():
    y = [0, 1, 0, 1]
    assert score_training(LinearSVM(), X, y, folds=2).features is None
    found = score_training(LinearSVM(), X, y, folds=2, features=True).features
    np.testing.assert_array_equal(found.sums.toarray(), [[10, 0, -1]])


def test_parts_that_do_not_fit_are_an_error():
    found = describe_features(X, Y)
    with pytest.raises(ValueError, match="do not fit each other"):
        replace(found, total_squares=np.zeros(7)).check(n_columns=2)
