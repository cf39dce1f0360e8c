"""How much truths vary once a model's word is known: from known truths, or from what is assumed."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.models.allocation import Spread
from quantext.models.judged import Judged, Question, label_sets
from quantext.models.strata import Strata
from quantext.scores.crossfit import cross_fit
from quantext.vectors.answers import Answers, Numbers

__all__ = ["spread_assumed", "spread_from_truths"]

Array = NDArray[Any]

_LIKE_ALL = 1.0  # documents, which vary as all do, that are added to the known ones of a stratum


def spread_from_truths(judged: Judged, strata: Strata, seed: int) -> Spread:
    """Spread as the known truths show it, P(class | answer) (1 - P) in the mean of each stratum.

    A stratum of which few truths are known is taken to vary more like all documents.

    Parameters
    ----------
    judged
        All documents.
    strata
        Of the same.
    seed
        Of folds.
    """
    spreads = [_of_question(judged, question, strata, seed) for question in judged.questions]
    return Spread(
        tuple(name for own in spreads for name in own.classes),
        np.concatenate([own.whole for own in spreads]),
        np.hstack([own.within for own in spreads]),
    )


def _of_question(judged: Judged, question: Question, strata: Strata, seed: int) -> Spread:
    """Spread of the classes that are asked for."""
    known, sizes = judged.known, np.maximum(strata.sizes, 1)
    posteriors = cross_fit(question.models, known, question.truth, len(question.names), seed)
    left = posteriors.values * (1 - posteriors.values)
    means = [np.bincount(strata.codes, own[posteriors.rows], len(strata)) / sizes for own in left.T]
    shares = np.bincount(posteriors.rows, minlength=len(left)) @ posteriors.values / len(judged)
    shares = (len(known) * shares + 1) / (len(known) + 2)  # Laplace's, for those never seen
    whole = shares * (1 - shares)
    seen = strata.counts(known)[:, None]
    within = (seen * np.column_stack(means) + _LIKE_ALL * whole) / (seen + _LIKE_ALL)
    asked = list(question.asked)
    return Spread(tuple(question.names[k] for k in asked), whole[asked], within[:, asked])


def spread_assumed(
    models: Sequence[Answers | Numbers],
    strata: Strata,
    correlation: float,
    separator: str | None = None,
) -> Spread:
    """Spread if the model's word has this correlation with the truth in each class.

    The share of each class is taken to be what the model says it is, and a label to be right with
    that probability and otherwise a class by chance, which gives just that correlation. Of a model
    that gives scores nothing of this is known: one of two classes, and all strata vary alike.

    Parameters
    ----------
    models
        What each says of all documents; the first that gives labels counts.
    strata
        Of the same documents.
    correlation
        From 0 to 1.
    separator
        What stands between the labels of a document, if it may have several.

    Examples
    --------
    >>> from quantext.models.strata import strata_by_models
    >>> says = [Answers(np.array([0, 0, 0, 1]), ("ham", "spam"))]
    >>> spread = spread_assumed(says, strata_by_models(says), 0.8)
    >>> spread.whole.tolist(), spread.within.round(4)[:, 1].tolist()  # .05 × .95, .85 × .15
    ([0.1875, 0.1875], [0.0475, 0.1275])
    """
    labels = next((model for model in models if isinstance(model, Answers)), None)
    names, means_label = ((), np.zeros((0, 0))) if labels is None else _meanings(labels, separator)
    if labels is None or len(names) < (2 if separator is None else 1):
        left = 0.25 * (1 - correlation**2)
        return Spread(("one of two",), np.array([0.25]), np.full((len(strata), 1), left))
    answered = np.array([name is not None for name in labels.names])
    counts = np.bincount(labels.codes, minlength=len(labels.names))[answered]
    shares = counts @ means_label[answered] / counts.sum()
    table = correlation * means_label + (1 - correlation) * shares
    table[~answered] = shares
    left = table * (1 - table)
    sizes = np.maximum(strata.sizes, 1)
    means = [np.bincount(strata.codes, own[labels.codes], len(strata)) / sizes for own in left.T]
    return Spread(names, shares * (1 - shares), np.column_stack(means))


def _meanings(answers: Answers, separator: str | None) -> tuple[tuple[str, ...], Array]:
    """Labels, and whether each answer (row) has each of them."""
    if separator is None:
        names = tuple(str(name) for name in answers.names if name is not None)
        return names, np.eye(len(answers.names))[:, : len(names)]
    sets = label_sets(answers, separator)
    names = tuple(sorted(frozenset().union(*(own for own in sets if own))))
    rows = [[own is not None and name in own for name in names] for own in sets]
    return names, np.array(rows, dtype=np.float64).reshape(len(sets), len(names))
