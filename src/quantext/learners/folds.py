"""Folds for cross-validation."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def stratified_folds(y: ArrayLike, folds: int, seed: int) -> NDArray[np.int64]:
    """Fold of each document, counted from 0.

    There are `folds` folds, or as many as there are documents if these are fewer. The documents of
    each class are shuffled and dealt to the folds in turn, each class going on where the one before
    it stopped. So the folds' sizes differ by at most one, and so do the numbers of documents of
    each class in them. A class may be smaller than the number of folds.

    Parameters
    ----------
    y : labels, one a document, of any type that can be sorted.
    folds : at least 2.
    seed : of the shuffle; the same seed gives the same folds.

    Examples
    --------
    >>> stratified_folds([True, False, False, True, False], folds=2, seed=0)
    array([0, 0, 0, 1, 1])
    """
    labels = np.asarray(y)
    if labels.ndim != 1 or not len(labels):
        raise ValueError(f"y has shape {labels.shape}; give one label for each document")
    if folds < 2:
        raise ValueError(f"folds is {folds}; cross-validation needs at least 2")
    order = np.random.default_rng(seed).permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    fold_of = np.empty(len(labels), np.int64)
    fold_of[order] = np.arange(len(labels)) % folds
    return fold_of
