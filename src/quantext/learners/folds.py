"""Labels as columns, and their folds: what any learner needs of y."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quantext.vectors.sparse import check_sparse

__all__ = ["indicator_columns", "stratified_folds", "stratified_part"]


def indicator_columns(y: Any) -> NDArray[np.bool_]:
    """Boolean columns of a y of two dimensions, each of which is a label.

    Parameters
    ----------
    y
        Zeros and ones, of shape (n, m): array, sparse matrix or data frame. Whatever else they
        hold is an error that names the place.

    Examples
    --------
    >>> indicator_columns([[0, 1], [1, 1]])
    array([[False,  True],
           [ True,  True]])
    """
    check_sparse(y)
    values: NDArray[Any] = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
    if not values.shape[1]:
        raise ValueError("y has no columns; pass at least one label")
    wrong = ~((values == 0) | (values == 1))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        found = values[row].tolist()[column]
        raise ValueError(
            f"y has two dimensions, so each column is a label and holds only 0 and 1, but "
            f"y[{row}, {column}] is {found!r}; for classes, pass a one-dimensional y"
        )
    return np.asarray(values == 1)


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


def stratified_part(positive: NDArray[np.bool_], parts: int, seed: int) -> NDArray[np.intp]:
    """Places of some documents: of each class, one of any so many that follow each other.

    Parameters
    ----------
    positive : the class of each document.
    parts : of so many documents of a class one is taken, at random; of the last, if fewer, none.
    seed : of which one that is.

    Examples
    --------
    >>> stratified_part(np.array([True, False, False, True, True]), parts=2, seed=0)
    array([2, 3])
    """
    rng, chosen = np.random.default_rng(seed), []
    for own in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        firsts = np.arange(0, len(own) - parts + 1, parts)
        chosen.append(own[firsts + rng.integers(parts, size=len(firsts))])
    return np.sort(np.concatenate(chosen))
