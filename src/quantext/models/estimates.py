"""Estimates: the share of each class in every batch of a stream of documents.

Documents are summarised, and estimates made of the summaries. Summaries of parts of the documents
add up, so that the parts may be read anywhere: see `distributed`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.models.textquantifier import TextQuantifier
from quantext.progress import Progress, silent
from quantext.quantifiers import TrainingPrevalence
from quantext.quantifiers.summary import Summary
from quantext.texts.periods import Period, period_order, truncate
from quantext.vectors.batches import batches
from quantext.vectors.ltc import LtcVectorizer

__all__ = [
    "ALL",
    "Batch",
    "Batches",
    "Estimates",
    "aggregate",
    "estimate",
    "gives_intervals",
    "summarise",
]

Array = NDArray[Any]

ALL = "all"  # name of the batch where there is only one

MOST_BATCHES = 10_000  # each is held in memory; more are a column that does not name batches
# What is counted at a time: so many scores, or documents, whose batches and labels wait with them.
_SCORES, _DOCUMENTS = 1 << 22, 1 << 16


@dataclass(frozen=True)
class Estimates:
    """What is estimated of a stream of documents.

    Parameters
    ----------
    table
        A row for each batch and class, batches in order: ``batch`` (Date or String), ``class``,
        ``share``, ``count``, ``low`` and ``high`` (null without intervals), ``size`` (documents of
        the batch), ``p_train`` (share in training) and, if any document came with a label,
        ``true_share``, which is null where a document of the batch has none.
    known_share
        Share of the words of each batch that the model knows from training, stop words apart.
    n_rows, n_documents
        Rows that were read, and documents among them.
    n_unlabelled
        Documents without a label, if others have one.
    unseen
        Labels that training did not have, and how many documents have them.
    """

    table: pl.DataFrame
    known_share: Mapping[Any, float]
    n_rows: int
    n_documents: int
    n_unlabelled: int
    unseen: Counter[str]

    @property
    def prevalence(self) -> Array:
        """Shares in the order of the model's classes; if there are several batches, a row each."""
        shares: Array = self.table["share"].to_numpy()
        return shares if len(self.known_share) == 1 else shares.reshape(len(self.known_share), -1)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.prevalence, dtype=dtype, copy=copy)


def estimate(
    model: TextQuantifier,
    blocks: Iterable[tuple[int, pl.DataFrame]],
    *,
    period: Period = "week",
    level: float | None = 0.95,
    seed: int = 0,
    replicates: int = 1000,
    progress: Progress = silent,
) -> Estimates:
    """Share and number of documents of each class in every batch.

    The documents are read once. Memory holds a block of them and a summary of each batch or, if
    batches are made of dates, of each day.

    Parameters
    ----------
    model
        Fitted.
    blocks
        Rows and documents, as `read_documents` gives them. Their column
        ``period``, if there is one, names their batch.
    period
        What batches are made of if the column ``period`` has dates. Weeks are counted from the
        earliest.
    level
        Share of batches whose true share an interval should contain; None for no intervals. A
        model that was fitted without out-of-fold scores gives none either: see `gives_intervals`.
    seed, replicates
        Of the intervals, as in `predict_interval`.
    progress
        Is told "documents" or "bags", and how many of them are done.

    Examples
    --------
    >>> from quantext import ClassifyAndCount, LinearSVM
    >>> model = TextQuantifier(ClassifyAndCount(LinearSVM())).fit(
    ...     ["great battery", "battery lasts", "screen broke", "broken screen"],
    ...     ["battery", "battery", "screen", "screen"],
    ... )
    >>> week = pl.DataFrame({"text": ["my battery!", "My screen?", "the screen", "screens"]})
    >>> estimate(model, [(4, week)], level=None).table.select("class", "share", "count").rows()
    [('battery', 0.25, 1), ('screen', 0.75, 3)]
    """
    batches = summarise(model, blocks, progress=progress)
    return aggregate(
        model,
        batches,
        period=period,
        level=level,
        seed=seed,
        replicates=replicates,
        progress=progress,
    )


def gives_intervals(model: TextQuantifier) -> bool:
    """Whether the model was fitted in a way that gives intervals."""
    quantifier = model.quantifier_
    return isinstance(quantifier, TrainingPrevalence) or quantifier.scores_.out_of_fold is not None


