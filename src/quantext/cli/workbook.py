"""Workbooks out: a table as the bytes of an .xlsx file."""

import math
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

__all__ = ["to_workbook"]

LONGEST = 32_767  # characters of a cell, as Excel has it
ROWS, COLUMNS = 1_048_576, 16_384  # of a sheet
FIRST_DAY = "1900-03-01"  # before which programs do not agree, for some have a 29 February
DIGITS = 2**53  # above which a cell, which is a floating-point number, would round


def to_workbook(table: "pl.DataFrame") -> bytes:
    """An .xlsx file with one sheet: texts as texts, whatever they begin with, numbers as numbers.

    Parameters
    ----------
    table
        Of texts, numbers, dates and booleans.
    """
    import xlsxwriter

    if table.height >= ROWS or table.width > COLUMNS:
        raise ValueError(
            f"the table has {table.height:,} rows and {table.width:,} columns, and an .xlsx file "
            f"holds {ROWS - 1:,} and {COLUMNS:,}; write .csv or .parquet"
        )
    buffer = BytesIO()
    # Nothing is to become a formula or a link because of how it begins.
    options = {"strings_to_formulas": False, "strings_to_urls": False, "in_memory": True}
    with xlsxwriter.Workbook(buffer, options) as workbook:
        sheet = workbook.add_worksheet("quantext")
        formats = {
            "Date": workbook.add_format({"num_format": "yyyy-mm-dd"}),
            "Datetime": workbook.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
        }
        bold = workbook.add_format({"bold": True})
        for column, (name, values) in enumerate(table.to_dict().items()):
            sheet.write_string(0, column, name, bold)
            shape = formats.get(str(values.dtype.base_type()))
            for row, value in enumerate(values, start=1):
                _write(sheet, row, column, value, shape)
        sheet.freeze_panes(1, 0)
    return buffer.getvalue()


def _write(sheet: Any, row: int, column: int, value: Any, shape: Any) -> None:
    """Write a cell, none for what is missing or no number."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return
    if shape is not None and value.isoformat() < FIRST_DAY:
        sheet.write_string(row, column, str(value))
    elif shape is not None:
        sheet.write_datetime(row, column, value.replace(tzinfo=None) if _zoned(value) else value,
                             shape)  # fmt: skip
    elif isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, int | float) and abs(value) <= DIGITS:
        sheet.write_number(row, column, value)
    else:
        text = str(value)
        if len(text) > LONGEST:
            raise ValueError(
                f"row {row:,} of the table has a text of {len(text):,} characters, and a cell of "
                f"an .xlsx file holds {LONGEST:,}; write .csv or .parquet"
            )
        sheet.write_string(row, column, text)


def _zoned(value: Any) -> bool:
    return getattr(value, "tzinfo", None) is not None
