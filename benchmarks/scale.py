"""Time and memory as documents grow, in three parts: choose some by ``--parts``.

time: a corpus is vectorised to disk, and estimated by SVM(KLD), each from a stream of a file; twice
the documents should take twice the time. memory: the most that the command ``estimate`` takes, for
a million documents and for four. rcv1: an experiment of RCV1-v2's size, from texts to the report.

Documents are those of the synthetic survey, written to a temporary folder before anything is
measured. Everything measured runs in a process of its own; its memory, and that of the processes it
starts, is sampled while it works (Linux only). Pages that several processes share count once.
"""

import argparse
import json
import multiprocessing
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from quantext.datasets.synthetic import synthetic, synthetic_weeks
from quantext.experiments.run import run
from quantext.experiments.splits import Bag, Split
from quantext.models.estimates import estimate
from quantext.models.methods import METHODS
from quantext.models.save import load, save
from quantext.models.train import train
from quantext.reports.run_files import write_run_files
from quantext.texts.columns import Columns
from quantext.texts.reading import read_documents
from quantext.vectors.ltc import LtcVectorizer

PAPER = [*METHODS][1:12]  # the methods of Esuli & Sebastiani (2015)
N_TRAIN = 12_800
WEEKS = 53
TOPICS = 99


@dataclass(frozen=True)
class Measured:
    """What work gave, its seconds, and the most megabytes that its processes had."""

    value: Any
    wall: float
    cpu: float
    anonymous: float
    total: float


def measure(function, *arguments) -> Measured:
    """Run the function in a new process; it gives a value, and its own wall and CPU seconds."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_send, args=(theirs, function, *arguments))
    process.start()
    theirs.close()
    peak = np.zeros(2)
    while not ours.poll(0.05):
        peak = np.maximum(peak, memory(process.pid))
    result = ours.recv()
    process.join()
    return Measured(*result, *peak)


def _send(connection, function, *arguments):
    connection.send(function(*arguments))


def memory(root):
    """Megabytes of anonymous and of all memory of a process and its descendants."""
    total = np.zeros(2)
    for pid in family(root):
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
        except (FileNotFoundError, ProcessLookupError):
            continue
        kilobytes = dict(line.split(":") for line in lines)
        total += [int(kilobytes[name].split()[0]) for name in ("Pss_Anon", "Pss")]
    return total / 1024


def family(root):
    """Numbers of a process and of all that descend from it."""
    found = [root]
    for pid in found:
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                found += map(int, children.read_text().split())
            except (FileNotFoundError, ProcessLookupError):
                continue
    return found


def timed(work):
    """What the work gives, and its wall and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    value = work()
    return value, time.perf_counter() - wall, time.process_time() - cpu


def answers(n, folder):
    """A file of n answers; made if it is not there."""
    file = folder / f"{n}.jsonl"
    if not file.exists():
        with open(file, "wb") as opened:
            for week in synthetic_weeks(n):
                pl.DataFrame({"text": week.texts, "week": week.periods}).write_ndjson(opened)
    return file


def model_of(folder):
    """A model file of SVM(KLD); made if it is not there."""
    file = folder / "model.qx"
    if not file.exists():
        save(train(synthetic(10_000), name="SVM(KLD)", n_jobs=1).model, file)
    return file


def vectorise(file, folder):
    LtcVectorizer().fit_transform(["compiled kernels", "are loaded first"])
    blocks = read_documents(file, Columns("text"))
    texts = (text for _, table in blocks for text in table["text"].to_list())
    with tempfile.TemporaryDirectory(dir=folder) as place:
        return timed(lambda: LtcVectorizer().fit_transform(texts, out=Path(place, "X")).shape)


def estimate_weeks(file, model_file):
    model = load(model_file)
    model.predict(["compiled kernels are loaded first"])
    blocks = read_documents(file, Columns("text", date="week"))
    return timed(lambda: estimate(model, blocks, level=None).n_documents)


