"""Rules: what each looks at in a bag, and what it says, in words for whoever reads it.

It is longer than other files, so that all that is ever said of a bag stands in one place.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from quantext.models.evidence import Evidence, Trained, distance
from quantext.wording import counted, listed

__all__ = [
    "CARE",
    "DISTRUST",
    "FINE",
    "HARDLY_READABLE",
    "LEVELS",
    "RULES",
    "WIDE",
    "Level",
    "Rule",
]

Array = NDArray[Any]

Level = Literal["fine", "care", "distrust"]
FINE: Level = "fine"
CARE: Level = "care"
DISTRUST: Level = "distrust"
LEVELS = (FINE, CARE, DISTRUST)  # from the best to the worst

# Limits. Weeks of the synthetic survey have an extent of change up to 0.013, random parts of
# SemEval's training tweets up to 0.03; its test tweets by topic 0.12 in the middle, and 80 of 83
# intervals hold where it is below 0.2, 15 of 17 above. Answers cut to their first sentence are
# 0.41 to 0.47 times as long, and 43% of intervals (12 topics) hold; tweets by topic 0.61 to 1.05.
CHANGED, CHANGED_MUCH = 0.10, 0.25
SHORTER, MUCH_SHORTER, LEAST_LENGTHS = 2 / 3, 1 / 2, 10  # and their inverses for longer
# Documents like those of training have 88% (tweets) to 99% (survey) known words, tweets on other
# topics 64 to 94%, German ones 28%, German answers to the survey 2%.
LEAST_KNOWN, OF_USUAL = 0.5, 0.8
UNKNOWN_TIMES, UNKNOWN_MORE = 2, 0.05
UNREADABLE, MOSTLY_UNREADABLE, HARDLY_READABLE = 0.1, 0.5, 0.9
NEW_ANSWERS, MOSTLY_NEW_ANSWERS = 0.02, 0.1
APART, CHANCE_APART = 0.2, 2.0  # standard deviations; 0.2 puts 56 of 100 pairs in order, not 50
RATES_APART = 0.1
FEW_TRAINED, FEW_FLAWLESS = 10, 30
FEW, VERY_FEW = 50, 5
FAR = 0.30
WIDE = 0.20
VERY_WIDE = 0.50
MATTERS = 0.05  # share that a class may have; below, a bad estimate does little harm
CHANCE, MISSES_TIMES, RECENT = 0.005, 2, 3
FAR_OUTSIDE, WORSE = 0.05, 0.02


Sign = tuple[Level, str]


@dataclass(frozen=True)
class Rule:
    """A rule, and how it is told to people.

    Parameters
    ----------
    name, text
        What it looks at, and how it judges.
    needs
        Field of `Trained` or `Evidence` without which it has nothing to say.
    find
        Signs in the last of some bags, of which those before it are earlier ones.
    reads
        What the model must read for the rule to make sense: "texts", "answers" (what other models
        say of documents) or, if it does not matter, "".
    """

    name: str
    text: str
    needs: str
    find: Callable[[Trained, Sequence[Evidence]], Iterator[Sign]]
    reads: Literal["texts", "answers", ""] = ""


# Rules: the documents


def _changed(trained: Trained, bags: Sequence[Evidence]) -> Iterator[Sign]:
    bag, change = bags[-1], bags[-1].change
    if change is None:
        return
    if change.extent >= CHANGED:
        much = change.extent >= CHANGED_MUCH
        yield (
            DISTRUST if much else CARE,
            f"These documents use {'very ' if much else ''}different words than those of training, "
            "in ways that no change of shares explains.",
        )
    usual = trained.usual_known or 1.0
    if bag.known is None or bag.known < LEAST_KNOWN * usual or bag.size < LEAST_LENGTHS:
        return
    # Only known words are counted, and in training all are known: what is missing may be unknown,
    # of which another rule speaks.
    length = change.length / bag.known
    for limit, level in ((MUCH_SHORTER, DISTRUST), (SHORTER, CARE)):
        if not limit <= length <= 1 / limit:
            yield (
                level,
                f"These documents are {'shorter' if length < 1 else 'longer'}, with {length:.2g} "
                "times as many different words as those of training: are they of another kind?",
            )
            return


def _unknown(trained: Trained, bags: Sequence[Evidence]) -> Iterator[Sign]:
    bag, usual = bags[-1], trained.usual_known
    if bag.unreadable is not None and bag.unreadable >= UNREADABLE:
        most = bag.unreadable >= MOSTLY_UNREADABLE
        yield (
            DISTRUST if most else CARE,
            "Hardly any of these documents has a word that the model can read."
            if bag.unreadable >= HARDLY_READABLE
            else f"{bag.unreadable:.0%} of these documents have no word that the model knows.",
        )
    if bag.known is None:
        return
    told = f"nly {bag.known:.0%} of the words are known from training"
    normal = "" if usual is None else f" ({usual:.0%} are usual)"
    if bag.known < min(LEAST_KNOWN, OF_USUAL * (1 if usual is None else usual)):
        yield DISTRUST, f"O{told}{normal}: is this the right column, model and language?"
    elif usual is not None:
        unknown = 1 - usual
        if 1 - bag.known > max(UNKNOWN_TIMES * unknown, unknown + UNKNOWN_MORE):
            yield CARE, f"O{told}{normal}: these documents speak of other things."


def _answers(_: Trained, bags: Sequence[Evidence]) -> Iterator[Sign]:
    known = bags[-1].known_answers
    if known is not None and 1 - known >= NEW_ANSWERS:
        yield (
            DISTRUST if 1 - known >= MOSTLY_NEW_ANSWERS else CARE,
            f"{1 - known:.0%} of what is said of these documents was never said in training: is it "
            "the same model, with the same instructions?",
        )


# Rules: the model


def _weak(trained: Trained, bags: Sequence[Evidence]) -> Iterator[Sign]:
    if trained.apart is None or trained.documents is None or trained.n_train is None:
        return
    n = np.maximum(trained.documents, 1), np.maximum(trained.n_train - trained.documents, 1)
    least = np.maximum(APART, CHANCE_APART * np.sqrt(1 / n[0] + 1 / n[1]))
    weak = trained.apart < least
    bag = bags[-1]
    tpr, fpr = trained.tpr, trained.fpr
    if bag.low is not None and bag.high is not None and tpr is not None and fpr is not None:
        # Decisions that are no better for a class than for the rest, and an interval to match.
        weak |= (tpr - fpr < RATES_APART) & (bag.high - bag.low >= WIDE)
    weak &= _matters(bag) & (trained.documents > 0) & (trained.documents < trained.n_train)
    if weak.any():
        names = _names(trained, weak)
        most = 2 * weak.sum() >= len(weak)
        yield DISTRUST if most else CARE, f"The model cannot tell {names} from the rest."


def _few_trained(trained: Trained, bags: Sequence[Evidence]) -> Iterator[Sign]:
    if trained.documents is None or trained.n_train is None:
        return
    own, others = trained.documents, trained.n_train - trained.documents
    if (constant := (own == 0) | (others == 0)).any():
        names = _names(trained, constant)
        yield (
            DISTRUST if constant.all() else CARE,
            f"All or none of the training documents are {names}, so the model knows nothing else.",
        )
    fewest = np.minimum(own, others)
    matters = _matters(bags[-1]) & ~constant
    if (few := matters & (fewest < FEW_TRAINED)).any():
        names = _names(trained, few & (own <= others)) if (few & (own <= others)).any() else ""
        what = f"of {names}" if names else f"of anything but {_names(trained, few)}"
        yield (
            CARE,
            f"Fewer than {FEW_TRAINED} training documents are {what}: too few to learn from.",
        )
    if trained.tpr is None or trained.fpr is None:
        return
    flawless = matters & ~few & (trained.tpr == 1) & (trained.fpr == 0) & (fewest < FEW_FLAWLESS)
    if flawless.any():
        least = int(fewest[flawless].min())
        yield (
            CARE,
            f"No training document of {_names(trained, flawless)} was mistaken, but with only "
            f"{least} of them up to {3 / least:.0%} of new ones may be.",
        )


# Rules: the bag


def _small(_: Trained, bags: Sequence[Evidence]) -> Iterator[Sign]:
    if (size := bags[-1].size) < FEW:
        yield (
            DISTRUST if size < VERY_FEW else CARE,
            f"The batch has only {counted(size, 'document')}; look at several such batches as one.",
        )


def _intervals(trained: Trained, bags: Sequence[Evidence]) -> Iterator[Sign]:
    bag = bags[-1]
    if bag.low is None or bag.high is None:
        return
    slack = 1e-6
    outside = (bag.share < bag.low - slack) | (bag.share > bag.high + slack)
    if outside.any():
        yield (
            CARE,
            f"The estimate of {_names(trained, outside)} lies outside its own interval, which "
            "allows for what the classifier mistakes; the estimate of this method does not.",
        )
    width = bag.high - bag.low
    sure = width <= slack
    if trained.documents is not None and trained.n_train is not None:  # else another rule speaks
        sure &= (trained.documents > 0) & (trained.documents < trained.n_train)
    if sure.any():
        yield CARE, f"The interval of {_names(trained, sure)} has no width: nobody is that sure."
    weight = bag.share + 1e-9  # a bag in which no class was found weighs them alike
    if (mean := float(width @ weight / weight.sum())) >= WIDE:
        known = "hardly known" if mean >= VERY_WIDE else "known roughly"
        yield (
            CARE,
            f"With intervals {100 * mean:.0f} points wide on average, the shares are {known}.",
        )


def _far(trained: Trained, bags: Sequence[Evidence]) -> Iterator[Sign]:
    if trained.corrects:  # to follow is what such a method is made for
        return
    moved = distance(bags[-1].share, trained.p_train, trained.single_label)
    if moved >= FAR:
        yield (
            CARE,
            f"Shares are far from those of training, by {100 * moved:.0f} points: a method that "
            "does not correct follows only part of the way.",
        )


# Rules: the truth


def _missed(trained: Trained, bags: Sequence[Evidence]) -> Iterator[Sign]:
    *_, bag = bags
    if bag.true_share is None or bag.low is None or bag.high is None:
        return
    recent = [other for other in bags if other.true_share is not None][-RECENT:]
    # Shares that sum to 1 cannot err one by one: of two, both miss or none.
    free = max(1, len(trained.classes) - trained.single_label)
    misses = sum(min(free, int((_outside(other) > 0).sum())) for other in recent)
    n, rate = free * len(recent), min(1.0, MISSES_TIMES * (1 - trained.level))
    if binom.sf(misses - 1, n, rate) < CHANCE:  # of as many misses or more
        here = "" if len(recent) == 1 else f" of the last {len(recent)} batches"
        yield DISTRUST, f"{misses} of {n} intervals{here} miss the truth, which is known here."
    # A miss by more than an interval's width is not one of the few that its level allows.
    by = _outside(bag)
    if (far := (by > bag.high - bag.low) & (by >= FAR_OUTSIDE)).any():
        yield DISTRUST, f"The true share of {_names(trained, far)} lies far outside its interval."


def _worse(trained: Trained, bags: Sequence[Evidence]) -> Iterator[Sign]:
    bag = bags[-1]
    if bag.true_share is None:
        return
    error = distance(bag.share, bag.true_share, trained.single_label)
    naive = distance(trained.p_train, bag.true_share, trained.single_label)
    if error > naive + WORSE:
        yield (
            CARE,
            f"The estimates are off by {100 * error:.1f} points from the truth, which is known "
            f"here, the training shares only by {100 * naive:.1f}.",
        )


def _outside(bag: Evidence) -> Array:
    """By how much the truth lies outside each interval; 0 inside."""
    assert bag.low is not None
    assert bag.high is not None
    slack = 1e-9  # the bounds were rounded on their way; a bag's share is a fraction
    by = np.maximum(bag.low - bag.true_share, bag.true_share - bag.high)
    return np.where(by > slack, by, 0.0)


def _matters(bag: Evidence) -> Array:
    """Classes of which a bad estimate does harm."""
    most = bag.share if bag.high is None else np.maximum(bag.share, bag.high)
    return np.asarray(most >= MATTERS)


def _names(trained: Trained, which: Iterable[Any]) -> str:
    return listed(
        (f"“{trained.classes[k]}”" for k in np.flatnonzero(np.asarray(which)).tolist()), most=3
    )


_MORE_THAN_CHANCE = (
    f"intervals miss the true share more than {MISSES_TIMES} times as often as their level "
    f"allows, beyond what happens by chance once in {1 / CHANCE:,.0f}"
)
_SMALL_ONES = (
    f"Classes that have less than {MATTERS:.0%} of a batch, by interval too, are passed over."
)
RULES = (
    Rule(
        "Change",
        "How far documents differ from those of training in the words that matter to the model, "
        f"beyond what shares explain: with care from {CHANGED:.0%} of what sets classes apart, no "
        f"trust from {CHANGED_MUCH:.0%}. The same for documents less than {SHORTER:.2g} or "
        f"{MUCH_SHORTER:.2g} times as long, or longer by as much.",
        "change",
        _changed,
        "texts",
    ),
    Rule(
        "Words",
        f"No trust if fewer than {LEAST_KNOWN:.0%} of the words are known from training, or if "
        f"{MOSTLY_UNREADABLE:.0%} of the documents have no known word at all; with care from "
        f"{UNREADABLE:.0%}, or if unknown words are {UNKNOWN_TIMES} times as frequent as usual.",
        "known",
        _unknown,
        "texts",
    ),
    Rule(
        "Answers",
        "Where what models say is read and not texts. With care if "
        f"{NEW_ANSWERS:.0%} of it are labels that training did not have, or no answer where "
        f"training had no such documents; no trust from {MOSTLY_NEW_ANSWERS:.0%}.",
        "known_answers",
        _answers,
        "answers",
    ),
    Rule(
        "Model",
        "With care if it cannot tell a class from the rest, on documents that it was not trained "
        f"on; no trust if that is so of half of the classes. {_SMALL_ONES}",
        "apart",
        _weak,
    ),
    Rule(
        "Training",
        f"With care if a class, or all but it, has fewer than {FEW_TRAINED} training documents, "
        f"or none of fewer than {FEW_FLAWLESS} was mistaken. {_SMALL_ONES}",
        "documents",
        _few_trained,
    ),
    Rule(
        "Size",
        f"With care if a batch has fewer than {FEW} documents, no trust below {VERY_FEW}.",
        "",
        _small,
    ),
    Rule(
        "Intervals",
        f"With care if they are {100 * WIDE:.0f} points wide or more on average, large classes "
        "weighing more, or if an estimate lies outside its own.",
        "low",
        _intervals,
    ),
    Rule(
        "Distance",
        f"For methods that do not correct. With care if {FAR:.0%} of the documents would have to "
        "change class for the shares to be those of training, or the share of a label has moved by "
        f"{100 * FAR:.0f} points.",
        "",
        _far,
    ),
    Rule(
        "Truth",
        f"Where it is known. No trust if, in a batch and the {RECENT - 1} before it in time, "
        f"{_MORE_THAN_CHANCE}, or one by more than its width and {100 * FAR_OUTSIDE:.0f} points.",
        "true_share",
        _missed,
    ),
    Rule(
        "Error",
        f"Where the truth is known. With care if the training shares are closer to it by more than "
        f"{100 * WORSE:.0f} points.",
        "true_share",
        _worse,
    ),
)
