"""A corpus: documents with their labels, and what divides them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from quantext.texts.columns import check_column, feed, indicator, label_names

__all__ = ["Corpus", "VectorCorpus"]


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents with their labels, and what divides them: periods, groups or bags.

    Parameters
    ----------
    name
        What tables and messages call it.
    texts
        The documents (String).
    labels
        The class of each document (String), its classes (List of String; an empty list is a
        document that has none), or None for documents without labels.
    periods
        When each document was written: the first day of its period (Date), or any name (String).
    groups
        What each document is about or comes from (String): a topic, a branch. Unlike periods they
        have no order.
    bags
        The bag that each document is in (String; null: a training document), where the files say.
    shares
        Known shares of the bags, a column ``bag`` and one for each class, if their documents have
        no labels of their own: those are null.
    classes
        Names beside those that occur in the labels; afterwards all of them, sorted.
    dropped
        How many documents of the files were left out.
    notes
        What a reader has to say about its files, above all which documents it left out and why.

    Examples
    --------
    >>> corpus = Corpus(
    ...     "answers",
    ...     texts=pl.Series(["too slow", "fine", "slow, dear"]),
    ...     labels=pl.Series([["speed"], [], ["speed", "price"]]),
    ... )
    >>> corpus.classes
    ('price', 'speed')
    >>> corpus.y
    array([[False,  True],
           [False, False],
           [ True,  True]])

    A part keeps the classes of the whole, so that ``y`` means the same in both:

    >>> corpus.select([True, True, False]).y
    array([[False,  True],
           [False, False]])
    """

    name: str
    texts: pl.Series
    labels: pl.Series | None = None
    periods: pl.Series | None = None
    groups: pl.Series | None = None
    bags: pl.Series | None = None
    shares: pl.DataFrame | None = None
    classes: tuple[str, ...] = ()
    dropped: int = 0
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        text = pl.String()
        check_column("texts", self.texts, [text], len(self.texts))
        names: set[str] = set()
        if self.labels is not None:
            blank = self.shares is not None
            check_column("labels", self.labels, [text, pl.List(text)], len(self), nulls=blank)
            names = set(label_names(self.labels).drop_nulls().unique())
        object.__setattr__(self, "classes", tuple(sorted(names.union(self.classes))))
        _check_divisions(self)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def multilabel(self) -> bool:
        """Whether a document may have several labels, or none."""
        return self.labels is not None and self.labels.dtype == pl.List

    @property
    def y(self) -> NDArray[Any]:
        """Label of each document; if it may have several, whether it has each of ``classes``."""
        if self.multilabel:
            return self.indicator
        names = self._given().cast(pl.Enum(self.classes))
        # As objects where NumPy's own texts would lose a NUL at the end, and two classes be one.
        kept = object if any(name.endswith("\0") for name in self.classes) else np.str_
        return np.take(np.array(self.classes, dtype=kept), names.to_physical().to_numpy())

    @property
    def named_y(self) -> NDArray[Any] | pl.DataFrame:
        """The same, and where documents may have several labels the columns have their names."""
        return pl.DataFrame(self.y, schema=list(self.classes)) if self.multilabel else self.y

    @property
    def indicator(self) -> NDArray[np.bool_]:
        """Whether each document (row) has each of ``classes`` (column)."""
        return indicator(self._given(), self.classes)

    def checksum(self) -> str:
        """Fingerprint of the texts, labels and periods, the same in every run."""
        digest = hashlib.blake2b(digest_size=16)
        feed(digest, self.texts)
        if self.labels is not None:
            feed(digest, label_names(self.labels))
            if self.multilabel:
                feed(digest, self.labels.list.len())
        _feed_divisions(digest, self)
        return digest.hexdigest()

    def select(self, mask: pl.Series | NDArray[np.bool_] | Sequence[bool]) -> "Corpus":
        """The documents where ``mask`` is true, with the classes of the whole."""
        keep = pl.Series(mask, dtype=pl.Boolean)
        if len(keep) != len(self):
            raise ValueError(f"the mask has {len(keep)} entries for {len(self)} documents")
        columns = {name: getattr(self, name) for name in ("texts", "labels", *_DIVISIONS)}
        kept = {name: c.filter(keep) for name, c in columns.items() if c is not None}
        return replace(self, **kept)

    def _given(self) -> pl.Series:
        """The labels, which must be there."""
        if self.labels is None:
            raise ValueError(f"corpus {self.name!r} has no labels")
        return self.labels