@dataclass(frozen=True)
class Batch:
    """What is kept of the documents of a batch, or of a part of them; parts add up.

    Parameters
    ----------
    summary
        Of their scores.
    words
        Numbers of known and of all their words.
    n_labelled
        How many have a label, or a list of labels that may be empty.
    labels
        How many have each label.
    """

    summary: Summary
    words: NDArray[np.int64]
    n_labelled: int
    labels: Counter[str]

    def __add__(self, other: "Batch") -> "Batch":
        return Batch(
            self.summary + other.summary,
            self.words + other.words,
            self.n_labelled + other.n_labelled,
            self.labels + other.labels,
        )

    @property
    def known_share(self) -> float:
        """Share of the words that the model knows."""
        known, words = self.words.tolist()
        return known / words if words else 1.0


@dataclass(frozen=True)
class Batches:
    """What is kept of documents; parts add up.

    Parameters
    ----------
    n_rows
        Rows that were read, documents or not.
    parts
        The documents by the name of their batch or, if that is a date, by day.
    """

    n_rows: int
    parts: Mapping[Any, Batch]

    def __add__(self, other: "Batches") -> "Batches":
        parts = dict(self.parts)
        for name, part in other.parts.items():
            _include(parts, name, part)
        return Batches(self.n_rows + other.n_rows, parts)


def summarise(
    model: TextQuantifier,
    blocks: Iterable[tuple[int, pl.DataFrame]],
    *,
    progress: Progress = silent,
) -> Batches:
    """What estimates are made of, from documents that are read once.

    Parameters
    ----------
    model, blocks, progress
        As in `estimate`.
    """
    n_rows = n_documents = 0

    def documents() -> Iterator[pl.DataFrame]:
        nonlocal n_rows, n_documents
        for n, table in blocks:
            n_rows, n_documents = n_rows + n, n_documents + len(table)
            yield table
            progress("documents", n_documents, None)

    parts: dict[Any, Batch] = {}
    for name, part in _parts(model, documents()):
        _include(parts, name, part)
    return Batches(n_rows, parts)


def aggregate(
    model: TextQuantifier,
    batches: Batches,
    *,
    period: Period = "week",
    level: float | None = 0.95,
    seed: int = 0,
    replicates: int = 1000,
    progress: Progress = silent,
) -> Estimates:
    """Estimates of documents that the same model has summarised.

    Parameters
    ----------
    model, period, level, seed, replicates, progress
        As in `estimate`.
    batches
        The sum of what `summarise` gave for parts of the documents.
    """
    if not batches.n_rows:
        raise ValueError("there are no documents; give at least one")
    if not batches.parts:
        raise ValueError(f"none of the {batches.n_rows:,} rows that were read has a text")
    merged = _merged(batches.parts, period)
    if not gives_intervals(model):
        level = None
    tables = []
    for done, (name, batch) in enumerate(merged.items(), start=1):
        tables.append(_shares(model, name, batch, level, seed, replicates))
        progress("bags", done, len(merged))
    table = pl.concat(tables)
    n_documents = sum(batch.summary.size for batch in merged.values())
    n_labelled = sum(batch.n_labelled for batch in merged.values())
    return Estimates(
        table if n_labelled else table.drop("true_share"),
        {name: batch.known_share for name, batch in merged.items()},
        batches.n_rows,
        n_documents,
        n_documents - n_labelled if n_labelled else 0,
        _unseen(model, merged.values()),
    )


def _include(parts: dict[Any, Batch], name: Any, part: Batch) -> None:
    """Add a part to that of the same name, or as a new one."""
    parts[name] = parts[name] + part if name in parts else part
    if len(parts) > MOST_BATCHES:
        raise ValueError(
            f"there are more than {MOST_BATCHES:,} batches; name a column with fewer values, "
            "or one of dates"
        )


def _parts(model: TextQuantifier, documents: Iterable[pl.DataFrame]) -> Iterator[tuple[Any, Batch]]:
    """Names of batches and parts of them, as the documents come."""
    waiting: list[pl.DataFrame] = []

    def texts() -> Iterator[pl.Series]:
        for table in documents:
            waiting.append(_facts(table))
            yield table["text"]

    for scores, words in _joined(_scores(model, texts())):
        n = len(words)
        facts = pl.concat(waiting)
        waiting[:] = [facts[n:]]
        for (name,), part in _by_batch(facts[:n]):
            rows = part["row"].to_numpy()
            chosen = scores if len(rows) == n else scores[:, rows]
            labels = part["labels"].drop_nulls()
            yield (
                name,
                Batch(
                    model.quantifier_.summarise_scores(chosen.T),
                    words[rows].sum(axis=0),
                    len(labels),
                    Counter(labels.explode().drop_nulls().to_list()),
                ),
            )


