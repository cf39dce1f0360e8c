"""Protocols: which documents train and which make each bag, by period or by prevalence."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.texts.corpus import Corpus, VectorCorpus
from quantext.texts.periods import Period, as_date, natural_key, period_order, truncate

__all__ = ["Bag", "Split", "artificial_prevalence", "by_period", "describe"]

Indices = NDArray[np.intp]

PREVALENCES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True, eq=False)
class Bag:
    """Documents whose prevalence is asked.

    Parameters
    ----------
    name
        Its period (a date as 1996-08-27), or the prevalence that it was drawn with.
    indices
        Positions of its documents in the corpus.
    task
        Name of the task that it was drawn for, the only one that is asked of it; None: all tasks.
    """

    name: str
    indices: Indices
    task: str | None = None

    def __len__(self) -> int:
        return len(self.indices)


@dataclass(frozen=True, eq=False)
class Split:
    """Training documents and bags.

    Parameters
    ----------
    train
        Positions of the training documents in the corpus.
    bags
        The bags, in order.
    name
        What tells it from other splits of the same corpus.
    notes
        Which documents are in neither, and why.
    """

    train: Indices
    bags: tuple[Bag, ...]
    name: str = ""
    notes: tuple[str, ...] = ()


def by_period(
    corpus: Corpus | VectorCorpus,
    *,
    train_until: date | str | None = None,
    train_periods: int | None = None,
    by: Period | None = None,
    test_periods: int | None = None,
    min_size: int = 1,
) -> Split:
    """Training documents of the first periods, and one bag for each later period.

    Only periods in which there are documents count.

    Parameters
    ----------
    corpus
        A corpus with periods.
    train_until
        The first day that is no longer training data, as a date or as text: ``"1987-03-16"``.
        If periods are names, the first of them that is no longer training data.
    train_periods
        Number of periods to train on, instead of a date.
    by
        What dates are truncated to; weeks are counted from the corpus's first day. By default,
        periods as the corpus has them.
    test_periods
        Number of periods after the training data to make bags of; all by default.
    min_size
        Periods with fewer documents make no bag.

    Examples
    --------
    >>> corpus = Corpus(
    ...     "news",
    ...     texts=pl.Series(["a", "b", "c", "d"]),
    ...     periods=pl.Series([date(1996, 8, 20), date(1996, 9, 3), *2 * [date(1996, 8, 29)]]),
    ... )
    >>> split = by_period(corpus, train_periods=1, by="week")
    >>> split.train
    array([0])
    >>> [(bag.name, bag.indices.tolist()) for bag in split.bags]
    [('1996-08-27', [2, 3]), ('1996-09-03', [1])]
    """
    if corpus.periods is None or not len(corpus):
        raise ValueError(
            f"corpus {corpus.name!r} has no documents with dates; it cannot be divided by period"
        )
    if (train_until is None) == (train_periods is None):
        raise ValueError("say how far the training data goes: train_until= or train_periods=")
    for name, number in (("train_periods", train_periods), ("test_periods", test_periods)):
        if number is not None and number < 1:
            raise ValueError(f"{name} is {number}; it must be 1 or more")
    if by is not None and corpus.periods.dtype != pl.Date:
        raise ValueError(f"by={by!r} needs dates, but the periods of {corpus.name!r} are names")
    periods = corpus.periods if by is None else truncate(corpus.periods, by)
    order = period_order(periods)
    ranks = periods.replace_strict(order, np.arange(len(order))).to_numpy()
    if train_periods is not None:
        in_training = ranks < train_periods
    elif train_until is not None and corpus.periods.dtype == pl.Date:
        # By the day, not by the period: a date within a week divides that week.
        in_training = (corpus.periods < as_date("train_until", train_until)).to_numpy()
    else:
        end = natural_key(str(train_until))
        in_training = ranks < sum(natural_key(name) < end for name in order)

    train = np.flatnonzero(in_training)
    test = np.flatnonzero(~in_training)
    span = f"corpus {corpus.name!r}, whose periods run from {order[0]} to {order[-1]}"
    if not len(train) or not len(test):
        raise ValueError(f"there are no {'test' if len(train) else 'training'} documents in {span}")
    test = test[np.argsort(ranks[test], kind="stable")]
    starts = np.flatnonzero(np.diff(ranks[test], prepend=-1))
    found = [Bag(str(order[ranks[part[0]]]), part) for part in np.split(test, starts[1:])]
    kept = found[:test_periods]
    bags = tuple(bag for bag in kept if len(bag) >= min_size)
    if not bags:
        raise ValueError(
            f"no bag has {min_size:,} documents; the largest has {max(map(len, kept)):,}: make the "
            "periods longer, or allow smaller bags"
        )
    small = [bag for bag in kept if len(bag) < min_size]
    notes = (
        _left_out(small, len(found), f"with fewer than {min_size:,} documents"),
        _left_out(found[len(kept) :], len(found), f"after the first {len(kept)}"),
    )
    return Split(train, bags, notes=tuple(filter(None, notes)))


def _left_out(bags: Sequence[Bag], total: int, reason: str) -> str:
    """A sentence on periods that make no bag; empty if there are none."""
    if not bags:
        return ""
    documents = sum(map(len, bags))
    return f"{len(bags)} of {total} test periods, {reason}, were left out: {documents:,} documents"


def artificial_prevalence(
    split: Split,
    y: NDArray[np.bool_],
    *,
    prevalences: Sequence[float] = PREVALENCES,
    repeats: int = 10,
    size: int = 100,
    seed: int = 0,
    side: Literal["test", "train"] = "test",
) -> tuple[Split, ...]:
    """Splits in which one class has prescribed prevalences, among test or training documents.

    Forman (2008), "Quantifying counts and costs via classification". Documents of each draw are
    drawn without replacement; different draws share documents.

    Parameters
    ----------
    split
        Where documents are drawn from: bags from those of its bags, training documents from its
        training documents.
    y
        Whether each document of the corpus has the class.
    prevalences
        The grid of prevalences, rounded to whole documents.
    repeats
        Number of draws with each of them.
    size
        Number of documents in each draw.
    seed
        Same seed, same draws.
    side
        ``"test"`` gives one split, with the same training documents and drawn bags; ``"train"`` one
        split a draw, with drawn training documents and the same bags.

    Examples
    --------
    >>> y = np.arange(40) % 2 == 0
    >>> whole = Split(np.arange(20), (Bag("later", np.arange(20, 40)),))
    >>> [drawn] = artificial_prevalence(whole, y, prevalences=[0.1, 0.9], repeats=1, size=10)
    >>> [(bag.name, int(y[bag.indices].sum())) for bag in drawn.bags]
    [('prevalence 0.1, draw 1', 1), ('prevalence 0.9, draw 1', 9)]
    """
    if side == "train":
        pool = split.train
    elif side == "test":
        pool = np.unique(np.concatenate([bag.indices for bag in split.bags]))
    else:
        raise ValueError(f"side {side!r} is unknown; choose one of test, train")
    if size < 1 or repeats < 1:
        raise ValueError(f"size is {size} and repeats is {repeats}; both must be 1 or more")
    has_class = np.asarray(y, dtype=np.bool_)[pool]
    positives, negatives = pool[has_class], pool[~has_class]
    rng = np.random.default_rng(seed)
    draws = []
    for prevalence in prevalences:
        if not 0 <= prevalence <= 1:
            raise ValueError(f"prevalence {prevalence} is not between 0 and 1")
        wanted = math.floor(size * prevalence + 0.5)
        for kind, there, needed in (
            ("positive", positives, wanted),
            ("negative", negatives, size - wanted),
        ):
            if needed > len(there):
                raise ValueError(
                    f"a prevalence of {prevalence:g} among {size:,} documents needs {needed:,} "
                    f"{kind} ones, and there are {len(there):,} among the {side} documents; "
                    "lower size= or leave that prevalence out"
                )
        for draw in range(1, repeats + 1):
            parts = [
                rng.choice(positives, wanted, replace=False),
                rng.choice(negatives, size - wanted, replace=False),
            ]
            name = f"prevalence {prevalence:g}, draw {draw}"
            draws.append(Bag(name, np.sort(np.concatenate(parts))))
    if side == "test":
        return (replace(split, bags=tuple(draws)),)
    return tuple(replace(split, train=draw.indices, name=draw.name) for draw in draws)


def describe(corpus: Corpus | VectorCorpus, split: Split | None = None) -> dict[str, float]:
    """Counts of a corpus, named as those that were published for it.

    Parameters
    ----------
    corpus
        A corpus with labels.
    split
        Adds the counts of its training documents and of its bags, over the tasks: classes that have
        a training document.

    Examples
    --------
    >>> corpus = Corpus(
    ...     "answers", texts=pl.Series(["a", "b", "c"]), labels=pl.Series([["x"], ["x", "y"], []])
    ... )
    >>> describe(corpus)
    {'documents in the files': 3, 'documents': 3, 'classes': 2}
    """
    y = corpus.indicator
    counts: dict[str, float] = {
        "documents in the files": len(corpus) + corpus.dropped,
        "documents": len(corpus),
        "classes": int(y.any(axis=0).sum()),
    }
    if isinstance(corpus, VectorCorpus):
        counts["features"] = int(corpus.vectors.shape[1])
    if split is None:
        return counts
    train = y[split.train].sum(axis=0)
    tasks = train > 0
    if not tasks.any():
        raise ValueError(f"corpus {corpus.name!r}: no training document has a class")
    sizes = np.array([len(bag) for bag in split.bags])
    bags = np.array([y[bag.indices].sum(axis=0)[tasks] for bag in split.bags])
    counts["tasks"] = int(tasks.sum())
    counts["training documents"] = len(split.train)
    counts |= _spread("training", train[tasks], train[tasks] / len(split.train))
    counts["test documents"] = int(sizes.sum())
    counts["bags"] = len(sizes)
    counts["documents a bag"] = float(sizes.mean())
    return counts | _spread("test", bags, bags / sizes[:, None])


def _spread(
    part: str, positives: NDArray[np.int64], prevalence: NDArray[np.float64]
) -> dict[str, float]:
    """Smallest, largest and mean number of positives and prevalence."""
    return {
        f"{part} positives, min": int(positives.min()),
        f"{part} positives, max": int(positives.max()),
        f"{part} positives, mean": float(positives.mean()),
        f"{part} prevalence, min": float(prevalence.min()),
        f"{part} prevalence, max": float(prevalence.max()),
        f"{part} prevalence, mean": float(prevalence.mean()),
    }
