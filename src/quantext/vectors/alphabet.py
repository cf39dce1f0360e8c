"""Tokens of a table in alphabetical order, and some of them as strings.

The order is that of their code points, which is that of their bytes in UTF-8, and Python's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import kernel, part
from quantext.vectors.eight import copy_bytes, load8
from quantext.vectors.scan import ONE, SPARE
from quantext.vectors.tokenise import Ints, Lines, Offsets, TokenTable

__all__ = ["alphabetical", "commonest", "some_tokens"]

EIGHT = np.uint64(8)
BYTE = np.uint64(0xFF)


def alphabetical(table: TokenTable) -> NDArray[np.int64]:
    """The numbers of the tokens, in alphabetical order.

    Few share their first eight bytes, so most need no comparison byte by byte.
    """
    first = np.empty(table.n_tokens, np.uint64)
    write_first(table.letters, table.starts, first)
    order = np.argsort(first).astype(np.int64, copy=False)
    sort_ties(order, first, table.letters, table.starts)
    return order


def some_tokens(table: TokenTable, numbers: Sequence[int] | NDArray[np.int64]) -> list[str]:
    """The tokens of these numbers."""
    chosen = np.asarray(numbers, np.int64)
    size = int((table.starts[chosen + 1] - table.starts[chosen]).sum())
    lines = np.empty(size + SPARE, np.uint8)
    copy_tokens(table.letters, table.starts, chosen, lines)
    return Lines(lines, size, len(chosen)).tokens()


def commonest(
    table: TokenTable, terms: Ints, frequencies: Offsets, n_terms: int
) -> NDArray[np.int64]:
    """The token that stands for each term most often; of those that do equally, the first.

    Parameters
    ----------
    table
        Of the tokens.
    terms
        That of each token, or -1.
    frequencies
        How often each token came.
    n_terms
        How many there are; each has a token.
    """
    best = np.full(n_terms, -1, np.int64)
    find_commonest(terms, frequencies, table.letters, table.starts, best)
    return best


@part
def _eight_in_order(letters, begin, end):
    """A number that is the greater, the later eight bytes come; zero beyond the end."""
    word = load8(letters, begin)
    if end - begin < EIGHT:
        word &= (ONE << ((end - begin) << np.uint64(3))) - ONE
    turned = np.uint64(0)
    for _ in range(8):
        turned = turned << EIGHT | word & BYTE
        word >>= EIGHT
    return turned


@part
def _is_before(letters, starts, one, other):
    """Whether one token comes before another one in the alphabet."""
    i, i_end = np.uint64(starts[one]), np.uint64(starts[one + 1]) - ONE
    j, j_end = np.uint64(starts[other]), np.uint64(starts[other + 1]) - ONE
    while i < i_end and j < j_end:
        ours, theirs = _eight_in_order(letters, i, i_end), _eight_in_order(letters, j, j_end)
        if ours != theirs:
            return ours < theirs
        i += EIGHT
        j += EIGHT
    return i_end - i < j_end - j if i < i_end or j < j_end else False


@kernel(steps=lambda _, __, first: 16 * len(first))
def write_first(letters, starts, first):
    """Write the first eight bytes of each token."""
    for token in range(len(first)):
        begin, end = np.uint64(starts[token]), np.uint64(starts[token + 1]) - ONE
        first[token] = _eight_in_order(letters, begin, end)


@kernel(steps=lambda order, *_: 16 * len(order))
def sort_ties(order, first, letters, starts):
    """Sort the tokens of each run that has the same first eight bytes.

    By a heap, which is never slow, whatever someone has written.
    """
    start = 0
    while start < len(order):
        end = start + 1
        while end < len(order) and first[order[end]] == first[order[start]]:
            end += 1
        for top in range((end - start) // 2 - 1, -1, -1):
            _sink(order, start, top, end - start, letters, starts)
        for last in range(end - start - 1, 0, -1):
            order[start], order[start + last] = order[start + last], order[start]
            _sink(order, start, 0, last, letters, starts)
        start = end


@part
def _sink(order, start, top, n, letters, starts):
    """Move the token at ``top`` of a heap of ``n`` down to where none below it is later."""
    while 2 * top + 1 < n:
        child = 2 * top + 1
        if child + 1 < n and _is_before(
            letters, starts, order[start + child], order[start + child + 1]
        ):
            child += 1
        if not _is_before(letters, starts, order[start + top], order[start + child]):
            break
        order[start + top], order[start + child] = order[start + child], order[start + top]
        top = child


@kernel(steps=lambda _, __, chosen, *___: 16 * len(chosen))
def copy_tokens(letters, starts, chosen, lines):
    """Copy the chosen tokens, each with the line feed behind it."""
    at = 0
    for k in range(len(chosen)):
        begin = starts[chosen[k]]
        length = starts[chosen[k] + 1] - begin
        copy_bytes(lines, at, letters, begin, length)
        at += length


@kernel(steps=lambda terms, *_: 16 * len(terms))
def find_commonest(terms, frequencies, letters, starts, best):
    """Write the token that stands for each term most often; ``best`` is -1 on entry."""
    for token in range(len(terms)):
        term = terms[token]
        if term < 0:
            continue
        held = best[term]
        if (
            held < 0
            or frequencies[token] > frequencies[held]
            or (
                frequencies[token] == frequencies[held] and _is_before(letters, starts, token, held)
            )
        ):
            best[term] = token
