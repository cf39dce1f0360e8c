"""Jobs: long work in processes of their own, with progress, which can be cancelled.

What a job has come to is noted in a file, so that a page that asks after the server was killed is
told that the job was interrupted.
"""

import json
import os
import re
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

from quantext import atomic

__all__ = ["ENDED", "Job", "Jobs"]

State = Literal["waiting", "running", "done", "failed", "cancelled", "interrupted"]
ENDED = ("done", "failed", "cancelled", "interrupted")

AT_ONCE = 2  # processes: one for long work, and one for what people wait for meanwhile
_OURS = re.compile(r"[0-9a-f]{16}\.json")
_KEPT = 50  # notes of ended jobs
_SAID = 100  # last lines of what a process says
_PATIENCE = 3.0  # seconds from asking a process to end until it is ended


@dataclass
class Job:
    """A piece of work.

    Parameters
    ----------
    kind
        Of work, as "train".
    about
        Name of the file that it is about.
    module, arguments
        What runs: a module of Python's, and its arguments.
    number
        Its name in addresses.
    state
        What it has come to.
    stage, done, total
        What is being done, how much of it is done and of how much, if that is known.
    result
        What it printed, read as JSON.
    said
        What it said on the way or, if it failed, why.
    """

    kind: str
    about: str
    module: str
    arguments: tuple[str, ...]
    number: str = field(default_factory=lambda: secrets.token_hex(8))
    state: State = "waiting"
    stage: str = ""
    done: int = 0
    total: int | None = None
    result: Any = None
    said: str = ""

    @property
    def ended(self) -> bool:
        """Whether nothing of it will change any more."""
        return self.state in ENDED


class Jobs:
    """What is done, is being done and waits, in a folder of its own.

    Parameters
    ----------
    folder
        In which the processes run.
    notes
        Folder of the notes; it is made.
    """

    def __init__(self, folder: Path, notes: Path) -> None:
        self.folder = folder
        self.notes = notes
        notes.mkdir(parents=True, exist_ok=True)
        self._jobs: dict[str, Job] = {}
        self._waiting: deque[tuple[Job, Callable[[Job], None] | None]] = deque()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._changed = threading.Condition()
        self._closed = False
        self._read_notes()
        for _ in range(AT_ONCE):
            threading.Thread(target=self._work, daemon=True).start()

    def start(
        self,
        kind: str,
        about: str,
        module: str,
        arguments: Sequence[str],
        then: Callable[[Job], None] | None = None,
    ) -> Job:
        """A new job, which runs as soon as a process is free.

        Parameters
        ----------
        kind, about, module, arguments
            As in `Job`.
        then
            Is called with the job when it is done, before others are told so.
        """
        job = Job(kind, about, module, tuple(arguments))
        with self._changed:
            self._jobs[job.number] = job
            self._waiting.append((job, then))
            self._changed.notify_all()
        self._note(job)
        return job

    def get(self, number: str) -> Job | None:
        """The job of this number, if there is one."""
        return self._jobs.get(number)

    def latest(self, kind: str | None = None, about: str | None = None) -> list[Job]:
        """Jobs of a kind and about a file, the last first."""
        return [
            job
            for job in reversed(list(self._jobs.values()))
            if kind in (None, job.kind) and about in (None, job.about)
        ]

    def cancel(self, number: str) -> Job | None:
        """End a job, if it has not ended by itself."""
        with self._changed:
            job = self._jobs.get(number)
            if job is None or job.ended:
                return job
            job.state = "cancelled"
            process = self._processes.get(number)
        if process is not None:
            _end(process)
        self._note(job)
        return job

    def wait(self, number: str, seconds: float) -> Job | None:
        """The job, after it has ended or the time is up."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while True:
                job = self._jobs.get(number)
                left = deadline - time.monotonic()
                if job is None or job.ended or left <= 0:
                    return job
                self._changed.wait(left)

    def close(self) -> None:
        """End all processes, and start no more."""
        with self._changed:
            self._closed = True
            processes = list(self._processes.values())
            self._changed.notify_all()
        for process in processes:
            _end(process)

    def _work(self) -> None:
        """What each thread does: take a job, see it through, take the next."""
        while True:
            with self._changed:
                while not self._waiting and not self._closed:
                    self._changed.wait()
                if self._closed:
                    return
                job, then = self._waiting.popleft()
                if job.ended:
                    continue
                job.state = "running"
            self._note(job)
            try:
                state, result, said = self._run(job)
                if state == "done":
                    job.result, job.said = result, said
                    if then is not None:
                        then(job)
            except Exception as error:  # whatever it is, the page is told, and others go on
                state, said = "failed", str(error)
            with self._changed:
                if self._closed and state == "failed":
                    state = "interrupted"
                if not job.ended:
                    job.state, job.said = state, said
                self._processes.pop(job.number, None)
                self._changed.notify_all()
            self._note(job)

    def _run(self, job: Job) -> tuple[State, Any, str]:
        """What became of the job's process, what it printed, and what it said."""
        environment = os.environ | {
            # No module is taken from the folder, which may come from somebody else.
            "PYTHONSAFEPATH": "1",
            "QUANTEXT_PROGRESS": "json",
            "NO_COLOR": "1",
            "TERM": "dumb",
            "COLUMNS": "1000",
            "PYTHONIOENCODING": "utf-8",
        }
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "quantext.app.work", job.module, *job.arguments],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        said: deque[str] = deque(maxlen=_SAID)
        with process:
            with self._changed:
                self._processes[job.number] = process
                if job.ended or self._closed:  # cancelled while the process was made
                    _end(process)
            assert process.stdout is not None
            listener = threading.Thread(target=_listen, args=(process.stderr, job, said))
            listener.start()
            printed = process.stdout.read()
            listener.join()
            code = process.wait()
        text = _without_frame("\n".join(said))
        if code != 0:
            return "failed", None, text or f"The work ended unexpectedly (exit code {code})."
        return "done", json.loads(printed) if printed.strip() else None, text

    def _note(self, job: Job) -> None:
        """Bring what has become of the job to the disk."""
        with suppress(OSError):  # a full disk: the job itself says so
            atomic.write(self.notes / f"{job.number}.json", [json.dumps(asdict(job)).encode()])

    def _read_notes(self) -> None:
        """What is known of jobs from before; of those that ran then, that they were interrupted."""
        named = [path for path in self.notes.iterdir() if _OURS.fullmatch(path.name)]
        paths = sorted(filter(Path.is_file, named), key=lambda path: path.stat().st_mtime)
        for path in paths[:-_KEPT]:
            path.unlink()
        for path in paths[-_KEPT:]:
            job = _read_note(path)
            if job is not None:
                self._jobs[job.number] = job


