"""Catalogue: every table of a report, with its caption and the published one beside it."""

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from quantext.experiments.results import asks_for_all, times, with_errors
from quantext.reports.classification import f1, fp_fn, rates
from quantext.reports.errors import errors, official_measure
from quantext.reports.published import SOURCE, published, published_characteristics
from quantext.reports.tables import (
    all_at_once,
    characteristics,
    coverage,
    kld_by_drift,
    kld_by_prevalence,
    kld_variance_by_drift,
    kld_variance_by_prevalence,
    rae_by_drift,
    significance,
)
from quantext.reports.typeset import Table

__all__ = ["all_tables", "beside"]

_BY_PREVALENCE = (
    "Classes by training prevalence: VLP < .01 ≤ LP < .05 ≤ HP < .10 ≤ VHP. Lower is better."
)
_BY_DRIFT = (
    "Test sets by quartile of drift, KLD(true, training prevalence), from very low (VLD) to very "
    "high (VHD). Lower is better."
)
_BOLD = " Bold: best, and better than each other method in a two-tailed paired t-test at p < .001."
_SHARED = " Bags share documents, so p-values hold for these documents alone."
_LOGISTIC = ", whose PCC and PACC are best compared with the logistic variants"
_LEAST = " Bold: least."
_ERRORS = (
    "Means over the test sets, and their standard deviations, by which LeQua (relative absolute "
    "error) and SemEval (KLD) rank: of all classes at once, if they were asked for at once. AE and "
    "RAE are means over the classes, too. Where classes are in order, NMD is the normalised match "
    "distance, the earth mover's over the number of steps, and macro NMD its mean over the bags "
    "whose own mean lies between the same two classes, then over these. Best first by"
)
_KINDS: tuple[
    tuple[Callable[[pl.DataFrame], pl.DataFrame], str, str, str | dict[str, str]], ...
] = (
    (
        all_at_once,
        "All classes at once",
        "What quantext train fits where a document has one class: one model of all classes, whose "
        "shares sum to 1. Mean KLD over all classes, by quartile of the bags' drift and over all; "
        "mean absolute error of a share; of intervals, if there are any, how many hold the true "
        "share, and their mean width. Lower is better." + _BOLD,
        {"": ".2e", "absolute_error": ".4f", "coverage": ".3f"},
    ),
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
        "Seconds. Fit: mean for one task (a class, or all classes at once), the method run alone; "
        "shared: the part of it that methods share; total: over all tasks. Predict: mean for one "
        "task and bag.",
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


# Of a joint task alone, one table says what these say.
_IN_ALL_AT_ONCE = (kld_by_drift, coverage)


def all_tables(results: pl.DataFrame, about: Mapping[str, Any] | None = None) -> list[Table]:
    """Every table of a run, the published figures beside ours where the corpus has some.

    Parameters
    ----------
    results
        One row per task, method, bag and class.
    about
        What the results do not tell: ``corpus``, ``documents``, ``features``, ``unit``; and
        ``bags_share_documents``, whether they do.
    """
    rows = with_errors(results)
    about = about or {}
    corpus = str(about.get("corpus", ""))
    frame = characteristics(rows, about)
    if (values := published_characteristics(corpus)) is not None:
        frame = frame.with_columns(published=pl.Series(values))
    rank_by = official_measure(corpus)
    shared = _SHARED if about.get("bags_share_documents") else ""
    tables = [
        Table("corpus", "The corpus", "", frame),
        Table(
            "errors",
            "Errors by the measures of the field",
            f"{_ERRORS} {rank_by.upper().replace('_', ' ')}.{_BOLD}{shared}",
            errors(rows, rank_by),
            {"": ".4f", "kld": ".2e", "kld_sd": ".2e"},
        ),
    ]
    for make, title, note, spec in _KINDS:
        if asks_for_all(rows) and make in _IN_ALL_AT_ONCE:
            continue
        frame, name = make(rows), make.__name__
        if frame.is_empty():
            continue
        if make is significance or _BOLD in note:
            note += shared
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
        The same, from `published`.
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
