"""Tables: views of the results, one function each, and how they are written.

Each function takes the long table of results and gives a polars frame. A column ``bold`` lists, for
each row, the columns whose value is marked: the best one, where it is significantly so.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtr

from quantext._typeset import Table, cells, to_csv, to_latex, to_markdown, write_tables
from quantext.measures import binary, kld, relative_absolute_error
from quantext.published import SOURCE, published, published_characteristics

__all__ = [
    "CHARACTERISTICS",
    "COLUMNS",
    "DRIFT_GROUPS",
    "PREVALENCE_GROUPS",
    "REFERENCE",
    "SIGNIFICANCE",
    "Table",
    "all_tables",
    "beside",
    "cells",
    "characteristics",
    "classes",
    "coverage",
    "f1",
    "featured_methods",
    "fp_fn",
    "kld_along_drift",
    "kld_by_drift",
    "kld_by_period",
    "kld_by_prevalence",
    "kld_variance_by_drift",
    "kld_variance_by_prevalence",
    "paired_p_values",
    "rae_by_drift",
    "ranked_methods",
    "rates",
    "significance",
    "times",
    "to_csv",
    "to_latex",
    "to_markdown",
    "with_errors",
    "write_tables",
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
_RARE = 0.01

CHARACTERISTICS = (
    ("All", "Documents"),
    ("All", "Classes (binary tasks)"),
    ("All", "Time unit of the split"),
    ("Training", "Documents"),
    ("Training", "Features"),
    ("Training", "Min positive documents per class"),
    ("Training", "Max positive documents per class"),
    ("Training", "Avg positive documents per class"),
    ("Training", "Min prevalence of the positive class"),
    ("Training", "Max prevalence of the positive class"),
    ("Training", "Avg prevalence of the positive class"),
    ("Test", "Documents"),
    ("Test", "Bags per class"),
    ("Test", "Avg documents per bag"),
    ("Test", "Min positive documents per class"),
    ("Test", "Max positive documents per class"),
    ("Test", "Avg positive documents per class"),
    ("Test", "Min prevalence of the positive class"),
    ("Test", "Max prevalence of the positive class"),
    ("Test", "Avg prevalence of the positive class"),
)


# Errors ------------------------------------------------------------------------------------------


def with_errors(results: pl.DataFrame) -> pl.DataFrame:
    """Results with ``kld``, ``rae``, ``drift``, ``prevalence_group`` and ``drift_group``.

    Every table starts with this, and does nothing if it was done before: to make several tables,
    call it once and pass on what it gives.

    Parameters
    ----------
    results
        One row per task, method and bag.

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


# The paper's tables ------------------------------------------------------------------------------


def kld_by_prevalence(results: pl.DataFrame) -> pl.DataFrame:
    """Mean KLD of each method by training prevalence, best method first.

    Parameters
    ----------
    results
        One row per task, method and bag.
    """
    return _means(results, "kld", "prevalence_group")


def kld_variance_by_prevalence(results: pl.DataFrame) -> pl.DataFrame:
    """Variance of KLD (ddof 1) of each method by training prevalence, steadiest method first.

    Parameters
    ----------
    results
        One row per task, method and bag.
    """
    return _variances(results, "kld", "prevalence_group")


def kld_by_drift(results: pl.DataFrame) -> pl.DataFrame:
    """Mean KLD of each method by quartile of drift, best method first.

    Parameters
    ----------
    results
        One row per task, method and bag.
    """
    return _means(results, "kld", "drift_group")


def kld_variance_by_drift(results: pl.DataFrame) -> pl.DataFrame:
    """Variance of KLD (ddof 1) of each method by quartile of drift, steadiest method first.

    Parameters
    ----------
    results
        One row per task, method and bag.
    """
    return _variances(results, "kld", "drift_group")


def rae_by_drift(results: pl.DataFrame) -> pl.DataFrame:
    """Mean relative absolute error of the positive class by quartile of drift, best method first.

    Parameters
    ----------
    results
        One row per task, method and bag.
    """
    return _means(results, "rae", "drift_group")


def _means(results: pl.DataFrame, measure: str, group: str) -> pl.DataFrame:
    """Mean by group; bold only if significantly better than every other method."""

    def significantly_best(values: Array, means: Array) -> NDArray[np.bool_]:
        bold = np.zeros(len(means), dtype=bool)
        if len(means) > 1 and not np.isnan(means).any():
            best = int(means.argmin())
            p_values = np.delete(paired_p_values(values, best), best)
            bold[best] = bool((p_values < SIGNIFICANCE).all())
        return bold

    return _by_group(results, measure, group, pl.Expr.mean, significantly_best)


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
    wide = _wide(results, measure, group)
    methods = wide.columns[3:]
    labels = PREVALENCE_GROUPS if group == "prevalence_group" else DRIFT_GROUPS
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


