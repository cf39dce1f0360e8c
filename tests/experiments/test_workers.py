"""Workers that are started ahead of their work."""

import os
import pickle
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_info

from quantext.experiments.ahead import workers_ahead
from quantext.experiments.rows import Spec
from quantext.experiments.stored import Stored, store
from quantext.experiments.tasks import Task
from quantext.experiments.workers import started, work_off
from quantext.models.methods import METHODS


def leave_a_mark(folder):
    (folder / str(os.getpid())).touch()


def own_number(_):
    return os.getpid()


def test_workers_that_were_started_before_do_the_tasks(tmp_path):
    with started(2, partial(leave_a_mark, tmp_path)) as idle:
        outcomes = list(work_off(own_number, range(6), 2, idle))
    ahead = {worker.process.pid for worker in idle}
    assert sorted(outcome.task for outcome in outcomes) == list(range(6))
    assert {outcome.result for outcome in outcomes} <= ahead
    assert {int(mark.name) for mark in tmp_path.iterdir()} == ahead


def test_workers_that_were_not_needed_end():
    with started(2, own_process_is_fine) as idle:
        assert [outcome.result for outcome in work_off(abs, [-3], 1, idle)] == [3]
    assert all(worker.process.exitcode is not None for worker in idle)


def own_process_is_fine():
    pass


def test_workers_end_with_what_goes_wrong_meanwhile():
    with pytest.raises(ValueError, match="no such corpus"), started(2, own_process_is_fine) as idle:
        raise ValueError("no such corpus")
    assert len(idle) == 2
    assert all(worker.process.exitcode is not None for worker in idle)


def fail():
    raise ImportError("not here")


def test_a_worker_that_cannot_get_ready_is_an_error():
    with (
        pytest.raises(RuntimeError, match="ended before it began"),
        started(2, fail) as idle,
    ):
        list(work_off(abs, [1, 2], 2, idle))


def numpy_threads(_):
    """Of the libraries that this module, and so NumPy and SciPy, have loaded."""
    return [own["num_threads"] for own in threadpool_info()]


@pytest.mark.parametrize("jobs_ahead", [1, 2], ids=["when needed", "ahead"])
def test_a_worker_has_one_thread(jobs_ahead, monkeypatch):
    """Also of libraries that are loaded only when it gets ready, or gets its work."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    with workers_ahead(jobs_ahead) as idle:
        outcomes = list(work_off(numpy_threads, [0, 1], 2, idle))
    for outcome in outcomes:
        assert outcome.error is None
        assert outcome.result
        assert set(outcome.result) == {1}


def test_workers_ahead_that_have_died_or_ended_are_replaced():
    with started(2, own_process_is_fine) as idle:
        idle[0].process.kill()
        idle[0].process.join()
        for _ in range(2):  # the second time, those that were left have ended
            outcomes = list(work_off(abs, [-1, -2, -3], 2, idle))
            assert sorted(outcome.result for outcome in outcomes) == [1, 2, 3]


def test_workers_ahead_for_which_there_is_no_task_end_at_once():
    with started(3, own_process_is_fine) as idle:
        outcomes = work_off(abs, [-1], 3, idle)
        next(outcomes)
        assert sum(worker.process.exitcode is None for worker in idle) <= 1
        outcomes.close()


class Unreadable:
    def __call__(self, task):
        return task

    def __reduce__(self):
        raise OSError("cannot be read")


def test_work_that_cannot_be_sent_is_an_error():
    with pytest.raises(OSError, match="cannot be read"):
        list(work_off(Unreadable(), [1, 2], 2))


def test_one_job_needs_no_other_process():
    with workers_ahead(1) as workers:
        assert workers == []


def test_what_is_stored_is_opened_once_and_not_sent_along(tmp_path):
    X, y = sparse.csr_matrix(np.eye(3, dtype=np.float32)), np.array([[True, False, True]])
    task = Task("a", (0,))
    bags, shares = [np.arange(3)], np.full((1, 1), np.nan)
    store(Stored(X, X, y, y, bags, ["a"], ["1"], [None], False, shares, [task]), tmp_path / "0")
    spec = Spec(tmp_path, {"CC": METHODS["CC"].make()})
    assert spec.stored(0) is spec.stored(0)
    sent = pickle.loads(pickle.dumps(spec))
    assert sent.folder == Path(tmp_path)
    assert sent.stored(0) is not spec.stored(0)
    assert sent.stored(0).tasks == [task]
