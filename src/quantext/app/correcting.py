"""The page that corrects a model's labels by those that people have checked."""

import os
from itertools import count
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from quantext.app.choices import choices_of, reading_of
from quantext.app.commands import READING, command
from quantext.app.folder import Folder
from quantext.app.jobs import Job, Jobs
from quantext.app.looking import looked, table_file
from quantext.app.models import tables_to_count
from quantext.app.rendering import page, sent
from quantext.app.results import note_result
from quantext.app.running import as_told

__all__ = ["ROUTES"]

_OPTIONS = (
    *READING,
    "proxy",
    "truth",
    "design",
    "by",
    "period",
    "date-format",
    "separator",
    "merge-labels",
    "truth-file",
    "id",
    "out",
    "report",
)


async def _page(request: Request) -> Response:
    folder: Folder = request.app.state.folder
    jobs: Jobs = request.app.state.jobs
    name = table_file(folder, request.path_params["name"])
    look = looked(folder, jobs, name)
    last = next(iter(jobs.latest("correct", name)), None)
    tables = [table for table in tables_to_count(folder) if table != name]
    # The table in which people's labels are, if they are not in this one.
    truths = request.query_params.get("truths") or None
    other = looked(folder, jobs, table_file(folder, truths)) if truths else look
    theirs = [column["name"] for column in (other.found or {}).get("columns", ())]
    job = look.job or other.job
    return page(
        request,
        "correct.html",
        name=name,
        look=look.found,
        choices=choices_of(folder, name),
        tables=tables,
        truths=truths,
        theirs=theirs,
        truth=choices_of(folder, truths or name).get("label"),
        found=folder.noted(name, "correct"),
        data={
            "name": name,
            "look": as_told(job) if job else None,
            "job": as_told(last) if last and last.state != "done" else None,
        },
    )


async def _start(request: Request) -> Response:
    """Correct, with what the form says."""
    folder: Folder = request.app.state.folder
    jobs: Jobs = request.app.state.jobs
    name = table_file(folder, request.path_params["name"])
    given = await sent(request)
    if not isinstance(given.get("truth-file", ""), str):
        raise ValueError("the table of the truths is named by a text")
    if given.get("truth-file"):
        given["truth-file"] = f"./{table_file(folder, given['truth-file'])}"
    options = reading_of(choices_of(folder, name)) | given
    report, table, arguments = _place(folder, jobs, name, options)
    for job in jobs.latest("correct", name):
        if not job.ended:
            if job.arguments == tuple(arguments):  # asked twice, as after a lost connection
                return JSONResponse(as_told(job))
            await run_in_threadpool(jobs.cancel, job.number)

    def keep(job: Job) -> None:
        kept = {"report": report, "table": table}
        shares = [one for one in job.result["shares"] if one["batch"] == "all"]
        folder.note(name, "correct", kept | {"shares": shares, "warnings": job.result["warnings"]})
        note_result(folder, report, [table], name, job)

    return JSONResponse(as_told(jobs.start("correct", name, "quantext", arguments, keep)))


def _place(
    folder: Folder, jobs: Jobs, name: str, options: dict[str, Any]
) -> tuple[str, str, list[str]]:
    """Names of the page and the table, and the command: those of the same before, or free ones."""
    before = {job.arguments for job in jobs.latest("correct", name)}
    for number in count(1):
        stem = f"{name.partition('.')[0]}-corrected" + (f"-{number}" if number > 1 else "")
        files = (f"{stem}.html", f"{stem}.csv")
        outputs = {"report": f"./{files[0]}", "out": f"./{files[1]}"}
        arguments = command("correct", [name], options | outputs, _OPTIONS)
        there = [file for file in files if os.path.lexists(folder.path / file)]
        own = tuple(arguments) in before and all(
            folder.noted(file, "made") is not None for file in there
        )
        if own or not there:
            break
    return *files, arguments


ROUTES = [
    Route("/correct/{name}", _page),
    Route("/correct/{name}/start", _start, methods=["POST"]),
]
