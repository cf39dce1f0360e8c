"""Views of a run: tables, figures and the report, made from the results in its folder."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import polars as pl

from quantext import plots
from quantext.report import render, summarise
from quantext.runfolder import read_frame
from quantext.tables import all_tables, with_errors, write_tables

__all__ = ["read_run", "write_views"]


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
        about |= json.loads((folder / "run.json").read_text(encoding="utf-8"))
    if (folder / "failures.json").exists():
        failures = json.loads((folder / "failures.json").read_text(encoding="utf-8"))
        about["failures"] = failures
    return read_frame(folder / "results.parquet"), about


def write_views(folder: Path) -> Path:
    """Path of the report, after writing it and, as files, all tables and figures.

    Parameters
    ----------
    folder
        Of a run that has results.
    """
    results, about = read_run(folder)
    results = with_errors(results)  # once, for all views
    # Under other names first, so that there is never half a file.
    with tempfile.TemporaryDirectory(prefix=".views-", dir=folder) as name:
        part = Path(name)
        write_tables(all_tables(results, about), part / "tables")
        _write_figures(results, about.get("configuration", {}).get("level"), part / "figures")
        (part / "report.html").write_text(render(summarise(results, about)), encoding="utf-8")
        for file in sorted(path for path in part.rglob("*") if path.is_file()):
            target = folder / file.relative_to(part)
            target.parent.mkdir(exist_ok=True)
            os.replace(file, target)
    return folder / "report.html"


def _write_figures(results: pl.DataFrame, level: float | None, folder: Path) -> None:
    folder.mkdir()
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
