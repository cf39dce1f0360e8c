"""Texts to vectors: `LtcVectorizer`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, repeat
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from quantext.atomic import check_new, scratch_folder
from quantext.vectors.alphabet import alphabetical, some_tokens
from quantext.vectors.batches import Out, in_threads, text_batches
from quantext.vectors.counters import Counters, known_words, spill, spilled
from quantext.vectors.disk import write_vectors
from quantext.vectors.emoji import emoji_table, lower_apart
from quantext.vectors.rows import pieces, stack, weighed_matrix
from quantext.vectors.terms import NumberTerms, TermCounter
from quantext.vectors.tokenise import Ints, TokenTable
from quantext.vectors.vocabulary import Learned, Numbering, commonest_tokens, learned
from quantext.vectors.weighing import Features, Part, rows
from quantext.vectors.words import Stem, stem_function, stop_list

__all__ = ["AHEAD", "TOKENS", "LtcVectorizer", "check_count", "nothing_left"]

# Tokens that a thread remembers, at least: with 2¹⁶ of them, abstracts take no longer than without
# a bound, and with 2¹⁵ a fifth longer; 2¹⁷ are 9 MB.
TOKENS = 1 << 17

# Batches a thread that are read while the kernels load; those cut from columns are small.
AHEAD = 16


class _Columns(NamedTuple):
    """Columns of a vocabulary that is being made."""

    counters: list[TermCounter]
    learnt: Learned
    kept: NDArray[np.int64]  # the terms of the columns
    features: list[Features]  # of each counter's terms


class LtcVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Rows of unit length with one ltc weight for each term of a text.

    Texts are put in lower case and cut into tokens, the maximal runs of letters and combining marks
    of any script; stop words, if there are any, are dropped, the other tokens stemmed. A stem that
    occurs tf times in a text, and in df of the N training texts, weighs (1 + ln tf) · ln(N / df)
    there before the row is brought to unit length (Salton & Buckley, 1988).

    Texts may be any iterable of strings, also over more of them than memory holds: learning keeps
    each distinct token in memory, vectors go to disk if a folder is named, and all else is a few
    batches.

    Parameters
    ----------
    stop_words
        None, "english" (scikit-learn's list), or your own words; a word that is itself cut into
        several tokens ("don't") stops each of them.
    stemmer
        "porter", another algorithm of Snowball ("english", "german", "russian"...), or None.
    min_df
        Keep the terms of at least so many training texts; a float is a share of them.
    max_features
        Keep only so many terms, those that occur most often in training (ties: alphabetically).
    n_jobs
        Threads; None is one, -1 is one a core. The result does not depend on it.
    emoji
        Whether emoji and other symbols are tokens too, each by itself; else they are passed over as
        punctuation is.

    Attributes
    ----------
    vocabulary_
        Column of each term, in alphabetical order.
    idf_
        ln(N / df) of each column.
    words_
        What the term of each column was most often cut from, for people: "battery", not "batteri".

    Notes
    -----
    What else was tried, on tweets and elsewhere: mean KLD × 1,000 of SVM(KLD) and, after the
    stroke, of a prototype of Adaptive.

    | | as it is | "english" | bigrams | masks |
    |---|--:|--:|--:|--:|
    | SemEval-2016 4D, 100 topics | 62.2 / 50.4 | 85.6 / 55.0 | 66.6 / 51.7 | 59.4 / 50.5 |
    | its 200 topics in random halves | 51.5 / 56.5 | 59.2 / 59.0 | 54.3 / 54.0 | 51.9 / 60.6 |
    | synthetic survey, weeks | 4.03 / 0.97 | 4.03 / 1.01 | 4.89 / 1.00 | |
    | Reuters-21578, days | 2.24 / 0.80 | 2.12 / 0.79 | 3.08 / 0.87 | |
    | arXiv, 20 categories, weeks | 2.24 / 0.66 | 2.20 / 0.65 | 1.38 / 0.75 | 2.23 / 0.66 |

    Stop words hold "not" and "never", on which opinions turn. Bigrams are pairs of adjacent stems
    beside the stems, all of two training texts or more; they are worse more often than better, and
    the intervals of Adaptive hold less often with them. Masks are one token for all @handles and
    one for all links, of which the survey and Reuters have none; on the second line they are worse
    for Adaptive in 17 of 20 halves. Emoticons such as ":)" as tokens change the numbers of the
    tweets by less than 1%. No corpus here has emoji, so what ``emoji`` gains was not measured.

    Examples
    --------
    >>> texts = ["The battery dies quickly.", "Great battery!", "It died; dying screens."]
    >>> vectorizer = LtcVectorizer().fit(texts)
    >>> list(vectorizer.get_feature_names_out())
    ['batteri', 'di', 'dy', 'great', 'it', 'quickli', 'screen', 'the']
    >>> list(vectorizer.words_)
    ['battery', 'died', 'dying', 'great', 'it', 'quickly', 'screens', 'the']
    >>> vectorizer.transform(["great great screen"]).data.round(3)
    array([0.861, 0.509], dtype=float32)
    >>> list(LtcVectorizer(emoji=True).fit(["so good 😀👍🏽", "not good"]).vocabulary_)
    ['good', 'not', 'so', '👍', '😀']
    """

    _remembered = TOKENS

    def __init__(
        self,
        stop_words: str | Iterable[str] | None = None,
        stemmer: str | None = "porter",
        min_df: int | float = 1,
        max_features: int | None = None,
        n_jobs: int | None = None,
        emoji: bool = False,
    ) -> None:
        self.stop_words = stop_words
        self.stemmer = stemmer
        self.min_df = min_df
        self.max_features = max_features
        self.n_jobs = n_jobs
        self.emoji = emoji

    def fit(self, texts: Iterable[str], y: object = None) -> Self:
        """Learn the vocabulary and the weights from ``texts``."""
        counters = self._start_vocabulary()
        n = sum(
            len(counts.ends) for counts in in_threads(counters, text_batches(texts), counters.n)
        )
        self._name_columns(self._choose_columns(counters.counters, n))
        return self

    def fit_transform(
        self, texts: Iterable[str], y: object = None, *, out: Path | str | None = None
    ) -> sparse.csr_matrix:
        """Vectors of ``texts``, which are also learnt from; faster than two calls.

        The texts are read once. With a folder ``out``, counts wait beside it, in files, until the
        vocabulary is known, and the vectors are written to it: see `transform`.
        """
        counters = self._start_vocabulary()
        counted = in_threads(counters, text_batches(texts), counters.n)
        if out is None:
            kept = list(counted)
            n = sum(len(counts.ends) for counts in kept)
            chosen = self._choose_columns(counters.counters, n)
            # Names are Python's, for which the threads that weigh need not wait.
            with ThreadPoolExecutor(1) as beside:
                naming = beside.submit(self._name_columns, chosen)
                if counters.n == 1:
                    naming.result()
                vectors = weighed_matrix(kept, chosen.features, counters.n)
                naming.result()
            return vectors
        folder = Path(out)
        check_new(folder)
        with scratch_folder(folder) as place:
            n = spill(counted, place)
            chosen = self._choose_columns(counters.counters, n)
            self._name_columns(chosen)
            features = chosen.features
            parts = in_threads(lambda c: rows(c, features[c.counter]), spilled(place), counters.n)
            return write_vectors(pieces(parts, len(self.idf_)), folder)

    def transform(
        self, texts: Iterable[str], *, out: Path | str | None = None
    ) -> sparse.csr_matrix:
        """Vectors of ``texts``; terms that training did not meet are passed over.

        With a new folder ``out``, they are written there batch by batch and mapped into memory, by
        `write_vectors`; `open_vectors` opens them
        again.
        """
        parts = self._parts(texts, lambda part: part)
        n_features = len(self.idf_)
        if out is None:
            return stack(parts, n_features)
        return write_vectors(pieces(parts, n_features), out)

    def map_batches(
        self, function: Callable[[sparse.csr_matrix], Out], texts: Iterable[str]
    ) -> Iterator[Out]:
        """Values of ``function`` at the vectors of each batch of ``texts``, in order, in threads.

        Only a few batches are in memory at a time, so ``texts`` may be an iterator over more of
        them than memory holds.
        """
        return self._parts(texts, lambda part: function(stack([part], len(self.idf_))))

    def map_counted(
        self, function: Callable[[sparse.csr_matrix], Out], columns: Iterable[Iterable[str]]
    ) -> Iterator[tuple[Out, NDArray[np.int64]]]:
        """As `map_batches`, and the numbers of known and of all words of each text, shape (n, 2).

        Stop words do not count. Texts come in columns, and no batch is made of two of them.
        """
        check_is_fitted(self)
        unknown = len(self.vocabulary_)
        counters = self._known_counters(unknown)
        column_of = np.append(np.arange(unknown, dtype=np.int32), np.int32(-1))
        features = Features.of(column_of, self.idf_)

        def work(batch: list[str] | pl.Series) -> tuple[Out, NDArray[np.int64]]:
            counts = counters(batch)
            part = rows(counts, features)
            return function(stack([part], unknown)), known_words(counts, unknown)

        cut = chain.from_iterable(map(text_batches, columns))
        return in_threads(work, cut, counters.n, AHEAD)

    def known_share(self, texts: Iterable[str]) -> float | None:
        """Share of the words of ``texts`` that are in the vocabulary; stop words do not count.

        Texts in another language than those of training have a small one. It is None if there are
        no words at all, as in texts of emoji and numbers.
        """
        check_is_fitted(self)
        unknown = len(self.vocabulary_)
        counters = self._known_counters(unknown)
        known = words = 0
        for counts in in_threads(counters, text_batches(texts), counters.n):
            of_batch = known_words(counts, unknown).sum(axis=0)
            known, words = known + int(of_batch[0]), words + int(of_batch[1])
        return known / words if words else None

    def _parts(self, texts: Iterable[str], function: Callable[[Part], Out]) -> Iterator[Out]:
        """Values of ``function`` at the rows of each batch."""
        check_is_fitted(self)
        counters = self._known_counters(-1)
        features = Features.of(np.arange(len(self.idf_), dtype=np.int32), self.idf_)
        return in_threads(
            lambda batch: function(rows(counters(batch), features)),
            text_batches(texts),
            counters.n,
        )

    def _known_counters(self, unknown: int) -> Counters:
        """Counters of the columns; ``unknown`` is that of all other terms."""
        column = self.vocabulary_.get

        def numbering(stem: Stem) -> NumberTerms:
            def numbers(known: TokenTable, first: int) -> Ints:
                terms = stem(known, first).tokens()
                return np.fromiter(map(column, terms, repeat(unknown)), np.int32, len(terms))

            return numbers

        return self._counters(numbering, max(self._remembered, 4 * len(self.vocabulary_)))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """The terms, in the order of the columns."""
        check_is_fitted(self)
        return np.array(list(self.vocabulary_), dtype=object)

    def _counters(
        self, numbering: Callable[[Stem], NumberTerms], max_tokens: float = inf
    ) -> Counters:
        """Counters that number terms as ``numbering`` says, each by its own."""
        stem = stem_function(self.stemmer)
        stop_words = stop_list(self.stop_words)
        characters: dict[str, Any] = (
            {"lower": lower_apart, "table": emoji_table} if self.emoji else {}
        )
        return Counters(
            lambda: TermCounter(numbering(stem()), stop_words, max_tokens, **characters),
            effective_n_jobs(self.n_jobs),
        )

    def _start_vocabulary(self) -> Counters:
        check_count("min_df", self.min_df, shares=True)
        if self.max_features is not None:
            check_count("max_features", self.max_features, shares=False)
        return self._counters(Numbering)

    def _choose_columns(self, counters: list[TermCounter], n: int) -> _Columns:
        """Set the weights; return the columns and the features of each counter's terms."""
        if n == 0:
            raise ValueError(nothing_left(0, 0, self.min_df, self.emoji))
        learnt = learned(counters)
        df, n_terms = learnt.document_frequency, learnt.terms.n_tokens
        least = self.min_df if isinstance(self.min_df, int | np.integer) else self.min_df * n
        kept = alphabetical(learnt.terms)
        kept = kept[df[kept] >= least]
        if self.max_features is not None:
            frequent = np.argsort(-learnt.frequency[kept], kind="stable")[: self.max_features]
            kept = kept[np.sort(frequent)]
        if len(kept) == 0:
            raise ValueError(nothing_left(n, n_terms, self.min_df, self.emoji))
        column_of = np.full(n_terms, -1, np.int32)
        column_of[kept] = np.arange(len(kept))
        self.idf_ = np.log(n / df[kept])
        features = [Features.of(column_of[own], self.idf_) for own in learnt.numbers]
        return _Columns(counters, learnt, kept, features)

    def _name_columns(self, chosen: _Columns) -> None:
        """Set what the columns are called."""
        counters, learnt, kept, _ = chosen
        terms = some_tokens(learnt.terms, kept)
        self.vocabulary_ = dict(zip(terms, range(len(terms)), strict=True))
        self.words_ = commonest_tokens(counters, learnt, kept)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = True
        return tags


def check_count(name: str, value: object, *, shares: bool) -> None:
    """Raise ValueError unless ``value`` is a positive whole number (or a share in (0, 1])."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= 1:
        return
    if shares and isinstance(value, float) and 0 < value <= 1:
        return
    kinds = (
        "a whole number from 1, or a share as a float in (0, 1]"
        if shares
        else "None or a whole number from 1"
    )
    raise ValueError(f"{name} must be {kinds}; it is {value!r}")


def nothing_left(n: int, n_terms: int, min_df: int | float, emoji: bool) -> str:
    """Why there is no vocabulary."""
    if n == 0:
        return "there are no texts to learn from"
    if n_terms == 0:
        without = "" if emoji else "; emoji are words only if asked for (emoji=True, --emoji)"
        return f"none of the {n} texts has a term: no words, or only stop words{without}"
    return f"none of the {n_terms} terms is in enough of the {n} texts; lower min_df={min_df!r}"
