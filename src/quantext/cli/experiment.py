"""The commands ``experiment`` and ``report``."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from quantext.cli.common import separator_meant
from quantext.cli.dates import asks_for_dates
from quantext.cli.experiment_counts import show_counts
from quantext.cli.experiment_options import files_read, merged, read_shares, setting
from quantext.cli.outputs import PAGE, Force, Output, check_folder, check_outputs
from quantext.cli.progress import progress_bars
from quantext.cli.terminal import open_console, say
from quantext.experiments.ahead import workers_ahead

if TYPE_CHECKING:
    from rich.console import Console

    from quantext.experiments.configuration import Configuration
    from quantext.experiments.splits import Split
    from quantext.quantifiers import Quantifier
    from quantext.texts.corpus import Corpus, VectorCorpus

__all__ = ["WRITTEN", "end_with", "experiment", "report", "run_and_report"]

WRITTEN = (
    *("run.json", "tasks", "results.parquet", "results.parquet.sum", "warnings.log"),
    *("failures.json", "tables", "figures", "report.html", ".quantext-lock", ".quantext-vectors"),
)
"""Files and folders of a run's folder."""


@asks_for_dates
def experiment(
    corpus: Annotated[
        str,
        typer.Argument(
            help="Name of a corpus: table (a file of your own), synthetic, reuters21578, rcv1... "
            "(any other word lists them all); or a TOML file with a whole configuration, which "
            "the options below override."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder of the run. If it was stopped, it goes on.")],
    data: Annotated[str | None, typer.Option(help="Path of the corpus's files.")] = None,
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Names or aliases, with commas between; or all. By default Adaptive, those of "
            "Esuli & Sebastiani (2015) and their kin.",
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes; by default one for each processor.")
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Of a Dask scheduler, as tcp://10.0.0.1:8786: its workers do the tasks. They must "
            "see the folder of the run.",
        ),
    ] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How bags are made: period, group, given (as the files say), uniform, artificial, "
            "natural or dirichlet. As the corpus has it by default.",
        ),
    ] = None,
    bags: Annotated[
        int | None, typer.Option(help="Number of bags that uniform, natural, dirichlet draw.")
    ] = None,
    size: Annotated[int | None, typer.Option(help="Documents in a bag that is drawn.")] = None,
    repeats: Annotated[
        int | None, typer.Option(help="Bags that artificial draws with each shares.")
    ] = None,
    points: Annotated[
        int | None, typer.Option(help="Values that a share has on the grid of artificial.")
    ] = None,
    held_out: Annotated[
        float | None,
        typer.Option(help="Share of the documents that bags are drawn from, where no date says."),
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(help="Of dirichlet: 1 is uniform, less is more extreme.")
    ] = None,
    prevalences: Annotated[
        str | None,
        typer.Option(
            metavar="SHARES",
            help="For artificial: shares of the last of two classes or of each label, with commas "
            "between; or a CSV file with a column for each class and a row for each bag.",
        ),
    ] = None,
    of: Annotated[
        str | None, typer.Option(metavar="CLASS", help="Draw bags for this class alone.")
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Period of a bag: day, week, month or year.")
    ] = None,
    train_until: Annotated[
        str | None, typer.Option(help="First day that is no longer training data.")
    ] = None,
    train_periods: Annotated[
        int | None, typer.Option(help="Number of periods to train on, instead of a day.")
    ] = None,
    test_periods: Annotated[
        int | None, typer.Option(help="Number of later periods to make bags of.")
    ] = None,
    min_size: Annotated[
        int | None, typer.Option(help="Periods or groups with fewer documents make no bag.")
    ] = None,
    folds: Annotated[int | None, typer.Option(help="Of the cross-validation.")] = None,
    intervals: Annotated[
        bool | None, typer.Option("--intervals/--no-intervals", help="Slow: hundreds of redraws.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Same seed, same results.")] = None,
    text: Annotated[str | None, typer.Option(help="For table: column of the texts.")] = None,
    label: Annotated[str | None, typer.Option(help="For table: column of the labels.")] = None,
    date: Annotated[str | None, typer.Option(help="For table: column of the dates.")] = None,
    date_format: Annotated[
        str | None,
        typer.Option(metavar="FORMAT", help="For table: how dates are written, as %d/%m/%Y."),
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="For table: column of the groups, or of named periods.")
    ] = None,
    separator: Annotated[
        str | None,
        typer.Option(
            help="For table: what stands between several labels; newline for line breaks.",
            callback=separator_meant,
        ),
    ] = None,
    reader: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Another setting of the corpus's reader, as task=T1B or subtask=E.",
        ),
    ] = None,
) -> None:
    """Run every method on every class and bag of a corpus, and report how well each did.

    For example:

      quantext experiment synthetic --out runs/synthetic

      quantext experiment reuters21578 --data reuters21578.tar.gz --out runs/reuters

      quantext experiment settings.toml --out runs/mine --methods svm-kld,pcc

      quantext experiment table --data a.csv --out runs/a --protocol uniform
    """
    settings = {
        "data": data,
        "methods": methods and [name.strip() for name in methods.split(",")],
        "folds": folds,
        "intervals": intervals,
        "seed": seed,
    }
    split = {
        "protocol": protocol,
        "bags": bags,
        "size": size,
        "repeats": repeats,
        "points": points,
        "held_out": held_out,
        "alpha": alpha,
        "prevalences": prevalences and read_shares(prevalences),
        "of": of,
        "by": by,
        "train_until": train_until,
        "train_periods": train_periods,
        "test_periods": test_periods,
        "min_size": min_size,
    }
    reading: dict[str, Any] = dict(map(setting, reader or []))
    reading |= {"text": text, "label": label, "date": date, "by": group, "separator": separator}
    reading["date_format"] = date_format
    tables = {"split": split, "reader": reading}
    # A scheduler has workers of its own, and a file that is not there needs none.
    alone = scheduler is not None or (data is not None and not Path(data).exists())
    with workers_ahead(1 if alone else jobs) as workers:
        where = {"jobs": jobs, "scheduler": scheduler, "workers": workers}
        _read_and_run(corpus, prevalences, settings, tables, out, where)


