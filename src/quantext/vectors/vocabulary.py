"""What several counters have learnt of the same texts, put together: terms, frequencies, words.

Each counter numbers terms for itself, in the order in which it meets them, so that threads need not
wait for each other; only here do their numbers become one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from quantext.vectors.alphabet import commonest, some_tokens
from quantext.vectors.batches import in_threads
from quantext.vectors.terms import TermCounter
from quantext.vectors.tokenise import Ints, TokenTable, letter_table, new_keys
from quantext.vectors.words import Stem

__all__ = ["Learned", "Numbering", "commonest_tokens", "learned"]


class Numbering:
    """Numbers of the terms of tokens, in the order in which they come.

    Parameters
    ----------
    stem
        From the tokens of a table, from a number on, to their terms.
    """

    def __init__(self, stem: Stem) -> None:
        self.stem = stem
        self.terms = TokenTable(new_keys(), letter_table)

    def __call__(self, known: TokenTable, first: int) -> Ints:
        """Numbers of the terms of the tokens that are known, from number ``first`` on."""
        return self.terms.numbers_of(self.stem(known, first))


class Learned(NamedTuple):
    """All terms, and what was counted of each."""

    terms: TokenTable
    numbers: list[Ints]  # those of each counter's terms
    document_frequency: NDArray[np.int64]
    frequency: NDArray[np.int64]
    tokens: TokenTable  # all of them
    token_numbers: list[Ints]  # those of each counter's tokens


def learned(counters: Sequence[TermCounter]) -> Learned:
    """What the counters have learnt together.

    Parameters
    ----------
    counters
        At least one, each with a `Numbering` of its own; the tables of the first are told of what
        the others know.
    """
    terms = [cast(Numbering, counter.number_terms).terms for counter in counters]
    tokens = [counter.known for counter in counters]
    # Each is a kernel's work, so both are done at once; with one counter there is none.
    numbers, token_numbers = in_threads(_numbers_in_first, [terms, tokens], min(len(counters), 2))
    both = np.zeros((terms[0].n_tokens, 2), np.int64)
    for counter, places in zip(counters, numbers, strict=True):
        both[places, 0] += counter.document_frequency[: len(places)]
        both[places, 1] += counter.term_frequency[: len(places)]
    return Learned(terms[0], numbers, both[:, 0], both[:, 1], tokens[0], token_numbers)


def _numbers_in_first(tables: Sequence[TokenTable]) -> list[Ints]:
    """The numbers of each table's tokens in the first, to which those of the others come."""
    first, *others = tables
    own = np.arange(first.n_tokens, dtype=np.int32)
    return [own, *(first.numbers_of(other.lines()) for other in others)]


def commonest_tokens(
    counters: Sequence[TermCounter], learnt: Learned, kept: NDArray[np.int64]
) -> NDArray[np.object_]:
    """The token that stands most often for each term that is kept; of equals, the first.

    Parameters
    ----------
    counters
        Those that have learnt.
    learnt
        What they have.
    kept
        Numbers of terms.
    """
    tokens = learnt.tokens
    term = np.full(tokens.n_tokens, -1, np.int32)
    frequency = np.zeros(tokens.n_tokens, np.int64)
    for counter, own, stream in zip(counters, learnt.numbers, learnt.token_numbers, strict=True):
        # The last is the term of stop words, which have none.
        term[stream] = np.append(own, np.int32(-1))[counter.term_of_token[: len(stream)]]
        frequency[stream] += counter.token_frequency[: len(stream)]
    best = commonest(tokens, term, frequency, learnt.terms.n_tokens)
    return np.array(some_tokens(tokens, best[kept]), dtype=object)
