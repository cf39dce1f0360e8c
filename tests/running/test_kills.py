"""Runs that are killed, processes that die, and what is left of them."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest

from quantext.experiments.results import TIMES
from quantext.experiments.workers import work_off
from tests.support.killing import Killed, start_quietly
from tests.support.survey import survey

pytestmark = pytest.mark.slow

N_TASKS = 24

# Enough tasks, and each slow enough, to be killed between the first and the last.
SCRIPT = f"""
import sys
from quantext.datasets.synthetic import synthetic
from quantext.experiments.splits import by_period
from quantext.experiments.run import run
from quantext.models.methods import method

corpus = synthetic(6000, n_topics={N_TASKS}, weeks=8)
names = ["Adaptive", "SVM(KLD)", "SVM(Q)", "CC", "ACC", "PCC", "MM(PP)", "EMQ"]
run(
    corpus,
    by_period(corpus, train_periods=4),
    sys.argv[1],
    methods={{name: method(name) for name in [*names, "Training prevalence"]}},
    jobs=2,
)
"""


def start(folder):
    return subprocess.Popen([sys.executable, "-c", SCRIPT, str(folder)], start_new_session=True)


def finished_tasks(folder):
    return sorted((folder / "tasks").glob("*.parquet"))


def identities(files):
    """What changes if a file is written again."""
    return {file.name: (file.stat().st_ino, file.stat().st_mtime_ns) for file in files}


def wait_for_tasks(folder, n, process):
    while len(finished_tasks(folder)) < n:
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.01)


def children(pid):
    return [int(c) for c in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def wait_until_gone(pids):
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < deadline, "processes are left behind"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uninterrupted")
    assert start(folder).wait() == 0
    return pl.read_parquet(folder / "results.parquet").drop(TIMES)


def test_a_run_that_is_killed_five_times_ends_as_if_it_never_was(uninterrupted, tmp_path):
    rng = random.Random(time.time_ns())
    moments = sorted(rng.sample(range(1, N_TASKS - 4), 5))
    kept = {}
    for n in moments:
        process = start(tmp_path)
        wait_for_tasks(tmp_path, n, process)
        time.sleep(rng.uniform(0, 0.05))
        family = [process.pid, *children(process.pid)]
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        files = finished_tasks(tmp_path)
        assert 1 <= len(files) <= N_TASKS, moments  # of these and all labels at once
        now = identities(files)
        assert {name: now[name] for name in kept} == kept, "a finished task was run again"
        kept = now
        assert not (tmp_path / "results.parquet").exists()
        wait_until_gone(family)
    assert start(tmp_path).wait() == 0
    now = identities(finished_tasks(tmp_path))
    assert {name: now[name] for name in kept} == kept
    assert pl.read_parquet(tmp_path / "results.parquet").drop(TIMES).equals(uninterrupted)
    assert not [
        p for p in tmp_path.rglob("*") if p.name.startswith(".") and p.name != ".quantext-lock"
    ]


def test_ctrl_c_ends_all_processes_quietly_and_the_run_can_go_on(uninterrupted, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for_tasks(tmp_path, 2, process)
    family = children(process.pid)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does, to the whole group
    _, errors = process.communicate(timeout=30)
    assert process.returncode != 0
    assert errors.count("Traceback") == 1, "a worker complained too"
    assert errors.rstrip().endswith("KeyboardInterrupt")
    wait_until_gone(family)
    assert not list(tmp_path.glob(".quantext-vectors"))
    assert start(tmp_path).wait() == 0
    assert pl.read_parquet(tmp_path / "results.parquet").drop(TIMES).equals(uninterrupted)


def test_a_second_process_in_the_same_folder_is_refused(tmp_path):
    first = start(tmp_path)
    try:
        wait_for_tasks(tmp_path, 1, first)
        first.send_signal(signal.SIGSTOP)  # so that it cannot end while the second one starts
        second = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path)],
            check=False,
            capture_output=True,
            text=True,
        )
        assert second.returncode != 0
        assert "is in use by another process" in second.stderr
    finally:
        first.kill()
        first.wait()


def test_a_worker_that_is_killed_fails_its_own_task_only(uninterrupted, tmp_path):
    process = start(tmp_path)
    wait_for_tasks(tmp_path, 2, process)
    worker = next(pid for pid in children(process.pid) if b"spawn_main" in command(pid))
    os.kill(worker, signal.SIGKILL)
    assert process.wait() == 1
    failures = json.loads((tmp_path / "failures.json").read_text())
    [(name, error)] = failures.items()
    assert "its process died (signal 9)" in error
    rows = pl.read_parquet(tmp_path / "results.parquet").drop(TIMES)
    # If it was at all labels, it is the methods that look at them together that failed.
    column, value = ("method", "Adaptive") if name == "all labels" else ("task", name)
    assert rows.equals(uninterrupted.filter(pl.col(column) != value))


SEARCH = """
import sys
import numpy as np
import quantext as qx
from quantext.datasets.synthetic import synthetic