def _wide(results: pl.DataFrame, measure: str, *keep: str) -> pl.DataFrame:
    """A row per test set, a column per method in order of appearance, after the key columns."""
    return with_errors(results).pivot(
        "method", index=["task", "bag", *keep], values=measure, maintain_order=True
    )


def characteristics(results: pl.DataFrame, about: Mapping[str, Any] | None = None) -> pl.DataFrame:
    """Main characteristics of the corpus: part, characteristic, value as printed.

    Parameters
    ----------
    results
        One row per task, method and bag.
    about
        ``documents``, ``features`` and ``unit`` of the run, which the results do not tell;
        those not given are shown as a dash (documents: those of the training set and the bags).
    """
    about = about or {}
    rows = with_errors(results)
    tasks = rows.unique("task", maintain_order=True)
    bags = rows.unique("bag", maintain_order=True)
    test_sets = rows.unique(["task", "bag"], maintain_order=True)
    n_train = int(tasks["n_train"].max())  # type: ignore[arg-type]  # a number, as the check says
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
        f"{tasks.height:,}",
        str(about.get("unit") or "–"),
        f"{n_train:,}",
        "–" if features is None else f"{features:,}",
        *spread(tasks, "n_train", "p_train"),
        f"{n_test:,}",
        f"{bags.height:,}",
        f"{n_test / bags.height:,.0f}",
        *spread(test_sets, "size", "p_true"),
    ]
    part, characteristic = zip(*CHARACTERISTICS, strict=True)
    return pl.DataFrame({"part": part, "characteristic": characteristic, "value": values})


def _min_max_mean(values: pl.Series) -> Array:
    """The three statistics of a column."""
    numbers = values.to_numpy()
    return np.array([numbers.min(), numbers.max(), numbers.mean()])


def f1(results: pl.DataFrame) -> pl.DataFrame:
    """F1 of each method that classifies, over the union of the test sets.

    ``micro`` merges the contingency tables of the classes, ``macro`` averages their F1; ``rare_``
    is over the classes of training prevalence up to .01 alone. A class without positives, of
    which none was predicted, has F1 = 1.

    Parameters
    ----------
    results
        One row per task, method and bag.
    """
    per_class = (
        _classified(results)
        .group_by("method", "task", maintain_order=True)
        .agg(pl.col("tp", "fp", "fn").sum(), pl.col("p_train").first())
        .with_columns(f1=_f1(pl.col("tp"), pl.col("fp"), pl.col("fn")))
    )
    rare = pl.col("p_train") <= _RARE
    columns: dict[str, pl.Expr] = {}
    for prefix, inside in (("", pl.lit(True)), ("rare_", rare)):
        tp, fp, fn = (pl.col(name).filter(inside).sum() for name in ("tp", "fp", "fn"))
        some = inside.any() if prefix else pl.lit(True)
        columns[f"{prefix}micro"] = pl.when(some).then(_f1(tp, fp, fn))
        columns[f"{prefix}macro"] = pl.col("f1").filter(inside).mean()
    frame = per_class.group_by("method", maintain_order=True).agg(**columns)
    return frame.sort("micro", descending=True, maintain_order=True)


def _f1(tp: pl.Expr, fp: pl.Expr, fn: pl.Expr) -> pl.Expr:
    """F1 of a contingency table, 1 where there is nothing to find and nothing was found."""
    return pl.when(tp + fp + fn == 0).then(1.0).otherwise(2 * tp / (2 * tp + fp + fn))


def _classified(results: pl.DataFrame) -> pl.DataFrame:
    """Rows of the methods that classify documents."""
    return with_errors(results).filter(pl.col("tp").is_not_null())


def fp_fn(results: pl.DataFrame) -> pl.DataFrame:
    """Ratio of false positives to false negatives of each method that classifies; 1 is balance.

    Parameters
    ----------
    results
        One row per task, method and bag.

    Notes
    -----
    ``mean_ratio`` is over the test sets with false negatives (``test_sets`` of them), and a
    few with very few false negatives weigh much in it; ``ratio_of_sums`` does not have that fault.
    """
    ratio = pl.when(pl.col("fn") > 0).then(pl.col("fp") / pl.col("fn"))
    fp, fn = pl.col("fp").sum(), pl.col("fn").sum()
    return (
        _classified(results)
        .group_by("method", maintain_order=True)
        .agg(
            mean_ratio=ratio.mean(),
            ratio_of_sums=pl.when(fn > 0).then(fp / fn),
            test_sets=ratio.count(),
        )
        .sort((pl.col("ratio_of_sums") - 1).abs(), nulls_last=True, maintain_order=True)
    )


