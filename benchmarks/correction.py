"""How sure a corrected share is: coverage and width of the intervals of `quantext.correct`.

Simulated files (`benchmarks.correction_cells`): 50 to 1,000 known truths, 2 and 6 classes,
prevalences from 0.02 to 0.5, a model that is right in 60 to 95% of cases; truths drawn from the
file at random, or from elsewhere. Beside ours, the intervals of the known truths alone (Wilson's)
and those of ppi-python. 4,000 replicates of all 280 cells take 25 minutes of two free cores; with
``--log`` what was done is kept in a file, and a run that is started again goes on from there.

Then what is not in the table: other designs and other kinds of models; ppi-python itself, in an
environment of its own, `.venv-ppi` beside this folder, which the script makes on its first run
(``--python`` names another interpreter that has it); a posterior on a grid; time and memory with a
million documents. ``--parts`` chooses among these, ``--small`` tries them in a few minutes.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import venv
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from scipy.stats import beta

from benchmarks.correction_cells import (
    LEVEL,
    Cell,
    by_sample,
    cells,
    check_same,
    draw_srs,
    judged_of,
    ppi_python,
    run,
)
from benchmarks.correction_designs import DESIGNS, REGRESSED, run_design
from quantext.quantifiers.misclassified import unmix

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv-ppi"
PEER = "ppi-python==0.2.3"
PARTS = ("srs", "elsewhere", "designs", "peer", "grid", "scale")
BLOCK = 500  # replicates that a process does at a time
ENOUGH = 5  # expected documents of the class, from which 93% is asked; 90% below
COVERS = 0.945  # with 4,000 replicates, 95% but for chance
MOST_OF_PEER, MOST_OF_GOLD = 1.05, 1.03  # widths


def simulate(design, options):
    """Each cell, with means over its replicates."""
    done = read_log(options.log)
    own = cells(design, small=options.small)
    for cell in own[:: len(own) // 5]:
        check_same(cell)
    blocks = -(-options.replicates // BLOCK)
    jobs = [(cell, b, min(BLOCK, options.replicates)) for b in range(blocks) for cell in own]
    results = [done[job] for job in jobs if job in done]
    left = [job for job in jobs if job not in done]
    start = time.time()
    with ProcessPoolExecutor(options.processes) as pool:
        for i, result in enumerate(pool.map(run, left), 1):
            results.append(result)
            if options.log:
                with options.log.open("a") as log:
                    log.write(json.dumps(result) + "\n")
            if i % 100 == 0:
                seconds = f"{time.time() - start:.0f} s"
                print(f"{design}: {i} of {len(left)} blocks, {seconds}", file=sys.stderr)
    return [(cell, mean_of(cell, results)) for cell in own]


def read_log(path):
    """What was done before, by cell, block and replicates."""
    if path is None or not path.exists():
        return {}
    results = [json.loads(line) for line in path.read_text().splitlines()]
    return {(cell_of(own), own["block"], own["replicates"]): own for own in results}


def cell_of(result):
    names = ("design", "classes", "gold", "prevalence", "accuracy")
    return Cell(**{name: result[name] for name in names})


def mean_of(cell, results):
    own = [result for result in results if cell_of(result) == cell]
    number = sum(result["replicates"] for result in own)
    return {name: sum(r["sums"][name] for r in own) / number for name in own[0]["sums"]}


def print_cells(design, rows):
    """Coverage in percent; beside it the width, or its ratio to gold alone's and ppi-python's."""
    accuracies = sorted({cell.accuracy for cell, _ in rows})
    what = "coverage, width by gold's, by ppi's" if design == "srs" else "coverage, width"
    print(f"\nDesign {design!r}: {what}, if the model is right in …")
    print("| classes | truths | share | " + " | ".join(f"{own:.0%}" for own in accuracies) + " |")
    print("|--:|--:|--:|" + "---|" * len(accuracies))
    for key, own in groupby(rows, lambda row: (row[0].classes, row[0].gold, row[0].prevalence)):
        texts = [
            f"{100 * m['ours']:.1f} {m['ours width'] / m['wilson width']:.2f} "
            f"{m['ours width'] / m['ppi width']:.2f}"
            if design == "srs"
            else f"{100 * m['ours']:.1f} {m['ours width']:.3f}"
            for _, m in own
        ]
        print(f"| {key[0]} | {key[1]:,} | {key[2]:.2f} | " + " | ".join(texts) + " |")


def print_demands(rows):
    """Which of the things that we mean to hold do hold, and where they do not."""
    coverage = np.array([m["ours"] for _, m in rows])
    enough = np.array([cell.expected >= ENOUGH - 1e-9 for cell, _ in rows])
    print(f"coverage {100 * coverage.mean():.1f}% on average; at least "
          f"{100 * coverage[enough].min():.1f}% in {enough.sum()} cells with {ENOUGH} or more "
          "expected documents of the class", end="")  # fmt: skip
    rest = f", {100 * coverage[~enough].min():.1f}% in the others" if (~enough).any() else ""
    print(rest)
    for (cell, m), many in zip(rows, enough, strict=True):
        if m["ours"] < (0.93 if many else 0.90):
            print(f"  NO: {cell}: {100 * m['ours']:.1f}%")
    if "ppi" not in rows[0][1]:
        return
    peer = [(cell, m["ours width"] / m["ppi width"]) for cell, m in rows if m["ppi"] >= COVERS]
    gold = [(cell, m["ours width"] / m["wilson width"]) for cell, m in rows]
    print(f"width at most {max(own for _, own in gold):.3f} of gold alone (Wilson)")
    within = sum(own <= MOST_OF_PEER for _, own in peer)
    print(f"ppi-python covers in {len(peer)} of {len(rows)} cells, on average in "
          f"{100 * np.mean([m['ppi'] for _, m in rows]):.1f}%, at least in "
          f"{100 * min(m['ppi'] for _, m in rows):.1f}%; where it covers, we are at most "
          f"{MOST_OF_PEER} times as wide in {within}")  # fmt: skip
    for pairs, most in ((peer, MOST_OF_PEER), (gold, MOST_OF_GOLD)):
        for cell, ratio in pairs:
            if ratio > most:
                print(f"  NO: {cell}: {ratio:.2f} times as wide")


def print_designs(options):
    """Coverage in what is not in the tables."""
    number = 200 if options.small else min(options.replicates, 1000)
    jobs = [(name, number // 5 if name in REGRESSED else number) for name in DESIGNS]
    print("\n| design, or model | intervals | coverage, % | mean width |")
    print("|---|--:|--:|--:|")
    with ProcessPoolExecutor(options.processes) as pool:
        for name, held, width, total in pool.map(run_design, jobs):
            print(f"| {name} | {total:,} | {100 * held:.1f} | {width:.3f} |", flush=True)


def peer_interpreter():
    """The interpreter of ppi-python's environment, which is made if it is not there."""
    python = ENVIRONMENT / "bin" / "python"
    if not (ENVIRONMENT / ".complete").exists():
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
        (ENVIRONMENT / ".gitignore").write_text("*\n")
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, PEER], check=True)
        (ENVIRONMENT / ".complete").touch()
    return python


