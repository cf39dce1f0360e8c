"""Quotes: documents and their scores in, the few that best show each class out.

They are chosen while documents are read once. What is best does not depend on the order of the
documents, nor on the parts in which they come: quotes of parts add up to the quotes of all.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from hashlib import blake2b
from operator import add
from string import punctuation
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = [
    "KEPT",
    "MOST_KEPT",
    "TOGETHER",
    "BagQuotes",
    "Quote",
    "Quotes",
    "best",
    "choose",
    "cut",
    "make_quote",
    "quotes_table",
]

Array = NDArray[Any]

KEPT = 500  # characters of a document
MOST_KEPT = 50_000  # quotes in memory: 60 megabytes if all are that long, 110 if all have emoji
SHORT = 20  # characters that say too little, if there are documents of more
ALIKE = 200  # characters that make a repetition: most of what a page shows of a document

TOGETHER = None  # name of the bag of all documents, where bags are too many

_LINK = re.compile(r"(https?://|www\.)\S*")
_RETWEET = re.compile(r"^(rt\s+@\w+:?\s*)+")


class Quote(NamedTuple):
    """A document that shows a class; the least of several is the best.

    Parameters
    ----------
    short
        Whether it says little.
    minus_score
        Minus its score, so that high ones come first.
    text
        What is kept of it.
    key
        What it has in common with its repetitions: a digest, for it is kept with each.
    """

    short: bool
    minus_score: float
    text: str
    key: bytes


@dataclass(frozen=True)
class BagQuotes:
    """The best documents of each class in a bag, or in a part of one; parts add up.

    Parameters
    ----------
    most
        How many of a class are kept.
    by_class
        The best first, by the number of the class; a class without any is not there.
    """

    most: int
    by_class: Mapping[int, tuple[Quote, ...]]

    def __add__(self, other: "BagQuotes") -> "BagQuotes":
        a, b = self.by_class, other.by_class
        classes = sorted({*a, *b})
        return BagQuotes(
            self.most, {k: best([*a.get(k, ()), *b.get(k, ())], self.most) for k in classes}
        )


@dataclass(frozen=True)
class Quotes:
    """The best documents of each class in every bag; of all bags together if these are many.

    Parameters
    ----------
    most_bags
        More are put together. Whether they are depends on all bags, not on the parts in which they
        come.
    bags
        By the name of the bag or, if that is a date, by day; or all under ``None``.
    """

    most_bags: int
    bags: dict[Any, BagQuotes]

    @classmethod
    def none(cls, most: int, n_classes: int, most_kept: int) -> "Quotes":
        """Room for so many quotes of a class, and of all classes and bags, before any is there."""
        return cls(max(1, most_kept // (most * n_classes)), {})

    def __add__(self, other: "Quotes") -> "Quotes":
        both = Quotes(self.most_bags, dict(self.bags))
        for name, own in other.bags.items():
            both.include(name, own)
        return both

    @property
    def together(self) -> bool:
        """Whether bags were too many to be quoted one by one."""
        return TOGETHER in self.bags

    def include(self, name: Any, own: BagQuotes) -> None:
        """Add those of a part of a bag."""
        bags = self.bags
        place = TOGETHER if self.together else name
        bags[place] = bags[place] + own if place in bags else own
        if len(bags) > self.most_bags or (self.together and len(bags) > 1):
            every = reduce(add, bags.values())
            bags.clear()
            bags[TOGETHER] = every


def choose(texts: pl.Series, scores: Array, most: int) -> BagQuotes:
    """The best documents of each class.

    Parameters
    ----------
    texts
        Of a bag, or of a part of one, without blanks around them.
    scores
        What `class_scores` says of them, shape (n, K). Only documents above 0 are chosen.
    most
        How many of a class.

    Examples
    --------
    >>> texts = pl.Series(["late again, two hours", "Late again: two hours!", "late", "fine"])
    >>> scores = np.array([[1.5], [1.0], [3.0], [-1.0]])
    >>> [quote.text for quote in choose(texts, scores, 3).by_class[0]]
    ['late again, two hours', 'late']
    """
    columns = ((int(k), scores[:, k]) for k in np.flatnonzero((scores > 0).any(axis=0)))
    chosen = ((k, _best_of(texts, own, most)) for k, own in columns)
    return BagQuotes(most, {k: quotes for k, quotes in chosen if quotes})


def _best_of(texts: pl.Series, scores: Array, most: int) -> tuple[Quote, ...]:
    """The best documents of one class; most documents are never looked at."""
    places = np.flatnonzero(scores > 0)
    places = places[np.argsort(-scores[places], kind="stable")]
    found: list[Quote] = []
    long: set[bytes] = set()
    lowest = 0.0
    for i, score in zip(places.tolist(), scores[places].tolist(), strict=True):
        if len(long) == most and score < lowest:
            break  # whatever follows is worse; of the same score, the text decides
        quote = make_quote(texts[i], score)
        if quote is None:
            continue
        found.append(quote)
        if not quote.short and len(long) < most:
            long.add(quote.key)
            lowest = score
    return best(found, most)


def best(quotes: Iterable[Quote], most: int) -> tuple[Quote, ...]:
    """The best of them, without repetitions.

    Parameters
    ----------
    quotes
        Of one class.
    most
        How many.
    """
    distinct: dict[bytes, Quote] = {}
    for quote in sorted(quotes):
        distinct.setdefault(quote.key, quote)
        if len(distinct) == most:
            break
    return tuple(distinct.values())


def make_quote(text: str, score: float) -> Quote | None:
    """The document as a quote; None if it has nothing but blanks, punctuation and links.

    Documents are repetitions of each other if they begin alike: case, blanks, punctuation, links
    and "RT @someone:" at the start do not count.

    Parameters
    ----------
    text
        Of the document, or its beginning, without blanks around it.
    score
        Of `class_scores`.
    """
    # The beginning alone, and no regular expression for blanks: of small bags nearly all documents
    # come here.
    start = _LINK.sub(" ", text[:KEPT].casefold()).lstrip()[: 2 * ALIKE]
    said = " ".join(_RETWEET.sub("", start).translate(_blanks()).split())[:ALIKE]
    if not said:
        return None
    key = blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return Quote(len(said) < SHORT, -score, cut(text, KEPT), key)


@cache
def _blanks() -> dict[int, str]:
    """A blank for all punctuation, which Unicode has in its first two planes only."""
    marks = (i for i in range(0x20000) if unicodedata.category(chr(i))[0] == "P")
    return dict.fromkeys([*map(ord, punctuation), *marks], " ")


def cut(text: str, most: int) -> str:
    """The text, or so many characters of it at most, up to the end of a word, and an ellipsis.

    Parameters
    ----------
    text
        Any.
    most
        Characters.

    Examples
    --------
    >>> cut("the screen is broken", 15), cut("the screen", 15)
    ('the screen is…', 'the screen')
    """
    if len(text) <= most:
        return text
    start = text[: most - 1]
    # In a word that fills a third of the room, as where no blanks are written, it is cut anywhere.
    whole = re.match(r"(.*\S)\s", text[:most], re.DOTALL)
    if whole and len(whole[1]) >= 2 * most // 3:
        start = whole[1]
    # Joiners and selectors would change the ellipsis or hang in the air.
    return start.rstrip(" \t\r\n\u200d\ufe0f") + "…"


def quotes_table(
    bags: Mapping[Any, BagQuotes], classes: Sequence[str], batch: pl.DataType
) -> pl.DataFrame:
    """A row for each quote, bags in order and classes within them, the best first.

    Parameters
    ----------
    bags
        By name, in order.
    classes
        Names.
    batch
        Type of the names of bags.
    """
    rows = [
        (name, classes[k], rank, quote.text, -quote.minus_score)
        for name, own in bags.items()
        for k, quotes in sorted(own.by_class.items())
        for rank, quote in enumerate(quotes, start=1)
    ]
    schema: dict[str, Any] = {
        "batch": batch,
        "class": pl.String,
        "rank": pl.Int64,
        "text": pl.String,
        "score": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")