def times(results: pl.DataFrame) -> pl.DataFrame:
    """Seconds that each method takes, fastest to fit first.

    ``fit_seconds`` is the mean for one class when the method is run alone, ``shared_seconds`` the
    part of it that methods share (training the classifier and scoring out of fold),
    ``fit_total`` the sum over the classes; ``predict_seconds`` is the mean for a class and bag.

    Parameters
    ----------
    results
        One row per task, method and bag.
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


def rates(results: pl.DataFrame) -> pl.DataFrame:
    """True and false positive rates in training (out of fold) against test, by method.

    Training rates are means over the classes, test rates over the test sets with positives (and,
    for the false positive rate, negatives); the change is relative to training.

    Parameters
    ----------
    results
        One row per task, method and bag.
    """
    rows = _classified(results).filter(
        pl.col("tpr_train").is_not_null(), pl.col("tpr_train").is_not_nan()
    )
    train = (
        rows.unique(["task", "method"], maintain_order=True)
        .group_by("method", maintain_order=True)
        .agg(pl.col("tpr_train", "fpr_train").mean())
    )
    negatives = pl.col("fp") + pl.col("tn")
    test = (
        rows.filter(pl.col("tp") + pl.col("fn") > 0)
        .group_by("method")
        .agg(
            tpr_test=(pl.col("tp") / (pl.col("tp") + pl.col("fn"))).mean(),
            fpr_test=pl.when(negatives > 0).then(pl.col("fp") / negatives).mean(),
            test_sets=pl.len(),
        )
    )

    def change(rate: str) -> pl.Expr:
        before = pl.col(f"{rate}_train")
        return pl.when(before > 0).then(pl.col(f"{rate}_test") / before - 1)

    return train.join(test, on="method", how="left", maintain_order="left").select(
        "method",
        "tpr_train",
        "tpr_test",
        tpr_change=change("tpr"),
        fpr_train=pl.col("fpr_train"),
        fpr_test=pl.col("fpr_test"),
        fpr_change=change("fpr"),
        test_sets=pl.col("test_sets"),
    )


# Beyond the paper --------------------------------------------------------------------------------


def coverage(results: pl.DataFrame) -> pl.DataFrame:
    """Share of intervals that hold the true prevalence, by quartile of drift; mean width.

    Parameters
    ----------
    results
        One row per task, method and bag. Without intervals the frame is empty.
    """
    rows = with_errors(results).filter(pl.col("low").is_not_null(), pl.col("high").is_not_null())
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
    """The best method by mean KLD against each method: mean, difference, p-value of the t-test.

    Parameters
    ----------
    results
        One row per task, method and bag.
    """
    wide = _wide(results, "kld")
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

    Parameters
    ----------
    results
        One row per task, method and bag.
    """
    rows = with_errors(results)
    per_class = (
        rows.unique(["task", "bag"], maintain_order=True)
        .group_by("task", maintain_order=True)
        .agg(pl.col("p_train").first(), pl.col("p_true").mean(), pl.col("drift").mean())
    )
    errors = rows.pivot(
        "method", index="task", values="kld", aggregate_function="mean", maintain_order=True
    ).select("task", *ranked_methods(rows))
    return per_class.join(errors, on="task", how="left", maintain_order="left").sort(
        "p_train", descending=True, maintain_order=True
    )


def kld_by_period(results: pl.DataFrame) -> pl.DataFrame:
    """Mean KLD over the classes: a row per period in order, a column per method, best first.

    Parameters
    ----------
    results
        One row per task, method and bag.
    """
    rows = with_errors(results).filter(pl.col("period").is_not_null())
    frame = rows.pivot(
        "method", index="period", values="kld", aggregate_function="mean", maintain_order=True
    ).select("period", *(m for m in ranked_methods(results) if m in set(rows["method"])))
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
    """Names of the methods by mean KLD, best first.

    Parameters
    ----------
    results
        One row per task, method and bag.
    """
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


# All of them -----------------------------------------------------------------------------------


_BY_PREVALENCE = (
    "Classes by training prevalence: VLP < .01 ≤ LP < .05 ≤ HP < .10 ≤ VHP. Lower is better."
)
_BY_DRIFT = (
    "Test sets by quartile of drift, KLD(true, training prevalence), from very low (VLD) to very "
    "high (VHD). Lower is better."
)
_BOLD = " Bold: best, and better than each other method in a two-tailed paired t-test at p < .001."
_LOGISTIC = ", whose PCC and PACC are best compared with the logistic variants"
_LEAST = " Bold: least."

