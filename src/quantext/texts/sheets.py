"""Sheets: workbooks of Excel's and OpenDocument's in, tables out, with the types of their cells."""

import datetime
import difflib
import io
import logging
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from quantext.texts.encoding import Choose
from quantext.texts.extents import Marks, sheet_marks
from quantext.texts.headers import header_at, may_be_title, title_shown, titles_shown
from quantext.texts.notes import note
from quantext.texts.odd_rows import note_first_rows
from quantext.texts.separators import ROWS
from quantext.wording import counted, listed

__all__ = []

# What a spreadsheet shows where a formula went wrong.
ERRORS = ("#N/A", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!")
# On which days a time without a day is, to the engine.
NO_DAYS = (datetime.date(1899, 12, 30), datetime.date(1899, 12, 31))
WHOLE = 2.0**53  # up to which every whole number is one of floating point too


def read_sheet(
    data: bytes, source: Path, sheet: str | None, header_row: int | None, choose: Choose
) -> Iterator[pl.DataFrame]:
    """The table of one sheet, whole: texts, numbers, dates and booleans as its cells have them."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        marks = sheet_marks(archive, source, sheet)
    with _quiet():
        reader = _open(data, source)
        name, found = _choose_sheet(reader, source, sheet)
        raw = found.texts
        at = _header_row(raw, source, name, header_row)
        names = [cell or "" for cell in raw.row(at)]
        body = raw.slice(at + 1)
        filled = [i for i, column in enumerate(body) if column.null_count() < len(column)]
        used = sorted({*filled, *(i for i, cell in enumerate(names) if cell)})
        if not used or body.is_empty():
            raise ValueError(f"{source}, sheet {name!r} has columns but no rows")
        wanted = choose([names[i] for i in used])
        if not wanted:
            raise ValueError(f"{source}, sheet {name!r} has no column with a name of its own")
        places = {own: next(i for i in used if names[i] == own) for own in wanted}
        with _explained(f"{source}, sheet {name!r}"):
            typed = _typed(reader, name, at + 1, [i for i in places.values() if i in filled])
    _note_marks(marks.get(name, Marks()), source, name, found.errors, at)
    blank = np.array(body.select(pl.all_horizontal(pl.all().is_null())).to_series())
    if blank.all():
        raise ValueError(f"{source}, sheet {name!r} has columns but no rows")
    end = int(np.flatnonzero(~blank)[-1]) + 1
    if gaps := int(blank[:end].sum()):
        note(f"{source}: {counted(gaps, 'blank row')} among the others left out")
    nothing = pl.Series([None] * len(body), dtype=pl.String)
    columns = {own: typed.get(i, nothing) for own, i in places.items()}
    yield pl.DataFrame(columns).filter(pl.Series(~blank))


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what the engine logs, of columns without a type, say, which nobody asked for."""
    loggers = [logging.getLogger(name) for name in ("fastexcel", "calamine")]
    handler = logging.NullHandler()  # or else they would be printed
    for logger in loggers:
        logger.addHandler(handler)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(handler)


@contextmanager
def _explained(where: str) -> Iterator[None]:
    """Whatever the engine raises as an error that says what to do."""
    import fastexcel

    try:
        yield
    except BaseException as error:
        # The engine panics, which is no Exception, at some workbooks that are damaged.
        if not isinstance(error, fastexcel.FastExcelError) and type(error).__name__ != (
            "PanicException"
        ):
            raise
        reason = str(error).partition("\n")[0].removeprefix("calamine error: ")
        raise ValueError(
            f"{where} cannot be read: {reason}; it may be damaged. Open it in a spreadsheet "
            "program and save it as .xlsx"
        ) from None


def _open(data: bytes, source: Path) -> Any:
    import fastexcel  # slow to load, and seldom needed

    with _explained(str(source)):
        return fastexcel.read_excel(data)


@dataclass(frozen=True)
class _Cells:
    """All cells of a sheet as texts, from its first row on; null where there is none, or an error.

    Parameters
    ----------
    texts
        The cells.
    visible
        Whether people see the sheet.
    errors
        How many of the texts were errors of formulas.
    """

    texts: pl.DataFrame
    visible: bool
    errors: int

    @property
    def filled(self) -> bool:
        """Whether there is anything in it."""
        return any(column.null_count() < len(column) for column in self.texts)

    @property
    def table(self) -> bool:
        """Whether two rows have two cells or more, so that these are no notes."""
        filled = self.texts.select(pl.sum_horizontal(pl.all().is_not_null())).to_series()
        return int((filled > 1).sum()) > 1


def _load(reader: Any, name: str, source: Path) -> _Cells:
    with _explained(f"{source}, sheet {name!r}"):
        sheet = reader.load_sheet(name, header_row=None, skip_rows=0, dtypes="string")
        cells: pl.DataFrame = sheet.to_polars()
    if cells.is_empty():
        return _Cells(cells, sheet.visible == "visible", 0)
    wrong = cells.select(pl.all().is_in(ERRORS))
    texts = cells.with_columns(pl.when(~_blank(pl.all())).then(pl.all()))
    return _Cells(texts, sheet.visible == "visible", int(wrong.sum().sum_horizontal()[0]))


def _blank(texts: pl.Expr) -> pl.Expr:
    return texts.str.strip_chars().is_in(["", *ERRORS])


def _choose_sheet(reader: Any, source: Path, wanted: str | None) -> tuple[str, _Cells]:
    """The sheet of that name, or the only one with a table that people see, and its cells."""
    names: list[str] = list(reader.sheet_names)
    if wanted is not None:
        if wanted not in names:
            near = difflib.get_close_matches(wanted, names, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise ValueError(
                f"{source} has no sheet {wanted!r}{hint}; its sheets are "
                f"{', '.join(map(repr, names))}"
            )
        cells = _load(reader, wanted, source)
        if not cells.filled:
            raise ValueError(f"{source}, sheet {wanted!r} is empty")
        return wanted, cells
    loaded = {name: _load(reader, name, source) for name in names}
    seen = {name: cells for name, cells in loaded.items() if cells.visible and cells.filled}
    if not seen:
        hidden = [name for name, cells in loaded.items() if cells.filled]
        more = f"; hidden sheets are {listed(map(repr, hidden))}" if hidden else ""
        raise ValueError(f"{source} has no cells that are filled{more}")
    tables = [name for name, cells in seen.items() if len(seen) == 1 or cells.table]
    if len(tables) == 1:
        if len(seen) > 1:
            others = listed(repr(name) for name in seen if name != tables[0])
            note(f"{source}: the table is taken from sheet {tables[0]!r}, not from {others}")
        return tables[0], seen[tables[0]]
    raise ValueError(
        f"{source} has several sheets, {listed(map(repr, tables or seen))}; say which one to read "
        "(--sheet NAME, in Python sheet=)"
    )


def _header_row(raw: pl.DataFrame, source: Path, name: str, given: int | None) -> int:
    """Index of the row that names the columns."""
    rows = [[(cell or "").strip() for cell in row] for row in raw.head(ROWS).rows()]
    used = [i for i in range(raw.width) if any(row[i] for row in rows)]
    rows = [[row[i] for i in used] for row in rows]
    if given is not None:
        if given > raw.height or not any(raw.row(given - 1)):
            n_rows = counted(raw.height, "row")
            but = f"the sheet has {n_rows}" if given > raw.height else "it is blank"
            raise ValueError(
                f"{source}, sheet {name!r}: row {given} is to be the header, and {but}"
            )
        if given <= len(rows):
            note_first_rows(rows[given - 1], rows[given:], source, given=True)
        return given - 1
    at = header_at(rows)
    titles = [" ".join(filter(None, row)) for row in rows[:at] if any(row)]
    if titles:
        row = f"row {at + 1} of sheet {name!r}"
        note(f"{source}: the header is taken to be {row}, below {titles_shown(titles)}")
    if may_be_title(rows):
        note(f"{source}, sheet {name!r}: {title_shown(' '.join(filter(None, rows[at])))}")
    elif rows:
        note_first_rows(rows[at], rows[at + 1 :], source, given=False)
    return at


def _typed(reader: Any, name: str, skipped: int, places: Sequence[int]) -> dict[int, pl.Series]:
    """The columns at these places, each of the type that all its cells have, or else texts."""
    chosen = sorted(set(places))
    if not chosen:
        return {}
    sheet = reader.load_sheet(
        name,
        header_row=None,
        skip_rows=skipped,
        schema_sample_rows=None,
        use_columns=lambda column: column.index in chosen,
    )
    columns = sheet.to_polars().get_columns()
    return dict(zip(chosen, map(_as_people_mean, columns), strict=True))


def _as_people_mean(column: pl.Series) -> pl.Series:
    """Whole numbers as such, days without a time, times without a day, and blanks as nothing."""
    if column.dtype.is_float():
        whole = column.is_null() | ((column == column.round()) & (column.abs() < WHOLE))
        return column.cast(pl.Int64) if whole.all() else column
    if column.dtype == pl.Duration:
        return _hours(column)
    if column.dtype == pl.Datetime:
        days = column.dt.date()
        if days.drop_nulls().is_in(NO_DAYS).all():
            return column.dt.round("1s").dt.to_string("%H:%M:%S")
        return days if (days.cast(column.dtype) == column).all() else column
    if column.dtype == pl.String:
        # A date among texts, as the engine writes it.
        column = column.str.replace(r"^([0-9]{4}-[0-9]{2}-[0-9]{2}) 00:00:00$", "$1")
        column = column.str.replace(r"^1899-12-3[01] ([0-9]{2}:[0-9]{2}:[0-9]{2})$", "$1")
        return pl.select(pl.when(~_blank(pl.lit(column))).then(column)).to_series()
    return column


def _hours(lengths: pl.Series) -> pl.Series:
    """How long something took, as [h]:mm:ss shows it: for people these are texts."""
    seconds = (lengths.dt.total_milliseconds() / 1000).round().cast(pl.Int64)
    size = seconds.abs()
    parts = (size // 3600, size // 60 % 60, size % 60)
    hours, minutes, rest = (part.cast(pl.String) for part in parts)
    sign = pl.when(pl.lit(seconds) < 0).then(pl.lit("-")).otherwise(pl.lit(""))
    shown = (sign, hours, pl.lit(":"), minutes.str.zfill(2), pl.lit(":"), rest.str.zfill(2))
    return pl.select(pl.concat_str(*shown)).to_series()


def _note_marks(marks: Marks, source: Path, name: str, errors: int, header: int) -> None:
    """Say how many cells show an error, and how many stand for several rows.

    The engine tells neither of workbooks of Excel's, where marks of the sheet do.
    """
    errors += marks.errors
    merged = sum(last > max(first, header + 1) for first, last in marks.merged)
    if errors:
        cells = counted(errors, "cell")
        note(f"{source}: {cells} of sheet {name!r} with an error such as #N/A read as blank")
    if merged:
        note(
            f"{source}: {counted(merged, 'cell')} of sheet {name!r} merged over several rows, of "
            "which the first alone has what is in it; if it holds for all, undo that and fill them"
        )
