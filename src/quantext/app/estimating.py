"""Estimating: how many of a table's documents are of each class, by a model that is there."""

from collections.abc import Mapping
from datetime import date
from pathlib import PurePath
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from quantext.app.choices import choices_of, reading_of
from quantext.app.commands import READING, command
from quantext.app.folder import Folder, kind_of
from quantext.app.jobs import Job, Jobs
from quantext.app.looking import looked, table_file
from quantext.app.models import known_model
from quantext.app.outputs import check_output, option_in, running_like
from quantext.app.questions import question_in
from quantext.app.rendering import page, plainly, sent
from quantext.app.results import note_result
from quantext.app.running import as_told

__all__ = ["ROUTES"]

_GIVEN = ("text", "by", "period", "date-format", "where", "weight", "quotes", "no-label")
_DIVIDE = ("date", "group", "label", "labels", "model", "words", "number", "id", "nested")
_PERIODS = ((40, "day"), (200, "week"), (2000, "month"))  # days up to which each is usual


async def _estimate(request: Request) -> Response:
    folder: Folder = request.app.state.folder
    jobs: Jobs = request.app.state.jobs
    name = request.path_params["name"]
    state = looked(folder, jobs, name)
    models = [file.name for file in folder.files() if file.kind == "model"]
    asked = request.query_params.get("model")
    chosen = asked if asked in models else next(iter(models), None)
    model, opening = known_model(folder, jobs, chosen) if chosen else (None, None)
    last = next(iter(jobs.latest("estimate", name)), None)
    waiting = [job for job in (state.job, opening) if job is not None]
    choices = choices_of(folder, name)
    return page(
        request,
        "estimate.html",
        name=name,
        look=state.found,
        choices=choices,
        models=models,
        chosen=chosen,
        model=model,
        texts=texts_to_read(state.found, model, choices) if state.found and model else None,
        dividing=_dividing(state.found) if state.found else [],
        period=_usual_period(state.found) if state.found else None,
        data={
            "name": name,
            "model": chosen,
            "before": [as_told(job) for job in waiting if not job.ended],
            "failed": [plainly(job.said) for job in waiting if job.state == "failed"],
            "job": as_told(last) if last and not last.ended else None,
            "shown": option_in(last, "report") if last and not last.ended else None,
            "page": _free_page(folder, name),
            "dates": state.found["dates"] if state.found else None,
            "dated": _dated(state.found, choices) if state.found else [],
        },
    )


def texts_to_read(
    look: Mapping[str, Any], model: Mapping[str, Any], choices: Mapping[str, Any]
) -> dict[str, Any]:
    """Where the texts are: as in training if these columns are there, else as in this table.

    Parameters
    ----------
    look
        What is in the table.
    model
        What is known of the model.
    choices
        What the table's columns are for.
    """
    columns = [column["name"] for column in look["columns"]]
    trained = model["about"].get("text")
    trained = trained if isinstance(trained, list) else []
    if not trained and "text" not in model["about"] and model["about"].get("label"):
        return {"columns": [], "same": [], "guess": None}  # it reads what another model says
    same = trained if trained and set(trained) <= set(columns) else []
    return {"columns": columns, "same": same, "guess": next(iter(choices["text"] or ()), None)}


def _dated(look: Mapping[str, Any], choices: Mapping[str, Any]) -> list[str]:
    """Columns of dates."""
    guessed = [column["name"] for column in look["columns"] if column["kind"] == "date"]
    return [*guessed, *([choices["date"]] if choices["date"] else [])]


def _dividing(look: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Columns that may divide documents, the likeliest first."""
    ranked = [column for column in look["columns"] if column["kind"] in _DIVIDE]
    return sorted(ranked, key=lambda column: _DIVIDE.index(column["kind"]))


def _usual_period(look: Mapping[str, Any]) -> str:
    dates = look["dates"]
    if dates is None:
        return "month"
    days = (date.fromisoformat(dates["last"]) - date.fromisoformat(dates["first"])).days
    return next((period for most, period in _PERIODS if days <= most), "year")


def _free_page(folder: Folder, name: str) -> str:
    """Name of a page for which neither it nor the tables beside it are there."""
    stem = PurePath(name).name.split(".")[0][:80] or "table"
    number = 1
    while True:
        free = f"{stem}-estimates{'' if number == 1 else f'-{number}'}.html"
        if not any(folder.file(file).exists() for file in (free, *_tables_beside(free))):
            return free
        number += 1


def _tables_beside(shown: str) -> list[str]:
    return [shown.removesuffix(".html") + ending for ending in (".csv", ".xlsx")]


async def _start(request: Request) -> Response:
    """Begin to estimate; asked again for the same, nothing begins twice."""
    folder: Folder = request.app.state.folder
    jobs: Jobs = request.app.state.jobs
    name = table_file(folder, request.path_params["name"])
    given = await sent(request)
    model, shown = str(given.pop("model", "")), str(given.pop("page", ""))
    if kind_of(model) != "model" or not folder.file(model).is_file():
        raise FileNotFoundError(model)
    if not folder.file(shown).name.endswith(".html"):
        raise ValueError(f"{shown} is not the name of a page: it must end in .html")
    if not set(given) <= set(_GIVEN):
        raise ValueError(f"only {', '.join(_GIVEN)} can be chosen here")
    options = {**given, **reading_of(choices_of(folder, name))}
    options |= {"report": shown, "out": _tables_beside(shown)}
    allowed = (*_GIVEN, *READING, "report", "out")
    arguments = command("estimate", [model, name], options, allowed)
    job = await run_in_threadpool(start, folder, jobs, name, model, shown, arguments)
    return JSONResponse({"job": as_told(job), "page": shown})


def start(
    folder: Folder, jobs: Jobs, name: str, model: str, shown: str, arguments: list[str]
) -> Job:
    """A job that estimates, or the same one if it is under way.

    Parameters
    ----------
    folder, jobs
        Of the work.
    name, model, shown
        Of the table, the model and the page to write.
    arguments
        Of the command line.
    """
    if (job := running_like(jobs, "estimate", name, arguments)) is not None:
        return job
    for file in (shown, *_tables_beside(shown)):
        check_output(folder, jobs, "estimate", file, arguments)

    def keep(job: Job) -> None:
        note_result(folder, shown, _tables_beside(shown), name, job, model)

    return jobs.start("estimate", name, "quantext", arguments, keep)


async def _question(request: Request) -> Response:
    """What a job that failed wants to know."""
    job = request.app.state.jobs.get(request.path_params["number"])
    return JSONResponse(question_in(job.said) if job and job.state == "failed" else None)


ROUTES = [
    Route("/estimate/{name}", _estimate),
    Route("/estimate/{name}", _start, methods=["POST"]),
    Route("/jobs/{number}/question", _question),
]
