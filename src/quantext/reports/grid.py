"""Estimates as arrays, bags × classes: what the page of estimates is made from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.models.changes import Change
from quantext.models.evidence import Evidence, Trained, distance
from quantext.models.verdicts import Verdict, judge
from quantext.reports.batches import Key, batch_keys, batch_name, batch_times, batch_where
from quantext.texts.periods import in_time

__all__ = ["Grid", "grid"]

Array = NDArray[np.float64]

_BY_BAG = ("bags", "ids", "times", "size", "weights", "share", "count", "low", "high",
           "true_share", "known", "verdicts", "changes")  # fmt: skip
_NEEDED = ("batch", "class", "share", "count", "size", "p_train")


@dataclass(frozen=True)
class Grid:
    """Estimates of every class in every bag, and what is known of them.

    Parameters
    ----------
    bags, classes
        Names, in order, as people read them.
    ids
        Names of the bags as tables have them: dates are ISO days.
    times
        The day of each bag, or None where they are not in time or do not say it.
    keys
        Columns that the bags were made by, if there are several.
    size
        Number of documents of each bag.
    p_train
        Share of each class in training.
    share, count
        Estimates, bags × classes.
    low, high
        Bounds of the intervals, or None.
    true_share
        The truth, or None.
    single_label
        Whether a document has exactly one class, so that the shares of a bag sum to 1.
    in_time
        Whether the bags follow each other in time.
    level
        Of the intervals.
    known
        Share of each bag's words that training had, or None.
    known_train
        The same of documents like those of training, or None.
    verdicts
        On each bag.
    changes
        Of each bag's documents; None where that is not known.
    judged_by_model
        Whether the verdicts also know of the model, and not only of the estimates.
    where
        The last bag, to follow a number of documents: "in Feb 2024".
    reads
        What the model reads: texts, or what other models say of documents.
    weights
        Total weight of each bag's documents, or None if each counts once.
    """

    bags: list[str]
    classes: list[str]
    ids: list[str]
    times: list[int] | None
    keys: list[Key]
    size: NDArray[np.int64]
    p_train: Array
    share: Array
    count: Array
    low: Array | None
    high: Array | None
    true_share: Array | None
    single_label: bool
    in_time: bool
    level: float
    known: Array | None
    known_train: float | None
    verdicts: list[Verdict]
    changes: list[Change | None]
    judged_by_model: bool
    where: str
    reads: Literal["texts", "answers"] = "texts"
    weights: Array | None = None

    def last(self, number: int) -> "Grid":
        """The same for the last bags only."""
        cut = {
            name: value[-number:] for name in _BY_BAG if (value := getattr(self, name)) is not None
        }
        return replace(self, **cut, keys=[key.last(number) for key in self.keys])

    def drift(self) -> Array:
        """How far each bag is from training: a share of its documents.

        The smallest share of the documents that would have to change class, where each has one;
        else the largest move of a class.
        """
        return np.array([distance(p, self.p_train, self.single_label) for p in self.share])

    def width(self) -> Array | None:
        """Mean width of each bag's intervals, classes weighing as much as their shares."""
        if self.low is None or self.high is None:
            return None
        # A bag in which no class was found weighs them alike.
        weight = self.share + 1e-9
        return np.asarray(((self.high - self.low) * weight).sum(axis=1) / weight.sum(axis=1))

    def missed(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]] | None:
        """Numbers of the bags whose truth is known, and which intervals there miss it."""
        if self.low is None or self.high is None or self.true_share is None:
            return None
        slack = 1e-9  # the bounds were rounded on their way; a bag's share is a fraction
        missed = (self.true_share < self.low - slack) | (self.true_share > self.high + slack)
        known = np.flatnonzero(~np.isnan(self.true_share).any(axis=1))
        return (known, missed[known]) if len(known) else None


