"""Energy distance: by hand, and against all pairs of documents."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logit

from quantext.quantifiers import EnergyDistance
from quantext.quantifiers.energy import add_distances
from tests.support.slow import by_class, minimised, posteriors, scored
from tests.support.ten_documents import training


def test_three_posteriors_are_worked_by_hand():
    # Negatives at 0.2, positives at 0.6 and 1.0, the bag at 0.5; distances count twice, once for
    # each of two posteriors. To the bag: 0.3 and (0.1 + 0.5)/2 = 0.3. Between: 0.6; within
    # positives (0 + 0.4 + 0.4 + 0)/4 = 0.2. 2·0.3 − [2·0.6·x(1−x) + 0.2x²] is least where
    # 1.2 − 2.4x + 0.4x = 0: x = 0.6.
    almost_one = 1 - 1e-9
    scores = training(logit([0.6, almost_one]), logit([0.2]))
    fitted = EnergyDistance(None, posteriors="logistic").fit_scores(scores)
    assert_allclose(fitted.predict([[0.0]])[1], 0.6, atol=1e-4)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_energy_distance_is_that_of_all_pairs(n_classes):
    given, bag = scored(n_classes, seed=n_classes)
    classes, own = by_class(given), posteriors(bag)

    def mean(a, b):
        return np.abs(a[:, None] - b).sum(axis=2).mean()

    between = np.array([[mean(a, b) for a in classes] for b in classes])
    to_bag = np.array([mean(a, own) for a in classes])
    expected = minimised(lambda p: 2 * to_bag @ p - p @ between @ p, n_classes)
    fitted = EnergyDistance(None, posteriors="logistic").fit_scores(given)
    assert_allclose(fitted.predict(bag), expected, atol=5e-5)


def test_sorted_values_give_the_distances_of_all_pairs():
    rng = np.random.default_rng(0)
    values, classes, weights = np.sort(rng.random(9)), rng.integers(0, 3, 9), rng.random(9)
    found, plain = np.zeros((2, 3, 3))
    add_distances(values, classes, weights, found)
    add_distances.py_func(values, classes, weights, plain)
    assert_allclose(found, plain, rtol=1e-12)
    pairs = np.abs(values[:, None] - values) * weights[:, None] * weights
    of_class = classes == np.arange(3)[:, None]
    assert_allclose(found + found.T, of_class @ pairs @ of_class.T, atol=1e-12)
