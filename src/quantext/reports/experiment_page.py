"""The page of an experiment: its results summarised to a dict, and the dict rendered."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from quantext.experiments.results import (
    DRIFT_GROUPS,
    REFERENCE,
    asks_for_all,
    featured_methods,
    kld_along_drift,
    kld_by_period,
    main_rows,
    ranked_methods,
    with_errors,
)
from quantext.reports.batches import batch_times
from quantext.reports.catalogue import all_tables
from quantext.reports.findings import findings
from quantext.reports.page import column, fact, render_page
from quantext.reports.tables import classes, coverage
from quantext.reports.typeset import Table, cells
from quantext.wording import counted, listed

__all__ = ["render", "summarise"]

# Estimates that the page holds, so that it stays at a few megabytes whatever was run.
MOST_ESTIMATES = 400_000


def summarise(
    results: pl.DataFrame,
    about: Mapping[str, Any] | None = None,
    *,
    tables: Sequence[Table] | None = None,
    most_estimates: int = MOST_ESTIMATES,
) -> dict[str, Any]:
    """All that the page of an experiment shows, as plain data.

    Parameters
    ----------
    results
        One row per task, method, bag and class.
    about
        What the results do not tell, as far as it is known: ``corpus``, ``documents``,
        ``features``, ``unit``, ``seed``, ``level``, ``notes`` (a list), ``versions``,
        ``configuration`` and ``seconds`` (by stage), ``failures`` (error by task),
        ``bags_share_documents`` and, of a comparison, its ``comparison``: ``answer``, ``reasons``
        and ``notes``.
    tables
        What `all_tables` gives, if that is known.
    most_estimates
        Of more, those of the best methods are shown.
    """
    every_row = with_errors(results)
    rows = main_rows(every_row)
    facts = dict(about or {})
    configuration = facts.get("configuration") or {}
    facts.setdefault("level", configuration.get("level"))
    ranked = ranked_methods(rows)
    featured = featured_methods(rows)
    # Colours go by place in this order: those that are shown at first differ most.
    order = [*featured, *(m for m in ranked if m not in (*featured, REFERENCE))]
    periods = kld_by_period(rows)
    table = classes(rows)
    drift = kld_along_drift(rows)
    series = _class_series(rows, table["class"].to_list(), [*order, REFERENCE], most_estimates)
    return {
        "title": str(facts.get("corpus") or "Experiment"),
        "comparison": facts.get("comparison"),
        "lead": _lead(every_row, facts),
        "warnings": _warnings(every_row, facts),
        "findings": findings(every_row, facts),
        "tables": [_table(one) for one in tables or all_tables(every_row, facts)],
        "by_period_shows": (
            "KLD over all classes at once" if asks_for_all(rows) else "Mean KLD over the classes"
        ),
        "classes": _classes_table(table, len(series["methods"])),
        "facts": _facts(facts),
        "data": {
            "reference": REFERENCE,
            "order": order,
            "featured": featured,
            "trend": [*featured[:2], *(r for r in ranked[:1] if r not in featured[:2])],
            "drift_groups": list(DRIFT_GROUPS),
            "by_period": _chart(periods, "period") if periods.height > 1 else None,
            "along_drift": {
                "labels": [f"mean drift {value:.2e}" for value in drift["drift"]],
                "series": _series(drift.drop("group", "drift")),
            },
            "coverage": _coverage(rows, facts),
            "classes": series,
        },
    }


def render(summary: Mapping[str, Any]) -> str:
    """The page of an experiment.

    Parameters
    ----------
    summary
        From `summarise`.
    """
    scripts = ["page.js", "tables.js", "charts.js", "experiment.js"]
    return render_page("experiment.html", summary, scripts)


def _lead(rows: pl.DataFrame, about: Mapping[str, Any]) -> str:
    """What was run, in a line."""
    bags, unit = rows["bag"].n_unique(), about.get("unit")
    periods = rows["period"]
    span = (
        f", {min(periods.to_list())} to {max(periods.to_list())}"
        if periods.dtype.is_temporal() and periods.null_count() == 0
        else ""
    )
    by = f" by {unit}" if unit else ""
    n_methods, n_classes = rows["method"].n_unique(), main_rows(rows)["asked"].n_unique()
    n_train = set(rows["n_train"].to_list())
    most = f"{'up to ' if len(n_train) > 1 else ''}{max(n_train):,}"
    # Which method is best may be otherwise in another. The answer of a comparison begins with it.
    told = about.get("comparison") or not about.get("world")
    world = "" if told else f" The world: {about['world']}."
    how = ""
    if rows["class"].null_count() < rows.height:
        how = " all at once" if asks_for_all(rows) else ", each against the rest and all at once,"
    return (
        f"{n_methods} methods estimate the prevalence of "
        f"{counted(n_classes, 'class', 'classes')}{how} in {bags:,} bags{by}{span}; trained on "
        f"{most} documents.{world}"
    )


def _warnings(rows: pl.DataFrame, about: Mapping[str, Any]) -> list[str]:
    """What a reader must know before believing the rest."""
    said = (about.get("comparison") or {}).get("notes", [])
    warnings = [f"{note[:1].upper()}{note[1:].rstrip('.')}." for note in said]
    failures: Mapping[str, str] = about.get("failures") or {}
    if failures:
        first = next(iter(failures.values())).strip().splitlines() or [""]
        warnings.append(
            f"{counted(len(failures), 'task')} failed, not shown in any figure or table: "
            f"{listed(failures)}. The first error: {first[-1]}"
        )
    test_sets = rows.unique(["task", "method", "bag"], maintain_order=True)
    sets = test_sets.group_by("method", maintain_order=True).len()
    most = max(sets["len"].to_list())
    short = sets.filter(pl.col("len") < most)
    if not short.is_empty():
        fewer = listed(f"{method} ({n:,})" for method, n in short.rows())
        warnings.append(
            f"Not every method has all {most:,} test sets: {fewer}. Means are over "
            "what each has; tests compare what both have."
        )
    return warnings


def _table(table: Table) -> dict[str, Any]:
    """A table for the page's macro: columns and rows of cells."""
    headers, rows = cells(table)
    frame = table.frame.drop("bold", strict=False)
    columns = [
        column(header.removesuffix(" published"), numeric=kind.is_numeric(), theirs=theirs)
        for header, kind in zip(headers, frame.dtypes, strict=True)
        for theirs in [header.endswith("published") and header != "published"]
    ]
    first = next((i for i, one in enumerate(columns) if one["theirs"]), None)
    if first is not None:
        columns[first]["css"] += " gap"
    if table.name == "corpus":  # its numbers are text, each in a format of its own
        for one in columns[2:]:
            one["css"] = "r"
    return {
        "name": table.name,
        "title": table.title,
        "note": table.note,
        "columns": columns,
        "sortable": any("n" in one["css"].split() for one in columns),
        "rows": [
            [
                {"text": text, "bold": bold, "value": value if kind.is_numeric() else None}
                for (text, bold), value, kind in zip(cell_row, values, frame.dtypes, strict=True)
            ]
            for cell_row, values in zip(rows, frame.iter_rows(), strict=True)
        ],
    }


