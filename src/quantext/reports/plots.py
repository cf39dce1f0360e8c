"""Plots: views of the results as matplotlib figures, one function each.

No function touches pyplot, so none needs a display, and none leaves a figure behind.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, PercentFormatter
from scipy.stats import norm

from quantext import atomic
from quantext.experiments.results import (
    DRIFT_GROUPS,
    REFERENCE,
    asks_for_all,
    featured_methods,
    kld_along_drift,
    kld_by_period,
    main_rows,
)
from quantext.reports.tables import coverage
from quantext.wording import listed

__all__ = [
    "error_by_drift",
    "error_by_period",
    "estimated_against_true",
    "interval_coverage",
    "save_figure",
    "shares_by_bag",
]

# Okabe and Ito (2008): told apart with any kind of colour vision; the marks differ as well.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_MARKS = ("o", "s", "^", "D", "v", "P")
_GREY = "#767676"


def error_by_period(results: pl.DataFrame, methods: Sequence[str] | None = None) -> Figure:
    """Mean KLD over the classes, period by period.

    Parameters
    ----------
    results
        One row per task, method, bag and class.
    methods
        Which to draw; by default Adaptive, SVM(KLD) and the three best baselines. The training
        prevalence is a dashed line, if it was run.
    """
    table = kld_by_period(results)
    if table.is_empty():
        raise ValueError("the results have no periods; nothing can be drawn along time")
    label = "KLD over all classes" if asks_for_all(results) else "Mean KLD over classes"
    figure, axes = _figure(f"{label} (log scale)")
    periods = table["period"]
    x: Sequence[object] = periods.to_list() if periods.dtype.is_temporal() else range(len(periods))
    _lines(axes, x, table, methods or featured_methods(results), every=max(len(x) // 13, 1))
    if not periods.dtype.is_temporal():
        shown = range(0, len(periods), max(-(-len(periods) // 12), 1))
        axes.set_xticks(list(shown), [str(periods[i]) for i in shown])
    axes.set_xlabel("Period")
    return figure


def error_by_drift(results: pl.DataFrame, methods: Sequence[str] | None = None) -> Figure:
    """Mean KLD of test sets in order of their drift, least on the left.

    Parameters
    ----------
    results
        One row per task, method, bag and class.
    methods
        Which to draw; by default Adaptive, SVM(KLD) and the three best baselines. The training
        prevalence is a dashed line, if it was run: its error is the drift.
    """
    table = kld_along_drift(results)
    figure, axes = _figure("Mean KLD (log scale)")
    x = (np.arange(table.height) + 0.5) / table.height * 4
    _lines(axes, x.tolist(), table, methods or featured_methods(results))
    axes.set_xlim(0, 4)
    axes.xaxis.set_major_locator(FixedLocator([1, 2, 3]))
    axes.xaxis.set_minor_locator(FixedLocator([0.5, 1.5, 2.5, 3.5]))
    axes.set_xticklabels([""] * 3)
    axes.set_xticklabels(DRIFT_GROUPS, minor=True)
    axes.tick_params(axis="x", which="minor", length=0)
    axes.set_xlabel("Test sets by quartile of drift, from very low to very high")
    return figure


def _lines(
    axes: Axes,
    x: Any,
    table: pl.DataFrame,
    methods: Sequence[str],
    every: int = 1,
) -> None:
    """A line per method and the reference dashed, on a logarithmic scale."""
    for i, method in enumerate(methods):
        axes.plot(
            x,
            table[method],
            color=_COLOURS[i % len(_COLOURS)],
            marker=_MARKS[i % len(_MARKS)],
            markersize=4.5,
            markevery=every,
            lw=1.6,
            label=method,
        )
    if REFERENCE in table.columns:
        axes.plot(x, table[REFERENCE], color=_GREY, ls="--", lw=1.4, label=REFERENCE)
    if any((line.get_ydata() > 0).any() for line in axes.get_lines()):  # type: ignore[operator,union-attr]
        axes.set_yscale("log")
    axes.legend(frameon=False, ncols=3, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2)


def estimated_against_true(results: pl.DataFrame, methods: Sequence[str] | None = None) -> Figure:
    """Estimated against true prevalence, a point per class and bag, a panel per method.

    Parameters
    ----------
    results
        One row per task, method, bag and class.
    methods
        Which to draw; by default Adaptive, SVM(KLD) and the three best baselines.

    Notes
    -----
    Both prevalences are smoothed as in KLD, so that zero has a place on the logarithmic scales.
    """
    methods = methods or featured_methods(results)
    rows = main_rows(results)
    figure = Figure(figsize=(2.6 * len(methods) + 0.6, 3.1), layout="constrained")
    panels = figure.subplots(1, len(methods), sharex=True, sharey=True, squeeze=False)[0]
    half = 0.5 / rows["size"]
    rows = rows.with_columns(
        x=(rows["p_true"] + half) / (1 + 2 * half), y=(rows["p_hat"] + half) / (1 + 2 * half)
    )
    low = min(rows["x"].min(), rows["y"].min()) * 0.7  # type: ignore[type-var,operator]  # numbers
    for i, (axes, method) in enumerate(zip(panels, methods, strict=True)):
        points = rows.filter(pl.col("method") == method)
        axes.plot([low, 1], [low, 1], color=_GREY, lw=1, ls="--", zorder=3)
        # Thousands of points would make a vector file slow to open: they alone are pixels.
        axes.scatter(
            points["x"],
            points["y"],
            s=5,
            color=_COLOURS[i % len(_COLOURS)],
            alpha=0.35,
            lw=0,
            rasterized=True,
        )
        axes.set(xscale="log", yscale="log", xlim=(low, 1), ylim=(low, 1), aspect="equal")
        for axis in (axes.xaxis, axes.yaxis):
            # Small ticks, and labels in TeX, take half of the time that all figures do.
            axis.set_minor_locator(NullLocator())
            axis.set_major_formatter(_power_of_ten)
        axes.set_title(method, fontsize=10)
        axes.set_xlabel("True prevalence")
        _plain(axes)
    panels[0].set_ylabel("Estimated prevalence")
    return figure


def _power_of_ten(value: float, place: int | None = None) -> str:
    """Label of a tick: 10 and its power, in characters that are raised.

    Examples
    --------
    >>> _power_of_ten(0.001), _power_of_ten(1.0)
    ('10⁻³', '10⁰')
    """
    del place
    raised = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    return "10" + str(round(np.log10(value))).translate(raised)


def interval_coverage(results: pl.DataFrame, *, level: float = 0.95) -> Figure:
    """Share of intervals that hold the true prevalence, by method, against their level.

    Parameters
    ----------
    results
        One row per task, method, bag and class, with intervals.
    level
        The intervals' nominal coverage.

    Notes
    -----
    Whiskers are Wilson's 95% intervals (1927) for the share, as if the test sets were independent.
    """
    table = coverage(results)
    if table.is_empty():
        raise ValueError("the results have no intervals; run the experiment with intervals")
    share, n = table["All"].to_numpy(), table["test_sets"].to_numpy()
    z = float(norm.ppf(0.975))
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    y = np.arange(table.height)[::-1]
    figure = Figure(figsize=(7, 0.9 + 0.3 * table.height), layout="constrained")
    axes = figure.subplots()
    axes.axvline(level, color=_GREY, ls="--", lw=1)
    axes.hlines(y, centre - half, centre + half, color=_COLOURS[0], lw=1.4)
    axes.plot(share, y, "o", color=_COLOURS[0], markersize=5)
    axes.set_yticks(y, table["method"].to_list())
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_xlabel(f"Intervals that hold the true prevalence (dashed: nominal, {level:.0%})")
    _plain(axes)
    return figure


def shares_by_bag(estimates: pl.DataFrame, classes: Sequence[str] | None = None) -> Figure:
    """Shares with their intervals: a line per class along the bags; of one bag, a bar per class.

    Parameters
    ----------
    estimates
        A row per bag and class, bags in order: ``batch`` (dates or names), ``class``, ``share``,
        and ``low`` and ``high``, which may be null. Dates are put where they are in time.
    classes
        Which to draw; by default those with the largest shares, six at most.
    """
    present = estimates["class"].unique(maintain_order=True).to_list()
    if unknown := [name for name in classes or () if name not in present]:
        raise ValueError(
            f"there is no class {unknown[0]!r}; choose of {listed(map(repr, present))}"
        )
    largest = estimates.group_by("class", maintain_order=True).agg(pl.col("share").mean())
    largest = largest.sort("share", descending=True, maintain_order=True)
    drawn = list(classes or largest["class"].head(len(_COLOURS)))
    bags = estimates["batch"].unique(maintain_order=True)
    if len(bags) == 1:
        return _bars(estimates, drawn)
    figure, axes = _figure("Share of the documents")
    in_time = bags.dtype == pl.Date
    x: Any = bags.to_list() if in_time else np.arange(len(bags))
    for i, name in enumerate(drawn):
        own = estimates.filter(pl.col("class") == name)
        colour = _COLOURS[i % len(_COLOURS)]
        mark = _MARKS[i % len(_MARKS)]
        axes.plot(x, own["share"], color=colour, marker=mark, markersize=4.5, lw=1.6, label=name)
        if own["low"].null_count() < len(own):
            axes.fill_between(x, own["low"], own["high"], color=colour, alpha=0.18, lw=0)
    if in_time:
        # As autofmt_xdate does, which in Matplotlib 3.9 also warns of the layout.
        for label in axes.get_xticklabels():
            label.set(rotation=30, horizontalalignment="right")
    else:
        every = max(1, len(bags) // 12)
        axes.set_xticks(x[::every], [str(bag) for bag in bags][::every])
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.legend(frameon=False, ncols=3, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2)
    return figure


def _bars(estimates: pl.DataFrame, classes: Sequence[str]) -> Figure:
    """A bar per class of one bag."""
    figure = Figure(figsize=(7, 0.9 + 0.35 * len(classes)), layout="constrained")
    axes = figure.subplots()
    rows = [estimates.row(by_predicate=pl.col("class") == name, named=True) for name in classes]
    y = np.arange(len(rows))[::-1]
    axes.barh(y, [row["share"] for row in rows], color=_COLOURS[0], alpha=0.6, height=0.6)
    if rows[0]["low"] is not None:
        axes.hlines(y, [row["low"] for row in rows], [row["high"] for row in rows], color="black")
    axes.set_yticks(y, [row["class"] for row in rows])
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_xlabel("Share of the documents")
    _plain(axes)
    return figure


def save_figure(
    figure: Figure, path: Path, formats: Sequence[str] = ("svg", "pdf", "png")
) -> list[Path]:
    """Paths of the files written, one per format; the same figure gives the same bytes.

    Parameters
    ----------
    figure
        What to save.
    path
        Where to, without a suffix.
    formats
        Any that matplotlib writes.
    """
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    paths = []
    with mpl.rc_context({"svg.hashsalt": "quantext"}):
        for kind in formats:
            paths.append(path.parent / f"{path.name}.{kind}")
            with atomic.writing(paths[-1]) as file:
                figure.savefig(file, format=kind, dpi=200, metadata=undated.get(kind))
    return paths


def _figure(ylabel: str) -> tuple[Figure, Axes]:
    """One pair of axes, ready to draw on."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.set_ylabel(ylabel)
    _plain(axes)
    return figure, axes


def _plain(axes: Axes) -> None:
    """No box, a light grid behind the marks."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#dddddd", lw=0.6)
    axes.set_axisbelow(True)
