"""Words: what is passed over, and what is left of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeAlias

import numpy as np
import Stemmer

from quantext.vectors.scan import SPARE
from quantext.vectors.tokenise import Lines, TokenTable

FEW = 10_000  # tokens, which the interpreter's stemmer has done in some 3 ms

__all__ = ["Stem", "stem_function", "stop_list"]

# From a table of tokens, and the number of the first that matters, to the terms of these.
Stem: TypeAlias = Callable[[TokenTable, int], Lines]


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
        return lambda: TokenTable.lines
    if stemmer not in Stemmer.algorithms():
        raise ValueError(
            f"stemmer {stemmer!r} is unknown; give None or one of {', '.join(Stemmer.algorithms())}"
        )

    # No token comes twice, so the stemmer's own cache would only cost.
    return lambda: partial(_stems, Stemmer.Stemmer(stemmer, 0).stemWords, stemmer == "porter")


def _stems(
    stem_words: Callable[[list[str]], list[str]], by_porter: bool, known: TokenTable, first: int
) -> Lines:
    """Stems of the tokens from number ``first`` on.

    Those of Porter come from our own kernel, which gives the same, an eighth of the time after, and
    meanwhile lets other threads work; except while few tokens are known, as loading it takes longer
    than these do, and compiling it seconds.
    """
    if not by_porter or known.n_tokens < FEW:
        return Lines.of(stem_words(known.tokens(first)))
    from quantext.vectors.porter import stem_tokens

    n = known.n_tokens - first
    begin, end = known.starts[first], known.starts[known.n_tokens]
    out, foreign = np.empty(end - begin + SPARE, np.uint8), np.empty(n, np.int64)
    size = stem_tokens(known.letters, known.starts, first, known.n_tokens, out, foreign)
    if not (others := np.flatnonzero(foreign >= 0)).size:
        return Lines(out, size, n)
    words = [known.token(first + i) for i in others.tolist()]
    parts, at = [], 0
    for start, word, stem in zip(foreign[others].tolist(), words, stem_words(words), strict=True):
        parts += [out[at:start].tobytes(), stem.encode()]
        at = start + len(word.encode())
    data = b"".join([*parts, out[at:size].tobytes(), bytes(SPARE)])
    return Lines(np.frombuffer(data, np.uint8), len(data) - SPARE, n)
