"""The files of LeQua, one by one: shares, names of classes, texts and numbers."""

import csv
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.datasets._lequa_files import Files
from quantext.datasets._sources import WHOLE, whole
from quantext.texts.encoding import decode
from quantext.wording import counted, listed

__all__ = [
    "class_number",
    "documents",
    "names_of_classes",
    "numbers",
    "shares_of_bags",
    "training_header",
]

Array = NDArray[np.float32]

_LARGEST = float(np.finfo(np.float32).max)
TOLERANCE = 1e-3  # of a sum of shares, as the organisers' format has it


def training_header(file: Path) -> list[str]:
    """Names of the columns of a training file: label, then text or features."""
    _, header = next(_lines(file))
    if header[0] != "label" or len(header) < 2:
        raise _wrong_header(file, header, "label, then text or features")
    return header


def shares_of_bags(files: Files) -> pl.DataFrame:
    """Columns bag and, by the numbers of the classes, its shares, which sum to 1."""
    file = files.prevalences
    lines = _lines(file)
    header = [name.strip() for name in next(lines)[1]]
    if header != ["id", *map(str, range(len(header) - 1))] or len(header) < 3:
        raise _wrong_header(file, header, "id,0,1 and so on, a number for each class")
    rows: dict[str, list[float]] = {}
    for number, (bag, *fields) in lines:
        bag, where = bag.strip(), f"{file}, line {number}"
        values = [_number(field) for field in fields]
        if len(values) != len(header) - 1:
            raise _wrong_length(file, number, len(fields) + 1, len(header))
        if not all(0 <= value <= 1 for value in values) or abs(sum(values) - 1) > TOLERANCE:
            raise ValueError(
                f"{where}: the shares of bag {bag} are {listed(fields, most=5)}; "
                f"they must be from 0 to 1 and sum to 1, not {sum(values):g}"
            )
        if bag in rows:
            raise ValueError(f"{where}: bag {bag} is there twice")
        if bag not in files.samples:
            raise FileNotFoundError(f"{where}: there is no {files.folder / bag}.txt; {WHOLE}")
        rows[bag] = [value / sum(values) for value in values]
    if not rows:
        raise ValueError(f"{file} has no bags; {WHOLE}")
    if extra := [path for bag, path in files.samples.items() if bag not in rows]:
        raise ValueError(f"{extra[0]} is a bag of which {file} says nothing; {WHOLE}")
    table = np.array([*rows.values()])
    return pl.DataFrame({"bag": list(rows), **dict(zip(header[1:], table.T, strict=True))})


def names_of_classes(file: Path | None, n_classes: int) -> tuple[str, ...] | None:
    """Names of the classes, by their numbers."""
    if file is None:
        return None
    names: dict[str, str] = {}
    for number, line in enumerate(decode(whole(file), file, "utf-8").splitlines(), start=1):
        if line.strip():
            name, _, code = line.strip().replace("\t", " ").rpartition(" ")
            if not name or code in names or name.strip() in names.values():
                raise ValueError(f"{file}, line {number}: {line!r} is not a name and its number")
            names[code] = name.strip()
    if set(names) != set(map(str, range(n_classes))):
        raise ValueError(f"{file} has {len(names)} names, not one for each of 0 to {n_classes - 1}")
    return tuple(names[str(k)] for k in range(n_classes))


def numbers(file: Path, columns: list[str]) -> Array:
    """The numbers of a file, a document a row."""
    # Line breaks at the end are no documents; polars takes each for one of nulls.
    first, _, rest = whole(file).rstrip(b"\r\n").partition(b"\n")
    _check_header(file, decode(first, file, "utf-8").strip().split(","), columns)
    try:
        values: Array = pl.read_csv(
            rest, has_header=False, schema=dict.fromkeys(columns, pl.Float32)
        ).to_numpy()
        sound = len(values) and bool(np.isfinite(values).all())
    except pl.exceptions.PolarsError:
        sound = False
    if not sound:
        raise _fault(file, rest, columns)
    return values


def _fault(file: Path, data: bytes, columns: list[str]) -> ValueError:
    """The error that says which line is wrong."""
    for number, line in enumerate(decode(data, file, "utf-8").splitlines(), start=2):
        fields = line.split(",")
        if len(fields) != len(columns):
            return _wrong_length(file, number, len(fields), len(columns))
        for column, field in zip(columns, fields, strict=True):
            if not abs(_number(field)) <= _LARGEST:  # nor is NaN
                return ValueError(
                    f"{file}, line {number}: column {column} is {field!r}, which is no number"
                )
    return ValueError(f"{file} has no documents; {WHOLE}")


def documents(file: Path, columns: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Line on which each document ends, and its fields."""
    lines = _lines(file)
    _check_header(file, next(lines)[1], columns)
    number = 0
    for number, fields in lines:
        if len(fields) != len(columns):
            raise _wrong_length(file, number, len(fields), len(columns))
        yield number, fields
    if not number:
        raise ValueError(f"{file} has no documents; {WHOLE}")


def _lines(file: Path) -> Iterator[tuple[int, list[str]]]:
    """Number of the last line, and fields, of each record; a quoted field may have line breaks."""
    reader = csv.reader(StringIO(decode(whole(file), file, "utf-8"), newline=""), strict=True)
    try:
        for fields in reader:
            if fields:
                yield reader.line_num, fields
    except csv.Error as error:
        raise ValueError(f"{file}, line {reader.line_num}: {error}; {WHOLE}") from None


def _check_header(file: Path, found: list[str], columns: list[str]) -> None:
    if found != columns:
        raise _wrong_header(file, found, f"{listed(columns, most=5)}, as in training")


def _wrong_header(file: Path, found: list[str], expected: str) -> ValueError:
    return ValueError(
        f"{file}, line 1: the columns are {listed(found, most=5)}; expected {expected}"
    )


def _wrong_length(file: Path, line: int, found: int, expected: int) -> ValueError:
    return ValueError(
        f"{file}, line {line}: {counted(found, 'column')}, but the header has {expected}"
    )


def class_number(field: str, n_classes: int, file: Path, line: int) -> int:
    """Number of a class."""
    if not field.isdecimal() or int(field) >= n_classes:
        raise ValueError(
            f"{file}, line {line}: label {field!r} is unknown; the classes are 0 to {n_classes - 1}"
        )
    return int(field)


def _number(field: str) -> float:
    """The number, NaN if it is none."""
    try:
        return float(field)
    except ValueError:
        return float("nan")
