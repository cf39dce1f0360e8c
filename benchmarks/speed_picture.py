"""Where time goes: CPU seconds by stage, bytes moved, and what share of the machine that is.

``python -m benchmarks.speed_picture`` measures and writes the tables between the markers of
docs/speed.md; ``--print`` only prints them. It takes at most three minutes. One thread; kernels are
loaded before; the fastest of some rounds counts. Texts are abstracts on arXiv if the corpus is in
the folder of ``--data``, else answers of the synthetic survey; all else is generated.
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import polars as pl
from threadpoolctl import threadpool_limits

from benchmarks import picture_probes as probes
from benchmarks.corpora import DEFAULT_FOLDER
from benchmarks.estimate_speed import run as run_command
from benchmarks.folds_speed import generated
from benchmarks.machine import arithmetic, bandwidth
from benchmarks.probes import Probe, Stage, watched, watching
from benchmarks.ratios import machine
from quantext.datasets.synthetic import synthetic
from quantext.experiments.run import run
from quantext.experiments.splits import by_period
from quantext.learners.linear import LinearSVM
from quantext.learners.structural import StructuralSVM
from quantext.models.estimates import estimate
from quantext.models.methods import METHODS
from quantext.models.save import save
from quantext.models.train import train
from quantext.reports.run_files import write_run_files
from quantext.scores.training import score_training
from quantext.texts.columns import Columns
from quantext.texts.reading import read_documents
from quantext.vectors.ltc import LtcVectorizer

PAGE = Path(__file__).resolve().parents[1] / "docs" / "speed.md"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
ROUNDS = 3


@dataclass(frozen=True)
class Limits:
    """What one core moves and reckons in a second."""

    bandwidth: float
    arithmetic: float


@dataclass(frozen=True)
class Work:
    """Something whose stages were measured, and on what."""

    name: str
    data: str
    stages: dict[str, Stage]


def texts(folder: Path) -> tuple[str, pl.Series]:
    path = folder / "arxiv_2018_2019.jsonl.gz"
    if path.exists():
        return "abstracts on arXiv", pl.read_ndjson(path, n_rows=20_000)["abstract"]
    return "answers of the synthetic survey", synthetic(100_000).texts


def vectorising(folder: Path) -> Work:
    name, documents = texts(folder)
    size = documents.str.len_bytes().sum() / 1e6
    LtcVectorizer().fit_transform(documents[:3000])
    work = watched(
        lambda: LtcVectorizer().fit_transform(documents), probes.TEXT, "the rest", ROUNDS
    )
    return Work("Vectorising", f"{len(documents):,} {name}, {size:.0f} MB", work)


def scoring(X: Any, Y: np.ndarray) -> Work:
    scorer = score_training(LinearSVM(), X, Y, folds=0).scorer
    scorer(X[:100])
    work = watched(lambda: scorer(X), probes.SCORING, "the rest", ROUNDS)
    return Work("Scoring", f"{X.shape[0]:,} generated documents, {Y.shape[1]} classes", work)


def folds(X: Any, y: np.ndarray) -> Work:
    learner = LinearSVM()
    learner.fold_scores(X[:500], y[:500], 50, seed=0)
    work = watched(lambda: learner.fold_scores(X, y, 50, seed=0), probes.FOLDS, "the rest", ROUNDS)
    probes.count_folds(work, X, y)
    about = f"{X.shape[0]:,} generated documents, {y.mean():.0%} positive"
    return Work("51 fits of a linear SVM: 50 folds and all", about, work)


def structural(X: Any, y: np.ndarray) -> Work:
    StructuralSVM().fit(X[:500], y[:500])
    work = watched(lambda: StructuralSVM().fit(X, y), probes.STRUCTURAL, "the solver", ROUNDS)
    return Work("SVM(KLD)", f"{X.shape[0]:,} generated documents, {y.mean():.0%} positive", work)


def adaptive(X: Any, y: np.ndarray) -> Work:
    make = METHODS["Adaptive"].make
    make().fit(X[:500], y[:500])
    work = watched(
        lambda: make().fit(X, y), [*probes.FOLDS, *probes.FEATURES], "what it learns of them", 1
    )
    probes.count_folds(work, X, y)
    return Work("Adaptive", f"{X.shape[0]:,} generated documents, {y.mean():.0%} positive", work)


def experiment() -> Work:
    corpus = synthetic(12_000, weeks=20)
    split = by_period(corpus, train_periods=8, by="week")
    moments: dict[tuple[str, int, int | None], float] = {}

    def note(stage: str, done: int, all_: int | None) -> None:
        moments.setdefault((stage, done, all_), process_time())

    watched_there = [*probes.TEXT, *probes.SCORING, *probes.STRUCTURAL]
    with tempfile.TemporaryDirectory() as place, watching(watched_there) as watch:
        results = run(corpus, split, Path(place, "run"), jobs=1, progress=note)
        end = process_time()
        write_run_files(Path(place, "run"))
        files = process_time() - end
        written = sum(file.stat().st_size for file in Path(place).rglob("*") if file.is_file())
    costs = results.group_by("task", "method").agg(
        pl.first("shared_seconds"), pl.first("fit_seconds"), pl.sum("predict_seconds")
    )
    shared = costs.group_by("task").agg(pl.max("shared_seconds"))["shared_seconds"].sum()
    learning = (costs["fit_seconds"] - costs["shared_seconds"]).sum()
    n_tasks = max(all_ or 0 for stage, _, all_ in moments if stage == "tasks")
    first, last = moments["tasks", 0, n_tasks], moments["tasks", n_tasks, n_tasks]
    known = shared + learning + costs["predict_seconds"].sum()
    seconds = {
        "vectors": first - moments["vectors", 0, 1],
        "out-of-fold scores that methods share": shared,
        "what each method learns": learning,
        "estimates of the bags": costs["predict_seconds"].sum(),
        "checks, rows and files of tasks": last - first - known,
        "results put together": end - last,
        "tables, figures and page": files,
    }

    def moved(own: list[Probe]) -> float:
        names = {probe.stage for probe in own}
        return sum(stage.bytes for name, stage in watch.stages.items() if name in names)

    counted = {
        "vectors": moved(probes.TEXT),
        "what each method learns": moved(probes.STRUCTURAL),
        "estimates of the bags": moved(probes.SCORING),
        "results put together": float(results.estimated_size()),
        "tables, figures and page": float(written),
    }
    stages = {name: Stage(took, counted.get(name, 0.0)) for name, took in seconds.items()}
    n_methods = costs["method"].n_unique()
    about = f"{len(corpus):,} survey answers, {n_tasks} tasks, {n_methods} methods"
    return Work("An experiment", about, stages)


def estimating() -> Work:
    corpus = synthetic(103_000, labels="sentiment")
    table = pl.DataFrame({"text": corpus.texts, "date": corpus.periods})
    model = train(corpus.select(pl.Series(np.arange(len(corpus)) < 3000)), n_jobs=1).model
    model.vectorizer_.set_params(n_jobs=1)
    with tempfile.TemporaryDirectory() as place:
        new, one = Path(place, "new.jsonl"), Path(place, "one.jsonl")
        table.tail(100_000).write_ndjson(new)
        table.head(1).write_ndjson(one)
        save(model, file := Path(place, "model.qx"), about={"text": ["text"]})
        start = min(run_command("estimate", file, one, "--quiet").cpu for _ in range(3))
        columns = Columns("text", date="date")
        estimate(model, read_documents(one, columns))
        work = watched(
            lambda: estimate(model, read_documents(new, columns)),
            [*probes.TEXT[:-2], probes.WEIGH, *probes.SCORING, *probes.ESTIMATE],
            "reading the file, and the rest",
            ROUNDS,
        )
    stages = {"start of the command, measured apart": Stage(start)} | work
    return Work("An estimate by Adaptive, with intervals", "100,000 survey answers, weekly", stages)


def shown(work: Work, limits: Limits) -> str:
    """A table of the stages of some work."""
    total = sum(stage.seconds for stage in work.stages.values())
    lines = [
        f"### {work.name}\n",
        f"{work.data}: {total:.2f} s.\n",
        "| stage | seconds | of all | moved | a second | of memory | of arithmetic |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name, own in work.stages.items():
        cells = [name, f"{own.seconds:.3f}", f"{own.seconds / total:.0%}"]
        if own.bytes and own.seconds:
            rate = own.bytes / own.seconds
            share = rate / limits.bandwidth
            cells += [f"{own.bytes / 1e6:,.0f} MB", f"{rate / 1e9:.2f} GB", f"{share:.0%}"]
        else:
            cells += ["", "", ""]
        rate = own.operations / own.seconds if own.seconds else 0.0
        cells.append(f"{rate / limits.arithmetic:.0%}" if rate else "")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def picture(folder: Path) -> str:
    """All tables."""
    limits = Limits(bandwidth(), arithmetic())
    X, Y = generated(12_807)
    y = Y[:, 2]
    works: list[Callable[[], Work]] = [
        lambda: vectorising(folder),
        lambda: scoring(X, Y),
        lambda: folds(X, y),
        lambda: structural(X, y),
        lambda: adaptive(X, y),
        experiment,
        estimating,
    ]
    parts = [
        f"Measured on {date.today():%-d %B %Y}, on {machine()}, of which one is used. It moves "
        f"{limits.bandwidth / 1e9:.1f} GB a second to and from memory and does "
        f"{limits.arithmetic / 1e9:.1f} billion multiplications and additions."
    ]
    for work in works:
        parts.append(shown(work(), limits))
        print(parts[-1], file=sys.stderr, flush=True)
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, help="folder of the corpora")
    parser.add_argument("--print", action="store_true", help="only, and leave the page as it is")
    options = parser.parse_args()
    with threadpool_limits(1):
        tables = picture(options.data)
    if options.print:
        print(tables)
        return
    page = PAGE.read_text("utf-8")
    whole = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    if not whole.search(page):
        sys.exit(f"Error: {PAGE} has no lines {BEGIN} and {END} for the tables to stand between")
    PAGE.write_text(whole.sub(lambda _: f"{BEGIN}\n\n{tables}\n\n{END}", page), "utf-8")


if __name__ == "__main__":
    main()
