"""The command ``estimate`` end to end: 10,000 batches of 20 to 30 answers, with 95% intervals.

The answers are those of the synthetic survey, by sentiment: three classes, or two, negative or not.
Times are of whole processes, from start to exit: reading 30 MB of CSV, vectors, estimates, 1,000
replicates for all methods but Adaptive, verdicts, the table in a file and the listing. Kernels are
compiled beforehand. Training, on 4,000 answers, is not counted.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.estimate_speed import run
from quantext.datasets.synthetic import synthetic

METHODS = ("Adaptive", "SVM(KLD)", "CC", "PCC", "ACC", "PACC", "EMQ")
N_TRAIN = 4_000


def tables(n_batches):
    """Labelled answers, and new ones by batch."""
    sizes = np.random.default_rng(0).integers(20, 31, n_batches)
    corpus = synthetic(N_TRAIN + int(sizes.sum()), weeks=8, labels="sentiment", seed=3)
    table = pl.DataFrame({"text": corpus.texts, "3": corpus.y})
    table = table.with_columns((pl.col("3") == "negative").cast(pl.String).alias("2"))
    names = pl.Series("batch", np.repeat([f"b{number:05}" for number in range(n_batches)], sizes))
    return table[:N_TRAIN], table[N_TRAIN:].select("text").with_columns(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=int, default=10_000)
    parser.add_argument("--methods", nargs="*", default=METHODS, help="as `quantext methods` has")
    parser.add_argument("--classes", nargs="*", default=("2", "3"), choices=("2", "3"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        names = ("train.csv", "new.csv", "few.csv", "model.qx", "out.csv")
        train, new, few, model, out = (Path(folder, name) for name in names)
        labelled, unlabelled = tables(options.batches)
        labelled.write_csv(train)
        unlabelled.write_csv(new)
        unlabelled.head(200).write_csv(few)
        print(f"{options.batches:,} batches, {len(unlabelled):,} answers")
        print(f"{'method':12}{'classes':>8}{'wall, s':>9}{'CPU, s':>8}{'MB':>6}")
        for method in options.methods:
            for classes in options.classes:
                asked = ("--text", "text", "--label", classes, "--method", method)
                model.unlink(missing_ok=True)
                run("train", train, *asked, "--model", model)
                run("estimate", model, few, "--by", "batch")  # compile
                out.unlink(missing_ok=True)
                took = run("estimate", model, new, "--by", "batch", "--out", out)
                print(
                    f"{method:12}{classes:>8}{took.wall:9.1f}{took.cpu:8.1f}{took.megabytes:6.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
