"""Counters: the terms of each text of a batch, counted in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.vectors.terms import Counts, TermCounter

__all__ = ["SPILL", "Counters", "known_words", "spill", "spilled"]

SPILL = 64  # batches whose counts are in one file, which is deleted when it has been used


class Counters:
    """Up to ``n`` counters, one for each thread; called with a batch, an idle one counts it.

    A thread makes its counter when it needs it, so that loading the kernels, for which the first
    of them waits, does not keep the texts from being read.
    """

    def __init__(self, make: Callable[[], TermCounter], n: int) -> None:
        self.make = make
        self.n = n
        self.counters: list[TermCounter] = []
        self.idle: SimpleQueue[TermCounter] = SimpleQueue()

    def __call__(self, batch: list[str] | pl.Series) -> Counts:
        """Count the terms of each text of the batch."""
        try:
            counter = self.idle.get_nowait()
        except Empty:
            counter = self.make()
            self.counters.append(counter)
        try:
            return replace(counter(batch), counter=self.counters.index(counter))
        finally:
            self.idle.put(counter)


def spill(counted: Iterable[Counts], folder: Path, *, batches_a_file: int = SPILL) -> int:
    """Write the counts of all batches to files in the folder; return the number of texts."""
    n = 0
    for i, counts in enumerate(counted):
        lengths = np.array([len(counts.terms), len(counts.ends), counts.counter])
        with open(folder / f"{i // batches_a_file:09}", "ab") as file:
            for values in (lengths, counts.terms, counts.frequencies, counts.ends):
                file.write(values.data)
        n += len(counts.ends)
    return n


def spilled(folder: Path) -> Iterator[Counts]:
    """The counts that `spill` wrote; their files are deleted one by one."""
    for path in sorted(folder.iterdir()):
        with open(path, "rb") as file:
            while len(lengths := np.fromfile(file, np.int64, 3)):
                n_terms, n_texts, counter = lengths.tolist()
                yield Counts(
                    np.fromfile(file, np.int32, n_terms),
                    np.fromfile(file, np.int32, n_terms),
                    np.fromfile(file, np.int64, n_texts),
                    counter,
                )
        path.unlink()


def known_words(counts: Counts, unknown: int) -> NDArray[np.int64]:
    """Numbers of known and of all words of each text, shape (n, 2)."""
    so_far = np.append(0, np.cumsum(counts.frequencies, dtype=np.int64))
    words = np.diff(so_far[counts.ends], prepend=0)
    at = np.flatnonzero(counts.terms == unknown)  # once in a text at most
    known = words.copy()
    known[np.searchsorted(counts.ends, at, side="right")] -= counts.frequencies[at]
    return np.column_stack([known, words])
