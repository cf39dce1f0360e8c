"""Words that documents have or not, by themselves and together: by hand, and by definition."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import nnls

from quantext import TrainingScores
from quantext.quantifiers import FeatureMatching, PatternMatching, patterns
from quantext.quantifiers.blend import least_mean_hellinger
from quantext.quantifiers.distances import mean_hellinger
from quantext.quantifiers.matching import match_histograms
from quantext.quantifiers.presence import find_presence
from quantext.quantifiers.redraws import in_all_rows
from tests.support.slow import minimised

# One word: three of four positives have it, one of six negatives, and half of the bag.
ONE = np.array([[2.0], [1], [1], [0], [3], [0], [0], [0], [0], [0]])
POSITIVE = np.arange(10) < 4
HALF = np.array([[1.0], [0], [5], [0]])


@pytest.mark.parametrize("quantifier", [FeatureMatching(), PatternMatching(draws=3)], ids=repr)
def test_one_word_is_worked_by_hand(quantifier):
    # (1/2 − 1/6)/(3/4 − 1/6) = 4/7
    assert_allclose(quantifier.fit(ONE, POSITIVE).predict(HALF), [3 / 7, 4 / 7], atol=1e-6)


def test_a_pattern_says_more_than_its_words():
    # Both classes have each of two words in half of their documents: positives both or none,
    # negatives one of them. In the bag three of four documents have both or none.
    X = np.array([[1.0, 1], [0, 0], [1, 0], [0, 1]])
    bag = np.array([[1.0, 1], [0, 0], [1, 0], [0, 0]])
    y = [1, 1, 0, 0]
    p_hat = PatternMatching(draws=2).fit(X, y).predict(bag)
    # Shares of 00, 10, 01, 11: positives (½, 0, 0, ½), negatives (0, ½, ½, 0), bag (½, ¼, 0, ¼):
    # the slope of |bag − mixture|² is zero at x with Σ(bag − n)(p − n) = x·Σ(p − n)²:
    # ¼ + ⅛ + ¼ + ⅛ = x·1.
    assert_allclose(p_hat[1], 3 / 4, atol=1e-9)


def words(seed, n_classes, n=200, size=90, d=12):
    """Documents of random words, whose frequencies depend on the class."""
    rng = np.random.default_rng(seed)
    share = rng.uniform(0.05, 0.7, (n_classes, d))
    y = rng.integers(0, n_classes, n)
    own = rng.choice(
        n_classes, size, p=np.append(0.6, np.full(n_classes - 1, 0.4 / (n_classes - 1)))
    )
    return rng.random((n, d)) < share[y], y, rng.random((size, d)) < share[own]


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_hdx_is_the_mean_hellinger_distance_over_words(n_classes):
    X, y, bag = words(n_classes, n_classes)
    present = np.array([X[y == k].mean(axis=0) for k in range(n_classes)])
    q = bag.mean(axis=0)

    def value(p):
        b = p @ present
        absent = np.square(np.sqrt(1 - b) - np.sqrt(1 - q))
        return np.sqrt((np.square(np.sqrt(b) - np.sqrt(q)) + absent) / 2).mean()

    p_hat = FeatureMatching().fit(X * 1.0, y).predict(bag * 1.0)
    assert value(p_hat) <= value(minimised(value, n_classes)) + 1e-6


def test_the_best_of_several_minima_of_two_classes_is_found():
    # Each of two words alone is explained best by one class only: minima at both ends. There are
    # more words of the second kind, but squares lead to the middle.
    present = np.array([[0.1] * 5, [0.3] * 5])  # of each class
    q = np.array([0.1, 0.1, 0.3, 0.3, 0.3])
    columns = np.stack([1 - present.T, present.T], axis=1).reshape(-1, 2)
    own = np.stack([1 - q, q], axis=1).reshape(-1)
    p_train = np.array([0.9, 0.1])
    assert_allclose(match_histograms(columns, own, 2, p_train, "hellinger"), [0, 1], atol=1e-3)
    squares = match_histograms(columns, own, 2, p_train, "squared-hellinger")
    assert 0.4 < squares[1] < 0.7


@pytest.mark.parametrize("seed", range(5))
def test_no_share_is_better_than_the_one_that_is_found(seed):
    rng = np.random.default_rng(seed)
    present, q = rng.random((2, 9)), rng.random(9)
    q[0] = present[0, 0] = 0.0
    columns = np.stack([1 - present.T, present.T], axis=1).reshape(-1, 2)
    own = np.stack([1 - q, q], axis=1).reshape(-1)
    # The last histogram has something where neither class has, one after it nothing else.
    histogram, beyond = np.repeat(np.arange(9), 2), np.append(np.zeros(8), [0.1, 1.0])

    def value(p):
        return mean_hellinger(own, columns @ [1 - p, p], histogram, beyond)[0]

    _, found = least_mean_hellinger(columns, own, histogram, beyond, np.array([0.5, 0.5]))
    # A little above, for its kinks are rounded off.
    assert value(found) <= min(map(value, np.linspace(0, 1, 10_001))) + 1e-6


def test_where_no_word_tells_classes_apart_the_start_is_the_answer():
    columns, own = np.array([[0.3, 0.3], [0.7, 0.7]]), np.array([0.9, 0.1])
    p = least_mean_hellinger(columns, own, np.zeros(2, int), np.zeros(1), np.array([0.8, 0.2]))
    assert_allclose(p, [0.8, 0.2])


def test_arrays_are_counted_as_sparse_matrices_are():
    X = np.array([[0.0, 1.0, np.pi], [2.0, 5.0, 0.0], [0.0, 3.0, -1.0], [0.0, 4.0, 0.0]])
    presence = find_presence(X, 1)
    assert presence.common.tolist() == [False, True, False]
    assert presence.count(X).tolist() == [1, 2, 2]  # of the second, those above 3.5
    assert presence.count(sparse.csr_array(X)).tolist() == [1, 2, 2]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_readme_is_the_mean_of_least_squares_over_draws(n_classes):
    X, y, bag = words(10 + n_classes, n_classes)
    fitted = PatternMatching(words=4, draws=5, seed=3).fit(X * 1.0, y)
    found = []
    for drawn in fitted.scores_.scorer.words:
        assert len(set(drawn.tolist())) == 4

        def shares(documents, drawn=drawn):
            codes = documents[:, drawn] @ 2 ** np.arange(4)
            return np.bincount(codes, minlength=16) / len(documents)

        columns = np.column_stack([shares(X[y == k]) for k in range(n_classes)])
        known = columns.any(axis=1)
        system = np.vstack([columns[known], np.full(n_classes, 1e4)])
        found.append(nnls(system, np.append(shares(bag)[known], 1e4))[0])
    assert_allclose(fitted.predict(bag * 1.0), np.mean(found, axis=0), atol=1e-5)


@pytest.mark.parametrize("held", [1, 4, 9])
def test_draws_are_compared_some_at_a_time(held, monkeypatch):
    X, y, bag = words(40, 2)
    fitted = PatternMatching(words=3, draws=6).fit(X * 1.0, y)
    at_once = fitted.predict(bag * 1.0)
    monkeypatch.setattr(patterns, "_HELD", held)
    assert_allclose(fitted.predict(bag * 1.0), at_once, rtol=1e-12)


@pytest.mark.parametrize("kept", [0, 2**20])
def test_replicates_are_estimated_as_by_learning_anew(kept, monkeypatch):
    monkeypatch.setattr(patterns, "_KEPT", kept)
    X, y, _ = words(20, 3, n=60)
    fitted = PatternMatching(words=3, draws=4).fit(X * 1.0, y)
    [unit] = fitted.problems_.units(fitted.scores_)
    redrawn = np.random.default_rng(0).multinomial(60, np.full(60, 1 / 60), (3, 4))
    redrawn[1, 2] = 0  # a class may lose all its documents
    bags = in_all_rows(redrawn[:, 3])
    slowly = super(PatternMatching, fitted).reestimator(unit)(redrawn[:, :3])(*bags)
    assert_allclose(fitted.reestimator(unit)(redrawn[:, :3])(*bags), slowly, atol=1e-9)


def test_only_words_that_are_neither_rare_nor_everywhere_are_drawn():
    X = np.zeros((200, 4))
    X[0, 0] = 1  # one of 200
    X[:100, 1] = 1
    X[1:, 2] = 1  # all but one
    X[::3, 3] = 1
    fitted = PatternMatching(words=2, draws=6).fit(X, np.arange(200) % 2)
    assert_array_equal(np.unique(fitted.scores_.scorer.words), [1, 3])


def test_a_feature_that_all_documents_have_is_there_above_its_median():
    X = np.array([[0.0, 1.0], [2.0, 5.0], [0.0, 3.0], [0.0, 4.0]])
    presence = find_presence(X, 1)
    assert_array_equal(presence.of(X).toarray(), [[0, 0], [1, 1], [0, 0], [0, 1]])
    assert_array_equal(presence.of(sparse.csr_matrix([[-1.0, 0.0]])).toarray(), [[1, 0]])


@pytest.mark.parametrize("quantifier", [FeatureMatching(), PatternMatching(draws=3)], ids=repr)
def test_the_documents_are_left_as_they_were(quantifier):
    X = sparse.csr_array(np.arange(1.0, 21.0).reshape(10, 2))  # all have all features
    before = X.copy()
    quantifier.fit(X, POSITIVE).predict(X)
    assert_array_equal(X.indices, before.indices)
    assert_array_equal(X.indptr, before.indptr)
    assert_array_equal(X.data, before.data)


def test_labels_that_overlap_are_estimated_one_by_one():
    X, y, bag = words(30, 3)
    labels = np.column_stack([y == 0, y != 1, np.ones(len(y)), np.zeros(len(y))]).astype(int)
    shares = FeatureMatching().fit(X * 1.0, labels).predict(bag * 1.0)
    alone = [FeatureMatching().fit(X * 1.0, labels[:, j]).predict(bag * 1.0)[1] for j in (0, 1)]
    assert_allclose(shares, [*alone, 1, 0], atol=1e-9)


def test_what_hdx_cannot_do_is_an_error_that_says_so():
    fitted = FeatureMatching().fit(ONE, POSITIVE)
    assert not fitted.gives_intervals
    with pytest.raises(ValueError, match="FeatureMatching gives no intervals"):
        fitted.predict_interval(HALF)
    with pytest.raises(ValueError, match="counts features: give the documents, as X"):
        fitted.summarise_scores(np.zeros((3, 1)))
    with pytest.raises(ValueError, match="these scores have none: use fit"):
        FeatureMatching().fit_scores(TrainingScores.given(["a", "b"], ["a", "b"]))


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"words": 0}, "words is 0; a draw has 1 to 20"),
        ({"words": 21}, "words is 21; a draw has 1 to 20"),
        ({"draws": 0}, "draws is 0; there must be at least one"),
    ],
)
def test_an_impossible_draw_is_an_error(params, said):
    with pytest.raises(ValueError, match=said):
        PatternMatching(**params).fit(ONE, POSITIVE)
