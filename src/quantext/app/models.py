"""The page of a model: what it has learned, how well it tells classes apart, and what to do now."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from quantext.app.folder import Folder, kind_of
from quantext.app.jobs import Job, Jobs
from quantext.app.rendering import page
from quantext.app.running import as_told

__all__ = ["ROUTES", "known_model", "tables_to_count"]

SHOWN = 200  # classes
_GOOD, _FAIR = 0.7, 0.4  # of F1: from where on a class is told apart well, or at all


async def _model(request: Request) -> Response:
    folder: Folder = request.app.state.folder
    jobs: Jobs = request.app.state.jobs
    name = request.path_params["name"]
    model, job = known_model(folder, jobs, name)
    return page(
        request,
        "model.html",
        name=name,
        model=model,
        classes=_told_apart(model["classes"]) if model else [],
        shown=SHOWN,
        failed=job if job and job.state != "done" and job.ended else None,
        size=folder.file(name).stat().st_size,
        tables=tables_to_count(folder),
        data={"model": name, "job": as_told(job) if job and not job.ended else None},
    )


def known_model(folder: Folder, jobs: Jobs, name: str) -> tuple[Any, Job | None]:
    """What is known of a model, or the job that finds it out or could not.

    Parameters
    ----------
    folder, jobs
        Of the work.
    name
        Of the model.
    """
    if kind_of(name) != "model" or not folder.file(name).is_file():
        raise FileNotFoundError(name)
    model = folder.noted(name, "model")
    if model is not None:
        return model, None
    last = next(iter(jobs.latest("model", name)), None)
    if last is not None and last.state in ("waiting", "running", "failed"):
        return None, last

    def keep(job: Job) -> None:
        folder.note(name, "model", job.result)

    return None, jobs.start("model", name, "quantext.app.model_facts", [f"./{name}"], keep)


def tables_to_count(folder: Folder) -> list[str]:
    """Tables that are not themselves results.

    Parameters
    ----------
    folder
        Of the work.
    """
    return [
        file.name
        for file in folder.files()
        if file.kind == "table" and folder.noted(file.name, "made") is None
    ]


def _told_apart(classes: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Classes, the largest first, with a word on how well each is told apart from the others."""
    ranked = sorted(classes, key=lambda one: -one["documents"])
    return [
        {
            **one,
            "grade": _grade(one["f1"]),
            "found": _of_hundred(one["tpr"]),
            "taken": _of_hundred(one["fpr"]),
        }
        for one in ranked
    ]


def _of_hundred(share: float | None) -> str | None:
    """How many of a hundred, none and all of them only where it is so.

    Examples
    --------
    >>> _of_hundred(0.923), _of_hundred(0.001), _of_hundred(0.999), _of_hundred(0.0)
    ('92', 'fewer than 1', 'more than 99', '0')
    """
    if share is None:
        return None
    if 0 < share < 0.005:
        return "fewer than 1"
    return "more than 99" if 0.995 < share < 1 else f"{100 * share:.0f}"


def _grade(f1: float | None) -> str:
    """Name of the sentence that says how good this is.

    Examples
    --------
    >>> _grade(0.9), _grade(0.5), _grade(0.1), _grade(None)
    ('well', 'fairly', 'badly', 'unknown')
    """
    if f1 is None:
        return "unknown"
    return "well" if f1 >= _GOOD else "fairly" if f1 >= _FAIR else "badly"


ROUTES = [Route("/models/{name}", _model)]
