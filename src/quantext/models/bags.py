"""Bags of a stream of documents: documents in, a summary of each bag out.

The documents are read once and never held. Summaries of parts of them add up, so that the parts may
be read anywhere: see `distributed`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.models.quotes import KEPT, MOST_KEPT, BagQuotes, Quotes, choose
from quantext.models.scored import SCORES_AT_ONCE, joined, scored
from quantext.models.shown import check_quotes, class_scores
from quantext.models.textquantifier import TextQuantifier
from quantext.progress import Progress, silent
from quantext.quantifiers.summary import Summary
from quantext.quantifiers.weights import whole_weights
from quantext.vectors.ltc import LtcVectorizer

__all__ = ["ALL", "BagSummaries", "BagSummary", "summarise"]

Array = NDArray[Any]

ALL = "all"  # name of the bag where there is only one

MOST_BAGS = 10_000  # each is held in memory; more are a column that does not name bags


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
    quotes
        Documents that show the classes, by bag in the same way; None if none were asked for.
    columns
        Names of these, where there are several.
    """

    n_rows: int
    parts: Mapping[Any, BagSummary]
    quotes: Quotes | None = None
    columns: tuple[str, ...] = ()

    def __add__(self, other: "BagSummaries") -> "BagSummaries":
        parts = dict(self.parts)
        for name, part in other.parts.items():
            _include(parts, name, part, MOST_BAGS)
        quotes = None
        if self.quotes is not None and other.quotes is not None:
            quotes = self.quotes + other.quotes
        columns = self.columns or other.columns
        return BagSummaries(self.n_rows + other.n_rows, parts, quotes, columns)


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
    columns: tuple[str, ...] = ()

    def documents() -> Iterator[pl.DataFrame]:
        nonlocal n_rows, n_documents, columns
        for n, table in blocks:
            n_rows, n_documents = n_rows + n, n_documents + len(table)
            columns = columns or _key_columns(table)
            yield table
            progress("documents", n_documents, None)

    parts: dict[Any, BagSummary] = {}
    chosen = Quotes.none(quotes, len(model.classes_), most_quotes) if quotes else None
    for name, part, own in _parts(model, documents(), scores_at_once, quotes):
        _include(parts, name, part, most_bags)
        if chosen is not None and own is not None:
            chosen.include(name, own)
    return BagSummaries(n_rows, parts, chosen, columns)


def _key_columns(documents: pl.DataFrame) -> tuple[str, ...]:
    """Names of several columns that name bags."""
    kind = documents.schema.get("period")
    return tuple(own.name for own in kind.fields) if isinstance(kind, pl.Struct) else ()


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

    stream = scored(model, texts(), class_scores if quotes else None)
    for part in joined(stream, scores_at_once):
        n = len(part.words)
        facts = pl.concat(waiting)
        waiting[:] = [facts[n:]]
        for name, own in _by_bag(facts[:n]):
            scores, words, X, shown = part.select(own["row"].to_numpy())
            labels = own["labels"]
            n_labelled = len(labels) - labels.null_count()
            summary, label_weights = _counted(model, scores.T, X, own)
            yield (
                name,
                BagSummary(
                    summary,
                    words.sum(axis=0),
                    n_labelled,
                    Counter(labels.explode().drop_nulls().to_list() if n_labelled else ()),
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
