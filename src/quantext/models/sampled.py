"""Shares of bags of which a sample has a known truth, made more precise by a model's word."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quantext.models.found import Found, decide, named_classes, nothing_found, possible
from quantext.models.judged import Judged, Question
from quantext.models.reasons import (
    HANDFUL,
    about_answers,
    about_batches,
    why_gold,
    why_nothing,
    why_powered,
)
from quantext.quantifiers.correction import correct
from quantext.quantifiers.intervals import whole_documents
from quantext.quantifiers.misclassified import rates_of
from quantext.quantifiers.powered import (
    Sample,
    design_effects,
    moments,
    powered,
    tune,
    tune_for_population,
)
from quantext.quantifiers.sample_bounds import group_bounds, wilson
from quantext.scores.crossfit import Posteriors, as_given, cross_fit
from quantext.vectors.answers import Answers, read_answers

__all__ = ["Drawing", "Reading", "from_sample", "read_drawing"]

Array = NDArray[Any]
Reading = Literal["learned", "given"]


@dataclass(frozen=True)
class Drawing:
    """How the documents with a known truth were drawn; an entry for each of them.

    Parameters
    ----------
    chances
        Probability with which it was drawn.
    clusters, strata
        Numbers of its cluster and of its stratum; None: there are none.
    lacking
        Bags of which some stratum was not drawn from, or whose known truths are of one cluster.
    """

    chances: NDArray[np.float64]
    clusters: NDArray[np.int64] | None = None
    strata: NDArray[np.int64] | None = None
    lacking: frozenset[int] = frozenset()

    def sample(self, truth: Array, said: Array, kinds: Array, rows: Any = slice(None)) -> Sample:
        """Some of the documents, as they were drawn."""
        groups = (None if own is None else own[rows] for own in (self.clusters, self.strata))
        return Sample(truth[rows], said[rows], kinds[rows], self.chances[rows], *groups)


def read_drawing(judged: Judged, chances: Any, strata: Any, clusters: Any) -> Drawing:
    """How the documents with a known truth were drawn.

    Parameters
    ----------
    judged
        All documents.
    chances
        Probability with which each document with a known truth was drawn; None: all of a bag, or of
        a stratum of it, had the same.
    strata, clusters
        What each document is of; None: nothing.
    """
    known, bags = judged.known, judged.bags
    groups = None if clusters is None else _numbers(clusters, judged, "cluster")[known]
    alone: frozenset[int] = frozenset()
    if groups is not None:
        if len(np.unique(groups)) < 2:
            raise ValueError("all documents with a known truth are of one cluster; two are needed")
        pairs = np.unique(np.column_stack([bags[known], groups]), axis=0)
        clusters_of = np.bincount(pairs[:, 0], minlength=len(judged.bag_names))
        alone = frozenset(np.flatnonzero(clusters_of == 1).tolist())
    if chances is not None:
        if strata is not None:
            raise ValueError("give either probabilities or strata, from which these follow")
        return Drawing(_chances(chances, judged), groups, None, alone)
    if strata is None:
        drawn = np.bincount(bags[known], minlength=len(judged.bag_names))
        return Drawing((drawn / np.maximum(judged.sizes, 1))[bags[known]], groups, None, alone)
    own = _numbers(strata, judged, "stratum")
    numbers = int(own.max()) + 1
    cells, cell_of = np.unique(bags * numbers + own, return_inverse=True)
    total = np.bincount(cell_of)
    drawn = np.bincount(cell_of[known], minlength=len(cells))
    lacking = frozenset((cells[drawn == 0] // numbers).tolist())
    if len(lacking) == len(judged.bag_names):
        cell = int(np.argmax(drawn == 0))
        name = read_answers(strata).names[int(cells[cell]) % numbers]
        raise ValueError(
            f"no document of the stratum {name!r}, which has {total[cell]:,}, has a known truth; "
            "label some of each stratum, or leave strata out"
        )
    return Drawing((drawn / total)[cell_of[known]], groups, cell_of[known], lacking | alone)


def _numbers(values: Any, judged: Judged, what: str) -> Array:
    answers = read_answers(values, what)
    if len(answers) != len(judged):
        raise ValueError(f"there are {len(answers)} values of the {what} for {len(judged)} rows")
    return answers.codes


def _chances(values: Any, judged: Judged) -> Array:
    chances = np.asarray(values, dtype=np.float64)
    if chances.shape != (len(judged),):
        raise ValueError(
            f"there are {chances.size} probabilities for {len(judged)} documents; give one for "
            "each, blank where the truth is not known"
        )
    own = chances[judged.known]
    if not (fine := (own > 0) & (own <= 1)).all():
        row = int(judged.known[int(np.argmin(fine))])
        raise ValueError(
            f"the document of row {row} (counting from 0) has a known truth, but {chances[row]:g} "
            "is not the probability with which it was drawn: that is above 0 and at most 1"
        )
    return own


def from_sample(
    judged: Judged,
    question: Question,
    drawing: Drawing,
    *,
    level: float,
    population: bool,
    reading: Reading,
    seed: int,
) -> Found:
    """Shares in every bag.

    Parameters
    ----------
    judged
        All documents.
    question
        What is asked.
    drawing
        How documents with a known truth were drawn.
    level
        Of the intervals.
    population
        Whether the shares asked for are those in what each bag was drawn from.
    reading
        What the model says: as learned from the known truths, or as given.
    seed
        Of folds.
    """
    K, known, n_bags = len(question.names), judged.known, len(judged.bag_names)
    posteriors = _posteriors(question, known, reading, seed)
    truth, own_bags = np.eye(K, dtype=bool)[question.truth], judged.bags[known]
    kinds = posteriors.rows[known]
    whole = drawing.sample(truth, posteriors.own, kinds)
    power = tune(whole, own_bags)
    if population:
        every = np.bincount(posteriors.rows, minlength=len(posteriors.values))
        power = tune_for_population(whole, posteriors.values, every)
    usefulness = _Usefulness.of(whole, own_bags, power)
    tuned, power = power, power if usefulness.helps else 0.0
    n_gold = np.bincount(own_bags, minlength=n_bags)
    found = nothing_found(question, n_gold, judged.sizes)
    asked, numbers = list(question.asked), found.numbers
    numbers["raw"][:] = question.raw(judged.bags, n_bags)[:, asked]
    decided, decided_known = decide(question, posteriors, known)
    named = named_classes(question, posteriors)
    table = np.zeros((K, K))
    np.add.at(table, (decided_known, question.truth), 1)
    rates = rates_of(table)
    for b, (own_kinds, counts) in enumerate(_tallies(posteriors, judged)):
        size = int(counts.sum())
        put = np.bincount(decided[own_kinds], counts, K) / size
        numbers["misclassification"][b] = correct(rates, put)[asked]
        if n_gold[b] < HANDFUL or b in drawing.lacking:
            reason = why_nothing(int(n_gold[b]), b in drawing.lacking)
            found.use(None, [reason] * len(asked))
            continue
        values = posteriors.values[own_kinds]
        places = np.searchsorted(own_kinds, kinds)
        sample = drawing.sample(truth, posteriors.own, places, own_bags == b)
        mean = _mean_said(sample, values, counts, population)
        share = possible(powered(sample, mean, power))
        low, high = _bounds(
            sample, values, counts, asked, named[own_kinds], power, level, population
        )
        if not population:
            seen = sample.truth.sum(axis=0)
            low = np.maximum(low, seen / size)
            high = np.minimum(high, 1 - (len(sample) - seen) / size)
            low, high = whole_documents(low, high, size)
        # Of a class that was never seen the sample says how much there may be beside the share.
        high = np.where(sample.truth.any(axis=0), high, np.minimum(share + high, 1.0))
        low, high = np.minimum(low, share), np.maximum(high, share)
        effective = sample.size * usefulness.gains
        both = possible(powered(sample, mean, tuned))
        columns = {"gold": sample.shares, "ppi": both, "share": share, "low": low, "high": high}
        columns |= {"correlation": usefulness.correlations, "effective": effective}
        for name, values in columns.items():
            numbers[name][b] = values[asked]
        numbers["weight"][b] = power
        found.use("ppi" if power else "gold", [usefulness.why(sample, k) for k in asked])
    if not any(way for ways in found.used for way in ways):
        raise ValueError(
            f"no batch has {HANDFUL} documents with a known truth, so nothing can be said of any; "
            "label more of them (`quantext plan` chooses which), or do not divide them into batches"
        )
    found.notes.extend(about_answers(question, known))
    found.notes.extend(about_batches(judged, n_gold, drawing.lacking))
    found.as_good.extend(() if power > 0 else found.classes)
    found.unseen.extend(question.names[k] for k in asked if not truth[:, k].any())
    return found


def _tallies(posteriors: Posteriors, judged: Judged) -> Iterator[tuple[Array, Array]]:
    """For each bag, the posteriors that its documents have, by number, and how many have each."""
    order = np.argsort(judged.bags, kind="stable")
    for own in np.split(posteriors.rows[order], np.cumsum(judged.sizes)[:-1]):
        if len(posteriors.values) > len(own):
            yield np.unique(own, return_counts=True)
            continue
        counts = np.bincount(own)  # without sorting
        kinds = np.flatnonzero(counts)
        yield kinds, counts[kinds]


def _mean_said(sample: Sample, values: Array, counts: Array, population: bool) -> Array:
    """Mean posterior of the bag's documents, of whom those of the sample have their own.

    Of PPI++: only of the documents whose truth is not known, which are like all of them if all had
    the same chance to be drawn.
    """
    others = counts - np.bincount(sample.kinds, minlength=len(counts))
    if not others.any():
        return np.asarray(sample.weights @ sample.posteriors)
    if population and np.ptp(sample.chances) < 1e-9:
        return np.asarray(others @ values / others.sum())
    return np.asarray((sample.posteriors.sum(axis=0) + others @ values) / counts.sum())


@dataclass(frozen=True)
class _Usefulness:
    """How much the model's word tells of the truth, by class."""

    helps: bool
    correlations: Array
    gains: Array
    n: int

    @classmethod
    def of(cls, sample: Sample, bags: Array, power: float) -> "_Usefulness":
        """How much it tells if that much of it is added."""
        covariance, truth, said = moments(sample, bags)
        left = truth - 2 * power * covariance + power**2 * said
        exact = left <= 1e-12
        gains = np.where(exact, np.nan, truth / np.where(exact, 1.0, left))
        overall = float(_correlation(covariance.sum(), truth.sum(), said.sum()))
        helps = power > 0 and overall > 1 / np.sqrt(max(len(sample) - 2, 1))
        if not helps:
            gains = np.ones(len(gains))
        # Below 0 is how leaving one out shows that there is nothing to learn.
        correlations = np.maximum(_correlation(covariance, truth, said), 0.0)
        return cls(helps, correlations, gains, len(sample))

    def why(self, sample: Sample, k: int) -> str:
        """Why a class's share is found that way."""
        correlation = float(self.correlations[k])
        if not self.helps:
            return why_gold(self.n, correlation)
        return why_powered(len(sample), correlation, float(sample.size * self.gains[k]))


