"""Signatures: what a file is, told by its first bytes, whatever its name says."""

import re
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Literal

__all__ = ["Content", "content_of", "damaged", "member", "refuse_content", "zip_content"]

Content = Literal["text", "parquet", "zip", "old office", "html", "xml", "pdf"]

_SIGNS: dict[bytes, Content] = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",  # with nothing in it
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "old office",
    b"PAR1": "parquet",
    b"%PDF-": "pdf",
}
_OPEN_AND_SAVE = "open it in a spreadsheet program and save it as .xlsx"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")  # the stream that such files consist of


# What the library raises where an archive says what is not true of it.
DAMAGED = (
    zipfile.BadZipFile, zlib.error, EOFError, struct.error, NotImplementedError, RuntimeError,
    OverflowError, ValueError, OSError,
)  # fmt: skip


def content_of(first: bytes) -> Content:
    """What the first bytes of a file tell of all of it.

    Parameters
    ----------
    first
        A hundred of them, or more.

    Examples
    --------
    >>> content_of(b"answer,topic"), content_of(b"<html><table>")
    ('text', 'html')
    """
    for sign, content in _SIGNS.items():
        if first.startswith(sign):
            return content
    begin = first.removeprefix(b"\xef\xbb\xbf").lstrip()[:100].lower()
    if re.match(rb"<(!doctype html|html|table|head|body|meta|style)\b", begin):
        return "html"
    return "xml" if begin.startswith(b"<?xml") else "text"


def refuse_content(content: Content, data: bytes, source: Path) -> ValueError:
    """The error that says what a file is that holds no table, and the way out.

    Parameters
    ----------
    content
        What `content_of` told.
    data
        As much of the file as there is to look at.
    source
        What the message calls it.
    """
    if content == "old office" and _ENCRYPTED in data:
        return ValueError(
            f"{source} is protected by a password; open it, take the password off and save it again"
        )
    said = {
        "old office": "is in the format of Excel before 2007 (.xls)",
        "html": "is a web page (HTML), as some systems export tables",
        "xml": "is XML, as some systems export tables",
        "pdf": "is a PDF, which holds no table that can be read",
    }[content]
    way = _OPEN_AND_SAVE if content != "pdf" else "ask for the table as .xlsx or .csv"
    return ValueError(f"{source} {said}; {way}")


def member(archive: zipfile.ZipFile, name: str, source: Path) -> bytes:
    """A file of an archive, or an error if it is damaged.

    Parameters
    ----------
    archive, name
        The file.
    source
        What messages call the archive.
    """
    try:
        return archive.read(name)
    except (*DAMAGED, KeyError) as error:
        raise damaged(source, error) from None


def damaged(source: Path, error: Exception) -> ValueError:
    """The error that an archive is not what it should be, and the way out."""
    return ValueError(f"{source} is damaged: {error}; {_OPEN_AND_SAVE}")


def zip_content(archive: zipfile.ZipFile, source: Path) -> Literal["xlsx", "ods", "files"]:
    """What an archive is: a workbook of Excel's, one of OpenDocument, or some files.

    Parameters
    ----------
    archive
        Open.
    source
        What messages call it.
    """
    names = set(archive.namelist())
    if "xl/workbook.xml" in names:
        return "xlsx"
    if "mimetype" in names:
        kind = member(archive, "mimetype", source).strip()
        if kind.startswith(b"application/vnd.oasis.opendocument.spreadsheet"):
            if b"manifest:encryption-data" in member(archive, "META-INF/manifest.xml", source):
                raise ValueError(
                    f"{source} is protected by a password; open it, take the password off and save "
                    "it again"
                )
            return "ods"
    if "xl/workbook.bin" in names:
        raise ValueError(f"{source} is a binary workbook (.xlsb); {_OPEN_AND_SAVE}")
    if "[Content_Types].xml" in names or "mimetype" in names:
        raise ValueError(f"{source} is a document without a table; save the table as .xlsx or .csv")
    return "files"
