"""The command ``plan``."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from quantext.cli.common import (
    Encoding,
    FormatOption,
    HeaderRow,
    Json,
    Quiet,
    Separator,
    Sheet,
    data_file,
    given_options,
    opening_of,
    reading_notes,
    separator_named,
    warn,
)
from quantext.cli.estimate_output import write_table
from quantext.cli.outputs import Force, Output, Raw, check_outputs, check_raw
from quantext.cli.plan_input import Asked, read_data, read_known
from quantext.cli.plan_output import (
    PLAN,
    RAW_WRITERS,
    WRITERS,
    Again,
    check_replaceable,
    next_steps,
    planned,
    print_json,
)
from quantext.cli.progress import working
from quantext.cli.terminal import say

__all__ = ["plan"]


def plan(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Spreadsheet (.xlsx, .ods), CSV, TSV, text, JSON, JSON Lines or Parquet file with "
            "all documents, also with .gz or .zip after it.",
        ),
    ],
    proxy: Annotated[
        list[str],
        typer.Option(metavar="COL", help="Column of what a model says; give it twice for two."),
    ],
    target: Annotated[
        float | None,
        typer.Option(
            metavar="H", help="How exactly every share should be known: 0.03 for ±3 points."
        ),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option(metavar="N", help="Rows to label, instead of as many as the target takes."),
    ] = None,
    truth: Annotated[
        str,
        typer.Option(
            metavar="COL",
            help="Column to fill in; labels that FILE has in it tell how good the model is.",
        ),
    ] = "truth",
    truth_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What an earlier plan wrote, labelled so far: go on."),
    ] = None,
    design: Annotated[
        Literal["srs"] | None,
        typer.Option(
            metavar="srs", help="The labels in FILE were drawn at random from all its rows."
        ),
    ] = None,
    correlation: Annotated[
        float | None,
        typer.Option(metavar="R", help="That you expect between the model and the truth, below 1."),
    ] = None,
    strata: Annotated[
        str | None,
        typer.Option(
            metavar="COL", help="Column of the strata to draw from; by default what the model says."
        ),
    ] = None,
    separator: Separator = None,
    level: Annotated[float, typer.Option(help="Of the intervals whose half width is wanted.")] = (
        0.95
    ),
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same rows.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the rows to label, .csv, .xlsx, .jsonl or .parquet."
        ),
    ] = None,
    format: FormatOption = None,  # noqa: A002 (it is the option's name)
    encoding: Encoding = None,
    sheet: Sheet = None,
    header_row: HeaderRow = None,
    raw: Raw = False,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Choose which rows to label by hand, so that `correct` tells shares as exactly as you want.

    Rows are drawn at random within strata, by default of what the model says, so that what it
    seldom says is seen too. How many are needed is known from labels that are there, or from
    --correlation; else 100 are drawn as a pilot, and the same command with --truth-file tells then.

    The file of --out has the rows in the order to label them in, with all their columns. Before
    these are: row, the number in FILE counted from 1 below the header; stratum; and probability,
    with which it was drawn. Fill in its last column. You may stop early, but do not pass over rows
    that are hard: what is labelled must not depend on what the label is.

    For example:

      quantext plan all.csv --proxy model --target 0.03 --out to_label.csv

      quantext plan all.csv --proxy model --target 0.03
          --truth-file to_label.csv --out more.csv

      quantext plan all.csv --proxy model --number 200 --out to_label.csv
    """
    with reading_notes(quiet) as notes, working(quiet, "starting") as progress:
        path = data_file(file, format)
        check_raw(raw, out)
        to_write = Output(out, PLAN, "--out", tuple(WRITERS))
        check_outputs([to_write], (path, truth_file), force=force)
        from quantext.models.plan import plan as make_plan

        progress(f"reading {file}", 0, None)
        asked = Asked(tuple(dict.fromkeys(proxy)), truth, strata, separator)
        opening = opening_of(format, encoding, sheet, header_row)
        data = read_data(path, asked, opening=opening, whole=out is not None)
        known = read_known(data, asked, truth_file, design, opening.for_another())
        if out is not None and not force:
            check_replaceable(out, asked, known.truth)
        progress("planning", 0, None)
        made = make_plan(
            asked.answers(data),
            target=target,
            truth=known.truth,
            design=known.design,
            strata=None if strata is None else data[strata],
            separator=separator,
            correlation=correlation,
            number=number,
            level=level,
            seed=seed,
        )
        written = out if out is not None and made.to_label else None
        if written is not None:
            progress("writing", 0, None)
            table = planned(made, data.frame, truth, known.truth)
            write_table(table, written, RAW_WRITERS if raw else WRITERS)
    warn(made.notes, quiet)
    if json:
        print_json(made, written, notes)
        return
    from quantext.reports.planning import plan_lines

    shared = [part for name in proxy for part in ("--proxy", name)]
    shared += ["--separator", separator_named(separator)] if separator else []
    shared += [p for name, value in given_options(opening).items() for p in (f"--{name}", value)]
    own = ["--target", f"{target:g}"] if target is not None else []
    own += ["--strata", strata] if strata else []
    again = Again(file, shared, own, truth)
    say(*plan_lines(made), *next_steps(made, again, proxy, truth_file, written))
