"""The best number of predicted positives, found in bins, is the one found in sorted scores."""

import numpy as np
import pytest

from quantext.learners.bins import best_count_in_bins
from quantext.learners.losses import LOSSES, PrevalenceLoss
from quantext.learners.oracle import by_count, cost_of_counts

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
