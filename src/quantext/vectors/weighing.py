"""From the terms of texts to rows of ltc weights, each of unit length and sorted by column."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import kernel, part
from quantext.vectors.scan import HALF, LOW, ONE
from quantext.vectors.terms import Counts
from quantext.vectors.tokenise import Ints, Offsets

__all__ = ["Features", "Part", "n_weights", "rows", "write_rows"]

# Weights, columns and ends of the rows of a batch.
Part: TypeAlias = tuple[NDArray[np.float32], Ints, Offsets]

LOG_TF = 1.0 + np.log(np.arange(1.0, 257.0))  # of nearly all frequencies
DIGIT = np.uint64(6)  # bits by which rows are sorted at a time: so few that a row's counts are few
FEW = np.uint64(24)  # entries that are sorted sooner by moving each to its place


class Features(NamedTuple):
    """The column of each term, -1 if it has none, and its ln(N / df)."""

    columns: Ints
    idf: NDArray[np.float64]
    n: int  # of columns
    all_kept: bool  # so that every term has a weight

    @classmethod
    def of(cls, columns: Ints, idf: NDArray[np.float64]) -> Features:
        """Features of terms with these columns; ``idf`` is by column.

        A term of every training text weighs nothing, so that it is in no row.
        """
        by_term = np.where(columns < 0, 0.0, idf[columns])
        return cls(
            np.where(by_term == 0.0, np.int32(-1), columns), by_term, len(idf), bool(by_term.all())
        )


def n_weights(counts: Counts, features: Features) -> int:
    """How many weights the rows of a batch have."""
    if features.all_kept:
        return len(counts.terms)
    return int(np.count_nonzero(features.columns[counts.terms] >= 0))


def rows(counts: Counts, features: Features) -> Part:
    """The rows of a batch."""
    n = n_weights(counts, features)
    weights, columns = np.empty(n, np.float32), np.empty(n, np.int32)
    return weights, columns, write_rows(counts, features, weights, columns)


def write_rows(
    counts: Counts, features: Features, weights: NDArray[np.float32], columns: Ints
) -> Offsets:
    """Write the rows of a batch to ``weights`` and ``columns``; return their ends."""
    ends = np.empty_like(counts.ends)
    longest = int(np.diff(counts.ends, prepend=0).max(initial=0))
    n_digits = -(-(features.n - 1).bit_length() // int(DIGIT))
    weigh(
        counts.terms, counts.frequencies, counts.ends, features.columns, features.idf, LOG_TF,
        n_digits, np.empty((2, longest), np.uint64), np.empty(longest, np.float32),
        weights, columns, ends,
    )  # fmt: skip
    return ends


@kernel(steps=lambda terms, *_: 4 * len(terms))
def weigh(
    terms, frequencies, term_ends, column_of, idf, log_tf,
    n_digits, entries, unsorted, weights, columns, ends,
):  # fmt: skip
    """Write the rows of ltc weights.

    An entry is the column of a term and its place in the document (column << 32 | place); two rows
    of ``entries`` have room for the longest document.
    """
    places = np.empty(1 << DIGIT, np.uint32)
    written = np.uint64(0)
    start = 0
    for row in range(len(term_ends)):
        square = 0.0
        n = np.uint64(0)
        for k in range(start, term_ends[row]):
            term = np.uint32(terms[k])
            column = column_of[term]
            if column < 0:
                continue
            tf = frequencies[k]
            weight = (log_tf[tf - 1] if tf <= len(log_tf) else 1.0 + np.log(tf)) * idf[term]
            square += weight * weight
            unsorted[n] = weight
            entries[0, n] = np.uint64(column) << HALF | n
            n += ONE
        start = term_ends[row]
        length = np.sqrt(square)
        in_order = sort_entries(entries[0], entries[1], n, n_digits, places)
        for k in range(n):
            entry = in_order[k]
            columns[written] = np.int32(entry >> HALF)
            weights[written] = unsorted[entry & LOW] / length
            written += ONE
        ends[row] = written


@part
def sort_entries(entries, other, n, n_digits, places):
    """Sort the first ``n`` entries by their upper halves, which differ; return those in order.

    By one digit after the other, the lowest first: several times as fast as comparing them.
    """
    if n <= FEW:
        for k in range(ONE, n):
            entry = entries[k]
            at = k
            while at > 0 and entries[at - ONE] > entry:
                entries[at] = entries[at - ONE]
                at -= ONE
            entries[at] = entry
        return entries
    mask = (ONE << DIGIT) - ONE
    for digit in range(n_digits):
        shift = HALF + DIGIT * np.uint64(digit)
        places[:] = 0
        for k in range(n):
            places[entries[k] >> shift & mask] += 1
        place = np.uint32(0)
        for value in range(len(places)):
            found = places[value]
            places[value] = place
            place += found
        for k in range(n):
            value = entries[k] >> shift & mask
            other[places[value]] = entries[k]
            places[value] += np.uint32(1)
        entries, other = other, entries
    return entries
