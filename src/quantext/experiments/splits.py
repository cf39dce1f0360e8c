"""Splits: which documents train and which make each bag, as the corpus divides them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.texts.corpus import Corpus, VectorCorpus
from quantext.texts.periods import Period, as_date, natural_key, period_order, truncate
from quantext.wording import listed

__all__ = ["Bag", "Split", "as_given", "by_group", "by_period", "fingerprint", "halves"]

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Bag:
    """Documents whose prevalence is asked.

    Parameters
    ----------
    name
        Its period (a date as 1996-08-27), its group, or how it was drawn.
    indices
        Positions of its documents in the corpus; of one that was drawn twice, twice.
    task
        Name of the task that it was drawn for, the only one that is asked of it; None: all tasks.
    shares
        True share of each class of the corpus, where its documents have no labels of their own.
    """

    name: str
    indices: Indices
    task: str | None = None
    shares: NDArray[np.float64] | None = None

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
        Which documents are in neither, and why, and what else there is to say of the bags.
    in_time
        Whether the names of the bags are periods, which follow each other.
    """

    train: Indices
    bags: tuple[Bag, ...]
    name: str = ""
    notes: tuple[str, ...] = ()
    in_time: bool = True


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


def by_group(
    corpus: Corpus | VectorCorpus, *, min_size: int = 1, parts: int = 20
) -> tuple[Split, ...]:
    """Splits that leave out one group after the other: it is the bag, and all others train.

    Parameters
    ----------
    corpus
        A corpus with groups, or with periods that are names.
    min_size
        Groups with fewer documents make no bag.
    parts
        Number of splits at most. Where there are more groups, several are left out at a time, each
        of them a bag.

    Examples
    --------
    >>> corpus = Corpus(
    ...     "posts", texts=pl.Series(["a", "b", "c"]), groups=pl.Series(["tea", "mate", "tea"])
    ... )
    >>> for split in by_group(corpus):
    ...     print(split.train, [(bag.name, bag.indices.tolist()) for bag in split.bags])
    [0 2] [('mate', [1])]
    [1] [('tea', [0, 2])]
    """
    groups = corpus.periods if corpus.groups is None else corpus.groups
    if groups is None or not len(corpus):
        raise ValueError(
            f"corpus {corpus.name!r} has no groups, so it cannot be divided by them; give "
            "them (groups=, or on the command line the column: --group)"
        )
    if parts < 2:
        raise ValueError(f"parts is {parts}; it must be 2 or more")
    names = period_order(groups.cast(pl.String))
    if len(names) < 2:
        raise ValueError(
            f"corpus {corpus.name!r} has one group only, {names[0]!r}; there must be one to train "
            "on and one to test on"
        )
    codes = groups.cast(pl.String).replace_strict(names, np.arange(len(names))).to_numpy()
    sizes = np.bincount(codes, minlength=len(names))
    tested = np.flatnonzero(sizes >= min_size)
    if not len(tested):
        raise ValueError(
            f"no group has {min_size:,} documents; the largest, {names[sizes.argmax()]!r}, has "
            f"{sizes.max():,}: allow smaller bags"
        )
    small = len(names) - len(tested)
    notes = (
        (f"{small} of {len(names)} groups, with fewer than {min_size:,} documents, make no bag",)
        if small
        else ()
    )
    # Largest first, one to each part in turn: so the parts are about equally large.
    order = tested[np.argsort(-sizes[tested], kind="stable")]
    part_of = np.empty(len(names), dtype=np.intp)
    part_of[order] = np.arange(len(order)) % parts
    splits = []
    for part in dict.fromkeys(part_of[tested].tolist()):
        left_out = [code for code in tested.tolist() if part_of[code] == part]
        train = np.flatnonzero(~np.isin(codes, left_out))
        if len(train):
            bags = tuple(Bag(str(names[code]), np.flatnonzero(codes == code)) for code in left_out)
            name = f"without {listed(bag.name for bag in bags)}"
            splits.append(Split(train, bags, name, notes, in_time=False))
    return tuple(splits)


def as_given(corpus: Corpus | VectorCorpus) -> Split:
    """Training documents and bags as the files of the corpus have them.

    Parameters
    ----------
    corpus
        A corpus with bags.
    """
    if corpus.bags is None:
        raise ValueError(f"corpus {corpus.name!r} has no bags of its own; choose another protocol")
    train = np.flatnonzero(corpus.bags.is_null())
    names = corpus.bags.drop_nulls().unique(maintain_order=True).to_list()
    if not len(train) or not names:
        raise ValueError(
            f"corpus {corpus.name!r} has no {'bags' if len(train) else 'training documents'}"
        )
    codes = corpus.bags.replace_strict(names, range(len(names)), default=-1).to_numpy()
    # A stable sort puts the training documents first, and then bag after bag.
    order = np.argsort(codes, kind="stable")
    parts = np.split(order, np.searchsorted(codes[order], np.arange(len(names))))[1:]
    known: dict[str, NDArray[np.float64]] = {}
    if corpus.shares is not None:
        values = corpus.shares.select(pl.col(corpus.classes).cast(pl.Float64)).to_numpy()
        known = dict(zip(corpus.shares["bag"], values, strict=True))
    bags = (
        Bag(name, part, shares=known.get(name)) for name, part in zip(names, parts, strict=True)
    )
    return Split(train, tuple(bags), in_time=False)


def fingerprint(splits: Sequence[Split]) -> str:
    """What tells these splits from others: their documents, and what they were drawn for.

    Parameters
    ----------
    splits
        In order.
    """
    digest = hashlib.blake2b(digest_size=16)
    for split in splits:
        digest.update(f"{split.name}: {len(split.train)}".encode() + split.train.tobytes())
        for bag in split.bags:
            drawn_for = f" of {bag.task}" if bag.task is not None else ""
            digest.update(f"{bag.name}: {len(bag)}{drawn_for}".encode() + bag.indices.tobytes())
    return digest.hexdigest()


def halves(y: NDArray[np.bool_], seed: int, share: float = 0.5) -> tuple[Indices, Indices]:
    """Two parts of the documents, at random, with the same shares of each class where possible.

    Parameters
    ----------
    y
        Whether each document has each class.
    seed
        Same seed, same parts.
    share
        Of the documents that are in the first part.
    """
    if not 0 < share < 1:
        raise ValueError(f"the share of documents to train on is {share:g}, not between 0 and 1")
    counts = y.sum(axis=0)
    # Those whose rarest class is the same stand together, and of each run an equal share is taken.
    rarest = np.where(y, counts, len(y) + 1).argmin(axis=1)
    group = np.where(y.any(axis=1), rarest, -1)
    order = np.lexsort((np.random.default_rng(seed).random(len(y)), group))
    steps = np.ceil(np.arange(len(y) + 1) * share)
    first = np.diff(steps) > 0
    return np.sort(order[first]), np.sort(order[~first])
