"""Work in processes of their own."""

import json
from pathlib import Path

import pytest

from quantext.app.folder import Folder
from quantext.app.jobs import Job, Jobs

SLOW = "import time; print('x', flush=True); time.sleep(60)"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module that processes find."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path / "job_module.py"


def test_no_code_is_taken_from_the_folder(jobs: Jobs, folder: Folder, module: Path) -> None:
    module.write_text("import random; print(1)")
    (folder.path / "quantext").mkdir()
    for name in ("quantext/__init__.py", "random.py", "job_module.py", "sitecustomize.py"):
        (folder.path / name).write_text("raise SystemExit('taken from the folder')")
    job = jobs.start("any", "a.csv", "job_module", [])
    jobs.wait(job.number, 30)
    assert (job.state, job.result) == ("done", 1)


def test_notes_that_are_not_ours_are_passed_over_and_left(folder: Folder) -> None:
    notes = folder.state / "jobs"
    notes.mkdir(parents=True)
    good = {"kind": "look", "about": "a", "module": "m", "arguments": [], "state": "done"}
    number = "0123456789abcdef"
    for place, change in enumerate(
        [{"number": {}}, {"about": 1}, {"arguments": 7}, {"total": "x"}, {"kind": None}, {"x": 1}]
    ):
        own = f"{place:016x}"
        (notes / f"{own}.json").write_text(json.dumps(good | {"number": own} | change))
    (notes / "1111111111111111.json").write_text("[" * 100_000)
    (notes / "2222222222222222.json").mkdir()
    (notes / f"{number}.json").write_text(json.dumps(good | {"number": number}))
    for other in range(60):
        (notes / f"mine-{other}.json").write_text("{}")
    jobs = Jobs(folder.path, notes)
    assert [job.number for job in jobs.latest()] == [number]
    assert len(list(notes.glob("mine-*.json"))) == 60
    jobs.close()


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
    old = {"kind": "train", "about": "a.csv", "module": "m", "arguments": [], "number": "7" * 16,
           "state": "running"}  # fmt: skip
    (notes / f"{'7' * 16}.json").write_text(json.dumps(old))
    (notes / f"{'8' * 16}.json").write_text("no note of ours")
    jobs = Jobs(folder.path, notes)
    found = jobs.get("7" * 16)
    assert found is not None
    assert found.state == "interrupted"
    assert jobs.get("8" * 16) is None
    jobs.close()


def test_progress_reaches_the_job(jobs: Jobs, module: Path) -> None:
    line = json.dumps({"stage": "batches estimated", "done": 3, "total": 8})
    module.write_text(f"import sys; print('{line}', file=sys.stderr); print('hm', file=sys.stderr)")
    job = jobs.start("any", "a.csv", "job_module", [])
    jobs.wait(job.number, 30)
    assert (job.stage, job.done, job.total, job.said) == ("batches estimated", 3, 8, "hm")
