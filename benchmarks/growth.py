"""How time and memory grow with the documents: vectorise, train, estimate, from 125,000 on.

Documents are answers of the synthetic survey, labelled as negative or not, in files of a temporary
folder that are written before anything is measured. Vectors are made of a stream of the file, to
disk; Adaptive, with its folds, and SVM(KLD) are trained on the vectors where they lie, all of them
labelled; an estimate by Adaptive, with intervals, reads the file in pieces.

Each measurement is a process of its own, with one thread and kernels that are loaded before. The
least of some rounds counts. A line log time = a + b log n is fitted through all sizes: b is the
exponent, 1 where twice the documents take twice the time. Beside it stands the exponent of the last
doubling alone, where fixed costs weigh least. Memory is anonymous, at its peak, sampled (Linux
only). The exit code is 1 where an exponent of CPU time or memory is above the limit.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.scale import Measured, measure, timed
from quantext.datasets.synthetic import synthetic, synthetic_weeks
from quantext.models.estimates import estimate
from quantext.models.methods import METHODS
from quantext.models.save import load, save
from quantext.models.train import train
from quantext.texts.columns import Columns
from quantext.texts.reading import read_documents
from quantext.vectors.disk import open_vectors
from quantext.vectors.ltc import LtcVectorizer

SIZES = [125_000, 250_000, 500_000, 1_000_000, 2_000_000]
LIMIT = 1.1
FEW = 3000  # documents: enough for most kernels to be loaded
WARM = 60_000  # documents: enough for the kernels of many documents to be loaded


@dataclass(frozen=True)
class Place:
    """A folder, and the files of so many documents in it."""

    folder: Path
    n: int

    @property
    def answers(self) -> Path:
        """Text, sentiment and week of each."""
        return self.folder / f"{self.n}.jsonl"

    @property
    def vectors(self) -> Path:
        """Their vectors, once they are made."""
        return self.folder / f"{self.n}-vectors"

    @property
    def labels(self) -> Path:
        """Whether each is negative."""
        return self.folder / f"{self.n}.npy"

    @property
    def model(self) -> Path:
        """What estimates documents of any number."""
        return self.folder / "model.qx"

    def make(self) -> None:
        """Write the answers and their labels, a week at a time."""
        negative = []
        with open(self.answers, "wb") as opened:
            for week in synthetic_weeks(self.n, labels="sentiment"):
                table = pl.DataFrame({"text": week.texts, "week": week.periods})
                table.write_ndjson(opened)
                negative.append((week.labels == "negative").to_numpy())
        np.save(self.labels, np.concatenate(negative))


def vectorise(place: Place) -> tuple[Any, float, float]:
    LtcVectorizer().fit_transform(synthetic(FEW).texts.to_list())
    blocks = read_documents(place.answers, Columns("text"))
    texts = (text for _, table in blocks for text in table["text"].to_list())
    with tempfile.TemporaryDirectory(dir=place.folder) as name:
        made = Path(name, "X")
        result = timed(lambda: LtcVectorizer().fit_transform(texts, out=made).shape)
        if not place.vectors.exists():
            made.rename(place.vectors)
    return result


def train_by(method: str, place: Place) -> tuple[Any, float, float]:
    X, y = open_vectors(place.vectors), np.load(place.labels)
    METHODS[method].make().fit(X[:WARM], y[:WARM])
    return timed(lambda: str(type(METHODS[method].make().fit(X, y))))


def train_adaptive(place: Place) -> tuple[Any, float, float]:
    return train_by("Adaptive", place)


def train_svm(place: Place) -> tuple[Any, float, float]:
    return train_by("SVM(KLD)", place)


def estimate_weeks(place: Place) -> tuple[Any, float, float]:
    model = load(place.model)
    model.predict_interval(synthetic(FEW).texts)
    blocks = read_documents(place.answers, Columns("text", date="week"))
    return timed(lambda: estimate(model, blocks).n_documents)


STAGES: dict[str, Callable[[Place], tuple[Any, float, float]]] = {
    "vectorise, to disk": vectorise,  # first: the others need what it makes
    "train SVM(KLD)": train_svm,
    "train Adaptive": train_adaptive,
    "estimate, Adaptive": estimate_weeks,
}


def exponent(sizes: list[int], values: np.ndarray) -> float:
    """B of the line log value = a + b log n with the least squared errors."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def report(stage: str, sizes: list[int], taken: list[list[Measured]]) -> list[str]:
    """Print what a stage took at each size, as a table; return what grows faster than allowed."""
    least = np.array([[min(t.cpu for t in own), min(t.wall for t in own)] for own in taken])
    peaks = np.array([[max(t.anonymous for t in own)] for own in taken])
    values = np.hstack([least, peaks])
    print(f"\n| {stage} | CPU | wall | memory |\n|--:|--:|--:|--:|")
    for n, (cpu, wall, peak) in zip(sizes, values, strict=True):
        print(f"| {n:,} | {cpu:.2f} s | {wall:.2f} s | {peak:.0f} MB |")
    fitted = [exponent(sizes, column) for column in values.T]
    last = [exponent(sizes[-2:], column[-2:]) for column in values.T]
    for name, found in (("exponent", fitted), ("of the last doubling", last)):
        print(f"| {name} | {' | '.join(f'{b:.2f}' for b in found)} |", flush=True)
    asked = {"CPU time": fitted[0], "memory": fitted[2]}
    return [
        f"{stage}: {what} grows with exponent {b:.2f}, above {LIMIT}"
        for what, b in asked.items()
        if b > LIMIT
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, help="numbers of documents")
    parser.add_argument("--rounds", type=int, default=2, help="of which the least counts")
    options = parser.parse_args()
    if len(sizes := sorted(set(options.sizes))) < 2:
        parser.error("an exponent needs two sizes or more")
    if options.rounds < 1:
        parser.error("there must be one round or more")
    too_fast: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        places = [Place(Path(name), n) for n in sizes]
        for place in places:
            place.make()
        trained = train(synthetic(10_000, labels="sentiment"), n_jobs=1)
        save(trained.model, places[0].model)
        for stage, work in STAGES.items():
            taken: list[list[Measured]] = [[] for _ in sizes]
            for _ in range(options.rounds):  # sizes in turns: what disturbs them disturbs all
                for own, place in zip(taken, places, strict=True):
                    own.append(measure(work, place))
                    took = f"{stage}, {place.n:,} documents: {own[-1].cpu:.2f} s of CPU time"
                    print(took, file=sys.stderr, flush=True)
            too_fast += report(stage, sizes, taken)
    print(f"\nAll exponents of CPU time and memory are to be at most {LIMIT}.")
    if too_fast:
        sys.exit("Error: " + "; ".join(too_fast))


if __name__ == "__main__":
    main()
