"""Why a share was found the way it was, and what one should know beside it: sentences."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.models.judged import Judged, Question
from quantext.vectors.answers import Answers
from quantext.wording import counted, listed, percent

__all__ = [
    "HANDFUL",
    "about_answers",
    "about_batches",
    "about_labels",
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
    return (
        f"the model's word has a correlation of {correlation:.2f} with the truth, so that {n:,} "
        f"known truths tell as much as {effective:,.0f} would alone"
    )


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
        Bags of which a stratum has no known truth.
    """
    few = [b for b in range(len(n_gold)) if n_gold[b] < HANDFUL or b in lacking]
    if few:
        names = listed([str(judged.bag_names[b]) for b in few], most=5)
        yield (
            f"nothing is said of {counted(len(few), 'batch', 'batches')} with too few known "
            f"truths: {names}; `quantext plan` chooses what to label"
        )


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
