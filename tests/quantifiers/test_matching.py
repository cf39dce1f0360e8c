"""Histograms, counts and indicators, mixed: by hand, and against their definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from quantext.quantifiers import BlackBoxShift, DistributionMatching, FriedmanCount
from quantext.quantifiers.matching import SWEEP
from quantext.quantifiers.representations import count_cells, shares_by_class
from tests.support.slow import by_class, minimised, posteriors, scored
from tests.support.ten_documents import BAG, HALF, SCORES, TEN, TWO, share, three_classes

SINGLE = ["BBSE", "Friedman", "HDy", "DMy", "DyS", "EDy", "KDEy-ML", "KDEy-HD", "KDEy-CS"]


@pytest.mark.parametrize("method", SINGLE)
def test_with_two_scores_all_that_matters_is_how_many_are_high(method):
    # Three of four positives are at +1, one of six negatives is, and half of the bag:
    # (1/2 − 1/6)/(3/4 − 1/6) = 4/7.
    assert_allclose(share(method, TWO, HALF), 4 / 7, atol=1e-4 if "KDEy" in method else 1e-6)


@pytest.mark.parametrize("method", [name for name in SINGLE if name != "KDEy-ML"])
def test_three_high_scores_of_ten_are_explained_by_fewer_positives(method):
    bag = [1, 1, 1, -1, -1, -1, -1, -1, -1, -1]  # (3/10 − 1/6)/(3/4 − 1/6) = 8/35
    assert_allclose(share(method, TWO, bag), 8 / 35, atol=1e-4 if "KDEy" in method else 1e-6)


@pytest.mark.parametrize("method", SINGLE)
def test_a_bag_beyond_all_mixtures_is_of_one_class(method):
    assert_allclose(share(method, TWO, [1] * 10), 1, atol=1e-6)
    assert_allclose(share(method, TWO, [-1] * 10), 0, atol=1e-6)


def test_bbse_of_ten_documents_is_acc():
    assert_allclose(share("BBSE", TEN, BAG), 4 / 7, atol=1e-12)


def test_bbse_sets_negative_weights_to_zero():
    # Of six documents two are of each class; b is put in b and in c, once each.
    # Of the bag half is put in a and half in b: w = (1/2)·6/2 for a, (1/2)·6 for b, and for c
    # 0 = 3/6 + 2w/6, so −3/2, which becomes 0. Times 1/3: (1/2, 1, 0)/(3/2).
    bag = [[1, 0, 0], [0, 1, 0]]
    p_hat = BlackBoxShift(None).fit_scores(SCORES).predict(bag)
    assert_allclose(p_hat, [1 / 3, 2 / 3, 0], atol=1e-12)


def test_bbse_keeps_the_training_prevalence_of_what_the_classifier_does_not_tell_apart():
    scores = three_classes([[1, 0, 0]] * 4, [0, 0, 1, 2])
    p_hat = BlackBoxShift(None).fit_scores(scores).predict([[1, 0, 0], [1, 0, 0]])
    assert_allclose(p_hat, [1 / 2, 1 / 4, 1 / 4], atol=1e-12)


def test_friedman_counts_posteriors_above_the_training_prevalence():
    # The training prevalence is 0.4, log-odds −0.405: above are three of four positives, one of six
    # negatives, and six of the bag: (6/10 − 1/6)/(3/4 − 1/6) = 26/35.
    fitted = FriedmanCount(None, posteriors="logistic").fit_scores(TEN)
    assert_allclose(fitted.predict(np.array(BAG)[:, None])[1], 26 / 35, atol=1e-9)


@pytest.mark.parametrize("n_classes", [3, 5])
def test_friedman_of_several_classes_is_its_definition(n_classes):
    training, bag = scored(n_classes, seed=n_classes)
    p_train = training.y.mean(axis=0)
    columns = np.column_stack([(own >= p_train).mean(axis=0) for own in by_class(training)])
    q = (posteriors(bag) >= p_train).mean(axis=0)
    expected = minimised(lambda p: np.square(columns @ p - q).sum(), n_classes)
    fitted = FriedmanCount(None, posteriors="logistic").fit_scores(training)
    assert_allclose(fitted.predict(bag), expected, atol=1e-5)


@pytest.mark.parametrize("distance", ["hellinger", "topsoe"])
def test_two_bins_tell_how_many_posteriors_are_above_one_half(distance):
    # Scores of 0 and more: three of four positives, one of six negatives, six of the bag.
    quantifier = DistributionMatching(None, distance, bins=2, posteriors="logistic")
    fitted = quantifier.fit_scores(TEN)
    assert_allclose(fitted.predict(np.array(BAG)[:, None])[1], 26 / 35, atol=1e-9)


def histograms(values, number):
    edges = np.arange(number + 1) / number
    return np.array([np.histogram(column, edges)[0] for column in values.T]) / len(values)


def hellinger(q, b):
    return np.sqrt(np.square(np.sqrt(q) - np.sqrt(b)).sum(axis=1) / 2).mean()


def topsoe(q, b):
    middle = np.maximum((q + b) / 2, 1e-300)
    q, b = np.maximum(q, 1e-300), np.maximum(b, 1e-300)
    return (q * np.log(q / middle) + b * np.log(b / middle)).sum()


def squared_hellinger(q, b):
    return np.square(np.sqrt(q) - np.sqrt(b)).sum()


DISTANCES = {
    "hellinger": hellinger,
    "squared-hellinger": squared_hellinger,
    "topsoe": topsoe,
}


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_mixtures_of_all_classes_are_those_of_the_definition(distance, n_classes):
    training, bag = scored(n_classes, seed=10 + n_classes)
    columns = np.stack([histograms(own, 8) for own in by_class(training)], axis=2)
    q = histograms(posteriors(bag), 8)

    def value(p):
        return DISTANCES[distance](q, columns @ p)

    fitted = DistributionMatching(None, distance, posteriors="logistic").fit_scores(training)
    p_hat = fitted.predict(bag)
    assert_allclose(p_hat, minimised(value, n_classes), atol=1e-4)
    assert value(p_hat) <= value(minimised(value, n_classes)) + 1e-8


def test_hdy_is_the_median_over_numbers_of_bins():
    training, bag = scored(2, seed=20)
    q, (negative, positive) = posteriors(bag)[:, 1:], (own[:, 1:] for own in by_class(training))
    grid = np.linspace(0, 1, 2001)
    best = []
    for number in range(10, 111, 10):
        n, p, own = (histograms(values, number) for values in (negative, positive, q))
        best.append(grid[np.argmin([hellinger(own, x * p + (1 - x) * n) for x in grid])])
    quantifier = DistributionMatching(None, bins="sweep", classes="each", posteriors="logistic")
    assert tuple(range(10, 111, 10)) == SWEEP
    assert_allclose(quantifier.fit_scores(training).predict(bag)[1], np.median(best), atol=5e-4)


def test_each_class_by_itself_is_estimated_against_the_rest():
    training, bag = scored(3, seed=21)
    quantifier = DistributionMatching(None, classes="each", posteriors="logistic")
    shares = []
    for k in range(3):
        alone = type(training)(
            np.asarray, training.out_of_fold[:, [k]], training.y[:, [k]], 0.0, [0, 1], "binary"
        )
        shares.append(quantifier.fit_scores(alone).predict(bag[:, [k]])[1])
    expected = np.array(shares) / sum(shares)
    assert_allclose(quantifier.fit_scores(training).predict(bag), expected, atol=1e-12)


@pytest.mark.parametrize("classes", ["each", "together"])
def test_where_posteriors_say_nothing_the_training_prevalence_stays(classes):
    scores = three_classes([[0.0, 0.0, 0.0]] * 4, [0, 0, 1, 2])
    for distance in DISTANCES:
        fitted = DistributionMatching(None, distance, classes=classes).fit_scores(scores)
        assert_allclose(fitted.predict([[0.0, 0.0, 0.0]]), [1 / 2, 1 / 4, 1 / 4], atol=1e-9)


def test_cells_are_counted_with_weights_and_by_class():
    cells = np.array([[0, 2], [1, 2], [1, 3]])
    assert count_cells(cells, 5).tolist() == [1, 2, 2, 1, 0]
    assert count_cells(cells, 5, np.array([2, 0, 3])).tolist() == [2, 3, 2, 3, 0]
    shares = shares_by_class(cells, 5, np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0]]))
    assert_allclose(shares, [[0.5, 0, 0], [0.5, 1, 0], [1, 0.5, 0], [0, 0.5, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    ("params", "said"),
    [
        (
            {"distance": "l2"},
            "'l2' is unknown; choose hellinger, squared-hellinger or topsoe",
        ),
        ({"bins": 1}, "bins is 1; it is a number of at least 2, or 'sweep'"),
        ({"bins": "many"}, "bins is 'many'; it is a number"),
        ({"classes": "all"}, "classes 'all' is unknown; choose together or each"),
    ],
)
def test_an_unknown_parameter_is_an_error(params, said):
    with pytest.raises(ValueError, match=said):
        DistributionMatching(None, **params).fit_scores(TEN)
