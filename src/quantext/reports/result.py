"""What qx.estimate gives: estimates to hold in the hand.

The file is long because it is one class, all of whose ways to be looked at belong together.
"""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import PurePath
from shlex import join
from typing import TYPE_CHECKING, Any

import polars as pl

from quantext import atomic
from quantext.models.bags import BagSummary
from quantext.models.estimates import Estimates, gives_intervals
from quantext.models.keys import distinct_names, key_series
from quantext.models.save import remembered
from quantext.models.shares import COLUMNS, hardly_readable
from quantext.models.textquantifier import TextQuantifier
from quantext.quantifiers.regions import Region
from quantext.quantifiers.weights import WEIGHT_UNIT
from quantext.reports.batches import batch_names
from quantext.reports.difference import Difference
from quantext.reports.estimate_listing import estimate_lines
from quantext.reports.listing import html_table, percent
from quantext.texts.columns import BLANK
from quantext.texts.labels import known_spellings, spelling_note
from quantext.texts.paths import Source
from quantext.texts.periods import Period
from quantext.texts.where import Part, read_where
from quantext.wording import counted, listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Result"]

WEIGHED = (
    "Documents count by their weights: shares are those of the weight, and a count is the share of "
    "the number of documents."
)
SHOWN = 20  # bags that are shown in a terminal or a notebook


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """Shares of each class in every bag, with intervals, counts and what is said beside them.

    `estimate` makes it.

    Parameters
    ----------
    model
        What estimated.
    estimates
        What it found.
    bags
        Summaries of the bags by name, in order.
    level
        Of the intervals; None if none were asked for.
    seed, replicates
        Of the intervals.
    data, model_file
        Where documents and model are from.
    truth
        Where labels are from, if there are any.
    period
        What bags that are dates are the first days of.
    part
        Which rows were meant, and how many, if not all were.
    merged
        Labels that counted as a class of which they are another spelling, and how many.
    """

    model: TextQuantifier
    estimates: Estimates
    bags: Mapping[Any, BagSummary]
    level: float | None
    seed: int = 0
    replicates: int = 1000
    data: str = ""
    model_file: str | None = None
    truth: str | None = None
    period: Period = "day"
    part: Part | None = None
    merged: Mapping[str, int] = field(default_factory=dict)

    def to_frame(self) -> pl.DataFrame:
        """A row for each bag and class, bags in order; what ``quantext estimate --out`` writes.

        Columns: ``batch`` (Date or String), those of ``by`` if it names several (one that is
        called like a column here has " (by)" behind it), ``class``, ``share``, ``count``, ``low``
        and ``high`` (null without intervals), ``size`` (documents of the bag), ``p_train`` (share
        in training), ``verdict`` (on the bag: fine, care or distrust) and, if any document came
        with a label, ``true_share``.
        """
        return self.estimates.table

    @property
    def classes(self) -> list[str]:
        """Names of the classes, in the order of the model."""
        return [str(name) for name in self.model.classes_]

    @property
    def shares(self) -> pl.DataFrame:
        """A row for each bag, and a column for the share of each class."""
        return self._wide("share")

    @property
    def counts(self) -> pl.DataFrame:
        """A row for each bag, and a column for the number of documents of each class."""
        return self._wide("count")

    @property
    def low(self) -> pl.DataFrame:
        """A row for each bag, and a column for the lower bound of each class's share."""
        return self._wide("low")

    @property
    def high(self) -> pl.DataFrame:
        """A row for each bag, and a column for the upper bound of each class's share."""
        return self._wide("high")

    def _wide(self, name: str) -> pl.DataFrame:
        # Not a pivot, which would mistake a class that is called "batch" for the bags.
        values = self.estimates.table[name].to_numpy().reshape(len(self.bags), -1)
        keys = key_series(self.estimates.keys, COLUMNS)
        bags = pl.DataFrame([pl.Series("batch", list(self.bags)), *keys])
        classes = distinct_names(self.classes, bags.columns, "class")
        return bags.hstack([pl.Series(c, own) for c, own in zip(classes, values.T, strict=True)])

    @property
    def verdicts(self) -> Mapping[Any, Any]:
        """How far the estimates of each bag can be trusted."""
        return self.estimates.verdicts

    @property
    def changes(self) -> Mapping[Any, Any]:
        """How far the documents of each bag have changed, and in which words."""
        return self.estimates.changes

    @property
    def quotes(self) -> pl.DataFrame | None:
        """Documents that best show each class, a row each; None unless asked for by ``quotes=``.

        Columns: ``batch`` (null for all bags together, if bags × classes × quotes are more than
        50,000, days counting as bags), ``class``, ``rank`` (1 is the best), ``text`` (cut after
        500 characters) and ``score``: how far the document is in the class, by what the model
        counts. Only documents that are put in the class are there, so that it may have fewer than
        were asked for, or none.
        """
        return self.estimates.quotes

    @property
    def notes(self) -> list[str]:
        """What one should know about the documents, a sentence each."""
        notes = [*self._notes_on_rows(), *_notes(self.estimates, self.truth)]
        notes += self._notes_on_labels()
        if self.level is not None and not self.has_intervals:
            notes.insert(
                0,
                "no intervals: the model was trained without cross-validation; train it with "
                "--folds 10",
            )
        return notes

    def _notes_on_rows(self) -> Iterator[str]:
        """Which were meant, and which are in no batch that has a name."""
        if self.part is not None:
            yield self.part.note
        elif trained := _trained_where(self.model):
            options = join(word for own in trained for word in ("--where", own))
            yield (
                f"the model was trained on a part alone, rows where {read_where(trained)}, and "
                f"here are all; for the same part say {options}"
            )
        blank = [name for name in self.bags if BLANK in str(name).split(" · ")]
        if n_blank := sum(self.bags[name].summary.size for name in blank):
            yield (
                f"{counted(n_blank, 'document')} with a blank cell in a column that names batches: "
                f"see {BLANK!r}"
            )

    def _notes_on_labels(self) -> Iterator[str]:
        """Which are written otherwise than a class of the model."""
        if self.merged:
            usual = known_spellings(self.merged, self.classes)
            yield spelling_note(self.merged, usual, merged=True)
        elif usual := known_spellings(self.estimates.unseen, self.classes):
            pairs = (f"{a!r} from {b!r}" for a, b in usual.items())
            yield (
                "labels differ from classes only in how they are written: "
                f"{listed(pairs, most=5)}; --merge-labels (merge_labels=True) counts them as these"
            )

    @property
    def has_intervals(self) -> bool:
        """Whether there are any: they were asked for, and the model gives them."""
        return self.level is not None and gives_intervals(self.model)

    def difference(self, first: Any, second: Any) -> Difference:
        """What the shares of two bags differ by, with intervals; whether it rose.

        The interval is for the difference of the true shares in these two bags, each class by
        itself. It is made of the two bags' own intervals, as if their errors had nothing to do with
        each other (Newcombe 1998; Zou & Donner 2008). Much of an error is that of the model, which
        is the same in both bags and cancels in part; so the interval is too wide rather than too
        narrow. If the model can read hardly any document of one bag, any share is possible there.
        Of the made-up survey's pairs of weeks, 95% intervals held the truth for 99.8% by
        "Adaptive", 95 to 96% by PACC and CC.

        Parameters
        ----------
        first, second
            Names of bags; of dates the first day, written 2024-01-31, its year and month, or as the
            table calls it.

        Examples
        --------
        >>> from quantext import ClassifyAndCount, LinearSVM, estimate
        >>> model = TextQuantifier(ClassifyAndCount(LinearSVM())).fit(
        ...     ["great battery", "battery lasts", "screen broke", "broken screen"],
        ...     ["battery", "battery", "screen", "screen"],
        ... )
        >>> texts = ["my battery!", "My screen?", "the screen", "screens", "battery", "the battery"]
        >>> result = estimate(model, texts, by=["May", "May", "May", "May", "June", "June"])
        >>> result.difference("May", "June").sentences[0]
        '“battery” rose by 75.0 points, from 25.0% in May to 100.0% in June.'
        """
        names = self._bag(first), self._bag(second)
        if names[0] == names[1]:
            raise ValueError(f"{first} and {second} are the same batch; name two")
        table = self.estimates.table
        a, b = (table.filter(pl.col("batch") == name) for name in names)
        low = high = None
        level = self.level if self.has_intervals else None
        bags = [self.bags[name] for name in names]
        if level is not None and any(hardly_readable(self.model, bag) for bag in bags):
            low = (b["low"] - a["high"]).to_numpy()
            high = (b["high"] - a["low"]).to_numpy()
        elif level is not None:
            low, high = self.model.quantifier_.difference_interval(
                bags[0].summary, bags[1].summary, level, self.seed, replicates=self.replicates
            )
        frame = pl.DataFrame(
            {
                "class": self.classes,
                "first": a["share"],
                "second": b["share"],
                "difference": b["share"] - a["share"],
                "low": low,
                "high": high,
            },
            schema_overrides=dict.fromkeys(("low", "high"), pl.Float64),
        )
        shown = batch_names(self.estimates, self.period)
        return Difference(*names, frame, level, (shown[names[0]], shown[names[1]]))

    def region(self, batch: Any = None) -> Region:
        """Shares that all classes of a bag may have together, where an interval is of one class.

        It is for three classes or more, of which each document has one, at the level of the
        intervals: an ellipse and, beside it, bounds of each class that hold all together.

        Parameters
        ----------
        batch
            Name of a bag, as in `difference`; not needed if there is only one.

        Examples
        --------
        >>> from quantext import AdjustedCount, LinearSVM, estimate
        >>> texts = ["good phone", "bad phone", "new phone"] * 10
        >>> model = TextQuantifier(AdjustedCount(LinearSVM(), folds=3))
        >>> model = model.fit(texts, ["good", "bad", "new"] * 10)
        >>> result = estimate(model, ["good one", "bad one", "bad thing", "new"] * 5)
        >>> result.classes, [0.5, 0.25, 0.25] in result.region(), [0.1, 0.8, 0.1] in result.region()
        (['bad', 'good', 'new'], True, False)
        """
        if self.level is None:
            raise ValueError("a region has the level of the intervals: estimate with level=0.95")
        if batch is None and len(self.bags) != 1:
            named = listed(map(str, self.bags), most=5)
            raise ValueError(
                f"a region is of one batch, and there are several; name one of {named}"
            )
        bag = next(iter(self.bags)) if batch is None else self._bag(batch)
        if hardly_readable(self.model, self.bags[bag]):
            raise ValueError(
                f"hardly any document of batch {bag} has a word that the model knows, so it may "
                "have any shares; is this the right column, model and language?"
            )
        return self.model.quantifier_.region(
            self.bags[bag].summary, self.level, self.seed, replicates=self.replicates
        )

    def _bag(self, name: Any) -> Any:
        """The bag that is called so."""
        if isinstance(name, datetime.datetime):
            name = name.date()
        named = {shown: bag for bag, shown in batch_names(self.estimates, self.period).items()}
        named |= {str(bag): bag for bag in self.bags}
        if str(name) in named:
            return named[str(name)]
        # 2024-01 is a month whose bag is its first day.
        dates = [bag for bag in self.bags if isinstance(bag, datetime.date)]
        within = [bag for bag in dates if str(bag).startswith(f"{name}-")]
        if len(within) != 1:
            problem = "several batches begin with" if within else "there is no batch"
            of = listed(map(str, within or self.bags), most=5)
            raise ValueError(f"{problem} {str(name)!r}; choose one of {of}")
        return within[0]

    def plot(self, classes: Sequence[str] | None = None) -> "Figure":
        """Shares with their intervals by bag, as a matplotlib figure.

        Parameters
        ----------
        classes
            Which to draw; by default the six largest.
        """
        from quantext.reports.plots import shares_by_bag  # matplotlib takes a second to import

        return shares_by_bag(self.estimates.table, classes)

    def report(self, path: Source) -> None:
        """Write the page that ``quantext estimate --report`` writes, in one HTML file.

        Parameters
        ----------
        path
            Of the file; what is there is replaced.
        """
        from quantext.reports.estimates_page import estimates_page  # jinja2 too takes its time

        atomic.write(path, [estimates_page(self.estimates.table, self._about()).encode()])

    def _about(self) -> dict[str, Any]:
        """What the page says beside the estimates."""
        model = self.model
        scores = model.quantifier_.scores_
        trained = remembered(model, "trained", str)
        files = listed((PurePath(own).name for own in self.data.split(", ")), most=3)
        usual, sources = remembered(model, "known_share", float), remembered(model, "files", list)
        where, weights = self.model_file or "in memory", self._weights()
        proxies = getattr(model.vectorizer_, "columns_", ())
        return {
            "title": f"Share of each class in {files}" if files else None,
            "kind": scores.kind,
            "period": self.period,
            "level": self.level,
            "known_share": None if proxies else list(self.estimates.known_share.values()),
            "known_share_train": usual if usual is not None and 0 <= usual <= 1 else None,
            "verdicts": self.verdicts,
            "weights": weights,
            "notes": WEIGHED if weights else None,
            "changes": self.changes,
            "quotes": self.quotes,
            "warnings": self.notes,
            "model": f"{where}, trained on {trained}" if trained else where,
            "method": remembered(model, "method", str) or str(model.quantifier_),
            "n_train": len(scores.y),
            "proxies": listed(map(repr, proxies)) if proxies else None,
            "train_files": ", ".join(sources) if sources else None,
            "data": f"{self.data}, rows where {self.part.where}" if self.part else self.data,
            "keys": self.estimates.keys,
            "truth": self.truth and self.truth[0].upper() + self.truth[1:],
            "versions": {"quantext": version("quantext")},
        }

    def _weights(self) -> dict[Any, float] | None:
        """Total weight of each bag's documents; None if they have none."""
        totals = {name: bag.summary.weights for name, bag in self.bags.items()}
        known = {name: own.total / WEIGHT_UNIT for name, own in totals.items() if own is not None}
        return known or None

    def lines(self, top: int = 10, most_bags: int | None = None) -> Iterator[str]:
        """The table for a terminal.

        Parameters
        ----------
        top
            Classes of each bag, the largest.
        most_bags
            Bags that are shown: the first and the last ones; None for all.
        """
        return estimate_lines(
            self.estimates,
            level=self.level,
            top=top,
            most_bags=most_bags,
            truth=self.truth,
            period=self.period,
        )

    def __repr__(self) -> str:
        return "\n".join(self.lines(most_bags=SHOWN))

    def _repr_html_(self) -> str:
        table = self.estimates.table
        bags = table.partition_by("batch", maintain_order=True)
        head = ["batch", "documents", "class", "share", "count"]
        head += [f"{100 * self.level:g}% interval"] if self.level and self.has_intervals else []
        beside = [name for name in ("true_share", "verdict") if name in table.columns]
        rows, names = [], batch_names(self.estimates, self.period)
        for bag in bags[-SHOWN:]:
            ordered = bag.sort("share", descending=True, maintain_order=True).head(10)
            for i, row in enumerate(ordered.iter_rows(named=True)):
                cells: list[Any] = ["", ""] if i else [names[row["batch"]], (f"{row['size']:,}",)]
                cells += [row["class"], (percent(row["share"]),), (f"{row['count']:,}",)]
                if self.has_intervals:
                    cells.append((f"{percent(row['low'])} – {percent(row['high'])}",))
                if "true_share" in beside:
                    cells.append((percent(row["true_share"]),))
                if "verdict" in beside:
                    cells.append("" if i else row["verdict"])
                rows.append(cells)
        notes = self.notes
        if len(bags) > SHOWN:
            notes.append(f"The last {SHOWN} of {len(bags):,} batches; to_frame() has all.")
        return html_table([*head, *(name.replace("_", " ") for name in beside)], rows, notes)


def _trained_where(model: TextQuantifier) -> list[str]:
    """Which rows a model was trained on, if not on all; anyone can write a model file."""
    said = remembered(model, "where", list) or []
    return [own for own in said if isinstance(own, str) and own.find("=") > 0]


def _notes(estimates: Estimates, truth: str | None) -> Iterator[str]:
    """What one should know about the data."""
    if without := estimates.n_rows - estimates.n_documents:
        yield f"{without:,} of {estimates.n_rows:,} rows have no text and were left out"
    if estimates.n_unknown_answers:
        yield (
            f"training never had {counted(estimates.n_unknown_answers, 'answer')} of those that "
            "are given here; each counts as no answer"
        )
    if estimates.n_unlabelled:
        where = (truth or "").removeprefix("column ")
        yield (
            f"{estimates.n_unlabelled:,} of {estimates.n_documents:,} documents have no label in "
            f"{where}; true shares are given for batches in which all have one"
        )
    if estimates.unseen:
        total = estimates.unseen.total()
        names = listed((f"{name!r} ({n:,})" for name, n in estimates.unseen.most_common()), most=5)
        yield f"{total:,} labels were not in training, so nothing is estimated of them: {names}"