def print_peer(options):
    """How far we are from ppi-python, where the estimator is the same."""
    own = [cell for cell in cells("srs", small=True) if cell.expected >= ENOUGH]
    rng = np.random.default_rng(0)
    tables = [draw_srs(cell, rng) for cell in own]
    python = options.python or peer_interpreter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tables.npz"
        named = {f"all{i}": pair[0] for i, pair in enumerate(tables)}
        np.savez(path, **named, **{f"gold{i}": pair[1] for i, pair in enumerate(tables)})
        command = [python, ROOT / "benchmarks" / "correction_ppi.py", path]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    bounds, shares = [], []
    for pair, theirs in zip(tables, json.loads(done.stdout), strict=True):
        low, high, _ = ppi_python(*pair)
        bounds += [abs(low - max(theirs["low"], 0)), abs(high - min(theirs["high"], 1))]
        share, _, _, helped = by_sample(judged_of(*pair), population=True, reading="given")
        if helped:
            shares.append(abs(share - theirs["shares"][0]))
    print(f"\n{PEER}, {len(tables)} files: our copy of its bounds is {max(bounds):.1e} from them; "
          f"correct(reading='given', target='population') is {max(shares):.1e} from its tuned "
          f"estimate in the {len(shares)} where the model helps")  # fmt: skip


