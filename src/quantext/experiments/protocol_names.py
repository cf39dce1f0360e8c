"""Protocols by name, as options and files have them."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from quantext.experiments.drawing import (
    DirichletShares,
    GridShares,
    ListedShares,
    NaturalShares,
    UniformShares,
)
from quantext.experiments.protocols import AsGiven, BagProtocol, ByGroup, ByPeriod, Drawn

__all__ = [
    "PROTOCOLS",
    "artificial",
    "dirichlet",
    "make_protocol",
    "natural",
    "protocol_settings",
    "uniform",
]


def artificial(
    *,
    prevalences: Sequence[float | Sequence[float] | Mapping[str, float]] | None = None,
    points: int | None = None,
    repeats: int = 10,
    **drawn: Any,
) -> Drawn:
    """Bags at a list of shares of one's own, or at all points of a grid.

    Forman (2008), "Quantifying counts and costs via classification".

    Parameters
    ----------
    prevalences
        As in `ListedShares`.
    points
        As in `GridShares`, instead.
    repeats
        Number of bags with each.
    drawn
        As in `Drawn`.
    """
    if prevalences is not None and points is not None:
        raise ValueError("give either prevalences or the points of a grid")
    if prevalences is None:
        return Drawn(GridShares(points, repeats), **drawn)
    return Drawn(ListedShares(prevalences, repeats), **drawn)


def uniform(*, bags: int = 200, **drawn: Any) -> Drawn:
    """Bags whose shares are uniform on the simplex: `UniformShares`, and else as in `Drawn`."""
    return Drawn(UniformShares(bags), **drawn)


def natural(*, bags: int = 200, **drawn: Any) -> Drawn:
    """Bags of documents as they come: `NaturalShares`, and else as in `Drawn`."""
    return Drawn(NaturalShares(bags), **drawn)


def dirichlet(*, alpha: float | Sequence[float] = 1.0, bags: int = 200, **drawn: Any) -> Drawn:
    """Bags with shares from a Dirichlet distribution: `DirichletShares`, and else as `Drawn`."""
    return Drawn(DirichletShares(alpha, bags), **drawn)


PROTOCOLS: Mapping[str, Callable[..., BagProtocol]] = MappingProxyType(
    {
        "period": ByPeriod,
        "group": ByGroup,
        "given": AsGiven,
        "uniform": uniform,
        "artificial": artificial,
        "natural": natural,
        "dirichlet": dirichlet,
    }
)
"""Protocols by name."""


def protocol_settings(name: str) -> set[str]:
    """Names of the settings that a protocol has, or an error that names the protocols.

    Parameters
    ----------
    name
        In PROTOCOLS.

    Examples
    --------
    >>> sorted(protocol_settings("group"))
    ['min_size', 'parts']
    """
    if name not in PROTOCOLS:
        close = get_close_matches(str(name), PROTOCOLS, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"choose one of {', '.join(PROTOCOLS)}"
        raise ValueError(f"protocol {name!r} is unknown; {hint}")
    found = set(inspect.signature(PROTOCOLS[name]).parameters)
    if "drawn" in found:
        found |= set(inspect.signature(Drawn).parameters) | _PERIODS
        found -= {"drawn", "shares"}
    return found


class _Wanted(NamedTuple):
    kind: str
    holds: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


_WHOLE = _Wanted("a whole number", lambda value: _is_number(value) and isinstance(value, Integral))
_WANTED = {
    **dict.fromkeys(("bags", "size", "seed", "repeats", "points", "parts"), _WHOLE),
    **dict.fromkeys(("min_size", "train_periods", "test_periods"), _WHOLE),
    "held_out": _Wanted(
        "a share between 0 and 1",
        lambda value: isinstance(value, ByPeriod) or (_is_number(value) and 0 < value < 1),
    ),
    "alpha": _Wanted(
        "a number, or a list with one for each class",
        lambda value: np.asarray(value).dtype.kind in "iuf",
    ),
    "prevalences": _Wanted("a list of shares", lambda value: not isinstance(value, str)),
}
_PERIODS = set(inspect.signature(ByPeriod).parameters)


def make_protocol(name: str, **settings: Any) -> BagProtocol:
    """The protocol of this name.

    Parameters
    ----------
    name
        In PROTOCOLS.
    settings
        Its own. One that draws bags takes those of periods too: bags are then drawn from the
        documents of later periods.

    Examples
    --------
    >>> make_protocol("uniform", bags=500, train_periods=8, by="week")
    Drawn(shares=UniformShares(bags=500), size=100, seed=0, of=None,
          held_out=ByPeriod(train_until=None, train_periods=8, train_share=None, by='week',
                            test_periods=None, min_size=1), side='test')
    """
    known = protocol_settings(name)
    if unknown := [setting for setting in settings if setting not in known]:
        raise ValueError(
            f"protocol {name!r} has no setting {unknown[0]!r}; it has {', '.join(sorted(known))}"
        )
    for setting, value in settings.items():
        wanted = _WANTED.get(setting)
        if wanted is not None and not (value is None or wanted.holds(value)):
            raise ValueError(
                f"setting {setting!r} of protocol {name!r} is {value!r}; it must be {wanted.kind}"
            )
    if "size" in known and (periods := {k: v for k, v in settings.items() if k in _PERIODS}):
        if "held_out" in settings:
            raise ValueError(
                f"held_out and {next(iter(periods))} both say which documents are held out; give "
                "one of them"
            )
        settings = {k: v for k, v in settings.items() if k not in _PERIODS}
        settings["held_out"] = ByPeriod(**periods)
    return PROTOCOLS[name](**settings)
