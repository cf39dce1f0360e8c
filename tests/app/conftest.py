"""A folder that is served without a network: requests go straight to the application."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from quantext.app.door import Door
from quantext.app.folder import Folder
from quantext.app.jobs import Jobs
from quantext.app.server import application

DOOR = Door(8765, "s" * 43)
HOST = f"http://127.0.0.1:{DOOR.port}"


@pytest.fixture(autouse=True)
def _private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept with the settings of who runs the tests."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    place = Folder(tmp_path / "work")
    place.path.mkdir()
    return place


@pytest.fixture
def jobs(folder: Folder) -> Iterator[Jobs]:
    jobs = Jobs(folder.path, folder.state / "jobs")
    yield jobs
    jobs.close()


@pytest.fixture
def stranger(folder: Folder, jobs: Jobs) -> TestClient:
    """A client that does not know the secret."""
    return TestClient(application(folder, jobs, DOOR), base_url=HOST, follow_redirects=False)


@pytest.fixture
def client(stranger: TestClient) -> TestClient:
    """The owner's browser."""
    stranger.cookies.set(DOOR.cookie, DOOR.secret)
    stranger.headers["origin"] = HOST
    return stranger
