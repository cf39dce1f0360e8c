"""The pages of a labelling, and what their scripts ask."""

from typing import Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from quantext.app.commands import READING, command
from quantext.app.folder import Folder, kind_of
from quantext.app.jobs import Job, Jobs
from quantext.app.label.agreeing import agreeing
from quantext.app.label.desk import Desk
from quantext.app.label.finishing import finish, finished
from quantext.app.label.question import KEYS, Question, check_person
from quantext.app.label.showing import Shown, last, outdated, waiting
from quantext.app.label.standing import standing
from quantext.app.rendering import page, sent
from quantext.app.running import as_told

__all__ = ["ROUTES"]

_AT_ONCE = 200  # documents that a page is given; it asks for more before they end
_LONGEST_SHOWN = 20_000  # letters of a document on the page; nobody reads more for one label


def desk_of(request: Request) -> Desk:
    """The desk of the folder; there is one, as all requests share what it has read."""
    state = request.app.state
    if not hasattr(state, "desk"):
        state.desk = Desk(state.folder, state.jobs)
    desk: Desk = state.desk
    return desk


async def _label(request: Request) -> Response:
    """The page: choose classes, or wait, or label."""
    desk, name = desk_of(request), request.path_params["name"]
    question = desk.question
    if question is None or (question.table == name and "question" in request.query_params):
        return await _ask(request, name, desk)
    if question.table != name:
        return page(request, "label_other.html", 409, name=name, other=question.table)
    preparing = desk.working("prepare")
    if not desk.waves:
        told = as_told(preparing) if preparing else None
        return page(request, "label_wait.html", name=name, data={"job": told, "name": name})
    data = {
        "name": name,
        "classes": list(question.classes),
        "keys": list(KEYS[: len(question.classes)]),
        "several": question.several,
        "target": question.target,
        "documents": desk.waves[0].n_documents,
        "finished": finished(desk),
    }
    changed = _mark(desk.folder, name) not in (None, question.of)
    return page(
        request,
        "label.html",
        name=name,
        data=data,
        question=question,
        changed=changed,
        fresh=not desk.documents,
        blank=desk.waves[0].n_blank,
    )


async def _ask(request: Request, name: str, desk: Desk) -> Response:
    """The page on which the question is asked."""
    folder: Folder = request.app.state.folder
    jobs: Jobs = request.app.state.jobs
    if kind_of(name) != "table" or not folder.file(name).is_file():
        raise FileNotFoundError(name)
    desk.check_free(name)
    look, choices = folder.noted(name, "look"), folder.noted(name, "choices") or {}
    looking = jobs.latest("look", name)
    job = looking[0] if looking and not looking[0].ended else None
    if look is None and job is None:

        def keep(job: Job) -> None:
            folder.note(name, "look", job.result)

        arguments = command("look", [name], _reading(choices), READING)
        job = jobs.start("look", name, "quantext", arguments, keep)
    proxy = request.query_params.get("proxy")
    return page(
        request,
        "label_question.html",
        name=name,
        look=look,
        asked=_suggested(look or {}, choices, proxy, desk.question),
        data={"job": as_told(job) if job else None, "name": name},
    )


def _suggested(
    look: dict[str, Any], choices: dict[str, Any], proxy: str | None, before: Question | None
) -> dict[str, Any]:
    """What the form is filled with."""
    guesses, labels = look.get("guesses") or {}, look.get("labels") or {}
    texts = choices.get("text") or ([guesses["text"]] if guesses.get("text") else [])
    counts = labels.get("counts") or []
    few = counts if len(counts) <= len(KEYS) else []
    asked = {
        "text": [texts] if isinstance(texts, str) else texts,
        "classes": [name for name, _ in few],
        "several": bool(labels.get("several")),
        "target": 3.0,
        "label": labels.get("name"),
        "labelled": labels.get("rows") or 0,
        "proxy": proxy or "",
    }
    if before is not None:
        asked |= {
            "text": list(before.text),
            "classes": list(before.classes),
            "several": before.several,
            "target": 100 * before.target,
            "proxy": before.proxy or "",
        }
    return asked


async def _begin(request: Request) -> Response:
    """Ask the question."""
    desk, name = desk_of(request), request.path_params["name"]
    folder: Folder = request.app.state.folder
    told = await sent(request)
    mark = _mark(folder, name)
    if kind_of(name) != "table" or mark is None:
        raise FileNotFoundError(name)
    choices = folder.noted(name, "choices") or {}
    question = Question(
        name,
        tuple(_texts(told, "text")),
        tuple(one.strip() for one in _texts(told, "classes") if one.strip()),
        several=told.get("several") is True,
        target=_number(told, "target") / 100,
        reading=_reading(choices),
        proxy=told.get("proxy") if isinstance(told.get("proxy"), str) and told["proxy"] else None,
        separator=";",
        of=mark,
    )
    job = await run_in_threadpool(desk.begin, question)
    return JSONResponse({"job": as_told(job) if job else None})


async def _prepare(request: Request) -> Response:
    """Prepare once more what was cancelled or interrupted."""
    job = await run_in_threadpool(_own(request).prepare)
    return JSONResponse({"job": as_told(job) if job else None})


