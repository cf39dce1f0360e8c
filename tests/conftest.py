"""What all tests share."""

import os

import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """Count a slow test that skips as failed in CI: its browser or cluster should be there."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and item.get_closest_marker("slow") and os.environ.get("CI"):
        report.outcome = "failed"
        report.longrepr = f"a slow test must not skip in CI: {report.longrepr}"
