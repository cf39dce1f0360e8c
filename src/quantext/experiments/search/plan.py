"""The plan of a search: all that is to be tried, on what, and how it is measured."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.experiments.protocol_names import make_protocol, protocol_settings
from quantext.experiments.protocols import AsGiven, BagProtocol
from quantext.experiments.search.settings import Setting
from quantext.experiments.search.stages import Data, Stage
from quantext.experiments.search.vectors import Piece
from quantext.measures import MEASURES, Measure, find_measure

__all__ = ["Plan", "errors_by", "find_protocol"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Plan:
    """All that a search does.

    Parameters
    ----------
    data
        Documents.
    settings
        What is tried.
    stages
        What they are tried on.
    measure
        As in `SearchQ`.
    """

    data: Data
    settings: Sequence[Setting]
    stages: Sequence[Stage]
    measure: str | Measure

    @property
    def pieces(self) -> list[Piece]:
        """Settings by what they share, in each stage."""
        sharing: dict[tuple[str, str], list[int]] = {}
        for number, setting in enumerate(self.settings):
            sharing.setdefault((setting.front, setting.representation), []).append(number)
        return [
            Piece(stage, front, tuple(numbers))
            for stage in range(len(self.stages))
            for (front, _), numbers in sharing.items()
        ]


def errors_by(measure: str | Measure) -> Callable[[Array, Array, Array], Array]:
    """Errors, shape (bags, parts), of prevalences, (bags, parts, classes), and sizes, (bags, 1).

    Parameters
    ----------
    measure
        As in `SearchQ`.
    """
    error_of = find_measure(measure)

    def together(p_true: Array, p_hat: Array, sizes: Array) -> Array:
        return error_of(p_true, p_hat, size=sizes)

    def each(p_true: Array, p_hat: Array, sizes: Array) -> Array:
        bags = zip(p_true, p_hat, sizes[:, 0].tolist(), strict=True)
        return np.array(
            [[error_of(p, q, size=n) for p, q in zip(*both, strict=True)] for *both, n in bags]
        )

    half, size = np.full((1, 1, 2), 0.5), np.array([[100]])
    if np.shape(each(half, half, size)) != (1, 1):
        raise ValueError(
            f"measure {measure!r} gives several numbers of a bag, and a search needs one; choose "
            "another, such as kld or ae"
        )
    # Of a function that we do not know, nobody knows what it makes of several bags.
    known = error_of in MEASURES.values()
    return together if known and np.shape(together(half, half, size)) == (1, 1) else each


def find_protocol(protocol: str | BagProtocol, seed: int) -> BagProtocol:
    """The protocol of that name, or that is given; one that can divide what has no files.

    Parameters
    ----------
    protocol, seed
        As in `SearchQ`.
    """
    if isinstance(protocol, str):
        seeded = "seed" in protocol_settings(protocol)
        protocol = make_protocol(protocol, **{"seed": seed} if seeded else {})
    if isinstance(protocol, AsGiven):
        raise ValueError("X and y have no bags of their own; choose another protocol")
    if not hasattr(protocol, "split"):
        raise TypeError(
            f"protocol is a {type(protocol).__name__}; give a name, or a protocol such as "
            "ByPeriod() or Drawn()"
        )
    return protocol
