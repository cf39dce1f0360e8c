"""Settings: corpora as vectors and labels, and the bags that methods are compared on.

Bags are those of later periods, or drawn: at prescribed prevalences of one class, or uniformly on
the simplex of all. Vectors have no stop words removed, whatever the vectoriser's default is.
"""

import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from quantext.datasets import arxiv as arxiv_reader
from quantext.datasets import reuters21578 as reuters_reader
from quantext.datasets.synthetic import synthetic
from quantext.experiments.drawing import PREVALENCES
from quantext.experiments.splits import by_period
from quantext.scores.labels import Kind
from quantext.vectors.ltc import LtcVectorizer

__all__ = ["CORPORA", "Problem", "Setting"]

SIZE = 500  # of bags that are drawn
DRAWS = 5  # with each prevalence
ON_SIMPLEX = 200  # bags that are drawn there


@dataclass(frozen=True)
class Setting:
    """Bags to compare methods on, and what is asked of the method that is meant for all of them.

    Parameters
    ----------
    name
        That is printed.
    bags
        Rows of the later documents.
    ratio
        Most that its mean KLD may be, as a multiple of that of the best other method.
    cover
        Least share of intervals that hold.
    column
        The only label that is asked of the bags, in a problem of two classes; None: all.
    """

    name: str
    bags: Sequence[np.ndarray]
    ratio: float | None = None
    cover: float = 0.93
    column: int | None = None


@dataclass(frozen=True)
class Problem:
    """Training documents, later ones, and the settings that use them.

    Parameters
    ----------
    kind
        Of problem.
    X, Y
        Training documents and their labels as columns.
    X_later, Y_later
        The same of the documents that bags are made of.
    settings
        To measure.
    """

    kind: Kind
    X: Any
    Y: np.ndarray
    X_later: Any
    Y_later: np.ndarray
    settings: tuple[Setting, ...]


def reuters(folder: Path) -> Iterator[Problem]:
    """Reuters-21578, days of at least 100 documents."""
    corpus = reuters_reader.read_reuters21578(folder / "reuters21578.tar.xz")
    train, later, days = _periods(corpus, **reuters_reader.SPLIT)
    Y = corpus.indicator[:, corpus.indicator[train].any(axis=0)]
    X, X_later = _vectors(corpus.texts[train], corpus.texts[later])
    settings = (Setting("Reuters, days", days, 1.05),)
    yield Problem("multilabel", X, Y[train], X_later, Y[later], settings)


def arxiv(folder: Path) -> Iterator[Problem]:
    """Abstracts: by category, by archive, and those of exactly one archive."""
    corpus = arxiv_reader.read_arxiv(folder / "arxiv_2018_2019.jsonl.gz")
    train, later, weeks = _periods(corpus, **arxiv_reader.SPLIT)
    X, X_later = _vectors(corpus.texts[train], corpus.texts[later])
    Y = corpus.indicator[:, corpus.indicator[train].any(axis=0)]
    settings = (Setting("arXiv, weeks", weeks, 1.08),)
    yield Problem("multilabel", X, Y[train], X_later, Y[later], settings)

    archive = np.array([name.split(".")[0] for name in corpus.classes])
    A = np.column_stack([corpus.indicator[:, archive == a].any(axis=1) for a in np.unique(archive)])
    A = A[:, A[train].any(axis=0)]
    Y, Y_later = A[train], A[later]
    rng = np.random.default_rng(1)
    yield Problem("multilabel", X, Y, X_later, Y_later, (Setting("archives, weeks", weeks, 1.0),))
    drawn = tuple(
        Setting("archives, drawn", list(_drawn(Y_later[:, j], rng)), 0.9, column=j)
        for j in np.flatnonzero(Y_later.sum(axis=0) >= max(PREVALENCES) * SIZE)
    )
    yield Problem("multilabel", X, Y, X_later, Y_later, drawn)

    one = np.flatnonzero(Y.sum(axis=1) == 1)
    classes = Y[one].any(axis=0)
    rows = np.flatnonzero((Y_later.sum(axis=1) == 1) & Y_later[:, classes].any(axis=1))
    week = np.repeat(np.arange(len(weeks)), [len(w) for w in weeks])[rows]
    Y, Y_later = Y[one][:, classes], Y_later[rows][:, classes]
    settings = (
        Setting("one archive, weeks", [np.flatnonzero(week == w) for w in np.unique(week)], 1.03),
        Setting("one archive, simplex", list(_on_simplex(Y_later, rng)), 1.03),
    )
    yield Problem("multiclass", X[one], Y, X_later[rows], Y_later, settings)