def _by_batch(facts: pl.DataFrame) -> Iterable[tuple[tuple[Any, ...], pl.DataFrame]]:
    """Names of batches, and the rows of each."""
    return facts.with_row_index("row").partition_by("batch", as_dict=True).items()


def _facts(documents: pl.DataFrame) -> pl.DataFrame:
    """Batch and list of labels of each document; null where there are none."""
    labels: Any = pl.lit(None, pl.List(pl.String))
    if "label" in documents.columns:
        label = pl.col("label")
        one = documents["label"].dtype != pl.List
        labels = pl.when(label.is_not_null()).then(pl.concat_list(label)) if one else label
    batch = pl.col("period") if "period" in documents.columns else pl.lit(ALL)
    length = pl.int_range(pl.len()).alias("row")  # so that constants have the right length
    return documents.select(length, batch=batch, labels=labels).drop("row")


def _scores(model: TextQuantifier, texts: Iterator[pl.Series]) -> Iterator[tuple[Array, Array]]:
    """What counts of the documents' scores, and how many of their words are known, in batches."""
    quantifier, vectorizer = model.quantifier_, model.vectorizer_

    def scores(X: Any) -> Array:
        return quantifier.condense(quantifier.scores_.scorer(X))

    if isinstance(vectorizer, LtcVectorizer):
        yield from vectorizer.map_counted(scores, texts)
    else:  # it does not tell which words it knows
        for part in chain.from_iterable(map(batches, texts)):
            yield scores(vectorizer.transform(part)), np.zeros((len(part), 2), np.int64)


def _joined(parts: Iterable[tuple[Array, Array]]) -> Iterator[tuple[Array, Array]]:
    """The same in larger arrays, to count many documents at once; a class's scores in a row."""
    waiting: list[tuple[Array, Array]] = []
    n_scores = n_documents = 0
    for scores, words in parts:
        waiting.append((scores, words))
        n_scores, n_documents = n_scores + scores.size, n_documents + len(words)
        if n_scores >= _SCORES or n_documents >= _DOCUMENTS:
            yield _stacked(waiting)
            waiting, n_scores, n_documents = [], 0, 0
    if waiting:
        yield _stacked(waiting)


def _stacked(parts: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    scores, words = zip(*parts, strict=True)
    return np.hstack([part.T for part in scores]), np.vstack(words)


def _merged(parts: Mapping[Any, Batch], period: Period) -> dict[Any, Batch]:
    """The batches in order; days are put together to periods."""
    names = pl.Series(list(parts))
    batch_of = truncate(names, period) if names.dtype == pl.Date else names
    merged: dict[Any, Batch] = {}
    for name, part in zip(batch_of, parts.values(), strict=True):
        merged[name] = merged[name] + part if name in merged else part
    return {name: merged[name] for name in period_order(batch_of)}


def _shares(
    model: TextQuantifier,
    name: Any,
    batch: Batch,
    level: float | None,
    seed: int,
    replicates: int,
) -> pl.DataFrame:
    """A row for each class."""
    classes = [str(label) for label in model.classes_]
    size = batch.summary.size
    share = model.aggregate(batch.summary)
    low = high = None
    if level is not None:
        low, high = model.interval(batch.summary, level, seed, replicates=replicates)
    true = None
    if batch.n_labelled == size:
        true = [batch.labels[label] / size for label in classes]
    p_train = model.quantifier_.scores_.prevalence
    return pl.DataFrame(
        {
            "batch": [name] * len(classes),
            "class": classes,
            "share": share,
            "count": np.rint(share * size).astype(np.int64),
            "low": low,
            "high": high,
            "size": [size] * len(classes),
            "p_train": p_train if len(p_train) == len(classes) else [1 - p_train[0], p_train[0]],
            "true_share": true,
        },
        schema_overrides=dict.fromkeys(("low", "high", "true_share"), pl.Float64),
    )


def _unseen(model: TextQuantifier, batches: Iterable[Batch]) -> Counter[str]:
    """The labels that are no classes of the model."""
    classes = {str(label) for label in model.classes_}
    labels: Counter[str] = Counter()
    for batch in batches:
        labels.update(batch.labels)
    return Counter({label: n for label, n in labels.items() if label not in classes})
