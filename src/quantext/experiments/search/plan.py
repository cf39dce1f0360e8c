"""The plan of a search: all that is to be tried, on what, and how it is measured."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.experiments.protocol_names import make_protocol, protocol_settings
from quantext.experiments.protocols import AsGiven, BagProtocol, Drawn
from quantext.experiments.search.data import Data
from quantext.experiments.search.settings import Setting
from quantext.experiments.search.stages import Stage
from quantext.experiments.search.vectors import Piece
from quantext.measures import MEASURES, Measure, find_measure

__all__ = ["Errors", "Plan", "errors_by", "find_protocol", "usual_size"]

Array = NDArray[Any]
Errors = Callable[[Array, Array, Array], Array]


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


def errors_by(measure: str | Measure, n_classes: int) -> Errors:
    """Errors, shape (bags, parts), of prevalences, (bags, parts, classes), and sizes, (bags, 1).

    Parameters
    ----------
    measure
        As in `SearchQ`.
    n_classes
        Number of classes in a prevalence.
    """
    error_of = find_measure(measure)

    def together(p_true: Array, p_hat: Array, sizes: Array) -> Array:
        return error_of(p_true, p_hat, size=sizes)

    def each(p_true: Array, p_hat: Array, sizes: Array) -> Array:
        bags = zip(p_true, p_hat, sizes[:, 0].tolist(), strict=True)
        return np.array(
            [[error_of(p, q, size=n) for p, q in zip(*both, strict=True)] for *both, n in bags],
            dtype=np.float64,
        )

    even, size = np.full((1, 1, n_classes), 1 / n_classes), np.array([[100]])
    _check_one_number(measure, error_of(even[0, 0], even[0, 0], size=100))
    # Of a function that we do not know, nobody knows what it makes of several bags.
    known = error_of in MEASURES.values()
    return together if known and np.shape(together(even, even, size)) == (1, 1) else each


def _check_one_number(measure: str | Measure, found: Any) -> None:
    """Raise unless a measure gave a number for a bag."""
    name = repr(measure) if isinstance(measure, str) else getattr(measure, "__name__", measure)
    if np.ndim(found):
        raise ValueError(
            f"measure {name} gives several numbers of a bag, and a search needs one; choose "
            "another, such as kld or ae"
        )
    try:
        float(found)
    except (TypeError, ValueError):
        raise ValueError(
            f"measure {name} gives {found!r} for a bag, and a search needs a number; see that the "
            "function returns one"
        ) from None


def usual_size(n: int) -> int:
    """Number of documents in a bag, where nobody says how many: half of all at most.

    Parameters
    ----------
    n
        Number of documents there are.

    Examples
    --------
    >>> usual_size(60), usual_size(5000)
    (30, 100)
    """
    return min(Drawn.size, max(n // 2, 1))


def find_protocol(protocol: str | BagProtocol, seed: int, n: int) -> BagProtocol:
    """The protocol of that name, or that is given; one that can divide what has no files.

    Parameters
    ----------
    protocol, seed
        As in `SearchQ`.
    n
        Number of documents.
    """
    if isinstance(protocol, str):
        settings = {"seed": seed, "size": usual_size(n)}
        known = protocol_settings(protocol)
        protocol = make_protocol(protocol, **{k: v for k, v in settings.items() if k in known})
    if isinstance(protocol, AsGiven):
        raise ValueError("X and y have no bags of their own; choose another protocol")
    if not hasattr(protocol, "split"):
        raise TypeError(
            f"protocol is a {type(protocol).__name__}; give a name, or a protocol such as "
            "ByPeriod() or Drawn()"
        )
    return protocol
