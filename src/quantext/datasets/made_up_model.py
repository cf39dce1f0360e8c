"""Labels and scores of a model that does not exist, with error rates that are known."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from quantext.datasets._survey_writer import pick

__all__ = ["GUESSER", "PESSIMIST", "ErrorRates", "made_up_labels", "made_up_scores"]

# What is so, then what the model says of it and how often. None: it gives no answer.
ErrorRates = Mapping[str, Mapping[str | None, float]]

# Hears complaints where there are none. Where 35% are negative, 25% neutral and 40% positive, it
# says "negative" of 0.35·0.90 + 0.25·0.30 + 0.40·0.14 = 45%.
PESSIMIST: ErrorRates = {
    "negative": {"negative": 0.90, "neutral": 0.05, "positive": 0.03, None: 0.02},
    "neutral": {"negative": 0.30, "neutral": 0.62, "positive": 0.05, None: 0.03},
    "positive": {"negative": 0.14, "neutral": 0.08, "positive": 0.76, None: 0.02},
}

# Knows little, and gives no answer more often.
GUESSER: ErrorRates = {
    "negative": {"negative": 0.65, "neutral": 0.15, "positive": 0.15, None: 0.05},
    "neutral": {"negative": 0.35, "neutral": 0.35, "positive": 0.25, None: 0.05},
    "positive": {"negative": 0.30, "neutral": 0.15, "positive": 0.50, None: 0.05},
}

# What is drawn has a stream of its own, apart from those of a survey of the same seed.
LABELS, SCORES, SAMPLE = range(3)

# Doubt, from 0 to 1, is distributed like this (a and b of Beta) where the model is right and where
# it errs: 0.25 and 0.5 in the mean.
DOUBT_IF_RIGHT, DOUBT_IF_WRONG = (1.0, 3.0), (2.0, 2.0)


def made_up_labels(
    truth: pl.Series | Sequence[str], rates: ErrorRates, *, seed: int = 0
) -> pl.Series:
    """What the model says of each document; null where it gives no answer.

    It looks at the class alone: its error rates are the same in every week, whatever the wording.

    Parameters
    ----------
    truth
        The class of each document.
    rates
        For each class, how often the model says what of its documents; a row sums to 1. The key
        None is no answer. It may say what is no class (``"mixed"``, say). `PESSIMIST` and `GUESSER`
        are rates for the sentiments of `synthetic`.
    seed
        Same seed, same labels. Models whose errors are not to go together need different ones.

    Examples
    --------
    >>> made_up_labels(["negative"] * 4, GUESSER, seed=3).to_list()
    ['negative', 'negative', 'positive', 'negative']

    How often `PESSIMIST` says negative, neutral, positive and nothing, by what is so:

    >>> for name, row in PESSIMIST.items():
    ...     print(f"{name:8}", *row.values())
    negative 0.9 0.05 0.03 0.02
    neutral  0.3 0.62 0.05 0.03
    positive 0.14 0.08 0.76 0.02

    And `GUESSER`, which knows less:

    >>> for name, row in GUESSER.items():
    ...     print(f"{name:8}", *row.values())
    negative 0.65 0.15 0.15 0.05
    neutral  0.35 0.35 0.25 0.05
    positive 0.3 0.15 0.5 0.05
    """
    classes = pl.Series(truth, dtype=pl.String)
    _check(classes, rates)
    says = list(dict.fromkeys(said for row in rates.values() for said in row))
    table = np.array([[row.get(said, 0.0) for said in says] for row in rates.values()])
    number = classes.replace_strict(list(rates), range(len(rates)), return_dtype=pl.Int64)
    said = pick(stream(seed, LABELS), table[number.to_numpy()])
    return pl.Series("model", says, dtype=pl.String).gather(said)


def made_up_scores(
    truth: pl.Series | Sequence[str], labels: pl.Series, of: str, *, seed: int = 0
) -> pl.Series:
    """How sure the model says it is, from 0 to 1, that a document is of one class; null if silent.

    Scores are above one half just where the model says that class, and nearer to it where that is
    wrong: they tell more than labels do. They are as biased as the labels, no probabilities.

    Parameters
    ----------
    truth
        The class of each document.
    labels
        What the model says, as `made_up_labels` gives it.
    of
        The class whose scores are wanted.
    seed
        Same seed, same scores.

    Examples
    --------
    >>> truth = ["negative", "negative", "positive", "positive"]
    >>> labels = pl.Series(["negative", "neutral", "negative", None])
    >>> made_up_scores(truth, labels, "negative").to_list()
    [0.72, 0.27, 0.89, None]
    """
    rng = stream(seed, SCORES)
    is_so = (pl.Series(truth, dtype=pl.String) == of).to_numpy()
    said_so = (labels == of).fill_null(value=False).to_numpy()
    n = len(labels)
    right, wrong = rng.beta(*DOUBT_IF_RIGHT, size=n), rng.beta(*DOUBT_IF_WRONG, size=n)
    # In hundredths, as models are asked for, and never one half, which would say nothing.
    doubt = np.minimum(np.floor(50 * np.where(is_so == said_so, right, wrong)), 49) / 100
    scores = pl.Series("model_score", np.where(said_so, 1 - doubt, doubt)).round(2)
    return pl.select(pl.when(labels.is_not_null()).then(scores)).to_series()


def stream(seed: int, of_what: int) -> np.random.Generator:
    """Random numbers for labels, scores or a sample."""
    if seed < 0:
        raise ValueError(f"seed must not be negative, but is {seed}")
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(of_what,)))


def _check(classes: pl.Series, rates: ErrorRates) -> None:
    for name, row in rates.items():
        if not math.isclose(sum(row.values()), 1, abs_tol=1e-9) or min(row.values()) < 0:
            raise ValueError(
                f"rates of {name!r} must be 0 or more and sum to 1, but are {list(row.values())}; "
                "give what is missing to None, no answer"
            )
    unknown = [name for name in classes.unique(maintain_order=True) if name not in rates]
    if unknown:
        raise ValueError(
            f"rates have no row for {unknown[0]!r}, which documents have; "
            f"they have rows for {', '.join(rates)}"
        )
