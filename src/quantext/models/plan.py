"""Plans: which documents to label by hand, so that `correct` tells shares as exactly as wanted.

Documents are drawn at random within strata, by default those of the model's own labels, so that
what it seldom says is seen too. A plan goes on from another: what was drawn before stays drawn, and
the rest is drawn from what is left, so that all of them together are a random sample of each
stratum.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.models.allocation import LEAST, Spread, allocate, allocate_number, needed_alone
from quantext.models.draws import allocation_table, draw
from quantext.models.earlier import Earlier, as_found, progress_of, read_earlier, read_plan
from quantext.models.judged import Judged, read_judged
from quantext.models.spreads import spread_assumed, spread_from_truths
from quantext.models.strata import Strata, sorted_labels, strata_by_column, strata_by_models
from quantext.quantifiers.intervals import check_level
from quantext.vectors.answers import Answers, Numbers, read_answers, read_proxy
from quantext.wording import counted, listed

__all__ = ["PILOT", "Plan", "plan", "read_plan"]

Array = NDArray[Any]

PILOT = 100  # documents to label first, where nothing says how good the model is
ENOUGH = 50  # known truths, below which they do not say it either
SMALLEST = 10  # documents
_GUESS = 0.7  # correlation by which a pilot is distributed over the strata, and nothing else
_ALLOWANCE = 0.95  # intervals of `correct` are some percent wider than those of the normal law


@dataclass(frozen=True, eq=False)
class Plan:
    """Documents to label by hand, and how exactly shares will be known then.

    `plan` makes it.

    Parameters
    ----------
    rows
        Numbers of the documents, counted from 0: those with a known truth first, then the others in
        the order in which to label them. Whoever stops early has a random sample all the same.
    chances
        Probability with which each of them was drawn.
    strata
        Name of the stratum that each is of.
    labelled
        How many of them have a known truth.
    needed, needed_without
        How many known truths there must be for the target with the model and without; None where
        there is no target, and ``needed`` where nothing says yet how good the model is.
    correlation
        Of the model's word with the truth, as far as it is known or was given; None otherwise.
    basis
        What ``needed`` is from: "truths", "correlation" or, if nothing is known, "pilot".
    allocation
        A row for each stratum: ``stratum``, ``size``, ``labelled``, ``to_label`` and ``why``.
    progress
        A row for each class: ``class``, ``share``, ``half_width`` now and ``target``; None where no
        truths of this sample are known.
    notes
        What one should know, a sentence each.
    target, level
        As they were given.
    """

    rows: NDArray[np.int64]
    chances: NDArray[np.float64]
    strata: tuple[str, ...]
    labelled: int
    needed: int | None
    needed_without: int | None
    correlation: float | None
    basis: str
    allocation: pl.DataFrame
    progress: pl.DataFrame | None
    notes: tuple[str, ...]
    target: float | None
    level: float

    @property
    def to_label(self) -> int:
        """How many documents remain to be labelled."""
        return len(self.rows) - self.labelled

    @property
    def reached(self) -> bool:
        """Whether the interval of every class is as short as wanted already."""
        if self.progress is None or self.target is None:
            return False
        return bool((self.progress["half_width"] <= self.target).all())

    def to_frame(self) -> pl.DataFrame:
        """A row for each document: ``row``, counted from 1, ``stratum`` and ``probability``."""
        return pl.DataFrame(
            {"row": self.rows + 1, "stratum": self.strata, "probability": self.chances},
            schema={"row": pl.Int64, "stratum": pl.String, "probability": pl.Float64},
        )


def plan(
    proxy: Any,
    *,
    target: float | None = None,
    truth: Any = None,
    design: Any = None,
    strata: Any = None,
    correlation: float | None = None,
    number: int | None = None,
    level: float = 0.95,
    separator: str | None = None,
    seed: int = 0,
) -> Plan:
    """Documents to label by hand, drawn at random, so that every share is known to the target.

    How many they are is told by the truths that are known already, if these are 50 or more; else by
    the correlation that is expected; else the plan is a pilot of 100, whose labels tell it.

    Parameters
    ----------
    proxy
        What a model, or several, say of each document, as `correct` takes it.
    target
        Half of the width that the interval of no class should exceed: 0.03 is ±3 points.
    truth
        Label of each document, None, NaN or blank where nobody looked; None: nobody did.
    design
        How documents with a known truth were chosen. None: nobody knows, so they only tell how good
        the model is. "srs": at random from all. An array: the probabilities that an earlier plan
        gave to the documents that it drew, NaN for others. What was drawn at random stays drawn.
    strata
        Stratum of each document; None: what the model says of it.
    correlation
        Of the model's word with the truth, as far as one may expect.
    number
        Documents to label, instead of as many as the target takes.
    level
        Of the intervals.
    separator
        What stands between the labels of a document, in proxy and truth, if it may have several.
    seed
        Same seed, same documents.

    Examples
    --------
    >>> says = ["spam"] * 200 + ["ham"] * 800
    >>> found = plan(says, target=0.05, correlation=0.8)
    >>> found.needed, found.needed_without  # ±5 points
    (83, 198)
    >>> found.allocation.select("stratum", "size", "to_label").rows()
    [('ham', 800, 56), ('spam', 200, 27)]
    """
    check_level(level)
    models = read_proxy(proxy)
    total = len(models[0])
    _check(total, target, number, correlation)
    alike = models if separator is None else [sorted_labels(m, separator) for m in models]
    own = strata_by_models(alike) if strata is None else strata_by_column(strata, total)
    known = _known(truth, total)
    if len(known) == total and design is None:
        raise ValueError(
            "the truth of all documents is known; count them, there is nothing to draw"
        )
    judged = read_judged(proxy, truth, separator=separator) if len(known) else None
    earlier = read_earlier(design, known, own)
    progress = None
    if judged is not None and earlier.tells:
        progress = progress_of(judged, own, earlier.labelled, level, seed)
    basis, spread = _spread(models, judged, own, correlation, separator, seed)
    least = np.maximum(np.minimum(LEAST, own.sizes), own.counts(earlier.drawn))
    without = None if target is None else needed_alone(spread, total, target, level)
    needed, reached = None, False
    if target is not None and progress is not None:
        widths = progress["half_width"].to_numpy()
        reached = bool((widths <= target).all())
        # Of classes that were assumed, all are taken to be as wide as the widest that was found.
        widths = widths if basis == "truths" else widths.max()
        found = as_found(spread, widths, own, earlier.labelled, level)
        needed = allocate(found, own.sizes, least, target, level)
    elif target is not None:
        needed = allocate(spread, own.sizes, least, _ALLOWANCE * target, level)
    if reached:
        needed = own.counts(earlier.labelled)
    if number is not None:
        numbers = _numbered(spread, own, least, len(earlier.labelled) + number, earlier)
    elif needed is None or (basis == "pilot" and not reached):
        wanted = max(min(PILOT, total, without or PILOT), int(least.sum()))
        numbers = _numbered(spread, own, least, wanted, earlier)
    else:
        numbers = needed
    rows = draw(own, numbers, earlier, seed)
    return Plan(
        rows=rows,
        chances=(numbers / np.maximum(own.sizes, 1))[own.codes[rows]],
        strata=tuple(own.names[code] for code in own.codes[rows]),
        labelled=len(earlier.labelled),
        needed=None if needed is None or basis == "pilot" else int(needed.sum()),
        needed_without=without,
        correlation=None if basis == "pilot" else spread.correlation(own.sizes),
        basis=basis,
        allocation=allocation_table(own, numbers, earlier, spread),
        progress=progress,
        notes=tuple(_notes(basis, len(known), design, correlation, earlier, needed)),
        target=target,
        level=level,
    )


def _check(total: int, target: float | None, number: int | None, correlation: float | None) -> None:
    if target is None and number is None:
        raise ValueError(
            "say how exactly shares should be known, as target=0.03 for ±3 points, or the number "
            "of documents to label"
        )
    if target is not None and not 0 < target < 0.5:
        raise ValueError(
            f"target is {target:g}; it is half the width of an interval, as a share: 0.03 for ±3 "
            "points, above 0 and below 0.5"
        )
    if number is not None and number < 1:
        raise ValueError(f"number is {number}; draw at least one document")
    if correlation is not None and not 0 <= correlation < 1:
        raise ValueError(f"correlation is {correlation:g}; it is at least 0 and below 1")
    if total < SMALLEST:
        raise ValueError(
            f"there are {counted(total, 'document')}; label all of them, for a sample of fewer "
            f"than {SMALLEST} tells nothing"
        )


def _known(truth: Any, total: int) -> NDArray[np.int64]:
    """Numbers of the documents whose truth is known."""
    if truth is None:
        return np.zeros(0, dtype=np.int64)
    answers = read_answers(truth, "truth")
    if len(answers) != total:
        raise ValueError(f"truth has {len(answers):,} values for {total:,} documents")
    missing = answers.names.index(None) if None in answers.names else -1
    return np.flatnonzero(answers.codes != missing)


def _spread(
    models: list[Answers | Numbers],
    judged: Judged | None,
    strata: Strata,
    correlation: float | None,
    separator: str | None,
    seed: int,
) -> tuple[str, Spread]:
    """What the spread is from, and the spread."""
    if judged is not None and len(judged.known) >= ENOUGH:
        return "truths", spread_from_truths(judged, strata, seed)
    if correlation is not None:
        return "correlation", spread_assumed(models, strata, correlation, separator)
    return "pilot", spread_assumed(models, strata, _GUESS, separator)


def _numbered(
    spread: Spread, strata: Strata, least: Array, number: int, earlier: Earlier
) -> NDArray[np.int64]:
    """So many documents, or as many as were drawn before."""
    if number > len(strata.codes):
        wanted, left = (count - len(earlier.labelled) for count in (number, len(strata.codes)))
        raise ValueError(
            f"{counted(wanted, 'document is', 'documents are')} to be drawn, and "
            f"{f'{left:,} are' if left else 'none is'} without a label; draw fewer"
        )
    if number < least.sum() and not len(earlier.drawn):
        raise ValueError(
            f"{number:,} documents are too few for {counted(len(strata), 'stratum', 'strata')}, of "
            f"each of which {LEAST} are needed: draw {least.sum():,} or more, or name other strata"
        )
    return allocate_number(spread, strata.sizes, least, max(number, int(least.sum())))


def _notes(
    basis: str,
    n_known: int,
    design: Any,
    correlation: float | None,
    earlier: Earlier,
    needed: Array | None,
) -> Iterator[str]:
    """What one should know."""
    if basis == "truths" and correlation is not None:
        yield (
            f"the {n_known:,} known truths tell how good the model is; the correlation that was "
            "given is not used"
        )
    if n_known and design is None:
        yield (
            f"nobody said how the {counted(n_known, 'document')} with a known truth were chosen: "
            "they tell how good the model is, but do not count as drawn; if they were drawn at "
            "random from all documents, the design is 'srs'"
        )
    if basis == "pilot" and needed is not None:
        yield (
            f"if the model's word has a correlation of {_GUESS:g} with the truth, about "
            f"{int(needed.sum()):,} labels will be needed in all; the pilot will tell"
        )
    if len(earlier.labelled) and earlier.lacking:
        yield (
            f"nothing is labelled yet of {listed(map(repr, earlier.lacking), most=5)}, so shares "
            "cannot be told"
        )
