"""Stages of a search: which documents are trained on, and which make the bags of each trial.

A stage is a set of training documents; settings with the same representation share its scores. A
trial of it says what is learned from and which bags are asked. Either they are of held-out
documents, as a protocol divides them: then a stage has one trial. Or they are of out-of-fold
scores: then all documents stand for the world, bags are drawn from them, and what is learned from
is drawn from them too, anew for each trial.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.experiments.protocols import BagProtocol, Drawn
from quantext.experiments.search.data import Data
from quantext.experiments.splits import Bag, Split
from quantext.wording import counted

__all__ = ["Stage", "make_stages", "tested"]

Array = NDArray[Any]
Indices = NDArray[np.intp]

# Of n documents, the error of a rate has a variance of about 1/n: so has that of a rate in a
# resample against the rate in all. Had a half been learned from and the other tested, it would
# be 4/n, and methods that correct would look worse than they are; had all been both, 0.
RESAMPLES = 2
_MANY_REPEATS = 1 / 3  # of the documents in bags


@dataclass(frozen=True, eq=False)
class Stage:
    """Training documents, and the trials that need no more than these.

    Parameters
    ----------
    train
        Positions of the documents to be scored; None: all, and bags are made of their out-of-fold
        scores.
    trials
        What a method learns from, and the bags that it is then asked.
    p_true
        Of each trial, shape (bags, parts, classes): what is asked of each bag. That is the share
        of each class, or of each label, or of the label that the bag was drawn for.
    seed
        Of what is learned from.
    """

    train: Indices | None
    trials: tuple[Split, ...]
    p_true: tuple[Array, ...]
    seed: int = 0

    @classmethod
    def of(cls, train: Indices | None, trials: Sequence[Split], data: Data) -> "Stage":
        """Stage of these trials."""
        return cls(train, tuple(trials), tuple(_asked(trial.bags, data) for trial in trials))


def tested(trial: Split) -> Indices:
    """Positions of the documents in bags.

    Parameters
    ----------
    trial
        With bags.
    """
    return np.unique(np.concatenate([bag.indices for bag in trial.bags]))


def _asked(bags: Sequence[Bag], data: Data) -> Array:
    """True shares of what is asked of bags, all in the same way."""
    columns = data.columns
    if bags[0].task is None:
        shares = np.array([columns[bag.indices].mean(axis=0) for bag in bags])
        if data.labels.kind != "multilabel":
            return shares[:, None, :]
    else:
        places = {name: place for place, name in enumerate(data.names)}
        own = [columns[bag.indices, places[str(bag.task)]].mean() for bag in bags]
        shares = np.array(own)[:, None]
    return np.stack([1 - shares, shares], axis=-1)


def make_stages(
    protocol: BagProtocol, data: Data, seed: int
) -> tuple[tuple[Stage, ...], str, tuple[str, ...]]:
    """Stages of a protocol, what they are in words, and what else there is to say of them.

    Parameters
    ----------
    protocol
        One that draws bags from one half of the documents has them drawn from out-of-fold scores;
        any other divides the documents.
    data
        To be divided.
    seed
        Of what is learned from.
    """
    if not (isinstance(protocol, Drawn) and _from_any(protocol)):
        splits = protocol.split(data.corpus())
        stages = tuple(Stage.of(split.train, (split,), data) for split in splits)
        notes = tuple(dict.fromkeys(note for split in splits for note in split.notes))
        return stages, protocol.describe(splits), notes
    if data.periods is not None or data.groups is not None:
        raise ValueError(
            "periods= and groups= are given, but this protocol draws bags from all documents; "
            "choose ByPeriod or ByGroup, or Drawn(held_out=ByPeriod())"
        )
    rng = np.random.default_rng(seed)
    samples = [_resampled(data.columns, rng) for _ in range(RESAMPLES)]
    by_task, notes = _drawn(protocol, data, samples)
    shared: list[list[Bag]] = [[] for _ in samples]
    for bags in by_task:
        for bag, which in zip(bags, rng.permutation(len(bags)) % RESAMPLES, strict=True):
            shared[which].append(bag)
    trials = [
        Split(sample, tuple(bags)) for sample, bags in zip(samples, shared, strict=True) if bags
    ]
    stage = replace(Stage.of(None, trials, data), seed=seed)
    total = sum(map(len, shared))
    words = (
        f"{counted(total, 'bag')} of {protocol.size:,} documents from out-of-fold scores, drawn "
        f"{protocol.shares.describe()}; what corrects scores was learned from documents that were "
        "drawn with replacement."
    )
    return (stage,), words, (*notes, *_repeats([bag for bags in shared for bag in bags]))


def _from_any(protocol: Drawn) -> bool:
    return protocol.side == "test" and protocol.held_out == Drawn.held_out


def _resampled(columns: NDArray[np.bool_], rng: np.random.Generator) -> Indices:
    """As many documents, drawn with replacement: each class keeps its number, and rare labels."""
    rarest = np.where(columns, columns.sum(axis=0), len(columns) + 1).argmin(axis=1)
    rarest[~columns.any(axis=1)] = -1
    order = np.argsort(rarest, kind="stable")
    alike = np.split(order, np.flatnonzero(np.diff(rarest[order])) + 1)
    return np.sort(np.concatenate([rng.choice(rows, len(rows)) for rows in alike]))


def _drawn(
    protocol: Drawn, data: Data, samples: Sequence[Indices]
) -> tuple[list[tuple[Bag, ...]], tuple[str, ...]]:
    """Bags from all documents, by the class that they are drawn for, and what to say of them."""
    columns, names = data.columns, data.names
    if data.labels.kind != "multilabel" and protocol.of is None:
        bags, _ = protocol.draw(columns, names, multilabel=False)
        single = [name for name, n in zip(names, columns.sum(axis=0), strict=True) if n == 1]
        notes = (
            f"{_listed(single)}: there is one document only, so what is learned from it is tested "
            "on it",
        )
        return [bags], notes if single else ()
    if protocol.of is not None and protocol.of not in names:
        protocol.draw(columns, names, multilabel=True)  # raises, and names the classes
    asked = [n for n, name in enumerate(names) if protocol.of in (None, name)]
    # Where one sample has none of a label or nothing else, there is nothing to be learned.
    both = [all(0 < columns[rows, n].sum() < len(rows) for rows in samples) for n in asked]
    by_task = [
        replace(protocol, of=names[n]).draw(columns, names, multilabel=True)[0]
        for n, there in zip(asked, both, strict=True)
        if there
    ]
    if not by_task:
        raise ValueError(
            "there is nothing to draw bags from: each label has too few documents, or all of them"
        )
    skipped = [names[n] for n, there in zip(asked, both, strict=True) if not there]
    note = f"{_listed(skipped)}: not asked, since too few documents have this label, or all"
    return by_task, (note,) if skipped else ()


def _listed(names: Sequence[str], most: int = 3) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def _repeats(bags: Sequence[Bag]) -> tuple[str, ...]:
    """A sentence if bags have the same documents over and over."""
    size = sum(map(len, bags))
    share = 1 - sum(len(np.unique(bag.indices)) for bag in bags) / size
    if share <= _MANY_REPEATS:
        return ()
    return (
        f"{share:.0%} of the documents in bags are there a second time, since a class has too few; "
        "if your own bags are small, lower the protocol's size",
    )
