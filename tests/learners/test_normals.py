"""Planes kept as normals, and a start from a part: the same optimum, and no wrong certificate."""

import numpy as np
import pytest
from scipy import sparse

from quantext.learners import normals, solver
from quantext.learners.bundle import ByScores
from quantext.learners.losses import LOSSES
from quantext.learners.normals import ByNormals
from quantext.learners.oracle import make_oracle
from quantext.learners.products import make_products
from quantext.learners.solver import minimise


def oracle_of(loss="kld", n=2000, share=0.3, d=30, seed=0):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < share
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.4)
    X[:, :4] += 0.4 * positive[:, None]
    return make_oracle(make_products(sparse.csr_matrix(X)), positive, LOSSES[loss])


def objective(oracle, C, w):
    return w @ w / 2 + C * oracle.size * oracle(oracle.scores(w)).risk


@pytest.mark.parametrize("loss", ["kld", "nkld", "ae", "rae"])
def test_the_optimum_is_the_same_however_planes_are_kept(loss):
    oracle = oracle_of(loss)
    _, one = minimise(oracle, 2.0, tol=1e-4, max_iter=3000, make_bundle=ByScores)
    w, other = minimise(oracle, 2.0, tol=1e-4, max_iter=3000, make_bundle=ByNormals)
    assert one.converged
    assert other.converged
    assert one.dual <= other.primal
    assert other.dual <= one.primal
    assert other.primal == pytest.approx(objective(oracle, 2.0, w), rel=1e-9)


def test_the_weights_of_a_part_are_a_good_start_and_not_more(monkeypatch):
    oracle = oracle_of()
    w, cold = minimise(oracle, 2.0, tol=1e-3, max_iter=500, make_bundle=ByNormals)
    monkeypatch.setattr(solver, "_MANY", 1000)
    seen = []
    w, warm = minimise(oracle, 2.0, tol=1e-3, max_iter=500, callback=seen.append)
    assert warm.converged
    assert warm.primal == pytest.approx(objective(oracle, 2.0, w), rel=1e-9)
    assert warm.primal == pytest.approx(cold.primal, rel=2e-3)
    assert len(seen) == warm.n_iter  # those of the part are its own
    part = oracle.part(np.arange(0, oracle.size, 2))
    known, _ = minimise(part, 2.0 * 2, tol=0.1, max_iter=100)
    origin = oracle(np.zeros(oracle.size)).risk * 2.0 * oracle.size
    assert ByNormals(oracle, 2.0 * oracle.size, known).begin().objective < origin / 4


@pytest.mark.parametrize("worth", [0.0, -1.0, 1e6])
def test_a_bad_start_is_left(worth):
    oracle = oracle_of()
    _, plain = minimise(oracle, 2.0, tol=1e-3, max_iter=500)
    known = worth * np.random.default_rng(0).normal(size=31)

    def make_bundle(oracle, budget):
        return ByNormals(oracle, budget, known)

    w, found = minimise(oracle, 2.0, tol=1e-3, max_iter=500, make_bundle=make_bundle)
    assert found.converged
    assert found.primal == pytest.approx(objective(oracle, 2.0, w), rel=1e-6)
    assert found.primal == pytest.approx(plain.primal, rel=2e-3)


def test_too_few_of_a_class_say_too_little_to_begin_with(monkeypatch):
    monkeypatch.setattr(solver, "_MANY", 1000)
    oracle = oracle_of(share=0.005)
    assert solver._make_bundle(oracle, 1.0).known is None
    assert solver._make_bundle(oracle_of(), 1.0).known is not None
    w, solution = minimise(oracle, 2.0, tol=1e-2, max_iter=500)
    assert solution.converged
    assert solution.primal == pytest.approx(objective(oracle, 2.0, w), rel=1e-9)


def test_the_losses_of_a_part_are_those_of_all_at_the_same_shares():
    oracle = oracle_of()
    places = np.arange(0, oracle.size, 4)
    part = oracle.part(places)
    assert part.size == 500
    assert part.cost[0] / 500 == pytest.approx(oracle.cost[0] / 2000)
    assert part.cost[-1] / 500 == pytest.approx(oracle.cost[-1] / 2000)
    assert part.cost[100] / 500 == pytest.approx(oracle.cost[400] / 2000)
    np.testing.assert_allclose(part.signs * 500, oracle.signs[places] * 2000)
    w = np.random.default_rng(1).normal(size=31)
    np.testing.assert_allclose(part.scores(w), oracle.scores(w)[places])


