"""Results: the columns of the long table, the errors of every test set, and what follows from them.

Each function takes the long table, one row per task, method, bag and class. Most tasks ask for one
class, against the rest; then ``class`` is null. The joint task of a corpus asks for all classes at
once, with a row for each. A test set is a task on a bag.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtr

from quantext.measures import binary, kld, relative_absolute_error

__all__ = [
    "DRIFT_GROUPS",
    "OURS",
    "PREVALENCE_GROUPS",
    "REFERENCE",
    "SCHEMA",
    "SIGNIFICANCE",
    "STORED",
    "TIMES",
    "asks_for_all",
    "by_test_set",
    "class_rows",
    "featured_methods",
    "joint_rows",
    "kld_against_rest",
    "kld_along_drift",
    "kld_by_period",
    "main_rows",
    "paired_p_values",
    "ranked_methods",
    "times",
    "with_errors",
]

Array = NDArray[np.float64]

TIMES = ("fit_seconds", "shared_seconds", "predict_seconds")
"""The columns of results that differ between two runs of the same experiment.

They are seconds of processor time, so they do not depend on what else the machine is doing. In each
row of a joint task they are those of all its classes. What a method that looks at labels together
costs for all of them is divided evenly over their tasks.
"""

SCHEMA: Mapping[str, Any] = {
    **dict.fromkeys(("task", "method", "bag", "class"), pl.String),
    "period": pl.String,
    **dict.fromkeys(("size", "n_train"), pl.Int64),
    **dict.fromkeys(("p_train", "p_true", "p_hat"), pl.Float64),
    **dict.fromkeys(("tp", "fp", "fn", "tn"), pl.Int64),
    **dict.fromkeys(("tpr_train", "fpr_train", "low", "high", *TIMES), pl.Float64),
}
"""Columns of results; ``period`` is a Date where all bags have a day for a name."""

STORED: Mapping[str, Any] = {**SCHEMA, "period": None}
"""The same as files must have them."""

PREVALENCE_GROUPS = ("VLP", "LP", "HP", "VHP")
DRIFT_GROUPS = ("VLD", "LD", "HD", "VHD")
SIGNIFICANCE = 0.001
REFERENCE = "Training prevalence"
OURS = ("Adaptive", "SVM(KLD)")
"""The default method, and the one that quantext was written for."""

_PREVALENCE_BREAKS = (0.01, 0.05, 0.10)
_ESTIMATE = ["task", "method", "bag"]  # the key of an estimate, with one row for each class


def with_errors(results: pl.DataFrame) -> pl.DataFrame:
    """Results with their errors, drift and groups, and with the class that each row asks for.

    Every table starts with this, and does nothing if it was done before: to make several tables,
    call it once and pass on what it gives. The columns are ``asked``; ``kld``; ``rae``; ``drift``
    and its ``drift_rank``; ``prevalence_group`` and ``drift_group``.

    Notes
    -----
    KLD is that of the class against the rest or, in the rows of a joint task, that over all
    classes, the same in each of them. Drift is likewise KLD(p_true, p_train). Both are smoothed
    with the size of the bag. Quartiles of drift are over the test sets of all tasks of one class,
    and by themselves over those of a joint task; ties keep the order of the results.
    """
    if "drift_group" in results.columns:
        return results
    _check(results)
    p_true, p_hat = binary(results["p_true"].to_numpy()), binary(results["p_hat"].to_numpy())
    size = results["size"].to_numpy()
    group = np.searchsorted(_PREVALENCE_BREAKS, results["p_train"].to_numpy(), side="right")
    rows = results.with_columns(
        asked=pl.coalesce("class", "task"),
        kld=_kld(results, "p_hat"),
        rae=pl.Series(relative_absolute_error(p_true, p_hat, size=size, positive=1)),
        prevalence_group=_labelled(group, PREVALENCE_GROUPS),
        drift=_kld(results, "p_train"),
    )
    test_sets = rows.unique(["task", "bag"], keep="first", maintain_order=True)
    drift, joint = test_sets["drift"].to_numpy(), test_sets["class"].is_not_null().to_numpy()
    rank, quartile = np.empty((2, len(drift)), dtype=np.int64)
    for kind in (joint, ~joint):
        order = np.flatnonzero(kind)[np.argsort(drift[kind], kind="stable")]
        rank[order] = np.arange(len(order))
        quartile[order] = 4 * rank[order] // max(len(order), 1)
    ranked = test_sets.select(
        "task",
        "bag",
        drift_rank=pl.Series(rank),
        drift_group=_labelled(quartile, DRIFT_GROUPS),
    )
    return rows.join(ranked, on=["task", "bag"], how="left", maintain_order="left")


def kld_against_rest(rows: pl.DataFrame, shares: str = "p_hat") -> pl.Series:
    """KLD of each row's class against the rest, in the rows of a joint task too.

    Parameters
    ----------
    rows
        Of results.
    shares
        The column that is compared with ``p_true``.
    """
    p_true, others = (binary(rows[name].to_numpy()) for name in ("p_true", shares))
    return pl.Series(kld(p_true, others, size=rows["size"].to_numpy()), dtype=pl.Float64)


def _kld(rows: pl.DataFrame, shares: str) -> pl.Series:
    """KLD of each row, over all classes of its task."""
    values = kld_against_rest(rows, shares)
    joint = rows["class"].is_not_null()
    for task in rows.filter(joint).partition_by("task"):
        estimates = task.group_by(_ESTIMATE, maintain_order=True).agg(
            pl.col("p_true", shares), pl.col("size").first()
        )
        p_true, others = (np.array(estimates[name].to_list()) for name in ("p_true", shares))
        over_all = kld(p_true, others, size=estimates["size"].to_numpy())
        found = rows.select(_ESTIMATE).join(
            estimates.select(_ESTIMATE).with_columns(kld=pl.Series(over_all)),
            on=_ESTIMATE,
            how="left",
            maintain_order="left",
        )["kld"]
        values = found.zip_with(joint & (rows["task"] == task["task"][0]), values)
    return values


def _check(results: pl.DataFrame) -> None:
    """An error that says what is missing, empty or there twice."""
    if missing := [name for name in SCHEMA if name not in results.columns]:
        raise ValueError(
            f"the results have no column {', '.join(missing)}; run the experiment again"
        )
    if results.is_empty():
        raise ValueError(
            "the results have no rows: no task was finished, so there is nothing to show"
        )
    keys = results.select(*_ESTIMATE, "class")
    if (twice := keys.is_duplicated()).any():
        task, method, bag, _ = keys.row(int(twice.arg_max() or 0))
        raise ValueError(
            f"the results have task {task!r}, method {method!r}, bag {bag!r} more than once; "
            "join the results of one run only"
        )


def _labelled(codes: NDArray[np.int64], labels: Sequence[str]) -> pl.Series:
    """Codes 0, 1, … as an Enum of the labels, which keeps their order."""
    return pl.Series(np.asarray(labels)[codes], dtype=pl.Enum(labels))


def class_rows(results: pl.DataFrame) -> pl.DataFrame:
    """Rows, with errors, of the tasks that ask for one class."""
    return with_errors(results).filter(pl.col("class").is_null())


def joint_rows(results: pl.DataFrame) -> pl.DataFrame:
    """Rows, with errors, of the tasks that ask for all classes at once."""
    return with_errors(results).filter(pl.col("class").is_not_null())


def main_rows(results: pl.DataFrame) -> pl.DataFrame:
    """Rows, with errors, of the tasks that ask for one class; if there are none, of the joint one.

    The two are never mixed: the KLD over many classes is larger than that of one against the rest.
    """
    rows = with_errors(results)
    of_one = rows["class"].is_null()
    return rows.filter(of_one) if of_one.any() and not of_one.all() else rows


def asks_for_all(results: pl.DataFrame) -> bool:
    """Whether `main_rows` are those of a joint task."""
    return results["class"].null_count() == 0


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
    """A row per test set, a column per method in order of appearance, after the key columns.

    In a joint task the measure is the mean over its classes.
    """
    return main_rows(results).pivot(
        "method",
        index=["task", "bag", *keep],
        values=measure,
        aggregate_function="mean",
        maintain_order=True,
    )


def kld_by_period(results: pl.DataFrame) -> pl.DataFrame:
    """Mean KLD over the classes: a row per period in order, a column per method, best first."""
    rows = main_rows(results).filter(pl.col("period").is_not_null())
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
        One row per task, method, bag and class.
    groups
        Number of groups; never more than there are test sets.

    Notes
    -----
    ``group`` counts from 0; ``drift`` is the mean drift in the group.
    """
    rows = main_rows(results)
    n = int(rows["drift_rank"].max()) + 1  # type: ignore[arg-type]  # a number: there are rows
    rows = rows.with_columns(group=pl.col("drift_rank") * min(groups, n) // n)
    drift = rows.group_by("group").agg(pl.col("drift").mean())
    errors = rows.pivot("method", index="group", values="kld", aggregate_function="mean")
    return (
        drift.join(errors, on="group").sort("group").select("group", "drift", *ranked_methods(rows))
    )


def ranked_methods(results: pl.DataFrame) -> list[str]:
    """Names of the methods by mean KLD, best first."""
    means = main_rows(results).group_by("method", maintain_order=True).agg(pl.col("kld").mean())
    ranked: list[str] = means.sort("kld", maintain_order=True)["method"].to_list()
    return ranked


def featured_methods(results: pl.DataFrame) -> list[str]:
    """Adaptive and SVM(KLD), if they were run, and the three best baselines.

    Neither siblings of SVM(KLD) nor the reference are baselines.

    Parameters
    ----------
    results
        One row per task, method, bag and class.
    """
    ranked = ranked_methods(results)
    own = [method for method in OURS if method in ranked]
    others = (*OURS, REFERENCE)
    baselines = [m for m in ranked if m not in others and not m.startswith("SVM(")]
    return [*own, *baselines[:3]] or ranked[:3]


def times(results: pl.DataFrame) -> pl.DataFrame:
    """Seconds that each method takes, fastest to fit first.

    ``fit_seconds`` is the mean for one task when the method is run alone, ``shared_seconds`` the
    part of it that methods share (training the classifier and scoring out of fold),
    ``fit_total`` the sum over the tasks; ``predict_seconds`` is the mean for a task and bag.
    """
    rows = main_rows(results)
    fits = (
        rows.unique(["task", "method"], maintain_order=True)
        .group_by("method", maintain_order=True)
        .agg(
            pl.col("fit_seconds", "shared_seconds").mean(),
            fit_total=pl.col("fit_seconds").sum(),
        )
    )
    predictions = rows.group_by("method").agg(pl.col("predict_seconds").mean())
    return fits.join(predictions, on="method", how="left", maintain_order="left").sort(
        "fit_seconds", nulls_last=True, maintain_order=True
    )
