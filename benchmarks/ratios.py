"""Ratios against peers: measured in turns, and compared with those that are committed.

A ratio is the peer's CPU time divided by ours: above 1 we are faster, and it falls when we become
slower. Ours and the peer's work take turns in one run; the median of the ratios of all rounds
counts, since what else a machine does comes and goes.
"""

import importlib
import platform
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

import joblib

COMMITTED = Path(__file__).with_name("ratios.toml")
FALL = 0.3  # part of a committed ratio that may be lost


class MissingPeerError(Exception):
    """A peer that cannot be measured, and what to do."""


@dataclass(frozen=True)
class Ratio:
    """What was measured, on what, beside whom: median CPU seconds and the median of the ratios."""

    what: str
    peer: str
    ours: float
    theirs: float
    ratio: float

    @property
    def name(self) -> str:
        """What tells it from others."""
        return f"{self.what} / {self.peer}"


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of some work in this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def in_turns(
    what: str, ours: Callable[[], float], peers: dict[str, Callable[[], float]], rounds: int
) -> list[Ratio]:
    """Ratios of the CPU seconds that ours and each peer's work say they took, in turns."""
    taken = [(ours(), [theirs() for theirs in peers.values()]) for _ in range(rounds)]
    return [
        Ratio(
            what,
            peer,
            median(own for own, _ in taken),
            median(others[i] for _, others in taken),
            median(others[i] / own for own, others in taken),
        )
        for i, peer in enumerate(peers)
    ]


def peer_module(name: str) -> Any:
    """A module of a peer, or an error that says how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        root = name.partition(".")[0]
        raise MissingPeerError(
            f"the peer {root} is not installed here ({error}); `make bench` installs it, or "
            "`pip install -e '.[bench]'`"
        ) from None


def read_committed(path: Path = COMMITTED) -> dict[str, float]:
    """Committed ratios by name; none if there is no file."""
    return dict(tomllib.loads(path.read_text("utf-8"))["ratios"]) if path.exists() else {}


def write_committed(ratios: Sequence[Ratio], path: Path = COMMITTED) -> None:
    """Write ratios as the committed ones; those that were not measured here stay as they are."""
    known = read_committed(path) | {own.name: own.ratio for own in ratios}
    head = (
        "# The peer's CPU time divided by ours, as `python -m benchmarks --commit` measured it on\n"
        f"# {date.today()}, on {machine()}. `make bench` fails where one falls by more than "
        f"{FALL:.0%}.\n\n[ratios]\n"
    )
    lines = [f'"{name}" = {ratio:.3g}\n' for name, ratio in sorted(known.items())]
    path.write_text(head + "".join(lines), "utf-8")


def machine() -> str:
    """What kind of machine this is."""
    kinds = [platform.processor() or platform.machine()]
    information = Path("/proc/cpuinfo")
    if information.exists():
        lines = information.read_text().splitlines()
        kinds = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{joblib.cpu_count()} cores of {(kinds or [platform.machine()])[0]}"


def table(ratios: Sequence[Ratio], committed: dict[str, float]) -> str:
    """The ratios as a table for people."""
    head = f"{'what':56}{'peer':32}{'ours, s':>9}{'peer, s':>9}{'ratio':>8}{'committed':>11}"
    lines = [
        f"{own.what:56}{own.peer:32}{own.ours:9.3f}{own.theirs:9.3f}{own.ratio:8.2f}"
        + (f"{committed[own.name]:11.2f}" if own.name in committed else f"{'none yet':>11}")
        for own in ratios
    ]
    return "\n".join([head, *lines])


def fallen(ratios: Sequence[Ratio], committed: dict[str, float]) -> list[str]:
    """A sentence for each ratio that is more than `FALL` below the committed one."""
    return [
        f"{own.what}, beside {own.peer}: {own.ratio:.2f} is {1 - own.ratio / was:.0%} below the "
        f"committed {was:.2f}"
        for own in ratios
        if own.ratio < (1 - FALL) * (was := committed.get(own.name, 0.0))
    ]
