"""Why a share was found the way it was, and what one should know beside it: sentences."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from quantext.models.judged import Judged, Question
from quantext.vectors.answers import Answers
from quantext.wording import counted, listed, percent

__all__ = [
    "HANDFUL",
    "about_answers",
    "about_batches",
    "about_drawing",
    "about_labels",
    "about_names",
    "why_gold",
    "why_nothing",
    "why_powered",
]

Array = NDArray[Any]

HANDFUL = 5  # documents with a known truth, below which nothing is said


def why_powered(n: int, correlation: float, effective: float) -> str:
    """Why the model's word is added.

    Parameters
    ----------
    n
        Documents with a known truth.
    correlation
        Of the model's word with the truth of a class.
    effective
        How many of them alone would tell as much.
    """
    if np.isnan(effective):
        return f"the model agrees with all {n:,} known truths of this class"
    said = f"the model's word has a correlation of {correlation:.2f} with the truth"
    if effective <= n:
        return said
    return f"{said}, so that {n:,} known truths tell as much as {effective:,.0f} would alone"


def why_gold(n: int, correlation: float) -> str:
    """Why the known truths alone are used."""
    return (
        f"the model's word has a correlation of {correlation:.2f} with the truth; with {n:,} known "
        f"truths it helps only above {1 / np.sqrt(max(n - 2, 1)):.2f}"
    )


def why_nothing(n: int, lacking: bool) -> str:
    """Why nothing is said of a bag."""
    if lacking:
        return "a stratum of this batch has no known truth, or all are of one cluster; label more"
    return f"{counted(n, 'known truth')} in this batch; label at least {HANDFUL}, better 100"


def about_labels(as_good: Sequence[str], unseen: Sequence[str], *, beside: bool) -> Iterator[str]:
    """What one should know of some labels alone.

    Parameters
    ----------
    as_good
        Those to which the model's word adds nothing.
    unseen
        Those that are among no known truths.
    beside
        Whether documents may have one beside others, so that it is said of which.
    """
    if as_good:
        of = f" of {_quoted(as_good)}" if beside else ""
        yield f"the known truths alone are as good{of}: the model's word would add nothing to them"
    if len(unseen) == 1:
        yield (
            f"{unseen[0]!r} was never seen among the known truths; the upper bound says how large "
            "its share may be all the same"
        )
    elif unseen:
        yield (
            f"{_quoted(unseen)} were never seen among the known truths; the upper bounds say how "
            "large their shares may be all the same"
        )


def _quoted(names: Sequence[str]) -> str:
    return listed([repr(name) for name in names], most=5)


def about_batches(judged: Judged, n_gold: Array, lacking: frozenset[int]) -> Iterator[str]:
    """Of which bags nothing is said.

    Parameters
    ----------
    judged
        What was asked.
    n_gold
        Documents with a known truth in each bag.
    lacking
        Bags of which a stratum has no known truth, or whose known truths are of one cluster.
    """
    few = [b for b in range(len(n_gold)) if n_gold[b] < HANDFUL or b in lacking]
    if few:
        names = listed([str(judged.bag_names[b]) for b in few], most=5)
        yield (
            f"nothing is said of {counted(len(few), 'batch', 'batches')} with too few known "
            f"truths: {names}; `quantext plan` chooses what to label"
        )


def about_names(judged: Judged) -> Iterator[str]:
    """Classes whose names are the same but for capital letters.

    Parameters
    ----------
    judged
        What was asked.
    """
    names = [question.names[k] for question in judged.questions for k in question.asked]
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(" ".join(name.casefold().split()), []).append(name)
    for own in alike.values():
        if len(own) > 1:
            yield (
                f"{_quoted(own)} are counted as different classes, though only capital letters or "
                "spaces tell them apart; write them alike if they are the same"
            )


def about_drawing(judged: Judged, chances: Array, *, simple: bool) -> Iterator[str]:
    """Whether the documents with a known truth look as if they had been drawn as was said.

    Parameters
    ----------
    judged
        What was asked.
    chances
        Of the documents with a known truth.
    simple
        Whether all documents of a bag are said to have had the same chance.
    """
    if not simple:
        if (ratio := float((1 / chances).sum()) / len(judged)) < 0.7 or ratio > 1.4:
            yield (
                f"the probabilities are those of a sample from {(1 / chances).sum():,.0f} "
                f"documents, and there are {len(judged):,}; are they the right ones?"
            )
        return
    for model in {id(m): m for q in judged.questions for m in q.models}.values():
        if not isinstance(model, Answers) or len(judged.bag_names) > 1:
            continue
        drawn = np.bincount(model.codes[judged.known], minlength=len(model.names))
        shares = np.bincount(model.codes, minlength=len(model.names)) / len(judged)
        expected = shares * drawn.sum()
        enough = expected >= 5
        far = ((drawn - expected)[enough] ** 2 / expected[enough]).sum()
        if enough.sum() > 1 and chdtrc(enough.sum() - 1, far) < 1e-4:
            k = int(np.argmax(np.where(enough, np.abs(drawn - expected), 0)))
            said = "nothing" if model.names[k] is None else repr(str(model.names[k]))
            yield (
                f"the documents with a known truth do not look drawn at random: the model says "
                f"{said} of {percent(drawn[k] / drawn.sum())} of them and of {percent(shares[k])} "
                "of all. If they were chosen by what it says, srs is the wrong design"
            )
            return


def about_answers(question: Question, known: Array) -> Iterator[str]:
    """How many answers are missing, and whether the model is worse than none.

    Parameters
    ----------
    question
        What was asked.
    known
        Numbers of the documents whose truth is known.
    """
    for model in question.models:
        where = f" in column {model.column!r}" if model.column else ""
        if n := model.n_missing:
            yield (
                f"the model gave no answer{where} for {n:,} of {len(model):,} documents, "
                f"{percent(n / len(model))}; that counts as an answer of its own"
            )
        if not isinstance(model, Answers) or not question.says_classes(model):
            continue
        right = float((question.answers(model)[model.codes[known]] == question.truth).mean())
        most = np.bincount(question.truth, minlength=len(question.names))
        usual = float(most.max() / most.sum())
        if right < usual and len(question.asked) > 1:
            yield (
                f"the model is right{where} in {percent(right)} of the known truths; always to say "
                f"{question.names[int(most.argmax())]!r} would be right in {percent(usual)}"
            )
