"""Numeric targets, worked by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.linear_model import LinearRegression, Ridge

from quantext.quantifiers import RegressionQuantifier
from quantext.quantifiers.regression import Distribution


class FirstFeature(RegressorMixin, BaseEstimator):
    """Predicts the first feature, whatever it was trained on."""

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


# Predictions 0, 0, 1 and 1, true values 1, 2, 5 and 9: off by 1, 2, 4 and 8.
X, Y = np.array([[0.0], [0], [1], [1]]), np.array([1.0, 2, 5, 9])


def fitted(segments):
    return RegressionQuantifier(FirstFeature(), segments=segments, folds=2).fit(X, Y)


def test_the_mean_is_adjusted_by_the_mean_error_of_each_segment():
    two = fitted(2)
    assert two.edges_.tolist() == [0]
    assert two.errors_.tolist() == [1.5, 6]
    # Three at 0 and one at 1: (3·1.5 + 1 + 6)/4.
    bag = [[0.0], [0], [0], [1]]
    assert_allclose(two.predict(bag), (3 * 1.5 + 7) / 4)
    # With one segment all are adjusted by 15/4.
    assert_allclose(fitted(1).predict(bag), 1 / 4 + 15 / 4)


def test_each_document_stands_for_the_true_values_of_its_segment():
    found = fitted(2).predict_distribution([[0.0], [0], [0], [1]])
    assert found.values.tolist() == [1, 2, 5, 9]
    assert_allclose(found.weights, [3 / 8, 3 / 8, 1 / 8, 1 / 8])
    assert_allclose(found.mean, (3 * 1 + 3 * 2 + 5 + 9) / 8)
    assert fitted(2).predict_distribution([[0.0]]).values.tolist() == [1, 2]


def test_the_interval_has_the_chance_of_training_and_of_the_bag():
    # Deviations of the two segments: √½ and √8; four documents, two means: two degrees of freedom,
    # for which Student's 97.5% quantile is 4.302653.
    bag = [[0.0], [0], [0], [1]]
    variance = (3 / 4) ** 2 * 0.5 * (1 / 2 + 1 / 3) + (1 / 4) ** 2 * 8 * (1 / 2 + 1)
    low, high = fitted(2).predict_interval(bag)
    assert_allclose(high - low, 2 * 4.302653 * np.sqrt(variance), rtol=1e-6)
    assert_allclose((low + high) / 2, fitted(2).predict(bag))


def test_intervals_hold_the_mean_of_bags_about_as_often_as_they_say():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(300, 2))
    model = RegressionQuantifier(LinearRegression(), segments=5).fit(
        features, features @ [1, 2] + rng.normal(size=300)
    )
    held = 0
    for _ in range(200):
        bag = rng.normal(size=(50, 2)) + 0.5
        truth = np.mean(bag @ [1, 2] + rng.normal(size=50))
        low, high = model.predict_interval(bag, level=0.9)
        held += low <= truth <= high
    assert 160 <= held <= 196


def test_a_distribution_says_shares_and_quantiles():
    found = Distribution(np.array([1.0, 2, 4]), np.array([0.25, 0.25, 0.5]))
    assert found.cdf([0, 1, 3, 9]).tolist() == [0, 0.25, 0.5, 1]
    assert found.quantile([0, 0.25, 0.5, 0.51, 1]).tolist() == [1, 1, 2, 4, 4]
    assert found.histogram([0, 2, 5]).tolist() == [0.25, 0.75]


def test_the_regressor_is_untouched_and_x_may_be_sparse():
    regressor = Ridge()
    features = np.random.default_rng(0).normal(size=(40, 3))
    y = features.sum(axis=1)
    dense, thin = (
        RegressionQuantifier(regressor, folds=4).fit(form(features), y).predict(form(features))
        for form in (np.asarray, sparse.csr_array)
    )
    assert_allclose(dense, thin, atol=1e-3)
    assert not hasattr(regressor, "coef_")
    assert repr(clone(RegressionQuantifier(regressor))) == repr(RegressionQuantifier(regressor))


@pytest.mark.parametrize(
    ("params", "y", "message"),
    [
        ({"segments": 0}, Y, "segments is 0; there must be at least one"),
        ({"folds": 1}, Y, "folds is 1; cross-validation needs at least 2"),
        ({}, ["a", "b", "a", "b"], "y must be numbers.*for classes, use a Quantifier"),
        ({}, [1, 2, np.nan, 4], r"y\[2\] is nan; it must be a finite number"),
        ({}, [1, 2, 3], "X has 4 documents but y has values for 3"),
    ],
)
def test_what_cannot_be_learned_from_is_an_error(params, y, message):
    with pytest.raises(ValueError, match=message):
        RegressionQuantifier(FirstFeature(), **params).fit(X, y)


def test_one_document_and_none_are_errors():
    with pytest.raises(ValueError, match="give at least two"):
        RegressionQuantifier(FirstFeature()).fit(X[:1], Y[:1])
    with pytest.raises(ValueError, match="the bag is empty"):
        fitted(2).predict(np.empty((0, 1)))


def test_a_malformed_sparse_matrix_is_an_error_in_training_and_as_a_bag():
    bad = sparse.csc_array(X)
    bad.indices[-1] = 4
    regression = RegressionQuantifier(LinearRegression(), segments=1, folds=2)
    with pytest.raises(ValueError, match="the sparse matrix is malformed"):
        regression.fit(bad, Y)
    with pytest.raises(ValueError, match="the sparse matrix is malformed"):
        regression.fit(X, Y).predict(bad)
