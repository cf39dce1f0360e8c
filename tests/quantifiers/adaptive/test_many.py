"""Many bags at once: what each is estimated at by itself."""

import numpy as np
import pytest
from scipy import sparse

from quantext.models.methods import method
from quantext.quantifiers.adaptive.many import read_words
from quantext.quantifiers.adaptive.words import _largest


def documents(n=400, words=60, seed=0):
    """Documents with words, of which the first ten are the more likely in the class."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    likely = np.full((n, words), 0.1)
    likely[y, :10] = 0.4
    return sparse.csr_matrix((rng.random((n, words)) < likely).astype(np.float32)), y


def drawn(n, sizes, seed=1):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, n, size) for size in sizes]


X, Y = documents()
# A class that hardly moves, one that moves a lot, bags of one document and more than fit at once.
BAGS = [
    *drawn(400, [1, 2, 30, 30, 100, 100, 100]),
    np.repeat(np.flatnonzero(Y), 2),
    np.flatnonzero(~Y),
    *drawn(400, [20] * 150),
]


def one_by_one(quantifier, rows, bags, X):
    parts = [(rows[bag], None if X is None else X[bag]) for bag in bags]
    return np.array([quantifier.aggregate(quantifier.summarise_scores(*part)) for part in parts])


@pytest.mark.parametrize("y", [Y, Y[:, None]], ids=["two classes", "a label"])
@pytest.mark.parametrize("with_words", [True, False])
def test_one_class_is_estimated_as_in_each_bag_by_itself(y, with_words):
    quantifier = method("Adaptive", folds=5).fit(X, y)
    rows, seen = quantifier.scores_.out_of_fold, X if with_words else None
    many = quantifier.estimate_bags(rows, BAGS, seen)
    assert many.shape == (len(BAGS), 1 if y.ndim == 2 else 2)
    np.testing.assert_allclose(many, one_by_one(quantifier, rows, BAGS, seen), rtol=1e-5)


def test_words_that_have_changed_count():
    """The same scores with other words: the estimate is nearer to training's."""
    quantifier = method("Adaptive", folds=5).fit(X, Y)
    rows = quantifier.scores_.out_of_fold
    changed = X.tolil()
    changed[:, 20:40] = 1
    changed = changed.tocsr()
    many = quantifier.estimate_bags(rows, BAGS, changed)
    np.testing.assert_allclose(many, one_by_one(quantifier, rows, BAGS, changed), rtol=1e-5)
    assert np.abs(many - quantifier.estimate_bags(rows, BAGS, X)).max() > 0.01


def test_entries_that_stand_twice_count_once():
    quantifier = method("Adaptive", folds=5).fit(X, Y)
    rows = quantifier.scores_.out_of_fold
    indptr = 2 * X.indptr
    twice = sparse.csr_matrix(
        (np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), indptr), shape=X.shape
    )
    np.testing.assert_array_equal(
        quantifier.estimate_bags(rows, BAGS, twice), quantifier.estimate_bags(rows, BAGS, X)
    )


THREE = np.where(Y, "a", np.where(np.arange(400) % 2, "b", "c"))
LABELS = np.column_stack([Y, np.arange(400) % 2])


@pytest.mark.parametrize("y", [Y, THREE, LABELS], ids=["two classes", "three", "two labels"])
def test_bounds_of_many_bags_are_those_of_each_by_itself_to_the_last_bit(y):
    """Bags that settle early and late, of several sizes, together."""
    quantifier = method("Adaptive", folds=5).fit(X, y)
    summaries = [quantifier.summarise(X[bag]) for bag in BAGS[:60]]
    told = []
    together = quantifier.aggregate_intervals(
        summaries, 0.9, progress=lambda stage, done, all_: told.append((stage, done, all_))
    )
    alone = [quantifier.aggregate_interval(summary, 0.9) for summary in summaries]
    for many, each in zip(together, zip(*alone, strict=True), strict=True):
        np.testing.assert_array_equal(many, each)
    np.testing.assert_array_equal(together[0], [quantifier.aggregate(own) for own in summaries])
    done = [count for _, count, _ in told]
    assert done == sorted(done)
    assert told[-1] == ("bags", 60, 60)


@pytest.mark.parametrize(
    "y",
    [THREE, LABELS, np.zeros((400, 1))],
    ids=["three classes", "two labels", "a label that no document has"],
)
def test_several_classes_and_constant_ones_are_estimated_bag_by_bag(y):
    quantifier = method("Adaptive", folds=5).fit(X, y)
    rows, bags = quantifier.scores_.out_of_fold, BAGS[:9]
    np.testing.assert_array_equal(
        quantifier.estimate_bags(rows, bags, X), one_by_one(quantifier, rows, bags, X)
    )


def test_the_kernel_sums_as_numpy_does():
    rng = np.random.default_rng(3)
    words = np.array([1, 4, 7, 30])
    base, effects, weights = rng.random((3, 4))
    place = np.full(60, 4, dtype=np.uint32)
    place[words] = np.arange(4)
    bags = rng.integers(0, 400, (5, 20))
    terms = np.empty((5, 2))
    stored = X.copy()
    stored.data[::7] = 0  # an entry that is zero is no word
    read_words(
        stored.indptr, stored.indices, stored.data, place, bags, base, effects, weights, terms
    )
    has = stored.toarray()[:, words] != 0
    a = has[bags].mean(axis=1) - base
    np.testing.assert_allclose(terms, np.column_stack([a**2 @ weights, a @ (weights * effects)]))


def test_the_largest_values_are_those_of_a_stable_sort():
    values = np.array([3.0, 0.0, 5.0, 3.0, 3.0, 9.0])
    assert _largest(values, 4).tolist() == [0, 2, 3, 5]
    assert _largest(values, 6).tolist() == [0, 1, 2, 3, 4, 5]
    assert _largest(values, 1).tolist() == [5]
