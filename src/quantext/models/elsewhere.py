"""Shares of bags whose documents have no known truth: how the model errs is learned elsewhere."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.models.found import Found, decide, nothing_found
from quantext.models.judged import Judged, Question
from quantext.models.reasons import about_answers
from quantext.quantifiers.adaptive import AdaptiveCount
from quantext.quantifiers.intervals import whole_documents
from quantext.quantifiers.misclassified import unmix
from quantext.scores.crossfit import cross_fit
from quantext.scores.training import TrainingScores
from quantext.vectors.answers import Answers, Numbers
from quantext.wording import counted, listed, percent

__all__ = ["from_elsewhere"]

Array = NDArray[Any]

_OUTSIDE = 0.05  # share of a batch's scores that may lie beyond those whose truth is known
_NOTHING = 0.9  # width of an interval that says next to nothing
_UNKNOWN = 0.01  # share of a batch that may have labels of which no truth is known
_NO_FIT = 1e-4  # chance, below which what the model says cannot be explained
_WHY_NOT = (
    "no shares at all explain what the model says here, if it erred as it does where the truth is "
    "known; so it does not. Were documents picked by what the model says of them? Draw a sample of "
    "this batch at random (`quantext plan`)"
)
_WHY = {
    "misclassification": "the truths are from elsewhere: how the model errs is learned there and "
    "undone here, which is right if it errs here as it does there",
    "adaptive": "the truths are from elsewhere and the model gives scores: the adaptive method "
    "weighs how far the shares have moved since",
}


def from_elsewhere(
    judged: Judged, question: Question, *, level: float, population: bool, seed: int
) -> Found:
    """Shares in every bag, by how classes are mistaken or, if the model gives scores, by these.

    Parameters
    ----------
    judged
        All documents; those with a known truth are in no bag.
    question
        What is asked.
    level
        Of the intervals.
    population
        Whether the shares asked for are those in what each bag was drawn from.
    seed
        Of folds and draws.
    """
    K, known, n_bags = len(question.names), judged.known, len(judged.bag_names)
    here = np.setdiff1d(np.arange(len(judged)), known)
    bags = judged.bags[here]
    sizes = np.bincount(bags, minlength=n_bags)
    _refuse(question, known, here)
    posteriors = cross_fit(question.models, known, question.truth, K, seed)
    decided, decided_known = decide(question, posteriors, known)
    table = np.zeros((K, K), dtype=np.int64)
    np.add.at(table, (decided_known, question.truth), 1)
    put = decided[posteriors.rows[here]]
    counts = np.bincount(bags * K + put, minlength=n_bags * K).reshape(n_bags, K)
    scored = _by_scores(question, known, level)
    found = nothing_found(question, np.full(n_bags, len(known)), sizes)
    asked = list(question.asked)
    numbers = found.numbers
    numbers["raw"][:] = question.of(here).raw(bags, n_bags)[:, asked]
    numbers["gold"][:] = (np.bincount(question.truth, minlength=K) / len(known))[asked]
    for b in range(n_bags):
        if not sizes[b]:
            found.use(None, ["the truth of all documents of this batch is known"] * len(asked))
            continue
        p, low, high, fits = unmix(table, counts[b], level=level, population=population, seed=seed)
        numbers["misclassification"][b] = p[asked]
        way = "misclassification"
        if fits < _NO_FIT and scored is None:
            found.use(None, [_WHY_NOT] * len(asked))
            continue
        if scored is not None:
            (p, low, high), way = scored(here[bags == b]), "adaptive"
        elif not population:
            low, high = whole_documents(low, high, int(sizes[b]))
        numbers["share"][b] = p[asked]
        numbers["low"][b], numbers["high"][b] = (
            np.minimum(low, p)[asked],
            np.maximum(high, p)[asked],
        )
        found.use(way, [_WHY[way]] * len(asked))
    if not any(way for ways in found.used for way in ways):
        raise ValueError(_WHY_NOT)
    if any(_WHY_NOT in reasons for reasons in found.why):
        names = [str(judged.bag_names[b]) for b, own in enumerate(found.why) if _WHY_NOT in own]
        found.notes.append(f"nothing is said of {listed(names, most=5)}: {_WHY_NOT}")
    if scored is not None and population:
        found.notes.append("by scores, intervals are for these documents, not for the population")
    found.notes.extend(about_answers(question, judged.known))
    widths = numbers["high"] - numbers["low"]
    if not np.isnan(widths).all() and np.nanmin(widths) > _NOTHING:
        found.notes.append(
            "the intervals leave everything open: what the model says does not tell these classes "
            "apart where the truth is known; name another column of it, or draw a sample of this "
            "batch"
        )
    return found


def _by_scores(
    question: Question, known: Array, level: float
) -> Callable[[Array], tuple[Array, Array, Array]] | None:
    """A function that gives shares and bounds of documents by their scores; None without scores."""
    [first, *rest] = question.models
    if rest or not isinstance(first, Numbers) or len(set(question.truth.tolist())) < 2:
        return None
    if first.values.shape[1] not in (1, len(question.names)) or first.n_missing:
        return None
    if first.values.shape[1] == 1 and len(question.names) > 2:
        return None
    scores = first.values[:, 0] if first.values.shape[1] == 1 else first.values
    quantifier = AdaptiveCount(None).fit_scores(TrainingScores.given(scores[known], question.truth))

    def estimate(rows: Array) -> tuple[Array, Array, Array]:
        summary = quantifier.summarise(scores[rows])
        low, high = quantifier.interval(summary, level)
        return quantifier.aggregate(summary), low, high

    return estimate


def _refuse(question: Question, known: Array, here: Array) -> None:
    """Raise if something of the bags was never seen where the truth is known."""
    unseen = np.setdiff1d(np.arange(len(question.names)), question.truth)
    if len(unseen):
        names = listed([repr(question.names[k]) for k in unseen], most=5)
        raise ValueError(
            f"among the documents with a known truth, which are from elsewhere, none is {names}: "
            "how the model errs there cannot be known; label some, or draw a sample of this batch; "
            "or, if these are no classes but what a model says otherwise, name those that are"
        )
    if not len(here):
        raise ValueError(
            "the truth of all documents is known, so there is no batch to estimate; rows of the "
            "batch have no truth"
        )
    for model in question.models:
        where = f" of column {model.column!r}" if model.column else ""
        if isinstance(model, Answers):
            seen = np.zeros(len(model.names), dtype=bool)
            seen[model.codes[known]] = True
            unknown = ~seen[model.codes[here]]
            if unknown.mean() > _UNKNOWN:
                code = np.bincount(model.codes[here][unknown]).argmax()
                says = model.names[code]
                said = "no answer" if says is None else f"the answer {str(says)!r}"
                raise ValueError(
                    f"{percent(float(unknown.mean()))} of the batch has answers{where} that no "
                    f"document with a known truth has, such as {said}; label some of these"
                )
            continue
        low, high = np.nanmin(model.values[known], axis=0), np.nanmax(model.values[known], axis=0)
        with np.errstate(invalid="ignore"):
            beyond = ((model.values[here] < low) | (model.values[here] > high)).mean(axis=0)
        # Of documents of the same kind 2 / (n + 1) lie beyond, and four times as many seldom do.
        if beyond.max() > max(_OUTSIDE, 8 / (len(known) + 1)):
            number = counted(round(beyond.max() * len(here)), "document")
            raise ValueError(
                f"the scores{where} of {number} of the batch, {percent(float(beyond.max()))}, lie "
                "beyond all scores whose truth is known; label some of these"
            )
