"""A test that skips in CI is a failure; see conftest.py."""

import os
import subprocess
import sys

import pytest

from tests.support.places import ROOT

TESTS = """
import pytest
from sklearn.linear_model import Ridge
from sklearn.utils.estimator_checks import check_array_api_input

def test_a_browser():
    pytest.skip("no browser")

@pytest.mark.skipif(True, reason="needs Linux")
def test_a_system():
    pass

def test_a_corpus():
    pytest.skip("real corpora are not here")

@pytest.mark.xfail
def test_what_is_known_to_fail():
    assert False

def test_a_check_that_does_not_apply():
    check_array_api_input("Ridge", Ridge(), "no_such_module")
"""
MODULE = "import pytest\npytest.importorskip('no_such_module')\n"


@pytest.mark.slow
def test_in_ci_a_test_that_skips_has_failed(tmp_path):
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "test_module.py").write_text(MODULE)
    plugins = ["-p", "no:cacheprovider", "-p", "tests.conftest"]
    options = ["-q", "-c", os.devnull, "--continue-on-collection-errors"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *options, tmp_path],
        cwd=ROOT,
        env=os.environ | {"CI": "true"},
        capture_output=True,
        text=True,
    )
    found = done.stdout.splitlines()
    assert found[-1].startswith("1 failed, 2 skipped, 1 xfailed, 2 errors"), done.stdout
    for name in ("test_some.py::test_a_browser", "test_some.py::test_a_system", "test_module.py"):
        assert any(f"{name} - a test must not skip in CI" in line for line in found)
