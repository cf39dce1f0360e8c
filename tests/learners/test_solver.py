import json
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file
from sklearn.svm import LinearSVC

from quantext.learners.bundle import ByScores
from quantext.learners.kernels import minimise_on_simplex
from quantext.learners.losses import LOSSES
from quantext.learners.oracle import Oracle, make_oracle
from quantext.learners.products import make_products
from quantext.learners.solver import minimise
from tests.support.places import GOLDEN

CASES = json.loads((GOLDEN / "golden.json").read_text())


def golden_data(case):
    X, y = load_svmlight_file(str(GOLDEN / case["file"]))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, y > 0


def objective(X, positive, w, C, loss):
    oracle = make_oracle(make_products(X), positive, LOSSES[loss])
    return w @ w / 2 + C * len(positive) * oracle(oracle.scores(w)).risk


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['file'][:2]}-{c['loss']}-{c['C']:.3g}")
def test_golden_optimum_is_reached(case):
    X, positive = golden_data(case)
    oracle = make_oracle(make_products(X), positive, LOSSES[case["loss"]])
    w, solution = minimise(oracle, case["C"], tol=1e-5, max_iter=2000)
    value = objective(X, positive, w, case["C"], case["loss"])
    assert solution.converged
    assert solution.primal == pytest.approx(value, rel=1e-9)
    assert case["objective_low"] * (1 - 1e-4) <= value <= case["objective_high"] * (1 + 1e-4)
    assert value <= case["svm_perf"]["objective"]
    assert np.linalg.norm(w) == pytest.approx(case["norm"], rel=2e-3)
    if case["loss"] in ("kld", "nkld", "ae", "rae"):
        positives = np.count_nonzero(X @ w[:-1] + w[-1] > 0)
        assert abs(positives - case["predicted_positives"]) <= 2


@pytest.mark.parametrize("C", [0.05, 1.0])
def test_error_rate_gives_the_ordinary_svm(C):
    X, positive = golden_data(CASES[-1])
    oracle = make_oracle(make_products(X), positive, LOSSES["error_rate"])
    _, solution = minimise(oracle, C, tol=1e-6, max_iter=2000)
    peer = LinearSVC(loss="hinge", C=C, tol=1e-8, max_iter=10**7, random_state=0).fit(X, positive)
    w = np.append(peer.coef_, peer.intercept_)
    assert solution.primal == pytest.approx(objective(X, positive, w, C, "error_rate"), rel=1e-4)


def made_up_oracle(loss="kld", n=60, seed=0, n_features=5):
    rng = np.random.default_rng(seed)
    positive = np.arange(n) < n // 3
    X = rng.normal(size=(n, n_features)) + 0.7 * positive[:, None]
    return make_oracle(make_products(X), positive, LOSSES[loss])


@pytest.mark.parametrize("loss", LOSSES)
def test_gap_is_what_it_says(loss):
    # The minimum lies between primal and dual, so a tight solution lies in a loose one's interval.
    oracle = made_up_oracle(loss)
    _, loose = minimise(oracle, 3.0, tol=0.1, max_iter=1000)
    _, tight = minimise(oracle, 3.0, tol=1e-7, max_iter=2000)
    assert loose.converged
    assert tight.converged
    assert loose.gap == loose.primal - loose.dual <= 0.1 * loose.primal
    assert loose.dual <= tight.primal <= loose.primal * (1 + 1e-12)


def test_primal_is_the_objective_at_the_weights():
    oracle = made_up_oracle()
    w, solution = minimise(oracle, 5.0, tol=1e-2, max_iter=100)
    value = w @ w / 2 + 5.0 * oracle.size * oracle(oracle.scores(w)).risk
    assert solution.primal == pytest.approx(value, rel=1e-10)


def test_no_weights_are_better_than_the_dual():
    oracle = made_up_oracle("q")
    w, solution = minimise(oracle, 2.0, tol=1e-4, max_iter=1000)
    rng = np.random.default_rng(1)
    for scale in (1e-3, 1e-2, 0.1, 1.0):
        other = w + scale * rng.normal(size=len(w))
        value = other @ other / 2 + 2.0 * oracle.size * oracle(oracle.scores(other)).risk
        assert value >= solution.dual


def test_data_are_touched_by_products_only():
    rng = np.random.default_rng(0)
    X, positive = rng.normal(size=(60, 5)), np.arange(60) < 20

    class Elsewhere:
        def matvec(self, w):
            return X @ w

        def rmatvec(self, v):
            return X.T @ v

    oracles = (make_oracle(p, positive, LOSSES["kld"]) for p in (Elsewhere(), make_products(X)))
    there, here = (minimise(oracle, 5.0, tol=1e-3, max_iter=99)[0] for oracle in oracles)
    np.testing.assert_allclose(there, here)


def test_too_few_iterations_are_not_called_converged():
    _, solution = minimise(made_up_oracle(), 50.0, tol=1e-6, max_iter=3)
    assert not solution.converged
    assert solution.n_iter == 3
    assert solution.gap > 1e-6 * solution.primal


