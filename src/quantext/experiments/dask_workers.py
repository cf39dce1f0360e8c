"""Workers of a Dask scheduler that work off tasks, as processes of this machine do elsewhere."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # ships no types

try:
    from distributed import Client
    from distributed.comm import get_address_host_port
    from distributed.scheduler import KilledWorker
    from distributed.utils import silence_logging_cmgr
except ImportError as error:
    raise ImportError("a scheduler needs Dask: pip install 'quantext[dask]'") from error

from quantext.experiments.workers import Outcome, attempt

__all__ = ["connected", "work_off"]

Result = TypeVar("Result")

_LOOK_SECONDS = 5  # after which to look whether there are more workers

_GRACE_SECONDS = 2  # for a connection that should have been given up
_IDLE_SECONDS = 60  # after which workers that are gone are not waited for

_LOST = (OSError, CancelledError, asyncio.CancelledError)  # what a client raises then

_ONE_AT_A_TIME = Lock()  # of a process: tasks measure its time, and collect its warnings


class _NoWorkersError(Exception):
    """All workers have gone."""


@contextmanager
def connected(
    address: str,
    versions: Mapping[str, str],
    *,
    seconds: float = 10,
    workers_seconds: float = 30,
) -> Iterator[Client]:
    """Inside, a client of the scheduler, whose workers have the packages that results depend on.

    Parameters
    ----------
    address
        Of the scheduler, such as tcp://10.0.0.1:8786.
    versions
        Of packages that must be the same everywhere.
    seconds
        To wait for the scheduler.
    workers_seconds
        To wait for its first worker, which may have been started just now.

    Raises
    ------
    ConnectionError
        If no scheduler answers in time, or it has no workers.
    """
    try:
        get_address_host_port(address)
    except ValueError as error:
        raise ValueError(
            f"{address!r} is no address of a scheduler ({error}); write tcp://10.0.0.1:8786"
        ) from None
    # What Dask logs when a scheduler goes away, with tracebacks, is said here in a sentence.
    with silence_logging_cmgr(logging.CRITICAL):
        client = _connect(address, seconds)
        try:
            try:
                client.wait_for_workers(1, timeout=workers_seconds)
            except TimeoutError:
                raise ConnectionError(
                    f"the scheduler at {address} has no workers; start some with "
                    f"`dask worker {address} --nthreads 1`"
                ) from None
            _check(client, versions)
            yield client
        finally:
            with suppress(*_LOST):  # a scheduler that has gone need not be told
                client.close()


def _connect(address: str, seconds: float) -> Client:
    """A client of the scheduler; an error if there is none in time.

    What listens without a word, or speaks another language, may keep Dask waiting beyond the time
    that it was given, so it waits in a thread of its own.
    """
    made: SimpleQueue[Any] = SimpleQueue()
    wanted = Lock()  # whoever takes it first decides what becomes of the client

    def connect() -> None:
        try:
            found: Any = Client(address, timeout=seconds, set_as_default=False)
        except Exception as error:
            found = error
        if wanted.acquire(blocking=False):
            made.put(found)
        elif isinstance(found, Client):
            found.close()

    Thread(target=connect, daemon=True).start()
    try:
        found = made.get(timeout=seconds + _GRACE_SECONDS)
    except Empty:
        found = None if wanted.acquire(blocking=False) else made.get()
    if isinstance(found, Client):
        return found
    if isinstance(found, OSError):
        raise ConnectionError(
            f"no scheduler answers at {address}; start one with `dask scheduler`, and give the "
            "address that it prints"
        ) from found
    if address.startswith("tls://"):
        raise ConnectionError(
            f"there is no safe way to the scheduler at {address} ({found}); name your certificates "
            "in Dask's configuration, distributed.comm.tls"
        ) from found
    raise ConnectionError(
        f"something listens at {address}, but it does not answer as a scheduler does, within "
        f"{seconds:g} s; give the address that `dask scheduler` prints, and not its dashboard's"
    ) from found


def work_off(
    work: Callable[[int], Result],
    tasks: Iterable[int],
    client: Client,
    versions: Mapping[str, str],
    folder: Path,
    *,
    idle_seconds: float = _IDLE_SECONDS,
) -> Generator[Outcome[Result], None, None]:
    """Outcome of each task, in the order in which they finish.

    A worker has one task at a time, with one thread, however many threads it has. If it dies, the
    scheduler gives its task to another; a task whose workers die again and again has failed. An
    exception is the outcome of the task that met with it. To stop, close the iterator: tasks that
    wait are cancelled, and what comes of those that are being worked at is forgotten.

    Parameters
    ----------
    work
        A function that can be pickled, of one task.
    tasks
        Numbers of the tasks, to be begun in this order.
    client
        As from `connected`.
    versions
        As there; workers that come later must have them too.
    folder
        Which all workers must see, since the work reads from it.
    idle_seconds
        To wait for a worker once all are gone.

    Raises
    ------
    ConnectionError
        If the scheduler is lost, or all workers are.
    """
    waiting = deque(tasks)
    at_work: dict[Any, int] = {}
    ended: SimpleQueue[Any] = SimpleQueue()
    try:
        if _n_workers(client):  # it may have been lost since
            _check(client, versions, folder)
        seen = monotonic()
        while waiting or at_work:
            n_workers = _n_workers(client)
            seen = monotonic() if n_workers else seen
            if monotonic() - seen > idle_seconds:
                raise _NoWorkersError
            while waiting and len(at_work) < n_workers:
                task = waiting.popleft()
                future = client.submit(_attempt, work, task, versions, folder, pure=False)
                at_work[future] = task
                future.add_done_callback(ended.put)
            with suppress(Empty):
                future = ended.get(timeout=min(_LOOK_SECONDS, idle_seconds))
                outcome = _outcome(future, at_work[future])
                del at_work[future]
                yield outcome
    except _NoWorkersError:
        raise ConnectionError(
            f"the last worker has gone, and none has come for {idle_seconds:g} s; finished tasks "
            "are kept, and the same command goes on from there once there are workers"
        ) from None
    except _LOST as error:
        raise ConnectionError(
            "the scheduler is lost; finished tasks are kept, and the same command goes on from "
            "there, with this scheduler, another or none"
        ) from error
    finally:
        with suppress(*_LOST, RuntimeError):  # the latter if the client is closed already
            client.cancel(list(at_work), force=True)


def _n_workers(client: Client) -> int:
    if client.status != "running":  # to ask it would mean to wait for its return
        raise ConnectionError(f"the client is {client.status}")
    return len(client.nthreads())


def _outcome(future: Any, task: int) -> Outcome[Any]:
    """What became of a task that has ended."""
    if future.status != "error":
        outcome: Outcome[Any] = future.result()
        return outcome
    error = future.exception()
    if isinstance(error, KilledWorker):
        times = error.allowed_failures + 1
        return Outcome(
            task, error=f"its worker died, and {times} workers in all; was memory too short?"
        )
    return Outcome(task, error=f"{type(error).__name__} on a worker: {error}")


def _attempt(
    work: Callable[[int], Result], task: int, versions: Mapping[str, str], folder: Path
) -> Outcome[Result]:
    """What becomes of a task on a worker."""
    if found := _complaint(versions, folder):
        return Outcome(task, error=found)
    with _ONE_AT_A_TIME, threadpool_limits(1):
        return attempt(work, task)


def _check(client: Client, versions: Mapping[str, str], folder: Path | None = None) -> None:
    """Raise if a worker cannot do the work."""
    for worker, found in client.run(_complaint, versions, folder, on_error="return").items():
        if isinstance(found, Exception):
            raise ValueError(
                f"the worker {worker} cannot run quantext ({type(found).__name__}: {found}); "
                "install quantext there, in the same version"
            )
        if found:
            raise ValueError(f"the worker {worker} cannot take part: {found}")


def _complaint(versions: Mapping[str, str], folder: Path | None) -> str | None:
    """What a worker lacks."""
    for package, wanted in versions.items():
        try:
            here = version(package)
        except PackageNotFoundError:
            here = "missing"
        if here != wanted:
            return f"{package} is {here} there and {wanted} here; install the same version"
    if folder is not None and not folder.exists():
        return (
            f"it does not see {folder}; choose a folder for the run on storage that all workers "
            "see under the same path"
        )
    return None
