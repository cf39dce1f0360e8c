"""Workbooks for tests, made of Python values: .xlsx by a writer, .ods and damaged ones by hand."""

import datetime
import io
import zipfile
from xml.sax.saxutils import escape, quoteattr

import xlsxwriter

ERROR = object()  # a cell whose formula went wrong


def xlsx(sheets, *, hidden=(), merged=(), start=(0, 0)):
    """Bytes of a workbook: names of sheets to rows; ``start`` is where the first cell goes."""
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer) as workbook:
        day = workbook.add_format({"num_format": "yyyy-mm-dd"})
        time = workbook.add_format({"num_format": "yyyy-mm-dd hh:mm"})
        hours = workbook.add_format({"num_format": "[h]:mm:ss"})
        clock = workbook.add_format({"num_format": "hh:mm:ss"})
        for name, rows in sheets.items():
            sheet = workbook.add_worksheet(name)
            if name in hidden:
                sheet.hide()
            else:
                sheet.activate()  # for the first one cannot be hidden while it is on top
            for area in merged:
                sheet.merge_range(area, "")
            for i, row in enumerate(rows, start=start[0]):
                for j, value in enumerate(row, start=start[1]):
                    if value is ERROR:
                        sheet.write_formula(i, j, "=NA()", None, "#N/A")
                    elif isinstance(value, str):
                        sheet.write_string(i, j, value)
                    elif isinstance(value, datetime.datetime):
                        sheet.write_datetime(i, j, value, time)
                    elif isinstance(value, datetime.date):
                        sheet.write_datetime(i, j, value, day)
                    elif isinstance(value, datetime.timedelta):
                        sheet.write_datetime(i, j, value, hours)
                    elif isinstance(value, datetime.time):
                        sheet.write_datetime(i, j, value, clock)
                    elif value is not None:
                        sheet.write(i, j, value)
    return buffer.getvalue()


ODS_TYPE = "application/vnd.oasis.opendocument.spreadsheet"
_SPACES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in (("office", "office"), ("table", "table"), ("text", "text"))
)


def ods(sheets):
    """Bytes of an OpenDocument workbook: names of sheets to rows."""
    tables = "".join(
        f"<table:table table:name={quoteattr(name)}>"
        + "".join(f"<table:table-row>{''.join(map(_cell, row))}</table:table-row>" for row in rows)
        + "</table:table>"
        for name, rows in sheets.items()
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {_SPACES}><office:body>'
        f"<office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = (
        '<?xml version="1.0"?><manifest:manifest '
        'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{ODS_TYPE}"/>'
        "</manifest:manifest>"
    )
    return zipped({"mimetype": ODS_TYPE, "content.xml": content, "META-INF/manifest.xml": manifest})


def _cell(value):
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, bool):
        kind, said = "boolean", f'office:boolean-value="{str(value).lower()}"'
    elif isinstance(value, int | float):
        kind, said = "float", f'office:value="{value}"'
    elif isinstance(value, datetime.date):
        kind, said = "date", f'office:date-value="{value.isoformat()}"'
    else:
        kind, said = "string", ""
    return (
        f'<table:table-cell office:value-type="{kind}" {said}><text:p>{escape(str(value))}'
        "</text:p></table:table-cell>"
    )


def zipped(files):
    """Bytes of a zip file: names to contents."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()