def _read_note(path: Path) -> Job | None:
    """The job of a note; None if the note is not one of ours, or damaged."""
    try:
        noted = json.loads(path.read_bytes())
        job = Job(**noted | {"arguments": tuple(noted["arguments"])})
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    texts = (job.kind, job.about, job.module, job.stage, job.said, *job.arguments)
    numbers = (job.done, 0 if job.total is None else job.total)
    if job.number != path.stem or not all(isinstance(text, str) for text in texts):
        return None
    if not all(isinstance(number, int) for number in numbers):
        return None
    if not job.ended:
        job.state = "interrupted"
    return job


def _listen(stream: IO[bytes], job: Job, said: deque[str]) -> None:
    """Read what a process says: progress goes to the job, all else is kept."""
    for line in stream:
        text = line.decode(errors="replace").rstrip()
        progress = _progress(text)
        if progress is None:
            said.append(text[:2000])
        else:
            job.stage, job.done, job.total = progress


def _progress(line: str) -> tuple[str, int, int | None] | None:
    if not line.startswith('{"stage"'):
        return None
    try:
        told = json.loads(line)
        return str(told["stage"]), int(told["done"]), told["total"]
    except (ValueError, KeyError, TypeError):
        return None


def _without_frame(text: str) -> str:
    r"""What a command says, without the usage line and the frame around errors of options.

    Examples
    --------
    >>> _without_frame("Usage: quantext [OPTIONS]\n╭─ Error ─╮\n│ No such option: --x │\n╰────╯")
    'No such option: --x'
    """
    lines = (
        line.strip("│ ")
        for line in text.splitlines()
        if not line.startswith(("╭", "╰", "Usage: ", "Try '"))
    )
    return re.sub(r"^Error: ", "", "\n".join(line for line in lines if line).strip())


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it has started; with force if asking does not help."""
    for force in (False, True):
        if process.poll() is not None:
            return
        with suppress(ProcessLookupError, PermissionError):
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL if force else signal.SIGTERM)
            elif force:
                process.kill()
            else:
                process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
