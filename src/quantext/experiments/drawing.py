"""Drawing: bags with prescribed shares, from documents whose classes are known."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "PREVALENCES",
    "DirichletShares",
    "GridShares",
    "ListedShares",
    "NaturalShares",
    "Shares",
    "UniformShares",
    "draw",
    "largest_remainder",
]

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Indices = NDArray[np.intp]

PREVALENCES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""Shares of a class that bags are drawn with where nobody says otherwise."""

_FINEST = 21  # values that a share has on a grid: steps of 5%
_MANY = 1_000  # points of a grid that is chosen by itself
_TOO_MANY = 100_000  # points of a grid that is asked for
_SUM_TOLERANCE = 1e-6


class Shares(Protocol):
    """Which shares bags are drawn with."""

    def prevalences(self, there: Mapping[str, int], size: int, rng: np.random.Generator) -> Array:
        """A row for each bag, a column for each class.

        Parameters
        ----------
        there
            Number of documents of each class to draw from, at least one.
        size
            Of the bags.
        rng
            For what is random.
        """

    def describe(self) -> str:
        """In words, to follow "bags drawn"."""


@dataclass(frozen=True)
class UniformShares:
    """All shares are equally likely: uniform on the simplex (UPP), by Kraemer's sampling.

    Smith & Tromble (2004), "Sampling uniformly from the unit simplex".

    Parameters
    ----------
    bags
        How many to draw.

    Examples
    --------
    >>> there = {"dear": 40, "fast": 30, "slow": 20}
    >>> UniformShares(2).prevalences(there, 100, np.random.default_rng(0)).round(2)
    array([[0.27, 0.37, 0.36],
           [0.02, 0.02, 0.96]])
    """

    bags: int = 200

    def prevalences(self, there: Mapping[str, int], size: int, rng: np.random.Generator) -> Array:
        """Differences of sorted uniform numbers."""
        del size
        cuts = np.sort(rng.random((_positive("bags", self.bags), len(there) - 1)), axis=1)
        return np.diff(cuts, axis=1, prepend=0.0, append=1.0)

    def describe(self) -> str:
        """In words."""
        return "with shares that are uniform among all there can be"


@dataclass(frozen=True)
class DirichletShares:
    """Shares from a Dirichlet distribution.

    Parameters
    ----------
    alpha
        Its parameter, one for all classes or one for each, in the order of the classes: 1 is
        uniform, less gives bags in which few classes rule, more gives bags with even shares.
    bags
        How many to draw.
    """

    alpha: float | Sequence[float] = 1.0
    bags: int = 200

    def prevalences(self, there: Mapping[str, int], size: int, rng: np.random.Generator) -> Array:
        """Drawn from the distribution."""
        del size
        given = np.asarray(self.alpha, dtype=np.float64)
        if given.ndim and len(given) != len(there):
            raise ValueError(
                f"alpha has {len(given)} values and there are {len(there)} classes with documents "
                f"to draw from: {', '.join(there)}"
            )
        if not (np.isfinite(given) & (given > 0)).all():
            raise ValueError(f"alpha is {self.alpha}; it must be above 0")
        alpha = np.broadcast_to(given, len(there))
        return rng.dirichlet(alpha, _positive("bags", self.bags))

    def describe(self) -> str:
        """In words."""
        alpha = np.array2string(np.asarray(self.alpha), separator=", ")
        return f"with shares from a Dirichlet distribution (alpha {alpha})"


@dataclass(frozen=True)
class NaturalShares:
    """Documents as they come, so that shares differ by chance alone (NPP).

    Parameters
    ----------
    bags
        How many to draw.
    """

    bags: int = 200

    def prevalences(self, there: Mapping[str, int], size: int, rng: np.random.Generator) -> Array:
        """Those of documents drawn at random, as from a population with these shares.

        Without replacement they would hardly differ where a bag is most of all documents.
        """
        counts = np.fromiter(there.values(), dtype=np.int64)
        bags = _positive("bags", self.bags)
        return rng.multinomial(size, counts / counts.sum(), bags) / size

    def describe(self) -> str:
        """In words."""
        return "at random, with shares as they come"


@dataclass(frozen=True)
class GridShares:
    """All points of a grid on the simplex (APP).

    Parameters
    ----------
    points
        How many values a share has, 0 and 1 among them. By default as many as make no more than
        1,000 points, and at most 21.
    repeats
        Number of bags at each point.

    Examples
    --------
    >>> there = {"dear": 40, "fast": 30, "slow": 20}
    >>> GridShares(points=3, repeats=1).prevalences(there, 100, np.random.default_rng(0))
    array([[0. , 0. , 1. ],
           [0. , 0.5, 0.5],
           [0. , 1. , 0. ],
           [0.5, 0. , 0.5],
           [0.5, 0.5, 0. ],
           [1. , 0. , 0. ]])
    """

    points: int | None = None
    repeats: int = 10

    def prevalences(self, there: Mapping[str, int], size: int, rng: np.random.Generator) -> Array:
        """Every point, as often as it is repeated."""
        del size, rng
        k = len(there)
        points = self.points
        if points is None:
            fine = range(_FINEST, 2, -1)
            points = next((m for m in fine if math.comb(m + k - 2, k - 1) <= _MANY), 2)
        if points < 2:
            raise ValueError(f"points is {points}; a share has at least two values, 0 and 1")
        number = math.comb(points + k - 2, k - 1)
        if number > _TOO_MANY:
            raise ValueError(
                f"a grid of {points} values for {k} classes has {number:,} points; lower points= "
                "or draw shares uniformly"
            )
        # Where k − 1 bars stand among points − 1 stars: the stars between two are a share.
        bars = np.array(list(combinations(range(points + k - 2), k - 1)), dtype=np.int64)
        steps = np.diff(bars, axis=1, prepend=-1, append=points + k - 2) - 1
        return np.repeat(steps / (points - 1), _positive("repeats", self.repeats), axis=0)

    def describe(self) -> str:
        """In words."""
        values = "" if self.points is None else f" of {self.points} values for each share"
        return f"at all points of a grid{values}, {self.repeats} times each"


