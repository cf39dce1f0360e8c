"""Estimates of waves, by hand and over all samples that could have been drawn."""

from itertools import combinations

import numpy as np
import pytest

from quantext.labelling.estimator import estimate
from quantext.labelling.guide import Guide
from quantext.labelling.task import Labels, Wave


def guide_of(waves, said, N):
    """A guide that says the same whatever it learned from."""
    rows = np.concatenate([wave.rows for wave in waves])
    ends = np.cumsum([len(wave) for wave in waves])
    totals = [said.sum(axis=0)]
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        totals.append(totals[-1] - said[rows[start:end]].sum(axis=0))
    K = said.shape[1]
    shifts, explained = np.zeros((len(rows), K)), np.zeros(K)
    return Guide(rows, ends, said[rows], np.array(totals[:-1]), shifts, explained, N, 0)


def test_a_simple_random_sample_has_its_mean_and_its_variance():
    # 3 of 10 of 100: variance 0.21 · 10/9 / 10, times 0.9 for what is left.
    wave = Wave(np.arange(10), np.full(10, 0.1))
    found = estimate(100, [wave], Labels(np.arange(10), np.arange(10)[:, None] < 3), None)
    assert found.share.tolist() == pytest.approx([0.3])
    assert found.variance.tolist() == pytest.approx([0.21 / 9 * 0.9])
    assert found.plain == pytest.approx(0.09)
    assert found.counts.tolist() == [3]
    # Squares of deviations are 0.49 three times and 0.09 seven times: 2.1² / (3·0.49² + 7·0.09²).
    assert found.effective.tolist() == pytest.approx([4.41 / 0.777])


def test_two_waves_of_simple_random_samples_are_one_sample():
    truths = np.arange(30)[:, None] % 3 == 0
    waves = [
        Wave(np.arange(10), np.full(10, 0.1)),
        Wave(np.arange(10, 30), np.full(20, 20 / 90), 1),
    ]
    found = estimate(100, waves, Labels(np.arange(30), truths), None)
    assert found.share.tolist() == pytest.approx([10 / 30])
    assert found.variance.tolist() == pytest.approx([2 / 9 / 30 * 0.7], rel=0.1)


def test_weighted_differences_are_added_to_the_sum_of_predictions():
    # 0.5 said of all 8, so 4 in all; of two drawn with 1/2 and 1/4, +0.5 and −0.5:
    # 4 + 0.5 / 0.5 − 0.5 / 0.25 = 3 of 8.
    wave = Wave([0, 1], [0.5, 0.25])
    said = np.full((8, 1), 0.5)
    found = estimate(8, [wave], Labels([0, 1], [[True], [False]]), guide_of([wave], said, 8))
    assert found.share.tolist() == pytest.approx([3 / 8])


def test_a_right_model_leaves_no_variance():
    wave = Wave([0, 1, 5], [0.5, 0.25, 0.1])
    truths = np.arange(8)[:, None] < 5
    guide = guide_of([wave], truths.astype(float), 8)
    found = estimate(8, [wave], Labels(wave.rows, truths[wave.rows]), guide)
    assert found.share.tolist() == pytest.approx([5 / 8])
    assert found.variance.tolist() == pytest.approx([0.0])
    assert found.effective.tolist() == [0.0]


def test_over_all_samples_the_estimate_is_the_share_whatever_the_model_says():
    truths = np.array([1, 0, 0, 1, 1, 0], dtype=bool)[:, None]
    said = np.array([0.9, 0.2, 0.7, 0.1, 0.5, 0.0])[:, None]
    shares = []
    for first in combinations(range(6), 2):
        rest = [row for row in range(6) if row not in first]
        for second in combinations(rest, 2):
            waves = [Wave(first, [1 / 3] * 2), Wave(second, [1 / 2] * 2, 1)]
            rows = np.array(first + second)
            labels = Labels(rows, truths[rows])
            shares.append(estimate(6, waves, labels, guide_of(waves, said, 6)).share[0])
    assert np.mean(shares) == pytest.approx(0.5)


def test_the_beginning_of_a_wave_is_a_sample_with_smaller_chances():
    said = np.full((8, 1), 0.25)
    whole, half = Wave([4, 2, 6, 1], np.full(4, 0.5)), Wave([4, 2], np.full(2, 0.25))
    labels = Labels([2, 4], [[True], [False]])
    one = estimate(8, [whole], labels, guide_of([whole], said, 8))
    other = estimate(8, [half], labels, guide_of([half], said, 8))
    assert one.share.tolist() == pytest.approx(other.share.tolist())
    assert one.variance.tolist() == pytest.approx(other.variance.tolist())


def test_shifts_of_documents_are_part_of_what_they_tell():
    wave = Wave([0, 1], [0.25, 0.25])
    guide = guide_of([wave], np.full((8, 1), 0.5), 8)
    guide.shifts[:] = [[0.4], [0.8]]
    found = estimate(8, [wave], Labels([0, 1], [[True], [False]]), guide)
    assert found.share.tolist() == pytest.approx([(4 + 0.6) / 8])


def test_a_wave_of_one_document_varies_as_the_others_do():
    waves = [Wave(np.arange(10), np.full(10, 0.1)), Wave([10], [1 / 90], 1)]
    truths = np.arange(11)[:, None] % 2 == 0
    found = estimate(100, waves, Labels(np.arange(11), truths), None)
    assert 0.8 < found.variance[0] / (0.25 / 11 * 0.89 * 10 / 9) < 1.2


def test_everything_labelled_is_known():
    wave = Wave(np.arange(6), np.ones(6))
    found = estimate(6, [wave], Labels(np.arange(6), np.arange(6)[:, None] < 2), None)
    assert found.share.tolist() == pytest.approx([1 / 3])
    assert found.variance.tolist() == [0.0]
    assert found.plain == 0.0
