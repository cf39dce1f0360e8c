"""The server as others on the machine see it, by plain sockets."""

import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from quantext.app.door import Door, door_of, kept_door, private_folder
from quantext.app.folder import Folder
from quantext.app.jobs import Jobs
from quantext.app.lock import lock
from quantext.app.server import _browse, application, serve


@pytest.fixture
def door(folder: Folder, jobs: Jobs) -> Iterator[Door]:
    """Of a folder that is being served."""
    listening = socket.create_server(("127.0.0.1", 0))
    door = Door(listening.getsockname()[1], "s" * 43)
    settings = uvicorn.Config(
        application(folder, jobs, door), log_level="critical", lifespan="off", ws="none"
    )
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    yield door
    server.should_exit = True
    thread.join()
    listening.close()


def answer_to(door: Door, request: str, body: bytes = b"") -> str:
    """The first line of the answer; CRLF and the way in are filled in."""
    known = {
        "HOST": f"Host: 127.0.0.1:{door.port}",
        "KEY": f"Cookie: {door.cookie}={door.secret}",
        "ORIGIN": f"Origin: http://127.0.0.1:{door.port}",
    }
    lines = [known.get(line.strip(), line.strip()) for line in request.strip().splitlines()]
    with socket.create_connection(("127.0.0.1", door.port), timeout=20) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        return connection.recv(65536).decode("latin-1").split("\r\n")[0]


def test_who_has_the_secret_is_answered(door: Door) -> None:
    assert answer_to(door, "GET / HTTP/1.1\nHOST\nKEY") == "HTTP/1.1 200 OK"


@pytest.mark.parametrize(
    "request_text",
    [
        "GET / HTTP/1.1\nKEY",
        "GET / HTTP/1.1\nHOST\nHost: evil.example\nKEY",
        "GET / HTTP/1.1\nHost: evil.example\nHOST\nKEY",
        "GET http://evil.example/ HTTP/1.1\nHost: evil.example\nKEY",
        "GET / HTTP/1.0\nKEY",
        "GET / HTTP/1.1\nHOST",
        "HEAD / HTTP/1.1\nHOST",
        "OPTIONS / HTTP/1.1\nHOST\nKEY",
        "CONNECT evil.example:443 HTTP/1.1\nHOST",
        "PUT /files/a.csv HTTP/1.1\nHOST\nKEY\nORIGIN\nOrigin: null\nContent-Length: 0",
        "PUT /files/a.csv HTTP/1.1\nHOST\nKEY\nContent-Length: 0",
        "PUT /files/../../a.csv HTTP/1.1\nHOST\nKEY\nORIGIN\nContent-Length: 0",
        "PUT /files/%2e%2e%2fa.csv HTTP/1.1\nHOST\nKEY\nORIGIN\nContent-Length: 0",
        "PUT /files/a%00.csv HTTP/1.1\nHOST\nKEY\nORIGIN\nContent-Length: 0",
        "GET /files/../../../etc/passwd HTTP/1.1\nHOST\nKEY",
        "GET /static/../app.py HTTP/1.1\nHOST\nKEY",
        "GET /static/english.toml HTTP/1.1\nHOST\nKEY",
    ],
)
def test_all_others_are_refused(door: Door, folder: Folder, request_text: str) -> None:
    status = int(answer_to(door, request_text).split()[1])
    assert 400 <= status < 500
    assert not list(folder.path.glob("*.csv"))
    assert not list(folder.path.parent.glob("*.csv"))


