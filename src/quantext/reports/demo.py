"""A first look: a survey whose answers are known, estimated week by week by several methods."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from time import perf_counter

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext import atomic
from quantext.datasets.judged import judged_survey
from quantext.datasets.synthetic import synthetic
from quantext.measures import binary, kld
from quantext.models.estimates import estimate
from quantext.models.methods import DEFAULT_METHOD, method
from quantext.models.textquantifier import TextQuantifier
from quantext.progress import Progress, silent
from quantext.reports.estimates_page import estimates_page
from quantext.texts.corpus import Corpus
from quantext.vectors.ltc import LtcVectorizer

Array = NDArray[np.float64]

DEMO_METHODS = ("Training prevalence", "CC", "PACC", "SVM(KLD)", DEFAULT_METHOD)
TRAINING_WEEKS = 8
TABLES = {
    "coded.csv": ("week", "answer", "topics"),
    "later.csv": ("week", "answer"),
    "judged.csv": ("id", "week", "answer", "model", "model_score", "checked"),
}
"""Tables that `write_demo` writes, and their columns."""


@dataclass(frozen=True)
class Demo:
    """What the demo found; arrays are weeks × classes.

    Parameters
    ----------
    corpus
        The survey.
    weeks
        First days of the weeks that were estimated.
    n_train
        Number of training documents.
    n_terms
        Number of terms in their vocabulary.
    p_train
        Share of each class in the training weeks.
    p_true
        Share of each class in each later week.
    p_hat
        What each method estimates.
    low, high
        Bounds of the shares, by the default method.
    size
        Number of documents of each week.
    seconds
        What each method took.
    seed
        That of the survey.
    """

    corpus: Corpus
    weeks: list[date]
    n_train: int
    n_terms: int
    p_train: Array
    p_true: Array
    p_hat: dict[str, Array]
    low: Array
    high: Array
    size: NDArray[np.int64]
    seconds: dict[str, float]
    seed: int

    @property
    def covered(self) -> float:
        """Share of the intervals that hold the truth."""
        return float(((self.low <= self.p_true) & (self.p_true <= self.high)).mean())

    def mean_kld(self, name: str) -> float:
        """Mean KLD of a method over all weeks and classes."""
        errors = kld(binary(self.p_true), binary(self.p_hat[name]), size=self.size[:, None])
        return float(errors.mean())


def run_demo(*, seed: int = 0, progress: Progress = silent) -> Demo:
    """The survey of `synthetic`, estimated week by week.

    Parameters
    ----------
    seed
        Same seed, same survey.
    progress
        Is told what comes next, and how many of these steps are done.
    """
    steps = 2 + len(DEMO_METHODS)
    progress("writing 20,000 survey answers", 0, steps)
    corpus = synthetic(seed=seed)
    assert corpus.periods is not None
    y = corpus.y
    weeks = corpus.periods.unique().sort().to_list()
    week_of = corpus.periods.rank("dense").to_numpy() - 1
    train = week_of < TRAINING_WEEKS

    progress(f"turning the answers of {TRAINING_WEEKS} weeks into vectors", 1, steps)
    vectorizer = LtcVectorizer(n_jobs=-1)
    X = vectorizer.fit_transform(corpus.texts.filter(train))
    later = range(TRAINING_WEEKS, len(weeks))
    bags = [vectorizer.transform(corpus.texts.filter(week_of == week)) for week in later]

    p_hat, seconds = {}, {}
    for done, name in enumerate(DEMO_METHODS, start=2):
        progress(f"training and estimating by {name}", done, steps)
        start = perf_counter()
        quantifier = method(name).fit(X, y[train])
        p_hat[name] = np.array([quantifier.predict(bag) for bag in bags])
        seconds[name] = perf_counter() - start
    bounds = np.array([quantifier.predict_interval(bag) for bag in bags])  # of the last
    return Demo(
        corpus=corpus,
        weeks=weeks[TRAINING_WEEKS:],
        n_train=int(train.sum()),
        n_terms=len(vectorizer.vocabulary_),
        p_train=y[train].mean(axis=0),
        p_true=np.array([y[week_of == week].mean(axis=0) for week in later]),
        p_hat=p_hat,
        low=bounds[:, 0],
        high=bounds[:, 1],
        size=np.array([(week_of == week).sum() for week in later]),
        seconds=seconds,
        seed=seed,
    )


def write_demo(demo: Demo, folder: Path) -> dict[str, Path]:
    """Files to go on with: the coded answers, the later ones without codes, and a report on these.

    And another survey, which a made-up model has labelled and of which a sample was checked by
    hand: that of `judged_survey`, without the truth.

    Parameters
    ----------
    demo
        What `run_demo` found.
    folder
        Is made if need be.
    """
    assert demo.corpus.periods is not None
    assert demo.corpus.labels is not None
    survey = pl.DataFrame(
        {
            "week": demo.corpus.periods,
            "answer": demo.corpus.texts,
            "topics": demo.corpus.labels.list.join("; ").replace("", "none of these"),
        }
    )
    coded, later = survey[: demo.n_train], survey[demo.n_train :]
    folder.mkdir(parents=True, exist_ok=True)
    files = {name: folder / name for name in (*TABLES, "report.html")}
    atomic.write(files["coded.csv"], [coded.write_csv().encode()])
    atomic.write(files["later.csv"], [later.drop("topics").write_csv().encode()])
    atomic.write(files["judged.csv"], [judged_survey(seed=demo.seed).table.write_csv().encode()])
    atomic.write(files["report.html"], [_report(demo).encode()])
    return files


def _report(demo: Demo) -> str:
    """The page that ``quantext estimate --report`` makes, for the later weeks by month."""
    texts, labels, periods = demo.corpus.texts, demo.corpus.labels, demo.corpus.periods
    assert labels is not None
    assert periods is not None
    n = demo.n_train
    model = TextQuantifier().fit(texts[:n], demo.corpus.named_y[:n])
    later = pl.DataFrame({"text": texts[n:], "label": labels[n:], "period": periods[n:]})
    estimates = estimate(model, [(len(later), later)], period="month")
    about = {
        "title": "What phone buyers talk about",
        "method": DEFAULT_METHOD,
        "kind": "multilabel",
        "period": "month",
        "n_train": n,
        "level": 0.95,
        "known_share": estimates.known_share,
        "verdicts": estimates.verdicts,
        "changes": estimates.changes,
    }
    return estimates_page(estimates.table, about)
