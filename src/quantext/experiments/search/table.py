"""The table of a search: what came of its settings."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.experiments.search.plan import Plan
from quantext.experiments.search.settings import Setting
from quantext.experiments.search.trials import Outcome

__all__ = ["first_failures", "gathered", "make_table"]

Array = NDArray[Any]


def gathered(found: Mapping[int, Outcome], plan: Plan) -> Array:
    """Error of each setting on each bag of all stages; NaN for all of them if it failed in one.

    Parameters
    ----------
    found
        What came of each piece.
    plan
        Of the search.
    """
    pieces, n_settings, n_stages = plan.pieces, len(plan.settings), len(plan.stages)
    rows: dict[tuple[int, int], Array] = {}
    bags = [0] * n_stages
    for number, outcome in found.items():
        stage = pieces[number].stage
        for setting, errors in outcome.errors.items():
            rows[setting, stage] = errors
            bags[stage] = len(errors)
    gathered = np.full((n_settings, sum(bags)), np.nan)
    for setting in range(n_settings):
        own = [rows.get((setting, stage)) for stage in range(n_stages)]
        if all(errors is not None for errors in own):
            gathered[setting] = np.concatenate([errors for errors in own if errors is not None])
    return gathered


def first_failures(found: Mapping[int, Outcome]) -> dict[int, str]:
    """What went wrong, by the number of the setting; the first thing of each.

    Parameters
    ----------
    found
        What came of each piece.
    """
    failures: dict[int, str] = {}
    for number in sorted(found):
        failures = found[number].failures | failures
    return dict(sorted(failures.items()))


def make_table(
    settings: Sequence[Setting], errors: Array, order: Array, found: Mapping[int, Outcome]
) -> pl.DataFrame:
    """A row for each setting.

    Parameters
    ----------
    settings
        Of the search.
    errors
        Of each, on each bag.
    order
        Of the rows.
    found
        What came of each piece.
    """
    own, shared = np.zeros(len(settings)), np.zeros(len(settings))
    for outcome in found.values():
        for number, seconds in outcome.seconds.items():
            own[number] += seconds
            shared[number] += outcome.shared_seconds
    names = dict.fromkeys(name for setting in settings for name in setting.params)
    params = {
        name: _values([settings[number].params.get(name) for number in order]) for name in names
    }
    n_bags = errors.shape[1]
    with np.errstate(invalid="ignore"):  # of errors that are infinite there is none
        sd = errors.std(axis=1, ddof=1) if n_bags > 1 else np.full(len(errors), np.nan)
    return pl.DataFrame(
        {
            "rank": np.arange(1, len(order) + 1),
            "error": errors.mean(axis=1)[order],
            "sd": sd[order],
            **params,
            "seconds": own[order],
            "shared_seconds": shared[order],
        }
    )


def _values(values: Sequence[Any]) -> pl.Series:
    """Values of a parameter as a column: numbers, or else text."""
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    kinds = {type(value) for value in plain if value is not None}
    if kinds <= {bool} or kinds <= {int, float}:
        whole = kinds <= {int}
        dtype = pl.Boolean if kinds == {bool} else pl.Int64 if whole else pl.Float64
        return pl.Series(plain, dtype=dtype)
    said = [None if v is None else v if isinstance(v, str) else _in_a_line(v) for v in plain]
    return pl.Series(said, dtype=pl.String)


def _in_a_line(value: Any) -> str:
    return " ".join(repr(value).split())
