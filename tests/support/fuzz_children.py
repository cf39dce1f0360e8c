"""Attacks in child processes: each in one of its own, with limits, so that nothing can hide.

What is attacked is made once, in a process that ends; quantext is loaded once, in the process that
forks. A child may refuse, by an error that quantext raises on purpose, or answer; any other end of
it is a violation: another error, an abort, more than 10 seconds of processor time, more than 1 GB.
"""

import faulthandler
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numba  # noqa: F401 (here, so that no child spends its seconds on loading it)

SECONDS, BYTES = 10, 2**30
_CLOCK = 60  # seconds by the clock: other processes may want the processors too
_SHOWN = 5  # violations that are told at length

Strike = Callable[[int, random.Random, Path, Path], bool]


@dataclass(frozen=True)
class Attack:
    """A kind of attack.

    Parameters
    ----------
    prepare
        Writes valid files to a folder.
    warm
        Loads, in the process that forks, what all children need; it must not start threads.
    strike
        Attacks: it is given the number of the case, its random numbers, the folder of the valid
        files, which it must not change, and one of its own. It tells by its answer whether
        quantext answered; errors of quantext's own it may let through. It says on standard error
        what it does.
    """

    prepare: Callable[[Path], None]
    warm: Callable[[Path], None]
    strike: Strike


@dataclass
class Tally:
    """What came of an attack."""

    answered: int = 0
    refused: int = 0
    most_bytes: int = 0
    most_seconds: float = 0.0
    violations: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        n = self.answered + self.refused + len(self.violations)
        return (
            f"{n} attacks: {self.refused} refused, {self.answered} answered, "
            f"{len(self.violations)} violations; at most {self.most_bytes / 2**20:.0f} MB and "
            f"{self.most_seconds:.1f} s"
        )


class WrongAnswerError(AssertionError):
    """quantext answered, and wrongly."""


def refused(call: Callable[[], Any]) -> bool:
    """Whether quantext refuses by an error of its own; any other error goes on."""
    try:
        call()
    except Exception as error:
        if not on_purpose(error):
            raise
        print(f"refused: {error}"[:300], file=sys.stderr)
        return True
    return False


def on_purpose(error: BaseException) -> bool:
    """Whether quantext, or scikit-learn's validation, raised it; or the system, of a file."""
    if isinstance(error, OSError):
        return True
    if not isinstance(error, ValueError | TypeError) or len(str(error)) < 10:
        return False
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    module = str(frame.f_globals.get("__name__", ""))
    return module.startswith(("quantext.", "sklearn.utils.")) and _raised_here(error)


def _raised_here(error: BaseException) -> bool:
    """Whether a ``raise`` made it: a built-in function may fail in any line of ours."""
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    lines = Path(frame.f_code.co_filename).read_text(encoding="utf-8").splitlines()
    first = next(
        number
        for number in range(line, 0, -1)
        if not number < line - 30 and lines[number - 1].lstrip().startswith(("raise ", "def "))
    )
    return lines[first - 1].lstrip().startswith("raise ")


def run(attack: Attack, n: int, seed: int, first: int = 0, jobs: int | None = None) -> Tally:
    """What comes of n cases of an attack, from the first one on."""
    warnings.simplefilter("ignore")  # of numbers that overflow: the files are absurd
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="quantext-fuzz-") as place:
        seeds = Path(place, "seeds")
        seeds.mkdir()
        _prepare(attack, seeds)
        attack.warm(seeds)
        _check_threads()
        waiting: Iterator[int] = iter(range(first, first + n))
        running: dict[int, tuple[int, float, Path]] = {}
        for _ in range(jobs or os.cpu_count() or 1):
            _start(attack, seed, waiting, running, Path(place))
        while running:
            pid, status, usage = _wait(running)
            number, began, own = running.pop(pid)
            _add(tally, number, status, usage, time.monotonic() - began, own)
            shutil.rmtree(own)
            _start(attack, seed, waiting, running, Path(place))
    return tally


