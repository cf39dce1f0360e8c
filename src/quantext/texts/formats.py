"""Formats: files of all kinds, also gzipped or zipped, to tables, a block at a time."""

import difflib
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import polars as pl

from quantext.texts.csv import read_csv
from quantext.texts.encoding import (
    BLOCK,
    LONGEST,
    TWICE,
    Choose,
    called,
    ungzipped,
    unzipped,
    utf8_blocks,
)
from quantext.texts.guessing import guessed_blocks
from quantext.texts.notes import note
from quantext.texts.odd_rows import without_import_rows
from quantext.texts.signatures import (
    DAMAGED,
    content_of,
    refuse_content,
    zip_content,
)
from quantext.texts.unpacking import whole

__all__ = [
    "EXTENSIONS",
    "USUAL",
    "Format",
    "MissingColumnError",
    "Opening",
    "blocks",
    "check_columns",
    "format_of",
]

Format = Literal["csv", "tsv", "jsonl", "json", "parquet", "xlsx", "ods"]
EXTENSIONS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".ods": "ods",
    ".xls": "xlsx",  # of which few are what they are called
}
SHEETS = ("xlsx", "ods")
CALLED = {
    "csv": "CSV", "tsv": "TSV", "jsonl": "JSON Lines", "json": "JSON", "parquet": "Parquet",
    "xlsx": "an Excel workbook", "ods": "an OpenDocument workbook",
}  # fmt: skip


@dataclass(frozen=True)
class Opening:
    """How files are opened; what is not given is found out from the file.

    Parameters
    ----------
    format
        Of the table, where the extension does not tell.
    encoding
        Of text files. One that is given is taken at its word, and bytes that are not in it are an
        error; else it is guessed, with a note unless it is UTF-8.
    sheet
        Name of a workbook's sheet.
    header_row
        Number of the row that names the columns, counted from 1 as a spreadsheet shows it.
    """

    format: Format | None = None
    encoding: str | None = None
    sheet: str | None = None
    header_row: int | None = None

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in get_args(Format):
            choices = ", ".join(get_args(Format))
            raise ValueError(f"format {self.format!r} is unknown; choose one of {choices}")
        if self.header_row is not None and self.header_row < 1:
            raise ValueError(f"header row {self.header_row} cannot be: rows are counted from 1")

    def for_another(self) -> "Opening":
        """The same for a file that is likely of another format, though of the same people."""
        return replace(self, format=None, sheet=None, header_row=None)


USUAL = Opening()
"""Everything is found out."""


class MissingColumnError(ValueError):
    """A file does not have the column ``name``."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name


def format_of(source: Path) -> Format:
    """Format that the file's extension tells."""
    extension = _extension(source)
    if extension not in EXTENSIONS:
        raise ValueError(
            f"{source}: extension {extension!r} is unknown; give the format, or use one of "
            f"{', '.join(EXTENSIONS)} (.gz may follow)"
        )
    return EXTENSIONS[extension]


def _extension(source: Path) -> str:
    return Path(source.name.lower().removesuffix(".gz")).suffix


