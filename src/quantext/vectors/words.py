"""Words: what is passed over, and what is left of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import Stemmer

__all__ = ["stem_function", "stop_list"]


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


def stem_function(stemmer: str | None) -> Callable[[list[str]], list[str]]:
    """From tokens to terms."""
    if stemmer is None:
        return list
    if stemmer not in Stemmer.algorithms():
        raise ValueError(
            f"stemmer {stemmer!r} is unknown; give None or one of {', '.join(Stemmer.algorithms())}"
        )
    # No token comes twice, so the stemmer's own cache would only cost.
    stem: Callable[[list[str]], list[str]] = Stemmer.Stemmer(stemmer, 0).stemWords
    return stem
