"""A synthetic survey: weekly answers of a phone maker's customers, whose prevalences are known."""

import datetime
from collections.abc import Iterator
from typing import Literal

import numpy as np
import polars as pl

from quantext.datasets._survey_writer import (
    ANYTHING,
    CUSTOMER,
    MAX_TOPICS,
    NO_OPINION,
    NOTHING,
    Floats,
    Ints,
    pick,
    topic_names,
    writer,
)
from quantext.texts.corpus import Corpus

__all__ = ["expected_prevalence", "synthetic", "synthetic_weeks"]

Labels = Literal["topics", "sentiment"]

SENTIMENTS = ("negative", "neutral", "positive")  # numbered as the voices of sentences
FIRST_MONDAY = datetime.date(2024, 1, 1)

# Prevalences of topics stay within these.
LOWEST, HIGHEST = 0.005, 0.30

# Topics of an answer: P(1), ..., P(4) draws, some of which repeat another or name none.
DRAWS = np.array([0.20, 0.35, 0.30, 0.15])

# Sentences beyond those of its topics, P(0), ..., P(3), in an answer with 0, ..., 4 topics.
EXTRAS = np.array(
    [
        [0.00, 0.25, 0.45, 0.30],
        [0.15, 0.50, 0.35, 0.00],
        [0.40, 0.45, 0.15, 0.00],
        [0.70, 0.30, 0.00, 0.00],
        [1.00, 0.00, 0.00, 0.00],
    ]
)
MAX_SENTENCES = 4

# What an extra sentence is about, the first one and those that follow: nothing in particular, a
# topic outside the coding frame, a topic of the frame but only in passing, the customer.
OPINION, OUTSIDE, MENTION, REMARK = range(4)
EXTRA_KINDS = np.array(
    [
        [0.45, 0.30, 0.15, 0.10],
        [0.00, 0.45, 0.25, 0.30],
        [0.00, 0.45, 0.25, 0.30],
    ]
)

# One sentence has the sentiment of the answer; the other ones are mixed, by sentiment, like this.
VOICES = np.array([[0.60, 0.20, 0.20], [0.30, 0.40, 0.30], [0.15, 0.20, 0.65]])


def synthetic(
    n_documents: int = 20_000,
    *,
    n_topics: int = 12,
    weeks: int = 40,
    labels: Labels = "topics",
    seed: int = 0,
) -> Corpus:
    """Survey answers about a phone, in weekly bags whose prevalence drifts along known curves.

    Answers are as ambiguous as people are: topics of one area share their words, some are only
    hinted at, others named in passing, and there are mixed feelings, negation, sarcasm and typing
    errors. So a classifier errs, and counting what it says is biased once prevalences move.

    Prevalence is all that drifts: given its labels, an answer is worded alike in every week. (Given
    a single topic it is not quite: the topics beside it drift too.)

    Parameters
    ----------
    n_documents
        Size of the corpus, spread evenly over the weeks.
    n_topics
        Size of the coding frame, from 2 to 150. Answers speak of topics outside it as well.
    weeks
        Number of bags; the first week begins on Monday, 1 January 2024.
    labels
        ``"topics"`` gives each document a list of topics, which may be empty; ``"sentiment"`` gives
        it one of negative, neutral and positive. The one that is not asked for does not drift.
    seed
        Same seed, same corpus.

    See Also
    --------
    synthetic_weeks : The same week by week, in bounded memory.
    expected_prevalence : The curves.

    Examples
    --------
    >>> corpus = synthetic(2000, n_topics=3, weeks=4)
    >>> corpus.classes
    ('battery life', 'charging speed', 'delivery time')
    >>> corpus.periods.unique().sort()[1]
    datetime.date(2024, 1, 8)
    """
    weekly = synthetic_weeks(n_documents, n_topics=n_topics, weeks=weeks, labels=labels, seed=seed)
    parts = list(weekly)
    return Corpus(
        name=parts[0].name,
        texts=pl.concat([part.texts for part in parts]),
        labels=pl.concat([part.labels for part in parts if part.labels is not None]),
        periods=pl.concat([part.periods for part in parts if part.periods is not None]),
        classes=parts[0].classes,
    )