corpus = synthetic(4000, n_topics=3, weeks=4)
grid = {"quantifier": ["ACC", "EMQ"], "classifier__C": np.geomspace(0.01, 10, 12).tolist()}
model = qx.TextQuantifier("ACC")
search = qx.SearchQ(model, grid, out=sys.argv[1], n_jobs=2)
search.fit(corpus.texts, corpus.named_y)
"""


def start_search(folder):
    return subprocess.Popen([sys.executable, "-c", SEARCH, str(folder)], start_new_session=True)


def test_a_search_that_is_killed_goes_on_to_the_same_results(tmp_path):
    assert start_search(tmp_path / "whole").wait() == 0
    folder = tmp_path / "killed"
    process = start_search(folder)
    wait_for_tasks(folder, 3, process)
    process.kill()
    process.wait()
    assert not (folder / "results.parquet").exists()
    before = identities(finished_tasks(folder))
    assert 3 <= len(before) < 12
    assert start_search(folder).wait() == 0
    after = identities(finished_tasks(folder))
    assert len(after) == 12
    assert before.items() <= after.items(), "a finished piece was tried again"
    seconds = ["seconds", "shared_seconds"]
    killed, whole = (
        pl.read_parquet(one / "results.parquet").drop(seconds)
        for one in (folder, tmp_path / "whole")
    )
    assert killed.equals(whole)


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """A folder with data, and with a model and estimates of other data: the old files."""
    place = tmp_path_factory.mktemp("commands") / "with old files"
    place.mkdir()
    survey([60, 40, 30]).write_csv(place / "coded.csv")
    survey([30, 50, 40], seed=1).write_csv(place / "new.csv")
    survey([20, 20, 20], seed=2).write_csv(place / "earlier.csv")
    for words in (TRAIN.replace("coded", "earlier"), ESTIMATE.replace("new", "earlier")):
        assert start_quietly(words, place).wait() == 0
    return place


TRAIN = "train coded.csv --text answer --label topic --model model.qx"
ESTIMATE = "estimate model.qx new.csv --by day --period month --out a.csv --report a.html"
EXPERIMENT = (
    "experiment table --data coded.csv --text answer --label topic --protocol uniform --bags 20 "
    "--size 20 --methods cc,acc,emq,pacc --jobs 2 --out run"
)


def killed_again_and_again(case, n, apart):
    case.learn(apart)
    for _ in range(n):
        case.kill()
    assert start_quietly(case.command, case.folder).wait() == 0
    assert case.written(case.folder) == case.new
    return [
        sorted(path.relative_to(folder) for path in folder.rglob("*"))
        for folder in (case.folder, apart)
    ]


def test_twenty_kills_at_any_moment_leave_the_same_results_and_nothing_else(places, tmp_path):
    cases = {
        "train": (TRAIN, ["model.qx"], 7),
        "estimate": (ESTIMATE, ["a.csv", "a.html"], 7),
        "experiment": (EXPERIMENT, [], 6),
    }
    with ThreadPoolExecutor(3) as pool:  # a thread has little to do but to wait
        running = {}
        for name, (words, outputs, n) in cases.items():
            folder = shutil.copytree(places, tmp_path / name)
            case = Killed(words, outputs, folder, random.Random(name))
            apart = tmp_path / f"{name} apart"
            running[name] = pool.submit(killed_again_and_again, case, n, apart)
        for name, run in running.items():
            there, wanted = run.result()
            assert there == wanted, f"{name} left something behind"
    killed, whole = (
        pl.read_parquet(tmp_path / name / "run" / "results.parquet", glob=False).drop(TIMES)
        for name in ("experiment", "experiment apart")
    )
    assert killed.equals(whole)


def command(pid):
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def double(task):
    if task == 1:
        raise ValueError("odd luck")
    if task == 2:
        os._exit(3)
    if task == 3:
        warnings.warn("careful", UserWarning, stacklevel=1)
    return 2 * task


def test_an_error_or_a_dead_process_is_the_outcome_of_its_own_task():
    outcomes = {outcome.task: outcome for outcome in work_off(double, range(6), jobs=2)}
    assert {task: outcome.result for task, outcome in outcomes.items()} == {
        0: 0, 1: None, 2: None, 3: 6, 4: 8, 5: 10,
    }  # fmt: skip
    assert outcomes[1].error.startswith("odd luck\n")
    assert "in double" in outcomes[1].error
    assert "its process died (exit code 3)" in outcomes[2].error
    assert outcomes[3].warnings == ("careful",)
