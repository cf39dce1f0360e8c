"""AdaptiveCount: what it promises of bags that are easy, odd, large, in parts and saved."""

from functools import reduce
from operator import add

import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.tree import DecisionTreeClassifier

import quantext as qx
from quantext.quantifiers import (
    AdaptiveCount,
    ExpectationMaximization,
    ProbabilisticAdjustedCount,
)
from tests.support.adaptive import given, read

WORDS = 30
KINDS = ["binary", "multiclass", "multilabel"]


def documents(n, rng, p=0.4):
    """Documents of words, the first 5 of which say a class, the next 5 another; and labels."""
    classes = np.column_stack([rng.random(n) < p, rng.random(n) < 0.3])
    shares = np.full((n, WORDS), 0.15)
    shares[:, :5] += 0.5 * classes[:, :1]
    shares[:, 5:10] += 0.5 * classes[:, 1:]
    X = (rng.random((n, WORDS)) < shares) * rng.uniform(0.5, 1, (n, WORDS))
    return sparse.csr_array(X), classes


def labels(kind, classes):
    if kind == "multilabel":
        return classes.astype(int)
    names = np.array(["no", "yes", "else"])
    return names[classes[:, 0] * 1 if kind == "binary" else classes @ [1, 1]]


@pytest.fixture(scope="module")
def normal():
    """Scores of two classes, calibrated but for chance, and how to draw a bag of them."""
    rng = np.random.default_rng(0)
    y = np.arange(4000)[:, None] < 1200

    def draw(n, positives):
        return rng.normal(size=(n, 1)) + 3 * (np.arange(n)[:, None] < positives)

    return draw(4000, 1200), y, draw


def test_many_documents_say_what_corrections_say(normal):
    scores, y, draw = normal
    bag = draw(20_000, 12_000)
    training = given(scores, y)
    p, low, high = read(AdaptiveCount(None).fit_scores(training), bag)
    for other in (ProbabilisticAdjustedCount(None), ExpectationMaximization(None)):
        fitted = other.fit_scores(training)
        assert_allclose(p, fitted.aggregate(fitted.summarise_scores(bag)), atol=0.02)
    assert_allclose(p, [0.4, 0.6], atol=0.015)
    assert low[1] < 0.6 < high[1]


def test_few_documents_say_little_beside_training(normal):
    scores, y, draw = normal
    quantifier = AdaptiveCount(None).fit_scores(given(scores * 0.01 + draw(4000, 0), y))
    p, low, high = read(quantifier, draw(3, 3))
    assert_allclose(p, [0.7, 0.3], atol=0.07)
    assert high[1] - low[1] > 0.5


def test_wrong_level_and_empty_bag_are_errors(normal):
    scores, y, draw = normal
    quantifier = AdaptiveCount(None).fit_scores(given(scores, y))
    summary = quantifier.summarise_scores(draw(5, 2))
    with pytest.raises(ValueError, match="level"):
        quantifier.interval(summary, 95)
    empty = quantifier.summarise_scores(np.zeros((0, 1)))
    with pytest.raises(ValueError, match="empty"):
        quantifier.aggregate_interval(empty)


def test_estimate_and_interval_together_are_those_one_by_one(normal):
    scores, y, draw = normal
    quantifier = AdaptiveCount(None).fit_scores(given(scores, y))
    summary = quantifier.summarise_scores(draw(50, 20))
    p, low, high = quantifier.aggregate_interval(summary, 0.8)
    assert_array_equal(p, quantifier.aggregate(summary))
    assert_array_equal([low, high], quantifier.interval(summary, 0.8))


def test_swapping_two_classes_swaps_estimate_and_interval(normal):
    scores, y, draw = normal
    bag = draw(300, 200)
    p, low, high = read(AdaptiveCount(None).fit_scores(given(scores, y)), bag)
    swapped = read(AdaptiveCount(None).fit_scores(given(-scores, ~y)), -bag)
    assert_allclose([own[::-1] for own in swapped], [p, low, high], atol=1e-9)


