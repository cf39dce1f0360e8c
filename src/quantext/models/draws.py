"""Documents of strata, drawn at random, in the order in which to label them."""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.models.allocation import LEAST, Spread
from quantext.models.earlier import Earlier
from quantext.models.strata import Strata

__all__ = ["allocation_table", "draw"]

Array = NDArray[Any]

_FIRST = 2  # documents of each stratum that are labelled before others


def draw(strata: Strata, numbers: Array, earlier: Earlier, seed: int) -> NDArray[np.int64]:
    """Numbers of documents: those with a known truth, then others in the order to label them in.

    Of each stratum two come first; then they are mixed, so that whoever stops early has labelled
    about the same part of each.

    Parameters
    ----------
    strata
        Of all documents.
    numbers
        Documents of each stratum; at least those that are labelled.
    earlier
        What was drawn before; it comes before what is drawn now.
    seed
        Same seed, same documents.
    """
    # Not the stream of the earlier draw, whose documents are no longer among those to draw from.
    rng = np.random.default_rng([seed, len(earlier.drawn)])
    waiting = np.setdiff1d(earlier.drawn, earlier.labelled)
    taken = np.zeros(len(strata.codes), dtype=bool)
    taken[earlier.drawn] = True
    done, others, places = [], [], []
    for s, number in enumerate(numbers.tolist()):
        labelled, before = (own[strata.codes[own] == s] for own in (earlier.labelled, waiting))
        rest = np.flatnonzero((strata.codes == s) & ~taken)
        more = max(number - len(labelled) - len(before), 0)
        new = rng.choice(rest, more, replace=False)
        queue = np.concatenate([rng.permutation(before), new])[: number - len(labelled)]
        ranks = len(labelled) + np.arange(len(queue))
        place = (ranks + rng.random(len(queue))) / max(number, 1)
        done.append(labelled)
        others.append(queue)
        places.append(np.where(ranks < _FIRST, place - 1, place))
    order = np.argsort(np.concatenate(places), kind="stable")
    return np.concatenate([np.sort(np.concatenate(done)), np.concatenate(others)[order]])


def allocation_table(
    strata: Strata, numbers: Array, earlier: Earlier, spread: Spread
) -> pl.DataFrame:
    """A row for each stratum: its size, what is labelled and to label, how truths vary, and why.

    Parameters
    ----------
    strata, numbers, earlier
        As in `draw`.
    spread
        Of the truths.
    """
    labelled, drawn = strata.counts(earlier.labelled), strata.counts(earlier.drawn)
    deviations = np.sqrt(spread.within.sum(axis=1) / 2)
    why = []
    for s, number in enumerate(numbers.tolist()):
        if number == labelled[s]:
            why.append("labelled")
        elif number == strata.sizes[s]:
            why.append("all there are")
        elif number == drawn[s]:
            why.append("drawn before")
        elif number == LEAST:
            why.append(f"at least {LEAST}")
        else:
            why.append(f"spread {deviations[s]:.2f}")
    columns = {"stratum": strata.names, "size": strata.sizes, "labelled": labelled}
    return pl.DataFrame(
        columns | {"to_label": numbers - labelled, "spread": deviations, "why": why},
        schema_overrides={"stratum": pl.String, "why": pl.String},
    )
