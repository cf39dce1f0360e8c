"""The page that corrects a model's labels by those that people have checked."""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from quantext.app.choices import choices_of, reading_of
from quantext.app.commands import READING, command
from quantext.app.folder import Folder
from quantext.app.jobs import Job, Jobs
from quantext.app.looking import looked, table_file
from quantext.app.rendering import page, sent
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
    tables = [file.name for file in folder.files() if file.kind == "table" and file.name != name]
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
    stem = name.partition(".")[0]
    outputs = {"report": f"./{stem}-corrected.html", "out": f"./{stem}-corrected.csv"}
    arguments = command(
        "correct", [name], reading_of(choices_of(folder, name)) | given | outputs, _OPTIONS
    )
    for job in jobs.latest("correct", name):
        if not job.ended:
            if job.arguments == tuple(arguments):  # asked twice, as after a lost connection
                return JSONResponse(as_told(job))
            await run_in_threadpool(jobs.cancel, job.number)

    def keep(job: Job) -> None:
        kept = {"report": f"{stem}-corrected.html", "table": f"{stem}-corrected.csv"}
        shares = [one for one in job.result["shares"] if one["batch"] == "all"]
        folder.note(name, "correct", kept | {"shares": shares, "warnings": job.result["warnings"]})

    return JSONResponse(as_told(jobs.start("correct", name, "quantext", arguments, keep)))


ROUTES = [
    Route("/correct/{name}", _page),
    Route("/correct/{name}/start", _start, methods=["POST"]),
]
