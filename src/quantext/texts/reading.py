"""Readers of tables: files in, documents out, whole or block by block."""

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from quantext.texts.columns import Columns, make_documents
from quantext.texts.corpus import Corpus
from quantext.texts.date_forms import FORMS
from quantext.texts.dates import DOUBTFUL, full_date_formats
from quantext.texts.dating import Cells, Dating, Piece, Rows, date_or_name, date_where_said
from quantext.texts.encoding import DAMAGE, called
from quantext.texts.formats import USUAL, Format, Opening, blocks
from quantext.texts.labels import (
    check_few,
    label_counts,
    merged_labels,
    spelling_note,
    usual_spellings,
)
from quantext.texts.paths import Source
from quantext.texts.periods import Period, truncate
from quantext.texts.where import Part, Where, where_of
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
    dating: Dating = date_or_name,
    part: Part | None = None,
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
    dating
        How the format of dates is found, if none is given. Files are then read twice, unless their
        first rows are ISO 8601; standard input must show it in its first rows.
    part
        Counts the rows that ``columns.where`` means, the others of which are not read at all.
    """
    part = part or Part(columns.where)
    sources = _sources(paths)
    if not sources or not (columns.texts or columns.proxies):
        raise ValueError("there is nothing to read; name at least one file and one text column")
    optional = columns.label if optional_label else None
    if optional in columns.where.columns:  # then it must be there
        optional = None
    first_rows = True
    for source in sources:
        n_rows = 0
        try:
            for frame in blocks(source, opening, columns.names, optional):
                if first_rows:
                    rows = Rows(called(source), n_rows, frame, partial(_cells, sources, opening))
                    columns, first_rows = dating(columns, rows), False
                meant = part.mask(frame) if columns.where else None
                table = make_documents(
                    frame,
                    called(source),
                    columns,
                    n_rows=n_rows,
                    unlabelled=unlabelled,
                    meant=meant,
                )
                n_rows += len(frame)
                yield len(frame) if meant is None else int(meant.sum()), table
        except DAMAGE as error:
            raise ValueError(f"{called(source)} cannot be read: {error}") from error


def _cells(sources: list[Path], opening: Opening, name: str) -> Cells | None:
    """How all cells of a column are read; None if the files can be read only once."""
    if not all(source.is_file() for source in sources):
        return None

    def cells() -> Iterator[Piece]:
        for source in sources:
            n_rows = 0
            for frame in blocks(source, opening, [name]):
                yield source, n_rows, frame[name]
                n_rows += len(frame)

    return cells


def date_columns(paths: Source | Sequence[Source], *, opening: Opening = USUAL) -> list[str]:
    """Columns, of all files, that have a date in every row, all in the same format.

    It may be any that `date_formats` knows and that mere numbers are not likely to have.

    Parameters
    ----------
    paths
        As in `read_corpus`.
    opening
        How files are opened.
    """
    sure = [name for name in FORMS if name not in DOUBTFUL]
    found: dict[str, list[str]] | None = None
    for source in _sources(paths):
        for frame in blocks(source, opening, None if found is None else list(found)):
            known = found or {}
            formats = {c.name: full_date_formats(c, known.get(c.name, sure)) for c in frame}
            found = {name: own for name, own in formats.items() if own}
            if not found:
                return []
    return list(found or ())


def table_documents(
    table: pl.DataFrame, columns: Columns, where: str, part: Part | None = None
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
    part
        As in `read_documents`.
    """
    columns = date_where_said(columns, Rows.whole(table, where))
    part = part or Part(columns.where)
    for start in range(0, len(table), ROWS):
        rows = table.slice(start, ROWS)
        meant = part.mask(rows) if columns.where else None
        documents = make_documents(
            rows, Path(where), columns, n_rows=start, unlabelled=True, meant=meant
        )
        yield len(rows) if meant is None else int(meant.sum()), documents


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
    date_format: str | None = None,
    format: Format | None = None,  # noqa: A002 (the natural word, and keyword-only)
    encoding: str | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
    name: str | None = None,
    proxy: Sequence[str] = (),
    merge_labels: bool = False,
    where: Mapping[str, Any] | Where | None = None,
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
        Column of dates or datetimes, also as text: 2019-01-31 or 2019-01-31T23:59:00Z, 31/01/2019,
        Jan 31, 2019 and others, all in one format. The day is taken as it is written, in whatever
        time zone.
    period
        What dates are truncated to. Weeks are counted from the corpus's first day.
    by
        Column that names the period, instead of a date. Dates in a column of type date, or texts
        that would be out of order as names, as 31/01/2019, are days.
    date_format
        How the dates are written: as ``strftime`` has it, "%d/%m/%Y"; "iso"; or "excel", for the
        serial numbers of spreadsheets. None: found out by looking at all of them. Times that follow
        are passed over. Years of two digits are from 1969 to 2068.
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
    merge_labels
        Make one of labels that differ only in capitals, blanks and the like, as ``notes`` names
        them: the one that is met most often.
    where
        Only rows in which these columns have this value, or one of these values; None is a blank.

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
    columns = Columns(
        text,
        label,
        separator,
        date,
        by,
        proxies=tuple(proxy),
        date_format=date_format,
        where=where_of(where),
    )
    part = Part(columns.where)
    n_rows, tables = 0, []
    opening = Opening(format, encoding, sheet, header_row)
    for n, table in read_documents(sources, columns, opening=opening, part=part):
        n_rows += n
        if not table.is_empty():
            tables.append(table)

    files = ", ".join(str(called(source)) for source in sources)
    part.check(files)
    needed = [f"a text in {listed(map(repr, columns.texts), 'or')}"] if columns.texts else []
    needed += [f"a label in {label!r} (NaN is a blank)"] if label is not None else []
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
    notes = [part.note] if columns.where else []
    if dropped:
        notes.append(f"{dropped:,} of {n_rows:,} rows were left out: they need {wanted}")
    if label is not None:
        labels, told = _labels(found["label"], f"{files}, column {label!r}", merge_labels)
        found, notes = found.with_columns(label=labels), notes + told
    periods = found["period"].alias(date or by or "") if "period" in found.columns else None
    corpus = Corpus(
        name=name or Path(sources[0].name.removesuffix(".gz")).stem,
        texts=found["text"],
        labels=found["label"] if label is not None else None,
        periods=truncate(periods, period) if periods is not None and date is not None else periods,
        dropped=dropped,
        notes=tuple(notes),
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


def _labels(labels: pl.Series, where: str, merge: bool) -> tuple[pl.Series, list[str]]:
    """Labels, those that are likely one merged if that is asked for, and what to say of them."""
    check_few(labels, where)
    counts = label_counts(labels)
    usual = usual_spellings(counts)
    notes = [spelling_note(counts, usual, merged=merge)] if usual else []
    return merged_labels(labels, usual) if merge else labels, notes
