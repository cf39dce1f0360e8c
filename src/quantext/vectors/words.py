"""Words: what is passed over, and what is left of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import Stemmer

from quantext.vectors.tokenise import TokenTable

__all__ = ["Stem", "stem_function", "stop_list"]

# From a table of tokens, and the number of the first that matters, to the terms of these.
Stem: TypeAlias = Callable[[TokenTable, int], list[str]]


def stop_list(stop_words: str | Iterable[str] | None) -> list[str]:
    """The words to pass over."""
    if stop_words is None:
        return []
    if isinstance(stop_words, str):
        if stop_words != "english":
            raise ValueError(
                f"stop_words {stop_words!r} is unknown; give 'english', None or a list of words"
            )
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # slow to load

        return sorted(ENGLISH_STOP_WORDS)
    return list(stop_words)


def stem_function(stemmer: str | None) -> Callable[[], Stem]:
    """What makes functions from tokens to terms, one for each thread."""
    if stemmer is None:
        return lambda: TokenTable.tokens
    if stemmer not in Stemmer.algorithms():
        raise ValueError(
            f"stemmer {stemmer!r} is unknown; give None or one of {', '.join(Stemmer.algorithms())}"
        )

    def make() -> Stem:
        # No token comes twice, so the stemmer's own cache would only cost.
        stem_words = Stemmer.Stemmer(stemmer, 0).stemWords

        def stem(known: TokenTable, first: int) -> list[str]:
            terms: list[str] = stem_words(known.tokens(first))
            return terms

        return stem

    return make
