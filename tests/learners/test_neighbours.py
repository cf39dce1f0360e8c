"""Weighted neighbours, worked by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from quantext.learners.neighbours import Neighbours, WeightedNeighbours


@parametrize_with_checks([WeightedNeighbours(n_neighbors=3)])
def test_it_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)


X = np.array([[0.0], [1], [2], [3], [10], [11]])
Y = np.array(["no", "no", "no", "no", "yes", "yes"])


def test_votes_weigh_by_the_root_of_how_much_larger_their_class_is():
    # Four against two: weights 2^(−1/α) and 1. At 6 the nearest three are 3, 10 and 2.
    one, two = (WeightedNeighbours(n_neighbors=3, alpha=a).fit(X, Y) for a in (1, 2))
    assert_allclose(one.votes_.weights, [1 / 2, 1])
    assert_allclose(two.votes_.weights, [2**-0.5, 1])
    assert_allclose(one.predict_proba([[6.0]]), [[0.5, 0.5]])
    assert one.predict([[6.0]]) == ["no"]  # of equal ones the first
    assert_allclose(one.predict_proba([[7.0]]), [[0.2, 0.8]])  # 10, 11 and 3
    assert two.predict([[6.0]]) == ["no"]


def test_of_equally_near_ones_the_first_vote():
    # At 0 all are equally near; at 1 the second is nearest, then the first.
    documents = sparse.csr_array([[1.0, 0], [0, 1], [-1, 0]])
    voters = Neighbours(documents, np.arange(3), np.ones(3), 2)
    assert voters.weighted(np.array([[0.0, 0], [0, 1]])).tolist() == [[1, 1, 0], [1, 1, 0]]


def plainly(documents, codes, k, rows):
    """Votes of the nearest, by sorting all distances."""
    far = (documents**2).sum(axis=1) - 2 * rows @ documents.T
    near = np.argsort(far, axis=1, kind="stable")[:, :k]
    return np.array([np.bincount(codes[own], minlength=codes.max() + 1) for own in near])


@pytest.mark.parametrize("k", [1, 2, 7, 30, 64])
@pytest.mark.parametrize("density", [0.1, 0.6, 1.0])
def test_the_kernel_votes_as_all_distances_sorted_do(k, density):
    # Small whole numbers: many documents are equally far, and no sum is rounded.
    rng = np.random.default_rng(k)
    documents, rows = (
        rng.integers(1, 3, (n, 12)) * (rng.random((n, 12)) < density) * 1.0 for n in (64, 50)
    )
    codes = np.append(np.arange(5), rng.integers(0, 5, 59))
    voters = Neighbours(sparse.csr_array(documents), codes, np.ones(5), k)
    assert voters.weighted(rows).tolist() == plainly(documents, codes, k, rows).tolist()
    whole = sparse.csr_array(rows.astype(np.float32))
    assert voters.weighted(whole).tolist() == plainly(documents, codes, k, rows).tolist()


def test_without_weights_it_is_the_usual_method():
    rng = np.random.default_rng(0)
    points, labels = rng.normal(size=(90, 4)), np.repeat(["a", "b", "c"], 30)
    ours = WeightedNeighbours(n_neighbors=7).fit(points, labels)
    usual = KNeighborsClassifier(7, algorithm="brute").fit(points, labels)
    new = rng.normal(size=(50, 4))
    assert_allclose(ours.predict_proba(new), usual.predict_proba(new))
    assert_allclose(ours.predict_proba(sparse.csr_matrix(new)), usual.predict_proba(new))


@pytest.mark.parametrize(
    ("params", "message"),
    [({"n_neighbors": 0}, "at least one must vote"), ({"alpha": 0.5}, "it is at least 1")],
)
def test_a_parameter_that_means_nothing_is_an_error(params, message):
    with pytest.raises(ValueError, match=message):
        WeightedNeighbours(**params).fit(X, Y)