@pytest.mark.parametrize("kind", ["multiclass", "multilabel"])
def test_order_of_classes_does_not_matter(kind):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 4, 200)[:, None] == np.arange(4)
    if kind == "multilabel":
        y |= rng.random((200, 4)) < 0.2
    scores, bag = rng.normal(size=(200, 4)) + 2 * y, rng.normal([2, 0, 0, 0], size=(90, 4))
    order = [2, 0, 3, 1]
    first = read(AdaptiveCount(None).fit_scores(given(scores, y, kind)), bag)
    second = read(
        AdaptiveCount(None).fit_scores(given(scores[:, order], y[:, order], kind)), bag[:, order]
    )
    # Sums in single precision depend on their order.
    assert_allclose(second, np.array(first)[:, order], atol=1e-6)


@pytest.fixture(scope="module", params=KINDS)
def fitted(request):
    rng = np.random.default_rng(0)
    X, classes = documents(300, rng)
    quantifier = AdaptiveCount(qx.LinearSVM(C=0.3), folds=5)
    return quantifier.fit(X, labels(request.param, classes)), documents(80, rng, 0.7)[0]


def test_summaries_are_small_and_add_up_exactly(fitted):
    quantifier, bag = fitted
    whole = quantifier.summarise(bag)
    assert reduce(add, map(quantifier.summarise, (bag[:1], bag[1:30], bag[30:]))) == whole
    assert quantifier.summarise_scores(quantifier.rows(bag), bag) == whole


def test_a_summary_of_twelve_classes_is_below_100_kb():
    rng = np.random.default_rng(0)
    X = sparse.random(400, 12_000, 0.02, format="csr", random_state=0)
    Y = (rng.random((400, 12)) < 0.3).astype(int)
    quantifier = AdaptiveCount(qx.LinearSVM(C=0.3), folds=2).fit(X, Y)
    [(histogram, words)] = quantifier.summarise(X[:50]).counts
    assert len(words) == 10_000
    assert histogram.nbytes + words.nbytes < 100_000


def test_a_dense_bag_is_that_of_a_sparse_one(fitted):
    quantifier, bag = fitted
    expected = quantifier.summarise(bag)
    assert quantifier.summarise(bag.toarray()) == expected
    for other in (sparse.csc_array(bag), bag.astype(np.float32).astype(np.float64)):
        assert quantifier.summarise(other).size == expected.size


def test_dense_training_documents_have_no_words_whatever_the_bag():
    rng = np.random.default_rng(0)
    X, classes = documents(200, rng)
    quantifier = AdaptiveCount(LogisticRegression(), folds=5).fit(X.toarray(), classes[:, 0])
    bag, _ = documents(50, rng)
    summary = quantifier.summarise(bag)
    assert summary == quantifier.summarise(bag.toarray())
    assert quantifier.explain(summary).words == ()


def test_a_dask_bag_is_that_in_memory(fitted):
    quantifier, bag = fitted
    chunks = da.from_array(bag.toarray(), chunks=(30, 10))
    assert quantifier.summarise(chunks) == quantifier.summarise(bag)


def test_without_the_documents_of_a_bag_nothing_is_known_of_a_change(fitted):
    quantifier, bag = fitted
    summary = quantifier.summarise_scores(quantifier.rows(bag))
    explained = quantifier.explain(summary)
    assert explained.words == ()
    assert (explained.change <= quantifier.explain(quantifier.summarise(bag)).change).all()
    read(quantifier, quantifier.rows(bag))


def test_a_bag_without_any_word_has_an_estimate(fitted):
    quantifier, bag = fitted
    empty = sparse.csr_array(bag.shape)
    read(quantifier, quantifier.rows(empty), empty)


def test_words_that_no_training_document_has_do_no_harm():
    X = sparse.csr_array((40, 3))
    y = np.arange(40) < 15
    quantifier = AdaptiveCount(LogisticRegression(), folds=2).fit(X, y)
    bag = sparse.csr_array(np.ones((5, 3)))
    read(quantifier, quantifier.rows(bag), bag)


