"""How sure a corrected share is: coverage and width of the intervals of `quantext.correct`.

Simulated files (`benchmarks.correction_cells`): 50 to 1,000 known truths, 2 and 6 classes,
prevalences from 0.02 to 0.5, a model that is right in 60 to 95% of cases; drawn from the file at
random, or from elsewhere. Beside ours the intervals of the known truths alone (Wilson's) and those
of ppi-python. 4,000 replicates of all 480 cells take an hour of CPU time; with ``--log`` what was
done is kept in a file, and a run that is started again goes on from there. ``--small`` tries all in
a minute.

Then what is not in the table: other designs and other kinds of models; ppi-python itself, in an
environment of its own, `.venv-ppi` beside this folder, which the script makes on its first run
(``--python`` names another interpreter that has it); a posterior on a grid; time and memory with a
million documents. ``--parts`` chooses.
"""

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks.correction_cells import Cell, cells, run

BLOCK = 500  # replicates that a process does at a time
PARTS = ("srs", "elsewhere")
COVERS = 0.945  # with 4,000 replicates, 95% but for chance


def simulate(design, options):
    """A row for each cell: shares of replicates, and means over them."""
    done = read_log(options.log)
    own = cells(design, small=options.small)
    blocks = -(-options.replicates // BLOCK)
    jobs = [(cell, b, min(BLOCK, options.replicates)) for b in range(blocks) for cell in own]
    results = [done[key] for job in jobs if (key := job_key(*job)) in done]
    left = [job for job in jobs if job_key(*job) not in done]
    start = time.time()
    with ProcessPoolExecutor(options.processes) as pool:
        for i, result in enumerate(pool.map(run, left), 1):
            results.append(result)
            if options.log:
                with options.log.open("a") as log:
                    log.write(json.dumps(result) + "\n")
            if i % 100 == 0:
                print(f"{design}: {i} of {len(left)} blocks, {time.time() - start:.0f} s",
                      file=sys.stderr, flush=True)  # fmt: skip
    return [mean_of(cell, results) for cell in own]


def read_log(path):
    """What was done before, by what it was."""
    if path is None or not path.exists():
        return {}
    results = [json.loads(line) for line in path.read_text().splitlines()]
    return {job_key(cell_of(own), own["block"], own["replicates"]): own for own in results}


def cell_of(result):
    names = ("design", "classes", "gold", "prevalence", "accuracy")
    return Cell(**{name: result[name] for name in names})


def job_key(cell, block, replicates):
    return cell, block, replicates


def mean_of(cell, results):
    own = [result for result in results if cell_of(result) == cell]
    number = sum(result["replicates"] for result in own)
    names = own[0]["sums"]
    return cell, {name: sum(result["sums"][name] for result in own) / number for name in names}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--replicates", type=int, default=4000)
    parser.add_argument("--design", choices=["srs", "elsewhere"])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--log", type=Path)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    for design in [options.design] if options.design else PARTS:
        for cell, row in simulate(design, options):
            print(cell, row)


if __name__ == "__main__":
    main()
