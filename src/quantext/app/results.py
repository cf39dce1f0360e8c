"""The page of a result: the page itself in a frame, and all that belongs to it to take home."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from quantext.app.folder import Folder, kind_of
from quantext.app.jobs import Job
from quantext.app.rendering import page
from quantext.app.running import as_told

__all__ = ["ROUTES", "note_result"]


def note_result(
    folder: Folder,
    name: str,
    tables: Sequence[str],
    about: str,
    job: Job | None = None,
    model: str | None = None,
) -> None:
    """Note of a page what made it and what belongs to it, and of its tables that they are results.

    Parameters
    ----------
    folder
        Of the work.
    name
        Of the page.
    tables
        That were written beside it.
    about
        Name of the table that it tells of.
    job
        That wrote it, if one did.
    model
        That was used, if any.
    """
    command = None if job is None else as_told(job)["command"]
    made = {"command": command, "about": about, "tables": list(tables), "model": model}
    folder.note(name, "made", made)
    for table in tables:
        folder.note(table, "made", {"page": name})


async def _result(request: Request) -> Response:
    folder: Folder = request.app.state.folder
    name = request.path_params["name"]
    if kind_of(name) != "page" or not folder.file(name).is_file():
        raise FileNotFoundError(name)
    made = folder.noted(name, "made") or {}
    belonging = [*made.get("tables", ()), *([made["model"]] if made.get("model") else [])]
    return page(
        request,
        "result.html",
        name=name,
        made=made,
        files=[name, *(file for file in belonging if folder.file(file).is_file())],
    )


ROUTES = [Route("/pages/{name}", _result)]