def report(
    folder: Annotated[Path, typer.Argument(help="Folder of an experiment that has ended.")],
    force: Force = False,
) -> None:
    """Make the tables, figures and report of an experiment again, from its results.

    For example:

      quantext report runs/synthetic
    """
    from quantext.reports.run_files import write_run_files

    if folder.is_dir():
        check_outputs([Output(folder / "report.html", PAGE)], (), force=force)
    say(write_run_files(folder))


def _read_and_run(
    corpus: str,
    prevalences: str | None,
    settings: dict[str, Any],
    tables: dict[str, dict[str, Any]],
    out: Path,
    where: Mapping[str, Any],
) -> None:
    """Read what the options say, run the experiment and report on it."""
    from quantext.experiments.configuration import (
        configure,
        configured_protocol,
        load_corpus,
        make_methods,
    )
    from quantext.experiments.protocols import Drawn

    configuration = configure(merged(corpus, settings, **tables))
    check_folder(out, WRITTEN, files_read(corpus, prevalences, configuration))
    console = open_console(stderr=True)
    start = perf_counter()
    with console.status("Reading the corpus..."):
        documents = load_corpus(configuration)
        how = configured_protocol(configuration)
        splits = how.split(documents)
    show_counts(documents, splits, how, configuration, console)
    quantifiers = make_methods(configuration)
    about = {
        "seconds": {"reading": round(perf_counter() - start, 3)},
        "world": how.world,
        "protocol": how.describe(splits),
        "bags_share_documents": isinstance(how, Drawn),
    }
    run_and_report(documents, splits, quantifiers, configuration, out, where, about, console)


def run_and_report(
    corpus: "Corpus | VectorCorpus",
    splits: "Sequence[Split]",
    methods: "Mapping[str, Quantifier]",
    configuration: "Configuration",
    out: Path,
    where: Mapping[str, Any],
    about: Mapping[str, Any],
    console: "Console",
) -> None:
    """Run the experiment with a bar and the time left, then make its report.

    Parameters
    ----------
    corpus, splits, methods, out, about
        As in `run`.
    configuration
        All else that there is to say of it.
    where
        Number of processes and those started ahead, or address of a scheduler.
    console
        For the bar.
    """
    from quantext.experiments.configuration import make_vectorizer
    from quantext.experiments.run import FailedTasksError, run
    from quantext.experiments.tasks import tasks_of_training
    from quantext.reports.run_files import write_run_files

    failed: Exception | None = None
    with progress_bars(console) as progress:
        try:
            run(
                corpus,
                splits,
                out,
                methods=methods,
                # A contest asks for all classes of a bag at once, and for nothing else.
                tasks=tasks_of_training(corpus) if corpus.bags is not None else None,
                vectorizer=make_vectorizer(configuration),
                level=configuration.level if configuration.intervals else None,
                replicates=configuration.replicates,
                seed=configuration.seed,
                **where,
                progress=progress,
                about={
                    "unit": configuration.split.get("by"),
                    "seed": configuration.seed,
                    **about,
                },
            )
        except (FailedTasksError, ConnectionError, ImportError) as error:
            failed = error
    if (out / "warnings.log").exists():
        say(f"There were warnings: see {out / 'warnings.log'}", file=sys.stderr)
    ended = failed is None or isinstance(failed, FailedTasksError)
    if ended and (out / "results.parquet").exists():
        with console.status("Writing the report..."):
            page = write_run_files(out)
        say(page)
    if failed is not None:
        end_with(failed)


def end_with(error: Exception) -> NoReturn:
    """End with a line that says what went wrong, and exit code 1.

    Parameters
    ----------
    error
        What went wrong in the run, not in what the user asked for.
    """
    say(f"Error: {error}", file=sys.stderr)
    raise typer.Exit(1)
