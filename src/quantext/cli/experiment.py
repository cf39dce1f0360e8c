"""The commands ``experiment`` and ``report``."""

from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from quantext.cli.progress import progress_bars

if TYPE_CHECKING:
    from rich.console import Console

    from quantext.experiments.configuration import Configuration
    from quantext.experiments.protocols import Split
    from quantext.quantifiers import Quantifier
    from quantext.texts.corpus import Corpus, VectorCorpus

__all__ = ["end_with", "experiment", "report", "run_and_report"]


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
        str | None, typer.Option(help="Names or aliases, with commas between; all by default.")
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
        int | None, typer.Option(help="Periods with fewer documents make no bag.")
    ] = None,
    folds: Annotated[int | None, typer.Option(help="Of the cross-validation.")] = None,
    intervals: Annotated[
        bool | None, typer.Option("--intervals/--no-intervals", help="Slow: hundreds of redraws.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Same seed, same results.")] = None,
    text: Annotated[str | None, typer.Option(help="For table: column of the texts.")] = None,
    label: Annotated[str | None, typer.Option(help="For table: column of the labels.")] = None,
    date: Annotated[str | None, typer.Option(help="For table: column of the dates.")] = None,
    separator: Annotated[
        str | None, typer.Option(help="For table: what stands between several labels.")
    ] = None,
) -> None:
    """Run every method on every class and bag of a corpus, and report how well each did.

    For example:

      quantext experiment synthetic --out runs/synthetic

      quantext experiment reuters21578 --data reuters21578.tar.gz --out runs/reuters

      quantext experiment settings.toml --out runs/mine --methods svm-kld,pcc
    """
    from rich.console import Console

    from quantext.experiments.configuration import (
        configure,
        load_corpus,
        make_methods,
        make_split,
    )

    settings = {
        "data": data,
        "methods": methods and [name.strip() for name in methods.split(",")],
        "folds": folds,
        "intervals": intervals,
        "seed": seed,
    }
    split = {
        "by": by,
        "train_until": train_until,
        "train_periods": train_periods,
        "test_periods": test_periods,
        "min_size": min_size,
    }
    reader = {"text": text, "label": label, "date": date, "separator": separator}
    configuration = configure(_merged(corpus, settings, split=split, reader=reader))
    console = Console(stderr=True)
    start = perf_counter()
    with console.status("Reading the corpus..."):
        documents = load_corpus(configuration)
        parts = make_split(documents, configuration)
    _show_counts(documents, parts, configuration, console)
    where = {"jobs": jobs, "scheduler": scheduler}
    quantifiers = make_methods(configuration)
    about = {"seconds": {"reading": round(perf_counter() - start, 3)}}
    run_and_report(documents, parts, quantifiers, configuration, out, where, about, console)


def report(
    folder: Annotated[Path, typer.Argument(help="Folder of an experiment that has ended.")],
) -> None:
    """Make the tables, figures and report of an experiment again, from its results.

    For example:

      quantext report runs/synthetic
    """
    from quantext.reports.run_files import write_run_files

    typer.echo(write_run_files(folder))


def _merged(corpus: str, settings: dict[str, Any], **tables: dict[str, Any]) -> dict[str, Any]:
    """Settings of a file, if the corpus is one, with those that were given in their place."""
    from quantext.experiments.configuration import read_settings

    merged: dict[str, Any] = {"corpus": corpus}
    if corpus.endswith(".toml"):
        merged = read_settings(Path(corpus))
    merged |= {name: value for name, value in settings.items() if value is not None}
    for table, values in tables.items():
        given = {name: value for name, value in values.items() if value is not None}
        before = merged.get(table, {})
        if table == "split" and {"train_until", "train_periods"} & given.keys():
            before = {k: v for k, v in before.items() if k not in ("train_until", "train_periods")}
        merged[table] = before | given
    return merged


def run_and_report(
    corpus: "Corpus | VectorCorpus",
    split: "Split",
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
    corpus, split, methods, out, about
        As in `run`.
    configuration
        All else that there is to say of it.
    where
        Number of processes, or address of a scheduler.
    console
        For the bar.
    """
    from quantext.experiments.configuration import make_vectorizer
    from quantext.experiments.run import FailedTasksError, run
    from quantext.reports.run_files import write_run_files

    failed: Exception | None = None
    with progress_bars(console) as progress:
        try:
            run(
                corpus,
                split,
                out,
                methods=methods,
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
        console.print(f"There were warnings: see {out / 'warnings.log'}")
    ended = failed is None or isinstance(failed, FailedTasksError)
    if ended and (out / "results.parquet").exists():
        with console.status("Writing the report..."):
            page = write_run_files(out)
        typer.echo(page)
    if failed is not None:
        end_with(failed)


def end_with(error: Exception) -> NoReturn:
    """End with a line that says what went wrong, and exit code 1.

    Parameters
    ----------
    error
        What went wrong in the run, not in what the user asked for.
    """
    typer.echo(f"Error: {error}", err=True)
    raise typer.Exit(1)


def _show_counts(
    corpus: "Corpus | VectorCorpus",
    split: "Split",
    configuration: "Configuration",
    console: "Console",
) -> None:
    """Print what was read, beside the published counts, and what was left out."""
    from rich.table import Table

    from quantext.experiments.protocols import describe

    published = configuration.source.published
    table = Table(corpus.name, "here", *(["published"] if published else []), box=None)
    for column in table.columns[1:]:
        column.justify = "right"
    for name, count in describe(corpus, split).items():
        row = [name, _number(count)]
        if published:
            row.append(_number(published[name]) if name in published else "")
        table.add_row(*row)
    console.print(table)
    for note in (*corpus.notes, *split.notes):
        console.print(f"Note: {note}", highlight=False)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
