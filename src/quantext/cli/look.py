"""The command ``look``."""

from typing import Annotated

import typer

from quantext.cli.common import (
    Data,
    Encoding,
    FormatOption,
    HeaderRow,
    Json,
    Quiet,
    Sheet,
    data_files,
    given_options,
    opening_of,
    reading_notes,
)
from quantext.cli.look_next import next_steps
from quantext.cli.look_output import print_json, print_look
from quantext.cli.progress import working

__all__ = ["look"]


def look(
    data: Data,
    *,
    text: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="Column of the texts, if the guess is wrong."),
    ] = None,
    label: Annotated[
        str | None, typer.Option(metavar="COL", help="Column of the labels, if the guess is wrong.")
    ] = None,
    format: FormatOption = None,  # noqa: A002 (it is the option's name)
    encoding: Encoding = None,
    sheet: Sheet = None,
    header_row: HeaderRow = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show what is in a table: columns, texts, labels, dates, and what is odd.

    What each column is for is guessed, from its values first and then from
    its name. At the end stands the command to go on with. Rows are counted
    from 1, without the header. Nothing is written.

    For example:

      quantext look answers.csv

      quantext look "2024-*.jsonl.gz" --label topics
    """
    with reading_notes(quiet) as notes, working(quiet, "starting") as progress:
        files = data_files(data, format)
        progress(f"reading {', '.join(files)}", 0, None)

        from quantext.texts.look import look as look_at

        opening = opening_of(format, encoding, sheet, header_row)
        found = look_at(files, text=text or (), label=label, opening=opening, progress=progress)
    given = [
        part for name, value in given_options(opening).items() for part in (f"--{name}", value)
    ]
    steps = list(next_steps(found, data, given))
    if json:
        print_json(found, steps, notes)
    else:
        print_look(found, ", ".join("standard input" if f == "-" else f for f in data), steps)
