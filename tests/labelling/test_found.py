"""Shares, their bounds, and how many labels are needed."""

import subprocess
import sys

import numpy as np
import pytest

from quantext.labelling.bounds import bounds
from quantext.labelling.drawing import first_wave
from quantext.labelling.estimator import Estimate
from quantext.labelling.found import history, needed_labels, shares
from quantext.labelling.task import Labels, Task, Wave
from quantext.quantifiers.sample_bounds import wilson

TASK = Task(("ham", "spam"))


def sampled(n, spam, n_documents=10**6, task=TASK):
    """Shares as found in a simple random sample."""
    wave = Wave(np.arange(n), np.full(n, n / n_documents))
    labels = Labels(np.arange(n), np.eye(2, dtype=bool)[(np.arange(n) < spam).astype(int)])
    return shares(task, n_documents, [wave], labels, None)


def test_of_a_simple_random_sample_bounds_are_nearly_those_of_wilson():
    found = sampled(400, 120)
    low, high = wilson(np.array([0.7, 0.3]), 400, 0.95)
    assert found.share.tolist() == pytest.approx([0.7, 0.3])
    assert np.allclose(found.low, low, atol=0.002)
    assert np.allclose(found.high, high, atol=0.002)


def test_a_class_never_seen_has_an_upper_bound_as_if_nothing_were_known_of_it():
    found = sampled(60, 0)
    _, high = wilson(np.array([0.0]), 60, 0.95)
    assert found.low[1] == 0
    assert found.high[1] > high[0]
    assert found.lacking == ("spam",)


def found_of(share, variance, seen, effective, m=1000):
    """What was found of one class, in a sample of very many documents."""
    parts = (np.array([share]), np.array([variance]), np.array([float(effective)]))
    [low], [high] = bounds(Estimate(*parts, 1 / m, np.array([seen]), m), 0.95)
    return low, high


def test_a_lucky_model_does_not_make_a_class_sure():
    # Every prediction was right: no variance was seen, so none is known.
    low, high = found_of(0.4, 0.0, 40, 0, m=100)
    [low_alone], [high_alone] = wilson(np.array([0.4]), 100, 0.95)
    assert high - low > high_alone - low_alone


def test_a_class_seen_twice_is_not_sure_however_small_its_variance_seems():
    low, high = found_of(0.02, 1e-6, 2, 100, m=100)
    assert high - low > 0.06


def test_half_the_variance_narrows_bounds_as_twice_the_labels_would():
    (low, high), (low_half, high_half) = (found_of(0.4, v, 400, 400) for v in (24e-5, 12e-5))
    assert (high_half - low_half) / (high - low) == pytest.approx(np.sqrt(0.5), rel=0.002)


def test_counts_alone_bound_shares_of_few_documents():
    # 90 of 100 are known, 30 of them spam: from 30 to 40 in all.
    found = sampled(90, 30, 100)
    assert found.low[1] >= 0.3
    assert found.high[1] <= 0.4


def test_everything_known_is_known():
    found = sampled(50, 20, 50)
    assert found.low.tolist() == found.high.tolist() == found.share.tolist() == [0.6, 0.4]
    assert found.reached
    assert found.needed_more == 0


def test_without_labels_nothing_is_known():
    found = shares(TASK, 1000, [first_wave(TASK, 1000)], Labels([], np.empty((0, 2))), None)
    assert np.isnan(found.share).all()
    assert found.low.tolist() == [0, 0]
    assert found.high.tolist() == [1, 1]
    assert found.needed_more is None
    assert found.lacking == ("ham", "spam")
    assert not found.reached


def test_one_label_is_enough_for_bounds_and_no_warning():
    found = sampled(1, 1)
    assert (found.half_width > 0.25).all()


def test_twice_as_narrow_needs_four_times_the_labels():
    assert needed_labels(100, 10**9, 0.06, 0.03) == 400


def test_of_few_documents_fewer_are_needed_and_never_more_than_all():
    # 1/n − 1/300 must be a quarter of 1/100 − 1/300.
    assert needed_labels(100, 300, 0.06, 0.03) == 200
    assert needed_labels(299, 300, 0.2, 0.001) == 300


def test_what_is_needed_is_what_is_missing():
    found = sampled(400, 200)
    expected = needed_labels(400, 10**6, float(found.half_width.max()), 0.03)
    assert found.needed_more == expected - 400
    assert sampled(1200, 600).needed_more == 0


def test_classes_with_fewer_than_ten_documents_are_lacking():
    assert sampled(100, 9).lacking == ("spam",)
    assert sampled(100, 10).lacking == ()


def test_many_skipped_documents_are_noted_and_do_not_count():
    wave = Wave(np.arange(20), np.full(20, 0.02))
    labels = Labels(np.arange(18), np.eye(2, dtype=bool)[np.arange(18) % 2], [18, 19])
    found = shares(TASK, 1000, [wave], labels, None)
    assert found.n_skipped == 2
    assert found.share.tolist() == pytest.approx([0.5, 0.5])
    [note] = found.notes
    assert "2 documents of 20 (10%) could not be labelled" in note


def test_few_skipped_documents_are_not_noted():
    wave = Wave(np.arange(100), np.full(100, 0.02))
    labels = Labels(np.arange(98), np.eye(2, dtype=bool)[np.arange(98) % 2], [98, 99])
    assert shares(TASK, 5000, [wave], labels, None).notes == ()


def test_the_history_ends_with_what_is_known_now_and_begins_with_little():
    waves = [Wave(np.arange(40), np.full(40, 0.02)), Wave(np.arange(40, 63), np.full(23, 0.024), 1)]
    rows = np.random.default_rng(0).permutation(63)  # labels may come in any order
    labels = Labels(rows, np.eye(2, dtype=bool)[rows % 2])
    found, now = (of(TASK, 2000, waves, labels, None) for of in (history, shares))
    assert found.n_labels.tolist() == [*range(5, 63, 5), 63]
    assert found.half_width[-1].tolist() == now.half_width.tolist()
    first = Labels(np.arange(5), np.eye(2, dtype=bool)[np.arange(5) % 2])
    assert (
        found.half_width[0].tolist() == shares(TASK, 2000, waves, first, None).half_width.tolist()
    )


def test_of_many_labels_a_history_has_some_fifty_points():
    wave = Wave(np.arange(1000), np.full(1000, 0.02))
    labels = Labels(np.arange(1000), np.eye(2, dtype=bool)[np.arange(1000) % 2])
    assert len(history(TASK, 50_000, [wave], labels, None).n_labels) == 50


def test_without_labels_there_is_no_history():
    none = Labels([], np.empty((0, 2)))
    assert history(TASK, 100, [first_wave(TASK, 100)], none, None).half_width.shape == (0, 2)


def test_shares_are_said_without_importing_what_takes_seconds():
    slow = {"numba", "pandas", "polars", "sklearn"}
    code = f"import quantext.labelling.found, sys; print({slow} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