async def _documents(request: Request) -> Response:
    """What someone has still to label."""
    desk, by = _own(request), check_person(request.query_params.get("by"))
    again = "again" in request.query_params
    return JSONResponse(await run_in_threadpool(_waiting, desk, by, again))


def _waiting(desk: Desk, by: str, again: bool) -> dict[str, Any]:
    with desk.lock:
        learning = desk.learn_again() if again else desk.keep_learning()
        latest, before = desk.working("learn"), last(desk, by)
        failed = learning is None and latest is not None and latest.state == "failed"
        return {
            "documents": [_shown(one) for one in waiting(desk, by)[:_AT_ONCE]],
            "outdated": [_shown(one) for one in outdated(desk, by)],
            "last": _shown(before) if before else None,
            "learning": as_told(learning) if learning else None,
            "failed": latest.said if failed and latest else None,
        }


def _shown(one: Shown) -> dict[str, Any]:
    text = one.text[:_LONGEST_SHOWN]
    return {
        "row": one.row,
        "text": text,
        "cut": len(one.text) - len(text),
        "labels": None if one.labels is None else list(one.labels),
    }


async def _say(request: Request) -> Response:
    """Keep a label; the answer comes when it is on the disk."""
    told = await sent(request)
    labels = None if told.get("labels") is None else _texts(told, "labels")
    note = told.get("note", "")
    if not isinstance(note, str):
        raise ValueError("the note is not a text")
    desk = _own(request)
    await run_in_threadpool(desk.say, _row(told), check_person(told.get("by")), labels, note)
    return JSONResponse({"waves": len(desk.waves)})


async def _undo(request: Request) -> Response:
    """Take a label back."""
    told, desk = await sent(request), _own(request)
    by = check_person(told.get("by"))
    await run_in_threadpool(desk.take_back, _row(told), by)
    return JSONResponse({"waves": len(desk.waves)})


async def _classes(request: Request) -> Response:
    """Add a class."""
    told = await sent(request)
    name = told.get("name")
    if not isinstance(name, str):
        raise ValueError("the name of a class is a text")
    await run_in_threadpool(_own(request).add_class, name.strip())
    return JSONResponse({})


async def _shares(request: Request) -> Response:
    """Where the labelling stands."""
    return JSONResponse(await run_in_threadpool(standing, _own(request)))


async def _finish(request: Request) -> Response:
    """Write the page and the table of the shares."""
    return JSONResponse(await run_in_threadpool(finish, _own(request)))


async def _agreement(request: Request) -> Response:
    """The page on which two people's labels are compared."""
    desk, name = desk_of(request), request.path_params["name"]
    question = desk.question
    if question is None or question.table != name:
        return RedirectResponse(f"/label/{quote(name, safe='')}", 303)
    pair = [request.query_params.get(one) for one in ("first", "second")]
    found = await run_in_threadpool(agreeing, desk, *pair)
    data = {"name": name, "classes": list(question.classes), "several": question.several}
    return page(request, "label_agreement.html", name=name, found=found, data=data)


async def _settle(request: Request) -> Response:
    """Keep what counts of a document on which two disagree."""
    told = await sent(request)
    by, labels = check_person(told.get("by")), _texts(told, "labels")
    await run_in_threadpool(_own(request).settle, _row(told), by, labels)
    return JSONResponse({})


def _own(request: Request) -> Desk:
    """The desk, if the question is of the table that the address names."""
    desk, name = desk_of(request), request.path_params["name"]
    if desk.question is None or desk.question.table != name:
        raise ValueError(f"nothing is asked of {name} here")
    return desk


def _mark(folder: Folder, name: str) -> tuple[int, int] | None:
    path = folder.file(name)
    if not path.is_file():
        return None
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _reading(choices: dict[str, Any]) -> dict[str, Any]:
    return {option: choices[option] for option in READING if choices.get(option)}


def _texts(told: dict[str, Any], name: str) -> list[str]:
    given = told.get(name)
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise ValueError(f"{name} is not a list of texts")
    return given


def _row(told: dict[str, Any]) -> int:
    row = told.get("row")
    if not isinstance(row, int):
        raise ValueError("say which row is meant")
    return row


def _number(told: dict[str, Any], name: str) -> float:
    given = told.get(name)
    if not isinstance(given, int | float) or isinstance(given, bool):
        raise ValueError(f"{name} is not a number")
    return float(given)


ROUTES = [
    Route("/label/{name}", _label),
    Route("/label/{name}/begin", _begin, methods=["POST"]),
    Route("/label/{name}/prepare", _prepare, methods=["POST"]),
    Route("/label/{name}/documents", _documents),
    Route("/label/{name}/labels", _say, methods=["POST"]),
    Route("/label/{name}/undo", _undo, methods=["POST"]),
    Route("/label/{name}/classes", _classes, methods=["POST"]),
    Route("/label/{name}/shares", _shares),
    Route("/label/{name}/finish", _finish, methods=["POST"]),
    Route("/label/{name}/agreement", _agreement),
    Route("/label/{name}/settle", _settle, methods=["POST"]),
]
