"""Means of labellings are better planes than labellings, and never wrong ones."""

import numpy as np
import pytest
from scipy import sparse

from quantext.learners import solver
from quantext.learners.ascent import Held, better_mean
from quantext.learners.losses import LOSSES
from quantext.learners.oracle import make_oracle
from quantext.learners.products import make_products
from quantext.learners.solver import Bundle, minimise


def documents(n=1500, d=40, seed=0):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.3
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3)
    X[:, :3] += 0.4 * positive[:, None]
    return sparse.csr_matrix(X), positive


def oracle_of(loss="kld", **data):
    X, positive = documents(**data)
    return make_oracle(make_products(X), positive, LOSSES[loss])


def bundle_of(oracle, C, n_planes):
    """The planes of some iterations without any mean, and the best objective."""
    made = []

    def make_bundle(*arguments):
        made.append(Bundle(*arguments))
        return made[0]

    _, solution = minimise(oracle, C, tol=1e-9, max_iter=n_planes, make_bundle=make_bundle)
    return made[0], solution


@pytest.fixture(name="by_hand")
def normals_are_kept_and_the_tests_ascend(monkeypatch):
    monkeypatch.setattr(solver, "_MANY", 1)
    monkeypatch.setattr(solver, "_FIRST_ASCENT", 10**9)


@pytest.fixture(name="always")
def ascents_for_few_documents_too(monkeypatch):
    monkeypatch.setattr(solver, "_MANY", 1)


@pytest.mark.parametrize("loss", ["kld", "nkld", "ae", "rae", "f1", "error_rate"])
@pytest.mark.usefixtures("always")
def test_the_certificate_is_as_true_with_means(loss):
    oracle, C = oracle_of(loss), 3.0
    w, solution = minimise(oracle, C, tol=1e-3, max_iter=2000)
    assert solution.converged
    value = w @ w / 2 + C * oracle.size * oracle(oracle.scores(w)).risk
    assert solution.primal == pytest.approx(value, rel=1e-9)
    assert solution.gap <= 1e-3 * solution.primal


@pytest.mark.parametrize("loss", ["kld", "nkld", "ae", "rae"])
def test_the_optimum_is_the_same_with_means_and_without(loss, monkeypatch):
    oracle = oracle_of(loss, seed=1)
    _, without = minimise(oracle, 3.0, tol=1e-4, max_iter=3000)
    monkeypatch.setattr(solver, "_MANY", 1)
    _, with_means = minimise(oracle, 3.0, tol=1e-4, max_iter=3000)
    assert without.dual <= with_means.primal
    assert with_means.dual <= without.primal
    if loss == "kld":
        assert with_means.n_iter < without.n_iter / 2


@pytest.mark.usefixtures("by_hand")
def test_a_mean_raises_the_lowest_point_of_the_planes():
    oracle = oracle_of()
    bundle, solution = bundle_of(oracle, 3.0, 4)
    before = bundle.minimum()
    mean = better_mean(oracle, bundle.budget, bundle.held(), solution.primal)
    bundle.add(mean)
    after = bundle.minimum()
    assert before < after < solution.primal
    # Better than what the oracle's next plane would have done.
    more, _ = bundle_of(oracle, 3.0, 5)
    assert more.minimum() < after


@pytest.mark.usefixtures("by_hand")
def test_the_same_planes_give_the_same_mean():
    oracle = oracle_of()
    bundle, solution = bundle_of(oracle, 3.0, 4)
    bundle.minimum()
    one, two = (
        better_mean(oracle, bundle.budget, bundle.held(), solution.primal) for _ in range(2)
    )
    np.testing.assert_array_equal(one.coefficients, two.coefficients)
    assert one.loss == two.loss


def test_there_is_no_mean_where_the_loss_is_not_one_of_counts():
    oracle = oracle_of("f1")
    bundle, solution = bundle_of(oracle, 3.0, 4)
    assert better_mean(oracle, bundle.budget, bundle.held(), solution.primal) is None


def test_there_is_no_mean_of_labellings_of_two_slopes():
    # One document too few, and one too many: of the absolute error the slopes are −1 and 1.
    positive = np.arange(10) < 4
    oracle = make_oracle(make_products(np.eye(10)), positive, LOSSES["ae"])
    few = [oracle.mean(np.where(np.arange(10) < k, 1.0, 0.0)) for k in (3, 5)]
    planes = [oracle.plane(own) for own in few]
    held = Held(
        np.array([0.5, 0.5]),
        np.array([plane.offset for plane in planes]),
        np.array([plane.normal for plane in planes]),
        [own.part for own in few],
        lambda: np.zeros(10),
    )
    assert better_mean(oracle, 10.0, held, 1.0) is None


@pytest.mark.parametrize("scale", [1e3, 1e6, 1e9])
@pytest.mark.usefixtures("always")
def test_primal_and_dual_are_true_beside_a_column_of_any_scale(scale):
    X, positive = documents(n=300, d=5)
    times = scale * np.random.default_rng(1).uniform(1.5, 1.7, 300)
    wide = make_products(np.column_stack([X.toarray(), times]))
    oracle = make_oracle(wide, positive, LOSSES["kld"])
    w, solution = minimise(oracle, 8.0, tol=1e-2, max_iter=60)
    value = w @ w / 2 + 8.0 * oracle.size * oracle(oracle.scores(w)).risk
    assert solution.primal == pytest.approx(value, rel=1e-9)
    without = make_oracle(make_products(X), positive, LOSSES["kld"])
    others, _ = minimise(without, 8.0, tol=1e-2, max_iter=200)
    known = np.insert(others, 5, 0.0)
    value = known @ known / 2 + 8.0 * oracle.size * oracle(oracle.scores(known)).risk
    assert solution.dual <= min(value, solution.primal)
    assert solution.converged or solution.unscaled == 5
