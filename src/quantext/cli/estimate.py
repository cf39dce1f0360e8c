"""The command ``estimate``."""

from collections.abc import Iterator, Sequence
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
    fit_width,
    warn,
)
from quantext.cli.progress import working

if TYPE_CHECKING:
    import polars as pl

    from quantext.models.estimates import Estimates
    from quantext.models.textquantifier import TextQuantifier

__all__ = ["estimate"]

# Share of known words below which the texts are hardly those that the model was trained for: of
# texts like those of training it is 90 % and more, of another language 5 % or so.
FEW_KNOWN = 0.5

WIDTH = 80


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
    with working(quiet, "Starting") as progress:
        if out is not None and out.suffix.lower() not in _WRITERS:
            raise ValueError(f"--out {out}: the extension must be one of {', '.join(_WRITERS)}")
        if label is not None and no_label:
            raise ValueError(f"--label {label} and --no-label contradict each other; choose one")
        if period is not None and by is None:
            raise ValueError(f"--period {period} needs --by with the column of the dates")
        for path in (out, report):
            if path is not None:
                check_writable(path)
        files = data_files(data, format)
        fitted, estimates, label, notes = _estimate(
            progress,
            model,
            {
                "paths": files,
                "text": text,
                "label": label,
                "separator": separator,
                "date": by if period else None,
                "by": None if period else by,
                "format": format,
                "encoding": encoding,
                "unlabelled": True,
                "optional_label": label is None and not no_label,
            },
            {"level": None if no_intervals else level, "seed": seed, "replicates": replicates}
            | ({"period": period} if period else {}),
        )
        progress("writing", 0, None)
        if out is not None:
            _write(estimates.table, out)
        if report is not None:
            about = _about(fitted, estimates, model, files, level, label, notes)
            _write_report(estimates, report, about)
    warn(notes, quiet)
    if json:
        _print_json(estimates, label, notes)
    else:
        for line in _lines(estimates, level, top, label):
            print(line)


def _estimate(
    progress: Any, path: Path, reading: dict[str, Any], options: dict[str, Any]
) -> tuple["TextQuantifier", "Estimates", str | None, list[str]]:
    """The model, the estimates, the column of the truth, and what one should know about them."""
    from quantext.models.estimates import estimate, gives_intervals
    from quantext.models.save import load
    from quantext.models.textquantifier import TextQuantifier
    from quantext.texts.formats import MissingColumnError
    from quantext.texts.reading import read_documents

    model = load(path)
    if not isinstance(model, TextQuantifier):
        raise ValueError(
            f"{path} holds a {type(model).__name__}, which cannot read texts by itself; save a "
            "TextQuantifier, as `quantext train` does"
        )
    model.vectorizer_.n_jobs = -1
    text = reading["text"]
    reading |= _as_in_training(reading, model.about_, path)
    notes = []
    if options["level"] is not None and not gives_intervals(model):
        options["level"] = None
        notes.append(
            "no intervals: the model was trained without cross-validation; train it with --folds 10"
        )
    progress(f"reading {', '.join(reading['paths'])}", 0, None)
    try:
        estimates = estimate(
            model,
            read_documents(**reading),
            progress=progress,
            **options,
        )
    except MissingColumnError as error:
        if text or error.name not in reading["text"]:
            raise
        raise ValueError(
            f"{error}. That is where the texts were in training; name their column here with --text"
        ) from None
    label = reading["label"] if "true_share" in estimates.table.columns else None
    return model, estimates, label, notes + list(_notes(estimates, label))


def _as_in_training(reading: dict[str, Any], about: dict[str, Any], path: Path) -> dict[str, Any]:
    """Columns and separator: those that were given, else those that the model file remembers."""
    text = reading["text"] or _remembered(about, "text", list)
    if not text:
        raise ValueError(f"{path} does not say in which column texts are; name it with --text")
    label, optional = reading["label"], reading["optional_label"]
    return {
        "text": text,
        "label": _remembered(about, "label", str) if optional else label,
        "separator": reading["separator"] or _remembered(about, "separator", str) or None,
    }


def _remembered(about: dict[str, Any], name: str, kind: type) -> Any:
    """What a model file says under this name, if it is of the right type: anyone can write one."""
    value = about.get(name)
    return value if type(value) is kind else None


def _notes(estimates: "Estimates", label: str | None) -> Iterator[str]:
    """What one should know about the data."""
    if without := estimates.n_rows - estimates.n_documents:
        yield f"{without:,} of {estimates.n_rows:,} rows have no text and were left out"
    few = [(name, share) for name, share in estimates.known_share.items() if share < FEW_KNOWN]
    if few:
        listed = ", ".join(f"{name} {share:.0%}" for name, share in few[:5])
        listed += f" and {len(few) - 5} more" if len(few) > 5 else ""
        yield (
            f"few of the words are known from training ({listed}): is this the right column, the "
            "right model, the same language? The estimates mean little"
        )
    if estimates.n_unlabelled:
        yield (
            f"{estimates.n_unlabelled:,} of {estimates.n_documents:,} documents have no label in "
            f"{label!r}; true shares are given for batches in which all have one"
        )
    if estimates.unseen:
        total, most = estimates.unseen.total(), estimates.unseen.most_common(5)
        listed = ", ".join(f"{name!r} ({n:,})" for name, n in most)
        listed += f" and {len(estimates.unseen) - 5} more" if len(estimates.unseen) > 5 else ""
        yield f"{total:,} labels were not in training, so nothing is estimated of them: {listed}"


