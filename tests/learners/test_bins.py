"""The best number of predicted positives, found in bins, is the one found in sorted scores."""

import math

import numpy as np
import pytest

from quantext.learners.bins import add, best_count_in_bins, peaks_in_bins
from quantext.learners.losses import LOSSES, PrevalenceLoss
from quantext.learners.searches import by_count, cost_of_counts

N = 3000


def plainly(cost, scores):
    """Number of predicted positives and the lowest score among them, by sorting all."""
    descending = np.sort(scores)[::-1]
    k = int(np.argmax(cost + np.append(0.0, np.cumsum(descending))))
    return k, descending[k - 1] if k else np.inf


def in_bins(cost, scores):
    return best_count_in_bins(
        cost, float(np.abs(cost).max()), scores, float(scores.min()), float(scores.max())
    )


def two_heaps(rng, positives):
    """Scores as a classifier gives them: positives above, some negatives among them."""
    positive = np.arange(N) < positives
    return positive, rng.normal(np.where(positive, 1.0, -1.5), rng.uniform(0.2, 2.0))


@pytest.mark.parametrize("positives", [1, 40, 900, 2999])
@pytest.mark.parametrize(
    "name", [name for name, loss in LOSSES.items() if isinstance(loss, PrevalenceLoss)]
)
def test_bins_find_what_sorting_finds(name, positives):
    rng = np.random.default_rng(positives)
    unsure = 0
    for _ in range(30):
        positive, scores = two_heaps(rng, positives)
        cost = cost_of_counts(positive, LOSSES[name])
        found = in_bins(cost, scores)
        if found[0] < 0:
            unsure += 1
        else:
            assert found == plainly(cost, scores)
    assert unsure <= 3


def test_bins_find_what_sorting_finds_whatever_the_cost():
    rng = np.random.default_rng(0)
    for heaps in range(1, 40):
        scores = rng.normal(rng.normal(0, 5, heaps)[rng.integers(0, heaps, N)])
        cost = np.cumsum(rng.normal(0, 2, N + 1))
        found = in_bins(cost, scores)
        assert found[0] < 0 or found == plainly(cost, scores)


def test_bins_are_unsure_of_what_rounding_decides():
    rng = np.random.default_rng(0)
    scores = rng.permutation(np.repeat([4.0, 3.0, 2.0, 1.0, -1.0, -2.0], N // 6))
    cost = np.zeros(N + 1)
    assert in_bins(cost, scores) == (2000, 1.0)
    cost[1999] = 1.0  # as good with one document less
    assert in_bins(cost, scores)[0] == -1


@pytest.mark.parametrize(
    "scores",
    [np.zeros(N), np.append(np.zeros(N - 1), np.nan), np.append(np.zeros(N - 1), np.inf)],
    ids=["all equal", "not a number", "infinite"],
)
def test_bins_leave_odd_scores_to_sorting(scores):
    assert in_bins(np.arange(N + 1.0), scores)[0] == -1


def test_few_scores_are_sorted():
    assert in_bins(np.arange(11.0), np.arange(10.0))[0] == -1


@pytest.mark.parametrize("cost", [np.zeros(N + 1), np.arange(N + 1.0)], ids=["none", "all"])
def test_none_or_all_may_be_predicted(cost):
    scores = -0.5 - np.random.default_rng(0).random(N) / 4
    predicted, loss = by_count(cost)(scores)
    assert predicted.sum() == cost[-1]
    assert loss == cost[-1] / N


def test_what_adding_loses_is_not_lost():
    rng = np.random.default_rng(0)
    scores = rng.normal(scale=1e4, size=200_000)
    total, rest = 0.0, 0.0
    for score in scores.tolist():
        total, lost = add(total, score)
        rest += lost
    assert total + rest == math.fsum(scores)


def test_many_scores_are_sure_of_their_best_count():
    rng = np.random.default_rng(0)
    n, positives = 400_000, 140_000
    positive = np.arange(n) < positives
    scores = rng.normal(np.where(positive, 300.0, -200.0), 100.0)
    cost = cost_of_counts(positive, LOSSES["kld"])
    k, threshold = in_bins(cost, scores)
    descending = np.sort(scores)[::-1]
    exact = np.append(0.0, np.cumsum(descending.astype(np.longdouble)))
    assert k == int(np.argmax(cost + exact))
    assert threshold == descending[k - 1]


def peaks_plainly(value, least):
    """Places of the peaks of a curve, between which it falls by that much."""
    found, start = [], 0
    while True:
        falls = np.flatnonzero(np.maximum.accumulate(value[start:]) - value[start:] > least)
        end = start + falls[0] if len(falls) else len(value)
        found.append(start + int(np.argmax(value[start:end])))
        if not len(falls):
            return found
        rises = np.flatnonzero(value[end:] - np.minimum.accumulate(value[end:]) > least)
        if not len(rises):
            return found
        start = end + int(rises[0])


@pytest.mark.parametrize("seed", range(8))
def test_peaks_in_bins_are_those_of_the_whole_curve(seed):
    rng = np.random.default_rng(seed)
    n = 40_000
    scores = rng.normal(rng.normal(0, 5, 6)[rng.integers(0, 6, n)])
    share = np.arange(n + 1) / n
    cost = 2e3 * rng.normal(size=4) @ np.cos(np.outer(np.arange(3, 7), np.pi * share))
    value = cost + np.append(0.0, np.cumsum(np.sort(scores)[::-1]))
    least = 0.1 * (value.max() - value.min())
    expected = peaks_plainly(value, least)
    known = expected.pop(seed % len(expected))
    bin_of, ends = peaks_in_bins(cost, scores, scores.min(), scores.max(), least, known)
    counts = [int(np.count_nonzero(bin_of < end)) for end in ends]
    assert len(counts) == len(expected)
    for k, peak in zip(counts, expected, strict=True):
        assert value[k] == pytest.approx(value[peak], abs=0.01 * least)


def test_of_many_peaks_the_eight_highest_are_found():
    scores = 1e-3 * np.random.default_rng(0).random(5000)
    k = np.arange(5001)
    cost = 50 * np.sin(k / 20) + k / 100  # a peak after each 126
    bin_of, ends = peaks_in_bins(cost, scores, scores.min(), scores.max(), 10.0, 2000)
    counts = [np.count_nonzero(bin_of < end) for end in ends]
    assert len(counts) == 8
    assert min(counts) > 5000 - 9 * 126


@pytest.mark.parametrize("scores", [np.zeros(9), np.append(np.zeros(9), np.nan)])
def test_odd_scores_have_no_peaks(scores):
    cost = np.arange(len(scores) + 1.0)
    assert not len(peaks_in_bins(cost, scores, scores.min(), scores.max(), 0.0, 0)[1])
