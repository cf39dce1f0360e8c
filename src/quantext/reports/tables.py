"""Tables: views of the results, one function each, and how they are written.

Each function takes the long table of results, one row per task, method, bag and class, and gives a
polars frame: of the tasks that ask for one class or, if there are none, of the joint task; but by
training prevalence of the former only, and `all_at_once` of the latter. A column ``bold`` lists,
for each row, the columns whose value is marked: the best one, where it is significantly so.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.experiments.results import (
    DRIFT_GROUPS,
    PREVALENCE_GROUPS,
    SIGNIFICANCE,
    asks_for_all,
    by_test_set,
    class_rows,
    joint_rows,
    kld_against_rest,
    main_rows,
    paired_p_values,
    ranked_methods,
)

__all__ = [
    "CHARACTERISTICS",
    "all_at_once",
    "characteristics",
    "classes",
    "coverage",
    "kld_by_drift",
    "kld_by_prevalence",
    "kld_variance_by_drift",
    "kld_variance_by_prevalence",
    "rae_by_drift",
    "significance",
    "significantly_best",
]

Array = NDArray[np.float64]
_SPREADS = tuple(
    f"{statistic} {what}"
    for what in ("positive documents per class", "prevalence of the positive class")
    for statistic in ("Min", "Max", "Avg")
)
CHARACTERISTICS = (
    *(("All", name) for name in ("Documents", "Classes (binary tasks)", "Time unit of the split")),
    *(("Training", name) for name in ("Documents", "Features", *_SPREADS)),
    *(("Test", n) for n in ("Documents", "Bags per class", "Avg documents per bag", *_SPREADS)),
)


def kld_by_prevalence(results: pl.DataFrame) -> pl.DataFrame:
    """Mean KLD of each method by training prevalence, best method first."""
    return _means(class_rows(results), "kld", "prevalence_group")


def kld_variance_by_prevalence(results: pl.DataFrame) -> pl.DataFrame:
    """Variance of KLD (ddof 1) of each method by training prevalence, steadiest method first."""
    return _variances(class_rows(results), "kld", "prevalence_group")


def kld_by_drift(results: pl.DataFrame) -> pl.DataFrame:
    """Mean KLD of each method by quartile of drift, best method first."""
    return _means(results, "kld", "drift_group")


def kld_variance_by_drift(results: pl.DataFrame) -> pl.DataFrame:
    """Variance of KLD (ddof 1) of each method by quartile of drift, steadiest method first."""
    return _variances(results, "kld", "drift_group")


def all_at_once(results: pl.DataFrame) -> pl.DataFrame:
    """Errors of each method on all classes at once, best method first; empty without a joint task.

    ``VLD`` to ``All`` are mean KLD over all classes, by quartile of drift and over all bags;
    ``absolute_error`` is the mean over classes and bags; and, if there are intervals, ``coverage``
    is the share of them that hold the true prevalence, ``width`` their mean width.
    """
    rows = joint_rows(results)
    table = kld_by_drift(rows)
    error = (pl.col("p_hat") - pl.col("p_true")).abs().mean()
    parts = [rows.group_by("method").agg(absolute_error=error)]
    if not (covered := coverage(rows)).is_empty():
        parts.append(covered.select("method", "width", coverage="All"))
    for part in parts:
        table = table.join(part, on="method", how="left", maintain_order="left")
    last = [name for name in ("coverage", "width") if name in table.columns]
    return table.select("method", *DRIFT_GROUPS, "All", "absolute_error", *last, "bold")


def rae_by_drift(results: pl.DataFrame) -> pl.DataFrame:
    """Mean relative absolute error (positive class) by quartile of drift, best method first."""
    return _means(results, "rae", "drift_group")


def _means(results: pl.DataFrame, measure: str, group: str) -> pl.DataFrame:
    """Mean by group; bold only if significantly better than every other method."""
    return _by_group(results, measure, group, pl.Expr.mean, significantly_best)


def significantly_best(values: Array, means: Array) -> NDArray[np.bool_]:
    """Whether each method is the best, and significantly better than every other one.

    Parameters
    ----------
    values
        Errors, test sets × methods.
    means
        Mean error of each method.
    """
    bold = np.zeros(len(means), dtype=bool)
    if len(means) > 1 and not np.isnan(means).any():
        best = int(means.argmin())
        p_values = np.delete(paired_p_values(values, best), best)
        bold[best] = bool((p_values < SIGNIFICANCE).all())
    return bold


def _variances(results: pl.DataFrame, measure: str, group: str) -> pl.DataFrame:
    """Variance by group; bold is the least, there being no test for it."""

    def least(values: Array, variances: Array) -> NDArray[np.bool_]:  # noqa: ARG001 - as above
        if np.isnan(variances).all():
            return np.zeros(len(variances), dtype=bool)
        smallest: NDArray[np.bool_] = variances == np.nanmin(variances)
        return smallest

    return _by_group(results, measure, group, pl.Expr.var, least)


def _by_group(
    results: pl.DataFrame,
    measure: str,
    group: str,
    statistic: Callable[[pl.Expr], pl.Expr],
    mark: Callable[[Array, Array], NDArray[np.bool_]],
) -> pl.DataFrame:
    """A row per method, a column per group and one for all, ranked by the last."""
    wide = by_test_set(results, measure, group)
    methods = wide.columns[3:]
    labels = PREVALENCE_GROUPS if group == "prevalence_group" else DRIFT_GROUPS
    if not methods:
        numbers = dict.fromkeys((*labels, "All"), pl.Float64)
        return pl.DataFrame(schema={"method": pl.String, **numbers, "bold": pl.List(pl.String)})
    columns: dict[str, Array] = {}
    bold: list[list[str]] = [[] for _ in methods]
    for label in (*labels, "All"):
        inside = wide if label == "All" else wide.filter(pl.col(group) == label)
        values = inside.select(methods)
        row = values.select(statistic(pl.col(methods))).cast(pl.Float64).row(0)
        columns[label] = np.array(row, dtype=np.float64)  # None becomes NaN
        for i in np.flatnonzero(mark(values.to_numpy(), columns[label])):
            bold[i].append(label)
    frame = pl.DataFrame({"method": methods, **columns}, nan_to_null=True)
    return frame.with_columns(bold=pl.Series(bold, dtype=pl.List(pl.String))).sort(
        "All", nulls_last=True, maintain_order=True
    )


def characteristics(results: pl.DataFrame, about: Mapping[str, Any] | None = None) -> pl.DataFrame:
    """Main characteristics of the corpus: part, characteristic, value as printed.

    Parameters
    ----------
    results
        One row per task, method, bag and class.
    about
        ``documents``, ``features`` and ``unit`` of the run, which the results do not tell;
        those not given are shown as a dash (documents: those of the training set and the bags).
    """
    about = about or {}
    rows = main_rows(results)
    asked = rows.unique("asked", maintain_order=True)
    bags = rows.unique("bag", maintain_order=True)
    test_sets = rows.unique(["asked", "bag"], maintain_order=True)
    n_train = int(asked["n_train"].max())  # type: ignore[arg-type]  # a number, as the check says
    n_test = int(bags["size"].sum())
    documents = about.get("documents") or n_train + n_test

    def spread(sets: pl.DataFrame, size: str, p: str) -> list[str]:
        positives, shares = (sets[p] * sets[size]).round(), sets[p]
        return [
            *(f"{statistic:,.0f}" for statistic in _min_max_mean(positives)),
            *(f"{statistic:.4f}" for statistic in _min_max_mean(shares)),
        ]

    features = about.get("features")
    values = [
        f"{documents:,}",
        f"{asked.height:,}",
        str(about.get("unit") or "–"),
        f"{n_train:,}",
        "–" if features is None else f"{features:,}",
        *spread(asked, "n_train", "p_train"),
        f"{n_test:,}",
        f"{bags.height:,}",
        f"{n_test / bags.height:,.0f}",
        *spread(test_sets, "size", "p_true"),
    ]
    part, characteristic = zip(*CHARACTERISTICS, strict=True)
    frame = pl.DataFrame({"part": part, "characteristic": characteristic, "value": values})
    if asks_for_all(results):
        one_task = pl.col("characteristic").str.replace(" (binary tasks)", "", literal=True)
        frame = frame.with_columns(one_task)
    return frame


def _min_max_mean(values: pl.Series) -> Array:
    """The three statistics of a column."""
    numbers = values.to_numpy()
    return np.array([numbers.min(), numbers.max(), numbers.mean()])


def coverage(results: pl.DataFrame) -> pl.DataFrame:
    """Share of intervals that hold the true prevalence, by quartile of drift; mean width.

    Parameters
    ----------
    results
        One row per task, method, bag and class. Without intervals the frame is empty.
    """
    rows = main_rows(results).filter(pl.col("low").is_not_null(), pl.col("high").is_not_null())
    # The ends of an interval were rounded on their way; the bag's share is a fraction.
    slack = 1e-12
    held = (pl.col("low") <= pl.col("p_true") + slack) & (
        pl.col("p_true") <= pl.col("high") + slack
    )
    return (
        rows.with_columns(held=held)
        .group_by("method", maintain_order=True)
        .agg(
            *(
                pl.col("held").filter(pl.col("drift_group") == label).mean().alias(label)
                for label in DRIFT_GROUPS
            ),
            All=pl.col("held").mean(),
            width=(pl.col("high") - pl.col("low")).mean(),
            test_sets=pl.len(),
        )
        .sort("All", descending=True, maintain_order=True)
    )


def significance(results: pl.DataFrame) -> pl.DataFrame:
    """The best method by mean KLD against each method: mean, difference, p-value of the t-test."""
    wide = by_test_set(results, "kld")
    methods = wide.columns[2:]
    means = np.array(wide.select(pl.col(methods).mean()).row(0), dtype=np.float64)
    best = int(means.argmin())
    p_values = paired_p_values(wide.select(methods).to_numpy(), best)
    return pl.DataFrame(
        {
            "method": methods,
            "kld": means,
            "difference": means - means[best],
            "p_value": [None if i == best else float(p) for i, p in enumerate(p_values)],
            "test_sets": [wide.height - wide[method].null_count() for method in methods],
        }
    ).sort("kld", maintain_order=True)


def classes(results: pl.DataFrame) -> pl.DataFrame:
    """A row per class: prevalences, drift, and the mean KLD of each method, best method first.

    KLD and drift are those of the class against the rest, in a joint task too.
    """
    rows = main_rows(results)
    ranked = ranked_methods(rows)
    rows = rows.select(
        *("method", "bag", "p_train", "p_true"),
        pl.col("asked").alias("class"),
        kld=kld_against_rest(rows),
        drift=kld_against_rest(rows, "p_train"),
    )
    per_class = (
        rows.unique(["class", "bag"], maintain_order=True)
        .group_by("class", maintain_order=True)
        .agg(pl.col("p_train").first(), pl.col("p_true").mean(), pl.col("drift").mean())
    )
    errors = rows.pivot(
        "method", index="class", values="kld", aggregate_function="mean", maintain_order=True
    ).select("class", *ranked)
    return per_class.join(errors, on="class", how="left", maintain_order="left").sort(
        "p_train", descending=True, maintain_order=True
    )
