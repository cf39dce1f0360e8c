"""Ten and twenty classes, in bags whose shares are drawn uniformly: every method says something."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_digits

from quantext.experiments.drawing import UniformShares, draw
from quantext.models.methods import METHODS
from quantext.quantifiers import Quantifier, TrainingPrevalence
from quantext.scores.training import score_training

SIZE, BAGS, FOLDS = 200, 25, 5
FEWER = {"n_members": 3, "quantifier__folds": FOLDS, "classifier__n_trees": 10, "draws": 100}
MANY_CLASSES = [name for name, entry in METHODS.items() if "multiclass" in entry.kinds]


@dataclass(frozen=True, eq=False)
class Documents:
    """Training documents, others, and bags of these with their true shares."""

    X_train: np.ndarray
    y_train: np.ndarray
    X: np.ndarray
    bags: list[np.ndarray]
    p_true: np.ndarray

    def error(self, p_hat):
        """Mean absolute error over bags and classes."""
        return np.abs(p_hat - self.p_true).mean()

    @property
    def drift(self):
        """What it is to say the training prevalence of every bag."""
        return self.error(TrainingPrevalence().fit(self.X_train, self.y_train).prevalence_)


def divided(X, y):
    """Half of the documents to train with, half to draw bags from."""
    rng = np.random.default_rng(0)
    train, rest = np.array_split(rng.permutation(len(y)), 2)
    members = {str(k): np.flatnonzero(y[rest] == k) for k in np.unique(y)}
    bags, counts = draw(UniformShares(BAGS), members, SIZE, rng)
    return Documents(X[train], y[train], X[rest], bags, counts / SIZE)


@cache
def digits():
    """Images of ten digits, a pixel from 0 to 1 each."""
    X, y = load_digits(return_X_y=True)
    return divided(X / 16, y)


@cache
def twenty():
    """Documents of 20 classes: each has three words of its own, and the others' now and then.

    A linear classifier is right on six of ten.
    """
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(20), 150)
    rates = np.where(np.repeat(np.eye(20, dtype=bool), 3, axis=1)[y], 1.3, 0.3)
    X = rng.poisson(rates).astype(np.float64)
    X[np.arange(len(y)), rng.integers(0, 60, len(y))] += 1  # none is empty
    return divided(X / np.linalg.norm(X, axis=1, keepdims=True), y)


DATA = {"digits": digits, "twenty": twenty}


@cache
def shared_scores(data, name):
    """Scores of a method's classifier, made once for all methods that have the same."""
    documents, quantifier = DATA[data](), METHODS[name].make()
    return score_training(
        quantifier.classifier,
        documents.X_train,
        documents.y_train,
        folds=FOLDS if quantifier.needs_folds else 0,
        features=quantifier.counts_features,
    )


def first_of_its_kind(quantifier):
    """The first method with the same scores, by which they are kept."""

    def kind(other):
        own = repr(getattr(other, "classifier", None))
        return own, type(other).represent, other.needs_folds, other.counts_features

    return next(name for name in MANY_CLASSES if kind(METHODS[name].make()) == kind(quantifier))


def fitted(data, name):
    """The method, with fewer folds, members, trees and draws than usual."""
    quantifier = METHODS[name].make()
    own = quantifier.get_params()
    quantifier.set_params(**{key: value for key, value in FEWER.items() if key in own})
    if type(quantifier).represent is Quantifier.represent:
        scores = shared_scores(data, first_of_its_kind(METHODS[name].make()))
        return quantifier.fit_scores(scores)
    if own.get("folds"):
        quantifier.set_params(folds=FOLDS)
    return quantifier.fit(DATA[data]().X_train, DATA[data]().y_train)


@pytest.mark.slow
@pytest.mark.parametrize("name", MANY_CLASSES)
@pytest.mark.parametrize("data", DATA)
def test_method_says_more_than_the_training_prevalence(data, name):
    documents, quantifier = DATA[data](), fitted(data, name)
    p_hat = quantifier.estimate_bags(quantifier.rows(documents.X), documents.bags, documents.X)
    assert p_hat.shape == documents.p_true.shape
    assert (p_hat >= 0).all()
    np.testing.assert_allclose(p_hat.sum(axis=1), 1, rtol=0, atol=1e-9)
    if isinstance(quantifier, TrainingPrevalence):
        assert documents.error(p_hat) == pytest.approx(documents.drift)
    else:
        assert documents.error(p_hat) < documents.drift
