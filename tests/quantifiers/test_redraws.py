"""Redraws: training documents and bags, drawn anew."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from quantext.quantifiers.redraws import Documents, count_bags, pick_bags, redraw_training
from quantext.scores.training import ScoresByClass

# Rows of the documents of three classes, of which the last has none.
CLASSES = [np.array([0, 4, 4, 2]), np.array([3]), np.array([], dtype=np.int64)]
ROWS, ENDS = np.concatenate(CLASSES), np.array([4, 5, 5])


def same_streams():
    return np.random.default_rng(7), np.random.default_rng(7)


def test_training_documents_are_redrawn_as_numpy_draws_them():
    ours, reference = same_streams()
    counts, expected = np.zeros((2, 2, 3, 5), dtype=np.int64)
    redraw_training(ours, ROWS, ENDS, counts)
    for replicate in expected:
        for k, own in enumerate(CLASSES):
            if len(own):
                np.add.at(replicate[k], own[reference.integers(len(own), size=len(own))], 1)
    assert_array_equal(counts, expected)
    assert ours.random() == reference.random()


def test_bags_are_picked_as_numpy_draws_them():
    ours, reference = same_streams()
    classes = np.array([[3, 2, 0], [0, 5, 0], [5, 0, 0]])
    picked = np.empty((3, 5), dtype=np.int64)
    pick_bags(ours, ROWS, ENDS, classes, picked)
    for own, numbers in zip(picked, classes, strict=True):
        drawn = [
            rows[reference.integers(len(rows), size=n)]
            for rows, n in zip(CLASSES, numbers, strict=True)
            if n
        ]
        assert_array_equal(own, np.concatenate(drawn))
    assert ours.random() == reference.random()


def test_large_bags_are_counted_as_numpy_draws_them():
    ours, reference = same_streams()
    counts, expected = np.zeros((2, 1, 5), dtype=np.int64)
    count_bags(ours, ROWS, ENDS, np.array([[9_001, 6, 0]]), counts)
    for own, n in zip(CLASSES, (9_001, 6, 0), strict=True):
        if n:
            np.add.at(expected[0], own[reference.integers(len(own), size=n)], 1)
    assert_array_equal(counts, expected)


@pytest.mark.parametrize(("rows", "size"), [(3, 50), (500, 50), (500, 2_000), (500, 30_000)])
def test_each_class_is_redrawn_from_its_own_documents(rows, size):
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 5, size=(rows, 2)) + 1
    counts[-1] = [0, 9]
    documents = Documents.of(ScoresByClass(np.arange(rows, dtype=float)[:, None], counts))
    assert_array_equal(documents.training.counts, counts)
    again = documents.draw_training(300, rng)
    assert_array_equal(again.sum(axis=2), [counts.sum(axis=0)] * 300)
    assert_allclose(again.mean(axis=0), counts.T, atol=1.0)
    classes, drawn, numbers = documents.draw_bags(np.array([0.8, 0.2]), size, 300, rng)
    assert_array_equal(classes.sum(axis=1), size)
    assert_array_equal(numbers.sum(axis=1), size)
    # Their own share is 0.2 on average, with a deviation of at most sqrt(.16/50)/sqrt(300) = 0.003.
    assert classes[:, 1].mean() / size == pytest.approx(0.2, abs=0.012)
    # Only documents of the second class have the last row.
    share = counts[-1, 1] / counts[:, 1].sum()
    last = (numbers * (drawn == rows - 1)).sum(axis=1)
    assert last.mean() / size == pytest.approx(0.2 * share, abs=0.05 * share + 0.0005)


def test_rows_that_are_equal_are_one():
    scores = np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0]])
    documents = Documents.of(ScoresByClass(scores, np.array([[1, 0], [0, 2], [3, 1]])))
    assert_array_equal(documents.training.scores, [[0.0, 0.0], [1.0, 2.0]])
    assert_array_equal(documents.training.counts, [[0, 2], [4, 1]])
    assert_array_equal(documents.rows, [1, 1, 1, 1, 0, 0, 1])
    assert_array_equal(documents.counts, [4, 3])


def test_classes_without_documents_are_not_drawn():
    counts = np.array([[4, 0, 0], [0, 6, 0]])
    documents = Documents.of(ScoresByClass(np.array([[-1.0], [1.0]]), counts))
    p = np.array([[0.3, 0.3, 0.4], [0.0, 0.0, 1.0]])
    assert_allclose(documents.possible(p), [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]])