def _write_csv(table: "pl.DataFrame") -> bytes:
    return table.write_csv().encode()


def _write_json(table: "pl.DataFrame") -> bytes:
    return table.write_json().encode()


def _write_parquet(table: "pl.DataFrame") -> bytes:
    from io import BytesIO

    buffer = BytesIO()
    table.write_parquet(buffer)
    return buffer.getvalue()


_WRITERS = {".csv": _write_csv, ".json": _write_json, ".parquet": _write_parquet}


def _write(table: "pl.DataFrame", path: Path) -> None:
    """Write the table whole or not at all."""
    from quantext import atomic

    atomic.write(path, [_WRITERS[path.suffix.lower()](table)])


def _write_report(estimates: "Estimates", path: Path, about: dict[str, Any]) -> None:
    from quantext import atomic
    from quantext.reports.estimates_page import estimates_page

    atomic.write(path, [estimates_page(estimates.table, about).encode()])


def _about(
    fitted: "TextQuantifier",
    estimates: "Estimates",
    model: Path,
    files: Sequence[str],
    level: float,
    label: str | None,
    notes: list[str],
) -> dict[str, Any]:
    """What the report says beside the estimates."""
    from importlib.metadata import version

    scores, about = fitted.quantifier_.scores_, fitted.about_
    classes, trained = _remembered(about, "label", str), _remembered(about, "trained", str)
    usual = _remembered(about, "known_share", float)
    sources = _remembered(about, "files", list)
    return {
        "title": f"Share of each class: {classes}" if classes else None,
        "kind": scores.kind,
        "level": level,
        "known_share": list(estimates.known_share.values()),
        "known_share_train": usual if usual is not None and 0 <= usual <= 1 else None,
        "warnings": notes,
        "model": f"{model}, trained on {trained}" if trained else str(model),
        "method": _remembered(about, "method", str) or str(fitted.quantifier_),
        "n_train": len(scores.y),
        "train_files": ", ".join(sources) if sources else None,
        "data": ", ".join(files),
        "truth": f"Column {label!r}" if label else None,
        "versions": {"quantext": version("quantext")},
    }


def _print_json(estimates: "Estimates", label: str | None, notes: list[str]) -> None:
    import json

    rows = json.loads(estimates.table.write_json())
    known = {str(name): share for name, share in estimates.known_share.items()}
    facts = {"documents": estimates.n_documents, "known_share": known, "warnings": notes}
    facts |= {"label": label} if label else {}
    print(json.dumps({"estimates": rows, **facts}))


def _lines(estimates: "Estimates", level: float, top: int, label: str | None) -> Iterator[str]:
    """The estimates as a table of 80 columns, and how right they are if that is known."""
    table = estimates.table
    largest = max(*table["share"], 1e-9)
    has_bounds = table["low"].null_count() < len(table)
    has_truth = "true_share" in table.columns
    head = f"  {'class':28} {'share':>6}"
    head += f"  {f'{100 * level:g}% interval':>13}" if has_bounds else ""
    head += f"  {'count':>9}" + (f"  {'truth':>6}" if has_truth else "")
    room = WIDTH - len(head) - 2
    yield head
    for batch in table.partition_by("batch", maintain_order=True):
        size = batch["size"][0]
        yield f"{batch['batch'][0]} ({size:,} document{'s' if size > 1 else ''})"
        ordered = batch.sort("share", descending=True, maintain_order=True)
        for row in ordered.head(top).iter_rows(named=True):
            line = f"  {fit_width(row['class'], 28)} {100 * row['share']:5.1f}%"
            if has_bounds:
                bounds = f"{100 * row['low']:.1f} – {100 * row['high']:.1f}"
                line += f"  {bounds:>13}"
            line += f"  {row['count']:9,}"
            if has_truth:
                true = row["true_share"]
                line += f"  {'–' if true is None else f'{100 * true:.1f}%':>6}"
            yield f"{line}  {_bar(row['share'] / largest, room)}".rstrip()
        if len(batch) > top:
            rest = ordered["share"][top]
            yield f"  ... and {len(batch) - top:,} classes of up to {100 * rest:.1f}%"
    if has_truth:
        true, share, p_train = table.drop_nulls("true_share")["true_share", "share", "p_train"]
        error, naive = (float((p - true).abs().to_numpy().mean()) for p in (share, p_train))
        yield (
            f"Mean absolute error {100 * error:.2f} points; of the training shares "
            f"{100 * naive:.2f}."
        )
        yield f"The truth is that of column {label!r}."


def _bar(share: float, width: int) -> str:
    """A bar as long as the share of the width, to an eighth of a column.

    Examples
    --------
    >>> _bar(0.5, 5)
    '██▌'
    """
    eighths = round(8 * width * share)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