@pytest.mark.parametrize("key", ["KEY", "X: none"])
def test_sockets_of_the_web_are_not_opened(door: Door, key: str) -> None:
    wanted = "Upgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Version: 13"
    asked = f"GET /jobs HTTP/1.1\nHOST\n{key}\nOrigin: http://evil.example\n{wanted}"
    answer = answer_to(door, f"{asked}\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
    assert answer.split()[1] == "403"


def test_ten_gigabytes_are_refused_before_they_are_sent(door: Door) -> None:
    announced = f"PUT /files/a.csv HTTP/1.1\nHOST\nKEY\nORIGIN\nContent-Length: {10 << 30}"
    assert " 413 " in answer_to(door, announced)


def test_an_upload_that_breaks_off_leaves_nothing(door: Door, folder: Folder) -> None:
    begun = "PUT /files/a.csv HTTP/1.1\nHOST\nKEY\nORIGIN\nContent-Length: 1000"
    lines = begun.replace("HOST", f"Host: 127.0.0.1:{door.port}")
    lines = lines.replace("KEY", f"Cookie: {door.cookie}={door.secret}")
    lines = lines.replace("ORIGIN", f"Origin: http://127.0.0.1:{door.port}")
    with socket.create_connection(("127.0.0.1", door.port)) as connection:
        connection.sendall(lines.replace("\n", "\r\n").encode() + b"\r\n\r\ntext\n")
        time.sleep(0.1)
    assert answer_to(door, "GET / HTTP/1.1\nHOST\nKEY") == "HTTP/1.1 200 OK"
    assert [path.name for path in folder.path.iterdir()] == [".quantext"]


def test_the_door_is_the_same_after_a_restart(tmp_path: Path) -> None:
    first = door_of(tmp_path, 4000)
    assert door_of(tmp_path, 4000) == first
    assert door_of(tmp_path, 4001).secret != first.secret
    assert len(first.secret) >= 43
    assert first != door_of(tmp_path / "other", 4000)
    for path in (private_folder(), *private_folder().iterdir()):
        assert path.stat().st_mode & 0o077 == 0
    assert list(tmp_path.glob("**/.quantext")) == []


@pytest.mark.parametrize(
    "noted", ["", "[]", "{}", '{"port": 4000, "secret": ""}', '{"port": "x", "secret": 7}']
)
def test_a_door_that_was_tampered_with_is_made_anew(tmp_path: Path, noted: str) -> None:
    door_of(tmp_path, 4000)
    next(private_folder().iterdir()).write_text(noted)
    assert kept_door(tmp_path) is None
    assert len(door_of(tmp_path, 4000).secret) >= 43


def test_notes_that_lead_elsewhere_are_refused(tmp_path: Path) -> None:
    (tmp_path / "f" / ".quantext").mkdir(parents=True)
    (tmp_path / "f" / ".quantext" / "jobs").symlink_to(tmp_path)
    with pytest.raises(ValueError, match=r"jobs is a link, which quantext does not make"):
        serve(tmp_path / "f", None, browse=False)
    (tmp_path / "g").mkdir()
    (tmp_path / "g" / ".quantext").symlink_to(tmp_path)
    with pytest.raises(ValueError, match="is a link"):
        serve(tmp_path / "g", None, browse=False)


def test_the_browser_is_led_in_by_a_file_that_only_the_user_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[str] = []
    monkeypatch.setattr("webbrowser.open", told.append)
    _browse(Door(4000, "s" * 43))
    path = Path(told[0].removeprefix("file://"))
    assert "s" * 43 not in told[0]
    assert f"http://127.0.0.1:4000/?key={'s' * 43}" in path.read_text()
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_what_is_slow_to_load_is_loaded_before_anyone_asks() -> None:
    program = """
import sys
from quantext.app import server
from quantext.app.rendering import _environment
assert "sklearn" not in sys.modules
server._make_ready()
assert _environment().cache
before = set(sys.modules)
from quantext.app.training import _all_methods
import quantext.app.label.truths, quantext.labelling.found, quantext.labelling.guide
import quantext.labelling.kappa, quantext.reports.labelled_page
_all_methods()
print([name for name in sys.modules if name not in before and "." in name])
"""
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == "['quantext.app.label.truths']"


def test_a_folder_is_locked_until_its_server_is_gone(tmp_path: Path) -> None:
    first = lock(tmp_path / "lock")
    assert first is not None
    assert lock(tmp_path / "lock") is None
    first.close()
    again = lock(tmp_path / "lock")
    assert again is not None
    again.close()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_the_command_says_where_it_is_and_ends_with_control_c(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "quantext", "app", str(tmp_path / "new"), "--no-browser"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        told = "".join(process.stdout.readline() for _ in range(3))
        second = subprocess.run(command, capture_output=True, text=True, check=False)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stderr.read() == ""
    assert "http://127.0.0.1:" in told
    assert second.returncode == 2
    assert "is already open at http://127.0.0.1:" in second.stderr
