"""Processes that work off tasks, one at a time, and outlive each other."""

import gc
import multiprocessing
import signal
import threading
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any, Generic, TypeVar

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # ships no types

__all__ = ["Outcome", "Worker", "started", "work_off"]

Result = TypeVar("Result")


@dataclass(frozen=True)
class Outcome(Generic[Result]):
    """What became of a task.

    Parameters
    ----------
    task
        Its number.
    result
        What the work returned, if it did.
    error
        Why it did not: a sentence, and where there is one, the traceback below it.
    warnings
        What was warned of on the way.
    """

    task: int
    result: Result | None = None
    error: str | None = None
    warnings: tuple[str, ...] = ()


def work_off(
    work: Callable[[int], Result],
    tasks: Iterable[int],
    jobs: int,
    idle: Sequence["Worker"] = (),
) -> Generator[Outcome[Result], None, None]:
    """Outcome of each task, in the order in which they finish.

    An exception, or the death of a process, is the outcome of the task that met with it, and the
    others go on. To stop, close the iterator: that ends the processes. If this process dies, they
    end by themselves.

    Parameters
    ----------
    work
        A function that can be pickled, of one task.
    tasks
        Numbers of the tasks, to be begun in this order.
    jobs
        Number of processes; with 1, all is done in this one.
    idle
        Processes that were `started` before and have no work yet, to begin with.
    """
    if jobs == 1:
        yield from (attempt(work, task) for task in tasks)
        return
    waiting = deque(tasks)
    team: dict[Any, Worker] = {}  # by connection
    started_before = list(idle)
    try:
        for _ in range(min(jobs, len(waiting))):
            known = started_before.pop() if started_before else None
            hire(work, team, known).begin(waiting.popleft())
        end_all(started_before)  # for want of tasks
        while team:
            for connection in wait(list(team)):
                worker = team[connection]
                outcome: Outcome[Result] | None = worker.news()
                if outcome is None:
                    continue
                if worker.process.exitcode is not None:
                    del team[connection]
                    if waiting:
                        worker = hire(work, team)
                if waiting:
                    worker.begin(waiting.popleft())
                elif team.pop(connection, None):
                    worker.dismiss()
                yield outcome
    finally:
        end_all(team.values())


class Worker:
    """A process, the pipe that leads to it, and the task that it is at."""

    def __init__(self, process: SpawnProcess, connection: Connection) -> None:
        self.process, self.connection = process, connection
        self.task = -1
        self.ready = False

    def begin(self, task: int) -> None:
        """Give it a task."""
        self.task = task
        with suppress(OSError):  # if it has just died, that will be news
            self.connection.send(task)

    def news(self) -> Outcome[Result] | None:
        """What became of its task, also if the process died of it; None if it has only started."""
        try:
            message: Outcome[Result] | None = self.connection.recv()
        except (EOFError, OSError):
            self.process.join()
            code = self.process.exitcode
            how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
            if not self.ready:
                raise RuntimeError(
                    f"a worker process ended before it began ({how}); a script that runs an "
                    'experiment must do so under `if __name__ == "__main__":`'
                ) from None
            return Outcome(self.task, error=f"its process died ({how}); was memory too short?")
        self.ready = True
        return message

    def dismiss(self) -> None:
        """Let it end, for want of tasks."""
        self.connection.close()
        self.process.join()


@contextmanager
def started(jobs: int, prepare: Callable[[], object]) -> Iterator[list[Worker]]:
    """Inside, workers that prepare themselves and wait for work; in the end, none is left.

    Parameters
    ----------
    jobs
        Number of processes; with 1, none is started.
    prepare
        What each does while it waits, such as to import what it will need.
    """
    idle: list[Worker] = []
    try:
        idle.extend(start(prepare) for _ in range(jobs if jobs > 1 else 0))
        yield idle
    finally:
        end_all(idle)


def start(prepare: Callable[[], object] | None = None) -> Worker:
    """A new worker without work."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, prepare), daemon=True)
    with deaf_to_interrupts():
        process.start()
    theirs.close()
    return Worker(process, ours)


def hire(
    work: Callable[[int], Result], team: dict[Any, Worker], idle: Worker | None = None
) -> Worker:
    """A worker in the team, an idle or a new one, that knows its work."""
    usable = idle is not None and not idle.connection.closed and idle.process.is_alive()
    worker = idle if idle is not None and usable else start()
    team[worker.connection] = worker
    message = ForkingPickler.dumps(work)
    with suppress(OSError):  # if it has just died, that will be news
        worker.connection.send_bytes(message)
    return worker


def end_all(workers: Iterable[Worker]) -> None:
    """End processes, whatever they are at."""
    team = list(workers)
    for worker in team:
        worker.process.terminate()
    for worker in team:
        worker.process.join()


def serve(connection: Connection, prepare: Callable[[], object] | None = None) -> None:
    """What a worker does: work in, then tasks in and outcomes out, until nobody is there."""
    if prepare is not None:
        prepare()
    try:
        work = connection.recv()
        with threadpool_limits(1):  # of libraries that are loaded: those that the work needs are
            connection.send(None)
            while True:
                connection.send(attempt(work, connection.recv()))
    except (EOFError, OSError):
        gc.freeze()  # or the interpreter looks at every object before it ends, for 0.3 s
        return


def attempt(work: Callable[[int], Result], task: int) -> Outcome[Result]:
    """What becomes of a task."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            result, error = work(task), None
        except Exception as exception:  # whatever it is, the other tasks must go on
            result, error = None, f"{exception}\n\n{traceback.format_exc()}"
    return Outcome(task, result, error, tuple(str(warning.message) for warning in caught))


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Inside, processes are started that ignore Ctrl-C: who started them ends them."""
    if threading.current_thread() is not threading.main_thread():  # signals are its business
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
