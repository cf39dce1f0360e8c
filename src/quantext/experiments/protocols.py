"""Protocols: how training documents and bags are made, as objects that describe themselves.

A protocol stands for a world: how new documents will differ from those that were trained on. A
method that is best in one of them need not be so in another.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.experiments.drawing import NaturalShares, Shares, UniformShares, draw
from quantext.experiments.splits import Bag, Split, as_given, by_group, by_period, halves
from quantext.texts.corpus import Corpus, VectorCorpus
from quantext.texts.periods import Period, truncate
from quantext.wording import counted, listed

__all__ = [
    "AsGiven",
    "BagProtocol",
    "ByGroup",
    "ByPeriod",
    "Drawn",
]

Indices = NDArray[np.intp]


class BagProtocol(Protocol):
    """How training documents and bags are made of a corpus."""

    @property
    def world(self) -> str:
        """What new documents are like, if what is found out is to hold for them."""

    def split(self, corpus: Corpus | VectorCorpus) -> tuple[Split, ...]:
        """Training documents and bags; several splits if methods are trained several times.

        Parameters
        ----------
        corpus
            With labels.
        """

    def describe(self, splits: Sequence[Split]) -> str:
        """What was done, in a sentence or two.

        Parameters
        ----------
        splits
            Of its making.
        """


@dataclass(frozen=True)
class ByPeriod:
    """Training on the first periods, and a bag for each later one.

    Parameters
    ----------
    train_until, train_periods, by, test_periods, min_size
        As in `by_period`.
    train_share
        Share of the periods to train on, if neither says how far training goes; a third by default.
    """

    train_until: date | str | None = None
    train_periods: int | None = None
    train_share: float | None = None
    by: Period | None = None
    test_periods: int | None = None
    min_size: int = 1

    world = "new documents follow on the old ones, as in your dates"

    def split(self, corpus: Corpus | VectorCorpus) -> tuple[Split, ...]:
        """One split."""
        if (self.train_until, self.train_periods, self.train_share).count(None) < 2:
            raise ValueError(
                "say how far the training data goes once: until when, how many periods, or which "
                "share of them"
            )
        settings = {
            name: getattr(self, name)
            for name in ("train_until", "train_periods", "by", "test_periods", "min_size")
        }
        if self.train_until is None and self.train_periods is None:
            settings["train_periods"] = self._first_periods(corpus)
        return (by_period(corpus, **settings),)

    def _first_periods(self, corpus: Corpus | VectorCorpus) -> int | None:
        """Number of periods that are the share to train on."""
        share = 1 / 3 if self.train_share is None else self.train_share
        if not 0 < share < 1:
            raise ValueError(f"the share of periods to train on is {share:g}, not between 0 and 1")
        if (periods := corpus.periods) is None:
            return 1  # and `by_period` says what is wrong
        if self.by is not None and periods.dtype == pl.Date:
            periods = truncate(periods, self.by)
        n = periods.n_unique()
        if n < 2:
            raise ValueError(
                f"corpus {corpus.name!r} has one period only; there must be one to train on and "
                "one to test on, so divide time more finely or compare without dates"
            )
        return min(max(round(share * n), 1), n - 1)

    def describe(self, splits: Sequence[Split]) -> str:
        """In words."""
        [split] = splits
        first, last = split.bags[0].name, split.bags[-1].name
        span = f"{first} to {last}" if len(split.bags) > 1 else first
        return (
            f"Trained on the first {len(split.train):,} documents, tested on "
            f"{counted(len(split.bags), 'later period')} ({span}) with "
            f"{_mean_size(splits)} documents on average."
        )


@dataclass(frozen=True)
class ByGroup:
    """Training on all groups but one, which is the bag; and so for each group.

    Parameters
    ----------
    min_size, parts
        As in `by_group`.
    """

    min_size: int = 1
    parts: int = 20

    world = "new documents come from groups that were not trained on, as in your groups"

    def split(self, corpus: Corpus | VectorCorpus) -> tuple[Split, ...]:
        """A split for each group that is left out."""
        return by_group(corpus, min_size=self.min_size, parts=self.parts)

    def describe(self, splits: Sequence[Split]) -> str:
        """In words."""
        bags = sum(len(split.bags) for split in splits)
        if bags == len(splits):
            left_out = "one group left out at a time, which is the bag"
        else:
            left_out = f"in {len(splits)} parts: those of each are left out, and each is a bag"
        return (
            f"{counted(bags, 'group')}, {left_out}, with {_mean_size(splits)} documents on "
            "average; trained on all others."
        )


@dataclass(frozen=True)
class AsGiven:
    """Training documents and bags as the files of the corpus have them."""

    world = "new documents are like the bags of this corpus"

    def split(self, corpus: Corpus | VectorCorpus) -> tuple[Split, ...]:
        """One split."""
        return (as_given(corpus),)

    def describe(self, splits: Sequence[Split]) -> str:
        """In words."""
        [split] = splits
        return (
            f"Trained on {len(split.train):,} documents, tested on the corpus's own "
            f"{counted(len(split.bags), 'bag')} with {_mean_size(splits)} documents on average."
        )


@dataclass(frozen=True)
class Drawn:
    """Bags that are drawn with prescribed shares from documents that were held out.

    Where a document has one class, shares are those of all classes. Where it may have several
    labels, bags are drawn for each label by itself, of documents that have it and others, and it
    alone is asked of them.

    Parameters
    ----------
    shares
        Which shares they have.
    size
        Number of documents in each bag. A bag has a document twice only where there are too few of
        a class.
    seed
        Same seed, same bags.
    of
        Name of a class: bags are drawn for it alone.
    held_out
        Which documents bags are drawn from: those of later periods, or this share of all, drawn at
        random. A corpus with bags of its own holds out the documents of these.
    side
        ``"train"`` draws training documents with these shares instead, a split for each, and tests
        on all that was held out: the bags of later periods, or one of all documents.
    """

    shares: Shares = field(default_factory=UniformShares)
    size: int = 100
    seed: int = 0
    of: str | None = None
    held_out: ByPeriod | float = 0.5
    side: Literal["test", "train"] = "test"

    @property
    def world(self) -> str:
        """As natural shares say, or any others."""
        if isinstance(self.shares, NaturalShares):
            return "new documents are like the old ones, and shares differ by chance alone"
        return "shares move a lot, and documents of a class stay the same"

    def split(self, corpus: Corpus | VectorCorpus) -> tuple[Split, ...]:
        """One split, or one for each draw of training documents."""
        if self.side not in ("test", "train"):
            raise ValueError(f"side {self.side!r} is unknown; choose one of test, train")
        y = corpus.indicator
        whole = self._whole(corpus, y)
        pool = np.unique(np.concatenate([bag.indices for bag in whole.bags]))
        if self.side == "train":
            pool = whole.train
        bags, notes = self.draw(y, corpus.classes, multilabel=corpus.multilabel, pool=pool)
        if not bags:
            raise ValueError(
                f"corpus {corpus.name!r}: its {len(pool):,} {self.side} documents are alike in "
                "every class, so there is nothing to draw"
            )
        if self.side == "test":
            return (replace(whole, bags=bags, notes=(*whole.notes, *notes), in_time=False),)
        return tuple(
            Split(
                bag.indices,
                tuple(Bag(f"{bag.name}: {t.name}", t.indices, bag.task) for t in whole.bags),
                bag.name,
                (*whole.notes, *notes),
                in_time=False,
            )
            for bag in bags
        )

    def _whole(self, corpus: Corpus | VectorCorpus, y: NDArray[np.bool_]) -> Split:
        """Training documents, and in bags all that are held out."""
        if corpus.bags is not None:
            if corpus.shares is not None:
                raise ValueError(
                    f"the documents of the bags of corpus {corpus.name!r} have no labels, so none "
                    "can be drawn with prescribed shares"
                )
            return as_given(corpus)
        if isinstance(self.held_out, ByPeriod):
            return self.held_out.split(corpus)[0]
        train, test = halves(y, self.seed, 1 - self.held_out)
        if not len(train) or not len(test):
            raise ValueError(
                f"corpus {corpus.name!r} has {counted(len(corpus), 'document')} with labels; that "
                "is too few to draw bags from"
            )
        return Split(train, (Bag("held out", test),))

    def draw(
        self,
        y: NDArray[np.bool_],
        classes: Sequence[str],
        *,
        multilabel: bool,
        pool: Indices | None = None,
    ) -> tuple[tuple[Bag, ...], tuple[str, ...]]:
        """Bags, and what there is to say of them.

        Parameters
        ----------
        y
            Whether each document has each class.
        classes
            Their names.
        multilabel
            Whether a document may have several of them, or none.
        pool
            Positions of the documents to draw from; all by default.
        """
        pool = np.arange(len(y)) if pool is None else pool
        of = None if self.of is None else str(self.of)
        if of is not None and of not in classes:
            raise ValueError(f"class {of!r} is unknown; choose one of {', '.join(classes)}")
        bags: list[Bag] = []
        alike: list[str] = []
        twice = 0
        for place, name in enumerate(classes):
            if of not in (None, name):
                continue
            if not multilabel and of is None:
                columns = {other: y[:, j] for j, other in enumerate(classes)}
                task = None
            else:
                columns = {f"not {name}": ~y[:, place], name: y[:, place]}
                task = name
            members = {key: pool[has[pool]] for key, has in columns.items() if has[pool].any()}
            if task is not None and len(members) < 2:
                alike.append(name)  # all documents have it, or none
            else:
                # Labels have draws of their own, whichever others there are.
                rng = np.random.default_rng([self.seed, place])
                drawn, counts = draw(self.shares, members, self.size, rng)
                twice += int((counts > [len(m) for m in members.values()]).any(axis=1).sum())
                digits = len(str(len(drawn)))
                for number, (one, row) in enumerate(zip(drawn, counts, strict=True), start=1):
                    called = f"draw {number:0{digits}}"
                    if task is not None:  # of two, the class is the last
                        called = f"{task}: {called}, {row[-1] / row.sum():.4g}"
                    bags.append(Bag(called, one, task))
            if task is None:
                break
        notes = {
            f"{twice:,} of {len(bags):,} draws have documents more than once: there are too few of "
            "a class": twice,
            f"no bags were drawn for {listed(alike or ['any'], most=3)}: all documents to draw "
            "from are alike in that": alike,
        }
        return tuple(bags), tuple(note for note, true in notes.items() if true)

    def describe(self, splits: Sequence[Split]) -> str:
        """In words."""
        bags = sum(len(split.bags) for split in splits)
        how = self.shares.describe()
        if self.side == "train":
            return (
                f"Trained {counted(len(splits), 'time')} on {self.size:,} documents drawn {how}, "
                f"tested on {counted(bags, 'bag')} of held-out documents."
            )
        [split] = splits
        tasks = {bag.task for bag in split.bags}
        for_each = "" if tasks == {None} else f" for {counted(len(tasks), 'class', 'classes')}"
        where = "from later periods" if isinstance(self.held_out, ByPeriod) else "from the others"
        return (
            f"Trained on {len(split.train):,} documents, tested on {counted(bags, 'bag')}"
            f"{for_each} of {self.size:,} documents {where}, drawn {how}. Bags share documents, so "
            "p-values hold for these documents alone."
        )


def _mean_size(splits: Sequence[Split]) -> str:
    return f"{np.mean([len(bag) for split in splits for bag in split.bags]):,.0f}"
