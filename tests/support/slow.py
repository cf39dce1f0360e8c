"""Slow and plain: what matching methods should find, by definition and by a general solver."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from quantext.scores.training import TrainingScores


def scored(n_classes, seed, n=150, size=80):
    """Out-of-fold scores, and those of a bag in which the first class is frequent."""
    rng = np.random.default_rng(seed)
    share = np.append(0.6, np.full(n_classes - 1, 0.4 / (n_classes - 1)))

    def draw(p, n):
        y = rng.choice(n_classes, n, p=p)
        return y, rng.normal(size=(n, n_classes)) + 2 * (y[:, None] == np.arange(n_classes))

    y, scores = draw(np.full(n_classes, 1 / n_classes), n)
    _, bag = draw(share, size)
    classes = np.arange(n_classes)
    if n_classes == 2:
        scores, bag = scores[:, 1:] - scores[:, :1], bag[:, 1:] - bag[:, :1]
        return TrainingScores(np.asarray, scores, (y == 1)[:, None], 0.0, classes, "binary"), bag
    labels = y[:, None] == classes
    return TrainingScores(np.asarray, scores, labels, 0.0, classes, "multiclass"), bag


def posteriors(scores):
    """Of each class, by the bare conversion."""
    own = expit(scores)
    if scores.shape[1] == 1:
        return np.hstack([1 - own, own])
    return own / own.sum(axis=1, keepdims=True)


def by_class(training):
    """Posteriors of the training documents of each class."""
    own = posteriors(training.out_of_fold)
    y = training.y[:, 0].astype(int) if training.kind == "binary" else training.y.argmax(axis=1)
    return [own[y == k] for k in range(own.shape[1])]


def kernels(a, b, width):
    """Gaussian kernel of each of a with each of b."""
    return np.exp(-np.square(a[:, None] - b).sum(axis=2) / (2 * width**2))


def minimised(value, n_classes):
    """Prevalence of the least value, by a general solver from several starts."""
    starts = [np.full(n_classes, 1 / n_classes), *np.random.default_rng(0).dirichlet(
        np.ones(n_classes), 3)]  # fmt: skip
    found = [
        minimize(
            lambda p: value(np.maximum(p, 1e-12)),
            start,
            method="SLSQP",
            bounds=[(0, 1)] * n_classes,
            constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
            options={"ftol": 1e-15, "maxiter": 500},
        )
        for start in starts
    ]
    return min(found, key=lambda result: result.fun).x