def survey(folder: Path) -> Iterator[Problem]:
    """The synthetic survey by topic: weeks, and months, as the demo has them."""
    del folder
    corpus = synthetic()
    train, later, weeks = _periods(corpus, train_periods=8, by="week")
    assert corpus.periods is not None
    month = corpus.periods.gather(later).dt.truncate("1mo").to_numpy()
    months = [np.flatnonzero(month == m) for m in np.unique(month)]
    X, X_later = _vectors(corpus.texts[train], corpus.texts[later])
    Y = corpus.indicator
    settings = (Setting("survey, weeks", weeks, 0.65), Setting("demo, months", months))
    yield Problem("multilabel", X, Y[train], X_later, Y[later], settings)


def sentiment(folder: Path) -> Iterator[Problem]:
    """The synthetic survey by sentiment: three classes."""
    del folder
    corpus = synthetic(labels="sentiment")
    train, later, weeks = _periods(corpus, train_periods=8, by="week")
    X, X_later = _vectors(corpus.texts[train], corpus.texts[later])
    Y, Y_later = corpus.indicator[train], corpus.indicator[later]
    rng = np.random.default_rng(0)
    simplex = list(_on_simplex(Y_later, rng))
    settings = (
        Setting("sentiment, weeks", weeks, 1.0),
        Setting("sentiment, simplex", simplex, 1.0),
        Setting("sentiment, drawn", [b for own in Y_later.T for b in _drawn(own, rng)], 1.0),
    )
    yield Problem("multiclass", X, Y, X_later, Y_later, settings)


def semeval(folder: Path) -> Iterator[Problem]:
    """SemEval-2016 Task 4 D: tweets, and a bag for each topic, none of which is in training."""
    raw = gzip.decompress((folder / "semeval2016_4d.tsv.gz").read_bytes())
    tweets = pl.read_csv(raw, separator="\t", quote_char=None)
    train = tweets.filter(pl.col("split") != "test")
    test = tweets.filter(pl.col("split") == "test").sort("topic", maintain_order=True)
    topic = test["topic"].to_numpy()
    topics = np.split(np.arange(len(test)), np.flatnonzero(topic[1:] != topic[:-1]) + 1)
    X, X_later = _vectors(train["text"], test["text"])
    Y, Y_later = ((t["label"] == "positive").to_numpy()[:, None] for t in (train, test))
    settings = (Setting("SemEval 4D, topics", topics, 0.88, 0.91),)
    yield Problem("binary", X, Y, X_later, Y_later, settings)


CORPORA = {  # and the file that each needs, if any
    "survey": (survey, None),
    "sentiment": (sentiment, None),
    "semeval": (semeval, "semeval2016_4d.tsv.gz"),
    "reuters": (reuters, "reuters21578.tar.xz"),
    "arxiv": (arxiv, "arxiv_2018_2019.jsonl.gz"),
}


def _vectors(train: pl.Series, later: pl.Series) -> tuple[Any, Any]:
    vectorizer = LtcVectorizer(stop_words=None)
    return vectorizer.fit_transform(train), vectorizer.transform(later)


def _periods(corpus: Any, **split: Any) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Training documents, later ones, and the rows of these in each period."""
    found = by_period(corpus, **split)
    later = np.concatenate([bag.indices for bag in found.bags])
    ends = np.cumsum([len(bag) for bag in found.bags])
    return found.train, later, np.split(np.arange(len(later)), ends[:-1])


def _drawn(has_class: np.ndarray, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Bags in which a class has prescribed prevalences."""
    positives, negatives = np.flatnonzero(has_class), np.flatnonzero(~has_class)
    for p in PREVALENCES:
        n = int(SIZE * p + 0.5)
        for _ in range(DRAWS):
            own = rng.choice(positives, n, replace=False)
            yield np.concatenate([own, rng.choice(negatives, SIZE - n, replace=False)])


def _on_simplex(Y: np.ndarray, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Bags whose shares are uniform on the simplex; a class with too few gives all it has."""
    members = [np.flatnonzero(own) for own in Y.T]
    for _ in range(ON_SIMPLEX):
        counts = rng.multinomial(SIZE, rng.dirichlet(np.ones(Y.shape[1])))
        pairs = zip(members, counts, strict=True)
        yield np.concatenate([rng.choice(m, min(n, len(m)), replace=False) for m, n in pairs])
