"""How long commands take to start, as ratios to importing scikit-learn in the same run.

Times are of whole processes, from start to exit, run in turns: their CPU time counts, as other
programs disturb it least, and the wall clock is beside it. Commands run with compiled bytecode and
with files in the system's cache; what a first call takes that must compile all that it needs is
measured apart, with more documents than are interpreted.

Scikit-learn imports pandas where it is installed, and takes longer then: the run says whether.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import polars as pl

from benchmarks.estimate_speed import LAUNCH, Run, usual_environment
from benchmarks.ratios import Ratio, in_turns
from quantext.datasets.synthetic import synthetic
from quantext.models.save import save
from quantext.models.train import train
from quantext.texts.reading import read_corpus

TEN, N_TRAIN, N_NEW = 10, 3000, 2000
PEER = "import sklearn"


def launch(command: list[str], **environment: str) -> Run:
    """Run a command and wait for its end."""
    shown = subprocess.run(
        [sys.executable, "-S", "-c", LAUNCH, *command],
        check=True,
        capture_output=True,
        text=True,
        env=usual_environment() | environment,
    )
    return Run(*map(float, shown.stdout.split()))


def files(folder: Path) -> tuple[Path, Path, Path]:
    """A model of the default method, ten documents, and more."""
    corpus = synthetic(N_TRAIN + N_NEW, labels="sentiment")
    table = pl.DataFrame({"text": corpus.texts, "label": corpus.labels})
    training, ten, more = (folder / f"{name}.csv" for name in ("training", "ten", "more"))
    table.head(N_TRAIN).write_csv(training)
    table.tail(N_NEW).head(TEN).select("text").write_csv(ten)
    table.tail(N_NEW).select("text").write_csv(more)
    model = folder / "model.qx"
    fitted = train(read_corpus(training, text="text", label="label")).model
    save(fitted, model, about={"text": ["text"]})
    return model, ten, more


def judged_file(folder: Path) -> Path:
    """A hundred documents with a model's labels, half of them with the truth as well."""
    file = folder / "judged.csv"
    says = ["yes", "no", "yes", "no"] * 25
    truth = ["yes", "no", "no", "no"] * 12 + [None] * 52
    pl.DataFrame({"model": says, "truth": truth}).write_csv(file)
    return file


def ratios(folder: Path) -> list[Ratio]:
    """CPU time of whole processes that do little, beside one that imports scikit-learn."""
    del folder
    quantext = str(Path(sys.executable).with_name("quantext"))
    peer = [sys.executable, "-c", PEER]
    with tempfile.TemporaryDirectory() as place:
        model, ten, _ = files(Path(place))
        commands = {
            "import quantext": [sys.executable, "-c", "import quantext"],
            f"quantext estimate, {TEN} documents, whole process": [
                quantext, "estimate", str(model), str(ten)
            ],
        }  # fmt: skip
        found = []
        for what, command in commands.items():
            launch(command), launch(peer)  # they write bytecode
            found += in_turns(
                what,
                lambda command=command: launch(command).cpu,
                {PEER: lambda: launch(peer).cpu},
                rounds=7,
            )
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10, help="runs, of which the best counts")
    options = parser.parse_args()
    quantext = str(Path(sys.executable).with_name("quantext"))
    with tempfile.TemporaryDirectory() as place:
        model, ten, more = files(Path(place))
        commands = {
            PEER: [sys.executable, "-c", PEER],
            "import sklearn.svm": [sys.executable, "-c", "import sklearn.svm"],
            "import sklearn.linear_model": [sys.executable, "-c", "import sklearn.linear_model"],
            "import quantext": [sys.executable, "-c", "import quantext"],
            "quantext --help": [quantext, "--help"],
            f"quantext look, {TEN} rows": [quantext, "look", str(ten)],
            f"quantext estimate, {TEN} documents": [quantext, "estimate", str(model), str(ten)],
            "quantext correct, 100 rows": [
                quantext, "correct", str(judged_file(Path(place))), "--proxy", "model", "--truth",
                "truth", "--design", "srs",
            ],
        }  # fmt: skip
        runs: dict[str, list[Run]] = {name: [] for name in commands}
        for _ in range(options.rounds + 1):
            for name, command in commands.items():
                runs[name].append(launch(command))
        runs = {name: own[1:] for name, own in runs.items()}  # the first writes bytecode
        cold = launch([quantext, "estimate", str(model), str(more)], NUMBA_CACHE_DIR=place)
        warm = launch([quantext, "estimate", str(model), str(more)], NUMBA_CACHE_DIR=place)

    print(f"pandas is {'installed' if find_spec('pandas') else 'not installed'}")
    print(f"{'':32}{'CPU':>7}{'median':>8}{'ratio':>7}{'wall':>8}{'median':>8}{'ratio':>7}")
    best = {name: (min(r.cpu for r in own), min(r.wall for r in own)) for name, own in runs.items()}
    for name, own in runs.items():
        (cpu, wall), (peer_cpu, peer_wall) = best[name], best[PEER]
        middle = statistics.median(r.cpu for r in own), statistics.median(r.wall for r in own)
        print(
            f"{name:32}{cpu:7.2f}{middle[0]:8.2f}{cpu / peer_cpu:7.2f}"
            f"{wall:8.2f}{middle[1]:8.2f}{wall / peer_wall:7.2f}"
        )
    print(
        f"{N_NEW:,} documents: {cold.wall:.1f} s ({cold.cpu:.1f} s CPU) while nothing is compiled, "
        f"{warm.wall:.1f} s ({warm.cpu:.1f} s CPU) from then on"
    )


if __name__ == "__main__":
    main()
