"""Published figures: the results of Esuli and Sebastiani (2015), to stand beside our own."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import polars as pl

__all__ = ["SOURCE", "corpus_name", "published", "published_characteristics"]

_FIGURES: Mapping[str, Any] = tomllib.loads(
    files("quantext.reports").joinpath("published.toml").read_text(encoding="utf-8")
)

SOURCE: str = _FIGURES["source"]

_CORPORA = {"rcv1": "RCV1-v2", "rcv1v2": "RCV1-v2", "ohsumeds": "OHSUMED-S"}


def corpus_name(corpus: str) -> str | None:
    """The published name of a corpus, or None if nothing was published on it.

    Parameters
    ----------
    corpus
        Name in any case and with any punctuation.

    Examples
    --------
    >>> corpus_name("rcv1_v2"), corpus_name("Reuters-21578")
    ('RCV1-v2', None)
    """
    return _CORPORA.get("".join(filter(str.isalnum, corpus)).lower())


def published(table: str, corpus: str) -> pl.DataFrame | None:
    """Table as published, shaped as the function of that name in ``tables`` shapes ours, or None.

    Parameters
    ----------
    table
        Name of a function in ``quantext.reports.tables``.
    corpus
        Name of the corpus, see `corpus_name`.

    Examples
    --------
    >>> published("fp_fn", "RCV1-v2").rows()
    [('SVM(KLD)', 0.684, []), ('CC', 0.109, [])]
    """
    rows = _FIGURES.get(table, {}).get(corpus_name(corpus))
    if rows is None or table not in _FIGURES["columns"]:
        return None
    columns = _FIGURES["columns"][table]
    bold = rows.get("bold", {})
    return pl.DataFrame(
        [
            (method, *values, bold.get(method, []))
            for method, values in rows.items()
            if method != "bold"
        ],
        schema={
            "method": pl.String,
            **dict.fromkeys(columns, pl.Float64),
            "bold": pl.List(pl.String),
        },
        orient="row",
    )


def published_characteristics(corpus: str) -> list[str] | None:
    """Published characteristics of a corpus, in the order of our own table of them, or None.

    Parameters
    ----------
    corpus
        Name of the corpus, see `corpus_name`.
    """
    values: list[str] | None = _FIGURES["corpus"].get(corpus_name(corpus))
    return values
