"""Answers: what models say of documents, as one text for each document, and back.

So they go wherever texts go: in blocks, in bags, in files that are larger than memory.
"""

from collections.abc import Iterable

import polars as pl

__all__ = ["count_models", "join_answers", "plain_label", "split_answers"]

# Separators of units and of records, which no label has.
_NEXT_MODEL, _NEXT_LABEL = "\x1f", "\x1e"
_MISSING = ("NaN", "nan")  # how programs write that a number is missing


def join_answers(columns: Iterable[pl.Series], separator: str | None = None) -> pl.Series:
    """Answers of several models as one text for each document.

    Parameters
    ----------
    columns
        What each model says: labels, lists of labels, or numbers; null or blank where it says
        nothing.
    separator
        What stands between labels that are written as one text.

    Examples
    --------
    >>> said = [pl.Series(["spam", " ", "ham"]), pl.Series([0.25, 1.0, None])]
    >>> joined = join_answers(said)
    >>> [column.to_list() for column in split_answers(joined, 2)]
    [[['spam'], [], ['ham']], [['0.25'], ['1'], []]]
    """
    texts = [_texts(column, separator).alias(str(i)) for i, column in enumerate(columns)]
    joined = pl.concat_str(pl.all().fill_null(""), separator=_NEXT_MODEL)
    return pl.DataFrame(texts).select(text=joined)["text"]


def split_answers(texts: pl.Series, n_models: int) -> list[pl.Series]:
    """Labels that each model gave each document: lists, which are empty where it gave none.

    Parameters
    ----------
    texts
        That `join_answers` made; of one model, labels will do.
    n_models
        How many there should be.
    """
    columns = texts.fill_null("").str.split(_NEXT_MODEL)
    wrong = columns.list.len() != n_models
    if wrong.any():
        at = wrong.arg_true()[0]
        raise ValueError(
            f"document {at} (counting from 0) has answers of {len(columns[at])} models, and there "
            f"should be {n_models}; give a data frame with a column for each"
        )
    label = plain_label(pl.element())
    once = label.filter(~label.is_in(["", *_MISSING])).unique(maintain_order=True)
    split = (columns.list.get(i).str.split(_NEXT_LABEL) for i in range(n_models))
    return [own.list.eval(once) for own in split]


def plain_label(label: pl.Expr) -> pl.Expr:
    """Labels without surrounding blanks, and without .0 after a whole number.

    Programs write it where others of the column are missing: it is the same label without.

    Parameters
    ----------
    label
        Texts.
    """
    return label.str.strip_chars().str.replace(r"^([+-]?[0-9]+)\.0$", "${1}")


def count_models(texts: pl.Series) -> int:
    """Number of the models whose answers are in the first of these texts.

    Parameters
    ----------
    texts
        That `join_answers` made.
    """
    return (texts[0] or "").count(_NEXT_MODEL) + 1 if len(texts) else 1


def _texts(column: pl.Series, separator: str | None) -> pl.Series:
    """Answers as text."""
    if isinstance(column.dtype, pl.Array):
        column = column.arr.to_list()
    if isinstance(column.dtype, pl.List):
        plain = column.dtype.inner
        if plain is None or plain.is_nested():
            raise ValueError(f"column {column.name!r} holds {column.dtype}; give labels or numbers")
        return column.list.eval(pl.element().cast(pl.String)).list.join(_NEXT_LABEL)
    if column.dtype.is_nested() or column.dtype == pl.Object:
        raise ValueError(f"column {column.name!r} holds {column.dtype}; give labels or numbers")
    if column.dtype.is_float():
        return column.fill_nan(None).cast(pl.String)
    texts = column.cast(pl.String)
    if separator is not None and column.dtype == pl.String:
        texts = texts.str.replace_all(separator, _NEXT_LABEL, literal=True)
    return texts
