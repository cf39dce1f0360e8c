"""The server: a folder's pages on this machine's own address, for one person."""

import os
import socket
import threading
import webbrowser
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp

from quantext import atomic
from quantext.app import (
    comparing,
    correcting,
    estimating,
    files,
    home,
    models,
    results,
    running,
    tables,
    training,
)
from quantext.app.door import Door, door_of, kept_door, private_folder
from quantext.app.folder import Folder
from quantext.app.guard import Guard, TooLargeError, too_large
from quantext.app.jobs import Jobs
from quantext.app.label import routes as label
from quantext.app.lock import lock
from quantext.app.rendering import compile_templates, explain, static_files

__all__ = ["application", "serve"]

_SLOW = (
    "quantext.labelling.found",
    "quantext.labelling.kappa",
    "quantext.reports.labelled_page",
    "quantext.models.methods",
)
ADDRESS = "127.0.0.1"  # this machine and no other, whatever is asked for


def application(folder: Folder, jobs: Jobs, door: Door) -> ASGIApp:
    """All pages of a folder, behind the guard.

    Parameters
    ----------
    folder
        To work in.
    jobs
        In it.
    door
        Address and secret.
    """
    app = Starlette(
        routes=[
            *home.ROUTES,
            *files.ROUTES,
            *running.ROUTES,
            *tables.ROUTES,
            *training.ROUTES,
            *models.ROUTES,
            *estimating.ROUTES,
            *results.ROUTES,
            *comparing.ROUTES,
            *correcting.ROUTES,
            *label.ROUTES,
            static_files(),
        ],
        exception_handlers={
            HTTPException: explain,
            OSError: explain,
            TooLargeError: _refuse,
            ValueError: explain,
        },
    )
    app.state.folder = folder
    app.state.jobs = jobs
    app.state.arriving = set()  # names of files that are being sent
    return Guard(app, door)


def serve(
    path: Path, port: int | None, *, browse: bool, tell: Callable[[str], object] = print
) -> None:
    """Serve a folder until Ctrl-C.

    Parameters
    ----------
    path
        The folder; it is made if it is not there.
    port
        Where to listen; by default that of the last time, if it is free, else any.
    browse
        Open the browser.
    tell
        Is called with the address.
    """
    if path.exists() and not path.is_dir():
        raise ValueError(f"{path} is a file; name a folder to work in")
    path.mkdir(parents=True, exist_ok=True)
    folder = Folder(path.resolve())
    folder.check_state()
    folder.state.mkdir(exist_ok=True, mode=0o700)
    locked = lock(folder.state / "lock")
    if locked is None:
        before = kept_door(folder.path)
        where = f" at {before.address}" if before else ""
        raise ValueError(f"{path} is already open{where}; use that page, or end it first")
    with locked:
        _serve(folder, port, browse, tell)


def _serve(folder: Folder, port: int | None, browse: bool, tell: Callable[[str], object]) -> None:
    before = kept_door(folder.path)
    listening = _listen(port, before.port if before else None)
    door = door_of(folder.path, listening.getsockname()[1])
    jobs = Jobs(folder.path, folder.state / "jobs")
    settings = uvicorn.Config(
        application(folder, jobs, door),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        limit_concurrency=512,
        timeout_graceful_shutdown=2,
    )
    tell(door.address)
    threading.Thread(target=_make_ready, daemon=True).start()
    if browse:
        threading.Thread(target=_browse, args=(door,), daemon=True).start()
    try:
        uvicorn.Server(settings).run(sockets=[listening])
    finally:
        jobs.close()


def _make_ready() -> None:
    """Load what takes seconds to load before anyone asks for it."""
    compile_templates()
    for name in _SLOW:
        import_module(name)


def _browse(door: Door) -> None:
    """Open the browser, by a file that leads on: what programs are told, all users can see."""
    path = private_folder() / f"open-{door.port}.html"
    path.touch(mode=0o600)
    page = (
        '<!doctype html><html lang="en"><title>quantext</title>'
        f'<meta http-equiv="refresh" content="0; url={door.address}">'
        f'<p><a href="{door.address}">quantext</a></p></html>'
    )
    atomic.write(path, [page.encode()])
    webbrowser.open(path.as_uri())


async def _refuse(*_: object) -> Response:
    return too_large()


def _listen(port: int | None, before: int | None) -> socket.socket:
    """A socket on the port that is asked for, or on that of before or any other."""
    for wanted in [port] if port is not None else [before or 0, 0]:
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if os.name == "posix":  # elsewhere it would let two servers share a port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((ADDRESS, wanted))
            listening.listen(128)
            return listening
        except OSError:
            listening.close()
    raise OSError(f"port {port} of this machine is in use; choose another with --port")
