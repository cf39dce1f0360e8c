"""Files that jobs write: nothing that is there is overwritten, but by the same job once more."""

from collections.abc import Sequence

from quantext.app.folder import Folder
from quantext.app.jobs import Job, Jobs

__all__ = ["check_output", "option_in", "running_like"]


def running_like(jobs: Jobs, kind: str, about: str, arguments: Sequence[str]) -> Job | None:
    """The job that does the same and has not ended, if there is one.

    Parameters
    ----------
    jobs
        Of the folder.
    kind, about, arguments
        As in `Job`.
    """
    same = (job for job in jobs.latest(kind, about) if job.arguments == tuple(arguments))
    return next((job for job in same if not job.ended), None)


def check_output(
    folder: Folder, jobs: Jobs, kind: str, name: str, arguments: Sequence[str]
) -> None:
    """Raise if a file is there already that is not of the same job, run before.

    Parameters
    ----------
    folder, jobs
        Of the work.
    kind
        Of the job.
    name
        Of the file that it is to write.
    arguments
        Of the command line.
    """
    if not folder.file(name).exists():
        return
    if not any(list(job.arguments) == list(arguments) for job in jobs.latest(kind)):
        raise ValueError(f"{name} is there already; choose another name")


def option_in(job: Job, option: str) -> str | None:
    """The value of an option in a job's command, if it was given.

    Parameters
    ----------
    job
        Whose arguments are as `commands.command` makes them.
    option
        Its name.
    """
    start = f"--{option}="
    return next((a.removeprefix(start) for a in job.arguments if a.startswith(start)), None)
