"""From the tokens of texts to the terms of each, and how often it has them: `TermCounter`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.kernels import kernel
from quantext.vectors.arrow import encode_column
from quantext.vectors.scan import ONE
from quantext.vectors.tokenise import (
    Ints,
    Offsets,
    Room,
    TokenTable,
    encode,
    letter_table,
    new_keys,
)

__all__ = ["Counts", "NumberTerms", "TermCounter"]

# Terms whose memory is asked for at once: the system gives as much in a few large pages, and
# threads that ask for many small ones wait for each other.
BLOCK = 1 << 20

# From a table of tokens, and the number of the first that is new, to the numbers of their terms.
NumberTerms: TypeAlias = Callable[[TokenTable, int], Ints]


@dataclass(frozen=True)
class Counts:
    """The terms of a batch of documents: document i has entries ``ends[i - 1]`` to ``ends[i]``."""

    terms: Ints
    frequencies: Ints
    ends: Offsets
    counter: int = 0  # which of several has numbered the terms


class TermCounter:
    """Counts of the terms of texts, batch by batch; each thread has its own.

    It remembers the tokens it has met and asks ``number_terms`` about new ones only. The tokens of
    ``stop_words`` have no term. Once it has met more than ``max_tokens`` it begins anew, and asks
    again: new tokens never end (names, typing errors, addresses), and memory would grow with the
    texts. ``lower`` puts a text that is not all ASCII in lower case, and ``table`` says which of
    its first n code points are of tokens: another pair of them makes tokens of other characters
    too. ``keys`` are of the hash: they decide how fast tokens are found, and nothing else; without
    any, new ones that nobody can guess.
    """

    def __init__(
        self,
        number_terms: NumberTerms,
        stop_words: Sequence[str] = (),
        max_tokens: float = inf,
        lower: Callable[[str], str] = str.lower,
        table: Callable[[int], NDArray[np.bool_]] | None = None,
        keys: NDArray[np.uint64] | None = None,
    ) -> None:
        self.number_terms = number_terms
        self.stop_words = stop_words
        self.max_tokens = max_tokens
        self.lower = lower
        self.table = table or letter_table
        self.keys = new_keys() if keys is None else keys
        # Of each term: how often in the document at hand, in all, and in how many documents.
        self.tallies = np.zeros((0, 3), np.int64)
        self.stream = np.empty(0, np.int32)
        self.room = Room()
        self.block = np.empty((2, 0), np.int32)  # for terms and frequencies that are handed out
        self._begin()

    def __call__(self, texts: Sequence[str] | pl.Series) -> Counts:
        """Count the terms of each text."""
        if self.known.n_tokens > self.max_tokens:
            self._begin()
        return self._count(texts, self.number_terms)

    @property
    def term_frequency(self) -> Offsets:
        """How often each term came."""
        return self.tallies[:, 1]

    @property
    def document_frequency(self) -> Offsets:
        """In how many texts each term came."""
        return self.tallies[:, 2]

    def _begin(self) -> None:
        """Remember the stop words only."""
        self.known = TokenTable(self.keys, self.table)
        self.term_of_token = np.empty(0, np.int32)
        self.token_frequency = np.zeros(0, np.int64)
        self._count(self.stop_words, _no_terms)

    def _count(self, texts: Sequence[str] | pl.Series, number_terms: NumberTerms) -> Counts:
        encoded = (
            encode_column(texts, self.lower, self.room)
            if isinstance(texts, pl.Series)
            else encode(texts, self.lower)
        )
        most = len(encoded.data) // 2  # a token and its separator are two bytes
        if len(self.stream) < most:
            self.stream = np.empty(most + most // 4, np.int32)
        n_known = self.known.n_tokens
        ends = self.known.numbers(encoded, self.stream)
        if self.known.n_tokens > n_known:
            self._add_terms(number_terms(self.known, n_known))
        if (most := int(ends.max(initial=0))) > self.block.shape[1]:
            self.block = np.empty((2, max(most, BLOCK)), np.int32)
        terms, frequencies = self.block
        n = count(
            self.stream, ends, self.term_of_token, self.token_frequency, self.tallies,
            terms, frequencies,
        )  # fmt: skip
        self.block = self.block[:, n:]
        return Counts(terms[:n], frequencies[:n], ends)

    def _add_terms(self, new: Ints) -> None:
        """Enter the terms of the latest tokens; arrays are doubled, so that growing stays cheap."""
        n_tokens = self.known.n_tokens
        if n_tokens > len(self.term_of_token):
            self.term_of_token = np.pad(self.term_of_token, (0, n_tokens))
            self.token_frequency = np.pad(self.token_frequency, (0, n_tokens))
        self.term_of_token[n_tokens - len(new) : n_tokens] = new
        if (missing := int(new.max()) + 1 - len(self.tallies)) > 0:
            self.tallies = np.pad(self.tallies, [(0, missing + len(self.tallies)), (0, 0)])


def _no_terms(known: TokenTable, first: int) -> Ints:
    return np.full(known.n_tokens - first, -1, np.int32)


@kernel(steps=lambda _, ends, *__: ends.max(initial=0))
def count(stream, ends, term_of_token, token_frequency, tallies, terms, frequencies):
    """Write each document's distinct terms and their frequencies; return how many.

    ``ends`` of the documents, in the stream on entry, are those in the terms on return. The first
    column of ``tallies`` is all zero on entry and on return. The frequencies are also added to its
    second column, those of tokens to ``token_frequency``, and 1 a document to its third column.
    """
    written = np.uint64(0)
    i = np.uint64(0)
    for document in range(len(ends)):
        begin = written
        end = np.uint64(ends[document])
        while i < end:
            token = np.uint32(stream[i])
            term = term_of_token[token]
            token_frequency[token] += 1
            i += ONE
            if term < 0:
                continue
            # Written without asking: whether a term is new here is too hard to guess.
            seen = tallies[np.uint32(term), 0]
            terms[written] = term
            written += np.uint64(seen == 0)
            tallies[np.uint32(term), 0] = seen + 1
        for k in range(begin, written):
            at = np.uint32(terms[k])
            frequency = tallies[at, 0]
            frequencies[k] = frequency
            tallies[at, 1] += frequency
            tallies[at, 2] += 1
            tallies[at, 0] = 0
        ends[document] = written
    return written