def check_columns(names: Sequence[str], present: Sequence[str], where: object) -> None:
    """Raise unless a table has each of the named columns, and has it once.

    Parameters
    ----------
    names
        Columns that are wanted.
    present
        Columns that the table has.
    where
        What a message calls the table.

    Examples
    --------
    >>> check_columns(["topics"], ["text", "topic"], "a.csv")
    Traceback (most recent call last):
    quantext.texts.formats.MissingColumnError: a.csv has no column 'topics' (did you mean 'topic'?);
    its columns are 'text', 'topic'
    """
    for name in names:
        if name not in present:
            near = difflib.get_close_matches(name, map(str, present), n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            listed = ", ".join(map(repr, present))
            raise MissingColumnError(
                f"{where} has no column {name!r}{hint}; its columns are {listed}", name
            )
        if present.count(name) > 1:
            raise ValueError(f"{where} has several columns {name!r}; rename all but one")


def _note_repeated(present: Sequence[str], where: object) -> None:
    """Say which columns cannot be told from others by their names, and so are left out."""
    for name, number in Counter(present).items():
        if number > 1 and name.strip():
            note(f"{where}: {number} columns {name!r} left out; rename all but one")
        elif number > 1:
            note(
                f"{where}: {number} columns without a name left out; give them names, or say in "
                "which row these are (--header-row N, in Python header_row=)"
            )


def blocks(
    source: Path,
    opening: Opening,
    names: Sequence[str] | None,
    optional: str | None = None,
    *,
    block_bytes: int = BLOCK,
    longest: int = LONGEST,
) -> Iterator[pl.DataFrame]:
    """The named columns of a file, or all, some rows at a time; in CSV and TSV all are text.

    Memory holds one block, however long the file is, unless it is a workbook or a JSON array, which
    come whole. The path ``-`` is standard input. One column may be optional, and is then there if
    the file has it. Of text files ``block_bytes`` are read at a time; a row of more than
    ``longest`` bytes is an error.
    """

    def choose(present: list[str]) -> list[str]:
        if names is None:
            _note_repeated(present, called(source))
            return [name for name, number in Counter(present).items() if number == 1]
        wanted = [name for name in names if name in present or name != optional]
        check_columns(wanted, present, called(source))
        return wanted

    n_rows = 0
    with unzipped(source) as file:
        how = _How(opening, choose, block_bytes, longest, _size(source))
        for table in _tables(file, called(source), how):
            if not n_rows:
                table = without_import_rows(table, called(source))
            n_rows += len(table)
            yield table
    if not n_rows:
        raise ValueError(f"{called(source)} has columns but no rows")


@dataclass(frozen=True)
class _How:
    """How a file is read.

    Parameters
    ----------
    opening, choose, block_bytes, longest
        As `blocks` has them.
    packed
        Bytes of the file on the disk; 0 if they are not known.
    archives
        How many zip files may be in each other: some contain themselves.
    """

    opening: Opening
    choose: Choose
    block_bytes: int
    longest: int
    packed: int
    archives: int = TWICE


def _size(source: Path) -> int:
    return source.stat().st_size if source.is_file() else 0


def _tables(file: Any, source: Path, how: _How) -> Iterator[pl.DataFrame]:
    """Tables of an open file, as what its first bytes say it is."""
    content, opening, choose = content_of(file.peek(512)[:512]), how.opening, how.choose
    if content == "zip":
        if not how.archives:
            raise ValueError(f"{source} is a zip file in a zip file in a zip file; unzip it first")
        with whole(file, source, how.packed) as data, _archive(data, source) as archive:
            found = zip_content(archive, source)
            if found == "files":
                name = _only_member(archive, source)
                with _opened(archive, name, source) as inner:  # block by block, as any file
                    within = replace(how, archives=how.archives - 1)
                    yield from _tables(ungzipped(inner), source / name, within)
                return
            _settle(found, source, opening)
            data.seek(0)
            from quantext.texts.sheets import read_sheet  # as the others: few files are sheets

            yield from read_sheet(data.read(), source, opening.sheet, opening.header_row, choose)
        return
    if content not in ("text", "parquet"):
        raise refuse_content(content, file.read(LONGEST), source)
    kind = _settle("parquet" if content == "parquet" else None, source, opening)
    if opening.sheet is not None:
        raise ValueError(f"{source} is no workbook, so it has no sheet {opening.sheet!r}")
    if opening.header_row is not None and kind not in ("csv", "tsv"):
        raise ValueError(f"{source} is {CALLED[kind]}, which has no header row")
    if kind == "parquet":
        from quantext.texts.parquet import read_parquet

        with whole(file, source, how.packed) as data:
            yield from read_parquet(data, Path(data.name), source, choose)
        return
    chunks = (
        guessed_blocks(file, source, how.block_bytes)
        if opening.encoding is None
        else utf8_blocks(file, source, opening.encoding, how.block_bytes)
    )
    if kind in ("csv", "tsv"):
        separator = b"\t" if kind == "tsv" else None
        plain = opening.format is None and _extension(source) == ".txt"
        yield from read_csv(
            chunks,
            source,
            separator,
            choose,
            how.longest,
            header_row=opening.header_row,
            plain=plain,
        )
        return
    from quantext.texts.json import read_json, read_lines

    read = read_json if kind == "json" else read_lines
    yield from read(chunks, source, choose, how.longest)


def _settle(found: Format | None, source: Path, opening: Opening) -> Format:
    """The format of a file: what was found in it, or for text (None) what is said of it.

    Its extension may be wrong, which is noted; a format that was given may not.
    """
    if opening.format is not None:
        agree = opening.format == found or (found is None and opening.format not in SHEETS)
        if not agree and {opening.format, found} != {*SHEETS}:
            what = "text" if found is None else CALLED[found]
            raise ValueError(
                f"{source} is {what}, not {CALLED[opening.format]}; leave out the format, or give "
                "the right one"
            )
        return found or opening.format
    if found is None:
        said = format_of(source)
        if said not in SHEETS:
            return said
        note(f"{source} is text, whatever its name says, and is read as CSV")
        return "csv"
    extension = _extension(source)
    if EXTENSIONS.get(extension, found) != found or extension == ".xls":
        note(f"{source} is {CALLED[found]}, whatever its name says, and is read as such")
    return found


def _archive(data: Any, source: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(data)
    except DAMAGED:
        raise ValueError(
            f"{source} is damaged or not whole: it begins as a workbook or a zip file does, and "
            "does not end as one. Get it once more, or open it in a spreadsheet program and save "
            "it as .xlsx"
        ) from None


def _opened(archive: zipfile.ZipFile, name: str, source: Path) -> Any:
    try:
        return archive.open(name)
    except DAMAGED as error:
        raise ValueError(f"{source} cannot be unzipped: {error}; unzip it first") from None


def _only_member(archive: zipfile.ZipFile, source: Path) -> str:
    """Name of the one file in an archive, beside those that systems add."""
    names = [
        name
        for name in archive.namelist()
        if not name.endswith("/") and not any(p.startswith((".", "__")) for p in Path(name).parts)
    ]
    if len(names) != 1:
        files = f"{len(names)} files, {', '.join(names[:5])}" if names else "no file"
        raise ValueError(f"{source} has {files} in it; unzip it and name the one with the table")
    if archive.getinfo(names[0]).flag_bits & 1:
        raise ValueError(f"{source} is protected by a password; unzip it first")
    return names[0]
