"""Means of labellings are better planes than labellings, and never wrong ones."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from quantext.learners import normals, solver
from quantext.learners.ascent import Held, _merge, _nearest, better_mean
from quantext.learners.losses import LOSSES
from quantext.learners.normals import ByNormals
from quantext.learners.oracle import make_oracle
from quantext.learners.products import make_products
from quantext.learners.solver import minimise


def documents(n=1500, d=40, seed=0):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.3
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3)
    X[:, :3] += 0.4 * positive[:, None]
    return sparse.csr_matrix(X), positive


def oracle_of(loss="kld", **data):
    X, positive = documents(**data)
    return make_oracle(make_products(X), positive, LOSSES[loss])


class WithoutMeans(ByNormals):
    """Planes of the oracle alone, one an iteration."""

    def cuts(self, points):
        return [points[0].labelling]

    def add_mean(self, best):
        self.best = best
        return False


def bundle_of(oracle, C, n_planes):
    """The planes of some iterations without any mean."""
    made = []

    def make_bundle(*arguments):
        made.append(WithoutMeans(*arguments))
        return made[0]

    minimise(oracle, C, tol=1e-9, max_iter=n_planes, make_bundle=make_bundle)
    return made[0]


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


def test_a_mean_raises_the_lowest_point_of_the_planes():
    oracle = oracle_of()
    bundle = bundle_of(oracle, 3.0, 4)
    before = bundle.minimum()
    assert ByNormals.add_mean(bundle, bundle.best)
    after = bundle.minimum()
    assert before < after < bundle.best.objective
    # Better than what the oracle's next plane would have done.
    assert bundle_of(oracle, 3.0, 5).minimum() < after


def test_the_same_planes_give_the_same_mean():
    bundle = bundle_of(oracle_of(), 3.0, 4)
    ByNormals.add_mean(bundle, bundle.best)
    other = bundle_of(oracle_of(), 3.0, 4)
    ByNormals.add_mean(other, other.best)
    np.testing.assert_array_equal(bundle.parts[-1], other.parts[-1])
    np.testing.assert_array_equal(bundle.normals, other.normals)


@pytest.mark.parametrize("loss", ["kld", "nkld"])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_mean_is_a_plane_under_the_risk(loss, seed):
    oracle = oracle_of(loss, seed=seed)
    bundle = bundle_of(oracle, 3.0, 6)
    ByNormals.add_mean(bundle, bundle.best)
    part, loss, normal = bundle.parts[-1], bundle.offsets[-1], bundle.normals[-1]
    assert ((part > 0) & (part < 1)).any()
    np.testing.assert_allclose(normal, oracle.weights(part * oracle.signs), atol=1e-13)
    positive = oracle.signs > 0
    shares = np.where(positive, 1 - part.astype(float), part)
    # The labelling of a threshold calls positive what has that share at least.
    levels = np.unique([0.0, 1.0, *shares])
    counts = [np.count_nonzero(shares >= level) for level in levels[1:]]
    assert loss == pytest.approx(np.diff(levels) @ oracle.cost[counts] / oracle.size, rel=1e-12)
    lowest = bundle.budget * bundle.mix @ bundle.normals[: len(bundle.mix)]
    for scale in 10 ** np.linspace(-2, 1, 20):
        w = scale * (lowest + np.random.default_rng(0).normal(size=len(lowest)))
        assert loss - normal @ w <= oracle(oracle.scores(w)).risk + 1e-12


def held_of(oracle, counts):
    """Planes of labellings that call the first documents positive, of equal weights."""
    n, positive = oracle.size, oracle.signs > 0
    parts = [(np.arange(n) < k) != positive for k in counts]
    normals = np.array([oracle.weights(part * oracle.signs) for part in parts])
    return Held(
        np.full(len(counts), 1 / len(counts)),
        np.array([oracle.cost[k] / n for k in counts]),
        normals,
        10.0 * normals @ normals.T,
        parts,
        np.zeros(n),
    )


def test_planes_of_the_same_slope_are_left_for_their_mean():
    # That of no weight is not part of it, and could be confused with it.
    oracle = oracle_of(n=10, d=4)
    held = held_of(oracle, (0, 2, 3, 4))
    held = replace(held, mix=np.array([0.1, 0.0, 0.6, 0.3]))
    alike = np.array([False, True, True, True])
    merged = _merge(held, np.array([0.0, 0.0, 2 / 3, 1 / 3]), alike)
    assert merged.mix.tolist() == pytest.approx([0.1, 0.9])
    assert merged.offsets == pytest.approx([held.offsets[0], held.offsets[2:] @ [2 / 3, 1 / 3]])
    expected = (2 * held.parts[2].astype(float) + held.parts[3]) / 3
    np.testing.assert_allclose(merged.parts[-1], expected)
    np.testing.assert_allclose(merged.hessian, 10 * merged.normals @ merged.normals.T)


def test_there_is_no_mean_where_the_loss_is_not_one_of_counts():
    positive = np.arange(10) < 4
    products = make_products(np.eye(10))
    held = held_of(make_oracle(products, positive, LOSSES["kld"]), (3, 4))
    assert better_mean(make_oracle(products, positive, LOSSES["f1"]), 10.0, held, 1.0) is None


def test_there_is_no_mean_of_labellings_of_two_slopes():
    # One document too few, and one too many: of the absolute error the slopes are −1 and 1.
    oracle = make_oracle(make_products(np.eye(10)), np.arange(10) < 4, LOSSES["ae"])
    assert better_mean(oracle, 10.0, held_of(oracle, (3, 5)), 1.0) is None
    assert better_mean(oracle, 10.0, held_of(oracle, (2, 3)), 1.0) is not None


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


@pytest.mark.parametrize("seed", [10, 33, 49, 117])
@pytest.mark.usefixtures("always")
def test_primal_and_dual_are_true_beside_a_column_of_two_documents(seed):
    # They are in hardly any plane, so that the scores of the first planes do not show them.
    rng, n = np.random.default_rng(seed), 1000
    positive = rng.random(n) < rng.choice([0.05, 0.3])
    X = rng.normal(size=(n, 4))
    X[:, :2] += 0.5 * positive[:, None]
    column = np.zeros(n)
    places = np.flatnonzero(positive)[:2]
    column[places] = 10 ** rng.uniform(9, 12) * rng.normal(size=2)
    C = 10 ** rng.uniform(-1, 1)
    wide = sparse.csr_matrix(np.column_stack([X, column]))
    oracle = make_oracle(make_products(wide), positive, LOSSES["kld"])
    w, solution = minimise(oracle, C, tol=1e-2, max_iter=200)
    value = w @ w / 2 + C * n * oracle(oracle.scores(w)).risk
    assert solution.primal == pytest.approx(value, rel=1e-6)
    assert solution.dual <= value


@pytest.mark.parametrize("loss", ["ae", "rae"])
@pytest.mark.usefixtures("always")
def test_no_means_are_sought_where_the_loss_has_a_kink(loss, monkeypatch):
    monkeypatch.setattr(normals, "better_mean", None)
    _, solution = minimise(oracle_of(loss), 3.0, tol=1e-2, max_iter=1000)
    assert solution.converged


def test_of_many_documents_equally_near_only_so_many_may_move():
    away = np.ones(1000)
    away[[3, 500, 700]] = -np.inf, -np.inf, 0.5
    found = _nearest(away)
    assert {3, 500, 700} < set(found.tolist())
    assert len(found) == 3 + 0.03 * 1000
