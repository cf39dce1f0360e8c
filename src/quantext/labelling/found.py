"""Shares of classes now, how sure they are, and how many labels are still needed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quantext.labelling.bounds import bounds
from quantext.labelling.estimator import estimate
from quantext.labelling.guide import Guide
from quantext.labelling.task import Labels, Task, Wave, check_waves, places_of
from quantext.wording import counted, percent

__all__ = ["History", "Shares", "history", "needed_labels", "shares"]

LACKING = 10  # known documents of a class, below which it lacks examples
_MANY_SKIPPED = 0.03
_POINTS = 50  # of a history, at most


@dataclass(frozen=True, eq=False)
class Shares:
    """What is known of the share of each class; `shares` makes it.

    Parameters
    ----------
    names
        Of the classes.
    share, low, high
        Estimate and bounds of each, shape (K,); without any label, 0 to 1 and nan in between.
    half_width
        Half of what is between the bounds, shape (K,).
    counts
        Known documents of each class, shape (K,).
    n_labels, n_skipped
        Documents whose truth is known, and those of which nobody could say.
    target
        Half width that is asked for.
    needed_more
        About how many labels are still needed for it; 0: it is reached; None: too few are known to
        say.
    lacking
        Classes of which fewer than ten documents are known.
    notes
        What one should know, a sentence each.
    """

    names: tuple[str, ...]
    share: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    half_width: NDArray[np.float64]
    counts: NDArray[np.int64]
    n_labels: int
    n_skipped: int
    target: float
    needed_more: int | None
    lacking: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def reached(self) -> bool:
        """Whether no interval is wider than asked for."""
        return bool((self.half_width <= self.target).all())


def shares(
    task: Task, n_documents: int, waves: Sequence[Wave], labels: Labels, guide: Guide | None
) -> Shares:
    """Shares of the classes among all documents, with intervals, in milliseconds.

    Parameters
    ----------
    task
        What is asked.
    n_documents
        How many there are.
    waves
        All so far, in order.
    labels
        All so far, of documents of the waves; the last ones may be labelled in part.
    guide
        The latest that `learn` made, which may be older than labels; None: none was made yet.

    Examples
    --------
    >>> wave = Wave(np.arange(50), np.full(50, 0.05))
    >>> labels = Labels(np.arange(50), np.eye(2, dtype=bool)[np.arange(50) % 5 % 2])
    >>> found = shares(Task(("ham", "spam")), 1000, [wave], labels, None)
    >>> found.share.round(2).tolist(), found.half_width.round(3).tolist(), found.needed_more
    ([0.6, 0.4], [0.133, 0.133], 459)
    """
    check_waves(task, n_documents, waves, labels)
    K, m = len(task.classes), len(labels)
    if guide is not None:
        guide.check(n_documents, waves, K)
    counts = labels.truths.sum(axis=0)
    if m:
        found = estimate(n_documents, waves, labels, guide)
        # What is known of some documents, no estimate of all can deny.
        least, most = counts / n_documents, 1 - (m - counts) / n_documents
        low, high = (np.clip(bound, least, most) for bound in bounds(found, task.level))
        share = np.clip(found.share, low, high)
    else:
        share, low, high = np.full(K, np.nan), np.zeros(K), np.ones(K)
    half = (high - low) / 2
    more = None
    if m >= 10:
        more = needed_labels(m, n_documents, float(half.max()), task.target) - m
    lacking = tuple(n for n, c in zip(task.classes, counts, strict=True) if c < LACKING)
    return Shares(
        task.classes, share, low, high, half, counts, m, len(labels.skipped), task.target, more,
        lacking, tuple(_notes(labels)),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class History:
    """How half widths shrank; `history` makes it.

    Parameters
    ----------
    n_labels
        After how many labels, shape (H,).
    half_width
        Of each class then, shape (H, K).
    """

    n_labels: NDArray[np.int64]
    half_width: NDArray[np.float64]


def history(
    task: Task, n_documents: int, waves: Sequence[Wave], labels: Labels, guide: Guide | None
) -> History:
    """Half widths after more and more labels, as the latest guide sees them.

    It takes some fifty times as long as `shares`. What was shown at the time was wider, for the
    guides of that time knew less.

    Parameters
    ----------
    task, n_documents, waves, labels, guide
        As in `shares`.
    """
    check_waves(task, n_documents, waves, labels)
    drawn = np.concatenate([wave.rows for wave in waves])
    places = places_of(drawn, labels.rows)
    places = places[places >= 0]
    m = len(places)
    step = max(-(-m // _POINTS), 5)
    numbers = np.unique(np.append(np.arange(step, m, step), m)) if m else np.empty(0, np.int64)
    widths = []
    for n in numbers:
        own = Labels(labels.rows[places[:n]], labels.truths[places[:n]])
        widths.append(shares(task, n_documents, waves, own, guide).half_width)
    table = np.array(widths).reshape(len(numbers), len(task.classes))
    return History(numbers.astype(np.int64), table)


def needed_labels(n_labels: int, n_documents: int, half_width: float, target: float) -> int:
    """How many labels an interval needs, if so many gave it that half width.

    Parameters
    ----------
    n_labels
        So far.
    n_documents
        How many there are.
    half_width, target
        Of the interval, now and as asked for.

    Examples
    --------
    >>> needed_labels(100, 10**9, 0.06, 0.03), needed_labels(100, 300, 0.06, 0.03)
    (400, 200)
    """
    if half_width <= target:
        return n_labels
    left = max(1 / n_labels - 1 / n_documents, 0.0) * (target / half_width) ** 2
    return min(int(np.ceil(1 / (left + 1 / n_documents) - 1e-9)), n_documents)


def _notes(labels: Labels) -> list[str]:
    m, skipped = len(labels), len(labels.skipped)
    notes = []
    if skipped > _MANY_SKIPPED * (m + skipped):
        notes.append(
            f"{counted(skipped, 'document')} of {m + skipped:,} "
            f"({percent(skipped / (m + skipped))}) could not be labelled. Shares are of all "
            "documents as if those were like the others of their wave; if they are not, shares are "
            "wrong by up to as much."
        )
    return notes
