"""Comparison: which method is best on labelled data of one's own, found by an experiment on it."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.experiments.configuration import configure, make_methods
from quantext.experiments.folder import read_frame
from quantext.experiments.protocols import PREVALENCES, Bag, Split, artificial_prevalence, by_period
from quantext.experiments.recommendation import Recommendation, recommend, tabulate
from quantext.experiments.results import REFERENCE, asks_for_all, with_errors
from quantext.experiments.run import FailedTasksError, run
from quantext.experiments.tasks import Task, tasks_of_training
from quantext.progress import Progress, silent
from quantext.quantifiers import Quantifier
from quantext.texts.corpus import Corpus
from quantext.texts.periods import Period, truncate
from quantext.vectors.ltc import LtcVectorizer
from quantext.wording import listed

__all__ = [
    "COMPARED",
    "Comparison",
    "compare",
    "split_at_random",
    "split_by_period",
]

COMPARED = ("Adaptive", "SVM(KLD)", "CC", "PCC", "ACC", "PACC", "EMQ", REFERENCE)
"""Methods that are compared by default: one of each kind, and the yardstick."""

FEW = 30  # test sets that prove little

_BAG = 100  # documents that are drawn for a bag, if there are enough
_DRAWS = 10  # bags of each class and prevalence


@dataclass(frozen=True, eq=False)
class Comparison:
    """How each method did, and which to take.

    Parameters
    ----------
    table
        A row for each method, see `tabulate`.
    recommendation
        Which to take.
    protocol
        How it was found out, in words.
    notes
        What may make it worth less than it looks, a sentence each.
    failures
        What went wrong, by the name of the task; the table is about the others.
    """

    table: pl.DataFrame
    recommendation: Recommendation
    protocol: str
    notes: tuple[str, ...]
    failures: Mapping[str, str]


def compare(
    corpus: Corpus,
    out: Path | str,
    *,
    period: Period | None = None,
    train_until: date | str | None = None,
    train_share: float | None = None,
    min_size: int = 30,
    methods: Sequence[str] | Mapping[str, Quantifier] = COMPARED,
    vectorizer: LtcVectorizer | None = None,
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress = silent,
) -> Comparison:
    """How well each method does on a corpus, and a recommendation.

    What is measured is what `train` would fit: where a document has one class, all classes at once;
    where it may have several, each by itself or, by methods that look at labels together, all
    labels at once. If the corpus has periods, methods are trained on the first and tested on the
    later ones; if not, on bags of artificial prevalence.

    Parameters
    ----------
    corpus
        Documents with labels.
    out
        Folder of the experiment. If it was stopped, it goes on.
    period, train_until, train_share, min_size
        As in `split_by_period`.
    methods
        Names or aliases, or unfitted quantifiers by name. The training prevalence is always there
        too.
    vectorizer
        Makes vectors of texts; `LtcVectorizer` with its defaults by default.
    seed
        Of all that is random.
    jobs, progress
        As in `run`.

    Raises
    ------
    FailedTasksError
        When all tasks failed, or those of all methods but the training prevalence.
    """
    quantifiers = _quantifiers(methods, seed)
    if list(quantifiers) == [REFERENCE]:
        raise ValueError(f"there is nothing to compare with {REFERENCE!r}; name another method")
    tasks = tasks_of_training(corpus)
    if corpus.periods is None:
        if (period, train_until, train_share) != (None, None, None):
            raise ValueError("without dates, there are no periods to train on or to test on")
        split, protocol = split_at_random(corpus, seed=seed)
    else:
        split, protocol = split_by_period(
            corpus,
            period=period,
            train_until=train_until,
            train_share=train_share,
            min_size=min_size,
        )
    failures: Mapping[str, str] = {}
    try:
        results = run(
            corpus,
            split,
            out,
            methods=quantifiers,
            tasks=tasks,
            vectorizer=vectorizer,
            seed=seed,
            jobs=jobs,
            progress=progress,
            about={"unit": period, "seed": seed},
        )
    except FailedTasksError as error:
        finished = error.folder / "results.parquet"
        if not finished.exists():
            raise
        results, failures = read_frame(finished), error.failures
        if set(results["method"]) <= {REFERENCE}:
            raise
    results = with_errors(results)
    table = tabulate(results)
    notes = [*corpus.notes, *split.notes, *_cautions(tasks, quantifiers, results, failures)]
    return Comparison(table, recommend(table), protocol, tuple(notes), failures)


def _quantifiers(
    methods: Sequence[str] | Mapping[str, Quantifier], seed: int
) -> dict[str, Quantifier]:
    """Unfitted quantifiers by name, that of the training prevalence among them."""
    names = [] if isinstance(methods, Mapping) else methods
    settings = {"corpus": "table", "methods": [*names, REFERENCE], "seed": seed}
    named = make_methods(configure(settings))
    return named | dict(methods) if isinstance(methods, Mapping) else named


def _cautions(
    tasks: Sequence[Task],
    methods: Iterable[str],
    results: pl.DataFrame,
    failures: Mapping[str, str],
) -> Iterator[str]:
    """What may make the comparison worth less than it looks."""
    compared = set(results["method"])
    if absent := [name for name in methods if name not in compared]:
        yield f"not compared, because training failed: {listed(absent)}"
    missing = len({task.name for task in tasks} - set(results["task"]) - set(failures))
    if missing:
        yield (
            f"{missing:,} of {len(tasks):,} classes are not compared: they lack documents to train "
            "on or to test on"
        )
    if untrained := results.filter(pl.col("p_train") == 0)["asked"].n_unique():
        yield (
            f"{untrained:,} of {results['asked'].n_unique():,} classes have no documents to train "
            "on: every method estimates them as 0"
        )
    test_sets = results.select("task", "bag").n_unique()
    if test_sets < FEW:
        what = "all classes in a bag" if asks_for_all(results) else "a class in a bag"
        yield f"there are {test_sets} test sets only ({what}): take this as a hint"


# How it is tested --------------------------------------------------------------------------------


def split_by_period(
    corpus: Corpus,
    *,
    period: Period | None = None,
    train_until: date | str | None = None,
    train_share: float | None = None,
    min_size: int = 30,
) -> tuple[Split, str]:
    """Training documents of the first periods and a bag for each later one, and this in words.

    Parameters
    ----------
    corpus
        With periods.
    period
        What dates are truncated to. By default, periods as the corpus has them.
    train_until
        The first day, or name of a period, that is no longer training data.
    train_share
        Share of the periods to train on, instead; a third by default.
    min_size
        Periods with fewer documents make no bag.
    """
    assert corpus.periods is not None
    if train_until is not None:
        if train_share is not None:
            raise ValueError("say how far the training data goes once: until when, or which share")
        split = by_period(corpus, train_until=train_until, by=period, min_size=min_size)
    else:
        share = 1 / 3 if train_share is None else train_share
        if not 0 < share < 1:
            raise ValueError(f"the share of periods to train on is {share:g}, not between 0 and 1")
        periods = corpus.periods
        if period is not None and periods.dtype == pl.Date:
            periods = truncate(periods, period)
        n = periods.n_unique()
        if n < 2:
            raise ValueError(
                f"corpus {corpus.name!r} has one period only; there must be one to train on and "
                "one to test on, so divide time more finely or compare without dates"
            )
        first = min(max(round(share * n), 1), n - 1)
        split = by_period(corpus, train_periods=first, by=period, min_size=min_size)
    sizes = [len(bag) for bag in split.bags]
    bags = f"{len(sizes):,} later {'period' if len(sizes) == 1 else 'periods'}"
    last = f" to {split.bags[-1].name}" if len(sizes) > 1 else ""
    return split, (
        f"Trained on the {len(split.train):,} documents before {split.bags[0].name}, tested on "
        f"{bags} ({split.bags[0].name}{last}) with {np.mean(sizes):,.0f} documents on average."
    )


def split_at_random(
    corpus: Corpus, *, prevalences: Sequence[float] = PREVALENCES, seed: int = 0
) -> tuple[Split, str]:
    """One half of the documents to train on, bags drawn from the other, and this in words.

    The halves have equally many documents of each class, as far as possible. Bags are drawn for
    each class at all of the prevalences that it has enough documents for, with documents of the
    other classes as they come; where a document has one class, all of them are bags of the task of
    all classes.

    Parameters
    ----------
    corpus
        With labels.
    prevalences
        Of the bags.
    seed
        Same seed, same halves and bags.
    """
    y = corpus.indicator
    train, test = _halves(y, seed)
    size = min(_BAG, len(test) // 2)
    whole = Split(train, (Bag("the other half", test),))
    bags: list[Bag] = []
    asked = [(task, place) for task in tasks_of_training(corpus) for place in task.classes]
    for task, place in asked:
        has_class = y[:, place]
        positives = int(has_class[test].sum())
        enough = [
            prevalence
            for prevalence in prevalences
            for wanted in [math.floor(size * prevalence + 0.5)]
            if 1 <= wanted <= positives and size - wanted <= len(test) - positives
        ]
        if enough:
            [drawn] = artificial_prevalence(
                whole, has_class, prevalences=enough, repeats=_DRAWS, size=size, seed=seed
            )
            whose = f"{corpus.classes[place]}: " if len(task.classes) > 1 else ""
            bags += [Bag(f"{whose}{bag.name}", bag.indices, task.name) for bag in drawn.bags]
    if not bags:
        raise ValueError(
            f"corpus {corpus.name!r} has {len(corpus):,} documents with labels; that is too few to "
            "draw bags from"
        )
    return replace(whole, bags=tuple(bags)), (
        "Without a column of dates (--by), shares were moved artificially. Trained on a random "
        f"half, {len(train):,} documents; tested on bags of {size} drawn from the other half, "
        f"{_DRAWS} for each class at each share from {min(prevalences):.0%} to "
        f"{max(prevalences):.0%} that it has enough documents for. Real shares seldom "
        "move that far, so this favours methods that correct for it. Whether yours move at all, "
        "only dates can tell."
    )


def _halves(y: NDArray[np.bool_], seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Two halves of the documents, at random, with equally many of each class where possible."""
    counts = y.sum(axis=0)
    # Every second document, when those whose rarest class is the same stand together.
    rarest = np.where(y, counts, len(y) + 1).argmin(axis=1)
    group = np.where(y.any(axis=1), rarest, -1)
    order = np.lexsort((np.random.default_rng(seed).random(len(y)), group))
    return np.sort(order[::2]), np.sort(order[1::2])
