"""The command ``estimate`` end to end: SVM(KLD) without intervals, 100,000 documents, 150 classes.

Times are of whole processes, from start to exit, with kernels compiled and files in the system's
cache. MB are of the file, nine tenths of it text. Start-up is what the same command takes for one
document. The best of several runs counts, since other programs only ever add time.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import joblib
import polars as pl
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from benchmarks.corpora import DEFAULT_FOLDER
from benchmarks.ratios import Ratio, in_turns
from quantext.datasets.synthetic import synthetic
from quantext.models.save import save
from quantext.models.train import train
from quantext.texts.reading import read_corpus

N_TRAIN, N_NEW = 12_500, 100_000
N_COUNTED = 100_000  # where a peer counts as well

# A process begins with the memory of the one that starts it, so that is a small one.
LAUNCH = """
import os, sys, time
start = time.perf_counter()
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ,
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, used = os.wait4(process, 0)
print(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
sys.exit(status != 0)
"""

# What people write in its place: each document classified, and the classes counted.
PEER = """
import collections, json, sys
import joblib
model = joblib.load(sys.argv[1])
texts = [json.loads(line)["text"] for line in open(sys.argv[2])]
print(collections.Counter(model.predict(texts)))
"""


@dataclass(frozen=True, order=True)
class Run:
    """What a process took."""

    wall: float
    cpu: float
    megabytes: float


def documents(folder: Path) -> pl.DataFrame:
    """Texts and lists of labels."""
    path = folder / "arxiv_2018_2019.jsonl.gz"
    if path.exists():
        print(f"abstracts of {path.name}")
        table = pl.read_ndjson(path).head(N_NEW)
        return table.select("id", "date", text="abstract", labels="categories")
    print(f"{path} is absent: generated answers instead")
    corpus = synthetic(N_NEW, n_topics=150)
    return pl.DataFrame({"text": corpus.texts, "labels": corpus.labels})


def ratios(folder: Path) -> list[Ratio]:
    """CPU time of whole processes, from a file to the counts of three classes."""
    del folder
    corpus = synthetic(N_TRAIN + N_COUNTED, labels="sentiment")
    table = pl.DataFrame({"text": corpus.texts, "label": corpus.labels})
    with tempfile.TemporaryDirectory() as place:
        names = ("training.jsonl", "new.jsonl", "model.qx", "peer.joblib")
        training, new, model, peer = (Path(place, name) for name in names)
        table.head(N_TRAIN).write_ndjson(training)
        table.tail(N_COUNTED).select("text").write_ndjson(new)
        own = read_corpus(training, text="text", label="label")
        save(train(own, name="SVM(KLD)", folds=0).model, model, about={"text": ["text"]})
        pipeline = make_pipeline(TfidfVectorizer(sublinear_tf=True), LinearSVC())
        joblib.dump(pipeline.fit(own.texts.to_list(), own.y), peer)
        ask = ("estimate", model, new, "--no-intervals", "--quiet", "--out", Path(place, "out.csv"))
        run(*ask)  # compiles what is not compiled yet
        return in_turns(
            f"quantext estimate, {N_COUNTED:,} generated answers",
            lambda: run(*ask).cpu,
            {
                "TfidfVectorizer, LinearSVC": lambda: (
                    launched(sys.executable, "-c", PEER, peer, new).cpu
                )
            },
            rounds=5,
        )


def run(*arguments: object) -> Run:
    """Run a command of quantext and wait for its end."""
    return launched(Path(sys.executable).with_name("quantext"), *arguments)


def usual_environment() -> dict[str, str]:
    """The environment, but bytecode is kept, so that nothing is compiled at each start."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def launched(*arguments: object) -> Run:
    """Run a command and wait for its end."""
    command = list(map(str, arguments))
    shown = subprocess.run(
        [sys.executable, "-S", "-c", LAUNCH, *command],
        check=True,
        capture_output=True,
        text=True,
        env=usual_environment(),
    )
    return Run(*map(float, shown.stdout.split()))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, help="folder of the corpora")
    parser.add_argument("--rounds", type=int, default=5, help="runs, of which the best counts")
    options = parser.parse_args()
    table = documents(options.data)
    with tempfile.TemporaryDirectory() as place:
        training, new, one = (Path(place, f"{name}.jsonl") for name in ("training", "new", "one"))
        table.head(N_TRAIN).write_ndjson(training)
        table.write_ndjson(new)
        table.head(1).write_ndjson(one)
        model = Path(place, "model.qx")
        corpus = read_corpus(training, text="text", label="labels")
        save(train(corpus, name="SVM(KLD)", folds=0).model, model)

        ask = ("--text", "text", "--no-intervals", "--quiet", "--out", Path(place, "shares.csv"))
        run("estimate", model, new, *ask)  # compiles what is not compiled yet
        runs, starts = [], []
        for _ in range(options.rounds):
            runs.append(run("estimate", model, new, *ask))
            starts.append(run("estimate", model, one, *ask))

        size = new.stat().st_size / 1e6

    best, start = min(runs), min(starts)
    print(f"{len(table):,} documents, {size:.0f} MB, {len(corpus.classes)} classes")
    print(
        f"{size / best.wall:.0f} MB/s end to end: {best.wall:.2f} s, of {best.cpu:.2f} s CPU time"
    )
    print(
        f"start-up {start.wall:.2f} s, {start.wall / best.wall:.0%} of it ({start.cpu:.2f} s CPU)"
    )
    print(f"without it {size / (best.wall - start.wall):.0f} MB/s")
    print(f"at most {max(each.megabytes for each in runs):.0f} MB of memory")


if __name__ == "__main__":
    main()
