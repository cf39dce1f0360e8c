"""What commands share: options of data files, notes and warnings."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TextIO

import typer

from quantext.cli.terminal import say

if TYPE_CHECKING:
    from quantext.texts.formats import Format, Opening

__all__ = [
    "BatchColumn",
    "BatchColumns",
    "Data",
    "DateFormat",
    "Emoji",
    "Encoding",
    "FormatOption",
    "HeaderRow",
    "Json",
    "LabelColumn",
    "Level",
    "MergeLabels",
    "PageFile",
    "PeriodOption",
    "ProxyColumns",
    "Quiet",
    "Separator",
    "Sheet",
    "Stemmer",
    "StopWords",
    "TextColumns",
    "Top",
    "WhereOption",
    "check_period",
    "data_file",
    "data_files",
    "given_options",
    "opening_of",
    "reading_notes",
    "separator_meant",
    "separator_named",
    "warn",
    "word_options",
    "words_file",
]

Data = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA",
        help="Spreadsheets (.xlsx, .ods), CSV, TSV, text, JSON, JSON Lines or Parquet files by "
        "their extensions, also with .gz or .zip after it; a pattern in quotes; or - for standard "
        "input.",
        show_default=False,
    ),
]
TextColumns = Annotated[
    list[str], typer.Option(metavar="COL", help="Column of the texts; give it twice to join two.")
]
ProxyColumns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COL",
        help="In place of --text: column of the labels or scores that a model, a rule set or an "
        "old system gave; give it twice for two of them.",
    ),
]
LabelColumn = Annotated[str, typer.Option(metavar="COL", help="Column of the labels.")]
BatchColumn = Annotated[
    str | None, typer.Option(metavar="COL", help="Column that names a document's batch.")
]
BatchColumns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COL",
        help="Column that names a document's batch; give it twice for batches of two, as a day of "
        "a branch.",
    ),
]
MergeLabels = Annotated[
    bool,
    typer.Option(
        "--merge-labels",
        help="Make one of labels that differ only in capitals, blanks and the like.",
    ),
]
WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COL=VALUE",
        help="Only these rows; COL!=VALUE for all others, COL= for blank ones. Again for another "
        "value of the column, or another column.",
    ),
]
PeriodOption = Annotated[
    Literal["day", "week", "month", "year"] | None,
    typer.Option(
        metavar="NAME",
        help="The column of --by has dates, and a batch is a day, week, month or year.",
    ),
]
DateFormat = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help="How dates are written, where it cannot be found out: %d/%m/%Y (day first), "
        "%m/%d/%Y, iso, excel...",
    ),
]
Level = Annotated[
    float, typer.Option(help="Share of batches whose truth the interval should contain.")
]
PageFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write a page to look at, .html.")
]
Top = Annotated[int, typer.Option(min=1, help="Classes to print for each batch, the largest.")]
FormatOption = Annotated[
    Literal["csv", "tsv", "jsonl", "json", "parquet", "xlsx", "ods"] | None,
    typer.Option(
        "--format", help="Format of the files, where the extension does not tell.", metavar="NAME"
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Of text files, as utf-8 or cp1252; by default it is found out."
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Of a spreadsheet that has tables on several sheets."),
]
HeaderRow = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Row that names the columns, counted from 1 as a spreadsheet shows it; by default the "
        "first, or the one below titles and blank rows.",
    ),
]

_NEWLINE = "newline"  # since a line break is hard to type


def separator_meant(given: str | None) -> str | None:
    """What stands between labels, by what is given on the command line."""
    return "\n" if given == _NEWLINE else given


def separator_named(separator: str) -> str:
    """The same the other way round, for a command to paste."""
    return _NEWLINE if separator == "\n" else separator


Separator = Annotated[
    str | None,
    typer.Option(
        help="What stands between the labels of a document that has several; newline for line "
        "breaks.",
        metavar="TEXT",
        callback=separator_meant,
    ),
]
Stemmer = Annotated[str, typer.Option(metavar="NAME", help="porter, german, french...; or none.")]
StopWords = Annotated[
    str,
    typer.Option(
        metavar="WORDS", help="Passed over: none, english, or a file with one word a line."
    ),
]
Emoji = Annotated[bool, typer.Option("--emoji", help="Emoji are words too, each by itself.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress and no warnings.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for other programs.")]


def data_files(paths: Sequence[str], kind: "Format | None") -> list[str]:
    """The files that were named, patterns replaced by what they match; - is standard input."""
    from quantext.texts.paths import find_files

    if "-" in paths and kind is None:
        raise ValueError("standard input has no extension; say --format csv, tsv, jsonl or another")
    return [file for path in paths for file in (["-"] if path == "-" else find_files(path))]


def data_file(path: str, kind: "Format | None") -> str:
    """The file that was named, by a pattern or not; an error if there are several."""
    files = data_files([path], kind)
    if len(files) > 1:
        raise ValueError(f"{path} matches {len(files)} files; name one")
    return files[0]


def opening_of(
    kind: "Format | None", encoding: str | None, sheet: str | None, header_row: int | None
) -> "Opening":
    """How files are opened, by the options that say so."""
    from quantext.texts.formats import Opening

    return Opening(kind, encoding, sheet, header_row)


def given_options(opening: "Opening") -> dict[str, str]:
    """The same options by name, as they were given, for a command to type next."""
    named = {
        "format": opening.format,
        "encoding": opening.encoding,
        "sheet": opening.sheet,
        "header-row": opening.header_row,
    }
    return {name: str(value) for name, value in named.items() if value is not None}


@contextmanager
def reading_notes(quiet: bool) -> Iterator[list[str]]:
    """Inside, what readers say of files is gathered, once each; then it is printed as notes.

    If dates must be asked about, notes go with that error, as the reading after the answer says all
    of it again.
    """
    import warnings

    from quantext.texts.notes import ReadingWarning

    notes: list[str] = []
    with warnings.catch_warnings():
        others = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not issubclass(category, ReadingWarning):
                others(message, category, filename, lineno, file, line)
            elif str(message) not in notes:
                notes.append(str(message))

        warnings.showwarning = show
        warnings.simplefilter("always", ReadingWarning)
        try:
            yield notes
        except ValueError as error:
            from quantext.texts.dating import AmbiguousDatesError

            if isinstance(error, AmbiguousDatesError) and not quiet:
                for text in notes:
                    error.add_note(text)
                notes.clear()
            raise
        finally:
            for text in () if quiet else notes:
                say(f"Note: {text}", file=sys.stderr)


def words_file(stop_words: str) -> str | None:
    """The file of stop words, if they are in one."""
    return None if stop_words in ("english", "none") else stop_words


def word_options(stemmer: str, stop_words: str, emoji: bool) -> dict[str, Any]:
    """What the vectorizer takes for these options: a name, None, or the words of a file."""
    words: Any = None if stop_words == "none" else stop_words
    if words_file(stop_words) is not None:
        if not Path(stop_words).is_file():
            raise ValueError(
                f"--stop-words is english, none or a file, and there is no file {stop_words}"
            )
        words = Path(stop_words).read_text(encoding="utf-8").split()
    stem = None if stemmer == "none" else stemmer
    return {"stemmer": stem, "stop_words": words, "emoji": emoji}


def check_period(
    period: str | None, by: str | Sequence[str] | None, date_format: str | None = None
) -> None:
    """Raise if there are periods, or a format of dates, without the column of the dates."""
    for option, value in (("period", period), ("date-format", date_format)):
        if value is not None and not by:
            raise ValueError(f"--{option} {value} needs --by with the column of the dates")


def warn(warnings: Sequence[str], quiet: bool) -> None:
    """Print warnings on standard error."""
    for text in () if quiet else warnings:
        say(f"Warning: {text}", file=sys.stderr)
