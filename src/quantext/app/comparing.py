"""The page that compares methods on a labelled table, and recommends one."""

import os
import re
from itertools import count
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from quantext import atomic
from quantext.app.choices import choices_of, training_of
from quantext.app.commands import READING, command
from quantext.app.folder import Folder
from quantext.app.jobs import Job, Jobs
from quantext.app.looking import looked, table_file
from quantext.app.rendering import page, sent
from quantext.app.results import note_result
from quantext.app.running import as_told

__all__ = ["ROUTES"]

FEW = 100  # documents to learn from, with which methods cannot be told apart

_OPTIONS = (
    *READING,
    "text",
    "label",
    "separator",
    "merge-labels",
    "stemmer",
    "emoji",
    "where",
    "by",
    "period",
    "date-format",
    "methods",
    "out",
)


async def _page(request: Request) -> Response:
    folder: Folder = request.app.state.folder
    jobs: Jobs = request.app.state.jobs
    name = table_file(folder, request.path_params["name"])
    look = looked(folder, jobs, name)
    last = next(iter(jobs.latest("compare", name)), None)
    return page(
        request,
        "compare.html",
        name=name,
        look=look.found,
        choices=choices_of(folder, name),
        found=folder.noted(name, "compare"),
        data={
            "name": name,
            "look": as_told(look.job) if look.job else None,
            "job": as_told(last) if last and last.state != "done" else None,
        },
    )


async def _start(request: Request) -> Response:
    """Compare the methods, or go on where it was stopped."""
    folder: Folder = request.app.state.folder
    jobs: Jobs = request.app.state.jobs
    name = table_file(folder, request.path_params["name"])
    for job in jobs.latest("compare", name):
        if not job.ended:  # asked twice, as after a lost connection
            return JSONResponse(as_told(job))
    options = training_of(choices_of(folder, name)) | await sent(request)
    if not options.get("text") or not options.get("label"):
        raise ValueError("say first which columns are the texts and the labels")
    run, arguments = _place(folder, jobs, name, options)

    def keep(job: Job) -> None:
        report = folder.path / run / "report.html"
        atomic.write(folder.file(f"{run}.html"), [report.read_bytes()])
        folder.note(name, "compare", _found(job.result, f"{run}.html"))
        note_result(folder, f"{run}.html", [], name, job)

    return JSONResponse(
        as_told(await run_in_threadpool(jobs.start, "compare", name, "quantext", arguments, keep))
    )


def _place(folder: Folder, jobs: Jobs, name: str, options: dict[str, Any]) -> tuple[str, list[str]]:
    """Where the run goes and its command: to where the same went before, or where nothing is."""
    before = {job.arguments for job in jobs.latest("compare", name)}
    for number in count(1):
        run = f"compare-{name.partition('.')[0]}" + (f"-{number}" if number > 1 else "")
        arguments = command("compare", [name], options | {"out": f"./{run}"}, _OPTIONS)
        places = [folder.path / run, folder.file(f"{run}.html")]
        if tuple(arguments) in before and not any(place.is_symlink() for place in places):
            break
        if not any(map(os.path.lexists, places)):
            break
    return run, arguments


def _found(result: Any, report: str) -> dict[str, Any]:
    """What the page shows of a comparison."""
    best = result["recommendation"]
    errors = {one["method"]: one["absolute_error"] for one in result["methods"]}
    return {
        "protocol": result["protocol"],
        "methods": [
            {"method": method, "error": errors[method]}
            for method in sorted(errors, key=errors.__getitem__)
        ],
        "recommended": best["method"],
        "error": errors[best["method"]],
        "pays": best["pays"],
        "few": min(one["n_train"] for one in result["methods"]) < FEW,
        "alias": best["command"].rpartition("--method ")[2],
        "reasons": best["reasons"],
        # What names options is for the command line.
        "warnings": [re.sub(r" \(see --[\w-]+\)", "", said) for said in result["warnings"]],
        "failures": result["failures"],
        "report": report,
    }


ROUTES = [
    Route("/compare/{name}", _page),
    Route("/compare/{name}/start", _start, methods=["POST"]),
]