_KINDS: tuple[
    tuple[Callable[[pl.DataFrame], pl.DataFrame], str, str, str | dict[str, str]], ...
] = (
    (kld_by_prevalence, "Mean KLD by training prevalence", _BY_PREVALENCE + _BOLD, ".2e"),
    (
        kld_variance_by_prevalence,
        "Variance of KLD by training prevalence",
        _BY_PREVALENCE + _LEAST,
        ".2e",
    ),
    (kld_by_drift, "Mean KLD by drift", _BY_DRIFT + _BOLD, ".2e"),
    (kld_variance_by_drift, "Variance of KLD by drift", _BY_DRIFT + _LEAST, ".2e"),
    (
        rae_by_drift,
        "Mean relative absolute error by drift",
        _BY_DRIFT + _BOLD + " The positive class's term.",
        ".3f",
    ),
    (
        f1,
        "Classification: F1",
        "Over the union of the test sets, all classes and rare ones (training prevalence ≤ .01). "
        "Higher is better. Only methods that classify.",
        ".3f",
    ),
    (
        fp_fn,
        "Balance: false positives per false negative",
        "1 is perfect balance. The mean is over the test sets with false negatives; the ratio of "
        "sums is over all.",
        ".3f",
    ),
    (
        times,
        "Times",
        "Seconds. Fit: mean for one class, the method run alone; shared: the part of it that "
        "methods share; total: over all classes. Predict: mean for one class and bag.",
        {"": ".3f", "predict_seconds": ".2e"},
    ),
    (
        rates,
        "True and false positive rates in training and test",
        "Training: out of fold, mean over classes. Test: mean over the test sets with positives, "
        "so that classes often absent weigh less there. Methods that correct with these rates "
        "assume that they do not change.",
        {
            "": ".3f",
            "tpr_change": "+.1%",
            "fpr_change": "+.1%",
            "fpr_train": ".2e",
            "fpr_test": ".2e",
        },
    ),
    (
        coverage,
        "Coverage of the intervals",
        "Share of intervals that hold the true prevalence, by quartile of drift and over all.",
        {"": ".3f", "width": ".2e"},
    ),
    (
        significance,
        "The best method against each other",
        "Mean KLD, difference from the best, and p-value of a two-tailed paired t-test.",
        ".2e",
    ),
)


def all_tables(results: pl.DataFrame, about: Mapping[str, Any] | None = None) -> list[Table]:
    """Every table of a run, the published figures beside ours where the corpus has some.

    Parameters
    ----------
    results
        One row per task, method and bag.
    about
        What the results do not tell: ``corpus``, ``documents``, ``features``, ``unit``.
    """
    rows = with_errors(results)
    about = about or {}
    corpus = str(about.get("corpus", ""))
    frame = characteristics(rows, about)
    if (values := published_characteristics(corpus)) is not None:
        frame = frame.with_columns(published=pl.Series(values))
    tables = [Table("corpus", "The corpus", "", frame)]
    for make, title, note, spec in _KINDS:
        frame, name = make(rows), make.__name__
        if frame.is_empty():
            continue
        theirs = published(name, corpus)
        if theirs is not None:
            note = f"{note} Published: {SOURCE}{_LOGISTIC if 'PCC' in theirs['method'] else ''}."
            frame = beside(frame, theirs)
            if not isinstance(spec, str):
                spec = spec | {
                    f"{column}_published": kind for column, kind in spec.items() if column
                }
        tables.append(Table(name, title, note, frame, spec))
    return tables


def beside(ours: pl.DataFrame, theirs: pl.DataFrame) -> pl.DataFrame:
    """Our table with the published columns after it, by method; methods they alone have come last.

    Parameters
    ----------
    ours
        One row per method; may have a column ``bold``.
    theirs
        The same, from :func:`quantext.published.published`.
    """
    columns = [name for name in theirs.columns if name not in ("method", "bold")]
    suffixed = theirs.select(
        "method",
        *(pl.col(name).alias(f"{name}_published") for name in columns),
        bold_published=pl.col("bold").list.eval(pl.element() + "_published"),
    )
    none = pl.lit([], dtype=pl.List(pl.String))
    if "bold" not in ours.columns:
        ours = ours.with_columns(bold=none)
    joined = ours.join(
        suffixed, on="method", how="full", coalesce=True, maintain_order="left_right"
    )
    bold = pl.concat_list(pl.col("bold", "bold_published").fill_null(none))
    return (
        joined.with_columns(new_bold=bold)
        .drop("bold", "bold_published")
        .rename({"new_bold": "bold"})
    )
