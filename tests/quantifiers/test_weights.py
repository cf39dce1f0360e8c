"""Weights of documents: shares are those of the weight, intervals those of fewer documents."""

from functools import cache, reduce
from operator import add

import numpy as np
import pytest
from scipy import sparse

from quantext.models.methods import METHODS
from quantext.quantifiers.summary import MeanTally, exact_sums
from quantext.quantifiers.weights import WEIGHT_UNIT, Weights, whole_weights
from tests.support.quick import quick
from tests.support.ten_documents import METHODS as BY_HAND
from tests.support.ten_documents import training

RNG = np.random.default_rng(0)
# Dense or sparse, they are words that are there or not.
X = (
    RNG.random((120, 8)) < np.where(np.arange(120)[:, None] % 3 == np.arange(8) % 3, 0.6, 0.2)
) * 1.0
CLASSES = np.array(["a", "b", "c"])[np.arange(120) % 3]
LABELS = {
    "binary": CLASSES == "a",
    "multiclass": CLASSES,
    "multilabel": np.column_stack([CLASSES == "a", CLASSES != "b"]),
}
BAG = sparse.csr_array(X[5:35])
WEIGHTS = RNG.integers(0, 4, 30)


@cache
def fitted(name, kind="multiclass"):
    return quick(name, folds=3).fit(sparse.csr_array(X), LABELS[kind])


def summary(quantifier, bag, weights=None):
    return quantifier.summarise_scores(quantifier.rows(bag), bag, weights)


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("name", METHODS)
def test_a_document_of_weight_2_counts_as_if_it_were_there_twice(name, kind):
    quantifier = fitted(name, kind)
    # To methods that look at the size there are fewer documents, which matters less in a large bag.
    times, tolerance = (40, 0.02) if quantifier.depends_on_size else (1, 1e-12)
    rows = np.tile(np.arange(30), times)
    weighted = summary(quantifier, BAG[rows], np.tile(WEIGHTS, times))
    repeated = summary(quantifier, BAG[np.repeat(rows, np.tile(WEIGHTS, times))])
    np.testing.assert_allclose(
        quantifier.aggregate(weighted), quantifier.aggregate(repeated), atol=tolerance
    )


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("name", METHODS)
def test_equal_weights_change_nothing(name, kind):
    quantifier = fitted(name, kind)
    plain, weighted = summary(quantifier, BAG), summary(quantifier, BAG, np.full(30, 2.5))
    assert weighted.effective_size == plain.effective_size == 30
    np.testing.assert_allclose(
        quantifier.aggregate(weighted), quantifier.aggregate(plain), atol=1e-12
    )
    if quantifier.gives_intervals:
        for bounds in zip(
            quantifier.interval(weighted, replicates=5),
            quantifier.interval(plain, replicates=5),
            strict=True,
        ):
            np.testing.assert_allclose(*bounds, atol=1e-12)


@pytest.mark.parametrize("name", METHODS)
def test_summaries_of_weighted_parts_add_up_to_the_last_bit(name):
    quantifier = fitted(name)
    weights = RNG.random(30) * 10
    parts = [summary(quantifier, BAG[i : i + 7], weights[i : i + 7]) for i in range(0, 30, 7)]
    assert reduce(add, parts) == summary(quantifier, BAG, weights)


def test_unequal_weights_widen_the_interval():
    quantifier = fitted("Adaptive")
    few = np.where(np.arange(30) % 5 == 0, 20.0, 1.0)
    plain, weighted = (quantifier.interval(summary(quantifier, BAG, w)) for w in (None, few))
    assert np.mean(weighted[1] - weighted[0]) > 1.2 * np.mean(plain[1] - plain[0])


def test_the_effective_size_is_that_of_kish_by_hand():
    # (1 + 1 + 2)² / (1 + 1 + 4) = 2.67, of which whole documents are 2.
    weights = Weights.of(whole_weights([1, 1, 2]))
    assert weights.total == 4 * WEIGHT_UNIT
    assert weights.effective_size == 2
    assert Weights.of(whole_weights([0.5])).effective_size == 1


def test_classify_and_count_by_hand():
    # Scores above 0 weigh 1 + 2 of 6.
    quantifier = BY_HAND["CC"]
    quantifier.fit_scores(training([1, 2, 3], [-1, -2, -3]))
    scores = np.array([[1.0], [2.0], [-1.0]])
    found = quantifier.aggregate(quantifier.summarise_scores(scores, weights=[1, 2, 3]))
    np.testing.assert_allclose(found, [0.5, 0.5])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1], "finite numbers, 0 or more"),
        ([1, np.nan], "finite numbers, 0 or more"),
        ([1e10, 1], "too much to be kept exactly; divide"),
    ],
)
def test_what_is_no_weight_is_an_error(weights, message):
    with pytest.raises(ValueError, match=message):
        whole_weights(weights)


@pytest.mark.parametrize(
    ("weight", "message"), [(0.0, "have weight 0"), (1e-4, "too small to be kept exactly")]
)
@pytest.mark.parametrize("name", ["CC", "Adaptive"])
def test_a_bag_without_weight_is_an_error(name, weight, message):
    quantifier = fitted(name)
    with pytest.raises(ValueError, match=message):
        quantifier.aggregate(summary(quantifier, BAG, np.full(30, weight)))


def test_weights_that_are_too_much_only_together_are_an_error():
    half = Weights.of(whole_weights([1.5e9]))
    with pytest.raises(ValueError, match="sum to 3e\\+09"):
        half + half


def test_a_part_with_weights_and_one_without_do_not_add_up():
    quantifier = fitted("CC")
    with pytest.raises(ValueError, match="one of these summaries has weights"):
        summary(quantifier, BAG) + summary(quantifier, BAG, WEIGHTS)


def test_sums_of_weighted_posteriors_are_exact():
    values = RNG.random((50, 2))
    weights = RNG.integers(0, 2**40, 50)
    one_by_one = [exact_sums(row[None]) * int(w) for row, w in zip(values, weights, strict=True)]
    assert (exact_sums(values, weights) == sum(one_by_one)).all()


def test_sums_of_a_mean_tally_are_exact_above_2_to_the_53():
    keys = np.array([65535], dtype=np.int32)
    tally = MeanTally.of(keys, np.array([2**46 + 1])) + MeanTally.of(keys, np.array([1]))
    assert tally.sums.tolist() == [65535 * (2**46 + 2)]