def grid_bounds(table, q):
    """Quantiles of p on a grid, uniform before, if the model puts a share q in class 1."""
    p = (np.arange(4000) + 0.5)[:, None] / 4000
    fpr = (np.arange(1000) + 0.5) / 1000
    density = beta.pdf(fpr, 1 + table[1, 0], 1 + table[0, 0])
    tpr = (q - fpr * (1 - p)) / p  # the one with which q is what it is; |dq / dtpr| = p
    density = density * beta.pdf(tpr, 1 + table[1, 1], 1 + table[0, 1]) / p
    upto = np.cumsum(density.sum(axis=1))
    return np.interp([(1 - LEVEL) / 2, (1 + LEVEL) / 2], upto / upto[-1], p[:, 0])


def print_grid(_):
    """Bounds from elsewhere beside those of a posterior on a grid."""
    size = 1_000_000
    print(f"\nFrom elsewhere, two classes, {size:,} documents: bounds, and those on a grid")
    for table, q in (
        ([[95, 8], [5, 32]], 0.3),
        ([[48, 3], [2, 47]], 0.06),
        ([[240, 60], [60, 240]], 0.35),
        ([[900, 30], [100, 170]], 0.15),
    ):
        found = unmix(np.array(table), np.array([round((1 - q) * size), round(q * size)]))
        low, high = grid_bounds(np.array(table), q)
        apart = max(abs(found.low[1] - low), abs(found.high[1] - high)) / (high - low)
        print(f"{table}, {q:.0%} put in class 1: {found.low[1]:.4f} to {found.high[1]:.4f}; "
              f"{low:.4f} to {high:.4f}; apart {apart:.1%} of the width")  # fmt: skip


def measure_scale(kind):
    """Seconds and megabytes of `quantext.correct` with 1,000,000 documents of 10 classes."""
    import resource

    import polars as pl

    from quantext import correct

    rng = np.random.default_rng(0)
    names = np.array([f"class {k}" for k in range(10)])
    truth = rng.integers(0, 10, 1_000_000)
    known = np.full(1_000_000, None, dtype=object)
    known[:1000] = names[truth[:1000]]
    said = names[np.where(rng.random(1_000_000) < 0.8, truth, rng.integers(0, 10, 1_000_000))]
    if kind == "posteriors":
        odds = rng.normal(size=(1_000_000, 10)) + 3.0 * np.eye(10)[truth]
        proxy = np.exp(odds)
        proxy /= proxy.sum(axis=1, keepdims=True)
        del odds
    else:
        proxy = said.tolist() if kind == "labels in a list" else pl.Series(said)
    column = pl.Series(known.tolist())
    start = np.array([time.perf_counter(), time.process_time()])
    correct(proxy, column, design="srs")
    seconds = np.array([time.perf_counter(), time.process_time()]) - start
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def print_scale(_):
    """Each kind in a process of its own."""
    for kind in ("labels in a list", "labels in a column", "posteriors"):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            seconds, megabytes = pool.submit(measure_scale, kind).result()
        print(f"1,000,000 documents, 10 classes, {kind}: {seconds[0]:.1f} s ({seconds[1]:.1f} s of "
              f"the processor), {megabytes:,.0f} MB at most, with the data")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--replicates", type=int, default=4000)
    parser.add_argument("--design", choices=PARTS[:2], help="only this table")
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=PARTS)
    parser.add_argument("--small", action="store_true", help="few cells, 200 replicates")
    parser.add_argument("--log", type=Path, help="what was done, to go on from")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--python", type=Path, help="an interpreter that has ppi-python")
    options = parser.parse_args()
    if options.small:
        options.replicates = min(options.replicates, 200)
    parts = [options.design] if options.design else options.parts
    tables = {}
    for design in (own for own in PARTS[:2] if own in parts):
        tables[design] = simulate(design, options)
        print_cells(design, tables[design])
        print_demands(tables[design])
    others = {"designs": print_designs, "peer": print_peer, "grid": print_grid,
              "scale": print_scale}  # fmt: skip
    for name in (own for own in PARTS[2:] if own in parts):
        others[name](options)


if __name__ == "__main__":
    main()