def test_each_peak_is_a_labelling_of_its_own_whose_risk_is_a_local_maximum():
    oracle = oracle_of(n=4000)
    known, _ = minimise(oracle, 2.0, tol=1e-3, max_iter=500)
    scores = oracle.scores(known)
    best = oracle(scores)
    found = oracle.peaks(scores, best)
    assert found
    positive = oracle.signs > 0
    counts = []
    for labelling in found:
        assert labelling.risk <= best.risk
        assert labelling.risk == pytest.approx(labelling.loss - labelling.times(scores))
        counts.append(int(np.count_nonzero((labelling.coefficients != 0) != positive)))
        assert labelling.loss == oracle.cost[counts[-1]] / oracle.size
    n_best = int(np.count_nonzero((best.coefficients != 0) != positive))
    curve = oracle.cost + np.append(0.0, np.cumsum(np.sort(scores)[::-1]))
    for k in counts:
        near = curve[max(0, k - 200) : k + 201]
        assert curve[k] > near.max() - 0.02 * oracle.size * best.risk
        assert curve[min(k, n_best) : max(k, n_best)].min() < curve[k] - oracle.size * best.risk


def test_a_plane_is_held_once():
    oracle = oracle_of()
    bundle = ByNormals(oracle, 100.0)
    best = bundle.begin()
    bundle.add(best.labelling)
    bundle.add(best.labelling)
    assert len(bundle.parts) == 2


def test_the_normal_of_a_labelling_comes_from_the_few_documents_that_differ(monkeypatch):
    oracle, summed = oracle_of(), []
    known, _ = minimise(oracle, 2.0, tol=1e-2, max_iter=500)
    first = oracle(oracle.scores(known))
    second = oracle(oracle.scores(1.05 * known))
    expected = oracle.weights(second.coefficients)
    weights = type(oracle).weights

    def noticed(self, coefficients):
        summed.append(np.count_nonzero(coefficients))
        return weights(self, coefficients)

    monkeypatch.setattr(type(oracle), "weights", noticed)
    bundle = ByNormals(oracle, 100.0)
    bundle.add(first)
    bundle.add(second)
    np.testing.assert_allclose(bundle.normals[2], expected, atol=1e-13)
    assert 0 < summed[1] < summed[0] / 2


def test_planes_long_idle_make_room_without_changing_the_answer():
    oracle = oracle_of()
    _, roomy = minimise(oracle, 2.0, tol=1e-5, max_iter=3000, make_bundle=ByNormals)
    held = []

    class Counted(ByNormals):
        def add(self, labelling):
            super().add(labelling)
            held.append(len(self.parts))

    def make_bundle(oracle, budget):
        return Counted(oracle, budget, most_idle=2)

    w, tight = minimise(oracle, 2.0, tol=1e-5, max_iter=3000, make_bundle=make_bundle)
    assert max(held) < len(held) / 2
    assert tight.converged
    assert tight.primal == pytest.approx(roomy.primal, rel=1e-4)
    assert tight.primal == pytest.approx(objective(oracle, 2.0, w), rel=1e-9)


def test_a_column_that_overflows_is_named():
    positive = np.arange(2000) % 3 == 0
    X = np.random.default_rng(0).normal(size=(2000, 3))
    X[:, 1] *= 1e200
    oracle = make_oracle(make_products(X), positive, LOSSES["kld"])
    with pytest.raises(ValueError, match="column 1 of X"), np.errstate(over="ignore"):
        minimise(oracle, 2.0, tol=1e-2, max_iter=50, make_bundle=ByNormals)


def test_documents_that_a_line_divides_need_no_more_than_a_start(monkeypatch):
    # At the weights of the part no labelling is worse than the true one.
    monkeypatch.setattr(solver, "_MANY", 1000)
    positive = np.random.default_rng(0).random(2000) < 0.9
    X = np.where(positive, 10.0, -10.0)[:, np.newaxis]
    oracle = make_oracle(make_products(X), positive, LOSSES["kld"])
    w, solution = minimise(oracle, 8.0, tol=1e-2, max_iter=50)
    assert solution.converged
    assert solution.primal == pytest.approx(objective(oracle, 8.0, w), rel=1e-9)


def test_more_features_than_documents_are_kept_by_scores(monkeypatch):
    monkeypatch.setattr(solver, "_MANY", 1000)
    wide = sparse.random(2000, 2001, density=0.01, format="csr", random_state=0)
    oracle = make_oracle(make_products(wide), np.arange(2000) % 3 == 0, LOSSES["kld"])
    assert isinstance(solver._make_bundle(oracle, 1.0), ByScores)


def test_means_that_do_not_pay_are_sought_ever_less(monkeypatch):
    sought = []
    monkeypatch.setattr(normals, "better_mean", lambda *_: sought.append(len(seen)))
    seen = []

    class Useless(ByNormals):
        def add_mean(self, best):
            super().add_mean(best)
            self.without = self._value()  # as if one had been found that changes nothing
            return False

    minimise(oracle_of(), 2.0, tol=1e-9, max_iter=40, make_bundle=Useless, callback=seen.append)
    assert np.all(np.diff(np.diff(sought)) >= 0)
    assert len(sought) < 8


@pytest.mark.parametrize("share", [0.3, 0.02, 0.98])
def test_losses_are_flat_or_have_a_kink_where_the_counts_are_right(share):
    found = {}
    for loss in ("kld", "nkld", "ae", "rae"):
        found[loss] = ByNormals(oracle_of(loss, share=share), 100.0).flat
    assert found == {"kld": True, "nkld": True, "ae": False, "rae": False}