def grid(estimates: pl.DataFrame, about: Mapping[str, Any]) -> Grid:
    """The estimates as arrays, or an error that says what is wrong with them.

    Parameters
    ----------
    estimates, about
        As in `estimates_page`.
    """
    if missing := [name for name in _NEEDED if name not in estimates.columns]:
        raise ValueError(f"the estimates have no column {', '.join(missing)}")
    if estimates.is_empty():
        raise ValueError("there are no estimates to show: no batch had a document")
    keys = estimates.select("batch", "class")
    if (twice := keys.is_duplicated()).any():
        bag, name = keys.row(int(twice.arg_max() or 0))
        raise ValueError(f"batch {str(bag)!r} has class {str(name)!r} more than once")
    bags, classes = (list(dict.fromkeys(keys[name])) for name in keys.columns)
    if estimates.height != len(bags) * len(classes):
        raise ValueError(
            f"{len(bags)} batches of {len(classes)} classes make "
            f"{len(bags) * len(classes)} estimates, but there are {estimates.height}; "
            "every batch needs every class"
        )
    rows = estimates[np.lexsort((_places(keys["class"], classes), _places(keys["batch"], bags)))]

    def values(name: str) -> Array | None:
        if name not in rows.columns or rows[name].null_count() == rows.height:
            return None
        return rows[name].cast(pl.Float64).to_numpy().reshape(len(bags), len(classes))

    share, count = values("share"), values("count")
    sizes, train = values("size"), values("p_train")
    assert share is not None
    assert count is not None
    assert sizes is not None
    assert train is not None
    kind, timely, weights = about.get("kind"), about.get("in_time"), about.get("weights")
    sums_to_one = bool(np.allclose(share.sum(axis=1), 1, atol=1e-3))
    period = about.get("period")
    made_by = batch_keys(about.get("keys"), len(bags), period)
    timely = False if made_by else timely  # several groups of a day do not follow each other
    follow = in_time(bags) if len(bags) == 1 or timely is None else timely
    shown = Grid(
        bags=_names(bags, made_by, period),
        classes=[str(name) for name in classes],
        ids=[batch_name(bag) for bag in bags],
        times=batch_times(bags) if follow else None,
        keys=made_by,
        size=sizes[:, 0].astype(np.int64),
        p_train=train[0],
        share=share,
        count=count,
        low=values("low"),
        high=values("high"),
        true_share=values("true_share"),
        single_label=sums_to_one if kind is None else kind != "multilabel",
        in_time=follow,
        level=float(about.get("level") or 0.95),
        known=_known(about.get("known_share"), bags),
        known_train=about.get("known_share_train"),
        verdicts=[],
        changes=[(about.get("changes") or {}).get(bag) for bag in bags],
        judged_by_model=bool(about.get("verdicts")),
        where=batch_where(bags[-1], period),
        reads="answers" if about.get("proxies") else "texts",
        weights=np.array([weights[bag] for bag in bags], np.float64) if weights else None,
    )
    if judged := about.get("verdicts"):
        return replace(shown, verdicts=[judged[bag] for bag in bags])
    return replace(shown, verdicts=_judged(shown))


def _names(bags: list[Any], keys: list[Key], period: str | None) -> list[str]:
    """Names of the bags as people read them."""
    if not keys:
        return [batch_name(bag, period) for bag in bags]
    parts = ([key.values[i] for i in key.at] for key in keys)
    return [" · ".join(part) for part in zip(*parts, strict=True)]


def _judged(shown: Grid) -> list[Verdict]:
    """Verdicts by what the estimates themselves tell, where no model has judged."""
    trained = Trained(
        shown.classes,
        shown.p_train,
        shown.single_label,
        shown.level,
        usual_known=shown.known_train,
    )

    def row(values: Array | None, b: int) -> Array | None:
        return None if values is None or np.isnan(values[b]).any() else values[b]

    bags = [
        Evidence(
            size=int(shown.size[b]),
            share=shown.share[b],
            low=row(shown.low, b),
            high=row(shown.high, b),
            true_share=row(shown.true_share, b),
            known=None if shown.known is None or np.isnan(shown.known[b]) else shown.known[b],
            change=shown.changes[b],
        )
        for b in range(len(shown.bags))
    ]
    return judge(trained, bags, in_time=shown.in_time)


def _places(column: pl.Series, names: list[Any]) -> list[int]:
    """Where each value is among the names."""
    place = {name: i for i, name in enumerate(names)}
    return [place[value] for value in column]


def _known(shares: Any, bags: list[Any]) -> Array | None:
    """Share of known words by bag, from a mapping or a list in order."""
    if shares is None:
        return None
    if isinstance(shares, Mapping):
        shares = [shares.get(bag, shares.get(str(bag))) for bag in bags]
    known = np.array(shares, dtype=np.float64)  # None becomes NaN
    if known.shape != (len(bags),):
        raise ValueError(f"known_share has {known.size} values for {len(bags)} batches")
    return known
