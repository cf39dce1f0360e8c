"""Tables: views of the results, one function each, and how they are written.

Each function takes the long table of results, one row per task, method and bag, and gives a polars
frame. A column ``bold`` lists, for each row, the columns whose value is marked: the best one, where
it is significantly so.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext._typeset import Table, cells, to_csv, to_latex, to_markdown, write_tables
from quantext.classification import f1, fp_fn, rates
from quantext.errors import (
    COLUMNS,
    DRIFT_GROUPS,
    PREVALENCE_GROUPS,
    REFERENCE,
    SIGNIFICANCE,
    by_test_set,
    featured_methods,
    kld_along_drift,
    kld_by_period,
    paired_p_values,
    ranked_methods,
    with_errors,
)
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


# The paper's tables ------------------------------------------------------------------------------


def kld_by_prevalence(results: pl.DataFrame) -> pl.DataFrame:
    """Mean KLD of each method by training prevalence, best method first."""
    return _means(results, "kld", "prevalence_group")


def kld_variance_by_prevalence(results: pl.DataFrame) -> pl.DataFrame:
    """Variance of KLD (ddof 1) of each method by training prevalence, steadiest method first."""
    return _variances(results, "kld", "prevalence_group")


def kld_by_drift(results: pl.DataFrame) -> pl.DataFrame:
    """Mean KLD of each method by quartile of drift, best method first."""
    return _means(results, "kld", "drift_group")


def kld_variance_by_drift(results: pl.DataFrame) -> pl.DataFrame:
    """Variance of KLD (ddof 1) of each method by quartile of drift, steadiest method first."""
    return _variances(results, "kld", "drift_group")


def rae_by_drift(results: pl.DataFrame) -> pl.DataFrame:
    """Mean relative absolute error (positive class) by quartile of drift, best method first."""
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
    wide = by_test_set(results, measure, group)
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
    """A row per class: prevalences, drift, and the mean KLD of each method, best method first."""
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
