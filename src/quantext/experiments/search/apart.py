"""Trials apart: for methods without out-of-fold scores, which must not have seen the bags."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.experiments.search.data import Data
from quantext.experiments.search.stages import Stage
from quantext.experiments.splits import Bag, Split, halves

__all__ = ["apart"]

Array = NDArray[Any]
Indices = NDArray[np.intp]


def apart(stage: Stage, data: Data) -> Iterator[tuple[Split, Array]]:
    """One half of the documents to learn from and bags of the other, and the other way round.

    The bags are those of the stage, in their order and with their shares. In them, a document that
    is learned from gives its place to another of its class, if the other half has one.

    Parameters
    ----------
    stage
        With bags of all documents.
    data
        The documents.

    Yields
    ------
    trial, p_true
        As in the stage.
    """
    rng = np.random.default_rng(stage.seed)
    middle = (len(stage.trials) + 1) // 2
    parts = slice(None, middle), slice(middle, None)
    columns = data.columns
    for train, part in zip(halves(columns, stage.seed), parts, strict=True):
        known = np.zeros(len(columns), dtype=bool)
        known[train] = True
        members: dict[str | None, tuple[Array, dict[int, Indices]]] = {}
        bags = []
        for bag in (bag for trial in stage.trials[part] for bag in trial.bags):
            if bag.task not in members:
                members[bag.task] = _members(bag, columns, known, data.names)
            kind, others = members[bag.task]
            bags.append(replace(bag, indices=_replaced(bag.indices, known, kind, others, rng)))
        if bags:
            yield Split(train, tuple(bags)), np.concatenate(stage.p_true[part])


def _members(
    bag: Bag, columns: Array, known: Array, names: tuple[str, ...]
) -> tuple[Array, dict[int, Indices]]:
    """The class of each document as the bag has it, and unknown documents of each."""
    own = bag.task
    kind = columns.argmax(axis=1) if own is None else columns[:, names.index(own)].astype(np.intp)
    return kind, {int(n): np.flatnonzero((kind == n) & ~known) for n in np.unique(kind)}


def _replaced(
    indices: Indices,
    known: Array,
    kind: Array,
    others: dict[int, Indices],
    rng: np.random.Generator,
) -> Indices:
    """Documents of a bag, without those that are known where there are others of their class."""
    indices = indices.copy()
    leaving = np.flatnonzero(known[indices])
    for n in np.unique(kind[indices[leaving]]).tolist():
        places = leaving[kind[indices[leaving]] == n]
        if len(others[n]):
            indices[places] = rng.choice(others[n], len(places))
    return np.sort(indices)
