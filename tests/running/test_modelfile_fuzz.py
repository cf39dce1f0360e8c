"""Changed model files, in one process with limits."""

import subprocess
import sys

import pytest

from tests.support.places import ROOT


@pytest.mark.slow
def test_changed_model_files_are_refused_in_little_time_and_memory():
    run = subprocess.run(
        [sys.executable, "-m", "tests.support.fuzz_modelfile", "200"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("200 files: 1")  # nearly all of them are refused
