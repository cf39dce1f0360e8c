"""Bags of a stream of documents: what is kept of them, and of documents on the way there.

Summaries of parts add up, so that the parts may be read anywhere: see `distributed`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quantext.quantifiers.summary import Summary

__all__ = ["ALL", "MOST_BAGS", "BagSummaries", "BagSummary", "Scored", "include", "joined"]

Array = NDArray[Any]

ALL = "all"  # name of the bag where there is only one

MOST_BAGS = 10_000  # each is held in memory; more are a column that does not name bags
DOCUMENTS_AT_ONCE = 1 << 16  # that are counted, since their bags and labels wait with them


@dataclass(frozen=True)
class BagSummary:
    """What is kept of the documents of a bag, or of a part of them; parts add up.

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

    def __add__(self, other: "BagSummary") -> "BagSummary":
        return BagSummary(
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
class BagSummaries:
    """What is kept of documents; parts add up.

    Parameters
    ----------
    n_rows
        Rows that were read, documents or not.
    parts
        The documents by the name of their bag or, if that is a date, by day.
    """

    n_rows: int
    parts: Mapping[Any, BagSummary]

    def __add__(self, other: "BagSummaries") -> "BagSummaries":
        parts = dict(self.parts)
        for name, part in other.parts.items():
            include(parts, name, part, MOST_BAGS)
        return BagSummaries(self.n_rows + other.n_rows, parts)


def include(parts: dict[Any, BagSummary], name: Any, part: BagSummary, most: int) -> None:
    """Add a part to that of the same name, or as a new one.

    Parameters
    ----------
    parts
        By name of their bag; they are changed.
    name, part
        What is added.
    most
        Bags; more are an error.
    """
    parts[name] = parts[name] + part if name in parts else part
    if len(parts) > most:
        raise ValueError(
            f"there are more than {most:,} batches; name a column with fewer values, or one of "
            "dates"
        )


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


def joined(parts: Iterable[Scored], scores_at_once: int) -> Iterator[Scored]:
    """The same, more at a time: to count many documents at once takes less time.

    Parameters
    ----------
    parts
        Of one stream, in order.
    scores_at_once
        How many scores make a part that is large enough.
    """
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
