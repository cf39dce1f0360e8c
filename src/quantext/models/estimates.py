"""Estimates: summaries of bags in, a table with the share of each class in every bag out."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.models.bags import BagSummaries, BagSummary, summarise
from quantext.models.changes import Change, find_change
from quantext.models.evidence import Evidence, Trained, examine
from quantext.models.keys import by_name, key_columns, key_series, keys_in_periods, ordered_keys
from quantext.models.quotes import BagQuotes, Quotes, quotes_table
from quantext.models.shares import COLUMNS, Shares, bag_shares, shares_table, unreadable_share
from quantext.models.textquantifier import TextQuantifier
from quantext.models.verdicts import Verdict, judge
from quantext.progress import Progress, silent
from quantext.texts.periods import Period, in_time
from quantext.vectors.ltc import LtcVectorizer
from quantext.vectors.proxy import ProxyVectorizer

__all__ = [
    "Estimates",
    "aggregate",
    "estimate",
    "gives_intervals",
    "merge_days",
]

Array = NDArray[Any]
Part = TypeVar("Part", BagSummary, BagQuotes)


@dataclass(frozen=True)
class Estimates:
    """What is estimated of a stream of documents.

    Parameters
    ----------
    table
        A row for each bag and class, bags in order: ``batch`` (Date or String), each of ``keys``,
        ``class``,
        ``share``, ``count``, ``low`` and ``high`` (null without intervals), ``size`` (documents of
        the bag), ``p_train`` (share in training), ``verdict`` (on the bag: fine, care or distrust)
        and, if any document came with a label, ``true_share``, which is null where a document of
        the bag has none. With weights, shares are those of the weight; a count is the share of the
        number of documents all the same.
    known_share
        Share of the words of each bag that the model knows from training, stop words apart; None
        for a bag without words.
    n_rows, n_documents
        Rows that were read, and documents among them.
    n_unlabelled
        Documents without a label, if others have one.
    unseen
        Labels that training did not have, and how many documents have them.
    n_unknown_answers
        What models say of documents and never said in training, where no texts are read.
    keys
        Where several columns name the bags: each of them, and its values bag by bag.
    verdicts
        What the estimates of each bag deserve, and why.
    changes
        How the documents of each bag have changed; None where that is not known.
    quotes
        Documents that best show each class, if any were asked for: a row each, with ``batch`` (null
        for all bags together, if they are too many), ``class``, ``rank``, ``text`` and ``score``.
    """

    table: pl.DataFrame
    known_share: Mapping[Any, float | None]
    n_rows: int
    n_documents: int
    n_unlabelled: int
    unseen: Counter[str]
    verdicts: Mapping[Any, Verdict] = field(default_factory=dict)
    changes: Mapping[Any, Change | None] = field(default_factory=dict)
    n_unknown_answers: int = 0
    quotes: pl.DataFrame | None = None
    keys: Mapping[str, list[Any]] = field(default_factory=dict)

    @property
    def prevalence(self) -> Array:
        """Shares in the order of the model's classes; if there are several bags, a row each."""
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
    quotes: int = 0,
    progress: Progress = silent,
) -> Estimates:
    """Share and number of documents of each class in every bag.

    The documents are read once. Memory holds a block of them and a summary of each bag or, if bags
    are made of dates, of each day.

    Parameters
    ----------
    model
        Fitted.
    blocks
        Rows and documents, as `read_documents` gives them. Their column
        ``period``, if there is one, names their bag, and ``weight`` says how much they count.
    period
        What bags are made of if the column ``period`` has dates. Weeks are counted from the
        earliest.
    level
        Share of bags whose true share an interval should contain; None for no intervals. A
        model that was fitted without out-of-fold scores gives none either: see `gives_intervals`.
    seed, replicates
        Of the intervals, as in `predict_interval`.
    quotes
        Documents of each class and bag that are kept to be shown; 0 for none.
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
    return aggregate(
        model,
        summarise(model, blocks, progress=progress, quotes=quotes),
        period=period,
        level=level,
        seed=seed,
        replicates=replicates,
        progress=progress,
    )


def gives_intervals(model: TextQuantifier) -> bool:
    """Whether the model was fitted in a way that gives intervals."""
    return model.quantifier_.gives_intervals


def aggregate(
    model: TextQuantifier,
    bags: BagSummaries,
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
    bags
        The sum of what `summarise` gave for parts of the documents.
    """
    if not bags.n_rows:
        raise ValueError("there are no documents; give at least one")
    if not bags.parts:
        raise ValueError(f"none of the {bags.n_rows:,} rows that were read has a text")
    merged = merge_days(bags.parts, period)
    keys = key_columns(merged, bags.columns)
    merged = by_name(merged)
    if not gives_intervals(model):
        level = None
    trained = examine(model, 0.95 if level is None else level)
    shares = bag_shares(model, merged, level, seed, replicates, progress)
    evidence = [
        _evidence(model, trained, bag, own)
        for bag, own in zip(merged.values(), shares, strict=True)
    ]
    # Of several columns one day follows another only within each airline.
    found = judge(trained, evidence, in_time=not keys and in_time(list(merged)))
    table = _with_keys(shares_table(model, merged, shares, found), keys, len(merged))
    reads_words = isinstance(model.vectorizer_, LtcVectorizer)
    n_documents = sum(bag.summary.size for bag in merged.values())
    n_labelled = sum(bag.n_labelled for bag in merged.values())
    return Estimates(
        table if n_labelled else table.drop("true_share"),
        {name: bag.known_share if reads_words else None for name, bag in merged.items()},
        bags.n_rows,
        n_documents,
        n_documents - n_labelled if n_labelled else 0,
        _unseen(model, merged.values()),
        dict(zip(merged, found, strict=True)),
        {name: own.change for name, own in zip(merged, evidence, strict=True)},
        0 if reads_words else sum(int(np.diff(bag.words)[0]) for bag in merged.values()),
        None if bags.quotes is None else _quotes(model, bags.quotes, period, table["batch"].dtype),
        keys,
    )


