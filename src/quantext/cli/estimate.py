"""The command ``estimate``."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quantext.cli.common import (
    Data,
    Encoding,
    FormatOption,
    Json,
    Quiet,
    Separator,
    check_writable,
    data_files,
    warn,
)
from quantext.cli.estimate_output import (
    WRITERS,
    Answer,
    print_json,
    print_table,
    remembered,
    write_report,
    write_table,
)
from quantext.cli.progress import working
from quantext.wording import listed

if TYPE_CHECKING:
    from quantext.models.estimates import Estimates
    from quantext.models.textquantifier import TextQuantifier
    from quantext.texts.columns import Columns

__all__ = ["estimate"]

AS_IN_TRAINING = "That is where the texts were in training; name their column here with --text"


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
    by: Annotated[
        str | None, typer.Option(metavar="COL", help="Column that names a document's batch.")
    ] = None,
    period: Annotated[
        Literal["day", "week", "month", "year"] | None,
        typer.Option(
            metavar="NAME",
            help="The column of --by has dates, and a batch is a day, week, month or year.",
        ),
    ] = None,
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
    level: Annotated[
        float, typer.Option(help="Share of batches whose truth the interval should contain.")
    ] = 0.95,
    no_intervals: Annotated[
        bool, typer.Option("--no-intervals", help="They take most of the time.")
    ] = False,
    replicates: Annotated[
        int, typer.Option(min=1, help="Of the intervals: more are steadier.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same intervals.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write all estimates to a .csv, .json or .parquet file."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page to look at, .html.")
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, help="Classes to print for each batch, the largest.")
    ] = 10,
    format: FormatOption = None,  # noqa: A002 (it is the option's name)
    encoding: Encoding = "utf-8",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Estimate the share of each class among new documents, batch by batch.

    The files are read once, piece by piece, so they may be larger than memory.

    For example:

      quantext estimate model.qx new.csv

      quantext estimate model.qx new.csv --by day --period week --report a.html

      unzip -p new.zip | quantext estimate model.qx - --format csv --out b.csv
    """
    with working(quiet, "starting") as progress:
        if out is not None and out.suffix.lower() not in WRITERS:
            raise ValueError(f"--out {out}: the extension must be one of {', '.join(WRITERS)}")
        if label is not None and no_label:
            raise ValueError(f"--label {label} and --no-label contradict each other; choose one")
        if period is not None and by is None:
            raise ValueError(f"--period {period} needs --by with the column of the dates")
        for path in (out, report):
            if path is not None:
                check_writable(path)
        files = data_files(data, format)
        fitted = _load(model)
        given = Given(text, label, separator, by, period is not None, not no_label)
        columns = given.columns(fitted.about_, model)
        progress(f"reading {', '.join(files)}", 0, None)
        estimates = _estimate(
            fitted,
            files,
            columns,
            {"format": format, "encoding": encoding, "optional_label": label is None},
            {
                "period": period or "week",  # without --period there are no dates
                "level": None if no_intervals else level,
                "seed": seed,
                "replicates": replicates,
                "progress": progress,
            },
            hint="" if text else AS_IN_TRAINING,
        )
        truth = columns.label if "true_share" in estimates.table.columns else None
        notes = [*_intervals_note(fitted, not no_intervals), *_notes(estimates, truth)]
        answer = Answer(fitted, model, tuple(files), estimates, level, truth, tuple(notes))
        progress("writing", 0, None)
        if out is not None:
            write_table(answer, out)
        if report is not None:
            write_report(answer, report)
    warn(notes, quiet)
    if json:
        print_json(answer)
    else:
        print_table(answer, top)


@dataclass(frozen=True)
class Given:
    """What the options say of the columns; what they do not say the model file remembers.

    Parameters
    ----------
    text, label, separator, by
        As they were given.
    dated
        The column of ``by`` has dates.
    labelled
        Labels may be looked at.
    """

    text: list[str] | None
    label: str | None
    separator: str | None
    by: str | None
    dated: bool
    labelled: bool

    def columns(self, about: Mapping[str, Any], path: Path) -> "Columns":
        """Columns of the documents, given what the model file remembers."""
        from quantext.texts.columns import Columns

        text = self.text or remembered(about, "text", list)
        if not text:
            raise ValueError(f"{path} does not say in which column texts are; name it with --text")
        label = self.label or (remembered(about, "label", str) if self.labelled else None)
        separator = self.separator or remembered(about, "separator", str) or None
        date, by = (self.by, None) if self.dated else (None, self.by)
        return Columns(text, label, separator, date, by)


def _load(path: Path) -> "TextQuantifier":
    """The model, with a thread for each core."""
    from quantext.models.save import load_text_quantifier

    model = load_text_quantifier(path)
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
) -> "Estimates":
    """The estimates; the hint is said of a column of texts that is not there."""
    from quantext.models.estimates import estimate
    from quantext.texts.formats import MissingColumnError
    from quantext.texts.reading import read_documents

    try:
        return estimate(
            model, read_documents(files, columns, unlabelled=True, **reading), **options
        )
    except MissingColumnError as error:
        if not hint or error.name not in columns.texts:
            raise
        raise ValueError(f"{error}. {hint}") from None


def _intervals_note(model: "TextQuantifier", wanted: bool) -> Iterator[str]:
    """Why there are no intervals, if they are wanted."""
    from quantext.models.estimates import gives_intervals

    if wanted and not gives_intervals(model):
        yield (
            "no intervals: the model was trained without cross-validation; train it with --folds 10"
        )


def _notes(estimates: "Estimates", label: str | None) -> Iterator[str]:
    """What one should know about the data."""
    if without := estimates.n_rows - estimates.n_documents:
        yield f"{without:,} of {estimates.n_rows:,} rows have no text and were left out"
    if estimates.n_unlabelled:
        yield (
            f"{estimates.n_unlabelled:,} of {estimates.n_documents:,} documents have no label in "
            f"{label!r}; true shares are given for batches in which all have one"
        )
    if estimates.unseen:
        total = estimates.unseen.total()
        names = listed((f"{name!r} ({n:,})" for name, n in estimates.unseen.most_common()), most=5)
        yield f"{total:,} labels were not in training, so nothing is estimated of them: {names}"