def _wait(running: Iterable[int]) -> tuple[int, int, Any]:
    """The next child that ends; one that takes far too much memory is ended.

    A limit of addresses would not do: polars reserves many that it never uses.
    """
    while True:
        pid, status, usage = os.wait4(-1, os.WNOHANG)
        if pid:
            return pid, status, usage
        for own in running:
            pages = int(Path(f"/proc/{own}/statm").read_text(encoding="ascii").split()[1])
            if pages * resource.getpagesize() > 1.5 * BYTES:
                os.kill(own, signal.SIGKILL)
        time.sleep(0.005)


def _prepare(attack: Attack, seeds: Path) -> None:
    """Make the valid files in a process that ends: the one that forks may not have threads."""
    pid = os.fork()
    if not pid:
        try:
            attack.prepare(seeds)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        raise RuntimeError("the valid files could not be made")


def _check_threads() -> None:
    """Raise if threads have started that a child would wait for."""
    names = [
        Path(task, "comm").read_text(encoding="utf-8").strip()
        for task in Path("/proc/self/task").iterdir()
    ]
    # Those of the allocator, and one that removes files when polars is short of memory, wait.
    if rest := [own for own in names if own.startswith(("polars-0", "tokio", "async", "numba"))]:
        raise RuntimeError(f"threads run in the process that forks: {', '.join(rest)}")


def _start(
    attack: Attack,
    seed: int,
    waiting: Iterator[int],
    running: dict[int, tuple[int, float, Path]],
    place: Path,
) -> None:
    """Start a child for the next case, if there is one."""
    number = next(waiting, None)
    if number is None:
        return
    own = place / str(number)
    own.mkdir()
    pid = os.fork()
    if not pid:
        _child(attack, seed, number, place / "seeds", own)
    running[pid] = number, time.monotonic(), own


def _child(attack: Attack, seed: int, number: int, seeds: Path, own: Path) -> None:
    """Do a case and end: 0 if it was answered, 3 if refused, 4 if neither."""
    code = 4
    try:
        said = os.open(own / "said", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(said, 1)
        os.dup2(said, 2)
        sys.stderr = sys.stdout = os.fdopen(2, "w", buffering=1, errors="replace")
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 2))
        faulthandler.enable(sys.stderr)
        faulthandler.register(signal.SIGXCPU, sys.stderr, chain=True)
        faulthandler.dump_traceback_later(_CLOCK, exit=True, file=sys.stderr)
        work = own / "work"
        work.mkdir()
        answers: list[bool] = []
        rng = random.Random(f"{seed} {number}")
        refusal = refused(lambda: answers.append(attack.strike(number, rng, seeds, work)))
        code = 3 if refusal or not answers[0] else 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _add(tally: Tally, number: int, status: int, usage: Any, seconds: float, own: Path) -> None:
    """Count a case that has ended."""
    size, spent = usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime
    tally.most_bytes = max(tally.most_bytes, size)
    tally.most_seconds = max(tally.most_seconds, spent)
    said = (own / "said").read_text(encoding="utf-8", errors="replace")
    code = os.waitstatus_to_exitcode(status)
    wrong = None
    if size > BYTES:
        wrong = f"took {size / 2**20:.0f} MB"
    elif code == -signal.SIGXCPU or spent > SECONDS or seconds > _CLOCK:
        wrong = f"took {spent:.0f} s of processor time, {seconds:.0f} by the clock"
    elif code < 0:
        wrong = f"ended by signal {-code}"
    elif code not in (0, 3):
        wrong = said.rstrip().rpartition("\n")[2][:200] or f"exit code {code}"
    if wrong is None:
        tally.answered += code == 0
        tally.refused += code == 3
        return
    tally.kinds[wrong[:100]] += 1
    tally.violations.append(f"case {number}: {wrong}\n{said[-3000:]}")


def tell(name: str, tally: Tally, seed: int) -> None:
    """Print what came of an attack."""
    print(f"{name}: {tally}", flush=True)
    for violation in tally.violations[:_SHOWN]:
        print(f"\n{name}, seed {seed}, {violation}", file=sys.stderr)
    if len(tally.violations) > _SHOWN:
        print("\nall of them:", file=sys.stderr)
        for kind, count in tally.kinds.most_common():
            print(f"{count:6} {kind}", file=sys.stderr)
