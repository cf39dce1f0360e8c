"""Bags in Dask arrays: summarised where their chunks are, so that only summaries travel."""

from typing import Any

import dask

from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.summary import Summary
from quantext.vectors.dask_arrays import check_chunks

__all__ = ["summarise_chunks"]


def summarise_chunks(quantifier: Quantifier, X: Any) -> list[Summary]:
    """Summaries of the chunks of rows, of those that have documents.

    Parameters
    ----------
    quantifier
        Fitted.
    X
        Dask array of shape (n, d).
    """
    shared = dask.delayed(quantifier, traverse=False)
    if X.numblocks[1] > 1:
        X = check_chunks(X).rechunk({1: -1}, method="tasks")
    chunks = X.to_delayed()[:, 0]
    parts = dask.compute(*(dask.delayed(_summarise_chunk)(shared, chunk) for chunk in chunks))
    return [summary for summary in parts if summary is not None]


def _summarise_chunk(quantifier: Quantifier, chunk: Any) -> Summary | None:
    """Summary of a chunk; None if it has no documents."""
    return quantifier.summarise(chunk) if chunk.shape[0] else None
