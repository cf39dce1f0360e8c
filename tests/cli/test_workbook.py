"""Workbooks out: what a cell cannot hold is text, or nothing."""

import datetime

import polars as pl

from quantext.cli.workbook import to_workbook
from quantext.texts.formats import Opening, blocks


def test_dates_before_excel_counts_them_are_texts_and_no_number_is_no_cell(tmp_path):
    old, new = datetime.date(1850, 2, 28), datetime.date(1900, 3, 1)
    table = pl.DataFrame(
        {
            "n": [1.5, float("nan"), float("inf")],
            "day": [old, new, None],
            "time": [
                datetime.datetime(1880, 12, 31, 9, 30),
                datetime.datetime(1987, 6, 5, 4),
                None,
            ],
        }
    )
    path = tmp_path / "a.xlsx"
    path.write_bytes(to_workbook(table.with_columns(x=pl.lit("x"))))
    found = pl.concat(blocks(path, Opening(), ["n", "day", "time"]))
    assert found["n"].to_list() == [1.5, None, None]
    assert found["day"].to_list() == ["1850-02-28", "1900-03-01", None]
    assert found["time"].to_list() == ["1880-12-31 09:30:00", "1987-06-05 04:00:00", None]
