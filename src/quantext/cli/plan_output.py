"""What the command ``plan`` prints and writes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from quantext.cli.estimate_output import WRITERS as TABLE_WRITERS
from quantext.cli.estimate_output import Writer
from quantext.cli.outputs import table_with
from quantext.cli.terminal import pasted

if TYPE_CHECKING:
    import polars as pl

    from quantext.cli.plan_input import Asked
    from quantext.models.plan import Plan

__all__ = [
    "PLAN",
    "RAW_WRITERS",
    "WRITERS",
    "Again",
    "check_replaceable",
    "next_steps",
    "planned",
    "print_json",
]

WIDTH = 80
PLAN = table_with(("row", "stratum", "probability"), "file of `quantext plan`")


def _write_jsonl(table: "pl.DataFrame") -> bytes:
    return table.write_ndjson().encode()


def _flat(table: "pl.DataFrame") -> "pl.DataFrame":
    """The table with lists and the like written as JSON."""
    import json

    import polars as pl

    nested = [name for name, dtype in table.schema.items() if dtype.is_nested()]
    texts = [
        pl.Series(name, [None if v is None else json.dumps(v, default=str) for v in
                         table[name].to_list()], dtype=pl.String)
        for name in nested
    ]  # fmt: skip
    return table.with_columns(texts)


def _write_csv(table: "pl.DataFrame") -> bytes:
    from quantext.reports.formulas import guarded_cells

    return guarded_cells(_flat(table)).write_csv().encode()


def _write_raw(table: "pl.DataFrame") -> bytes:
    return _flat(table).write_csv().encode()


def _write_xlsx(table: "pl.DataFrame") -> bytes:
    return TABLE_WRITERS[".xlsx"](_flat(table))


# Formats that people fill in, or programs line by line.
WRITERS: dict[str, Writer] = {
    ".csv": _write_csv,
    ".xlsx": _write_xlsx,
    ".jsonl": _write_jsonl,
    ".parquet": TABLE_WRITERS[".parquet"],
}
RAW_WRITERS: dict[str, Writer] = WRITERS | {".csv": _write_raw}


def check_replaceable(path: Path, asked: "Asked", known: "pl.Series") -> None:
    """Raise if a file has labels of an earlier plan that are not known, and so would be lost."""
    if not path.is_file():
        return
    from quantext.cli.plan_files import read_plan
    from quantext.texts.cells import numbers_in
    from quantext.texts.plans import is_plan

    try:
        table = read_plan(path)
    except ValueError as error:
        raise ValueError(
            f"--out {path} is there already and cannot be read, so there may be labels in it; name "
            f"another file ({error})"
        ) from None
    names = table.frame.columns
    if not is_plan(names) or asked.truth not in names:
        return
    rows = numbers_in(table["row"])
    there = rows.is_between(1, len(known)).fill_null(False)
    labels = asked.truths(table)
    had = known.gather(rows.set(~there, 1).cast(int) - 1)
    if lost := int((labels.is_not_null() & (~there | labels.ne_missing(had))).sum()):
        raise ValueError(
            f"--out {path} has {lost:,} labels of an earlier plan, which would be lost; go on from "
            f"them with --truth-file {pasted([str(path)])} and another --out"
        )


def planned(plan: "Plan", data: "pl.DataFrame", truth: str, known: "pl.Series") -> "pl.DataFrame":
    """The rows to label, with all their columns."""
    from quantext.texts.plans import plan_table

    labels = known.gather(plan.rows)
    # Labels of rows that were not drawn at random may be there too, and are not what they are for.
    labels = labels.scatter(list(range(plan.labelled, len(plan.rows))), None)
    return plan_table(plan.to_frame(), data, truth, labels)


@dataclass(frozen=True)
class Again:
    """Commands to type next, with what was typed for this one.

    Parameters
    ----------
    file
        The data.
    shared, own
        Options that `correct` has too, and those that it has not.
    truth
        Column of the labels.
    """

    file: str
    shared: Sequence[str]
    own: Sequence[str]
    truth: str

    def correct(self, labels: Path) -> list[str]:
        """The command that tells the shares."""
        parts = ["quantext", "correct", self.file, *self.shared, "--truth", self.truth]
        return _lines(parts, ["--truth-file", str(labels)])

    def plan(self, labels: Path) -> list[str]:
        """The command that tells how far one has come."""
        parts = ["quantext", "plan", self.file, *self.shared, *self.own]
        parts += ["--truth", self.truth] if self.truth != "truth" else []
        return _lines(parts, ["--truth-file", str(labels), "--out", _another(labels)])


def _lines(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """A command, in two lines if one is too short for it."""
    start, end = f"  {pasted(first)}", pasted(second)
    if len(start) + 1 + len(end) <= WIDTH:
        return [f"{start} {end}"]
    return [f"{start} \\", f"      {end}"]


def _another(path: Path) -> str:
    """A name for the plan after this one.

    Examples
    --------
    >>> _another(Path("to_label.csv")), _another(Path("to_label_2.csv"))
    ('to_label_2.csv', 'to_label_3.csv')
    """
    stem, _, number = path.stem.rpartition("_")
    if stem and number.isdecimal():
        return str(path.with_stem(f"{stem}_{int(number) + 1}"))
    return str(path.with_stem(f"{path.stem}_2"))


def next_steps(
    plan: "Plan", again: Again, proxy: Sequence[str], labelled: Path | None, written: Path | None
) -> Iterator[str]:
    """What to do now, with commands to paste."""
    from quantext.wording import listed

    yield ""
    if not plan.to_label:
        if labelled is not None:
            yield f"Nothing was written; {labelled} has all that is needed. For the shares:"
            yield from again.correct(labelled)
        return
    if written is None:
        yield "Nothing was written; --out to_label.csv writes the rows to label."
        return
    hidden = listed([*proxy, "stratum"])
    yield from wrap(
        f"Now fill in column {again.truth} of {written}, from the top down, rows that are hard "
        f"too. Hide the columns {hidden} while you do, lest they sway you. Then, for the shares:",
        WIDTH,
    )
    yield from again.correct(written)
    if plan.target is not None:
        yield "And to see how far you have come, and what to label next:"
        yield from again.plan(written)


def print_json(plan: "Plan", written: Path | None, notes: Sequence[str]) -> None:
    """Print the plan for other programs."""
    import json

    progress = None if plan.progress is None else json.loads(plan.progress.write_json())
    facts = {
        "needed": plan.needed,
        "needed_without": plan.needed_without,
        "basis": plan.basis,
        "correlation": plan.correlation,
        "labelled": plan.labelled,
        "to_label": plan.to_label,
        "reached": plan.reached,
        "strata": json.loads(plan.allocation.write_json()),
        "progress": progress,
        "out": None if written is None else str(written),
        "warnings": [*notes, *plan.notes],
    }
    print(json.dumps(facts))
