"""Where the time of an experiment goes: CPU seconds by stage, in one process, as a Markdown table.

``python -m benchmarks.experiment_stages arxiv --data arxiv_2018_2019.jsonl.gz`` runs what
``quantext experiment arxiv`` does. Learning and estimating are as the results have them, by method;
what methods share of training is counted once, but scores of bags that they share, which are made
once, count for each, so that what is left for rows and files comes out too small. Kernels are
compiled and loaded before.
"""

import argparse
import json
import tempfile
from pathlib import Path
from time import process_time

import numpy as np
import polars as pl
from threadpoolctl import threadpool_limits

from quantext.experiments.configuration import (
    configure,
    configured_protocol,
    load_corpus,
    make_methods,
    make_vectorizer,
)
from quantext.experiments.fits import load_kernels
from quantext.experiments.run import run
from quantext.reports.run_files import write_run_files

FEW = 0.01  # of all seconds: methods that take less are put together


def measured(corpus: str, data: str | None, out: Path) -> dict[str, float]:
    """CPU seconds by stage, in the order of the work."""
    seconds: dict[str, float] = {}
    configuration = configure({"corpus": corpus} | ({"data": data} if data else {}))
    start = process_time()
    documents = load_corpus(configuration)
    splits = configured_protocol(configuration).split(documents)
    seconds["Reading"] = process_time() - start
    moments = {}
    results = run(
        documents,
        splits,
        out,
        methods=make_methods(configuration),
        vectorizer=make_vectorizer(configuration),
        seed=configuration.seed,
        jobs=1,
        progress=lambda stage, done, all_: moments.setdefault((stage, done, all_), process_time()),
    )
    end = process_time()
    tasks = max(all_ for stage, _, all_ in moments if stage == "tasks")
    first, last = moments["tasks", 0, tasks], moments["tasks", tasks, tasks]
    seconds["Vectors"] = first - moments["vectors", 0, 1]
    known = by_method(results)
    seconds |= known
    seconds["Tasks: checks, rows and files"] = last - first - sum(known.values())
    seconds["Results gathered"] = end - last
    start = process_time()
    write_run_files(out)
    seconds["Tables, figures and page"] = process_time() - start
    return seconds


def by_method(results: pl.DataFrame) -> dict[str, float]:
    """What learning and estimating took, from the times in the results."""
    costs = results.group_by("task", "method", maintain_order=True).agg(
        pl.first("shared_seconds"), pl.first("fit_seconds"), pl.sum("predict_seconds")
    )
    own = pl.col("fit_seconds") - pl.col("shared_seconds")
    shared = costs.group_by("task").agg(pl.max("shared_seconds"))["shared_seconds"].sum()
    sums = costs.group_by("method", maintain_order=True).agg(own.sum(), pl.sum("predict_seconds"))
    return (
        {"Out-of-fold scores that methods share": shared}
        | {f"{method}: learning": fit for method, fit, _ in sums.iter_rows()}
        | {f"{method}: estimating": predict for method, _, predict in sums.iter_rows()}
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="?", default="synthetic", help="its name")
    parser.add_argument("--data", help="path of its files")
    options = parser.parse_args()
    load_kernels(np.dtype(np.float32))
    # One thread, as in the processes of an experiment.
    with tempfile.TemporaryDirectory() as place, threadpool_limits(1):
        seconds = measured(options.corpus, options.data, Path(place, "run"))
        about = json.loads(Path(place, "run", "run.json").read_text(encoding="utf-8"))
    total = sum(seconds.values())
    print(f"{options.corpus}: {about['configuration']['tasks']} tasks, {total:.1f} s of one core\n")
    print("| stage | seconds | share |\n|---|--:|--:|")
    rest = 0.0
    for stage, took in seconds.items():
        if took < FEW * total and ": " in stage and not stage.startswith("Tasks"):
            rest += took
        else:
            print(f"| {stage} | {took:.2f} | {took / total:.1%} |")
    print(f"| All methods that take less than {FEW:.0%} | {rest:.2f} | {rest / total:.1%} |")


if __name__ == "__main__":
    main()