def test_planted_words_explain_the_change(fitted):
    quantifier, bag = fitted
    planted = bag.toarray()
    planted[:, 1] = 0.75  # this one is in every document,
    planted[:, 7] = 0.0  # and this one in none
    before = quantifier.explain(quantifier.summarise(bag))
    summary = quantifier.summarise(sparse.csr_array(planted))
    explained = quantifier.explain(summary, most=2)
    assert explained.change.max() > before.change.max()
    assert len(explained.words) == 2
    assert 1 in [word.column for word in explained.words]
    features = quantifier.scores_.features
    for word in explained.words:
        assert word.share == (planted[:, word.column] != 0).mean()
        assert word.train == features.total_documents[word.column] / 300
        assert 0 <= word.expected <= 1
    assert explained.words[0].weight >= explained.words[1].weight > 0
    p_hat = quantifier.aggregate(summary)
    assert_array_equal(quantifier.explain(summary, p_hat=p_hat).change, explained.change)


@pytest.mark.parametrize(
    "classifier",
    [
        LogisticRegression(),
        MultinomialNB(),
        DecisionTreeClassifier(max_depth=3),
        qx.StructuralSVM("kld"),
    ],
    ids=["logistic", "bayes", "tree", "svm_kld"],
)
@pytest.mark.parametrize("kind", KINDS)
def test_any_classifier_will_do(classifier, kind):
    rng = np.random.default_rng(0)
    X, classes = documents(200, rng)
    quantifier = AdaptiveCount(classifier, folds=4).fit(X, labels(kind, classes))
    bag = documents(60, rng, 0.7)[0]
    read(quantifier, quantifier.rows(bag), bag)
    [learned] = quantifier.learned_
    assert learned.words is not None
    assert learned.words.weights.any()


def test_ridge_regression_finds_the_words_that_a_tree_looks_at():
    rng = np.random.default_rng(0)
    X, _ = documents(300, rng)
    y = X[:, [3]].toarray()[:, 0] > 0
    quantifier = AdaptiveCount(DecisionTreeClassifier(max_depth=2), folds=4).fit(X, y)
    [learned] = quantifier.learned_
    assert learned.words.columns[learned.words.weights[0].argmax()] == 3


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_model_says_the_same(kind, tmp_path):
    rng = np.random.default_rng(0)
    X, classes = documents(150, rng)
    quantifier = AdaptiveCount(qx.LinearSVM(C=0.3), folds=4).fit(X, labels(kind, classes))
    qx.save(quantifier, tmp_path / "model")
    again = qx.load(tmp_path / "model")
    summary = quantifier.summarise(documents(60, rng, 0.8)[0])
    pairs = zip(again.aggregate_interval(summary), quantifier.aggregate_interval(summary),
                strict=True)  # fmt: skip
    for own, expected in pairs:
        assert_array_equal(own, expected)
    explained, expected = again.explain(summary), quantifier.explain(summary)
    assert explained.words == expected.words
    assert_array_equal(explained.change, expected.change)


def test_texts_in_a_stream_are_those_in_memory():
    rng = np.random.default_rng(0)
    vocabulary = np.array(["battery", "screen", "price", "camera", "charger", "display"])
    y = np.repeat([0, 1], [60, 40])
    texts = [" ".join(rng.choice(vocabulary, 4, p=np.roll([0.4, 0.2, 0.1, 0.1, 0.1, 0.1], 3 * c)))
             for c in y]  # fmt: skip
    model = qx.TextQuantifier(AdaptiveCount(qx.LinearSVM(C=0.3), folds=4)).fit(texts, y)
    at_once = model.quantifier_.summarise(model.vectorizer_.transform(texts))
    assert model.summarise(iter(texts)) == at_once
    assert reduce(add, map(model.summarise, (texts[:7], texts[7:]))) == at_once
    p, low, high = model.aggregate_interval(at_once)
    assert_array_equal(p, model.predict(texts))
    assert_array_equal([low, high], model.predict_interval(texts))
