"""Probes: CPU seconds and bytes of functions of the package, while other code calls them.

A probe wraps a function, for a while, where its callers look it up. Its seconds are its own: what
other probes within it take is theirs. Bytes are those of the arrays that a stage reads from end to
end and writes, from their sizes; tables that are looked up here and there are not counted.
"""

import importlib
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any
from unittest.mock import patch


@dataclass(frozen=True)
class Probe:
    """A function, by the module and the name under which it is called, and what it moves.

    Parameters
    ----------
    stage
        What it is, for people; several probes may be of one stage.
    target
        Module and name, with a colon between them.
    reads
        Bytes that it reads and arithmetic operations that it does, from its arguments.
    writes
        Bytes that it writes, from what it gives.
    """

    stage: str
    target: str
    reads: Callable[..., tuple[float, float]] = lambda *_, **__: (0.0, 0.0)
    writes: Callable[[Any], float] = lambda _: 0.0


@dataclass
class Stage:
    """What a stage took: CPU seconds, bytes moved, arithmetic operations."""

    seconds: float = 0.0
    bytes: float = 0.0
    operations: float = 0.0


@dataclass
class Watch:
    """Stages by name, and the rest of the time."""

    stages: dict[str, Stage] = field(default_factory=dict)
    within: list[float] = field(default_factory=list)  # of calls that are not over: others' seconds

    def call(self, probe: Probe, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
        """What the function gives; its seconds and bytes are added to its stage."""
        stage = self.stages.setdefault(probe.stage, Stage())
        moved, operations = probe.reads(*args, **named)
        self.within.append(0.0)
        start = time.process_time()
        result = function(*args, **named)
        seconds = time.process_time() - start
        stage.seconds += seconds - self.within.pop()
        stage.bytes += moved + probe.writes(result)
        stage.operations += operations
        if self.within:
            self.within[-1] += seconds
        return result


@contextmanager
def watching(probes: Iterable[Probe]) -> Iterator[Watch]:
    """Inside, calls of all these functions are watched."""
    watch = Watch()
    with ExitStack() as stack:
        for probe in probes:
            owner, name = _found(probe.target)
            stack.enter_context(patch.object(owner, name, _wrapped(watch, probe, owner, name)))
        yield watch


def watched(
    work: Callable[[], object], probes: Iterable[Probe], rest: str, rounds: int
) -> dict[str, Stage]:
    """Stages of the fastest of some rounds of the work, in the order of the probes."""
    probes, best, least = list(probes), {}, float("inf")
    for _ in range(rounds):
        with watching(probes) as watch:
            start = time.process_time()
            work()
            total = time.process_time() - start
        if total < least:
            named = {probe.stage: watch.stages.get(probe.stage, Stage()) for probe in probes}
            others = Stage(total - sum(stage.seconds for stage in named.values()))
            best, least = named | {rest: others}, total
    return best


def _found(target: str) -> tuple[Any, str]:
    """The module or class that has a function, and its name there."""
    module, _, path = target.partition(":")
    owner: Any = importlib.import_module(module)
    *classes, name = path.split(".")
    for part in classes:
        owner = getattr(owner, part)
    if not hasattr(owner, name):
        raise SystemExit(f"Error: {target} is no longer there; correct benchmarks/speed_picture.py")
    return owner, name


def _wrapped(watch: Watch, probe: Probe, owner: Any, name: str) -> Any:
    """The function, watched."""
    function = getattr(owner, name)

    def call(*args: Any, **named: Any) -> Any:
        return watch.call(probe, function, *args, **named)

    # A kernel is an object, which has no name of a function to be kept.
    return wraps(function)(call) if isinstance(owner, type) else call