@dataclass(frozen=True, eq=False)
class VectorCorpus:
    """Documents that come as vectors, with their labels and what divides them.

    What a `Corpus` is for texts: both have ``name``, ``classes``, ``indicator``, ``multilabel``,
    ``periods``, ``groups``, ``bags``, ``shares``, ``dropped``, ``notes`` and ``checksum``.

    Parameters
    ----------
    name
        What tables and messages call it.
    vectors
        The documents, one a row, as a CSR matrix.
    indicator
        Whether each document (row) has each of the classes (column).
    classes
        Names of the classes.
    multilabel
        Whether a document may have several labels, or none.
    periods, groups, bags, shares
        As in `Corpus`. A document without a label, in a bag whose shares are known, has no class.
    dropped
        How many documents of the files were left out.
    notes
        What a reader has to say about its files.
    """

    name: str
    vectors: sparse.csr_matrix
    indicator: NDArray[np.bool_]
    classes: tuple[str, ...]
    periods: pl.Series | None = None
    groups: pl.Series | None = None
    bags: pl.Series | None = None
    shares: pl.DataFrame | None = None
    multilabel: bool = True
    dropped: int = 0
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if getattr(self.vectors, "format", None) != "csr":
            raise TypeError(
                f"the vectors are a {type(self.vectors).__name__}; give a CSR matrix, as "
                "scipy.sparse.csr_array(vectors)"
            )
        if self.indicator.shape != (len(self), len(self.classes)):
            raise ValueError(
                f"the indicator is {self.indicator.shape} for {len(self)} documents "
                f"and {len(self.classes)} classes"
            )
        _check_divisions(self)

    def __len__(self) -> int:
        return int(self.vectors.shape[0])

    def checksum(self) -> str:
        """Fingerprint of the vectors, labels and periods, the same in every run."""
        digest = hashlib.blake2b(digest_size=16)
        for part in (self.vectors.indptr, self.vectors.indices, self.vectors.data):
            digest.update(np.ascontiguousarray(part).data)  # which is no copy
        digest.update(np.packbits(self.indicator).tobytes())
        feed(digest, pl.Series(self.classes, dtype=pl.String))
        _feed_divisions(digest, self)
        return digest.hexdigest()


# What divides the documents of either -------------------------------------------------------------

_DIVISIONS: Mapping[str, Sequence[pl.DataType]] = {
    "periods": [pl.Date(), pl.String()],
    "groups": [pl.String()],
    "bags": [pl.String()],
}


def _check_divisions(corpus: Corpus | VectorCorpus) -> None:
    for name, dtypes in _DIVISIONS.items():
        if (column := getattr(corpus, name)) is not None:
            check_column(name, column, dtypes, len(corpus), nulls=name == "bags")
    if corpus.shares is None:
        return
    known = set() if corpus.bags is None else set(corpus.bags.drop_nulls())
    if missing := {"bag", *corpus.classes} - set(corpus.shares.columns):
        raise ValueError(f"shares has no column {', '.join(sorted(missing))}")
    if missing := known - set(corpus.shares["bag"]):
        raise ValueError(f"shares says nothing of the bag {min(missing)!r}")


def _feed_divisions(digest: "hashlib.blake2b", corpus: Corpus | VectorCorpus) -> None:
    for name in _DIVISIONS:
        if (column := getattr(corpus, name)) is not None:
            feed(digest, column)
    if corpus.shares is not None:
        for column in corpus.shares:
            feed(digest, column)
