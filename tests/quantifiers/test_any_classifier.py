"""Any classifier of scikit-learn's, with several classes: it is counted as it predicts."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from quantext.models.train import quality
from quantext.quantifiers import (
    AdaptiveCount,
    AdjustedCount,
    ClassifyAndCount,
    ExpectationMaximization,
    MedianSweep,
    MixtureModel,
    ProbabilisticAdjustedCount,
    ProbabilisticCount,
    ThresholdCount,
)

NAMES = np.array(["news", "sport", "arts", "weather"])
WORDS = {
    "news": "vote law court minister street bank",
    "sport": "goal match team court street win",
    "arts": "film paint stage bank win music",
    "weather": "rain wind sun street stage cloud",
}


def make_texts(n, seed, p=(0.4, 0.3, 0.2, 0.1)):
    """Texts of four words each, some of which several classes have, and their classes."""
    rng = np.random.default_rng(seed)
    y = rng.choice(NAMES, size=n, p=p)
    return [" ".join(rng.choice(WORDS[label].split(), 4)) for label in y], y


def make_vectors(n, seed, p=(0.4, 0.3, 0.2, 0.1)):
    """Embeddings of six numbers in single precision, classes of which overlap."""
    rng = np.random.default_rng(seed)
    codes = rng.choice(4, size=n, p=p)
    X = rng.normal(size=(n, 6)) + 2 * (codes[:, None] == np.arange(6))
    return X.astype(np.float32), NAMES[codes]


def counts(vectorizer, documents):
    texts, y = documents
    return vectorizer.transform(texts), y


VOCABULARY = CountVectorizer().fit(WORDS.values())
MADE = {
    "vectors": (make_vectors(200, 0), make_vectors(150, 1, (0.1, 0.2, 0.3, 0.4))),
    "words": tuple(
        counts(VOCABULARY, documents)
        for documents in (make_texts(200, 0), make_texts(150, 1, (0.1, 0.2, 0.3, 0.4)))
    ),
    "texts": (make_texts(200, 0), make_texts(150, 1, (0.1, 0.2, 0.3, 0.4))),
}
WITH_POSTERIORS = [
    (LogisticRegression(), "vectors"),
    (LogisticRegression(), "words"),
    (GaussianNB(), "vectors"),
    (MultinomialNB(), "words"),
    (ComplementNB(), "words"),
    (HistGradientBoostingClassifier(max_iter=5), "vectors"),
    (GradientBoostingClassifier(n_estimators=5, random_state=0), "vectors"),
    (RandomForestClassifier(9, random_state=0), "words"),
    (KNeighborsClassifier(4), "vectors"),
    (DecisionTreeClassifier(max_depth=3, random_state=0), "vectors"),
    (SGDClassifier(loss="log_loss", random_state=0), "words"),
    (make_pipeline(TfidfVectorizer(), LogisticRegression()), "texts"),
    (make_pipeline(CountVectorizer(), MultinomialNB()), "texts"),
]
WITHOUT = [
    (RidgeClassifier(), "vectors"),
    (LinearSVC(), "words"),
    (make_pipeline(TfidfVectorizer(), LinearSVC()), "texts"),
]


def name(value):
    steps = getattr(value, "steps", [("", value)])
    return value if isinstance(value, str) else "+".join(type(step).__name__ for _, step in steps)


@pytest.mark.parametrize(("classifier", "form"), WITH_POSTERIORS + WITHOUT, ids=name)
def test_count_is_that_of_the_classifiers_own_predictions(classifier, form):
    (X, y), (bag, _) = MADE[form]
    shares = ClassifyAndCount(classifier).fit(X, y).predict(bag)
    predicted = clone(classifier).fit(X, y).predict(bag)
    assert_array_equal(shares, [np.mean(predicted == label) for label in sorted(NAMES)])


@pytest.mark.parametrize(("classifier", "form"), WITH_POSTERIORS, ids=name)
def test_logistic_posteriors_are_the_classifiers_own(classifier, form):
    (X, y), (bag, _) = MADE[form]
    quantifier = ProbabilisticCount(classifier, posteriors="logistic", folds=0).fit(X, y)
    expected = clone(classifier).fit(X, y).predict_proba(bag).mean(axis=0)
    # To single precision, in which scikit-learn computes with embeddings.
    assert_allclose(quantifier.predict(bag), expected, atol=1e-6 if form == "vectors" else 1e-12)


def test_frozen_classifier_is_counted_as_it_predicts_too():
    (X, y), (bag, _) = MADE["words"]
    model = LogisticRegression().fit(X[:100], y[:100])
    counted = ClassifyAndCount(FrozenEstimator(model)).fit(X[100:], y[100:]).predict(bag)
    assert_array_equal(counted, [np.mean(model.predict(bag) == label) for label in sorted(NAMES)])
    averaged = ProbabilisticCount(FrozenEstimator(model), posteriors="logistic", folds=0)
    averaged.fit(X[100:], y[100:])
    assert_allclose(averaged.predict(bag), model.predict_proba(bag).mean(axis=0), atol=1e-12)


@pytest.mark.parametrize("form", [list, np.array, pl.Series], ids=["list", "array", "polars"])
def test_texts_may_come_in_any_form(form):
    (texts, y), (bag, _) = MADE["texts"]
    classifier = make_pipeline(TfidfVectorizer(), LogisticRegression())
    quantifier = AdjustedCount(classifier, folds=3).fit(form(texts), form(list(y)))
    expected = AdjustedCount(classifier, folds=3).fit(texts, y).predict(bag)
    assert_array_equal(quantifier.predict(form(bag)), expected)


@pytest.mark.parametrize("labels", [[10, -3, 7, 0], [2.0, 1.0, 4.0, 3.0], list("dbac")], ids=str)
def test_labels_of_any_type_are_only_names(labels):
    (X, y), (bag, _) = MADE["words"]
    codes = np.searchsorted(np.sort(NAMES), y)
    renamed = np.sort(np.array(labels))[codes]
    shares = ClassifyAndCount(LogisticRegression()).fit(X, y).predict(bag)
    again = ClassifyAndCount(LogisticRegression()).fit(X, renamed)
    assert again.classes_.tolist() == sorted(labels)
    assert_array_equal(again.predict(bag), shares)


METHODS = [
    ClassifyAndCount,
    ProbabilisticCount,
    AdjustedCount,
    ProbabilisticAdjustedCount,
    ExpectationMaximization,
    ThresholdCount,
    MedianSweep,
    MixtureModel,
    AdaptiveCount,
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("classifier", "form"),
    [
        (LogisticRegression(), "words"),
        (MultinomialNB(), "words"),
        (GradientBoostingClassifier(n_estimators=5, random_state=0), "vectors"),
        (make_pipeline(TfidfVectorizer(), LogisticRegression()), "texts"),
    ],
    ids=name,
)
def test_every_method_follows_the_bag_with_any_classifier(method, classifier, form):
    (X, y), (bag, truth) = MADE[form]
    quantifier = method(classifier, folds=3).fit(X, y)
    shares, p_true = quantifier.predict(bag), np.mean(truth[:, None] == np.sort(NAMES), axis=0)
    assert_allclose(shares.sum(), 1)
    # No method stays where training was, not even one that does not correct.
    moved = np.abs(quantifier.prevalence_ - p_true).sum()
    assert np.abs(shares - p_true).sum() < 0.9 * moved
    low, high = quantifier.predict_interval(bag, replicates=20)
    assert (low <= high).all()


def test_quality_is_that_of_the_classifiers_own_predictions():
    (X, y), _ = MADE["words"]
    table = quality(AdjustedCount(FrozenEstimator(MultinomialNB().fit(X, y))).fit(X, y))
    right = MultinomialNB().fit(X, y).predict(X) == y
    assert_allclose(table["tpr"], [right[y == label].mean() for label in sorted(NAMES)])


class Posteriors(ClassifierMixin, BaseEstimator):
    """A classifier whose posteriors are the documents themselves."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(X, dtype=float)


