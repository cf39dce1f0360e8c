"""Recommendation: which method did best in an experiment, in a table and in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from quantext.experiments.results import (
    DRIFT_GROUPS,
    PREVALENCE_GROUPS,
    REFERENCE,
    SIGNIFICANCE,
    by_test_set,
    kld_against_rest,
    main_rows,
    paired_p_values,
    times,
)
from quantext.wording import listed

__all__ = ["Recommendation", "recommend", "tabulate"]

NEAR = 0.1  # what the error of a method that is as good may be higher by
CHEAPER = 0.5  # share of the cost that a method may have to be preferred for it
WORTH = 1.0  # seconds that are worth saving
STILL = 0.02  # mean difference from the training shares, where one may say that hardly any moved

_RARE = PREVALENCE_GROUPS[:2]  # below 5 %
_FAR = DRIFT_GROUPS[-1]

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Recommendation:
    """A method, and why this one.

    Parameters
    ----------
    method
        Its name; never the training prevalence, which is a yardstick.
    reasons
        Sentences.
    pays
        Whether it is better than to say each time what the training data said.
    """

    method: str
    reasons: tuple[str, ...]
    pays: bool


def tabulate(results: pl.DataFrame) -> pl.DataFrame:
    """How each method did, least mean KLD first.

    The columns are ``method``; its mean ``kld``; the ``p_value`` of a two-tailed paired t-test
    against the best method other than the training prevalence; ``absolute_error``, the mean
    difference from the true share; ``kld_far``, in the quarter of test sets with most drift;
    ``kld_rare``, for classes below 5% of the training documents, each against the rest (both null
    if there are none); ``seconds`` of processor time to train all classes, and ``n_train``, on how
    many documents.

    Parameters
    ----------
    results
        One row per task, method, bag and class.
    """
    rows = main_rows(results)
    rows = rows.with_columns(alone=kld_against_rest(rows))
    wide = by_test_set(rows, "kld")
    methods = wide.columns[2:]
    errors = wide.select(methods).to_numpy()
    ranked = [methods[i] for i in np.argsort(errors.mean(axis=0), kind="stable")]
    best = next((name for name in ranked if name != REFERENCE), ranked[0])
    p_values = paired_p_values(errors, methods.index(best))
    means = rows.group_by("method").agg(
        pl.col("kld").mean(),
        absolute_error=(pl.col("p_hat") - pl.col("p_true")).abs().mean(),
        kld_far=pl.col("kld").filter(pl.col("drift_group") == _FAR).mean(),
        kld_rare=pl.col("alone").filter(pl.col("prevalence_group").is_in(_RARE)).mean(),
        n_train=pl.col("n_train").first(),
    )
    table = pl.DataFrame({"method": methods, "p_value": p_values})
    for part in (means, times(rows).select("method", seconds="fit_total")):
        table = table.join(part, on="method")
    columns = ("method", "kld", "p_value", "absolute_error", "kld_far", "kld_rare")
    table = table.select(*columns, "seconds", "n_train")
    return table[[table["method"].to_list().index(name) for name in ranked]]


def recommend(table: pl.DataFrame) -> Recommendation:
    """The method with the least mean KLD, or one that is as good and costs half; and why.

    As good is a method whose mean KLD is higher by a tenth at most, and not significantly so. To
    find none significantly worse proves little where there are few test sets, hence the tenth.

    Parameters
    ----------
    table
        From `tabulate`; of one method at least, beside the training prevalence.
    """
    rows = {row["method"]: row for row in table.iter_rows(named=True)}
    reference = rows.pop(REFERENCE, None)
    best, *others = rows.values()
    cheaper = [row for row in others if _as_good(row, best) and _is_cheaper(row, best)]
    chosen = min(cheaper, key=lambda row: row["seconds"], default=best)
    pays = reference is None or not _as_good(reference, best)
    every = [*rows.values(), *([reference] if reference else [])]
    reasons = [
        _why(chosen, best, others),
        *_where(chosen, every),
        *_beside(chosen, reference, pays),
        f"Training it took {chosen['seconds']:.2f} s of processor time for {chosen['n_train']:,} "
        "documents.",
    ]
    return Recommendation(chosen["method"], tuple(reasons), pays)


def _as_good(row: Row, best: Row) -> bool:
    near = row["kld"] <= (1 + NEAR) * best["kld"] and not _surely_worse(row)
    return bool(row["kld"] <= best["kld"] or near)


def _surely_worse(row: Row) -> bool:
    """Whether it is significantly worse than the best; not if no test could tell."""
    return row["p_value"] is not None and bool(row["p_value"] < SIGNIFICANCE)


def _is_cheaper(row: Row, best: Row) -> bool:
    saved = best["seconds"] - row["seconds"]
    return bool(saved >= WORTH and row["seconds"] <= CHEAPER * best["seconds"])


def _why(chosen: Row, best: Row, others: Sequence[Row]) -> str:
    """The first reason, by errors and costs."""
    if chosen is not best:
        return (
            f"Its mean KLD is hardly higher than that of {best['method']}, the least, "
            f"and it trains in {chosen['seconds']:.2f} s instead of {best['seconds']:.2f} s."
        )
    if not others:
        return "It is the only method that was tried."
    close = [row["method"] for row in others if not _surely_worse(row)]
    doubt = "significantly less than that of each other method (paired t-test, p < .001)"
    if close:
        those = listed(close, "or", most=6)
        doubt = (
            f"though a paired t-test does not tell it from that of {those} (at the level of .001)"
        )
    ahead = ""
    if others[0]["kld"]:
        below = 1 - best["kld"] / others[0]["kld"]
        much = f"{below:.0%}" if below >= 0.005 else "hardly"
        ahead = f", {much} below that of {others[0]['method']}"
    least = f"Its mean KLD is the least of the methods that look at documents{ahead}"
    return f"{least}." if best["p_value"] is None else f"{least}, {doubt}."


def _where(chosen: Row, rows: Sequence[Row]) -> Iterator[str]:
    """How it does at high drift and on rare classes, beside the best there."""
    places = {
        "kld_far": "where shares moved most",
        "kld_rare": "on classes below 5% of the training documents",
    }
    parts = []
    for column, place in places.items():
        if chosen[column] is None or len(rows) <= 2:
            continue
        first = min(rows, key=lambda row: row[column])
        if chosen[column] == first[column]:
            parts.append(f"best {place}")
        else:
            here, there = (f"{1000 * row[column]:.2f}" for row in (chosen, first))
            parts.append(f"behind {first['method']} {place} ({here} against {there})")
    if parts:
        yield f"It is {', and '.join(parts)}."


def _beside(chosen: Row, reference: Row | None, pays: bool) -> Iterator[str]:
    """How it compares with saying each time what the training data said."""
    if reference is None:
        return
    here, there = (f"{1000 * row['kld']:.2f}" for row in (chosen, reference))
    points = f"{100 * reference['absolute_error']:.1f} points"
    if pays:
        yield f"The shares of training alone, without a model, err by {there}, against {here}."
    elif reference["absolute_error"] <= STILL:
        yield (
            f"But the shares of training alone do as well ({there} against {here}): shares moved "
            f"by {points} on average, and as long as they move so little you need no model."
        )
    else:
        yield (
            f"But the shares of training alone do as well ({there} against {here}), though shares "
            f"moved by {points} on average: here no method learned enough to follow them. Label "
            "more documents, or some of those that are new."
        )
