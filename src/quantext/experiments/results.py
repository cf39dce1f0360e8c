"""Errors of every test set, their groups, and the order of the methods that follows from them.

Each function takes the long table of results, one row per task, method and bag.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtr

from quantext.measures import binary, kld, relative_absolute_error

__all__ = [
    "COLUMNS",
    "DRIFT_GROUPS",
    "PREVALENCE_GROUPS",
    "REFERENCE",
    "SIGNIFICANCE",
    "by_test_set",
    "featured_methods",
    "kld_along_drift",
    "kld_by_period",
    "paired_p_values",
    "ranked_methods",
    "times",
    "with_errors",
]

Array = NDArray[np.float64]

COLUMNS = (
    *("task", "method", "bag", "period", "size", "n_train", "p_train", "p_true", "p_hat"),
    *("tp", "fp", "fn", "tn", "tpr_train", "fpr_train", "low", "high"),
    *("fit_seconds", "shared_seconds", "predict_seconds"),
)

PREVALENCE_GROUPS = ("VLP", "LP", "HP", "VHP")
DRIFT_GROUPS = ("VLD", "LD", "HD", "VHD")
SIGNIFICANCE = 0.001
REFERENCE = "Training prevalence"

_PREVALENCE_BREAKS = (0.01, 0.05, 0.10)


def with_errors(results: pl.DataFrame) -> pl.DataFrame:
    """Results with ``kld``, ``rae``, ``drift``, ``prevalence_group`` and ``drift_group``.

    Every table starts with this, and does nothing if it was done before: to make several tables,
    call it once and pass on what it gives.

    Notes
    -----
    Drift is KLD(p_true, p_train), smoothed with the size of the bag. Its quartiles are over the
    test sets (a task on a bag) of all tasks; ties keep the order in which the results have them.
    """
    if "drift_group" in results.columns:
        return results
    _check(results)
    test_sets = results.unique(["task", "bag"], keep="first", maintain_order=True)
    drift = kld(
        binary(test_sets["p_true"].to_numpy()),
        binary(test_sets["p_train"].to_numpy()),
        size=test_sets["size"].to_numpy(),
    )
    rank = np.empty(len(drift), dtype=np.int64)
    rank[np.argsort(drift, kind="stable")] = np.arange(len(drift))
    test_sets = test_sets.select(
        "task",
        "bag",
        drift=pl.Series(drift, dtype=pl.Float64),
        drift_rank=pl.Series(rank),
        drift_group=_labelled(4 * rank // max(len(rank), 1), DRIFT_GROUPS),
    )
    p_true, p_hat = binary(results["p_true"].to_numpy()), binary(results["p_hat"].to_numpy())
    size = results["size"].to_numpy()
    group = np.searchsorted(_PREVALENCE_BREAKS, results["p_train"].to_numpy(), side="right")
    return results.with_columns(
        kld=pl.Series(kld(p_true, p_hat, size=size), dtype=pl.Float64),
        rae=pl.Series(relative_absolute_error(p_true, p_hat, size=size, positive=1)),
        prevalence_group=_labelled(group, PREVALENCE_GROUPS),
    ).join(test_sets, on=["task", "bag"], how="left", maintain_order="left")


def _check(results: pl.DataFrame) -> None:
    """An error that says what is missing, empty or there twice."""
    if missing := [name for name in COLUMNS if name not in results.columns]:
        raise ValueError(
            f"the results have no column {', '.join(missing)}; run the experiment again"
        )
    if results.is_empty():
        raise ValueError(
            "the results have no rows: no task was finished, so there is nothing to show"
        )
    keys = results.select("task", "method", "bag")
    if (twice := keys.is_duplicated()).any():
        task, method, bag = keys.row(int(twice.arg_max() or 0))
        raise ValueError(
            f"the results have task {task!r}, method {method!r}, bag {bag!r} more than once; "
            "join the results of one run only"
        )


def _labelled(codes: NDArray[np.int64], labels: Sequence[str]) -> pl.Series:
    """Codes 0, 1, … as an Enum of the labels, which keeps their order."""
    return pl.Series(np.asarray(labels)[codes], dtype=pl.Enum(labels))


def paired_p_values(values: Array, best: int) -> Array:
    """P-value of each column against column ``best``: two-tailed paired t-test, 1 for itself.

    Rows in which either is NaN are left out of that pair. A difference that is the same in every
    row gives 0, or 1 if it is zero; fewer than two rows give 1.

    Parameters
    ----------
    values
        Errors, test sets × methods.
    best
        Index of a column.
    """
    difference = values - values[:, [best]]
    there = ~np.isnan(difference)
    n = there.sum(axis=0)
    degrees = np.maximum(n - 1, 1)
    difference = np.where(there, difference, 0.0)
    mean = difference.sum(axis=0) / np.maximum(n, 1)
    squares = (np.where(there, difference - mean, 0.0) ** 2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / np.sqrt(squares / degrees / np.maximum(n, 1))
    p = np.where(mean == 0, 1.0, 2 * stdtr(degrees, -np.abs(t)))
    p_values: Array = np.where(n < 2, 1.0, p)
    return p_values


def by_test_set(results: pl.DataFrame, measure: str, *keep: str) -> pl.DataFrame:
    """A row per test set, a column per method in order of appearance, after the key columns."""
    return with_errors(results).pivot(
        "method", index=["task", "bag", *keep], values=measure, maintain_order=True
    )


def kld_by_period(results: pl.DataFrame) -> pl.DataFrame:
    """Mean KLD over the classes: a row per period in order, a column per method, best first."""
    rows = with_errors(results).filter(pl.col("period").is_not_null())
    shown = set(rows["method"].unique())
    frame = rows.pivot(
        "method", index="period", values="kld", aggregate_function="mean", maintain_order=True
    ).select("period", *(m for m in ranked_methods(results) if m in shown))
    # Names of periods ("week 10") do not sort as time does; the results have them in order.
    return frame if frame["period"].dtype == pl.String else frame.sort("period")


def kld_along_drift(results: pl.DataFrame, groups: int = 20) -> pl.DataFrame:
    """Mean KLD of each method, best first, in equal groups of test sets from least to most drift.

    Parameters
    ----------
    results
        One row per task, method and bag.
    groups
        Number of groups; never more than there are test sets.

    Notes
    -----
    ``group`` counts from 0; ``drift`` is the mean drift in the group.
    """
    rows = with_errors(results)
    n = int(rows["drift_rank"].max()) + 1  # type: ignore[arg-type]  # a number: there are rows
    rows = rows.with_columns(group=pl.col("drift_rank") * min(groups, n) // n)
    drift = rows.group_by("group").agg(pl.col("drift").mean())
    errors = rows.pivot("method", index="group", values="kld", aggregate_function="mean")
    return (
        drift.join(errors, on="group").sort("group").select("group", "drift", *ranked_methods(rows))
    )


def ranked_methods(results: pl.DataFrame) -> list[str]:
    """Names of the methods by mean KLD, best first."""
    means = with_errors(results).group_by("method", maintain_order=True).agg(pl.col("kld").mean())
    ranked: list[str] = means.sort("kld", maintain_order=True)["method"].to_list()
    return ranked


def featured_methods(results: pl.DataFrame, number: int = 4) -> list[str]:
    """SVM(KLD), if it was run, and the best baselines: neither its siblings nor the reference.

    Parameters
    ----------
    results
        One row per task, method and bag.
    number
        How many in all.
    """
    ranked = ranked_methods(results)
    own = [method for method in ranked if method == "SVM(KLD)"]
    baselines = [m for m in ranked if m != REFERENCE and not m.startswith("SVM(")]
    return [*own, *baselines][:number] or ranked[:number]


def times(results: pl.DataFrame) -> pl.DataFrame:
    """Seconds that each method takes, fastest to fit first.

    ``fit_seconds`` is the mean for one class when the method is run alone, ``shared_seconds`` the
    part of it that methods share (training the classifier and scoring out of fold),
    ``fit_total`` the sum over the classes; ``predict_seconds`` is the mean for a class and bag.
    """
    fits = (
        with_errors(results)
        .unique(["task", "method"], maintain_order=True)
        .group_by("method", maintain_order=True)
        .agg(
            pl.col("fit_seconds", "shared_seconds").mean(),
            fit_total=pl.col("fit_seconds").sum(),
        )
    )
    predictions = results.group_by("method").agg(pl.col("predict_seconds").mean())
    return fits.join(predictions, on="method", how="left", maintain_order="left").sort(
        "fit_seconds", nulls_last=True, maintain_order=True
    )


# Beyond the paper --------------------------------------------------------------------------------
