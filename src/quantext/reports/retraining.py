"""Whether the model should be retrained: signs in each bag, by rules that the page states.

That prevalences drift is no reason: quantifiers are made to follow it. Reasons are signs that the
documents of a class are no longer what they were, and these are what the rules look for.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from quantext.reports.grid import Grid
from quantext.wording import listed

__all__ = ["CARE", "FINE", "RETRAIN", "WIDE", "Rule", "advice", "rules", "verdicts"]

FINE, CARE, RETRAIN = "fine", "with care", "retrain"

_LEAST_KNOWN = 0.5
_UNKNOWN_TIMES, _UNKNOWN_MORE = 2, 0.05
_CHANCE = 0.005
_MISSES_TIMES = 2
_FAR = 0.30
WIDE = 0.20
_FEW = 50
_RECENT = 3

Sign = tuple[int, str, str]  # number of the bag, what it calls for, and why


@dataclass(frozen=True)
class Rule:
    """A rule as the page states it, and the signs that it found.

    Parameters
    ----------
    name, text
        What it looks at, and how it judges.
    judged
        Whether there was what it needs.
    signs
        Bag, verdict and reason of each.
    """

    name: str
    text: str
    judged: bool
    signs: list[Sign]


def rules(grid: Grid) -> list[Rule]:
    """Every rule, applied to the bags.

    Parameters
    ----------
    grid
        The estimates.
    """
    usual = "documents like those of training" if grid.known_train else "the first batch"
    window = (
        f"a batch and the {_RECENT - 1} with known truth before it" if grid.in_time else "a batch"
    )
    far = (
        f"at least {_FAR:.0%} of the documents would have to change class for the shares to be "
        "those of training"
        if grid.single_label
        else f"the share of a class has moved by {100 * _FAR:.0f} points or more"
    )
    return [
        Rule(
            "Words",
            f"Retrain if fewer than {_LEAST_KNOWN:.0%} of the words of a batch are known from "
            "training: another language, or another subject. With care if unknown words are more "
            f"than {_UNKNOWN_TIMES} times as frequent as in {usual}, and by at least "
            f"{100 * _UNKNOWN_MORE:.0f} points.",
            grid.known is not None,
            list(_unknown_words(grid)),
        ),
        Rule(
            "Truth",
            f"Retrain if, in {window}, intervals miss the true share more than {_MISSES_TIMES} "
            f"times as often as their level of {grid.level:.0%} allows, beyond what happens by "
            f"chance once in {1 / _CHANCE:,.0f}. This is the surest sign.",
            grid.missed() is not None,
            list(_misses(grid)),
        ),
        Rule(
            "Distance",
            f"With care if {far}. Estimates are made for drift, but errors grow with it. Where the "
            "truth is known, it decides instead.",
            True,
            list(_far(grid)),
        ),
        Rule(
            "Width",
            f"With care if the intervals of a batch are {100 * WIDE:.0f} points wide or more on "
            "average, large classes weighing more: larger batches or more training documents make "
            "them narrower.",
            grid.low is not None,
            list(_wide(grid)),
        ),
        Rule(
            "Size",
            f"With care if a batch has fewer than {_FEW} documents: look at several such batches "
            "as one.",
            True,
            [
                (b, CARE, f"only {size} documents")
                for b, size in enumerate(grid.size)
                if size < _FEW
            ],
        ),
    ]


def verdicts(grid: Grid, rules: list[Rule]) -> list[tuple[str, list[str]]]:
    """Verdict and reasons of each bag: retrain if any rule says so, else with care, else fine.

    Parameters
    ----------
    grid
        The estimates.
    rules
        Those of `rules`.
    """
    calls: list[set[str]] = [set() for _ in grid.bags]
    reasons: list[list[str]] = [[] for _ in grid.bags]
    for b, call, reason in (sign for rule in rules for sign in rule.signs):
        calls[b].add(call)
        reasons[b].append(reason)
    return [
        (RETRAIN if RETRAIN in own else CARE if own else FINE, why)
        for own, why in zip(calls, reasons, strict=True)
    ]


def advice(grid: Grid, rules: list[Rule]) -> tuple[str, str, str]:
    """Verdict, headline and text for all: of recent bags, or of all if not in time.

    Parameters
    ----------
    grid
        The estimates.
    rules
        Those of `rules`.
    """
    n_bags = len(grid.bags)
    first = max(0, n_bags - _RECENT) if grid.in_time else 0
    found = verdicts(grid, rules)[first:]
    which = "the batch" if n_bags == 1 else f"the {'last ' if first else ''}{len(found)} batches"
    recent = [(rule, [sign for sign in rule.signs if sign[0] >= first]) for rule in rules]
    told = " ".join(
        f"{rule.name}: {signs[-1][2]}{_where(grid, signs)}." for rule, signs in recent if signs
    )
    if 2 * sum(verdict == RETRAIN for verdict, _ in found) > len(found):
        return (
            RETRAIN,
            "Retrain the model",
            f"{told} Code some hundred documents of recent batches by hand, add them to the "
            "training data and train again.",
        )
    if told:
        n = sum(verdict != FINE for verdict, _ in found)
        return (
            CARE,
            f"Read {which if len(found) == n else f'{n} of {which}'} with care",
            f"{told} To be sure, code some hundred documents of such a batch by hand and compare.",
        )
    silent = [rule.name.lower() for rule in rules if not rule.judged]
    unknown = f" Not known here: {listed(silent)}." if silent else ""
    return (
        FINE,
        "No sign that the model should be retrained",
        f"None of the rules under “How this is judged” applies to {which}.{unknown}",
    )


def _where(grid: Grid, signs: list[Sign]) -> str:
    """The last bag of these signs, and how many others, to follow a reason."""
    names = [grid.bags[b] for b, _, _ in reversed(signs)]
    return f" ({listed(names, most=1)})" if len(grid.bags) > 1 else ""


def _unknown_words(grid: Grid) -> Iterator[Sign]:
    if grid.known is None:
        return
    usual = 1 - (grid.known[0] if grid.known_train is None else grid.known_train)
    for b, known in enumerate(grid.known):
        told = f"{known:.0%} of the words known"
        if known < _LEAST_KNOWN:
            yield b, RETRAIN, f"only {told}"
        elif 1 - known > max(_UNKNOWN_TIMES * usual, usual + _UNKNOWN_MORE):
            yield b, CARE, f"{told}, {1 - usual:.0%} are usual"


def _misses(grid: Grid) -> Iterator[Sign]:
    found = grid.missed()
    if found is None:
        return
    bags, missed = found
    # Shares that sum to 1 cannot err one by one: of two, both miss or none.
    free = max(1, len(grid.classes) - grid.single_label)
    misses = np.minimum(missed.sum(axis=1), free)
    window = _RECENT if grid.in_time else 1
    for i, b in enumerate(bags):
        inside = misses[max(0, i + 1 - window) : i + 1]
        n, rate = free * len(inside), min(1.0, _MISSES_TIMES * (1 - grid.level))
        if binom.sf(inside.sum() - 1, n, rate) < _CHANCE:  # of as many misses or more
            yield int(b), RETRAIN, f"{inside.sum()} of {n} intervals miss the truth"


def _far(grid: Grid) -> Iterator[Sign]:
    found = grid.missed()
    checked = set() if found is None else set(found[0].tolist())
    for b, drift in enumerate(grid.drift()):
        if drift >= _FAR and b not in checked:
            yield b, CARE, f"far from training, by {100 * drift:.0f} points"


def _wide(grid: Grid) -> Iterator[Sign]:
    width = grid.width()
    if width is None:
        return
    for b in np.flatnonzero(width >= WIDE):
        yield int(b), CARE, f"intervals of {100 * width[b]:.0f} points"
