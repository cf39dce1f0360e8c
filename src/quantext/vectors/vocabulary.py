"""What several counters have learnt of the same texts, put together: terms, frequencies, words.

Each counter numbers terms for itself, in the order in which it meets them, so that threads need not
wait for each other; only here do their numbers become one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

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

    terms: list[str]
    numbers: list[Ints]  # those of each counter's terms
    document_frequency: NDArray[np.int64]
    frequency: NDArray[np.int64]


def learned(counters: Sequence[TermCounter]) -> Learned:
    """What the counters have learnt together.

    Parameters
    ----------
    counters
        Each with a `Numbering` of its own; that of the first is told of the terms of the others.
    """
    tables = [cast(Numbering, counter.number_terms).terms for counter in counters]
    terms = tables[0]
    numbers = [np.arange(terms.n_tokens, dtype=np.int32)]
    numbers += [terms.numbers_of(other.lines()) for other in tables[1:]]
    names = terms.tokens()
    both = np.zeros((len(names), 2), np.int64)
    for counter, places in zip(counters, numbers, strict=True):
        both[places, 0] += counter.document_frequency[: len(places)]
        both[places, 1] += counter.term_frequency[: len(places)]
    return Learned(names, numbers, both[:, 0], both[:, 1])


def commonest_tokens(
    counters: Sequence[TermCounter], numbers: Sequence[Ints], n_terms: int
) -> NDArray[np.object_]:
    """The token that stands for each term most often; of those that do equally, the first.

    Parameters
    ----------
    counters
        At least one; the first is told of the tokens of the others.
    numbers
        Those of each counter's terms among all.
    n_terms
        How many terms there are.
    """
    known = counters[0].known
    streams = [np.arange(known.n_tokens, dtype=np.int32)]
    streams += [known.numbers_of(other.known.lines()) for other in counters[1:]]
    term = np.full(known.n_tokens, -1, np.int32)
    frequency = np.zeros(known.n_tokens, np.int64)
    for counter, own, stream in zip(counters, numbers, streams, strict=True):
        term[stream] = np.append(own, np.int32(-1))[counter.term_of_token[: len(stream)]]
        frequency[stream] += counter.token_frequency[: len(stream)]
    most = np.zeros(n_terms + 1, np.int64)  # the last is of stop words
    np.maximum.at(most, term, frequency)
    candidates = np.flatnonzero((frequency == most[term]) & (term >= 0))
    token = np.zeros(n_terms, np.int64)
    token[term[candidates]] = candidates
    names = np.array(known.tokens(), dtype=object)
    words = names[token]
    tied = np.bincount(term[candidates], minlength=n_terms) > 1
    for i in candidates[tied[term[candidates]]].tolist():
        words[term[i]] = min(words[term[i]], names[i])
    return words
