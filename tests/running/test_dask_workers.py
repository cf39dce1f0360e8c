"""Experiments on real workers of a Dask scheduler: what is lost, and what is left."""

import json
import os
import signal
import socket
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import version
from threading import Thread

import dask
import polars as pl
import pytest
from distributed import LocalCluster

from quantext.datasets.synthetic import synthetic
from quantext.experiments import dask_workers as cluster
from quantext.experiments.configuration import (
    configure,
    configured_protocol,
    load_corpus,
    make_methods,
    read_settings,
)
from quantext.experiments.dask_workers import connected, work_off
from quantext.experiments.results import TIMES
from quantext.experiments.run import run
from quantext.experiments.splits import by_period
from quantext.learners.linear import LinearSVM
from quantext.models.methods import method
from quantext.quantifiers import AdjustedCount
from tests.support.clusters import other_cluster
from tests.support.survey import command, start

VERSIONS = {"quantext": version("quantext")}
NOWHERE = "tcp://127.0.0.1:9"  # a port that nobody may listen on

# A cluster in a process of its own, which can be killed as a whole.
# Enough tasks, and each slow enough, to lose the scheduler between the first and the last.
TOML = """
corpus = "synthetic"
methods = ["CC", "ACC", "Adaptive", "MM(PP)", "EMQ"]
[reader]
n_documents = 3000
n_topics = 12
weeks = 8
[split]
train_periods = 4
"""


@pytest.fixture(scope="module")
def scheduler():
    """Address of a scheduler with two workers."""
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        LocalCluster(n_workers=2, **options) as cluster,
    ):
        yield cluster.scheduler_address


