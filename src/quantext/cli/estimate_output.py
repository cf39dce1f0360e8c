"""What the command ``estimate`` prints and writes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quantext.cli.common import fit_width

if TYPE_CHECKING:
    import polars as pl

    from quantext.models.estimates import Estimates
    from quantext.models.textquantifier import TextQuantifier

__all__ = [
    "WRITERS",
    "Answer",
    "print_json",
    "print_table",
    "remembered",
    "write_report",
    "write_table",
]

WIDTH = 80


@dataclass(frozen=True)
class Answer:
    """Estimates, and what is said beside them.

    Parameters
    ----------
    model, path
        What estimated, and the file that it was in.
    files
        What was read.
    estimates
        Of each batch.
    level
        Of the intervals, if there are any.
    label
        The column of the truth, if it is known.
    notes
        What one should know about them, a sentence each.
    """

    model: "TextQuantifier"
    path: Path
    files: tuple[str, ...]
    estimates: "Estimates"
    level: float
    label: str | None
    notes: tuple[str, ...]


def remembered(about: Mapping[str, Any], name: str, kind: type) -> Any:
    """What a model file says under this name, if it is of the right type: anyone can write one."""
    value = about.get(name)
    return value if type(value) is kind else None


def _write_csv(table: "pl.DataFrame") -> bytes:
    return table.write_csv().encode()


def _write_json(table: "pl.DataFrame") -> bytes:
    return table.write_json().encode()


def _write_parquet(table: "pl.DataFrame") -> bytes:
    from io import BytesIO

    buffer = BytesIO()
    table.write_parquet(buffer)
    return buffer.getvalue()


WRITERS = {".csv": _write_csv, ".json": _write_json, ".parquet": _write_parquet}


def write_table(answer: Answer, path: Path) -> None:
    """Write all estimates to a file of one of the formats of WRITERS, whole or not at all."""
    from quantext import atomic

    atomic.write(path, [WRITERS[path.suffix.lower()](answer.estimates.table)])


def write_report(answer: Answer, path: Path) -> None:
    """Write the page of the estimates."""
    from quantext import atomic
    from quantext.reports.estimates_page import estimates_page

    atomic.write(path, [estimates_page(answer.estimates.table, _about(answer)).encode()])


def _about(answer: Answer) -> dict[str, Any]:
    """What the report says beside the estimates."""
    from importlib.metadata import version

    scores, about = answer.model.quantifier_.scores_, answer.model.about_
    classes, trained = remembered(about, "label", str), remembered(about, "trained", str)
    usual = remembered(about, "known_share", float)
    sources = remembered(about, "files", list)
    return {
        "title": f"Share of each class: {classes}" if classes else None,
        "kind": scores.kind,
        "level": answer.level,
        "known_share": list(answer.estimates.known_share.values()),
        "known_share_train": usual if usual is not None and 0 <= usual <= 1 else None,
        "warnings": list(answer.notes),
        "model": f"{answer.path}, trained on {trained}" if trained else str(answer.path),
        "method": remembered(about, "method", str) or str(answer.model.quantifier_),
        "n_train": len(scores.y),
        "train_files": ", ".join(sources) if sources else None,
        "data": ", ".join(answer.files),
        "truth": f"Column {answer.label!r}" if answer.label else None,
        "versions": {"quantext": version("quantext")},
    }


def print_json(answer: Answer) -> None:
    """Print the estimates for other programs."""
    import json

    estimates = answer.estimates
    facts = {
        "estimates": json.loads(estimates.table.write_json()),
        "documents": estimates.n_documents,
        "known_share": {str(name): share for name, share in estimates.known_share.items()},
        "warnings": list(answer.notes),
    }
    print(json.dumps(facts | ({"label": answer.label} if answer.label else {})))


def print_table(answer: Answer, top: int) -> None:
    """Print the largest classes of each batch."""
    for line in _lines(answer, top):
        print(line)


def _lines(answer: Answer, top: int) -> Iterator[str]:
    """The estimates as a table of 80 columns, and how right they are if that is known."""
    table = answer.estimates.table
    largest = max(*table["share"], 1e-9)
    has_bounds = table["low"].null_count() < len(table)
    has_truth = "true_share" in table.columns
    head = f"  {'class':28} {'share':>6}"
    head += f"  {f'{100 * answer.level:g}% interval':>13}" if has_bounds else ""
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
        yield f"The truth is that of column {answer.label!r}."


def _bar(share: float, width: int) -> str:
    """A bar as long as the share of the width, to an eighth of a column.

    Examples
    --------
    >>> _bar(0.5, 5)
    '██▌'
    """
    eighths = round(8 * width * share)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
