"""What the snippets in these pages share when pytest runs them."""

import sys
from types import ModuleType

import pytest

collect_ignore_glob = ["*.py"]  # only the pages have snippets


def pytest_collection_modifyitems(items):
    """Mark pages whose snippets take many seconds: those that redraw intervals by the hundred."""
    for item in items:
        if item.path.name == "intervals.md":
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def _as_in_a_session_of_its_own(request, tmp_path, monkeypatch):
    """Give each page an empty folder to write to, and its classes a module to be found in."""
    monkeypatch.chdir(tmp_path)
    names = request.node.dtest.globs
    main = ModuleType("__main__")

    def look_up(name):
        if name not in names:
            raise AttributeError(name)
        return names[name]

    main.__getattr__ = look_up  # pickle finds a class by its name in here
    monkeypatch.setitem(sys.modules, "__main__", main)
