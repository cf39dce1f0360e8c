"""Bags of a stream of documents: documents in, a summary of each bag out.

The documents are read once and never held. Summaries of parts of them add up, so that the parts may
be read anywhere: see `distributed`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from quantext.models.quotes import KEPT, MOST_KEPT, BagQuotes, Quotes, choose
from quantext.models.shown import check_quotes, class_scores
from quantext.models.textquantifier import TextQuantifier
from quantext.progress import Progress, silent
from quantext.quantifiers import Quantifier
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
        The documents by the name of their bag or, if that is a date, by day.
    quotes
        Documents that show the classes, by bag in the same way; None if none were asked for.
    """

    n_rows: int
    parts: Mapping[Any, BagSummary]
    quotes: Quotes | None = None

    def __add__(self, other: "BagSummaries") -> "BagSummaries":
        parts = dict(self.parts)
        for name, part in other.parts.items():
            _include(parts, name, part, MOST_BAGS)
        quotes = None
        if self.quotes is not None and other.quotes is not None:
            quotes = self.quotes + other.quotes
        return BagSummaries(self.n_rows + other.n_rows, parts, quotes)


def summarise(
    model: TextQuantifier,
    blocks: Iterable[tuple[int, pl.DataFrame]],
    *,
    progress: Progress = silent,
    most_bags: int = MOST_BAGS,
    scores_at_once: int = SCORES_AT_ONCE,
    quotes: int = 0,
    most_quotes: int = MOST_KEPT,
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
    quotes
        As in `estimate`. Without any, no text is kept.
    most_quotes
        If bags × classes × quotes are more, documents are chosen from all bags together.
    """
    check_quotes(model, quotes)
    n_rows = n_documents = 0

    def documents() -> Iterator[pl.DataFrame]:
        nonlocal n_rows, n_documents
        for n, table in blocks:
            n_rows, n_documents = n_rows + n, n_documents + len(table)
            yield table
            progress("documents", n_documents, None)

    parts: dict[Any, BagSummary] = {}
    chosen = Quotes.none(quotes, len(model.classes_), most_quotes) if quotes else None
    for name, part, own in _parts(model, documents(), scores_at_once, quotes):
        _include(parts, name, part, most_bags)
        if chosen is not None and own is not None:
            chosen.include(name, own)
    return BagSummaries(n_rows, parts, chosen)


def _include(parts: dict[Any, BagSummary], name: Any, part: BagSummary, most: int) -> None:
    """Add a part to that of the same name, or as a new one."""
    parts[name] = parts[name] + part if name in parts else part
    if len(parts) > most:
        raise ValueError(
            f"there are more than {most:,} batches, one of them {str(name)!r}; name a column with "
            "fewer values or, if these are dates, a period: day, week, month or year"
        )


def _parts(
    model: TextQuantifier, documents: Iterable[pl.DataFrame], scores_at_once: int, quotes: int
) -> Iterator[tuple[Any, BagSummary, BagQuotes | None]]:
    """Names of bags, parts of them and what is quoted, as the documents come."""
    waiting: list[pl.DataFrame] = []

    def texts() -> Iterator[pl.Series]:
        for table in documents:
            waiting.append(_facts(table, with_text=quotes > 0))
            yield table["text"]

    scored = _scored(model, texts(), class_scores if quotes else None)
    for part in _joined(scored, scores_at_once):
        n = len(part.words)
        facts = pl.concat(waiting)
        waiting[:] = [facts[n:]]
        for (name,), own in _by_bag(facts[:n]):
            scores, words, X, shown = part.select(own["row"].to_numpy())
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
                None if shown is None else _quoted(model, own, shown.T, words, quotes),
            )


def _quoted(
    model: TextQuantifier, facts: pl.DataFrame, scores: Array, words: Array, most: int
) -> BagQuotes:
    """The documents that best show each class, among those that count and say something."""
    shows = np.ones(len(facts), dtype=np.bool_)
    if isinstance(model.vectorizer_, LtcVectorizer):  # others do not tell which words they know
        shows &= words[:, 0] > 0
    if "weight" in facts.columns:
        shows &= facts["weight"].to_numpy() > 0
    return choose(facts["text"].filter(shows), scores[shows], most)


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
    shown
        How much they are of each class, shape (K, n), if documents are quoted.
    """

    scores: Array
    words: Array
    X: Any
    shown: Array | None

    def select(self, rows: Array) -> "Scored":
        """Some of the documents."""
        if len(rows) == len(self.words):
            return self
        X = None if self.X is None else self.X[rows]
        shown = None if self.shown is None else self.shown[:, rows]
        return Scored(self.scores[:, rows], self.words[rows], X, shown)


def _by_bag(facts: pl.DataFrame) -> Iterable[tuple[tuple[Any, ...], pl.DataFrame]]:
    """Names of bags, and the rows of each."""
    return facts.with_row_index("row").partition_by("bag", as_dict=True).items()


def _facts(documents: pl.DataFrame, *, with_text: bool) -> pl.DataFrame:
    """Bag, list of labels and weight of each document; null where there are no labels.

    With the beginning of its text, if that may be quoted.
    """
    labels: Any = pl.lit(None, pl.List(pl.String))
    if "label" in documents.columns:
        label = pl.col("label")
        one = documents["label"].dtype != pl.List
        labels = pl.when(label.is_not_null()).then(pl.concat_list(label)) if one else label
    bag = pl.col("period") if "period" in documents.columns else pl.lit(ALL)
    length = pl.int_range(pl.len()).alias("row")  # so that constants have the right length
    others: list[Any] = ["weight"] if "weight" in documents.columns else []
    if with_text:  # one character more than is kept, to tell that there are more
        others.append(pl.col("text").str.strip_chars().str.slice(0, KEPT + 1))
    return documents.select(length, *others, bag=bag, labels=labels).drop("row")


def _scored(
    model: TextQuantifier,
    texts: Iterator[pl.Series],
    show: Callable[[Quantifier, Array], Array] | None,
) -> Iterator[Scored]:
    """The documents as they come, some at a time, and what a function shows of their scores."""
    quantifier, vectorizer = model.quantifier_, model.vectorizer_

    def scores(X: Any) -> tuple[Array, Any, Array | None]:
        rows = quantifier.rows(X)
        features = X if quantifier.counts_features else None
        shown = None if show is None else show(quantifier, rows).T
        return quantifier.condense(rows).T, features, shown

    if isinstance(vectorizer, LtcVectorizer | ProxyVectorizer):
        for (rows, X, shown), words in vectorizer.map_counted(scores, texts):
            yield Scored(rows, words, X, shown)
    else:  # it does not tell which words it knows
        for part in chain.from_iterable(map(batches, texts)):
            rows, X, shown = scores(vectorizer.transform(part))
            yield Scored(rows, np.zeros((len(part), 2), np.int64), X, shown)


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
    scores, words, X, shown = zip(*parts, strict=True)
    return Scored(
        np.hstack(scores),
        np.vstack(words),
        None if X[0] is None else _stacked_rows(X),
        None if shown[0] is None else np.hstack(shown),
    )


def _stacked_rows(X: Sequence[Any]) -> Any:
    return sparse.vstack(X, format="csr") if sparse.issparse(X[0]) else np.vstack(X)
