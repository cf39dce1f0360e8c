"""One table of ratios against named peers: ``python -m benchmarks`` or ``make bench``.

All lines are measured in one run, ours and the peer's work in turns, by CPU time; data is generated
where nothing else is said. It takes some minutes, and fails where a ratio has fallen by more than
30% below the committed one in ratios.toml; a script with a line that has fallen is measured once
more before, and the better of both counts. ``--commit`` writes what was measured as the committed
ratios, and fails never.

Name scripts to run these alone, with all that they measure and the options in quotes:
``python -m benchmarks growth "coverage --methods ACC"``. Studies of accuracy and scale, which take
up to an hour, run only by name: {studies}.
"""

import argparse
import importlib
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.corpora import DEFAULT_FOLDER
from benchmarks.ratios import (
    FALL,
    MissingPeerError,
    Ratio,
    fallen,
    machine,
    read_committed,
    table,
    write_committed,
)

# Each has a function `ratios`.
QUICK = ["vectorizer", "svm_speed", "folds_speed", "start_speed", "estimate_speed", "quapy_acc"]
STUDIES = [
    "intervals_speed", "search_speed", "many_bags", "peers", "scale", "growth", "out_of_core",
    "adaptive", "svm_accuracy", "svm_default_c", "coverage", "regions", "plan", "correction",
    "labelling", "speed_picture",
]  # fmt: skip


def measure(script: str, folder: Path) -> list[Ratio]:
    """Ratios that a script measures."""
    print(f"measuring: {script}", file=sys.stderr, flush=True)
    found: list[Ratio] = importlib.import_module(f"benchmarks.{script}").ratios(folder)
    return found


def better(first: list[Ratio], second: list[Ratio]) -> list[Ratio]:
    """The higher of two measurements of each line."""
    return [max(pair, key=lambda own: own.ratio) for pair in zip(first, second, strict=True)]


def compare(folder: Path, *, commit: bool) -> None:
    """Print the table; exit with 1 where a ratio has fallen."""
    start, committed = time.perf_counter(), read_committed()
    ratios: list[Ratio] = []
    for script in QUICK:
        own = measure(script, folder)
        if not commit and fallen(own, committed):
            own = better(own, measure(script, folder))
        ratios += own
    print(f"CPU seconds on {machine()}; a ratio is the peer's divided by ours\n")
    print(table(ratios, committed))
    print(f"\nmeasured in {time.perf_counter() - start:.0f} s")
    if commit:
        write_committed(ratios)
        return
    absent = committed.keys() - {own.name for own in ratios}
    if absent:
        print(f"committed but not measured here: {', '.join(sorted(absent))}")
    if found := fallen(ratios, committed):
        sys.exit(f"Error: by more than {FALL:.0%} slower than before:\n" + "\n".join(found))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.format(studies=", ".join(STUDIES)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="SCRIPT", help="of these, all; else the table")
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, help="folder of the corpora")
    parser.add_argument("--commit", action="store_true", help="write the ratios to ratios.toml")
    options = parser.parse_args()
    if options.names and options.commit:
        parser.error("--commit needs the whole table: name no scripts")
    for name in options.names:
        if name.split()[0] not in QUICK + STUDIES:
            parser.error(f"no script {name!r}; choose from {', '.join(QUICK + STUDIES)}")
    if not options.names:
        try:
            compare(options.data, commit=options.commit)
        except MissingPeerError as error:
            sys.exit(f"Error: {error}")
    for name in options.names:
        print(f"\n== {name}", flush=True)
        done = subprocess.run(
            [sys.executable, "-m", *f"benchmarks.{name}".split()], check=False
        ).returncode
        if done:
            sys.exit(f"Error: {name} ended with exit code {done}")


if __name__ == "__main__":
    main()