def synthetic_weeks(
    n_documents: int = 20_000,
    *,
    n_topics: int = 12,
    weeks: int = 40,
    labels: Labels = "topics",
    seed: int = 0,
) -> Iterator[Corpus]:
    """The corpus of `synthetic`, one week after the other.

    Examples
    --------
    >>> [len(week) for week in synthetic_weeks(1000, weeks=3)]
    [334, 333, 333]
    """
    _check(n_topics, weeks, labels)
    if n_documents < weeks:
        raise ValueError(
            f"n_documents={n_documents} leaves weeks empty; ask for {weeks} or more, or fewer weeks"
        )
    if seed < 0:
        raise ValueError(f"seed must not be negative, but is {seed}")
    return _generate(n_documents, n_topics, weeks, labels, seed)


def expected_prevalence(
    *, n_topics: int = 12, weeks: int = 40, labels: Labels = "topics"
) -> pl.DataFrame:
    """Prevalence with which each class of `synthetic` is drawn, one row per week.

    Columns are ``period`` and the classes, in the order of ``Corpus.classes``.

    Examples
    --------
    >>> curves = expected_prevalence(labels="sentiment")
    >>> curves.columns
    ['period', 'negative', 'neutral', 'positive']
    >>> curves["negative"][0], curves["negative"][-1]
    (0.2, 0.5)
    """
    _check(n_topics, weeks, labels)
    if labels == "topics":
        curves = dict(zip(topic_names()[:n_topics], _topic_curves(n_topics, weeks).T, strict=True))
    else:
        curves = dict(zip(SENTIMENTS, _sentiment_curves(weeks).T, strict=True))
    periods = [_monday(week) for week in range(weeks)]
    return pl.DataFrame({"period": periods} | {name: curves[name] for name in sorted(curves)})


def _check(n_topics: int, weeks: int, labels: str) -> None:
    if not 2 <= n_topics <= MAX_TOPICS:
        raise ValueError(f"n_topics must lie between 2 and {MAX_TOPICS}, but is {n_topics}")
    if weeks < 1:
        raise ValueError(f"weeks must be 1 or more, but is {weeks}")
    if labels not in ("topics", "sentiment"):
        raise ValueError(f"labels {labels!r} is unknown; choose one of topics, sentiment")


def _monday(week: int) -> datetime.date:
    return FIRST_MONDAY + datetime.timedelta(weeks=week)


def _topic_curves(n_topics: int, weeks: int) -> Floats:
    """Prevalence of each topic in each week: it moves between a low and a high of its own."""
    # Multiples of the golden ratio spread the common and the rare topics over the areas.
    rank = np.argsort(np.argsort(np.arange(n_topics) * 0.6180339887 % 1))
    rarity = rank / (n_topics - 1)
    # The longer the frame, the steeper: an answer has one or two topics, whatever their number.
    high = HIGHEST * (2 * LOWEST / HIGHEST) ** (rarity ** (36 / n_topics))
    low = np.maximum(LOWEST, high / 4)

    t = np.linspace(0.0, 1.0, weeks)[:, None]
    rise = t * t * (3 - 2 * t)
    wave = (1 - np.cos(4 * np.pi * t)) / 2
    outbreak = np.exp(-(((t - (0.35 + 0.5 * rarity)) / 0.12) ** 2))
    height = np.choose(rank % 5, [rise, 1 - rise, wave, outbreak, 0.5])
    curves: Floats = low * (high / low) ** height
    return curves


def _sentiment_curves(weeks: int) -> Floats:
    """Prevalence of each sentiment in each week: good will wanes, indifference comes and goes."""
    t = np.linspace(0.0, 1.0, weeks)
    negative = 0.2 + 0.3 * t * t * (3 - 2 * t)
    neutral = 0.25 - 0.1 * np.sin(2 * np.pi * t)
    return np.column_stack([negative, neutral, 1 - negative - neutral])


