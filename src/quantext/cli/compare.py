"""The command ``compare``."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quantext.cli.common import (
    Data,
    DateFormat,
    Emoji,
    Encoding,
    FormatOption,
    HeaderRow,
    Json,
    LabelColumn,
    MergeLabels,
    Quiet,
    Separator,
    Sheet,
    Stemmer,
    StopWords,
    TextColumns,
    WhereOption,
    data_files,
    given_options,
    opening_of,
    reading_notes,
    warn,
    word_options,
    words_file,
)
from quantext.cli.compare_output import print_json, print_table, train_command
from quantext.cli.dates import asks_for_dates
from quantext.cli.experiment import WRITTEN, end_with
from quantext.cli.outputs import check_folder
from quantext.cli.progress import progress_bars
from quantext.cli.terminal import open_console, say
from quantext.wording import listed

if TYPE_CHECKING:
    from quantext.experiments.comparison import Comparison
    from quantext.texts.corpus import Corpus
    from quantext.texts.formats import Opening

__all__ = ["compare"]

FEWEST_PERIODS = 4  # to test on, where nobody asked for it


@asks_for_dates
def compare(
    data: Data,
    text: TextColumns,
    label: LabelColumn,
    separator: Separator = None,
    merge_labels: MergeLabels = False,
    where: WhereOption = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="Column of the date of each document, or of its group. By default the one "
            "column of dates, if there is one; else shares are moved artificially.",
        ),
    ] = None,
    period: Annotated[
        Literal["day", "week", "month", "year"] | None,
        typer.Option(help="The column of --by has dates: these make a bag."),
    ] = None,
    date_format: DateFormat = None,
    protocol: Annotated[
        Literal["period", "group", "uniform", "natural"] | None,
        typer.Option(
            metavar="NAME",
            help="How it is tested: period (on later ones), group (leaving out one after the "
            "other), uniform (on bags whose shares are drawn) or natural (on bags drawn as "
            "documents come). By default, what the data allow.",
        ),
    ] = None,
    train_until: Annotated[
        str | None,
        typer.Option(
            metavar="DATE", help="First day, or other value of --by, that is not for training."
        ),
    ] = None,
    train_share: Annotated[
        float | None,
        typer.Option(help="Share of the periods to train on, instead; a third by default."),
    ] = None,
    min_size: Annotated[
        int, typer.Option(min=1, help="Periods or groups with fewer documents make no bag.")
    ] = 30,
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Names or aliases, with commas between; or all. By default one of each kind.",
        ),
    ] = None,
    stemmer: Stemmer = "porter",
    stop_words: StopWords = "none",
    emoji: Emoji = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where results and report go, by default compare-DATA. What was stopped goes on.",
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes; by default one for each processor.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same results.")] = 0,
    format: FormatOption = None,  # noqa: A002 (it is the option's name)
    encoding: Encoding = None,
    sheet: Sheet = None,
    header_row: HeaderRow = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Find out which method is best on your own labelled documents.

    Each method estimates documents that it was not trained on, whose truth is
    known, just as train and estimate would: all classes at once or, with
    --separator, the share of each label. With dates it is trained on the first
    periods and tested on the later ones; with groups (topics, branches), on all
    but one and on that one. What is best depends on how new documents will
    differ, so the answer says for which world it is.

    For example:

      quantext compare a.csv --text answer --label topic --by day --period week

      quantext compare a.csv --text answer --label topic --by branch --methods all

      quantext compare a.csv --text answer --label topics --separator ";"
    """
    from quantext.texts.where import read_where

    if by is None and (period or train_until or train_share is not None):
        raise ValueError("--period, --train-until and --train-share need --by with a column")
    if by is None and protocol in ("period", "group"):
        raise ValueError(f"--protocol {protocol} needs --by with a column")
    if (period or date_format) and protocol == "group":
        option = "--period" if period else "--date-format"
        raise ValueError(f"{option} is for dates, and --protocol group takes the values of --by")
    meant = read_where(where or ())
    console = open_console(stderr=True, quiet=quiet)
    files = data_files(data, format)
    if out is not None:
        check_folder(out, WRITTEN, (*files, words_file(stop_words)))
    opening = opening_of(format, encoding, sheet, header_row)
    told = bool(by) and bool(period or date_format)
    with reading_notes(quiet=True):  # the reading of all says it again
        dates = [] if told or "-" in files else _date_columns(files, opening)
    found = dates[0] if by is None and protocol is None and len(dates) == 1 else None
    if by in dates and protocol != "group":
        found = by
    if date_format and not (by or found):
        raise ValueError(f"--date-format {date_format} needs --by with the column of the dates")
    reading = {
        "paths": files,
        "text": text,
        "label": label,
        "separator": separator,
        "date": by if told else found,
        "by": None if told or found else by,
        "date_format": date_format,
        "period": "day",  # so that --train-until may divide a week
        "format": format,
        "encoding": encoding,
        "sheet": sheet,
        "header_row": header_row,
        "name": "input" if data[0] == "-" else None,
        "merge_labels": merge_labels,
        "where": meant,
    }
    testing = {
        "period": period,
        "train_until": train_until,
        "train_share": train_share,
        "min_size": min_size,
        "seed": seed,
    }
    options = {"protocol": protocol, "seed": seed, "jobs": jobs}
    words = word_options(stemmer, stop_words, emoji)
    with reading_notes(quiet) as found_out:
        folder, comparison = _compare(
            console, reading, words, methods, out, testing, options, guessed=bool(found) and not by
        )
    with console.status("Writing the report..."):
        from quantext.reports.run_files import write_run_files

        page = write_run_files(folder)
    notes = list(comparison.notes)
    if found and not by and "later period" in comparison.protocol:
        notes.insert(0, f"column {found!r} has dates, so it is tested on later ones (see --by)")
    if (folder / "warnings.log").exists():
        notes.append(f"there were warnings in training: see {folder / 'warnings.log'}")
    warn(notes, quiet)
    given = {
        "separator": separator,
        "merge-labels": merge_labels,
        "where": meant.options,
        "stemmer": stemmer,
        "stop-words": stop_words,
        "emoji": emoji,
        **given_options(opening),
    }
    command = train_command(comparison, data, text, label, given)
    if json:
        print_json(comparison, page, command, [*found_out, *notes])
    else:
        print_table(comparison, page, command)
    end_if_failed(comparison.failures, folder)


