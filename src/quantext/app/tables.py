"""The page of a table: what is in it, what its columns are for, and what to do next."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from quantext.app.commands import READING, command
from quantext.app.folder import Folder, kind_of
from quantext.app.jobs import Job, Jobs
from quantext.app.rendering import page
from quantext.app.running import as_told

__all__ = ["ROUTES"]


async def _table(request: Request) -> Response:
    folder: Folder = request.app.state.folder
    jobs: Jobs = request.app.state.jobs
    name = request.path_params["name"]
    if kind_of(name) != "table" or not folder.file(name).is_file():
        raise FileNotFoundError(name)
    look = folder.noted(name, "look")
    looking = jobs.latest("look", name)
    job = looking[0] if looking and not looking[0].ended else None
    if look is None and job is None:
        job = _start_look(folder, jobs, name, {})
    return page(
        request, "table.html", name=name, look=look, data={"job": as_told(job) if job else None}
    )


async def _look(request: Request) -> Response:
    """Look at the table again, read in another way."""
    name = request.path_params["name"]
    job = _start_look(request.app.state.folder, request.app.state.jobs, name, await request.json())
    return JSONResponse(as_told(job))


def _start_look(folder: Folder, jobs: Jobs, name: str, options: dict[str, object]) -> Job:
    arguments = command("look", [folder.file(name).name], options, (*READING, "text", "label"))

    def keep(job: Job) -> None:
        folder.note(name, "look", job.result)

    return jobs.start("look", name, "quantext", arguments, keep)


ROUTES = [
    Route("/tables/{name}", _table),
    Route("/tables/{name}/look", _look, methods=["POST"]),
]
