"""What an earlier plan drew, which stays drawn, and how exactly its truths tell shares."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.models.allocation import Spread, half_widths
from quantext.models.correction import correct_judged
from quantext.models.judged import Judged
from quantext.models.reasons import HANDFUL
from quantext.models.strata import Strata
from quantext.texts.cells import Table
from quantext.texts.plans import labelled, read_drawn

__all__ = ["Earlier", "Labelled", "as_found", "progress_of", "read_earlier", "read_plan"]

Array = NDArray[Any]

_ROUNDED = 1e-5  # relative error of a probability that a spreadsheet has shown in fewer digits
_NARROWER = 0.5  # than planned, at most: that an interval is short may be luck
_SOME = 1e-9  # variance


@dataclass(frozen=True)
class Earlier:
    """Documents that were drawn at random before.

    Parameters
    ----------
    drawn
        Their numbers.
    labelled
        Numbers of those among them whose truth is known.
    lacking
        Names of strata of which no truth is known.
    """

    drawn: NDArray[np.int64]
    labelled: NDArray[np.int64]
    lacking: tuple[str, ...]

    @property
    def tells(self) -> bool:
        """Whether shares follow from what is labelled."""
        return len(self.labelled) >= HANDFUL and not self.lacking


class Labelled(NamedTuple):
    """The labelled rows of a plan: numbers counted from 0, truths, and probabilities as it is now.

    These are what `quantext.correct` takes, once they are spread over all documents.
    """

    rows: NDArray[np.int64]
    truth: list[str]
    chances: NDArray[np.float64]


def read_plan(frame: pl.DataFrame, n_rows: int, truth_column: str) -> Labelled:
    """Rows of a plan that are labelled, with the probabilities of just these being drawn.

    If all rows of a stratum are labelled, these are those of the plan; if a part is, that part.

    Parameters
    ----------
    frame
        The plan's file as a table, all its rows.
    n_rows
        Number of documents in the data that it was drawn from.
    truth_column
        Where the labels are; blank where there is none yet.

    Examples
    --------
    >>> frame = pl.DataFrame(
    ...     {"row": [7, 2, 5], "stratum": ["a", "a", "b"], "probability": [0.4, 0.4, 0.5],
    ...      "truth": ["spam", None, "ham"]}
    ... )
    >>> rows, truth, chances = read_plan(frame, 7, "truth")
    >>> rows.tolist(), truth, chances.tolist()
    ([6, 4], ['spam', 'ham'], [0.2, 0.5])
    """
    table = Table(frame, Path("the plan"))
    own = labelled(read_drawn(table, n_rows, truth_column), table.source, truth_column)
    return Labelled(own.rows.to_numpy(), own.truth.to_list(), own.chances.to_numpy())


def read_earlier(design: Any, known: Array, strata: Strata) -> Earlier:
    """What was drawn before.

    Parameters
    ----------
    design
        As `quantext.plan` takes it.
    known
        Numbers of the documents whose truth is known.
    strata
        Of all documents.
    """
    if isinstance(design, str):
        if design != "srs":
            raise ValueError(
                f"{design!r} is not a design: it is 'srs' if the known truths were drawn at random "
                "from all documents, or the probabilities of an earlier plan; else leave it out"
            )
        drawn = known
    elif design is None:
        drawn = known[:0]
    else:
        chances = np.asarray(design, dtype=np.float64)
        if chances.shape != strata.codes.shape:
            raise ValueError(
                f"there are {chances.size:,} probabilities for {len(strata.codes):,} documents; "
                "give one for each, NaN where it was not drawn"
            )
        drawn = np.flatnonzero(~np.isnan(chances))
        _check_same(chances[drawn], drawn, strata)
    labelled = np.intersect1d(drawn, known)
    unseen = (strata.counts(labelled) == 0) & (strata.sizes > 0)
    return Earlier(drawn, labelled, tuple(strata.names[s] for s in np.flatnonzero(unseen)))


def _check_same(chances: Array, drawn: Array, strata: Strata) -> None:
    """Raise unless the probabilities are those of these strata."""
    expected = strata.counts(drawn) / np.maximum(strata.sizes, 1)
    wrong = ~np.isclose(chances, expected[strata.codes[drawn]], rtol=_ROUNDED)
    if wrong.any():
        at = int(drawn[np.argmax(wrong)])
        stratum = strata.codes[at]
        raise ValueError(
            f"row {at + 1} (counting from 1) was drawn with probability "
            f"{chances[np.argmax(wrong)]:.4g}, but of its stratum {strata.names[stratum]!r}, which "
            f"has {strata.sizes[stratum]:,} rows, {strata.counts(drawn)[stratum]:,} were drawn: "
            "the earlier plan had other strata, another file or another model, or lacks rows now; "
            "give what it was made of, with all its rows"
        )


def progress_of(
    judged: Judged, strata: Strata, labelled: Array, level: float, seed: int
) -> pl.DataFrame:
    """A row for each class: ``class``, ``share`` and ``half_width``, as `correct` finds them now.

    Parameters
    ----------
    judged
        All documents; truths may be known of others than those that were drawn.
    strata
        Of the same.
    labelled
        Numbers of the documents that were drawn and labelled, some of each stratum.
    level
        Of the intervals.
    seed
        Of folds.
    """
    kept = np.isin(judged.known, labelled)
    questions = tuple(replace(own, truth=own.truth[kept]) for own in judged.questions)
    chances = np.full(len(judged), np.nan)
    of_each = strata.counts(labelled) / np.maximum(strata.sizes, 1)
    chances[labelled] = of_each[strata.codes[labelled]]
    sample = replace(judged, questions=questions, known=judged.known[kept])
    table = correct_judged(sample, chances, level=level, seed=seed).table
    half = (pl.col("high") - pl.col("low")) / 2
    return table.select("class", "share", half_width=half)


def as_found(
    spread: Spread, found: Array | float, strata: Strata, labelled: Array, level: float
) -> Spread:
    """The spread that makes intervals as wide as they are found to be now.

    Parameters
    ----------
    spread
        As truths show it, or as it is assumed.
    found
        Half widths of the same classes, as `progress_of` gives them; or one for all.
    strata, labelled, level
        As there.
    """
    # Where nothing varied among the truths the interval has a width all the same.
    some = replace(spread, within=np.maximum(spread.within, _SOME))
    planned = half_widths(some, strata.sizes, strata.counts(labelled), level)
    ratios = np.where(planned > 0, found / np.where(planned > 0, planned, 1.0), 1.0)
    return replace(some, within=some.within * np.maximum(ratios, _NARROWER) ** 2)
