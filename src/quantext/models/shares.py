"""Shares of bags: what a model says of each bag, with intervals and known truths, as a table."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.models.bags import BagSummary
from quantext.models.rules import HARDLY_READABLE
from quantext.models.textquantifier import TextQuantifier
from quantext.models.verdicts import Verdict
from quantext.progress import Progress
from quantext.vectors.ltc import LtcVectorizer

__all__ = [
    "COLUMNS",
    "Shares",
    "bag_shares",
    "hardly_readable",
    "shares_table",
    "unreadable_share",
]

Array = NDArray[Any]

COLUMNS = ("batch", "class", "share", "count", "low", "high", "size", "p_train", "verdict",
           "true_share")  # fmt: skip


class Shares(NamedTuple):
    """What is known of the classes of a bag; None is what nobody knows."""

    share: Array
    low: Array | None
    high: Array | None
    true: Array | None


def bag_shares(
    model: TextQuantifier,
    bags: Mapping[Any, BagSummary],
    level: float | None,
    seed: int,
    replicates: int,
    progress: Progress,
) -> list[Shares]:
    """What is known of the classes of each bag.

    Parameters
    ----------
    model, level, seed, replicates, progress
        As in `estimate`.
    bags
        By their names.
    """
    for name, bag in bags.items():
        weights = bag.summary.weights
        if weights is not None and not weights.total:
            raise ValueError(f"all documents of batch {name} have weight 0")
    summaries = [bag.summary for bag in bags.values()]
    found: list[Shares] = []
    if level is None:
        for bag in bags.values():
            share = model.aggregate(bag.summary)
            found.append(Shares(share, None, None, _true_shares(model, bag)))
            progress("bags", len(found), len(bags))
        return found
    rows = model.aggregate_intervals(
        summaries, level, seed, replicates=replicates, n_jobs=-1, progress=progress
    )
    for bag, share, low, high in zip(bags.values(), *rows, strict=True):
        if hardly_readable(model, bag):
            # To a method these are documents like any without words; in truth they may be anything.
            low, high = np.zeros_like(share), np.ones_like(share)
        found.append(Shares(share, low, high, _true_shares(model, bag)))
    return found


def _true_shares(model: TextQuantifier, bag: BagSummary) -> Array | None:
    """Share of each class, if all documents are labelled."""
    classes = [str(label) for label in model.classes_]
    several = model.quantifier_.kind_ == "multilabel"
    # A document of a class that the model does not know has no truth among those that it does.
    if bag.n_labelled == bag.summary.size and (several or bag.labels.keys() <= set(classes)):
        return np.array([bag.true_share(label) for label in classes])
    return None


def shares_table(
    model: TextQuantifier,
    bags: Mapping[Any, BagSummary],
    shares: Sequence[Shares],
    verdicts: Sequence[Verdict],
) -> pl.DataFrame:
    """A row for each bag and class.

    Parameters
    ----------
    model
        That estimated them.
    bags
        By their names.
    shares, verdicts
        Of each bag.
    """
    classes = [str(label) for label in model.classes_]
    n = len(classes)
    place = pl.Series(np.repeat(np.arange(len(bags)), n))
    sizes = np.repeat([bag.summary.size for bag in bags.values()], n)
    share = np.concatenate([own.share for own in shares])
    nothing = [None] * n

    def column(values: Iterable[Array | None]) -> pl.Series:
        parts = (nothing if own is None else own.tolist() for own in values)
        return pl.Series(list(chain.from_iterable(parts)), dtype=pl.Float64)

    return pl.DataFrame(
        {
            "batch": pl.Series(list(bags)).gather(place),
            "class": classes * len(bags),
            "share": share,
            "count": np.rint(share * sizes).astype(np.int64),
            "low": column(own.low for own in shares),
            "high": column(own.high for own in shares),
            "size": sizes,
            "p_train": np.tile(model.quantifier_.prevalence_, len(bags)),
            "verdict": pl.Series([verdict.level for verdict in verdicts]).gather(place),
            "true_share": column(own.true for own in shares),
        }
    ).select(*COLUMNS)


def hardly_readable(model: TextQuantifier, bag: BagSummary) -> bool:
    """Whether so few documents have a word that the model knows that any shares are possible.

    Parameters
    ----------
    model
        That summarised them.
    bag
        The documents.
    """
    unreadable = unreadable_share(model, bag)
    return unreadable is not None and unreadable >= HARDLY_READABLE


def unreadable_share(model: TextQuantifier, bag: BagSummary) -> float | None:
    """Share of the documents without a known word; None if the model does not tell."""
    if not isinstance(model.vectorizer_, LtcVectorizer):
        return None
    return 1 - bag.n_readable / bag.summary.size
