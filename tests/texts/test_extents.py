"""Sheets that reach too far are refused before they are loaded, and blanks count for nothing."""

import io
import zipfile
from pathlib import Path

import polars as pl
import pytest
import xlsxwriter

from quantext.texts import extents
from quantext.texts.formats import USUAL, Opening, blocks
from tests.support.workbooks import ods, xlsx, zipped

TABLE = [("answer", "topic"), ("slow", "speed"), ("dear", "price")]


def with_cells(cells):
    """A workbook with the table and more cells, None for one that has a format and nothing else."""
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer) as workbook:
        bold = workbook.add_format({"bold": True})
        sheet = workbook.add_worksheet("Data")
        for i, row in enumerate(TABLE):
            sheet.write_row(i, 0, row)
        for place, value in cells.items():
            sheet.write(place, value, bold)
    return buffer.getvalue()


def changed(data, part, old, new):
    """The archive with something else in one of its parts."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert old in parts[part]
    return zipped({**parts, part: parts[part].replace(old, new)})


def rows(path):
    return pl.concat(blocks(path, Opening(), None)).rows()


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"XFD1048576": "."}, "1,048,576 rows and 16,384 columns, .* stray cell in XFD1048576, or"),
        ({"XFD1": ".", "A20001": "."}, "delete the stray cell in A20001 or XFD1, or"),
    ],
    ids=["the last of all", "the last of a row and of a column"],
)
def test_a_stray_cell_far_away_is_named(file, cells, message):
    with pytest.raises(ValueError, match=message):
        rows(file("a.xlsx", with_cells(cells)))


def test_a_stray_cell_is_found_whether_or_not_rows_have_numbers(file):
    data = changed(
        with_cells({"XFD1048576": "."}), "xl/worksheets/sheet1.xml", b'row r="1048576"', b"row"
    )
    with pytest.raises(ValueError, match="stray cell in XFD1048576"):
        rows(file("a.xlsx", data))


def test_a_far_cell_that_has_only_a_format_is_nothing(file):
    assert rows(file("a.xlsx", with_cells({"XFD1048576": None}))) == TABLE[1:]


REPEATED = (
    '<table:table-row table:number-rows-repeated="1048576"><table:table-cell {}'
    'table:number-columns-repeated="16384"/></table:table-row></table:table>'
)


def test_repeated_cells_of_open_document_count_where_something_is_in_them(file):
    def workbook(attribute):
        return changed(
            ods({"Data": TABLE}), "content.xml",
            b"</table:table>", REPEATED.format(attribute).encode(),
        )  # fmt: skip

    assert rows(file("a.ods", workbook(""))) == TABLE[1:]
    with pytest.raises(ValueError, match="'Data' reaches over 1,048,579 rows and 16,384 columns"):
        rows(file("a.ods", workbook('office:value-type="string" ')))


def test_a_workbook_that_unpacks_to_more_than_anyone_needs_is_refused(file, monkeypatch):
    monkeypatch.setattr(extents, "UNPACKED", 10_000)
    blanks = b"</sheetData>" + b" " * 10_000
    data = changed(with_cells({}), "xl/worksheets/sheet1.xml", b"</sheetData>", blanks)
    with pytest.raises(ValueError, match="and a workbook of more than"):
        rows(file("a.xlsx", data))


@pytest.mark.parametrize("size", [1, 7, 64, 1 << 20])
def test_marks_do_not_depend_on_the_size_of_a_block(monkeypatch, size):
    data = xlsx({"Data": [*TABLE, *((f"x{i}", i) for i in range(40))]}, merged=["C3:C4", "C6:D9"])
    data = changed(data, "xl/worksheets/sheet1.xml", b'<c r="B9">', b'<c r="B9" t="e">')
    monkeypatch.setattr(extents, "BLOCK", size)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        marks = extents.sheet_marks(archive, Path("a"), None)
    assert marks == {"Data": extents.Marks(errors=1, merged=[(3, 4), (6, 9)])}


def test_a_small_workbook_that_unpacks_to_very_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("quantext.texts.unpacking.UNPACKED", 2**20)
    path = tmp_path / "a.xlsx"
    strings = b"<sst>" + b"<si><t>a</t></si>" * 200_000 + b"</sst>"
    with zipfile.ZipFile(io.BytesIO(xlsx({"Data": [["text", "label"], ["slow", "x"]]}))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in (parts | {"xl/sharedStrings.xml": strings}).items():
            archive.writestr(name, part)
    path.write_bytes(buffer.getvalue())
    with pytest.raises(ValueError, match="more than 1 MB and 64 times its size, is not read"):
        next(blocks(path, USUAL, None))


@pytest.mark.filterwarnings("ignore::quantext.texts.notes.ReadingWarning")
def test_a_sheet_whose_columns_all_have_the_same_name_is_refused(tmp_path):
    path = tmp_path / "a.xlsx"
    path.write_bytes(xlsx({"Data": [["a", "a"], ["slow", "x"]]}))
    with pytest.raises(ValueError, match="has no column with a name of its own"):
        next(blocks(path, USUAL, None))
