"""The command ``correct``."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quantext.cli.common import (
    BatchColumn,
    DateFormat,
    Encoding,
    FormatOption,
    HeaderRow,
    Json,
    Level,
    MergeLabels,
    PageFile,
    PeriodOption,
    Quiet,
    Separator,
    Sheet,
    Top,
    WhereOption,
    check_period,
    data_file,
    opening_of,
    reading_notes,
    warn,
)
from quantext.cli.correct_input import Asked
from quantext.cli.dates import asks_for_dates
from quantext.cli.estimate_output import RAW_WRITERS, WRITERS, write_table
from quantext.cli.outputs import PAGE, SHARES, Force, Output, Raw, check_outputs, check_raw
from quantext.cli.progress import working
from quantext.cli.terminal import say

if TYPE_CHECKING:
    from quantext.reports.correction import Correction
    from quantext.texts.judgements import Judgements

__all__ = ["correct"]

# What messages call arguments of `quantext.correct`, and the options of the same.
_AS_OPTIONS = {
    "leave reading='learned'": "leave out --as-given",
    "name all in classes": "name all with --class",
    "name those that are": "name those that are with --class",
}


@asks_for_dates
def correct(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Spreadsheet (.xlsx, .ods), CSV, TSV, text, JSON, JSON Lines or Parquet file by "
            "its extension, also with .gz or .zip after it; or - for standard input.",
            show_default=False,
        ),
    ],
    proxy: Annotated[
        list[str],
        typer.Option(
            metavar="COL",
            help="Column of what a model says of each document: labels of any kind, or numbers; "
            "blank where it gave no answer. Give it again for another model, or for the posterior "
            "of another class.",
        ),
    ],
    truth: Annotated[
        str,
        typer.Option(metavar="COL", help="Column of the true labels, blank where nobody looked."),
    ],
    design: Annotated[
        str | None,
        typer.Option(
            metavar="HOW",
            help="How the rows with a truth were chosen: srs, at random from FILE; prob:COL, with "
            "the probabilities in that column; elsewhere, not from the rows in question. A file "
            "that `plan` wrote says it by itself.",
        ),
    ] = None,
    truth_file: Annotated[
        str | None,
        typer.Option(
            metavar="GOLD",
            help="File with the truths, if they are not in FILE. With --design elsewhere it has "
            "the columns of --proxy too.",
        ),
    ] = None,
    id: Annotated[  # noqa: A002 (it is the option's name)
        str | None,
        typer.Option(metavar="COL", help="Column that says which row of FILE one of GOLD is."),
    ] = None,
    by: BatchColumn = None,
    period: PeriodOption = None,
    date_format: DateFormat = None,
    strata: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="Column of the groups from each of which rows were drawn at random by itself.",
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Column of what documents are alike in, as their author."),
    ] = None,
    separator: Separator = None,
    merge_labels: MergeLabels = False,
    where: WhereOption = None,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            metavar="NAME",
            help="A class; name all where the model says what is none of them, as N/A.",
        ),
    ] = None,
    target: Annotated[
        Literal["batch", "population"],
        typer.Option(help="Shares in these rows, or in what they were drawn from."),
    ] = "batch",
    level: Level = 0.95,
    as_given: Annotated[
        bool,
        typer.Option(
            "--as-given",
            help="Take the model's labels or posteriors as they are; by default what they mean is "
            "learned from the truths.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same shares and intervals.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write all shares to a .csv, .xlsx, .json or .parquet file."
        ),
    ] = None,
    report: PageFile = None,
    top: Top = 10,
    format: FormatOption = None,  # noqa: A002 (it is the option's name)
    encoding: Encoding = None,
    sheet: Sheet = None,
    header_row: HeaderRow = None,
    raw: Raw = False,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Correct the shares of labels that a model gave, by true labels of a few documents.

    Nothing is trained: the labels are already there, a language model's, say.

    For example:

      quantext correct judged.csv --proxy model --truth checked --design srs

      quantext correct all.csv --proxy gpt --truth topic --truth-file gold.csv --id id --design srs

      quantext correct new.csv --proxy gpt --truth topic --truth-file old.csv --design elsewhere
    """
    with reading_notes(quiet) as notes, working(quiet, "starting") as progress:
        check_period(period, by, date_format)
        check_raw(raw, out)
        table = Output(out, SHARES, "--out", tuple(WRITERS))
        page = Output(report, PAGE, "--report", (".html", ".htm"))
        read = data_file(file, format)
        check_outputs([table, page], (read, truth_file), force=force)
        from quantext.cli.plan_files import PlanReading
        from quantext.quantifiers.intervals import check_level
        from quantext.texts.judgements import JudgementColumns
        from quantext.texts.where import read_where

        check_level(level)
        date, names = (by, None) if period else (None, by)
        columns = JudgementColumns(
            tuple(dict.fromkeys(proxy)),
            truth,
            names,
            date,
            strata,
            cluster,
            date_format=date_format,
            where=read_where(where or ()),
        )
        opening = opening_of(format, encoding, sheet, header_row)
        reading = PlanReading(opening, period, separator)
        known = design.lower() if design and ":" not in design else design
        asked = Asked(read, known, truth_file, id, columns, reading)
        asked.check(as_given)
        progress(f"reading {file}", 0, None)
        asked, judgements = asked.read(merge_labels)
        progress("correcting", 0, None)
        result = _correct(
            judgements,
            asked,
            {
                "level": level,
                "target": target,
                "reading": "given" if as_given else "learned",
                "seed": seed,
                "classes": classes,
            },
        )
        progress("writing", 0, None)
        if out is not None:
            write_table(result.to_frame(), out, RAW_WRITERS if raw else WRITERS)
        if report is not None:
            result.report(report)
    if asked.recognised and not quiet:
        say(f"Note: {asked.recognised}", file=sys.stderr)
    warn(result.shown.notes, quiet)
    if json:
        _print_json(result, notes)
    else:
        say(*result.lines(top))


def _correct(judgements: "Judgements", asked: Asked, options: dict[str, Any]) -> "Correction":
    """The corrected shares, with what is said beside them in the words of the command."""
    from quantext.reports.correct import correct as correct_values

    design: Any = asked.design
    if judgements.chances is not None:
        design = judgements.chances.to_numpy()
    try:
        found = correct_values(
            judgements.proxy,
            judgements.truth,
            design=design,
            by=judgements.by,
            strata=judgements.strata,
            clusters=judgements.clusters,
            separator=judgements.separator,
            **options,
        )
    except ValueError as error:
        of = f" of {asked.truth_file}" if asked.truth_file else ""
        said = str(error)
        for argument, option in _AS_OPTIONS.items():
            said = said.replace(argument, option)
        raise ValueError(
            f"{asked.file} (truth: column {asked.columns.truth!r}{of}): {said}"
        ) from error
    return replace(
        found,
        corrected=replace(found.corrected, notes=(*judgements.notes, *found.notes)),
        facts=asked.facts(judgements),
        period=asked.reading.period,
    )


def _print_json(result: "Correction", notes: list[str]) -> None:
    """Print the shares for other programs."""
    import json

    found = result.corrected
    table = found.table.with_columns(found.effective, found.why)
    facts = {
        "shares": json.loads(table.write_json()),
        "design": found.design,
        "target": found.target,
        "level": found.level,
        "warnings": [*notes, *result.notes],
    }
    print(json.dumps(facts))
