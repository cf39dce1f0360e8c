"""Redrawn bags: many of them at once, each as if it were alone."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from quantext.models.methods import METHODS
from quantext.quantifiers import (
    AdjustedCount,
    ClassifyAndCount,
    ExpectationMaximization,
    MedianSweep,
    ProbabilisticAdjustedCount,
    ProbabilisticCount,
    Quantifier,
    RegularizedLikelihood,
)
from quantext.quantifiers import redrawn as module
from quantext.quantifiers.adaptive import AdaptiveCount
from quantext.quantifiers.correction import correct, correct_each
from quantext.quantifiers.expectation import most_likely
from quantext.quantifiers.likeliest import most_likely_each
from quantext.quantifiers.nonnegative import least_nonnegative
from quantext.quantifiers.redrawn import Redrawing, alike, draw_errors
from quantext.quantifiers.redraws import Documents, in_all_rows
from quantext.scores.training import ScoresByClass, TrainingScores

AT_ONCE = [
    ClassifyAndCount(None),
    AdjustedCount(None),
    ProbabilisticCount(None),
    ProbabilisticCount(None, posteriors="logistic"),
    ProbabilisticAdjustedCount(None),
    ProbabilisticAdjustedCount(None, posteriors="logistic"),
    ExpectationMaximization(None),
    ExpectationMaximization(None, posteriors="logistic"),
    RegularizedLikelihood(None),
]


def given(kind, n=120, seed=0):
    rng = np.random.default_rng(seed)
    if kind == "multilabel":
        y = rng.random((n, 3)) < [0.5, 0.3, 0.1]
    else:
        code = np.arange(n) % (2 if kind == "binary" else 3)
        y = code[:, None] == 1 if kind == "binary" else code[:, None] == np.arange(3)
    scores = rng.normal(size=y.shape) + 2.0 * y - 1
    classes = np.arange(2 if kind == "binary" else 3)
    bags = [scores[rng.choice(n, size)] for size in (5, 12, 12, 40, 12)]
    return TrainingScores(np.asarray, scores, y, 0.0, classes, kind), bags


@pytest.mark.parametrize("quantifier", AT_ONCE, ids=repr)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("one_by_one", [False, True])
def test_all_replicates_at_once_are_estimated_as_one_by_one(quantifier, n_classes, one_by_one):
    rng = np.random.default_rng(3)
    columns = 1 if n_classes == 2 else n_classes
    problem = ScoresByClass(
        rng.normal(size=(40, columns)), rng.integers(0, 3, size=(40, n_classes))
    )
    training = rng.poisson(1.5, size=(10, n_classes, 40))
    bags = in_all_rows(rng.poisson(1.5, size=(10, 40)))
    if one_by_one:
        bags = rng.integers(40, size=(10, 15)), np.ones((10, 15), dtype=np.int64)
    at_once = quantifier.reestimator(problem)(training)(*bags)
    one_by_one = Quantifier.reestimator(quantifier, problem)(training)(*bags)
    assert_allclose(at_once, one_by_one, atol=1e-3)


@pytest.mark.parametrize("kind", ["binary", "multiclass", "multilabel"])
@pytest.mark.parametrize(
    "quantifier",
    [
        AdjustedCount(None),
        ProbabilisticAdjustedCount(None),
        MedianSweep(None),
        AdaptiveCount(None),
        METHODS["Bayesian CC"].make(),
    ],
    ids=lambda quantifier: type(quantifier).__name__,
)
def test_bags_have_the_intervals_that_each_has_alone_whatever_the_threads(quantifier, kind):
    scores, bags = given(kind)
    fitted = quantifier.fit_scores(scores)
    summaries = [fitted.summarise_scores(bag) for bag in bags]
    alone = [fitted.aggregate_interval(bag, 0.9, 4, replicates=30) for bag in summaries]
    for n_jobs in (None, 2):
        for order in (np.arange(5), np.array([3, 0, 4, 2, 1])):
            some = [summaries[b] for b in order]
            many = fitted.aggregate_intervals(some, 0.9, 4, replicates=30, n_jobs=n_jobs)
            assert_array_equal(many, np.array([alone[b] for b in order]).swapaxes(0, 1))


def test_pieces_of_memory_do_not_change_an_interval(monkeypatch):
    scores, bags = given("multiclass")
    fitted = ProbabilisticAdjustedCount(None).fit_scores(scores)
    summaries = [fitted.summarise_scores(bag) for bag in bags]
    many = fitted.aggregate_intervals(summaries, replicates=30)
    monkeypatch.setattr(module, "_ERRORS", 1)
    assert_array_equal(fitted.aggregate_intervals(summaries, replicates=30), many)


def test_no_bags_have_no_intervals():
    scores, _ = given("multiclass")
    for quantifier in (AdjustedCount(None), AdaptiveCount(None)):
        found = quantifier.fit_scores(scores).aggregate_intervals([])
        assert [own.shape for own in found] == [(0, 3)] * 3


@pytest.mark.parametrize("kind", ["binary", "multilabel"])
def test_progress_goes_up_to_the_number_of_bags(kind):
    scores, bags = given(kind)
    for quantifier in (AdjustedCount(None), AdaptiveCount(None), METHODS["Bayesian CC"].make()):
        fitted = quantifier.fit_scores(scores)
        heard = []
        fitted.aggregate_intervals(
            [fitted.summarise_scores(bag) for bag in bags],
            replicates=10,
            n_jobs=2,
            progress=lambda *said, heard=heard: heard.append(said),
        )
        stages, done, totals = zip(*heard, strict=True)
        assert (set(stages), set(totals)) == ({"bags"}, {5})
        assert (list(done), done[-1]) == (sorted(done), 5)


def test_errors_are_those_of_the_bag_against_its_own_classes():
    # Class 0 has row 0 alone and class 1 row 1, so that who counts rows never errs; who always
    # says one half errs by the share of the bag that was drawn.
    documents = Documents.of(ScoresByClass(np.array([[0.0], [1.0]]), np.array([[4, 0], [0, 6]])))

    def counting(training):
        assert_array_equal(training.counts, [[4, 0], [0, 6]])

        def relearn(redrawn):
            assert_array_equal(redrawn, np.tile([[4, 0], [0, 6]], (len(redrawn), 1, 1)))
            return lambda _rows, numbers: numbers / numbers.sum(axis=1, keepdims=True)

        return relearn

    def half(_training):
        return lambda _redrawn: lambda rows, _numbers: np.full((len(rows), 2), 0.5)

    kinds = [(np.array([0.8, 0.2]), 50), (np.array([1.0, 0.0]), 7)]
    assert_array_equal(draw_errors(Redrawing(documents, counting, 300, (0,)), 1, kinds), 0)
    errors = draw_errors(Redrawing(documents, half, 300, (0,)), 1, kinds)
    # The deviation of the mean is sqrt(.16/50)/sqrt(300) = 0.003.
    assert errors[0, :, 1].mean() == pytest.approx(0.3, abs=0.012)
    assert_array_equal(errors[1], [[-0.5, 0.5]] * 300)


def test_two_classes_are_told_apart_by_a_quarter_of_a_standard_error():
    shares = np.linspace(0, 1, 2001)
    for size in (1, 25, 900):
        kinds, kind_of = alike(np.column_stack([1 - shares, shares]), np.full(2001, size))
        drawn = np.array([p[1] for p, _ in kinds])[kind_of]
        error = np.sqrt(np.maximum(drawn * (1 - drawn), 1 / size / 4) / size)
        assert (np.abs(drawn - shares) <= 0.16 * error).all()
        assert len(kinds) <= 4 * np.pi * np.sqrt(size) + 3
        assert (drawn[0], drawn[-1]) == (0, 1)
        assert_allclose(drawn + drawn[::-1], 1)  # neither class comes first


def test_bags_of_other_sizes_or_of_more_classes_are_of_other_kinds():
    p = np.full((3, 2), 0.5)
    assert alike(p, np.array([9, 10, 9]))[1].tolist() == [0, 1, 0]
    p = np.array([[0.2, 0.3, 0.5], [0.2, 0.3001, 0.4999], [0.2, 0.3, 0.5]])
    assert alike(p, np.array([9, 9, 9]))[1].tolist() == [0, 1, 0]


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_corrections_of_all_replicates_are_those_of_each(n_classes):
    rng = np.random.default_rng(1)
    rates = rng.dirichlet(np.ones(n_classes), (60, n_classes)).swapaxes(1, 2)
    rates[:40] = 0.5 * rates[:40] + 0.5 * np.eye(n_classes)
    if n_classes > 2:
        rates[5, :, 1] = np.nan  # a class without documents
        rates[6, :, 2] = rates[6, :, 0]  # two that cannot be told apart
    counted = rng.dirichlet(np.ones(n_classes), 60)
    expected = [correct(*own) for own in zip(rates, counted, strict=True)]
    found = correct_each(rates, counted)
    assert_allclose(found[6], expected[6], atol=1e-3)
    assert_allclose(np.delete(found, 6, 0), np.delete(expected, 6, 0), atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_likeliest_prevalences_of_all_replicates_are_those_of_each(n_classes):
    rng = np.random.default_rng(2)
    likelihoods = rng.gamma(0.3, size=(30, 50, n_classes))
    likelihoods[:, 3] = 0  # what no class explains
    start = rng.dirichlet(np.full(n_classes, 2.0), 30)
    if n_classes > 2:
        start[4, 1] = 0
    rows, numbers = rng.integers(50, size=(30, 20)), rng.integers(3, size=(30, 20))
    found = most_likely_each(likelihoods, rows, numbers, start, 1e-10)
    for r in range(30):
        shares = numbers[r] / numbers[r].sum()
        expected = most_likely(likelihoods[r][rows[r]], shares, start[r])
        assert_allclose(found[r], expected, atol=1e-4)


def test_least_nonnegative_solution_meets_its_conditions():
    rng = np.random.default_rng(3)
    for n in (1, 2, 5, 12):
        for _ in range(20):
            root = rng.normal(size=(n, n + 2))
            matrix, right = root @ root.T / n, rng.normal(size=n)
            x = least_nonnegative(matrix, right, rng.random(n) < 0.5)
            slope = matrix @ x - right
            assert (x >= 0).all()
            assert (slope >= -1e-9).all()
            assert_allclose(x * slope, 0, atol=1e-9)
