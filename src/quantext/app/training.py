"""Training: what a table's labels teach goes to a model file."""

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from quantext.app.choices import choices_of, training_of
from quantext.app.commands import READING, command
from quantext.app.folder import Folder, kind_of
from quantext.app.jobs import Job, Jobs
from quantext.app.looking import looked, table_file
from quantext.app.outputs import check_output, option_in, running_like
from quantext.app.rendering import page, sent
from quantext.app.running import as_told

__all__ = ["ROUTES"]

_OPTIONS = ("text", "label", "separator", "merge-labels", "stemmer", "emoji", "where", *READING)
_MODEL = "model.qx"


async def _train(request: Request) -> Response:
    folder: Folder = request.app.state.folder
    jobs: Jobs = request.app.state.jobs
    name = request.path_params["name"]
    state = looked(folder, jobs, name)
    job = next(iter(jobs.latest("train", name)), None)
    under_way = job if job and not job.ended else None
    return page(
        request,
        "train.html",
        name=name,
        look=state.found,
        choices=choices_of(folder, name),
        model=folder.free_name(_MODEL),
        method=request.query_params.get("method", ""),
        data={
            "name": name,
            "looking": as_told(state.job) if state.job and not state.job.ended else None,
            "job": as_told(under_way) if under_way else None,
            "model": option_in(under_way, "model") if under_way else None,
        },
    )


async def _start(request: Request) -> Response:
    """Begin to train; asked again for the same, nothing begins twice."""
    folder: Folder = request.app.state.folder
    jobs: Jobs = request.app.state.jobs
    name = table_file(folder, request.path_params["name"])
    given = await sent(request)
    model = folder.file(str(given.pop("model", ""))).name
    if kind_of(model) != "model":
        raise ValueError(f"{model} is not the name of a model: it must end in .qx")
    options = training_of(choices_of(folder, name))
    if not options.get("text") or not options.get("label"):
        raise ValueError("choose a column of texts and one of labels first")
    arguments = command(
        "train",
        [name],
        {**options, **given, "model": model},
        (*_OPTIONS, "method", "search", "model"),
    )
    job = await run_in_threadpool(start, folder, jobs, name, model, arguments)
    return JSONResponse({"job": as_told(job), "model": model})


def start(folder: Folder, jobs: Jobs, name: str, model: str, arguments: list[str]) -> Job:
    """A job that trains, or the same one if it is under way; what it says is noted of the model.

    Parameters
    ----------
    folder, jobs
        Of the work.
    name, model
        Of the table and of the file to write.
    arguments
        Of the command line.
    """
    if (job := running_like(jobs, "train", name, arguments)) is not None:
        return job
    check_output(folder, jobs, "train", model, arguments)

    def keep(job: Job) -> None:
        told = as_told(job)
        folder.note(model, "model", {**job.result, "command": told["command"], "table": name})

    return jobs.start("train", name, "quantext", arguments, keep)


async def _methods(_: Request) -> Response:
    return JSONResponse(await run_in_threadpool(_all_methods))


def _all_methods() -> list[dict[str, Any]]:
    from quantext.models.methods import METHODS  # takes a second, which only who asks for it waits

    return [
        {"name": entry.name, "alias": entry.alias, "summary": entry.summary, "when": entry.when}
        for entry in METHODS.values()
    ]


ROUTES = [
    Route("/train/{name}", _train),
    Route("/train/{name}", _start, methods=["POST"]),
    Route("/methods", _methods),
]
