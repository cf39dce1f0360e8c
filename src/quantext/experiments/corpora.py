"""Corpora by name: their readers, and how each is divided if nobody says otherwise."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from quantext.datasets import (
    arxiv,
    lequa,
    lyrl2004,
    ohsumed,
    rcv1,
    reuters21578,
    semeval,
    vectors,
)
from quantext.datasets.synthetic import synthetic
from quantext.texts.corpus import Corpus, VectorCorpus
from quantext.texts.reading import read_corpus

__all__ = ["CORPORA", "Source"]


@dataclass(frozen=True)
class Source:
    """Where a corpus comes from.

    Parameters
    ----------
    read
        Its reader, of a path first, if it has files.
    split
        How it is divided if nobody says otherwise: settings of a protocol, and its name if it is
        not by period.
    published
        Its counts as published.
    vectorizer
        How its texts are made vectors if nobody says otherwise, as in `LtcVectorizer`.
    """

    read: Callable[..., Corpus | VectorCorpus]
    split: Mapping[str, Any]
    published: Mapping[str, float] = field(default_factory=dict)
    vectorizer: Mapping[str, Any] = field(default_factory=dict)


# The paper's experiment passes over stop words, which is not our default.
_PAPER = {"stop_words": "english"}


def _read_table(
    path: str,
    *,
    text: str | list[str] = "text",
    label: str = "label",
    date: str | None = None,
    by: str | None = None,
    date_format: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
) -> Corpus:
    """Corpus of a table, by the day."""
    columns = {"text": text, "label": label, "date": date, "by": by, "separator": separator}
    columns["date_format"] = date_format
    for name, value in columns.items():
        if not isinstance(value, str | list | None):
            raise ValueError(f"setting {name!r} of reader is {value!r}; it must be text")
    return read_corpus(
        path,
        text=text,
        label=label,
        date=date,
        by=by,
        date_format=date_format,
        period="day",
        separator=separator,
        encoding=encoding,
        sheet=sheet,
        header_row=header_row,
    )


def _source(module: Any, reader: str, vectorizer: Mapping[str, Any]) -> Source:
    return Source(getattr(module, reader), module.SPLIT, module.PUBLISHED, vectorizer)


CORPORA: Mapping[str, Source] = MappingProxyType(
    {
        "reuters21578": _source(reuters21578, "read_reuters21578", _PAPER),
        "arxiv": _source(arxiv, "read_arxiv", _PAPER),
        "rcv1": _source(rcv1, "read_rcv1", _PAPER),
        "lyrl2004_tokens": _source(lyrl2004, "read_lyrl2004_tokens", _PAPER),
        "lyrl2004_vectors": _source(lyrl2004, "read_lyrl2004_vectors", {}),
        "ohsumed": _source(ohsumed, "read_ohsumed", _PAPER),
        "lequa2022": _source(lequa, "read_lequa2022", {}),
        "lequa2024": _source(lequa, "read_lequa2024", {}),
        "semeval2016": _source(semeval, "read_semeval", {}),
        "vectors": _source(vectors, "read_vectors", {}),
        "table": Source(_read_table, {"by": "week"}),
        "synthetic": Source(synthetic, {"by": "week", "train_periods": 8}),
    }
)
"""Corpora by name."""
