"""What the command ``estimate`` prints and writes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quantext.cli.common import fit_width
from quantext.wording import percent

if TYPE_CHECKING:
    import polars as pl

    from quantext.models.changes import Change, WordChange
    from quantext.models.estimates import Estimates
    from quantext.models.textquantifier import TextQuantifier
    from quantext.models.verdicts import Verdict

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
        "verdicts": answer.estimates.verdicts,
        "changes": answer.estimates.changes,
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
        "verdicts": {str(name): _as_facts(name, estimates) for name in estimates.verdicts},
        "warnings": list(answer.notes),
    }
    print(json.dumps(facts | ({"label": answer.label} if answer.label else {})))


def _as_facts(name: Any, estimates: "Estimates") -> dict[str, Any]:
    """Verdict on a batch, its reasons and the change of its documents."""
    from dataclasses import asdict

    change = estimates.changes[name]
    return {
        **asdict(estimates.verdicts[name]),
        "change": None if change is None else asdict(change),
    }


def print_table(answer: Answer, top: int) -> None:
    """Print the largest classes of each batch."""
    for line in _lines(answer, top):
        print(line)


def _lines(answer: Answer, top: int) -> Iterator[str]:
    """The estimates as a table of 80 columns, what they deserve, and how right they are."""
    table, verdicts = answer.estimates.table, answer.estimates.verdicts
    common = _common_reasons(list(verdicts.values()))
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
        name = batch["batch"][0]
        yield from _verdict_lines(verdicts[name], answer.estimates.changes[name], common)
    if common:
        yield from _wrapped(f"All batches: {' '.join(common)}", "")
    if has_truth:
        true, share, p_train = table.drop_nulls("true_share")["true_share", "share", "p_train"]
        error, naive = (float((p - true).abs().to_numpy().mean()) for p in (share, p_train))
        yield (
            f"Mean absolute error {100 * error:.2f} points; of the training shares "
            f"{100 * naive:.2f}."
        )
        yield f"The truth is that of column {answer.label!r}."


def _common_reasons(verdicts: Sequence["Verdict"]) -> list[str]:
    """Reasons that are true of all of several batches, so that they are said once."""
    if len(verdicts) < 2:
        return []
    first, *others = verdicts
    return [text for text in first.reasons if all(text in other.reasons for other in others)]


def _verdict_lines(
    verdict: "Verdict", change: "Change | None", common: Sequence[str]
) -> Iterator[str]:
    """What the estimates of a batch deserve and why, unless they are fine."""
    from quantext.models.rules import CHANGED, FINE
    from quantext.models.verdicts import HEADLINES

    if verdict.level == FINE:
        return
    own = replace(verdict, reasons=tuple(r for r in verdict.reasons if r not in common))
    yield from _wrapped(str(own) if own.reasons else f"{HEADLINES[verdict.level]}.", "  ")
    if change is not None and change.words and change.extent >= CHANGED:
        yield _words_line(change.words)


def _words_line(words: Sequence["WordChange"]) -> str:
    """As many of the words as a line has room for, with their shares."""
    from rich.cells import cell_len

    line = "  Documents with"
    for i, word in enumerate(words):
        train = f"({percent(word.train)}{'' if i else ' in training'})"
        more = f"{',' if i else ''} {word.word}: {percent(word.share)} {train}"
        if cell_len(line + more) > WIDTH:
            break
        line += more
    return line


def _wrapped(text: str, indent: str) -> list[str]:
    """A text in lines of 80 columns."""
    from textwrap import wrap

    return wrap(text, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ")


def _bar(share: float, width: int) -> str:
    """A bar as long as the share of the width, to an eighth of a column.

    Examples
    --------
    >>> _bar(0.5, 5)
    '██▌'
    """
    eighths = round(8 * width * share)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
