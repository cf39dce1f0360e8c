"""The files of a run: tables, figures and the report, written from the results in its folder."""

from pathlib import Path
from typing import Any

import polars as pl

from quantext import atomic
from quantext.experiments.folder import damaged, read_frame, read_json
from quantext.experiments.results import STORED, with_errors
from quantext.reports import plots
from quantext.reports.catalogue import all_tables
from quantext.reports.experiment_page import render, summarise
from quantext.reports.typeset import write_tables

__all__ = ["read_run", "write_run_files"]

# What a run may have recorded, beside its configuration.
_FACTS = {
    **dict.fromkeys(("corpus", "unit", "world"), str),
    **dict.fromkeys(("documents", "features"), int),
    **dict.fromkeys(("versions", "seconds", "comparison"), dict),
    "notes": list,
    "bags_share_documents": bool,
}


def read_run(folder: Path) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Results of a run, and what is recorded of it.

    Parameters
    ----------
    folder
        Of the run.
    """
    if not (folder / "results.parquet").exists():
        raise FileNotFoundError(
            f"{folder} has no results.parquet; name the folder of an experiment that has ended"
        )
    about: dict[str, Any] = {}
    if (folder / "run.json").exists():
        about |= _read_record(folder / "run.json")
    if (folder / "failures.json").exists():
        about["failures"] = _read_failures(folder / "failures.json")
    return read_frame(folder / "results.parquet", STORED), about


def _read_record(path: Path) -> dict[str, Any]:
    """What is recorded of a run, of the types that the page and the tables take."""
    about = read_json(path, {"configuration": dict}, _FACTS)
    level = about["configuration"].get("level")
    if level is not None and not (isinstance(level, float) and 0 < level < 1):
        raise damaged(path, f"its level is {level!r}")
    for seconds in (about.get("seconds") or {}).values():
        if not isinstance(seconds, int | float):
            raise damaged(path, f"its seconds are {seconds!r}")
    return about


def _read_failures(path: Path) -> dict[str, str]:
    """Tasks that failed, and how."""
    failures = read_json(path)
    if not all(isinstance(how, str) for how in failures.values()):
        raise damaged(path, "what went wrong is not told in words")
    return failures


def write_run_files(folder: Path) -> Path:
    """Path of the report, after writing it and, as files, all tables and figures.

    Parameters
    ----------
    folder
        Of a run that has results.
    """
    results, about = read_run(folder)
    results = with_errors(results)  # once, for all files
    tables = all_tables(results, about)
    write_tables(tables, folder / "tables")
    _write_figures(results, about.get("configuration", {}).get("level"), folder / "figures")
    page = folder / "report.html"
    atomic.write(page, [render(summarise(results, about, tables=tables)).encode()])
    return page


def _write_figures(results: pl.DataFrame, level: float | None, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    figures = {
        "error_by_drift": plots.error_by_drift(results),
        "estimated_against_true": plots.estimated_against_true(results),
    }
    if results["period"].n_unique() > 1:
        figures["error_by_period"] = plots.error_by_period(results)
    if level is not None:
        figures["interval_coverage"] = plots.interval_coverage(results, level=level)
    for name, figure in figures.items():
        plots.save_figure(figure, folder / name, formats=["svg"])