def _quotes(
    model: TextQuantifier, quotes: Quotes, period: Period, batch: pl.DataType
) -> pl.DataFrame:
    """A row for each quote; names of bags are of the type that the estimates have."""
    bags = quotes.bags if quotes.together else by_name(merge_days(quotes.bags, period))
    return quotes_table(bags, [str(label) for label in model.classes_], batch)


def _with_keys(table: pl.DataFrame, keys: Mapping[str, list[Any]], n_bags: int) -> pl.DataFrame:
    """The table with a column for each of several that name the bags, after their name."""
    rows = pl.Series(np.repeat(np.arange(n_bags), len(table) // n_bags))
    for place, own in enumerate(key_series(keys, COLUMNS), start=1):
        table = table.insert_column(place, own.gather(rows))
    return table


def merge_days(parts: Mapping[Any, Part], period: Period) -> dict[Any, Part]:
    """The bags in order, by their keys; days are put together to periods.

    Parameters
    ----------
    parts
        By the name of their bag or by day, as `BagSummaries` has them.
    period
        As in `estimate`.
    """
    bag_of = keys_in_periods(list(parts), period)
    merged: dict[Any, Part] = {}
    for key, part in zip(bag_of, parts.values(), strict=True):
        merged[key] = merged[key] + part if key in merged else part
    return {key: merged[key] for key in ordered_keys(bag_of)}


def _evidence(model: TextQuantifier, trained: Trained, bag: BagSummary, shares: Shares) -> Evidence:
    """What is judged of a bag."""
    reads_words = isinstance(model.vectorizer_, LtcVectorizer)
    reads_answers = isinstance(model.vectorizer_, ProxyVectorizer)
    return Evidence(
        size=bag.summary.effective_size,
        share=shares.share,
        low=shares.low,
        high=shares.high,
        true_share=shares.true,
        known=bag.known_share if reads_words else None,
        unreadable=unreadable_share(model, bag),
        known_answers=bag.known_share if reads_answers else None,
        change=find_change(model, bag.summary, shares.share, trained.gap),
    )


def _unseen(model: TextQuantifier, bags: Iterable[BagSummary]) -> Counter[str]:
    """The labels that are no classes of the model."""
    classes = {str(label) for label in model.classes_}
    labels: Counter[str] = Counter()
    for bag in bags:
        labels.update(bag.labels)
    return Counter({label: n for label, n in labels.items() if label not in classes})
