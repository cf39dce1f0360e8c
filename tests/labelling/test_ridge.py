"""Ridge regression: what is said without a label is what is learned without it."""

import numpy as np
import pytest

from quantext.labelling.representation import Features, features
from quantext.labelling.ridge import PENALTIES, fit, kernel, population
from tests.labelling.made_up import toy_features

FOUND = toy_features()
ROWS = np.random.default_rng(1).permutation(60)[:20]
TRUTHS = np.random.default_rng(2).random((20, 3)) < [0.5, 0.3, 0.1]
PRIOR = np.array([0.2, 0.3, 0.5])


def learned(rows=ROWS, truths=TRUTHS, common=False):
    return fit(FOUND, rows, truths, np.ones(len(rows)), PRIOR, common)


def solved(rows, truths, penalty):
    """The plain twin: weights of documents by solving the equations."""
    return np.linalg.solve(kernel(FOUND, rows, rows) + penalty * np.eye(len(rows)), truths - PRIOR)


def test_the_kernel_is_a_constant_words_themes_letters_and_scores():
    i, j = 3, 17
    words = float((FOUND.words[[i]] @ FOUND.words[[j]].T).toarray()[0, 0])
    # Rows are of unit length: squared distances are 2 − 2 cos.
    near = sum(np.exp(-np.square(t[i] - t[j]).sum()) for t in (FOUND.themes, FOUND.letters))
    scores = 4 * FOUND.scores[i] @ FOUND.scores[j]
    expected = 1 + words + near + scores
    assert kernel(FOUND, np.array([i]), np.array([j]))[0, 0] == pytest.approx(expected, rel=1e-5)


def test_the_weights_solve_the_equations_of_the_penalty_with_the_least_error():
    fitted = learned()
    for k in range(3):
        errors = []
        for penalty in PENALTIES:
            left = []
            for i in range(20):
                others = np.arange(20) != i
                weights = solved(ROWS[others], TRUTHS[others], penalty)[:, k]
                said = PRIOR[k] + kernel(FOUND, ROWS[[i]], ROWS[others])[0] @ weights
                left.append(TRUTHS[i, k] - said)
            errors.append((np.square(left).sum(), left, penalty))
        _, left, penalty = min(errors)
        assert np.allclose(fitted.left_out[:, k], left)
        assert np.allclose(fitted.weights[:, k], solved(ROWS, TRUTHS, penalty)[:, k])


def test_common_penalties_are_one():
    assert len(set(learned(common=True).penalties.tolist())) == 1


def test_what_is_said_of_all_documents_is_that_of_the_kernel():
    fitted = learned()
    said, sums = population(FOUND, fitted)
    whole = kernel(FOUND, np.arange(60), ROWS)
    assert np.allclose(said, PRIOR + whole @ fitted.weights, atol=1e-4)
    assert np.allclose(sums, whole.sum(axis=0), rtol=1e-5)


def test_shifts_are_the_changes_of_the_sum_if_a_label_is_left_out():
    fitted = learned(common=True)
    whole = kernel(FOUND, np.arange(60), ROWS)
    found = fitted.shifts(whole.sum(axis=0))
    penalty = fitted.penalties[0]
    for i in (0, 7):
        others = np.arange(20) != i
        without = whole[:, others] @ solved(ROWS[others], TRUTHS[others], penalty)
        assert np.allclose(found[i], (without - whole @ fitted.weights).sum(axis=0))


def test_without_scores_there_is_none_in_the_kernel():
    bare = Features(FOUND.words, FOUND.themes, None, FOUND.letters)
    less = kernel(FOUND, ROWS, ROWS) - kernel(bare, ROWS, ROWS)
    assert np.allclose(less, 4 * FOUND.scores[ROWS] @ FOUND.scores[ROWS].T)
    fitted = fit(bare, ROWS, TRUTHS, np.ones(20), PRIOR, True)
    said, _ = population(bare, fitted)
    assert np.allclose(said, PRIOR + kernel(bare, np.arange(60), ROWS) @ fitted.weights, atol=1e-4)


def test_what_cannot_be_learned_is_not_learned():
    rng = np.random.default_rng(0)
    fitted = fit(FOUND, ROWS, rng.random((20, 1)) < 0.5, np.ones(20), np.array([0.5]), False)
    assert fitted.left_out.std() < 0.6  # of a fair coin: 0.5


def test_documents_without_words_have_no_theme():
    found = features(FOUND.words.multiply(np.arange(60)[:, None] > 0).tocsr())
    lengths = np.linalg.norm(found.themes, axis=1)
    assert lengths[0] == 0
    assert np.allclose(lengths[FOUND.words.getnnz(axis=1) > 0][1:], 1, atol=1e-5)


def test_without_texts_there_are_no_letters_in_the_kernel():
    bare = Features(FOUND.words, FOUND.themes, FOUND.scores)
    less = kernel(FOUND, ROWS, ROWS) - kernel(bare, ROWS, ROWS)
    assert np.allclose(less, np.exp(2 * FOUND.letters[ROWS] @ FOUND.letters[ROWS].T - 2), atol=1e-5)
    fitted = fit(bare, ROWS, TRUTHS, np.ones(20), PRIOR, True)
    said, sums = population(bare, fitted)
    whole = kernel(bare, np.arange(60), ROWS)
    assert np.allclose(said, PRIOR + whole @ fitted.weights, atol=1e-4)
    assert np.allclose(sums, whole.sum(axis=0), rtol=1e-5)
