"""The page of a table: what is in it, what its columns are for, and what to do next."""

from collections.abc import Mapping
from typing import Any

import Stemmer
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from quantext.app.choices import check_choices, choices_of, choose
from quantext.app.folder import Folder
from quantext.app.jobs import Jobs
from quantext.app.looking import look_again, looked, table_file
from quantext.app.questions import question_in
from quantext.app.rendering import page, sent
from quantext.app.running import as_told

__all__ = ["ROUTES", "recommended"]

SHOWN = 12  # labels
ENCODINGS = ("utf-8", "cp1252", "utf-16", "latin-1", "mac_roman", "cp1250", "cp1251", "gb18030",
             "shift_jis")  # fmt: skip
# Names of languages; the stemmers of English are what is used without a choice.
STEMMERS = tuple(sorted({*Stemmer.algorithms()} - {"english", "porter", "dutch_porter"}))


async def _table(request: Request) -> Response:
    folder: Folder = request.app.state.folder
    jobs: Jobs = request.app.state.jobs
    name = request.path_params["name"]
    state = looked(folder, jobs, name)
    choices = choices_of(folder, name)
    models = [file.name for file in folder.files() if file.kind == "model"]
    failed = state.job if state.job and state.job.state == "failed" else None
    return page(
        request,
        "table.html",
        name=name,
        look=state.found,
        choices=choices,
        roles=_roles(choices),
        failed=failed,
        stopped=state.job is not None and state.job.state in ("cancelled", "interrupted"),
        models=models,
        advice=recommended(state.found, choices, models) if state.found else None,
        shown=SHOWN,
        encodings=ENCODINGS,
        stemmers=STEMMERS,
        data={
            "name": name,
            "job": as_told(state.job) if state.job and not state.job.ended else None,
            "question": question_in(failed.said) if failed else None,
            "choices": choices,
        },
    )


def _roles(choices: Mapping[str, Any]) -> dict[str, str]:
    """What each column is for that is for something."""
    single = {choices[role]: role for role in ("proxy", "date", "label") if choices.get(role)}
    return single | dict.fromkeys(choices["text"] or (), "text")


def recommended(look: Mapping[str, Any], choices: Mapping[str, Any], models: list[str]) -> str:
    """What fits a table best: "correct", "train", "estimate", "label", or "" for nothing.

    Parameters
    ----------
    look
        What is in it.
    choices
        What its columns are for.
    models
        That are there.
    """
    following = (look["next"] or "quantext nothing").split()[1]
    if following in ("correct", "plan") and choices.get("proxy"):
        return "correct"
    if not choices["text"]:
        return ""
    labels = look["labels"]
    if choices["label"] and labels and labels["name"] == choices["label"] and not labels["fault"]:
        return "train"
    return "estimate" if models else "label"


async def _look(request: Request) -> Response:
    """Look at the table again, with other columns or read in another way.

    What was guessed of the labels and the language before is guessed anew.
    """
    folder: Folder = request.app.state.folder
    given = check_choices(await sent(request))
    name = table_file(folder, request.path_params["name"])
    folder.note(name, "choices", given)
    job = await run_in_threadpool(look_again, folder, request.app.state.jobs, name)
    return JSONResponse(as_told(job))


async def _choose(request: Request) -> Response:
    folder: Folder = request.app.state.folder
    given = check_choices(await sent(request))
    name = table_file(folder, request.path_params["name"])
    choose(folder, name, given)
    return JSONResponse(choices_of(folder, name))


ROUTES = [
    Route("/tables/{name}", _table),
    Route("/tables/{name}/look", _look, methods=["POST"]),
    Route("/tables/{name}/choices", _choose, methods=["PUT"]),
]