@pytest.fixture
def configuration(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(TOML)
    return path


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Results of the configuration without a scheduler."""
    folder = tmp_path_factory.mktemp("alone")
    (folder / "small.toml").write_text(TOML)
    settings = configure(read_settings(folder / "small.toml"))
    corpus = load_corpus(settings)
    [split] = configured_protocol(settings).split(corpus)
    return run(corpus, split, folder, methods=make_methods(settings), jobs=1).drop(TIMES)


def results(folder):
    return pl.read_parquet(folder / "results.parquet").drop(TIMES)


def identities(folder):
    """What changes if the file of a task is written again."""
    files = sorted((folder / "tasks").glob("*.parquet"))
    return {file.name: (file.stat().st_ino, file.stat().st_mtime_ns) for file in files}


def wait_for_tasks(folder, n, process):
    deadline = time.monotonic() + 120
    while len(identities(folder)) < n:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


# Without a cluster -------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["somewhere", "http://somewhere:8786", ""])
def test_what_is_no_address_is_refused_with_one_that_is(address):
    with (
        pytest.raises(ValueError, match=r"is no address of a scheduler .*; write tcp://"),
        connected(address, {}),
    ):
        pass


def test_where_no_scheduler_answers_that_is_said_and_how_to_start_one():
    with (
        pytest.raises(
            ConnectionError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9; start"
        ),
        connected(NOWHERE, {}, seconds=0.2),
    ):
        pass


def talk(server, answer):
    guest, _ = server.accept()
    with guest:
        guest.sendall(answer)
        while guest.recv(1 << 12):
            pass


@pytest.mark.slow
@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"], ids=["mute", "http"])
def test_what_listens_but_is_no_scheduler_is_given_up_in_time(answer):
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"tcp://127.0.0.1:{other.getsockname()[1]}"
        Thread(target=talk, args=(other, answer), daemon=True).start()
        started = time.monotonic()
        with (
            pytest.raises(ConnectionError, match="it does not answer as a scheduler does"),
            connected(address, {}, seconds=1),
        ):
            pass
        assert time.monotonic() - started < 10  # ours is 3 s; Dask alone would wait for minutes


def test_certificates_that_are_missing_are_asked_for():
    with (
        pytest.raises(ConnectionError, match=r"no safe way to .*; name your certificates"),
        connected("tls://127.0.0.1:9", {}, seconds=0.2),
    ):
        pass


@pytest.mark.slow
def test_the_command_ends_with_a_line_and_code_1_where_no_scheduler_answers(
    monkeypatch, capsys, configuration, tmp_path
):
    quantext = command(monkeypatch, capsys)
    options = ("experiment", configuration, "--out", tmp_path / "run")
    code, _, errors = quantext(*options, "--scheduler", NOWHERE)
    assert code == 1
    assert f"Error: no scheduler answers at {NOWHERE}" in errors
    code, _, errors = quantext(*options, "--scheduler", "somewhere")
    assert code == 2
    assert "Error: 'somewhere' is no address of a scheduler" in errors


def test_the_command_without_dask_says_what_to_install(
    monkeypatch, capsys, configuration, tmp_path
):
    monkeypatch.delitem(sys.modules, "quantext.experiments.dask_workers")
    monkeypatch.setitem(sys.modules, "distributed", None)
    quantext = command(monkeypatch, capsys)
    code, _, errors = quantext(
        *("experiment", configuration, "--out", tmp_path / "run", "--scheduler", NOWHERE)
    )
    assert code == 1
    assert "Error: a scheduler needs Dask: pip install 'quantext[dask]'" in errors


def test_a_process_works_at_one_task_at_a_time_however_many_threads_it_has(tmp_path):
    at_work = []

    def work(task):
        at_work.append(task)
        time.sleep(0.01)
        n = len(at_work)
        at_work.remove(task)
        return n

    with ThreadPoolExecutor(4) as threads:
        outcomes = threads.map(lambda task: cluster._attempt(work, task, {}, tmp_path), range(8))
        assert [outcome.result for outcome in outcomes] == [1] * 8


# Tasks on workers --------------------------------------------------------------------------------


def double(task):
    if task == 1:
        raise ValueError("odd luck")
    if task == 2:
        os._exit(3)
    if task == 3:
        warnings.warn("careful", UserWarning, stacklevel=1)
    return 2 * task


@pytest.mark.slow
def test_an_error_or_dead_workers_are_the_outcome_of_their_own_task(scheduler, tmp_path):
    with connected(scheduler, VERSIONS) as client:
        there = work_off(double, range(6), client, VERSIONS, tmp_path)
        outcomes = {outcome.task: outcome for outcome in there}
    assert {task: outcome.result for task, outcome in outcomes.items()} == {
        0: 0, 1: None, 2: None, 3: 6, 4: 8, 5: 10,
    }  # fmt: skip
    assert outcomes[1].error.startswith("odd luck\n")
    assert "in double" in outcomes[1].error
    assert outcomes[2].error == "its worker died, and 2 workers in all; was memory too short?"
    assert outcomes[3].warnings == ("careful",)


def threads(_):
    """Threads that the libraries of a worker may use, at the time of a task."""
    from threadpoolctl import threadpool_info

    import quantext.learners.linear  # noqa: F401 (it loads libraries that have threads)

    return {library["num_threads"] for library in threadpool_info()}


@pytest.mark.slow
def test_a_task_has_one_thread(scheduler, tmp_path):
    with connected(scheduler, VERSIONS) as client:
        outcomes = list(work_off(threads, range(2), client, VERSIONS, tmp_path))
    assert [outcome.result for outcome in outcomes] == [{1}, {1}]


def note(folder, task):
    (folder / str(task)).touch()


@pytest.mark.slow
def test_tasks_that_wait_are_not_begun_once_the_iterator_is_closed(scheduler, tmp_path):
    with connected(scheduler, VERSIONS) as client:
        outcomes = work_off(partial(note, tmp_path), range(50), client, VERSIONS, tmp_path)
        next(outcomes)
        outcomes.close()
        deadline = time.monotonic() + 60
        while any(client.processing().values()):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    # One task for each of two workers was begun, and then none.
    assert {path.name for path in tmp_path.iterdir()} <= {"0", "1"}


@pytest.mark.slow
def test_the_iterator_may_be_closed_after_its_client(scheduler, tmp_path):
    with connected(scheduler, VERSIONS) as client:
        outcomes = work_off(partial(note, tmp_path), range(50), client, VERSIONS, tmp_path)
        next(outcomes)
    outcomes.close()
    assert list(outcomes) == []


@pytest.mark.slow
def test_workers_with_other_packages_or_another_disk_are_refused(scheduler, tmp_path):
    other = {"quantext": "0.0.1"}
    words = rf"cannot take part: quantext is {version('quantext')} there and 0\.0\.1 here"
    with pytest.raises(ValueError, match=words), connected(scheduler, other):
        pass
    words = "nonesuch is missing there and 1 here"
    with pytest.raises(ValueError, match=words), connected(scheduler, {"nonesuch": "1"}):
        pass
    with connected(scheduler, VERSIONS) as client:
        outcomes = work_off(double, range(3), client, VERSIONS, tmp_path / "elsewhere")
        with pytest.raises(ValueError, match=r"it does not see .*elsewhere; choose a folder"):
            next(outcomes)
        # Workers that come later are found out by their tasks.
        late = client.submit(cluster._attempt, double, 0, other, tmp_path).result()
        assert late.error.startswith("quantext is ")


@pytest.mark.slow
def test_a_scheduler_without_workers_is_told_from_one_that_is_not_there():
    with (
        LocalCluster(n_workers=0, dashboard_address=":0") as empty,
        pytest.raises(ConnectionError, match="has no workers; start some with `dask worker tcp:"),
        connected(empty.scheduler_address, VERSIONS, workers_seconds=0.2),
    ):
        pass


def kill(pid, _):
    os.kill(pid, signal.SIGKILL)
    time.sleep(60)


@pytest.mark.slow
def test_a_scheduler_that_is_lost_while_no_task_waits_is_noticed_too(tmp_path):
    with other_cluster() as (process, address), connected(address, VERSIONS) as client:
        outcomes = work_off(partial(kill, process.pid), [0], client, VERSIONS, tmp_path)
        with pytest.raises(ConnectionError, match="is lost; finished tasks are kept"):
            next(outcomes)


@pytest.mark.slow
def test_when_the_last_worker_has_gone_it_is_not_waited_for_without_end(tmp_path):
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as own,
        connected(own.scheduler_address, VERSIONS) as client,
    ):
        outcomes = work_off(str, [0, 1], client, VERSIONS, tmp_path, idle_seconds=0.5)
        assert next(outcomes).result == "0"
        own.scale(0)
        while client.nthreads():
            time.sleep(0.05)
        with pytest.raises(ConnectionError, match=r"last worker has gone, .* for 0\.5 s; finished"):
            list(outcomes)


# Experiments -------------------------------------------------------------------------------------


class Deadly(AdjustedCount):
    """Kills the first process that it is fitted in."""

    def __init__(self, classifier, marker, folds=50, seed=0):
        super().__init__(classifier, folds, seed)
        self.marker = marker

    def learn(self, training):
        if not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().learn(training)


@pytest.mark.slow
def test_a_worker_killed_in_mid_experiment_changes_nothing(scheduler, tmp_path):
    corpus = synthetic(900, n_topics=4, weeks=6)
    split = by_period(corpus, train_periods=3)
    methods = {"CC": method("CC"), "deadly": Deadly(LinearSVM(), tmp_path / "marker", folds=5)}
    there = run(corpus, split, tmp_path / "there", methods=methods, scheduler=scheduler)
    assert (tmp_path / "marker").exists()
    assert not (tmp_path / "there" / "failures.json").exists()
    assert not list((tmp_path / "there").glob(".quantext-vectors"))
    here = run(corpus, split, tmp_path / "here", methods=methods, jobs=1)
    assert there.drop(TIMES).equals(here.drop(TIMES))
    for name in ("checksum", "configuration", "versions", "features"):
        facts = [json.loads((tmp_path / run / "run.json").read_text()) for run in ("here", "there")]
        assert facts[0][name] == facts[1][name]


@pytest.mark.slow
def test_the_command_runs_on_a_scheduler_and_ctrl_c_leaves_what_is_done(
    scheduler, configuration, alone, tmp_path
):
    out = tmp_path / "run"
    options = ("experiment", configuration, "--out", out, "--scheduler", scheduler)
    process = start(*options)
    wait_for_tasks(out, 2, process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=180)
    assert process.returncode == 130, errors
    assert errors.rstrip().endswith("Stopped. The same command goes on from here.")
    assert "Traceback" not in errors
    kept = identities(out)
    assert 2 <= len(kept) < 13  # 12 topics, and all of them at once
    process = start(*options)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    assert kept.items() <= identities(out).items(), "a finished task was run again"
    assert results(out).equals(alone)


@pytest.mark.slow
def test_a_run_that_lost_its_scheduler_says_so_and_goes_on_without_one(
    configuration, alone, tmp_path
):
    out = tmp_path / "run"
    with other_cluster() as (_, address):
        process = start("experiment", configuration, "--out", out, "--scheduler", address)
        wait_for_tasks(out, 2, process)
    _, errors = process.communicate(timeout=180)
    assert process.returncode == 1, errors
    last = errors.rstrip().splitlines()[-1]
    assert last.startswith("Error: the scheduler is lost; finished tasks are kept")
    assert "Traceback" not in errors
    kept = identities(out)
    assert 2 <= len(kept) < 13  # 12 topics, and all of them at once
    assert not list(out.glob(".quantext-vectors"))
    process = start("experiment", configuration, "--out", out, "--jobs", 2)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert kept.items() <= identities(out).items(), "a finished task was run again"
    assert results(out).equals(alone)
