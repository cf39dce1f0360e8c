"""Batches: texts of any column in lists, and threads that work them off."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Any, TypeVar

import polars as pl

__all__ = ["BATCH", "In", "Out", "batches", "check_strings", "in_threads", "slices", "text_batches"]

BATCH = 1024  # documents: enough to hide the cost of a call, few enough for the cache
In = TypeVar("In")
Out = TypeVar("Out")


def batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """The texts in lists of `BATCH`, whatever kind of column holds them."""
    if isinstance(texts, str | bytes):
        raise TypeError(
            f"texts must be a list or column of strings, not one {type(texts).__name__}"
        )
    row = 0
    for batch in slices(texts):
        if set(map(type, batch)) != {str}:  # a quick look; subclasses of str are fine too
            check_strings(batch, row)
        yield batch
        row += len(batch)


def text_batches(texts: Iterable[str]) -> Iterator[list[str] | pl.Series]:
    """As `batches`, but those of a polars column of strings are columns, which have their bytes."""
    if isinstance(texts, pl.Series) and texts.dtype == pl.String and not texts.null_count():
        return (texts.slice(start, BATCH) for start in range(0, len(texts), BATCH))
    return batches(texts)


def slices(column: Any) -> Iterator[list[Any]]:
    """The column in lists of `BATCH`."""
    if hasattr(column, "slice"):  # polars and Arrow are slow item by item
        for start in range(0, len(column), BATCH):
            piece = column.slice(start, BATCH)
            yield piece.to_list() if isinstance(piece, pl.Series) else piece.to_pylist()
    else:
        iterator = iter(column)
        while batch := list(islice(iterator, BATCH)):
            yield batch


def check_strings(batch: list[str], row: int) -> None:
    """Raise TypeError naming the first text that is no string; ``row`` is the batch's first."""
    for i, text in enumerate(batch, row):
        if not isinstance(text, str):
            raise TypeError(
                f"text {i} (counting from 0) is {text!r}, not a string; "
                "drop that row or make it an empty string"
            )


def in_threads(
    work: Callable[[In], Out], items: Iterable[In], n_threads: int, ahead: int = 2
) -> Iterator[Out]:
    """The result of each item, in order; it reads only ``ahead`` items a thread in advance."""
    if n_threads == 1:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        pending: deque[Future[Out]] = deque()
        for item in items:
            pending.append(pool.submit(work, item))
            if len(pending) > ahead * n_threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
