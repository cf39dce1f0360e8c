"""Files of ``plan``, read as they were before cells were guarded for spreadsheet programs."""

from collections.abc import Sequence
from pathlib import Path

from quantext.cli.contents import columns_of
from quantext.reports.formulas import unguarded, unguarded_name
from quantext.texts.cells import Table, read_table
from quantext.texts.formats import USUAL, Opening
from quantext.texts.plans import is_plan
from quantext.texts.truths import Reading

__all__ = ["PlanReading", "read_plan"]

_AS_THEY_ARE = (".jsonl", ".parquet")  # in which nothing is guarded


def read_plan(path: Path, opening: Opening = USUAL) -> Table:
    """All columns of a file of `plan`.

    Parameters
    ----------
    path
        Of the file. A workbook may have been a CSV file before.
    opening
        How it is opened.
    """
    table = read_table(path, None, opening=opening)
    return table if path.suffix.lower() in _AS_THEY_ARE else _unguarded(table)


class PlanReading(Reading):
    """How files are read, also those of `plan`."""

    def table(self, path: str, names: Sequence[str]) -> Table:
        """Columns of the file of documents."""
        present = columns_of(Path(path)) if path.lower().endswith(".csv") else []
        if not is_plan(present):
            return super().table(path, names)
        return _unguarded(super().table(path, _written(names, present)))

    def truths(self, path: str, names: Sequence[str]) -> Table:
        """Columns of a file of truths."""
        present = super().columns(path)
        if not is_plan(present) or Path(path).suffix.lower() in _AS_THEY_ARE:
            return super().truths(path, names)
        return _unguarded(super().truths(path, _written(names, present)))

    def columns(self, path: str) -> list[str]:
        """Names of all columns of a file of truths."""
        names = super().columns(path)
        return [unguarded_name(name) for name in names] if is_plan(names) else names


def _unguarded(table: Table) -> Table:
    return Table(unguarded(table.frame), table.source)


def _written(names: Sequence[str], present: Sequence[str]) -> list[str]:
    """What columns of these names are called in a file."""
    there = {unguarded_name(name): name for name in present}
    return [there.get(name, name) for name in names]
