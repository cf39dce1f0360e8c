"""Estimates and training scores on a cluster of two worker processes."""

import os
import re
import signal
from pathlib import Path

import dask
import dask.bag as db
import numpy as np
import pytest
from distributed import Client, LocalCluster
from distributed.utils import silence_logging_cmgr

from quantext.learners.linear import LinearSVM
from quantext.models import distributed
from quantext.models.methods import method
from quantext.models.textquantifier import TextQuantifier
from quantext.scores import training as scores
from quantext.vectors.disk import write_vectors
from quantext.vectors.ltc import LtcVectorizer
from tests.support.clusters import other_cluster
from tests.support.distributed import (
    TEXTS,
    TRAIN,
    fails,
    fit_model,
    frame,
    labels_of,
    local,
    same,
    same_scores,
    write_files,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def vectors():
    return LtcVectorizer().fit_transform(TRAIN["answer"])


@pytest.fixture(scope="module")
def model():
    return fit_model()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def die_once(text, marker):
    """Kill the worker that is the first to read this text."""
    if text == TEXTS[100] and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return text


def long_texts():
    """Some 200 kB."""
    return [f"{text} " * 20 for text in TEXTS]


@pytest.mark.usefixtures("client")
def test_workers_estimate_what_one_process_does(model, files):
    columns = {"text": "answer", "date": "day", "label": "topic"}
    alone = local(model, date="day", label="topic")
    assert same(distributed.estimate(model, files, level=None, **columns), alone)
    assert same(distributed.estimate(model, frame(), level=None, **columns), alone)
    alone = local(model)
    assert same(distributed.estimate(model, frame()["answer"], level=None), alone)
    bag = distributed.estimate(model, db.from_sequence(TEXTS, npartitions=9), level=None)
    assert bag.table.equals(alone.table)


class Noted(TextQuantifier):
    """Notes each process that it arrives in."""

    def __setstate__(self, state):
        super().__setstate__(state)
        with open(self.notes, "a") as file:
            file.write(f"{os.getpid()}\n")


def test_the_model_travels_to_each_worker_and_not_with_each_part(client, tmp_path):
    model = Noted(method("CC"))
    model.notes = tmp_path / "notes"
    model.fit(TRAIN["answer"], TRAIN["topic"])
    distributed.estimate(model, db.from_sequence(TEXTS, npartitions=40))
    arrivals = (tmp_path / "notes").read_text().split()
    workers = [str(pid) for pid in client.run(os.getpid).values()]
    # Once; or twice, if Dask gives the model to one worker, and, before it is there, to the other.
    assert {arrivals.count(pid) for pid in workers} <= {1, 2}


@pytest.mark.usefixtures("client")
def test_workers_score_what_one_process_does(vectors, tmp_path):
    X = write_vectors([vectors], tmp_path / "vectors")
    # More than the 10 MB of which Dask warns.
    wide = np.hstack([vectors.toarray(), np.zeros((vectors.shape[0], 40_000), np.float32)])
    y = labels_of("multi-label")
    here = scores.score_training(LinearSVM(), vectors, y, folds=5)
    for documents in (vectors, X):
        there = distributed.score_training(LinearSVM(), documents, y, folds=5)
        assert same_scores(there, here, vectors)
    there = distributed.score_training(LinearSVM(), wide, y, folds=5)
    np.testing.assert_array_equal(there.out_of_fold, here.out_of_fold)


@pytest.mark.usefixtures("client")
def test_an_error_on_a_worker_is_raised_as_if_it_were_here(model):
    bag = db.from_sequence([*TEXTS, 3], npartitions=8)
    last = len(TEXTS) // 8
    fails(TypeError, f"partition 7 of the bag: text {last} (counting from 0) is 3", model, bag)


def test_a_worker_that_is_killed_while_it_estimates_changes_nothing(client, model, tmp_path):
    before = set(client.run(os.getpid).values())
    bag = db.from_sequence(TEXTS, npartitions=16).map(die_once, tmp_path / "marker")
    got = distributed.estimate(model, bag, level=None)
    assert (tmp_path / "marker").exists()
    # Dask may or may not have started another one by now.
    assert len(before - set(client.run(os.getpid).values())) == 1, "no worker died"
    assert got.table.equals(local(model).table)


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux")
@pytest.mark.usefixtures("client")
def test_the_client_never_holds_the_documents(model):
    n_parts = 200
    bag = db.from_delayed([dask.delayed(long_texts)() for _ in range(n_parts)])
    expected = model.predict(long_texts())
    Path("/proc/self/clear_refs").write_text("5")  # from here on, count the peak anew
    before = peak_memory()
    got = distributed.estimate(model, bag, level=None)
    assert got.n_documents == n_parts * len(TEXTS)
    assert sum(map(len, long_texts())) * n_parts > 30e6
    assert peak_memory() - before < 20
    np.testing.assert_array_equal(got, expected)


def die(items, pid):
    """Kill a process from a worker."""
    os.kill(pid, signal.SIGKILL)
    return items


def test_a_scheduler_that_is_lost_is_a_connection_error(model):
    with other_cluster() as (process, address):
        bag = db.from_sequence(TEXTS, npartitions=4).map_partitions(die, process.pid)
        with (
            silence_logging_cmgr("CRITICAL"),
            Client(address, timeout=2),
            pytest.raises(ConnectionError, match="the scheduler is lost"),
        ):
            distributed.estimate(model, bag)


def peak_memory():
    """Most memory that this process has held, in MB."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024
