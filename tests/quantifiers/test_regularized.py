"""Regularised maximum likelihood, worked by hand, and its certificate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from quantext.quantifiers import ExpectationMaximization, RegularizedLikelihood
from quantext.quantifiers.regularized import maximize_likelihood
from tests.support.ten_documents import HALF, TWO, three_classes


def test_a_penalty_moves_a_certain_count_as_far_as_the_derivative_says():
    # Of four documents three are surely positive. −¾/p + ¼/(1−p) + 2τ(p − ½) is zero at p = 0.7 if
    tau = (0.75 / 0.7 - 0.25 / 0.3) / (2 * (0.7 - 0.5))
    half, root = np.full(2, 0.5), np.sqrt(tau)
    found = maximize_likelihood(
        np.eye(2), np.array([0.25, 0.75]), half, root * np.eye(2), root * half
    )
    assert_allclose(found.p, [0.3, 0.7], atol=1e-8)
    assert found.converged
    assert found.gap <= 1e-12


@given(st.integers(0, 10_000), st.integers(2, 6), st.sampled_from([0.0, 0.1, 10.0]))
@settings(max_examples=40, deadline=None)
def test_no_prevalence_is_better_than_the_certificate_allows(seed, classes, tau):
    rng = np.random.default_rng(seed)
    likelihoods = rng.dirichlet(np.full(classes, 0.3), 20) + 1e-6
    weights, start = rng.dirichlet(np.ones(20)), rng.dirichlet(np.ones(classes))
    pulls = np.sqrt(tau) * np.diff(np.eye(classes), axis=0)

    def value(p):
        return ((pulls @ p) ** 2).sum() / 2 - weights @ np.log(likelihoods @ p)

    found = maximize_likelihood(likelihoods, weights, start, pulls, np.zeros(classes - 1))
    assert found.converged
    for other in rng.dirichlet(np.full(classes, 0.5), 50):
        near = 0.99 * found.p + 0.01 * other
        assert min(value(other), value(near)) >= value(found.p) - found.gap - 1e-12


def rml(**params):
    return RegularizedLikelihood(None, **params).fit_scores(TWO).predict(BAG)


BAG = np.array(HALF, dtype=float)[:, None]


def test_without_a_penalty_it_is_emq():
    emq = ExpectationMaximization(None).fit_scores(TWO).predict(BAG)
    assert_allclose(rml(tau=0), emq, atol=1e-9)


def test_a_large_penalty_leaves_the_training_prevalence_or_equal_shares():
    fitted = RegularizedLikelihood(None, tau=1e6).fit_scores(TWO)
    assert_allclose(fitted.predict(BAG), fitted.learned_[0].prior, atol=1e-5)
    assert_allclose(rml(tau=1e6, penalty="ordered"), [0.5, 0.5], atol=1e-5)


def test_neighbours_in_order_become_alike():
    y = np.repeat([0, 1, 2], 20)
    scores = three_classes(4.0 * np.eye(3)[y] - 2, y)
    bag = 4.0 * np.eye(3)[[0] * 9 + [2]] - 2
    free, even = (
        RegularizedLikelihood(None, penalty="ordered", tau=tau).fit_scores(scores).predict(bag)
        for tau in (0.0, 1.0)
    )
    assert np.square(np.diff(even)).sum() < 0.8 * np.square(np.diff(free)).sum()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"tau": -1}, "tau is -1; it is a weight, 0 or more"),
        ({"penalty": "odd"}, "penalty 'odd' is unknown; choose training or ordered"),
        (
            {"posteriors": "odd"},
            "posteriors 'odd' is unknown; choose calibrated, logistic or bias-corr",
        ),
    ],
)
def test_a_parameter_that_means_nothing_is_an_error(params, message):
    with pytest.raises(ValueError, match=message):
        rml(**params)
