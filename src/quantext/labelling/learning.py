"""From labels so far to a guide and the next documents to label."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quantext.labelling.drawing import FLOOR, draw
from quantext.labelling.found import Shares, shares
from quantext.labelling.guide import Guide
from quantext.labelling.representation import Features, features
from quantext.labelling.ridge import Fitted, fit, kernel, population
from quantext.labelling.task import Labels, Task, Wave, check_waves, places_of
from quantext.progress import Progress, silent

__all__ = ["learn"]

Array = NDArray[Any]

SMALLEST, LARGEST = 20, 40  # documents of a wave
MOST = 3000  # labels to learn from, the last ones; the others are predicted as all documents are
_SURE = 0.03  # nobody is surer than that of a class, when documents are drawn
_WIDEST = 4.0  # power of the half width by which classes count when documents are drawn


def learn(
    task: Task,
    documents: Any,
    waves: Sequence[Wave],
    labels: Labels,
    progress: Progress = silent,
) -> tuple[Guide, Wave]:
    """What can be learned from the labels so far, and the wave that follows; takes seconds.

    The wave has no documents if all were drawn. It comes after all those given: whoever labels
    shows what is left of these first.

    Parameters
    ----------
    task
        What is asked.
    documents
        What `features` made of all of them, which is the slowest part and can be kept; or their
        texts, or sparse vectors, of which it is made each time.
    waves
        All so far, in order.
    labels
        At least two, of documents of the waves.
    progress
        Told how far it is.
    """
    known = documents if isinstance(documents, Features) else None
    if known is None:
        texts = documents if sparse.issparse(documents) else list(documents)
        known = features(texts, progress=progress)
    N = len(known)
    check_waves(task, N, waves, labels)
    if len(labels) < 2:
        raise ValueError(f"there are {len(labels)} labels; nothing can be learned of less than two")
    K = len(task.classes)
    drawn = np.concatenate([wave.rows for wave in waves])
    taught = Labels(labels.rows[-MOST:], labels.truths[-MOST:])
    chances = np.concatenate([wave.chances for wave in waves])
    weights = 1 / chances[places_of(taught.rows, drawn)]
    prior = np.zeros(K) if task.several else np.full(K, 1 / K)
    progress("model", 0, None)
    fitted = fit(known, taught.rows, taught.truths, weights, prior, not task.several)
    said, sums = population(known, fitted, progress)
    guide = _guide(known, waves, taught, fitted, said, sums)
    now = shares(task, N, waves, labels, guide)
    wave = _next_wave(task, said, drawn, now, len(waves))
    return _with_wave(guide, wave, said), wave


def _guide(
    known: Features,
    waves: Sequence[Wave],
    labels: Labels,
    fitted: Fitted,
    said: Array,
    sums: Array,
) -> Guide:
    """What is known of the waves so far."""
    drawn = np.concatenate([wave.rows for wave in waves])
    places = places_of(labels.rows, drawn)
    predictions = said[drawn].astype(np.float64)
    predictions[places] = labels.truths - fitted.left_out
    shifts = np.zeros_like(predictions)
    ends = np.cumsum([len(wave) for wave in waves])
    of_drawn = kernel(known, drawn, fitted.rows)
    left, total = sums.copy(), said.sum(axis=0, dtype=np.float64)
    totals = []
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        totals.append(total.copy())
        own = np.flatnonzero((start <= places) & (places < end))
        shifts[places[own]] = fitted.shifts(left)[own]
        left -= of_drawn[start:end].sum(axis=0)
        total -= said[drawn[start:end]].sum(axis=0, dtype=np.float64)
    truths = labels.truths.astype(np.float64)
    variance = ((truths - truths.mean(axis=0)) ** 2).sum(axis=0)
    explained = 1 - (fitted.left_out**2).sum(axis=0) / np.where(variance > 0, variance, np.inf)
    explained = np.where(variance > 0, np.maximum(explained, 0.0), 0.0)
    return Guide(
        drawn, ends, predictions, np.array(totals), shifts, explained, len(said), len(labels)
    )


def _with_wave(guide: Guide, wave: Wave, said: Array) -> Guide:
    """The guide that knows one more wave."""
    drawn = said[guide.rows].sum(axis=0, dtype=np.float64)
    left = said.sum(axis=0, dtype=np.float64) - drawn
    own = said[wave.rows].astype(np.float64)
    return replace(
        guide,
        rows=np.concatenate([guide.rows, wave.rows]),
        ends=np.append(guide.ends, len(guide.rows) + len(wave)),
        predictions=np.concatenate([guide.predictions, own]),
        totals=np.vstack([guide.totals, left]),
        shifts=np.concatenate([guide.shifts, np.zeros_like(own)]),
    )


def _next_wave(task: Task, said: Array, drawn: Array, now: Shares, number: int) -> Wave:
    """Documents not yet drawn, by how much is left to know of them."""
    there = np.ones(len(said), dtype=bool)
    there[drawn] = False
    rows = np.flatnonzero(there)
    if not len(rows):
        return Wave(rows, np.empty(0), number)
    size = min(_size(now), len(rows))
    sizes = _doubts(said[rows], now.half_width)
    widest = int(now.half_width.argmax())
    order = np.argsort(said[rows, widest], kind="stable")
    rng = np.random.default_rng([task.seed, number])
    return draw(rng, rows, sizes, size, order, number)


def _size(now: Shares) -> int:
    """How many documents to show before learning again."""
    usual = min(max(now.n_labels // 2, SMALLEST), LARGEST)
    return usual if now.needed_more is None else min(usual, max(now.needed_more, SMALLEST))


def _doubts(said: Array, half_width: Array) -> NDArray[np.float64]:
    """Standard deviation of the truth of each document, by the classes that are least known.

    Part of the draws do not depend on it, as it may be wrong: no document has less than that part
    of the mean.
    """
    likely = np.clip(said, _SURE, 1 - _SURE).astype(np.float64)
    weights = (half_width / half_width.max()) ** _WIDEST
    deviations = np.sqrt((likely * (1 - likely)) @ weights)
    return np.asarray((1 - FLOOR) * deviations / deviations.mean() + FLOOR)
