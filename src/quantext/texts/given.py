"""What people hold in Python, as documents: texts, data frames of polars or pandas, files."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from quantext.texts.columns import Columns, batch_columns
from quantext.texts.dating import Rows, date_or_name
from quantext.texts.formats import USUAL, Opening, check_columns
from quantext.texts.paths import find_files
from quantext.texts.reading import read_documents, table_documents
from quantext.texts.where import EVERYWHERE, Part, Where
from quantext.wording import listed

__all__ = ["Asked", "Given", "as_series", "given_documents"]


@dataclass(frozen=True)
class Asked:
    """What the caller says of documents: names of columns, or values as many as the documents.

    Parameters
    ----------
    text
        Column of the texts, or several.
    label, by, weight
        Columns, or values; ``by`` may be several columns.
    usual_label
        Column of the labels if it is there, where ``label`` is None.
    separator
        What stands between labels that are written as one text.
    dated
        ``by`` has dates.
    proxies
        Columns of what models say of documents, in place of texts.
    date_format
        How dates are written; None: to be found out.
    where
        Which rows are meant.
    opening
        How files are opened.
    """

    text: str | Sequence[str] | None = None
    label: Any = None
    usual_label: str | None = None
    separator: str | None = None
    by: Any = None
    dated: bool = False
    weight: Any = None
    proxies: tuple[str, ...] = ()
    date_format: str | None = None
    where: Where = EVERYWHERE
    opening: Opening = USUAL

    def columns(self, names: dict[str, Any]) -> Columns:
        """Columns of the documents, given the names of those that hold label, by and weight."""
        text = () if self.proxies else self.text
        assert text is not None
        return Columns(
            text,
            names["label"],
            self.separator,
            weight=names["weight"],
            proxies=self.proxies,
            date_format=self.date_format,
            where=self.where,
            **batch_columns(_several(names["by"]), self.dated),
        )


@dataclass(frozen=True)
class Given:
    """Documents, and where they are from.

    Parameters
    ----------
    blocks
        Rows and documents, as `read_documents` gives them.
    name
        What people call where they are from.
    label
        What they call where labels are from, if there are any.
    part
        Counts the rows that are meant, as blocks are read.
    """

    blocks: Iterator[tuple[int, pl.DataFrame]]
    name: str
    label: str | None
    part: Part = field(default_factory=lambda: Part(EVERYWHERE))


def given_documents(texts: Any, asked: Asked) -> Given:
    """Documents of whatever the texts are in.

    Parameters
    ----------
    texts
        Texts, a data frame, or files: a path, which may be a string, or a list of Paths.
    asked
        What is said of them.

    Examples
    --------
    >>> given = given_documents(["dear", None, "slow"], Asked(by=["May", "May", "June"]))
    >>> [(n, table.rows()) for n, table in given.blocks]
    [(3, [('dear', 'May'), ('slow', 'June')])]
    """
    if _is_path(texts) or (isinstance(texts, list | tuple) and any(map(_is_file, texts))):
        return _from_files(texts, asked)
    if isinstance(texts, pl.DataFrame) or (hasattr(texts, "iloc") and hasattr(texts, "columns")):
        return _from_table(texts, asked)
    if isinstance(texts, bytes) or not isinstance(texts, Iterable):
        raise TypeError(
            f"texts is a {type(texts).__name__}; give texts in a list or a column, a data frame "
            "of polars or pandas, or the path of a file"
        )
    return _from_texts(texts, asked)


def _is_path(texts: Any) -> bool:
    return isinstance(texts, str | os.PathLike)


def _is_file(item: Any) -> bool:
    """Whether an item of a list is a file and no text: strings in a list are texts."""
    return isinstance(item, os.PathLike)


def _from_files(paths: Any, asked: Asked) -> Given:
    files = find_files(paths)
    values = [name for name in ("label", "weight") if not _is_name(getattr(asked, name))]
    values += [] if all(map(_is_name, _several(asked.by))) else ["by"]
    if values:
        raise TypeError(f"{values[0]} must name a column of the files")
    _check_text(asked, files[0])
    names = {"label": asked.label or asked.usual_label, "by": asked.by, "weight": asked.weight}
    part = Part(asked.where)
    blocks = read_documents(
        files,
        asked.columns(names),
        opening=asked.opening,
        unlabelled=True,
        optional_label=asked.label is None,
        part=part,
    )
    return Given(blocks, ", ".join(files), names["label"] and f"column {names['label']!r}", part)


def _from_table(table: Any, asked: Asked) -> Given:
    where = "the data frame"
    present = [str(name) for name in table.columns]
    _check_text(asked, where, present)
    texts = asked.proxies or asked.text
    assert texts is not None
    wanted = [texts] if isinstance(texts, str) else list(texts)
    label = asked.label
    if label is None and asked.usual_label in present:
        label = asked.usual_label
    by = _columns_of(asked.by, present, len(table))
    said = {"label": label, "by": by, "weight": asked.weight}
    wanted += [value for value in said.values() if isinstance(value, str)]
    wanted += [*(by if isinstance(by, tuple) else ()), *asked.where.columns]
    check_columns(wanted, present, where)
    columns = {name: as_series(name, table[name]) for name in wanted}
    return _documents(columns, said, len(table), where, asked)


def _from_texts(texts: Iterable[Any], asked: Asked) -> Given:
    by = list(asked.by) if isinstance(asked.by, tuple) else asked.by
    said = {"label": asked.label, "by": by, "weight": asked.weight}
    for name, value in said.items():
        if isinstance(value, str):
            raise TypeError(
                f"{name}={value!r} names a column, and texts have none; give as many values as "
                "there are texts, or a data frame"
            )
    if asked.where:
        raise TypeError(
            f"where={asked.where.columns[0]!r} names a column, and texts have none; give a data "
            "frame"
        )
    if len(asked.proxies) > 1:
        raise TypeError(
            f"the model reads {len(asked.proxies)} columns, {', '.join(map(repr, asked.proxies))}; "
            "give a data frame that has them"
        )
    column = as_series("text", texts)
    proxies = ("text",) if asked.proxies else ()
    texts_alone = replace(asked, text="text", proxies=proxies)
    return _documents({"text": column}, said, len(column), "the texts", texts_alone)


def _documents(
    columns: dict[str, pl.Series], said: dict[str, Any], n: int, where: str, asked: Asked
) -> Given:
    """Documents of columns, and of values that were given beside them."""
    names: dict[str, Any] = {}
    for name, value in said.items():
        named = _is_name(value) or (name == "by" and isinstance(value, tuple))
        # As the argument is written, which no column of a table is likely to be called.
        names[name] = value if named else f"{name}="
        if not named:
            values = as_series(f"{name}=", value)
            if len(values) != n:
                raise ValueError(f"{name} has {len(values):,} values for {n:,} texts")
            columns[f"{name}="] = values
    part, table = Part(asked.where), pl.DataFrame(columns)
    documents = date_or_name(asked.columns(names), Rows.whole(table, where))
    blocks = table_documents(table, documents, where, part)
    label = names["label"]
    told = "label" if label == "label=" else f"column {label!r}"
    return Given(blocks, where, told if label else None, part)


def _columns_of(by: Any, present: Sequence[str], n_rows: int) -> Any:
    """Several columns in a tuple, where a list names those of a table; else the values."""
    if not isinstance(by, list | tuple):
        return by
    known = [isinstance(name, str) and name in present for name in by]
    # Values, one for each row, are not likely to be called like as many columns.
    columns = all(known) if len(by) == n_rows else any(known)
    return tuple(by) if columns and by else list(by)


def _several(by: Any) -> tuple[Any, ...]:
    """Columns, of which there may be none, one or several."""
    if by is None or isinstance(by, str):
        return () if by is None else (by,)
    return tuple(by)


def _check_text(asked: Asked, where: str, present: Sequence[str] = ()) -> None:
    if asked.text or asked.proxies:
        return
    columns = f"; its columns are {', '.join(map(repr, present))}" if present else ""
    raise ValueError(
        f"the model does not say in which column of {where} texts are: name it with "
        f"text='...'{columns}"
    )


def _is_name(value: Any) -> bool:
    return value is None or isinstance(value, str)


def as_series(name: str, values: Any) -> pl.Series:
    """Values as a column of polars, null where pandas or Python has none.

    Parameters
    ----------
    name
        Of the column.
    values
        A column of polars or pandas, an array, or any iterable.
    """
    if isinstance(values, pl.Series):
        return values.alias(name)
    if hasattr(values, "iloc"):  # of pandas, which is no dependency
        kind = str if str(values.dtype).startswith("period") else object
        values = values.astype(kind).astype(object).where(values.notna(), None).tolist()
    elif not hasattr(values, "dtype") or values.dtype == object:
        values = [None if _is_nan(value) else value for value in values]
    if isinstance(values, list) and any(isinstance(value, float) for value in values):
        # A whole number among fractions is one too.
        values = [float(value) if isinstance(value, int) else value for value in values]
    try:
        column = pl.Series(name, values)
    except (TypeError, pl.exceptions.PolarsError) as error:
        raise TypeError(f"the values of {name} are not of one type: {error}") from None
    if column.dtype == pl.Object:
        kinds = listed(sorted({type(value).__name__ for value in column if value is not None}))
        raise TypeError(f"the values of {name} are {kinds}; give texts, numbers or dates")
    return column


def _is_nan(value: Any) -> bool:
    """Whether it is how pandas says that there is none."""
    return isinstance(value, float) and value != value