@dataclass(frozen=True)
class ListedShares:
    """Shares of your own.

    Parameters
    ----------
    listed
        For each bag the share of the last of two classes, or that of each class: in the order of
        the classes, or by name, where classes that are not named have none.
    repeats
        Number of bags with each of them.

    Examples
    --------
    >>> there = {"no": 40, "yes": 20}
    >>> ListedShares([0.2, {"no": 1}], repeats=1).prevalences(there, 100, np.random.default_rng(0))
    array([[0.8, 0.2],
           [1. , 0. ]])
    """

    listed: Sequence[float | Sequence[float] | Mapping[str, float]] = PREVALENCES
    repeats: int = 10

    def prevalences(self, there: Mapping[str, int], size: int, rng: np.random.Generator) -> Array:
        """Each, as often as it is repeated."""
        del size, rng
        if not len(self.listed):
            raise ValueError("the list of shares is empty")
        rows = np.array([_row(entry, list(there)) for entry in self.listed])
        return np.repeat(rows, _positive("repeats", self.repeats), axis=0)

    def describe(self) -> str:
        """In words."""
        times = f", {self.repeats} bags with each" if self.repeats > 1 else ""
        if all(_is_number(entry) for entry in self.listed):
            low, high = min(self.listed), max(self.listed)  # type: ignore[type-var]
            return f"with {len(self.listed)} shares from {low:.0%} to {high:.0%}{times}"
        return f"with {len(self.listed)} given sets of shares{times}"


def _row(entry: float | Sequence[float] | Mapping[str, float], classes: list[str]) -> Array:
    """Shares of all classes, of an entry of a list."""
    if isinstance(entry, Mapping):
        if unknown := [name for name, share in entry.items() if share and name not in classes]:
            raise ValueError(
                f"shares name the class {unknown[0]!r}, of which there are no documents to draw; "
                f"there are {', '.join(classes)}"
            )
        row = np.array([entry.get(name, 0.0) for name in classes], dtype=np.float64)
    elif _is_number(entry):
        if len(classes) != 2:
            raise ValueError(
                f"a share of {entry} alone says nothing of {len(classes)} classes; give one for "
                "each, or draw bags for one class (of)"
            )
        row = np.array([1 - float(entry), float(entry)])  # type: ignore[arg-type]
    else:
        row = np.asarray(entry, dtype=np.float64)
    if row.shape != (len(classes),):
        raise ValueError(f"shares {list(row)} are not one for each class: {', '.join(classes)}")
    if not ((row >= 0) & (row <= 1)).all() or abs(row.sum() - 1) > _SUM_TOLERANCE:
        raise ValueError(f"shares {row.tolist()} are not from 0 to 1 with a sum of 1")
    return row


def _is_number(entry: object) -> bool:
    return not isinstance(entry, Mapping) and np.ndim(entry) == 0  # type: ignore[arg-type]


def draw(
    shares: Shares, members: Mapping[str, Indices], size: int, rng: np.random.Generator
) -> tuple[list[Indices], Counts]:
    """Documents of each bag, and how many of each class these are.

    A bag has a document twice only if there are too few of its class.

    Parameters
    ----------
    shares
        Which shares bags have, rounded to whole documents by largest remainder.
    members
        Documents of each class.
    size
        Number of documents in each bag.
    rng
        For what is random.

    Examples
    --------
    >>> members = {"no": np.arange(6), "yes": np.arange(6, 10)}
    >>> shares = ListedShares([0.4, 1.0], repeats=1)
    >>> bags, counts = draw(shares, members, 5, np.random.default_rng(0))
    >>> counts.tolist(), [bool((bag[-2:] >= 6).all()) for bag in bags]
    ([[3, 2], [0, 5]], [True, True])
    """
    _positive("size", size)
    there = {name: len(indices) for name, indices in members.items()}
    counts = largest_remainder(shares.prevalences(there, size, rng), size)
    pools = list(members.values())
    bags = []
    for row in counts:
        parts = [
            rng.choice(pool, n, replace=n > len(pool), shuffle=False)
            for pool, n in zip(pools, row, strict=True)
            if n
        ]
        bags.append(np.sort(np.concatenate(parts)))
    return bags, counts


def largest_remainder(prevalences: Array, size: int) -> Counts:
    """Whole numbers nearest to these shares of ``size``, with this sum.

    What is left after rounding down goes to the largest remainders; of equal ones, to the last.

    Parameters
    ----------
    prevalences
        Shape (bags, classes), rows of sum 1.
    size
        Of the bags.

    Examples
    --------
    >>> largest_remainder(np.array([[0.5, 0.25, 0.25], [0.2, 0.35, 0.45]]), 10)
    array([[5, 2, 3],
           [2, 3, 5]])
    """
    exact = prevalences * size
    # 0.29 · 100 is 28.999999999999996, and is 29.
    near = np.rint(exact)
    exact = np.where(np.abs(exact - near) < size * 1e-12, near, exact)
    counts: Counts = np.floor(exact).astype(np.int64)
    remainders = exact - counts
    missing = size - counts.sum(axis=1, keepdims=True)
    ranks = np.argsort(np.argsort(remainders, axis=1, kind="stable"), axis=1)
    counts += ranks >= prevalences.shape[1] - missing
    return counts


def _positive(name: str, number: int) -> int:
    if number < 1:
        raise ValueError(f"{name} is {number}; it must be 1 or more")
    return number