def _correlation(covariance: Any, first: Any, second: Any) -> Array:
    product = np.sqrt(first * second)
    some = product > 1e-15
    return np.where(some, covariance / np.where(some, product, 1.0), 0.0)


def _posteriors(question: Question, known: Array, reading: Reading, seed: int) -> Posteriors:
    K = len(question.names)
    if reading == "learned":
        return cross_fit(question.models, known, question.truth, K, seed)
    if len(question.models) != 1 or not question.says_classes(question.models[0]):
        raise ValueError(
            "what the model says can be taken as given if it is one model whose labels are the "
            "classes, or that gives their posteriors; leave reading='learned'"
        )
    [model] = question.models
    if isinstance(model, Answers):
        table = np.vstack([np.eye(K), np.zeros(K)])[question.answers(model)]
        return Posteriors(table[model.codes[known]], table, model.codes)
    values = np.nan_to_num(model.values)
    both = np.column_stack([1 - values[:, 0], values[:, 0]]) if values.shape[1] == 1 else values
    return as_given(both, known)


def _bounds(
    sample: Sample,
    values: Array,
    counts: Array,
    asked: list[int],
    named: Array,
    power: float,
    level: float,
    population: bool,
) -> tuple[Array, Array]:
    effects = design_effects(sample, power, level)
    if power > 0:
        return group_bounds(
            sample,
            values,
            counts,
            effects,
            asked=asked,
            named=named,
            level=level,
            population=population,
        )
    left_out = 1.0 if population else sample.left_out
    size = sample.size / effects / left_out if left_out else np.inf
    return wilson(sample.shares, size, level)
