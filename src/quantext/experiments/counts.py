"""Counts: how large a corpus is, and its training documents and bags, beside published figures."""

from collections.abc import Sequence

import numpy as np
import polars as pl  # noqa: F401 (the example needs it)
from numpy.typing import NDArray

from quantext.experiments.splits import Bag, Split
from quantext.texts.corpus import Corpus, VectorCorpus

__all__ = ["describe"]


def describe(corpus: Corpus | VectorCorpus, splits: Sequence[Split] = ()) -> dict[str, float]:
    """Counts of a corpus, named as those that were published for it.

    Parameters
    ----------
    corpus
        A corpus with labels.
    splits
        Adds the counts of their training documents, on average over the splits, and of all their
        bags, over the tasks: classes that have a training document.

    Examples
    --------
    >>> corpus = Corpus(
    ...     "answers", texts=pl.Series(["a", "b", "c"]), labels=pl.Series([["x"], ["x", "y"], []])
    ... )
    >>> describe(corpus)
    {'documents in the files': 3, 'documents': 3, 'classes': 2}
    """
    y = corpus.indicator
    counts: dict[str, float] = {
        "documents in the files": len(corpus) + corpus.dropped,
        "documents": len(corpus),
        "classes": int(y.any(axis=0).sum()),
    }
    if isinstance(corpus, VectorCorpus):
        counts["features"] = int(corpus.vectors.shape[1])
    if not splits:
        return counts
    train = np.array([y[split.train].sum(axis=0) for split in splits])
    n_train = np.array([len(split.train) for split in splits])
    tasks = train.any(axis=0)
    if not tasks.any():
        raise ValueError(f"corpus {corpus.name!r}: no training document has a class")
    bags = [bag for split in splits for bag in split.bags]
    sizes = np.array([len(bag) for bag in bags])
    positives = np.array([_positives(bag, y)[tasks] for bag in bags])
    counts["tasks"] = int(tasks.sum())
    counts["training documents"] = round(n_train.mean())
    counts |= _spread("training", train[:, tasks], train[:, tasks] / n_train[:, None])
    counts["test documents"] = int(sizes.sum())
    counts["bags"] = len(sizes)
    counts["documents a bag"] = float(sizes.mean())
    return counts | _spread("test", positives, positives / sizes[:, None])


def _positives(bag: Bag, y: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Number of documents of the bag that have each class."""
    if bag.shares is None:
        return np.asarray(y[bag.indices].sum(axis=0))
    return np.asarray(np.rint(bag.shares * len(bag)), dtype=np.int64)


def _spread(
    part: str, positives: NDArray[np.int64], prevalence: NDArray[np.float64]
) -> dict[str, float]:
    """Smallest, largest and mean number of positives and prevalence."""
    return {
        f"{part} positives, min": int(positives.min()),
        f"{part} positives, max": int(positives.max()),
        f"{part} positives, mean": float(positives.mean()),
        f"{part} prevalence, min": float(prevalence.min()),
        f"{part} prevalence, max": float(prevalence.max()),
        f"{part} prevalence, mean": float(prevalence.mean()),
    }
