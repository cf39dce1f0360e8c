"""A corpus: documents with their labels and periods."""

import hashlib
from collections.abc import Sequence
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
    """Documents with their labels and periods.

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
    classes: tuple[str, ...] = ()
    dropped: int = 0
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        text = pl.String()
        check_column("texts", self.texts, [text], len(self.texts))
        if self.periods is not None:
            check_column("periods", self.periods, [pl.Date(), text], len(self))
        names: set[str] = set()
        if self.labels is not None:
            check_column("labels", self.labels, [text, pl.List(text)], len(self))
            names = set(label_names(self.labels).unique())
        object.__setattr__(self, "classes", tuple(sorted(names.union(self.classes))))

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
        return np.take(np.array(self.classes, dtype=np.str_), names.to_physical().to_numpy())

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
        if self.periods is not None:
            feed(digest, self.periods)
        return digest.hexdigest()

    def select(self, mask: pl.Series | NDArray[np.bool_] | Sequence[bool]) -> "Corpus":
        """The documents where ``mask`` is true, with the classes of the whole."""
        keep = pl.Series(mask, dtype=pl.Boolean)
        if len(keep) != len(self):
            raise ValueError(f"the mask has {len(keep)} entries for {len(self)} documents")
        return replace(
            self,
            texts=self.texts.filter(keep),
            labels=None if self.labels is None else self.labels.filter(keep),
            periods=None if self.periods is None else self.periods.filter(keep),
        )

    def _given(self) -> pl.Series:
        """The labels, which must be there."""
        if self.labels is None:
            raise ValueError(f"corpus {self.name!r} has no labels")
        return self.labels


@dataclass(frozen=True, eq=False)
class VectorCorpus:
    """Documents that come as vectors, with their labels and periods.

    What a `Corpus` is for texts: both have ``name``, ``classes``, ``indicator``,
    ``periods``, ``dropped``, ``notes`` and ``checksum``.

    Parameters
    ----------
    name
        What tables and messages call it.
    vectors
        The documents, one a row.
    indicator
        Whether each document (row) has each of the classes (column).
    classes
        Names of the classes.
    periods
        When each document was written: a day (Date), or any name (String).
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
    dropped: int = 0
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.indicator.shape != (len(self), len(self.classes)):
            raise ValueError(
                f"the indicator is {self.indicator.shape} for {len(self)} documents "
                f"and {len(self.classes)} classes"
            )
        if self.periods is not None:
            check_column("periods", self.periods, [pl.Date(), pl.String()], len(self))

    def __len__(self) -> int:
        return int(self.vectors.shape[0])

    def checksum(self) -> str:
        """Fingerprint of the vectors, labels and periods, the same in every run."""
        digest = hashlib.blake2b(digest_size=16)
        for part in (self.vectors.indptr, self.vectors.indices, self.vectors.data):
            digest.update(part.tobytes())
        digest.update(np.packbits(self.indicator).tobytes())
        feed(digest, pl.Series(self.classes, dtype=pl.String))
        if self.periods is not None:
            feed(digest, self.periods)
        return digest.hexdigest()
