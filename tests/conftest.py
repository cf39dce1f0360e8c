"""What all tests share."""

import os

import pytest

collect_ignore = ["conftest.py"]  # it has no doctests, and the docs have a file of this name too


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """Count a slow test that skips as failed in CI: its browser or cluster should be there.

    Real corpora need not be, for they are no part of this project.
    """
    outcome = yield
    report = outcome.get_result()
    missing = report.skipped and "real corpora" not in str(report.longrepr)
    if missing and item.get_closest_marker("slow") and os.environ.get("CI"):
        report.outcome = "failed"
        report.longrepr = f"a slow test must not skip in CI: {report.longrepr}"
