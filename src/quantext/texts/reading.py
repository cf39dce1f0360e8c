"""Readers of tables: files in, documents out, whole or block by block."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from quantext.texts.columns import Columns, make_documents
from quantext.texts.corpus import Corpus
from quantext.texts.dates import are_dates
from quantext.texts.encoding import DAMAGE, called
from quantext.texts.formats import USUAL, Format, Opening, blocks
from quantext.texts.paths import Source
from quantext.texts.periods import Period, truncate
from quantext.wording import listed

__all__ = ["date_columns", "read_corpus", "read_documents", "table_documents"]

ROWS = 1 << 12  # of a table that are looked at at a time


def read_documents(
    paths: Source | Sequence[Source],
    columns: Columns,
    *,
    opening: Opening = USUAL,
    unlabelled: bool = False,
    optional_label: bool = False,
) -> Iterator[tuple[int, pl.DataFrame]]:
    """Documents in one or more files, block by block, so that memory holds a few megabytes of them.

    Each block is the number of rows that were read and a table of the documents among them: their
    ``text``, and their ``label`` and ``period`` if asked for. The period of a date is the day.

    Parameters
    ----------
    paths
        As in `read_corpus`; the path ``-`` is standard input.
    columns
        Which columns make documents.
    opening
        How files are opened.
    unlabelled
        Keep documents without a label, which is then null.
    optional_label
        Go without labels where a file does not have their column.
    """
    sources = _sources(paths)
    if not sources or not (columns.texts or columns.proxies):
        raise ValueError("there is nothing to read; name at least one file and one text column")
    optional = columns.label if optional_label else None
    for source in sources:
        n_rows = 0
        try:
            for frame in blocks(source, opening, columns.names, optional):
                table = make_documents(
                    frame, called(source), columns, n_rows=n_rows, unlabelled=unlabelled
                )
                n_rows += len(frame)
                yield len(frame), table
        except DAMAGE as error:
            raise ValueError(f"{called(source)} cannot be read: {error}") from error


def date_columns(paths: Source | Sequence[Source], *, opening: Opening = USUAL) -> list[str]:
    """Columns, of all files, that have a date in every row.

    Parameters
    ----------
    paths
        As in `read_corpus`.
    opening
        How files are opened.
    """
    found: list[str] | None = None
    for source in _sources(paths):
        for frame in blocks(source, opening, found):
            found = [column.name for column in frame if are_dates(column)]
            if not found:
                return []
    return found or []


def table_documents(
    table: pl.DataFrame, columns: Columns, where: str
) -> Iterator[tuple[int, pl.DataFrame]]:
    """Documents of a table in memory, as `read_documents` gives those of files.

    Parameters
    ----------
    table
        With all of the columns.
    columns
        Which columns make documents. A document need not have a label.
    where
        What messages call the table.
    """
    for start in range(0, len(table), ROWS):
        rows = table.slice(start, ROWS)
        yield len(rows), make_documents(rows, Path(where), columns, n_rows=start, unlabelled=True)


def _sources(paths: Source | Sequence[Source]) -> list[Path]:
    return [Path(p) for p in ([paths] if isinstance(paths, str | os.PathLike) else paths)]


def read_corpus(
    paths: Source | Sequence[Source],
    *,
    text: str | Sequence[str] = (),
    label: str | None = None,
    separator: str | None = None,
    date: str | None = None,
    period: Period = "week",
    by: str | None = None,
    format: Format | None = None,  # noqa: A002 (the natural word, and keyword-only)
    encoding: str | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
    name: str | None = None,
    proxy: Sequence[str] = (),
) -> Corpus:
    r"""The corpus in one or more files: spreadsheets, CSV, TSV, JSON, JSON Lines or Parquet.

    Text files may be gzipped, and any file may be zipped. What was found out of a file that is not
    as it should be, as its encoding, is a `ReadingWarning`.

    Rows without a text or a label are left out, and counted in ``dropped``. Whatever else is wrong
    is an error that names the file, the column and the row, or the line if it is not a table yet.
    Rows are counted from 1, without the header.

    Parameters
    ----------
    paths
        A file, or several with the same columns.
    text
        Column of the texts. Several columns are joined by line breaks.
    label
        Column of the labels: text, numbers or booleans, or lists of these where a document has
        several. An empty list is a document that has none. Empty cells, null, NaN and nan are
        missing labels; NA, None and NULL are labels. Without this column, no labels.
    separator
        What stands between the labels of a document where they are written as one text. Lists
        need none.
    date
        Column of dates or datetimes. Text must be ISO 8601, as 2019-01-31 or 2019-01-31T23:59:00Z.
        The day is taken as it is written, in whatever time zone.
    period
        What dates are truncated to. Weeks are counted from the corpus's first day.
    by
        Column that names the period, instead of a date.
    format
        Format of the files, where their extension does not tell.
    encoding
        Character encoding of text files. Without it UTF-8 or, if they are not, what their bytes
        look like.
    sheet
        Name of the sheet of a workbook. Without it, the only one that has a table.
    header_row
        Number of the row that names the columns, counted from 1 as a spreadsheet shows it. Without
        it the first, or the one below titles and blank rows.
    name
        Name of the corpus; that of the first file by default.
    proxy
        In place of ``text``: columns of what models say of the documents, for
        ``quantext train --proxy``. No answer is an answer too.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "answers.csv")
    ...     _ = file.write_text("answer,topics\ntoo slow,speed\nslow and dear,speed|price\n")
    ...     corpus = read_corpus(file, text="answer", label="topics", separator="|")
    >>> corpus.name, corpus.classes, len(corpus)
    ('answers', ('price', 'speed'), 2)
    """
    sources = _sources(paths)
    columns = Columns(text, label, separator, date, by, proxies=tuple(proxy))
    n_rows, tables = 0, []
    opening = Opening(format, encoding, sheet, header_row)
    for n, table in read_documents(sources, columns, opening=opening):
        n_rows += n
        if not table.is_empty():
            tables.append(table)

    files = ", ".join(str(called(source)) for source in sources)
    needed = [f"a text in {listed(map(repr, columns.texts), 'or')}"] if columns.texts else []
    needed += [f"a label in {label!r} (NaN is none)"] if label is not None else []
    wanted = " and ".join(needed)
    if not tables:
        raise ValueError(f"{files}: none of the {n_rows} rows has {wanted}")
    if len({table.schema.get("label") for table in tables}) > 1:
        raise ValueError(
            f"{files}: column {label!r} holds lists in some files and single labels in others; "
            "write it in the same way in all"
        )
    found = pl.concat(tables)
    dropped = n_rows - len(found)
    periods = found["period"].alias(date or by or "") if "period" in found.columns else None
    corpus = Corpus(
        name=name or Path(sources[0].name.removesuffix(".gz")).stem,
        texts=found["text"],
        labels=found["label"] if label is not None else None,
        periods=truncate(periods, period) if periods is not None and date is not None else periods,
        dropped=dropped,
        notes=(f"{dropped:,} of {n_rows:,} rows were left out: they need {wanted}",)
        if dropped
        else (),
    )
    # Where documents may have none, one class is still a question.
    some_have_none = corpus.multilabel and 0 in found["label"].list.len()
    if label is not None and len(corpus.classes) + some_have_none < 2:
        classes = f"one class, {corpus.classes[0]!r}," if corpus.classes else "no class at all"
        raise ValueError(
            f"{files}: column {label!r} has {classes} in {len(corpus)} rows; "
            "there must be two to tell apart"
        )
    return corpus
