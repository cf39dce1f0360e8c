"""How many labels shares to ±3 points need, and whether intervals hold the truth.

People are simulated who label from nothing until no interval is wider than the target: one label
after the other, learning after each wave. Populations are the synthetic survey by topic (12, of
which an answer may have several) and by sentiment (3), of 20,000 and of 3,000 answers, and the test
tweets of SemEval-2016 Task 4 D. The number is compared with that of simple random sampling: the
smallest whose Wilson interval around the true shares, with the correction for finite populations,
is as narrow for every class. Held are intervals of all classes after 60, 120 and 240 labels and
when labelling stops. A run takes a second or two of CPU time.
"""

import argparse
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.corpora import DEFAULT_FOLDER
from quantext.datasets.synthetic import synthetic
from quantext.labelling.drawing import first_wave
from quantext.labelling.found import shares
from quantext.labelling.learning import learn
from quantext.labelling.representation import features
from quantext.labelling.task import Labels, Task
from quantext.quantifiers.sample_bounds import wilson

FIXED = (60, 120, 240)
STOP = "stop"


def survey(size, labels):
    corpus = synthetic(size, labels=labels)
    return corpus.texts, corpus.indicator.astype(bool), labels == "topics"


def semeval(folder):
    tweets = pl.read_csv(folder / "semeval2016_4d.tsv.gz", separator="\t", quote_char=None)
    test = tweets.filter(pl.col("split") == "test")
    positive = (test["label"] == "positive").to_numpy()
    return test["text"], np.column_stack([~positive, positive]), False


POPULATIONS = {
    "SemEval 4D": semeval,
    "topics, 20,000": lambda _: survey(20_000, "topics"),
    "topics, 3,000": lambda _: survey(3_000, "topics"),
    "sentiment, 20,000": lambda _: survey(20_000, "sentiment"),
    "sentiment, 3,000": lambda _: survey(3_000, "sentiment"),
}


def needed_at_random(truths, target, level=0.95):
    """Labels that a simple random sample needs."""
    N, p = len(truths), truths.mean(axis=0)
    for n in range(10, N):
        low, high = wilson(p, n / (1 - n / N), level)
        if (high - low).max() / 2 <= target:
            return n
    return N


def simulate(seen, truths, several, target, seed):
    """Labels when the target was reached, and what was said then and before, by label count."""
    N = len(truths)
    names = tuple(f"class {k}" for k in range(truths.shape[1]))
    task = Task(names, several, target=target, seed=seed)
    waves, guide, said = [first_wave(task, N)], None, {}
    rows = np.empty(0, dtype=np.int64)
    widest = 1.0
    while True:
        for row in waves[-1].rows:
            rows = np.append(rows, row)
            n = len(rows)
            # Far from the target, nobody stops at the next label.
            if n in FIXED or n % 5 == 0 or widest < 1.03 * target:
                now = shares(task, N, waves, Labels(rows, truths[rows]), guide)
                widest = now.half_width.max()
                if n in FIXED:
                    said[n] = now
                if now.reached and n >= 30:
                    return n, said | {STOP: now}
        guide, wave = learn(task, seen, waves, Labels(rows, truths[rows]))
        waves.append(wave)


def report(name, truths, runs, target):
    needed, p = needed_at_random(truths, target), truths.mean(axis=0)
    labels = np.array([n for n, _ in runs])
    print(
        f"{name}: {labels.mean():.0f} labels (from {labels.min()} to {labels.max()}), at random "
        f"{needed}: {labels.mean() / needed:.3f}",
        flush=True,
    )
    for when in (*FIXED, STOP):
        found = [said[when] for _, said in runs if when in said]
        if not found:
            continue
        held = np.array([(f.low <= p + 1e-9) & (p <= f.high + 1e-9) for f in found]).mean(axis=0)
        error = np.array([f.share - p for f in found])
        width = np.array([f.half_width for f in found]).mean(axis=0)
        rare = held[p < 0.05]
        print(
            f"  {when:>5} {len(found):>5} runs  held {held.mean():.3f}  least {held.min():.3f}  "
            f"rare {rare.mean() if len(rare) else np.nan:.3f}  half width {width.max():.4f}  "
            f"largest bias {np.abs(error.mean(axis=0)).max():.4f}  "
            f"error {np.sqrt((error**2).mean(axis=0)).max():.4f}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, help="folder of the corpora")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument(
        "--seed", type=int, default=0, help="of the first run; the next has the next"
    )
    parser.add_argument("--target", type=float, default=0.03)
    parser.add_argument("--only", nargs="*", default=list(POPULATIONS), choices=POPULATIONS)
    options = parser.parse_args()
    for name in options.only:
        if POPULATIONS[name] is semeval and not options.data.is_dir():
            print(f"{name}: {options.data} is absent; pass a folder by --data")
            continue
        texts, truths, several = POPULATIONS[name](options.data)
        seen = features(texts)
        seeds = range(options.seed, options.seed + options.runs)
        found = [simulate(seen, truths, several, options.target, seed) for seed in seeds]
        report(name, truths, found, options.target)


if __name__ == "__main__":
    main()
