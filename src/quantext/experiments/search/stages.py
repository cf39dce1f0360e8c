"""Stages of a search: which documents are trained on, and which make the bags of each trial.

A stage is a set of training documents; settings with the same representation share its scores. A
trial of it says what is learned from and which bags are asked. Either they are of held-out
documents, as a protocol divides them: then a stage has one trial. Or they are of out-of-fold
scores: then it has two, since the scores that a method learned from would flatter it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import _num_samples

from quantext.experiments.protocols import BagProtocol, Drawn
from quantext.experiments.splits import Bag, Split, halves
from quantext.scores.labels import Labels, read_labels
from quantext.texts.corpus import VectorCorpus

__all__ = ["Data", "Stage", "make_stages", "tested"]

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Data:
    """Documents and their labels.

    Parameters
    ----------
    X
        Documents: their rows can be picked.
    y
        As the caller gave it.
    labels
        The same as columns.
    periods, groups
        That divide them, if the caller gave any.
    """

    X: Any
    y: Any
    labels: Labels
    periods: pl.Series | None = None
    groups: pl.Series | None = None

    @classmethod
    def of(cls, X: Any, y: Any, periods: Any = None, groups: Any = None) -> "Data":
        """What the caller gave, checked."""
        if hasattr(X, "tocsr"):
            X = X.tocsr()  # the only common format whose rows can be picked
        elif not isinstance(X, pl.Series) and not hasattr(X, "shape"):
            X = list(X)
        labels = read_labels(y)
        if (n := _num_samples(X)) != len(labels.y):
            raise ValueError(f"X has {n} documents but y has labels for {len(labels.y)}")
        return cls(X, y, labels, _column("periods", periods, n), _column("groups", groups, n))

    @property
    def columns(self) -> NDArray[np.bool_]:
        """Whether each document has each class, of two classes too."""
        y = self.labels.y
        return np.column_stack([~y, y]) if self.labels.kind == "binary" else y

    @property
    def names(self) -> tuple[str, ...]:
        """Of the classes, as text."""
        return tuple(map(str, self.labels.classes))

    def part(self, rows: Indices) -> Any:
        """Labels of some documents, as a quantifier's ``fit`` takes them."""
        if self.labels.kind == "multilabel":
            return self.labels.y[rows]
        return np.asarray(self.y)[rows]

    def corpus(self) -> VectorCorpus:
        """The same to protocols, which divide documents without reading them."""
        return VectorCorpus(
            "X",
            sparse.csr_matrix((len(self.labels.y), 1)),
            self.columns,
            self.names,
            periods=self.periods,
            groups=self.groups,
            multilabel=self.labels.kind == "multilabel",
        )


def _column(name: str, values: Any, n: int) -> pl.Series | None:
    """Periods or groups: dates, if they are dates, else names."""
    if values is None:
        return None
    column: pl.Series = (
        values
        if isinstance(values, pl.Series)
        else pl.Series(name, values if isinstance(values, np.ndarray) else list(values))
    )
    if len(column) != n:
        raise ValueError(f"{name} has {len(column):,} values for {n:,} documents")
    dates = name == "periods" and column.dtype in (pl.Date, pl.Datetime)
    return column.cast(pl.Date if dates else pl.String)


@dataclass(frozen=True, eq=False)
class Stage:
    """Training documents, and the trials that need no more than these.

    Parameters
    ----------
    train
        Positions of the documents to be scored; None: all, and bags are made of their out-of-fold
        scores.
    trials
        What a method learns from, and the bags that it is then asked.
    p_true
        Of each trial: share of each class in each bag.
    """

    train: Indices | None
    trials: tuple[Split, ...]
    p_true: tuple[NDArray[np.float64], ...]

    @classmethod
    def of(cls, train: Indices | None, trials: Sequence[Split], data: "Data") -> "Stage":
        """Stage of these trials."""
        columns = data.columns
        p_true = (
            np.array([columns[bag.indices].mean(axis=0) for bag in trial.bags]) for trial in trials
        )
        return cls(train, tuple(trials), tuple(p_true))


def tested(trial: Split) -> Indices:
    """Positions of the documents in bags.

    Parameters
    ----------
    trial
        With bags.
    """
    return np.unique(np.concatenate([bag.indices for bag in trial.bags]))


def make_stages(protocol: BagProtocol, data: Data, seed: int) -> tuple[tuple[Stage, ...], str]:
    """Stages of a protocol, and what they are in words.

    Parameters
    ----------
    protocol
        One that draws bags from a share of the documents has them drawn from out-of-fold scores;
        any other divides the documents.
    data
        To be divided.
    seed
        Of the halves.
    """
    if not (isinstance(protocol, Drawn) and _from_any(protocol)):
        splits = protocol.split(data.corpus())
        stages = tuple(Stage.of(split.train, (split,), data) for split in splits)
        return stages, protocol.describe(splits)
    if data.periods is not None or data.groups is not None:
        raise ValueError(
            "periods= and groups= are given, but this protocol draws bags from all documents; "
            "choose ByPeriod or ByGroup, or Drawn(held_out=ByPeriod())"
        )
    first, second = halves(data.columns, seed)
    of_second, of_first = _shared_out(protocol, data, (second, first), seed)
    trials = tuple(Split(*trial) for trial in ((first, of_second), (second, of_first)) if trial[1])
    if not trials:
        raise ValueError("no document has a label, so there is nothing to draw bags from")
    bags = len(of_first) + len(of_second)
    words = (
        f"{bags:,} bags of {protocol.size:,} documents from out-of-fold scores, drawn "
        f"{protocol.shares.describe()}; what corrects scores was learned from one half of the "
        "documents and tested on bags of the other."
    )
    return (Stage.of(None, trials, data),), words


def _from_any(protocol: Drawn) -> bool:
    return protocol.side == "test" and isinstance(protocol.held_out, float)


def _shared_out(
    protocol: Drawn, data: Data, pools: Sequence[Indices], seed: int
) -> list[tuple[Bag, ...]]:
    """Bags from each pool, together as many as the protocol has: each is of one pool, at random."""
    multilabel = data.labels.kind == "multilabel"
    drawn: list[dict[str | None, list[Bag]]] = []
    for pool in pools:
        by_task: dict[str | None, list[Bag]] = {}
        found = protocol.draw(data.columns, data.names, multilabel=multilabel, pool=pool)[0]
        for bag in found:
            by_task.setdefault(bag.task, []).append(bag)
        drawn.append(by_task)
    rng = np.random.default_rng(seed)
    kept: list[list[Bag]] = [[], []]
    for task in drawn[0] | drawn[1]:
        there = [by_task.get(task, []) for by_task in drawn]
        if len(there[0]) != len(there[1]):  # a label that only one half has
            which = np.full(max(map(len, there)), int(len(there[0]) < len(there[1])))
        else:
            which = rng.permutation(len(there[0])) % 2
        for number, pool_number in enumerate(which.tolist()):
            kept[pool_number].append(there[pool_number][number])
    return [tuple(bags) for bags in kept]
