"""Files in and out: what is dropped on the page, and what is taken home."""

import zipfile
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import BinaryIO

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from quantext import atomic
from quantext.app.folder import Folder, kind_of
from quantext.app.rendering import failure

__all__ = ["ROUTES"]

# A page of results has scripts of its own, which its own policy names. It is shown as if it came
# from nowhere, so that it can reach nothing of the app, even if it is not ours.
_ISOLATED = {
    "content-security-policy": "sandbox allow-scripts allow-downloads allow-popups; "
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "frame-ancestors 'self'",
}


async def _put(request: Request) -> Response:
    """Take a file; one that is there stays, and the new one gets a number."""
    folder: Folder = request.app.state.folder
    name = request.path_params["name"]
    if kind_of(name) in (None, "page"):
        return failure(f"{name} is neither a table (.csv, .xlsx, .jsonl...) nor a model (.qx)", 415)
    arriving: set[str] = request.app.state.arriving
    name = folder.free_name(name, arriving)
    arriving.add(name)
    try:
        async with _writing(folder.file(name)) as file:
            async for piece in request.stream():
                await run_in_threadpool(file.write, piece)
    except ClientDisconnect:
        return failure("the connection was lost")  # which nobody hears, but nothing is left behind
    finally:
        arriving.discard(name)
    if kind_of(name) == "model" and not zipfile.is_zipfile(folder.file(name)):
        folder.file(name).unlink()
        return failure(f"{name} is not a model of quantext's, or it is damaged", 415)
    return JSONResponse({"name": name, "kind": kind_of(name)}, 201)


@asynccontextmanager
async def _writing(path: Path) -> AsyncIterator[BinaryIO]:
    """As `atomic.writing`; nobody else waits while a large file is brought to the disk."""
    with ExitStack() as stack:
        yield stack.enter_context(atomic.writing(path))
        await run_in_threadpool(stack.close)


async def _get(request: Request) -> Response:
    """A file to keep."""
    path = _existing(request)
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)


async def _show(request: Request) -> Response:
    """A page of results to look at, apart from all else."""
    path = _existing(request)
    if kind_of(path.name) != "page":
        raise ValueError(f"{path.name} is not a page")
    return FileResponse(path, media_type="text/html", headers=_ISOLATED)


def _existing(request: Request) -> Path:
    folder: Folder = request.app.state.folder
    path = folder.file(request.path_params["name"])
    if not path.is_file():
        raise FileNotFoundError(path.name)
    return path


ROUTES = [
    Route("/files/{name}", _put, methods=["PUT"]),
    Route("/files/{name}", _get),
    Route("/shown/{name}", _show),
]