def test_callback_sees_the_gap_close():
    seen = []
    _, solution = minimise(made_up_oracle(), 5.0, tol=1e-4, max_iter=500, callback=seen.append)
    assert seen[-1] == solution
    assert [s.n_iter for s in seen] == list(range(1, solution.n_iter + 1))
    assert all(a.primal >= b.primal and a.dual <= b.dual for a, b in pairwise(seen))


def test_start_from_the_labellings_of_another_problem_save_iterations():
    found = []

    class Recorder(Oracle):
        def __call__(self, scores):
            found.append(super().__call__(scores))
            return found[-1]

    oracle = made_up_oracle(n=200)
    cold = minimise(oracle, 20.0, tol=1e-4, max_iter=500)[1]
    recorder = Recorder(oracle.products, oracle.signs, oracle.search)
    minimise(recorder, 18.0, tol=1e-4, max_iter=500)
    warm = minimise(oracle, 20.0, tol=1e-4, max_iter=500, start=found)[1]
    assert warm.converged
    assert warm.n_iter < cold.n_iter / 2


def test_planes_long_idle_make_room_without_changing_the_answer():
    oracle = made_up_oracle("error_rate", n=150)
    _, roomy = minimise(oracle, 2.0, tol=1e-6, max_iter=3000)
    held = []

    class Counted(ByScores):
        def add(self, labelling):
            super().add(labelling)
            held.append(len(self.parts))

    def make_bundle(oracle, budget):
        return Counted(oracle, budget, most_idle=2)

    w, tight = minimise(oracle, 2.0, tol=1e-6, max_iter=3000, make_bundle=make_bundle)
    assert max(held) < len(held) / 2
    assert tight.converged
    assert tight.primal == pytest.approx(roomy.primal, rel=1e-5)
    value = w @ w / 2 + 2.0 * oracle.size * oracle(oracle.scores(w)).risk
    assert tight.primal == pytest.approx(value, rel=1e-9)


def test_two_documents_have_the_optimum_worked_by_hand():
    # x = +1 (positive) and −1: by symmetry the intercept is 0 and w = (v, 0), scores ±v. With AE
    # the labellings of loss ½ (one positive too few or too many) have risk ½ − v/2; exchanging both
    # has loss 0 and risk −v. The minimum of v²/2 + 2C(½ − v/2), v ≤ 1, is at v = min(C, 1).
    oracle = make_oracle(
        make_products(np.array([[1.0], [-1.0]])), np.array([True, False]), LOSSES["ae"]
    )
    for C, v in ((0.5, 0.5), (4.0, 1.0)):
        w, solution = minimise(oracle, C, tol=1e-9, max_iter=100)
        np.testing.assert_allclose(w, [v, 0], atol=1e-6)
        assert solution.primal == pytest.approx(v**2 / 2 + 2 * C * (0.5 - v / 2))


def minimum_on_simplex_by_faces(H, b):
    """Lowest value of ½xᵀHx − bᵀx over the simplex, by solving on every face."""
    size, lowest = len(b), np.inf
    for inside in (list(c) for k in range(1, size + 1) for c in combinations(range(size), k)):
        k = len(inside)
        system = np.ones((k + 1, k + 1))
        system[:k, :k], system[k, k] = H[np.ix_(inside, inside)], 0
        x = np.linalg.lstsq(system, np.append(b[inside], 1))[0][:k]
        if x.min() > -1e-9 and abs(x.sum() - 1) < 1e-9:
            lowest = min(lowest, x @ H[np.ix_(inside, inside)] @ x / 2 - b[inside] @ x)
    return lowest


@pytest.mark.parametrize("seed", range(10))
def test_simplex_kernel_equals_a_search_of_all_faces(seed):
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(8, 6)), 3 * rng.normal(size=6)
    H = A.T @ A
    x = minimise_on_simplex(H, b, np.full(6, 1 / 6))
    assert x @ H @ x / 2 - b @ x == pytest.approx(minimum_on_simplex_by_faces(H, b), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.integers(1, 12), rank=st.integers(1, 12))
def test_simplex_programme_satisfies_the_conditions_of_its_optimum(seed, size, rank):
    # At the minimum the gradient b − Hx is the same wherever x > 0 and nowhere larger. A rank below
    # the size makes H singular, and repeated columns make planes equal.
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(rank, size))
    A[:, -1] = A[:, 0]
    H, b = A.T @ A * 10 ** rng.uniform(-2, 4), rng.normal(size=size)
    b[-1] = b[0]
    x = minimise_on_simplex(H, b, np.eye(size)[0])
    gradient = b - H @ x
    assert x.min() >= 0
    assert x.sum() == pytest.approx(1)
    # max gradient − xᵀgradient bounds how far the value is from the minimum.
    value = abs(b @ x) + x @ H @ x
    assert gradient.max() - gradient @ x <= 1e-8 * max(value, np.abs(b).max())