def test_counting_by_hand():
    X = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8], [0.4, 0.5, 0.1]])
    X, y = np.repeat(X, 2, axis=0), list("aabbccaa")  # so that each fold has learned all classes
    bag = np.array([[0.5, 0.4, 0.1], [0.4, 0.5, 0.1], [0.0, 0.0, 1.0], [0.3, 0.7, 0.0]])
    counted = ClassifyAndCount(Posteriors()).fit(X, y)
    assert_array_equal(counted.predict(bag), [0.25, 0.5, 0.25])
    averaged = ProbabilisticCount(Posteriors(), posteriors="logistic", folds=2).fit(X, y)
    assert_allclose(averaged.predict(bag), [0.3, 0.4, 0.3], atol=1e-12)
    # a is put in a and in b, one half each; b always in b, c in c: so both in b are from a.
    corrected = AdjustedCount(Posteriors(), folds=2).fit(X, y)
    assert_allclose(corrected.learned_[0], [[0.5, 0, 0], [0.5, 1, 0], [0, 0, 1]])
    assert_allclose(corrected.predict(bag), [0.5, 0.25, 0.25], atol=1e-6)
    # Mean posteriors of the classes: a (0.5, 0.4, 0.1), b (0.2, 0.5, 0.3), c (0.1, 0.1, 0.8).
    soft = ProbabilisticAdjustedCount(Posteriors(), posteriors="logistic", folds=2).fit(X, y)
    means = np.array([[0.5, 0.2, 0.1], [0.4, 0.5, 0.1], [0.1, 0.3, 0.8]])
    assert_allclose(soft.learned_[0][1], means, atol=1e-12)
    even = soft.predict(means.T)  # a bag with as much of each
    assert_allclose(even, [1 / 3, 1 / 3, 1 / 3], atol=1e-6)


def test_sparse_and_dense_words_give_the_same_estimate():
    (X, y), (bag, _) = MADE["words"]
    assert sparse.issparse(X)
    of_sparse = AdjustedCount(LogisticRegression(), folds=3).fit(X, y).predict(bag)
    of_dense = AdjustedCount(LogisticRegression(), folds=3).fit(X.toarray(), y)
    assert_allclose(of_dense.predict(bag.toarray()), of_sparse, atol=1e-6)
