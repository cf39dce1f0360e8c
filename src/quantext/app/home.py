"""The first page: what is in the folder, and what one can do with it."""

import math
from datetime import datetime
from typing import Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from quantext.app.folder import Folder, Listed
from quantext.app.jobs import Jobs
from quantext.app.rendering import page

__all__ = ["ROUTES"]

EXAMPLE = "example.csv"  # as `quantext.app.example` calls it, which is slow to import


async def _home(request: Request) -> Response:
    folder: Folder = request.app.state.folder
    kinds = await run_in_threadpool(_by_kind, folder)
    return page(request, "home.html", kinds=kinds, any=any(kinds.values()))


def _by_kind(folder: Folder) -> dict[str, list[dict[str, Any]]]:
    """Files by what they are; tables that are themselves results stand with these, to take home."""
    kinds: dict[str, list[dict[str, Any]]] = {"table": [], "model": [], "page": []}
    for file in folder.files():
        result = file.kind == "table" and folder.noted(file.name, "made") is not None
        place = "files" if result else f"{file.kind}s"
        href = f"/{place}/{quote(file.name, safe='')}"
        shown = _shown(file) | {"href": href, "result": result}
        kinds["page" if result else file.kind].append(shown)
    return kinds


async def _example(request: Request) -> Response:
    """Write made-up answers, for who has nothing at hand."""
    folder: Folder = request.app.state.folder
    jobs: Jobs = request.app.state.jobs
    if not folder.file(EXAMPLE).exists():
        job = jobs.start("example", EXAMPLE, "quantext.app.example", [])
        await run_in_threadpool(jobs.wait, job.number, 60)
        if job.state != "done":
            raise ValueError(job.said)
    return JSONResponse({"name": EXAMPLE, "kind": "table"})


def _shown(file: Listed) -> dict[str, Any]:
    """A file, as people read it."""
    changed = datetime.fromtimestamp(file.changed)
    return {
        "name": file.name,
        "size": _size(file.size),
        "changed": f"{changed:%Y-%m-%d %H:%M}",
    }


def _size(size: int) -> str:
    """A number of bytes in a unit that fits.

    Examples
    --------
    >>> _size(999), _size(1_234), _size(56_789_012), _size(4_300_000_000)
    ('999 bytes', '1.2 KB', '57 MB', '4.3 GB')
    """
    if size < 1000:
        return f"{size} bytes"
    power = min(int(math.log10(size + 0.5) // 3), 3)
    value = size / 1000**power
    return f"{value:,.{1 if value < 9.95 else 0}f} {('KB', 'MB', 'GB')[power - 1]}"


ROUTES = [
    Route("/", _home),
    Route("/example", _example, methods=["POST"]),
]
