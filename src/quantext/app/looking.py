"""Looks at tables: what ``look`` has found, or the job that is finding it out, or why it cannot."""

from dataclasses import dataclass
from typing import Any

from quantext.app.choices import reading_of
from quantext.app.commands import READING, command
from quantext.app.folder import Folder, kind_of
from quantext.app.jobs import Job, Jobs

__all__ = ["Looked", "look_again", "looked", "table_file"]

_MOST_LABELS = 1001  # more are no labels, and every page would have to read them


@dataclass(frozen=True)
class Looked:
    """How far the look at a table is.

    Parameters
    ----------
    found
        What ``look`` says, if it has.
    job
        The last look, if it is under way or did not succeed.
    """

    found: Any
    job: Job | None


def table_file(folder: Folder, name: str) -> str:
    """The name, if there is a table of this name; an error if not.

    Parameters
    ----------
    folder
        Of the work.
    name
        As it came.
    """
    if kind_of(name) != "table" or not folder.file(name).is_file():
        raise FileNotFoundError(name)
    return name


def looked(folder: Folder, jobs: Jobs, name: str) -> Looked:
    """What is known of a table; if that is nothing yet, a look begins.

    Parameters
    ----------
    folder, jobs
        Of the work.
    name
        Of the table.
    """
    last = next(iter(jobs.latest("look", table_file(folder, name))), None)
    found = folder.noted(name, "look")
    unchanged = folder.noted(name, "looking") is not None  # since the last look began
    if last is not None and last.state != "done" and unchanged:
        return Looked(found if last.state in ("cancelled", "interrupted") else None, last)
    return Looked(found, None if found else look_again(folder, jobs, name))


def look_again(folder: Folder, jobs: Jobs, name: str) -> Job:
    """A look at the table as it is to be read now, or the one that is under way.

    Parameters
    ----------
    folder, jobs
        Of the work.
    name
        Of the table.
    """
    choices = folder.noted(table_file(folder, name), "choices") or {}
    named = {key: choices[key] for key in ("text", "label") if choices.get(key)}
    arguments = command("look", [name], named | reading_of(choices), (*READING, "text", "label"))
    for job in jobs.latest("look", name):
        if not job.ended:
            if job.arguments == tuple(arguments):
                return job
            jobs.cancel(job.number)

    def keep(job: Job) -> None:
        labels = job.result["labels"]
        if labels is not None and labels["counts"] is not None:
            labels["counts"] = labels["counts"][:_MOST_LABELS]
        folder.note(name, "look", job.result)

    job = jobs.start("look", name, "quantext", arguments, keep)
    folder.note(name, "looking", job.number)
    return job
