"""Draws: chances are what they are said to be, orders are random, seeds repeat."""

import numpy as np
import pytest

from quantext.labelling.drawing import draw, first_wave, inclusion_chances
from quantext.labelling.task import Task

TASK = Task(("ham", "spam"))


def test_chances_are_in_proportion_and_sum_to_the_number():
    assert inclusion_chances(np.array([1.0, 2.0, 5.0]), 1).tolist() == [0.125, 0.25, 0.625]


def test_what_is_too_large_is_sure_and_the_rest_shares_what_is_left():
    # 10 of 14 would have a chance of 2.1; then 3 of 4, of two, one and a half.
    assert inclusion_chances(np.array([10.0, 3.0, 0.5, 0.5]), 3).tolist() == [1.0, 1.0, 0.5, 0.5]


def test_all_are_sure_if_all_are_drawn():
    assert inclusion_chances(np.array([1.0, 2.0]), 2).tolist() == [1.0, 1.0]


def test_documents_are_drawn_as_often_as_their_chances_say():
    rng, sizes = np.random.default_rng(0), np.array([1.0, 2.0, 3.0, 4.0, 30.0])
    drawn = np.zeros(5)
    for _ in range(1500):
        wave = draw(rng, np.arange(5), sizes, 3, np.array([2, 0, 4, 1, 3]), 1)
        assert len(np.unique(wave.rows)) == 3
        drawn[wave.rows] += 1
    # The fifth is sure; of the others, two of ten parts.
    assert np.allclose(drawn / 1500, [0.2, 0.4, 0.6, 0.8, 1.0], atol=0.05)


def test_the_first_of_a_wave_are_as_good_as_any():
    rng, first = np.random.default_rng(0), np.zeros(4)
    for _ in range(1500):
        wave = draw(rng, np.arange(4), np.array([1.0, 1.0, 1.0, 3.0]), 2, np.arange(4), 1)
        first[wave.rows[0]] += 1
    assert np.allclose(first / 1500, np.array([1, 1, 1, 3]) / 6, atol=0.05)


def test_a_draw_is_even_along_the_order():
    rng = np.random.default_rng(0)
    wave = draw(rng, np.arange(100), np.ones(100), 10, np.arange(100)[::-1], 1)
    assert sorted(row // 10 for row in wave.rows.tolist()) == list(range(10))


def test_the_first_wave_is_a_simple_random_sample():
    wave = first_wave(TASK, 2000)
    assert wave.chances.tolist() == [0.02] * 40
    assert wave.number == 0
    assert len(np.unique(wave.rows)) == 40


def test_the_same_seed_draws_the_same_and_another_does_not():
    again, other = first_wave(TASK, 2000), first_wave(Task(TASK.classes, seed=1), 2000)
    assert first_wave(TASK, 2000).rows.tolist() == again.rows.tolist() != other.rows.tolist()


def test_of_few_documents_the_first_wave_has_all():
    wave = first_wave(TASK, 7)
    assert sorted(wave.rows.tolist()) == list(range(7))
    assert wave.chances.tolist() == [1.0] * 7


def test_with_scores_the_first_wave_has_its_part_of_each_class():
    scores = np.repeat([[0.9, 0.1], [0.2, 0.8]], [900, 100], axis=0)
    wave = first_wave(TASK, 1000, scores)
    assert (wave.rows >= 900).sum() == 4
    assert np.allclose(wave.chances, 0.04)


def test_scores_of_other_documents_are_refused():
    with pytest.raises(ValueError, match=r"shape \(3, 2\) for 10 documents"):
        first_wave(TASK, 10, np.zeros((3, 2)))
    with pytest.raises(ValueError, match="no documents"):
        first_wave(TASK, 0)