def _date_columns(files: list[str], opening: "Opening") -> list[str]:
    """Columns that have a date in every row."""
    from quantext.texts.reading import date_columns

    return date_columns(files, opening=opening)


def _has_later(corpus: "Corpus", testing: Mapping[str, Any]) -> bool:
    """Whether there are some later periods to test on."""
    from quantext.experiments.comparison import usual_protocol

    try:
        [split] = usual_protocol(corpus, **testing).split(corpus)
    except ValueError:  # one period only, or all too small
        return False
    return len(split.bags) >= FEWEST_PERIODS


def end_if_failed(failures: Mapping[str, str], folder: Path) -> None:
    """Name the tasks that failed, and end with exit code 1, if there are any.

    Parameters
    ----------
    failures
        What went wrong, by task.
    folder
        Of the experiment.
    """
    if failures:
        say(
            f"Error: some tasks failed and are left out: {listed(failures)}. Why is in "
            f"{folder / 'failures.json'}; the same command tries them once more",
            file=sys.stderr,
        )
        raise typer.Exit(1)


def _compare(
    console: Any,
    reading: Mapping[str, Any],
    words: Mapping[str, Any],
    methods: str | None,
    out: Path | None,
    testing: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    guessed: bool,
) -> tuple[Path, "Comparison"]:
    """Folder of the experiment, and what it showed; by default a folder with no other in it.

    Dates that nobody asked for are left aside where they are too few.
    """
    from dataclasses import replace
    from itertools import count

    from quantext.experiments.comparison import COMPARED, compare, usual_protocol
    from quantext.experiments.folder import OtherRunError
    from quantext.experiments.run import FailedTasksError
    from quantext.models.methods import METHODS
    from quantext.texts.reading import read_corpus
    from quantext.vectors.ltc import LtcVectorizer

    options = {**options, "vectorizer": LtcVectorizer(**words)}
    names = [name.strip() for name in methods.split(",")] if methods else list(COMPARED)
    names = list(METHODS) if names == ["all"] else names
    with progress_bars(console, transient=True) as progress:
        progress("reading", 0, 1)
        corpus = read_corpus(**reading)
        progress("reading", 1, 1)
        if guessed and not _has_later(corpus, testing):
            corpus = replace(corpus, periods=None)
        options = {**options, "protocol": usual_protocol(corpus, options["protocol"], **testing)}
        folder = out or Path(f"compare-{corpus.name}")
        for number in count(2):
            try:
                return folder, compare(corpus, folder, methods=names, progress=progress, **options)
            except OtherRunError:
                if out is not None:
                    raise
                folder = Path(f"compare-{corpus.name}-{number}")
            except FailedTasksError as error:
                end_with(error)
        raise AssertionError("there is always another number")
