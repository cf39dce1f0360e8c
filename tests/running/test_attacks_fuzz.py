"""Structured attacks, each in a child process with limits; `make fuzz` makes thousands of them."""

import subprocess
import sys

import pytest

from tests.support.fuzz_attacks import KINDS
from tests.support.places import ROOT

pytestmark = pytest.mark.slow
# Run folders are used from end to end, and some bombs take seconds; all kinds of damage are there.
CASES = {"models": 100, "sparse": 150, "vectors": 80, "runs": 30, "bombs": 19}


@pytest.mark.parametrize("kind", KINDS)
def test_attacks_are_refused_or_answered_in_little_time_and_memory(kind):
    run = subprocess.run(
        [sys.executable, "-m", "tests.support.fuzz_attacks", str(CASES[kind]), kind],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr[-5000:]
    assert run.stdout.startswith(f"{kind}: {CASES[kind]} attacks: ")
    assert ", 0 violations; " in run.stdout