def _classes_table(table: pl.DataFrame, drawn: int) -> dict[str, Any]:
    """The table of classes; a row's place is its number in the data."""
    room = (
        f" To keep the page small it has the trends of {drawn} methods only."
        if drawn < len(table.columns) - 4
        else ""
    )
    least = table.select(pl.min_horizontal(table.columns[4:])).to_series().to_list()
    labels = ["class", "training", "true, mean", "drift", *table.columns[4:]]
    return {
        "note": (
            "Prevalence in training, mean true prevalence of the bags, mean drift, and mean KLD of "
            "each method, best over all first; both of the class against the rest. Bold: least in "
            f"the row.{room}"
        ),
        "columns": [column(label, numeric=i > 0) for i, label in enumerate(labels)],
        "rows": [
            [
                {"text": row[0], "bold": False, "value": None},
                *(
                    {
                        "text": "–" if v is None else f"{v:.4f}" if i < 2 else f"{v:.2e}",
                        "bold": i > 2 and v is not None and v == low,
                        "value": None if v is None else float(f"{v:.4g}"),
                    }
                    for i, v in enumerate(row[1:])
                ),
            ]
            for row, low in zip(table.iter_rows(), least, strict=True)
        ],
    }


def _facts(about: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What was run, for the end of the page: a label, and a text or its parts."""
    labels = {
        "corpus": "Corpus",
        "documents": "Documents",
        "features": "Features",
        "unit": "Time unit",
        "protocol": "Protocol",
        "level": "Level of the intervals",
        "seed": "Seed",
        "checksum": "Checksum",
    }
    known = {label: about[key] for key, label in labels.items() if about.get(key) is not None}
    seconds = about.get("seconds") or {}
    known |= {"Notes": about.get("notes"), "Versions": about.get("versions")}
    if seconds:
        stages = {stage: f"{value:.1f} s" for stage, value in seconds.items()}
        known["Time"] = stages | {"in all": f"{sum(seconds.values()):.1f} s"}
    configuration = about.get("configuration") or {}
    known |= {
        str(key).capitalize(): value for key, value in configuration.items() if key not in labels
    }
    return [fact(label, value) for label, value in known.items() if value not in (None, [], {})]


def _chart(table: pl.DataFrame, x: str) -> dict[str, Any]:
    """Labels, their times if they are dates, and a series per method."""
    labels = [str(label) for label in table[x]]
    return {"labels": labels, "times": batch_times(labels), "series": _series(table.drop(x))}


def _series(table: pl.DataFrame) -> dict[str, list[float | None]]:
    """Columns as lists, to four digits."""
    return {
        name: [None if v is None else float(f"{v:.4g}") for v in table[name]]
        for name in table.columns
    }


def _coverage(rows: pl.DataFrame, about: Mapping[str, Any]) -> dict[str, Any] | None:
    """Coverage by method, if there are intervals."""
    table = coverage(rows)
    if table.is_empty():
        return None
    return {
        "methods": table["method"].to_list(),
        "shares": [round(share, 4) for share in table["All"]],
        "level": float(about.get("level") or 0.95),
    }


def _class_series(
    rows: pl.DataFrame, names: list[str], order: list[str], most: int
) -> dict[str, Any]:
    """True and estimated prevalences of each class in each bag, in millionths; −1 is none.

    A whole number of millionths is exact enough to draw and takes half the space of a fraction.
    Where there are too many estimates, only those of the first methods are kept.
    """
    bags = rows.unique("bag", maintain_order=True).select("bag", "period", "size")
    if bags["period"].dtype.is_temporal():
        bags = bags.sort("period", maintain_order=True)
    intervals = rows["low"].null_count() < rows.height
    room = most // max(len(names) * bags.height * (3 if intervals else 1), 1)
    there = set(rows["method"])
    methods = [method for method in order if method in there][: max(room, 3)]
    place = {name: i for i, name in enumerate(names)}, {b: i for i, b in enumerate(bags["bag"])}

    def grid(some: pl.DataFrame, column: str) -> list[list[int]]:
        values = np.full((len(names), bags.height), -1, dtype=np.int64)
        i, j = (
            some[key].replace_strict(at, return_dtype=pl.Int64).to_numpy()
            for key, at in zip(("asked", "bag"), place, strict=True)
        )
        millionths = (some[column] * 1e6).round().fill_null(-1).fill_nan(-1)
        values[i, j] = millionths.cast(pl.Int64).to_numpy()
        grid_rows: list[list[int]] = values.tolist()
        return grid_rows

    by_method = [rows.filter(pl.col("method") == method) for method in methods]
    labels = [
        bag if period is None else str(period)
        for bag, period in bags.select("bag", "period").rows()
    ]
    return {
        "labels": labels,
        "times": batch_times(labels),
        "sizes": bags["size"].to_list(),
        "names": names,
        "truth": grid(rows.unique(["asked", "bag"]), "p_true"),
        "methods": methods,
        "estimates": [grid(some, "p_hat") for some in by_method],
        "low": [grid(some, "low") for some in by_method] if intervals else None,
        "high": [grid(some, "high") for some in by_method] if intervals else None,
    }