def times(sizes, rounds, folder):
    """Print seconds and memory of both stages at each size, the best of some rounds."""
    for n in sizes:
        answers(n, folder)
    stages = {"vectorise": (vectorise, folder), "estimate": (estimate_weeks, model_of(folder))}
    for name, (work, argument) in stages.items():
        print(f"\n{name:10}{'documents':>12}{'wall':>8}{'CPU':>8}  ratio of both{'anonymous':>14}")
        before = None
        for n in sizes:
            taken = [measure(work, answers(n, folder), argument) for _ in range(rounds)]
            best = np.min([(t.wall, t.cpu) for t in taken], axis=0)
            ratios = "" if before is None else " ".join(f"{r:.2f}" for r in best / before)
            peak = max(t.anonymous for t in taken)
            print(f"{n:22,}{best[0]:7.2f}s{best[1]:7.2f}s{ratios:>15}{peak:11.0f} MB", flush=True)
            before = best


def command(file, model_file):
    """Run ``quantext estimate`` on a file."""
    program = [sys.executable, "-c", "from quantext.cli import main; main()"]
    options = ["--text", "text", "--by", "week", "--period", "week", "--quiet", "--no-intervals"]
    out = file.with_suffix(".csv")
    call = [*program, "estimate", str(model_file), str(file), *options, "--out", str(out)]
    process = subprocess.Popen(call, stdout=subprocess.DEVNULL)
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, high_water_mark(process.pid))
        time.sleep(0.02)
    if process.returncode:
        raise SystemExit(f"{' '.join(call)} failed")
    return peak


def high_water_mark(pid):
    """The most megabytes of a process that were ever in memory."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def memories(sizes, folder):
    """Print the peak of the command at both sizes."""
    print(f"\nquantext estimate, {'documents':>12}{'peak':>12}{'ratio':>8}")
    first = None
    for n in sizes:
        peak = command(answers(n, folder), model_of(folder))
        first = first or peak
        print(f"{n:31,}{peak:9.0f} MB{peak / first:8.3f}", flush=True)


def experiment(n, folder):
    """Wall seconds of each stage of an experiment with weekly bags."""
    start = time.perf_counter()
    corpus = synthetic(n, n_topics=TOPICS, weeks=WEEKS)
    seconds = {"generate": time.perf_counter() - start}
    weeks = corpus.periods.dt.strftime("%Y-%m-%d").to_numpy()
    names, starts = np.unique(weeks, return_index=True)
    bags = [
        Bag(str(name), np.arange(begin, end))
        for name, begin, end in zip(names[1:], starts[1:], [*starts[2:], n], strict=True)
    ]
    split = Split(np.arange(min(N_TRAIN, starts[1])), tuple(bags), "by week")
    methods = {name: METHODS[name].make() for name in PAPER}
    start = time.perf_counter()
    results = run(corpus, split, folder, methods=methods)
    seconds |= json.loads((folder / "run.json").read_text())["seconds"]
    seconds["rest of the run"] = time.perf_counter() - start - seconds["vectors"] - seconds["tasks"]
    start = time.perf_counter()
    write_run_files(folder)
    seconds["files"] = time.perf_counter() - start
    return (results.shape, seconds), sum(seconds.values()), time.process_time()


def rcv1(n, folder):
    """Print the time of an experiment by stage, and its memory."""
    taken = measure(experiment, n, folder / "run")
    (rows, _), seconds = taken.value
    print(
        f"\n{n:,} documents, {TOPICS} classes, {WEEKS - 1} weekly bags, {len(PAPER)} methods "
        f"trained on the first {N_TRAIN:,}: {rows:,} rows of results"
    )
    for stage, wall in seconds.items():
        print(f"{stage:20}{wall:8.1f} s")
    print(f"{'all':20}{taken.wall:8.1f} s")
    print(f"peak memory of all processes {taken.total:,.0f} MB, {taken.anonymous:,.0f} anonymous")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", nargs="*", default=["time", "memory", "rcv1"])
    parser.add_argument("--scale", type=float, default=1.0, help="of all numbers of documents")
    parser.add_argument("--rounds", type=int, default=3, help="of which the best counts")
    options = parser.parse_args()

    def scaled(*sizes):
        return [round(size * options.scale) for size in sizes]

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "time" in options.parts:
            times(scaled(250_000, 500_000, 1_000_000, 2_000_000), options.rounds, folder)
        if "memory" in options.parts:
            memories(scaled(1_000_000, 4_000_000), folder)
        if "rcv1" in options.parts:
            rcv1(scaled(800_000)[0], folder)


if __name__ == "__main__":
    main()
