"""Tables as text: what is needed to print one, and Markdown, LaTeX and CSV."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from quantext import atomic
from quantext.reports.formulas import guarded_names

__all__ = ["Table", "cells", "to_csv", "to_latex", "to_markdown", "write_tables"]


@dataclass(frozen=True)
class Table:
    """A frame with what is needed to print it.

    Parameters
    ----------
    name
        Short name, also of its files.
    title
        What the table shows.
    note
        How to read it.
    frame
        The table.
    spec
        Format of its numbers: one for all columns, or by column ("" is the one for the rest).
    """

    name: str
    title: str
    note: str
    frame: pl.DataFrame
    spec: str | Mapping[str, str] = ".2e"


def cells(table: Table) -> tuple[list[str], list[list[tuple[str, bool]]]]:
    """Headers, and rows of cells, each its text and whether it is bold.

    Parameters
    ----------
    table
        What to print.
    """
    names = [name for name in table.frame.columns if name != "bold"]
    spec = {"": table.spec} if isinstance(table.spec, str) else table.spec
    rows = [
        [
            (_text(row[name], spec.get(name, spec[""])), name in (row.get("bold") or ()))
            for name in names
        ]
        for row in table.frame.iter_rows(named=True)
    ]
    return [name.replace("_", " ") for name in names], rows


def _text(value: object, spec: str) -> str:
    """A value as printed: a dash for none, thousands apart, numbers as the table's format says."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return format(value, spec)
    return f"{value:,}" if isinstance(value, int) else str(value)


def to_markdown(table: Table) -> str:
    """The table in Markdown, numbers to the right.

    Parameters
    ----------
    table
        What to print.
    """
    headers, rows = cells(table)
    lines = [[_markdown(header) for header in headers], _alignment(table, "---", "--:")]
    lines += [[f"**{_markdown(t)}**" if bold else _markdown(t) for t, bold in row] for row in rows]
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"**{table.title}.** {table.note}".rstrip() + f"\n\n{body}\n"


def to_latex(table: Table) -> str:
    """The table in LaTeX, with a caption and the rules of booktabs.

    Parameters
    ----------
    table
        What to print.
    """
    headers, rows = cells(table)
    lines = [
        r"\begin{table}",
        rf"\caption{{{_latex(f'{table.title}. {table.note}'.rstrip())}}}",
        rf"\label{{tab:{table.name}}}",
        rf"\begin{{tabular}}{{{''.join(_alignment(table, 'l', 'r'))}}}",
        r"\toprule",
        " & ".join(map(_latex, headers)) + r" \\",
        r"\midrule",
        *(
            " & ".join(rf"\textbf{{{_latex(t)}}}" if bold else _latex(t) for t, bold in row)
            + r" \\"
            for row in rows
        ),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def to_csv(table: Table) -> str:
    """The table in CSV, in full precision; the column ``bold`` names the bold columns of its row.

    Names that a spreadsheet program would take for formulas have an apostrophe before them.

    Parameters
    ----------
    table
        What to print.
    """
    frame = table.frame
    if "bold" in frame.columns:
        frame = frame.with_columns(pl.col("bold").list.join(" "))
    return guarded_names(frame).write_csv()


def write_tables(tables: Sequence[Table], folder: Path) -> list[Path]:
    """Paths of the files written: each table as Markdown, LaTeX and CSV.

    Parameters
    ----------
    tables
        What to write.
    folder
        Where to; made if it is not there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for table in tables:
        for suffix, render in ((".md", to_markdown), (".tex", to_latex), (".csv", to_csv)):
            paths.append(folder / f"{table.name}{suffix}")
            atomic.write(paths[-1], [render(table).encode()])
    return paths


def _alignment(table: Table, left: str, right: str) -> list[str]:
    """A mark per printed column: text to the left, numbers to the right."""
    columns = table.frame.drop("bold", strict=False)
    return [right if kind.is_numeric() else left for kind in columns.dtypes]


_MARKDOWN_SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\|*_`<[]"} | {"\n": " "})
_LATEX_SPECIAL = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": "$<$", ">": "$>$", "≤": r"$\leq$", "–": "--", "\n": " "}
)


def _markdown(text: str) -> str:
    """Text that Markdown shows as it is."""
    return text.translate(_MARKDOWN_SPECIAL)


def _latex(text: str) -> str:
    """Text that LaTeX shows as it is."""
    return text.translate(_LATEX_SPECIAL)
