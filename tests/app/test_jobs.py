"""Work in processes of their own."""

import json
from pathlib import Path

import pytest

from quantext.app.folder import Folder
from quantext.app.jobs import Job, Jobs

SLOW = "import time; print('x', flush=True); time.sleep(60)"


@pytest.fixture
def module(folder: Folder) -> Path:
    """A module in the folder, where the processes run."""
    return folder.path / "job_module.py"


def test_a_job_tells_what_it_printed(jobs: Jobs, module: Path) -> None:
    module.write_text("import sys, json; print(json.dumps(sys.argv[1:]))")
    kept: list[Job] = []
    job = jobs.start("any", "a.csv", "job_module", ["--a=1", "b c"], kept.append)
    assert jobs.wait(job.number, 30) is job
    assert (job.state, job.result, kept) == ("done", ["--a=1", "b c"], [job])


def test_a_job_that_fails_says_why(jobs: Jobs, module: Path) -> None:
    module.write_text("import sys; print('Error: no such column', file=sys.stderr); sys.exit(2)")
    job = jobs.start("any", "a.csv", "job_module", [])
    jobs.wait(job.number, 30)
    assert (job.state, job.said) == ("failed", "no such column")


def test_a_job_can_be_cancelled_while_it_runs_and_while_it_waits(jobs: Jobs, module: Path) -> None:
    module.write_text(SLOW)
    several = [jobs.start("any", "a.csv", "job_module", []) for _ in range(4)]
    for job in several:
        jobs.cancel(job.number)
    for job in several:
        jobs.wait(job.number, 30)
        assert job.state == "cancelled"
    module.write_text("print(1)")
    after = jobs.start("any", "a.csv", "job_module", [])
    assert jobs.wait(after.number, 30) is after
    assert after.result == 1


def test_a_job_of_a_server_that_was_killed_is_called_interrupted(folder: Folder) -> None:
    notes = folder.state / "jobs"
    notes.mkdir(parents=True)
    old = {"kind": "train", "about": "a.csv", "module": "m", "arguments": [], "number": "7",
           "state": "running"}  # fmt: skip
    (notes / "7.json").write_text(json.dumps(old))
    (notes / "8.json").write_text("no note of ours")
    jobs = Jobs(folder.path, notes)
    found = jobs.get("7")
    assert found is not None
    assert found.state == "interrupted"
    assert jobs.get("8") is None
    jobs.close()


def test_progress_reaches_the_job(jobs: Jobs, module: Path) -> None:
    line = json.dumps({"stage": "batches estimated", "done": 3, "total": 8})
    module.write_text(f"import sys; print('{line}', file=sys.stderr); print('hm', file=sys.stderr)")
    job = jobs.start("any", "a.csv", "job_module", [])
    jobs.wait(job.number, 30)
    assert (job.stage, job.done, job.total, job.said) == ("batches estimated", 3, 8, "hm")
