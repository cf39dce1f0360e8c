"""What the command ``estimate`` prints and writes."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from quantext.models.estimates import Estimates
    from quantext.reports.difference import Difference
    from quantext.reports.result import Result

__all__ = ["RAW_WRITERS", "WRITERS", "Writer", "print_json", "write_table"]

Writer = Callable[["pl.DataFrame"], bytes]


def _write_csv(table: "pl.DataFrame") -> bytes:
    from quantext.reports.formulas import guarded_names

    return guarded_names(table).write_csv().encode()


def _write_raw(table: "pl.DataFrame") -> bytes:
    return table.write_csv().encode()


def _write_json(table: "pl.DataFrame") -> bytes:
    return table.write_json().encode()


def _write_parquet(table: "pl.DataFrame") -> bytes:
    from io import BytesIO

    buffer = BytesIO()
    table.write_parquet(buffer)
    return buffer.getvalue()


def _write_xlsx(table: "pl.DataFrame") -> bytes:
    from quantext.cli.workbook import to_workbook

    return to_workbook(table)


WRITERS: dict[str, Writer] = {
    ".csv": _write_csv,
    ".xlsx": _write_xlsx,
    ".json": _write_json,
    ".parquet": _write_parquet,
}

RAW_WRITERS: dict[str, Writer] = WRITERS | {".csv": _write_raw}
"""The same for --raw."""


def write_table(table: "pl.DataFrame", path: Path, writers: Mapping[str, Writer]) -> None:
    """Write a table to a file whose extension has a writer, whole or not at all."""
    from quantext import atomic

    atomic.write(path, [writers[path.suffix.lower()](table)])


def print_json(
    result: "Result", label: str | None, difference: "Difference | None", notes: list[str]
) -> None:
    """Print the estimates for other programs."""
    import json

    estimates = result.estimates
    facts = {
        "estimates": json.loads(estimates.table.write_json()),
        "documents": estimates.n_documents,
        "known_share": {str(name): share for name, share in estimates.known_share.items()},
        "verdicts": {str(name): _as_facts(name, estimates) for name in estimates.verdicts},
        "warnings": [*notes, *result.notes],
    }
    if label:
        facts["label"] = label
    if difference is not None:
        facts["difference"] = json.loads(difference.to_frame().write_json())
    print(json.dumps(facts))


def _as_facts(name: Any, estimates: "Estimates") -> dict[str, Any]:
    """Verdict on a batch, its reasons and the change of its documents."""
    from dataclasses import asdict

    change = estimates.changes[name]
    return {
        **asdict(estimates.verdicts[name]),
        "change": None if change is None else asdict(change),
    }