def _generate(
    n_documents: int, n_topics: int, weeks: int, labels: Labels, seed: int
) -> Iterator[Corpus]:
    names, write = topic_names()[:n_topics], writer()
    topic_curves, sentiment_curves = _topic_curves(n_topics, weeks), _sentiment_curves(weeks)
    usual = topic_curves.mean(axis=0)
    if labels == "topics":
        sentiment_curves[:] = sentiment_curves.mean(axis=0)
    else:
        topic_curves[:] = usual
    draw_curves = _draw_probability(topic_curves)

    for week in range(weeks):
        # Each week has a stream of its own, so that it does not depend on the weeks before it.
        rng = np.random.default_rng([seed, week])
        n = n_documents // weeks + (week < n_documents % weeks)
        topics = _draw_topics(rng, n, draw_curves[week])
        sentiment = pick(rng, np.broadcast_to(sentiment_curves[week], (n, len(SENTIMENTS))))
        subjects, voices = _plan(rng, topics, sentiment, usual)
        yield Corpus(
            name="synthetic",
            texts=write(rng, subjects, voices),
            labels=(
                _topic_lists(topics, names)
                if labels == "topics"
                else pl.Series(SENTIMENTS).gather(sentiment)
            ),
            periods=pl.repeat(_monday(week), n, eager=True),
            classes=tuple(names) if labels == "topics" else SENTIMENTS,
        )


def _draw_probability(prevalence: Floats) -> Floats:
    """Probability q of a topic in one draw, such that an answer has it with the given prevalence.

    An answer lacks the topic if every draw misses it: 1 − p = G(1 − q), G(x) = Σ P(k draws) xᵏ.
    """
    x = np.linspace(0.0, 1.0, 10_001)
    G = sum(p * x**k for k, p in enumerate(DRAWS, start=1))
    return 1 - np.interp(1 - prevalence, G, x)


def _draw_topics(rng: np.random.Generator, n: int, q: Floats) -> Ints:
    """Distinct topics of n answers; NOTHING fills the rows."""
    drawn = np.searchsorted(np.cumsum(q), rng.random((n, len(DRAWS))), side="right")
    n_draws = 1 + rng.choice(len(DRAWS), size=(n, 1), p=DRAWS)
    drawn[(drawn == len(q)) | (np.arange(len(DRAWS)) >= n_draws)] = NOTHING
    drawn.sort(axis=1)
    drawn[:, 1:][drawn[:, 1:] == drawn[:, :-1]] = NOTHING
    return drawn


def _topic_lists(topics: Ints, names: list[str]) -> pl.Series:
    name_of = pl.Series(names).extend_constant(None, NOTHING + 1 - len(names))
    columns = [name_of.gather(topics[:, i]) for i in range(topics.shape[1])]
    return pl.select(pl.concat_list(columns).list.drop_nulls()).to_series()


def _plan(
    rng: np.random.Generator, topics: Ints, sentiment: Ints, usual: Floats
) -> tuple[Ints, Ints]:
    """Subject and voice of each sentence, given topics and sentiment of the answer alone."""
    n, n_topics = len(topics), len(usual)
    n_own = (topics != NOTHING).sum(axis=1)
    kinds = pick(rng, np.broadcast_to(EXTRA_KINDS, (n, *EXTRA_KINDS.shape)))
    # An answer without topics has an opinion all the same.
    kinds[(n_own == 0) & (kinds[:, 0] > OUTSIDE), 0] = OUTSIDE
    if n_topics == MAX_TOPICS:
        kinds = np.where(kinds == OUTSIDE, [OPINION, REMARK, REMARK], kinds)

    outside = rng.integers(min(n_topics, MAX_TOPICS - 1), MAX_TOPICS, size=kinds.shape)
    mentions = np.searchsorted(np.cumsum(usual)[:-1], rng.random(kinds.shape) * usual.sum())
    # Nobody says of the same thing that they love it and that they have not tried it.
    mentions[(mentions[:, :, None] == topics[:, None, :]).any(axis=2)] = CUSTOMER
    extras = np.choose(kinds, [ANYTHING, outside, mentions, CUSTOMER])
    extras[np.arange(extras.shape[1]) >= pick(rng, EXTRAS[n_own])[:, None]] = NOTHING

    subjects = np.hstack([topics, extras])
    opinionated = np.hstack([topics != NOTHING, (extras != NOTHING) & (kinds < MENTION)])
    voices = pick(rng, np.repeat(VOICES[sentiment][:, None], subjects.shape[1], axis=1))
    first = np.cumsum(opinionated, axis=1) == 1
    voices = np.where(first | (subjects == ANYTHING), sentiment[:, None], voices)
    voices[~opinionated] = NO_OPINION

    places = rng.random(subjects.shape) + (subjects == NOTHING)
    order = np.argsort(places, axis=1)[:, :MAX_SENTENCES]
    return np.take_along_axis(subjects, order, axis=1), np.take_along_axis(voices, order, axis=1)
