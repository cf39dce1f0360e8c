"""The command ``estimate``."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quantext.cli.common import (
    BatchColumns,
    Data,
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
    data_files,
    opening_of,
    reading_notes,
    warn,
)
from quantext.cli.dates import asks_for_dates
from quantext.cli.estimate_output import RAW_WRITERS, WRITERS, print_json, write_table
from quantext.cli.outputs import PAGE, SHARES, Force, Output, Raw, check_outputs, check_raw
from quantext.cli.progress import working
from quantext.cli.terminal import say

if TYPE_CHECKING:
    from quantext.models.textquantifier import TextQuantifier
    from quantext.reports.result import Result
    from quantext.texts.columns import Columns

__all__ = ["estimate"]

PROXIES_IN_TRAINING = (
    "That is where the model looked in training; name the column here with --proxy"
)
AS_IN_TRAINING = "That is where the texts were in training; name their column here with --text"


@asks_for_dates
def estimate(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="File that `train` wrote.")],
    data: Data,
    text: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            help="Column of the texts, by default the same as in training; twice to join two.",
        ),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            help="Of a model that was trained with --proxy, column of what is said of the "
            "documents; by default the same as in training.",
        ),
    ] = None,
    by: BatchColumns = None,
    period: PeriodOption = None,
    date_format: DateFormat = None,
    label: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="Column of labels, to see how right the estimates are; by default the same as in "
            "training, if it is there.",
        ),
    ] = None,
    no_label: Annotated[
        bool, typer.Option("--no-label", help="Do not look at labels that are there.")
    ] = False,
    separator: Separator = None,
    merge_labels: MergeLabels = False,
    where: WhereOption = None,
    weight: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Column that says how much a document counts."),
    ] = None,
    difference: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="FIRST SECOND", help="Two batches, and what they differ by."),
    ] = None,
    level: Level = 0.95,
    no_intervals: Annotated[
        bool, typer.Option("--no-intervals", help="Of methods other than Adaptive they take long.")
    ] = False,
    replicates: Annotated[
        int, typer.Option(min=1, help="Of the intervals: more are steadier.")
    ] = 1000,
    seed: Annotated[
        int, typer.Option(min=0, help="Same seed, same intervals; not used by Adaptive.")
    ] = 0,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Write all estimates to a .csv, .xlsx, .json or .parquet file; give it twice for "
            "two of them.",
        ),
    ] = None,
    report: PageFile = None,
    quotes: Annotated[
        int,
        typer.Option(
            min=0,
            max=20,
            metavar="N",
            help="Show N documents of each class, word for word, on the page of --report.",
        ),
    ] = 0,
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
    """Estimate the share of each class among new documents, batch by batch.

    The files are read once, piece by piece, so they may be larger than memory.

    For example:

      quantext estimate model.qx new.csv

      quantext estimate model.qx new.csv --by day --period week --report a.html

      quantext estimate model.qx new.csv --by day --by branch --period month

      quantext estimate model.qx new.csv --by wave --difference "wave 1" "wave 2"

      unzip -p new.zip | quantext estimate model.qx - --format csv --out b.csv
    """
    with reading_notes(quiet) as notes, working(quiet, "starting") as progress:
        if label is not None and no_label:
            raise ValueError(f"--label {label} and --no-label contradict each other; choose one")
        check_period(period, by, date_format)
        if difference is not None and not by:
            raise ValueError("--difference needs --by with the column that names the batches")
        if quotes and report is None:
            raise ValueError("--quotes shows documents on a page; add --report FILE.html")
        files = data_files(data, format)
        tables = out or []
        check_raw(raw, *tables)
        outputs = [Output(table, SHARES, "--out", tuple(WRITERS)) for table in tables]
        page = Output(report, PAGE, "--report", (".html", ".htm"))
        check_outputs([*outputs, page], (model, *files), force=force)
        from quantext.texts.where import Part

        opening = opening_of(format, encoding, sheet, header_row)
        fitted = _load(model)
        dated = period is not None or date_format is not None
        given = Given(text, proxy, label, separator, by or [], dated, not no_label, weight, where)
        columns = replace(given.columns(fitted, model), date_format=date_format)
        part = Part(columns.where)
        progress(f"reading {', '.join(files)}", 0, None)
        result = _estimate(
            fitted,
            files,
            columns,
            {"opening": opening, "optional_label": label is None, "part": part},
            {
                "period": period or "day",
                "level": None if no_intervals else level,
                "seed": seed,
                "replicates": replicates,
                "quotes": quotes,
                "progress": progress,
                "model_file": str(model),
                "part": part,
                "merge_labels": merge_labels,
            },
            hint=""
            if text or proxy
            else PROXIES_IN_TRAINING
            if columns.proxies
            else AS_IN_TRAINING,
        )
        progress("writing", 0, None)
        for table in tables:
            write_table(result.to_frame(), table, RAW_WRITERS if raw else WRITERS)
        if report is not None:
            result.report(report)
        compared = result.difference(*difference) if difference else None
    warn(result.notes, quiet)
    if json:
        print_json(result, columns.label if result.truth else None, compared, notes)
    else:
        say(*result.lines(top), *(compared.lines(top) if compared else ()))


@dataclass(frozen=True)
class Given:
    """What the options say of the columns; what they do not say the model file remembers.

    Parameters
    ----------
    text, proxy, label, separator, by
        As they were given.
    dated
        The column of ``by`` has dates.
    labelled
        Labels may be looked at.
    weight
        Column of the weights.
    where
        Which rows are meant.
    """

    text: list[str] | None
    proxy: list[str] | None
    label: str | None
    separator: str | None
    by: list[str]
    dated: bool
    labelled: bool
    weight: str | None
    where: list[str] | None

    def columns(self, model: "TextQuantifier", path: Path) -> "Columns":
        """Columns of the documents, given what the model file remembers."""
        from quantext.models.save import remembered
        from quantext.texts.columns import Columns, batch_columns
        from quantext.texts.where import read_where

        proxies = self._proxies(model, path)
        text = () if proxies else self.text or remembered(model, "text", list)
        if not (text or proxies):
            raise ValueError(f"{path} does not say in which column texts are; name it with --text")
        label = self.label or (remembered(model, "label", str) if self.labelled else None)
        separator = self.separator or remembered(model, "separator", str) or None
        return Columns(
            text,
            label,
            separator,
            weight=self.weight,
            proxies=proxies,
            where=read_where(self.where or ()),
            **batch_columns(self.by, self.dated),
        )

    def _proxies(self, model: "TextQuantifier", path: Path) -> tuple[str, ...]:
        """Columns of what other models say; none if the model reads texts."""
        from quantext.reports.estimate import proxy_columns

        columns = proxy_columns(model, self.proxy, "--proxy")
        if self.proxy and not columns:
            raise ValueError(f"{path} reads texts; --proxy is for models that were trained with it")
        if self.text and columns:
            raise ValueError(
                f"{path} was trained with --proxy and reads no texts; --proxy, not --text, names "
                "its columns"
            )
        return columns


def _load(path: Path) -> "TextQuantifier":
    """The model, with a thread for each core."""
    from quantext.models.save import load
    from quantext.models.textquantifier import TextQuantifier

    model = load(path)
    if not isinstance(model, TextQuantifier):
        raise ValueError(
            f"{path} holds a {type(model).__name__}, which cannot read texts by itself; save a "
            "TextQuantifier, as `quantext train` does"
        )
    if hasattr(model.vectorizer_, "n_jobs"):
        model.vectorizer_.n_jobs = -1
    return model


def _estimate(
    model: "TextQuantifier",
    files: list[str],
    columns: "Columns",
    reading: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    hint: str,
) -> "Result":
    """The estimates; the hint is said of a column of texts that is not there."""
    from quantext.reports.estimate import estimate_blocks
    from quantext.texts.formats import MissingColumnError
    from quantext.texts.reading import read_documents

    blocks = read_documents(files, columns, unlabelled=True, **reading)
    truth = f"column {columns.label!r}" if columns.label else None
    try:
        return estimate_blocks(model, blocks, data=", ".join(files), truth=truth, **options)
    except MissingColumnError as error:
        if not hint or error.name not in (*columns.texts, *columns.proxies):
            raise
        raise ValueError(f"{error}. {hint}") from None
