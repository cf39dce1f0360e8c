"""The certificate is true whatever the scale of a column, or says that it is not to be had."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from quantext.learners.certificate import certify, column_sizes, rounding
from quantext.learners.losses import LOSSES
from quantext.learners.oracle import make_oracle
from quantext.learners.products import make_products
from quantext.learners.solver import Solution, minimise
from quantext.learners.structural import StructuralSVM

RNG = np.random.default_rng(0)
POSITIVE = np.arange(90) % 3 == 0
FEATURES = RNG.normal(size=(90, 3)) + 1.5 * POSITIVE[:, None] * [1, 0, 0]
TIMES = RNG.uniform(1.5, 1.7, 90)


def oracle_of(X, loss="kld"):
    return make_oracle(make_products(X), POSITIVE, LOSSES[loss])


def objective(oracle, w, C):
    return w @ w / 2 + C * oracle.size * oracle(oracle.scores(w)).risk


@pytest.mark.parametrize("loss", ["kld", "error_rate", "f1"])
@pytest.mark.parametrize("scale", [1.0, 1e3, 1e6, 1e9, 1e12])
def test_primal_and_dual_are_true_beside_a_column_of_any_scale(loss, scale):
    oracle = oracle_of(np.column_stack([FEATURES, scale * TIMES]), loss)
    w, solution = minimise(oracle, 8.0, tol=1e-2, max_iter=60)
    assert solution.primal == pytest.approx(objective(oracle, w, 8.0), rel=1e-9)
    # Weights that leave the column alone are as good as they are without it.
    others, _ = minimise(oracle_of(FEATURES, loss), 8.0, tol=1e-2, max_iter=200)
    known = objective(oracle, np.insert(others, 3, 0.0), 8.0)
    assert solution.dual <= min(known, solution.primal)
    if solution.converged:
        assert solution.primal <= 1.0102 * known
        assert solution.unscaled is None
    else:
        assert solution.unscaled == 3
        assert scale >= 1e6


def test_a_column_of_seconds_beside_features_is_a_warning_that_names_it():
    X = np.column_stack([1e9 * TIMES, FEATURES])
    with pytest.warns(ConvergenceWarning, match=r"column 0 \(counting from 0\) of X is so large"):
        svm = StructuralSVM(max_iter=60).fit(X, POSITIVE)
    assert not svm.solution_.converged
    frame = pd.DataFrame(X, columns=["seconds", "a", "b", "c"])
    with pytest.warns(ConvergenceWarning, match="column 'seconds' of X .*; scale that column"):
        StructuralSVM(max_iter=60).fit(frame, POSITIVE)
    frame["seconds"] = (frame["seconds"] - 1.6e9) / 1e8
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert StructuralSVM().fit(frame, POSITIVE).solution_.converged


def test_nothing_overflows_where_rounding_leaves_no_curvature():
    X = np.column_stack([FEATURES, 1e12 + RNG.normal(size=90)])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.warns(ConvergenceWarning, match="column 3"):
            StructuralSVM("error_rate", C=24.0, max_iter=300).fit(X, POSITIVE)


def test_a_tolerance_finer_than_rounding_blames_no_column():
    _, solution = minimise(oracle_of(FEATURES), 8.0, tol=1e-13, max_iter=3)
    assert not solution.converged
    assert solution.unscaled is None


def test_products_that_overflow_are_an_error_that_names_the_column():
    X = np.column_stack([FEATURES, np.where(POSITIVE, 1e200, 0.0)])
    with pytest.raises(ValueError, match=r"column 3 of X .* overflow; scale it"):
        StructuralSVM().fit(X, POSITIVE)


def test_numbers_that_the_solver_lost_are_found_again():
    # One document a class, x = ±1: at w = (1, 0) both scores are on the margin of the error rate,
    # and so the objective is 1/2; half of both documents is a mean of planes that says so too.
    oracle = make_oracle(
        make_products(np.array([[1.0], [-1.0]])), np.array([True, False]), LOSSES["error_rate"]
    )
    lost = Solution(primal=0.1, dual=0.1, n_iter=5, converged=True)
    w, lowest = np.array([1.0, 0.0]), (np.array([0.5, -0.5]), 1.0)
    found = certify(oracle, 2.0, w, lowest, lost, tol=1e-2)
    assert found.primal == pytest.approx(0.5)
    assert found.dual == pytest.approx(0.5)
    assert found.converged
    worse = certify(oracle, 2.0, 2 * w, lowest, lost, tol=1e-2)  # ½·2², and no risk
    assert worse.primal == pytest.approx(2.0)
    assert not worse.converged
    assert worse.unscaled == 0


def test_sizes_of_columns_are_near_their_root_mean_squares():
    sizes = column_sizes(oracle_of(np.column_stack([np.full(90, -7.0), 1e9 * FEATURES[:, 1]])))
    assert sizes[0] >= 7.0
    assert 1e8 < sizes[1] < 1e10
    assert sizes[-1] == 1.0


def test_rounding_grows_with_the_square_of_the_budget():
    assert rounding(20.0, 3.0) == pytest.approx(400 * rounding(1.0, 3.0))
    assert rounding(1.0, 1.0) == pytest.approx(2.2e-13, rel=0.01)
