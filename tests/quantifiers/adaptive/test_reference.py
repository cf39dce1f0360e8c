"""The whole estimate, against loops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from quantext.quantifiers.adaptive.change import Bag, least_change
from quantext.quantifiers.adaptive.estimating import Bags, find_bounds, find_shares
from quantext.quantifiers.adaptive.grid import find_bins, tally
from quantext.quantifiers.adaptive.learning import learn
from quantext.quantifiers.adaptive.words import count_words
from quantext.scores.features import describe_features
from tests.support.adaptive_reference import Reference


def labels(kind, n, rng):
    if kind == "binary":
        return rng.random((n, 1)) < 0.4
    if kind == "multiclass":
        return rng.integers(0, 3, n)[:, None] == np.arange(3)
    first = rng.random(n) < 0.5
    return np.column_stack([first, rng.random(n) < np.where(first, 0.6, 0.2)])


@pytest.mark.parametrize("kind", ["binary", "multiclass", "multilabel"])
@pytest.mark.parametrize("with_words", [False, True], ids=["scores", "words"])
def test_estimate_interval_and_change_are_those_of_plain_loops(kind, with_words):
    rng = np.random.default_rng(3)
    y, bag_y = labels(kind, 40, rng), labels(kind, 25, rng)
    scores, bag = (rng.normal(size=own.shape) + 2 * own for own in (y, bag_y))
    X, X_bag = (rng.random((len(own), 4)) < [0.2, 0.5, 0.7, 0.4] for own in (y, bag_y))
    X_bag[:, 0] = True  # a word that is new in most documents
    weights = rng.normal(size=(4, y.shape[1]))
    features = describe_features(sparse.csr_array(X.astype(float)), y)

    learned = learn(scores, y, kind, *((features, weights) if with_words else ()))
    histogram = np.array([tally(b) for b in find_bins(learned.slope, learned.offset, bag).T])
    counts = Bag(len(bag), histogram, count_words(learned.words, X_bag))
    bags = Bags.of(learned, [counts])
    shares = find_shares(learned, bags)
    low, high = find_bounds(learned, bags, shares, 0.95)

    words, bag_words = ([set(np.flatnonzero(x)) for x in own] for own in (X, X_bag))
    if not with_words:
        words = bag_words = weights = None
    plain = Reference(scores.tolist(), y.tolist(), kind, words, weights)
    p, plain_low, plain_high, change = plain.read(bag.tolist(), bag_words)
    assert_allclose(shares.p, [p], atol=1e-6)
    assert_allclose(shares.change, [change], rtol=1e-5)
    assert_allclose(low, [plain_low], atol=1e-6)
    assert_allclose(high, [plain_high], atol=1e-6)
    if with_words:
        assert (shares.change > 1.5 * least_change(learned)).any()
