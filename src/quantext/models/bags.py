"""Bags of a stream of documents: documents in, a summary of each bag out.

The documents are read once and never held. Summaries of parts of them add up, so that the parts may
be read anywhere: see `distributed`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from quantext.models.textquantifier import TextQuantifier
from quantext.progress import Progress, silent
from quantext.quantifiers.summary import Summary
from quantext.quantifiers.weights import whole_weights
from quantext.vectors.batches import batches
from quantext.vectors.ltc import LtcVectorizer
from quantext.vectors.proxy import ProxyVectorizer

__all__ = ["ALL", "BagSummaries", "BagSummary", "summarise"]

Array = NDArray[Any]

ALL = "all"  # name of the bag where there is only one

MOST_BAGS = 10_000  # each is held in memory; more are a column that does not name bags
# What is counted at a time: so many scores, or documents, whose bags and labels wait with them.
SCORES_AT_ONCE, DOCUMENTS_AT_ONCE = 1 << 22, 1 << 16


@dataclass(frozen=True)
class BagSummary:
    """What is kept of the documents of a bag, or of a part of them; parts add up.

    Parameters
    ----------
    summary
        Of their scores.
    words
        Numbers of known and of all their words, or of what models say of them.
    n_labelled
        How many have a label, or a list of labels that may be empty.
    labels
        How many have each label.
    n_readable
        How many have a word that the model knows.
    label_weights
        The sum of their weights, where documents have weights, in the unit of the summary's.
    """

    summary: Summary
    words: NDArray[np.int64]
    n_labelled: int
    labels: Counter[str]
    n_readable: int = 0
    label_weights: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: "BagSummary") -> "BagSummary":
        return BagSummary(
            self.summary + other.summary,
            self.words + other.words,
            self.n_labelled + other.n_labelled,
            self.labels + other.labels,
            self.n_readable + other.n_readable,
            self.label_weights + other.label_weights,
        )

    def true_share(self, label: str) -> float:
        """Share of the documents, or of their weight, that has the label, if all are labelled."""
        if self.summary.weights is None:
            return self.labels[label] / self.summary.size
        return self.label_weights[label] / max(self.summary.total, 1)

    @property
    def known_share(self) -> float | None:
        """Share of the words, or answers, that the model knows; None if there are none."""
        known, words = self.words.tolist()
        return known / words if words else None


@dataclass(frozen=True)
class BagSummaries:
    """What is kept of documents; parts add up.

    Parameters
    ----------
    n_rows
        Rows that were read, documents or not.
    parts
        The documents by the name of their bag or, if that is a date, by day; if several columns
        name it, by tuples of these.
    columns
        Names of these, where there are several.
    """

    n_rows: int
    parts: Mapping[Any, BagSummary]
    columns: tuple[str, ...] = ()

    def __add__(self, other: "BagSummaries") -> "BagSummaries":
        parts = dict(self.parts)
        for name, part in other.parts.items():
            _include(parts, name, part, MOST_BAGS)
        return BagSummaries(self.n_rows + other.n_rows, parts, self.columns or other.columns)


def summarise(
    model: TextQuantifier,
    blocks: Iterable[tuple[int, pl.DataFrame]],
    *,
    progress: Progress = silent,
    most_bags: int = MOST_BAGS,
    scores_at_once: int = SCORES_AT_ONCE,
) -> BagSummaries:
    """What estimates are made of, from documents that are read once.

    Parameters
    ----------
    model, blocks, progress
        As in `estimate`.
    most_bags
        More are an error.
    scores_at_once
        How many scores are counted at a time: a matter of memory and speed alone.
    """
    n_rows = n_documents = 0
    columns: tuple[str, ...] = ()

    def documents() -> Iterator[pl.DataFrame]:
        nonlocal n_rows, n_documents, columns
        for n, table in blocks:
            n_rows, n_documents = n_rows + n, n_documents + len(table)
            columns = columns or _key_columns(table)
            yield table
            progress("documents", n_documents, None)

    parts: dict[Any, BagSummary] = {}
    for name, part in _parts(model, documents(), scores_at_once):
        _include(parts, name, part, most_bags)
    return BagSummaries(n_rows, parts, columns)


def _key_columns(documents: pl.DataFrame) -> tuple[str, ...]:
    """Names of several columns that name bags."""
    kind = documents.schema.get("period")
    return tuple(own.name for own in kind.fields) if isinstance(kind, pl.Struct) else ()


def _include(parts: dict[Any, BagSummary], name: Any, part: BagSummary, most: int) -> None:
    """Add a part to that of the same name, or as a new one."""
    parts[name] = parts[name] + part if name in parts else part
    if len(parts) > most:
        raise ValueError(
            f"there are more than {most:,} batches; name a column with fewer values, or one of "
            "dates"
        )


def _parts(
    model: TextQuantifier, documents: Iterable[pl.DataFrame], scores_at_once: int
) -> Iterator[tuple[Any, BagSummary]]:
    """Names of bags and parts of them, as the documents come."""
    waiting: list[pl.DataFrame] = []

    def texts() -> Iterator[pl.Series]:
        for table in documents:
            waiting.append(_facts(table))
            yield table["text"]

    for part in _joined(_scored(model, texts()), scores_at_once):
        n = len(part.words)
        facts = pl.concat(waiting)
        waiting[:] = [facts[n:]]
        for name, own in _by_bag(facts[:n]):
            scores, words, X = part.select(own["row"].to_numpy())
            labels = own["labels"].drop_nulls()
            summary, label_weights = _counted(model, scores.T, X, own)
            yield (
                name,
                BagSummary(
                    summary,
                    words.sum(axis=0),
                    len(labels),
                    Counter(labels.explode().drop_nulls().to_list()),
                    int((words[:, 0] > 0).sum()),
                    label_weights,
                ),
            )


def _counted(
    model: TextQuantifier, scores: Array, X: Any, facts: pl.DataFrame
) -> tuple[Summary, Counter[str]]:
    """Summary of documents, and the sum of the weights of those that have each label."""
    quantifier = model.quantifier_
    if "weight" not in facts.columns:
        return quantifier.summarise_scores(scores, X), Counter()
    weights = facts["weight"].to_numpy()
    labels = facts.select("labels", weight=pl.Series(whole_weights(weights)))
    each = labels.explode("labels").drop_nulls().group_by("labels").agg(pl.col("weight").sum())
    return quantifier.summarise_scores(scores, X, weights), Counter(dict(each.iter_rows()))


class Scored(NamedTuple):
    """Documents that are to be counted.

    Parameters
    ----------
    scores
        What counts of their scores, shape (m, n): a class's in a row.
    words
        Numbers of known and of all their words, shape (n, 2).
    X
        Their vectors, if the method counts features.
    """

    scores: Array
    words: Array
    X: Any

    def select(self, rows: Array) -> "Scored":
        """Some of the documents."""
        if len(rows) == len(self.words):
            return self
        X = None if self.X is None else self.X[rows]
        return Scored(self.scores[:, rows], self.words[rows], X)


def _by_bag(facts: pl.DataFrame) -> Iterator[tuple[Any, pl.DataFrame]]:
    """Names of bags, or tuples of them, and the rows of each."""
    facts, keys = facts.with_row_index("row"), ["bag"]
    if isinstance(facts.schema["bag"], pl.Struct):
        # Called by numbers, for the columns of the user may be called anything.
        fields = facts["bag"].struct.unnest()
        keys = [f"bag {i}" for i in range(fields.width)]
        fields.columns = keys
        facts = facts.drop("bag").hstack(fields)
    for key, own in facts.partition_by(keys, as_dict=True).items():
        yield key if len(keys) > 1 else key[0], own


def _facts(documents: pl.DataFrame) -> pl.DataFrame:
    """Bag, list of labels and weight of each document; null where there are no labels."""
    labels: Any = pl.lit(None, pl.List(pl.String))
    if "label" in documents.columns:
        label = pl.col("label")
        one = documents["label"].dtype != pl.List
        labels = pl.when(label.is_not_null()).then(pl.concat_list(label)) if one else label
    bag = pl.col("period") if "period" in documents.columns else pl.lit(ALL)
    length = pl.int_range(pl.len()).alias("row")  # so that constants have the right length
    weight = ["weight"] if "weight" in documents.columns else []
    return documents.select(length, *weight, bag=bag, labels=labels).drop("row")


def _scored(model: TextQuantifier, texts: Iterator[pl.Series]) -> Iterator[Scored]:
    """The documents as they come, some at a time."""
    quantifier, vectorizer = model.quantifier_, model.vectorizer_

    def scores(X: Any) -> tuple[Array, Any]:
        counted = quantifier.condense(quantifier.rows(X))
        return counted.T, X if quantifier.counts_features else None

    if isinstance(vectorizer, LtcVectorizer | ProxyVectorizer):
        for (rows, X), words in vectorizer.map_counted(scores, texts):
            yield Scored(rows, words, X)
    else:  # it does not tell which words it knows
        for part in chain.from_iterable(map(batches, texts)):
            rows, X = scores(vectorizer.transform(part))
            yield Scored(rows, np.zeros((len(part), 2), np.int64), X)


def _joined(parts: Iterable[Scored], scores_at_once: int) -> Iterator[Scored]:
    """The same, more at a time: to count many documents at once takes less time."""
    waiting: list[Scored] = []
    n_scores = n_documents = 0
    for part in parts:
        waiting.append(part)
        n_scores, n_documents = n_scores + part.scores.size, n_documents + len(part.words)
        if n_scores >= scores_at_once or n_documents >= DOCUMENTS_AT_ONCE:
            yield _stacked(waiting)
            waiting, n_scores, n_documents = [], 0, 0
    if waiting:
        yield _stacked(waiting)


def _stacked(parts: list[Scored]) -> Scored:
    scores, words, X = zip(*parts, strict=True)
    return Scored(np.hstack(scores), np.vstack(words), None if X[0] is None else _stacked_rows(X))


def _stacked_rows(X: Sequence[Any]) -> Any:
    return sparse.vstack(X, format="csr") if sparse.issparse(X[0]) else np.vstack(X)
