"""What all tests share: none is timed, and in CI one that skips has failed."""

import os
from pathlib import Path
from unittest import SkipTest

import pytest
from hypothesis import settings

# No test is timed: on a machine that others use, any example may take long.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

collect_ignore = ["conftest.py"]  # it has no doctests, and the docs have a file of this name too


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(call):
    """Count a test that skips as failed in CI: its browser, cluster or system should be there."""
    may_skip = _does_not_apply(call.excinfo)  # pytest makes a skip of its own of it hereafter
    outcome = yield
    if not may_skip:
        _refuse_skip(outcome.get_result())


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report():
    """Count a module that skips as failed in CI too."""
    outcome = yield
    _refuse_skip(outcome.get_result())


def _does_not_apply(error):
    """Whether a check of scikit-learn says that it is none for this estimator.

    Those that need predict_proba, or a setting of SciPy, raise SkipTest for estimators and in
    processes without. Nothing is missing then that one could install.
    """
    if error is None or not error.errisinstance(SkipTest):
        return False
    return Path(error.traceback[-1].path).match("sklearn/utils/*.py")


def _refuse_skip(report):
    """Make a skip a failure, but for the real corpora: they are no part of this project."""
    expected = hasattr(report, "wasxfail") or "real corpora" in str(report.longrepr)
    if report.skipped and not expected and os.environ.get("CI"):
        report.outcome = "failed"
        report.longrepr = f"a test must not skip in CI: {report.longrepr}"


def pytest_collection_modifyitems(items):
    """Begin with the longest tests, so that no process is left alone with one at the end."""
    items.sort(key=lambda item: item.path.name != "test_kills.py")
