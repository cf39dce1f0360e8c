"""Findings: what the results say, in words, each sentence computed from them."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from quantext.experiments.results import (
    DRIFT_GROUPS,
    OURS,
    PREVALENCE_GROUPS,
    REFERENCE,
    SIGNIFICANCE,
    asks_for_all,
    joint_rows,
    main_rows,
    ranked_methods,
    times,
)
from quantext.reports.classification import fp_fn
from quantext.reports.published import SOURCE, published
from quantext.reports.tables import (
    coverage,
    kld_by_drift,
    kld_by_prevalence,
    kld_variance_by_drift,
    significance,
)
from quantext.wording import counted, listed

__all__ = ["findings"]

_NEAR = 0.03  # what intervals may fall short of their level by and still be said to cover
_GROUPS = {
    "VLP": "very low prevalence",
    "LP": "low prevalence",
    "HP": "high prevalence",
    "VHP": "very high prevalence",
    "VLD": "very low drift",
    "LD": "low drift",
    "HD": "high drift",
    "VHD": "very high drift",
}

Finding = dict[str, str]


def findings(results: pl.DataFrame, about: Mapping[str, Any]) -> list[Finding]:
    """Main findings of a run, the most important first: headline and text of each.

    Parameters
    ----------
    results
        One row per task, method, bag and class.
    about
        What the results do not tell: ``corpus``, the ``level`` of the intervals, and
        ``bags_share_documents``, whether they do.
    """
    rows = main_rows(results)
    makers = (
        _best(rows, shared=bool(about.get("bags_share_documents"))),
        _all_at_once(rows, joint_rows(results)),
        *(_ours(rows, method) for method in OURS),
        _reference(rows),
        _steadiest(rows),
        _balance(rows),
        _intervals(rows, float(about.get("level") or 0.95)),
        _speed(rows),
        _published(rows, str(about.get("corpus", ""))),
    )
    return [{"headline": headline, "text": text} for maker in makers for headline, text in maker]


def _best(rows: pl.DataFrame, *, shared: bool) -> Iterator[tuple[str, str]]:
    """Who is best over all, by how much, and is it significant."""
    table = significance(rows)
    names, means, p_values = (table[c].to_list() for c in ("method", "kld", "p_value"))
    n = f"{max(table['test_sets'].to_list()):,} test sets"
    if len(names) == 1:
        yield f"{names[0]} was run alone", f"Its mean KLD over {n} is {means[0]:.2e}."
        return
    close = [m for m, p in zip(names[1:], p_values[1:], strict=True) if p >= SIGNIFICANCE]
    margin = f"{1 - means[0] / means[1]:.0%} below" if means[1] > 0 else "the same as"
    text = (
        f"Its mean KLD over {n} is {means[0]:.2e}, {margin} the {means[1]:.2e} of {names[1]}, "
        "the next best. "
    )
    if shared:
        text += "No p-value is given: bags share documents, so they are no independent tests."
    elif not close:
        text += "It is better than each other method in a paired t-test at p < .001."
    else:
        text += (
            "The difference is not significant at p < .001 (paired t-test) against "
            f"{listed(close)}; it is against {counted(len(names) - 1 - len(close), 'other')}."
        )
    yield f"{names[0]} is the most accurate of {len(names)} methods", text


def _all_at_once(rows: pl.DataFrame, joint: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Who is best at all classes at once, where the other findings are of one against the rest."""
    if joint.is_empty() or asks_for_all(rows):
        return
    table = significance(joint)
    best, mean = table.select("method", "kld").row(0)
    text = (
        f"Its mean KLD over all {joint['class'].n_unique():,} classes of a bag is {mean:.2e} "
        f"({counted(max(table['test_sets'].to_list()), 'bag')})"
    )
    if table.height > 1:
        text += f"; that of {table['method'][1]}, the next best, is {table['kld'][1]:.2e}"
    yield (
        f"All classes at once: {best} is the most accurate",
        f"{text}. That is what quantext train fits. The other findings are of each class against "
        "the rest, whose KLD is smaller.",
    )


def _ours(rows: pl.DataFrame, ours: str) -> Iterator[tuple[str, str]]:
    """Where a method of ours wins and where it loses, by group."""
    ranked = ranked_methods(rows)
    if ours not in ranked or len(ranked) == 1:
        return
    place = ranked.index(ours) + 1
    sentences = []
    wins = losses = 0
    for table, labels, what in (
        (kld_by_prevalence(rows), PREVALENCE_GROUPS, "training prevalence"),
        (kld_by_drift(rows), DRIFT_GROUPS, "drift"),
    ):
        if table.is_empty():
            continue
        best = {label: _winner(table, label) for label in labels if table[label].null_count() == 0}
        won = [_GROUPS[label] for label, method in best.items() if method == ours]
        lost = [f"{_GROUPS[k]} ({m})" for k, m in best.items() if m != ours]
        wins, losses = wins + len(won), losses + len(lost)
        parts = [f"best at {listed(won)}"] if won else []
        parts += [f"beaten at {listed(lost)}"] if lost else []
        if parts:
            sentences.append(f"By {what} it is {', '.join(parts)}.")
    where = "wins in every group" if not losses else "wins in no group"
    if wins and losses:
        where = f"wins in {wins} of {wins + losses} groups"
    means = kld_by_drift(rows)
    mean = _value(means, ours, "All")
    if place > 1:
        best_mean = _value(means, ranked[0], "All")
        ratio = f", {mean / best_mean:.1f} times that of {ranked[0]}" if best_mean > 0 else ""
        sentences.append(f"Over all it is number {place} of {len(ranked)}: {mean:.2e}{ratio}.")
    yield f"{ours} {where}", " ".join(sentences)


def _reference(rows: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """What is had for nothing, by saying that nothing changed."""
    ranked = ranked_methods(rows)
    if REFERENCE not in ranked or len(ranked) == 1:
        return
    table = kld_by_drift(rows)
    score, place = _value(table, REFERENCE, "All"), ranked.index(REFERENCE) + 1
    worse = [method for method in ranked[place:] if method != REFERENCE]
    text = f"It costs nothing, scores {score:.2e} and is number {place} of {len(ranked)}. "
    if worse:
        text += f"{listed(worse) if len(worse) <= 5 else f'{len(worse)} methods'} did worse. "
    won = [_GROUPS[label] for label in DRIFT_GROUPS if _winner(table, label) == REFERENCE]
    if won:
        text += f"It is best at {listed(won)}, where little changed. "
    other = next(method for method in ranked if method != REFERENCE)
    most, theirs = _value(table, REFERENCE, "VHD"), _value(table, other, "VHD")
    if theirs > 0 and not np.isnan(most):
        text += (
            f"At very high drift it scores {most:.2e}, {most / theirs:.1f} times the "
            f"{theirs:.2e} of {other}."
        )
    yield "The training prevalence, as if nothing had changed", text.strip()


def _steadiest(rows: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Whose error varies least."""
    table = kld_variance_by_drift(rows).drop_nulls("All")
    if table.height < 2:
        return
    (first, least), (second, next_least) = table.select("method", "All").rows()[:2]
    yield (
        f"{first} is the steadiest",
        f"The variance of its KLD over all test sets is {least:.2e}; {second} follows with "
        f"{next_least:.2e}.",
    )


def _balance(rows: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Whether classifiers find too few or too many."""
    ratios = {
        m: r for m, r in fp_fn(rows).select("method", "ratio_of_sums").rows() if r is not None
    }
    shown = [method for method in ("SVM(KLD)", "CC") if method in ratios]
    if not shown:
        return
    text = listed(f"{ratios[method]:.2f} for {method}" for method in shown)
    closest = min(ratios, key=lambda method: abs(ratios[method] - 1))
    more = f" Of all that classify, {closest} is closest to balance." if len(ratios) > 2 else ""
    yield (
        "False positives against false negatives",
        f"A count is right when both errors cancel. Their ratio is {text}; 1 is perfect balance, "
        f"below it too few are found.{more}",
    )


def _intervals(rows: pl.DataFrame, level: float) -> Iterator[tuple[str, str]]:
    """Whether intervals hold what they promise."""
    table = coverage(rows)
    if table.is_empty():
        return
    shares = dict(table.select("method", "All").rows())
    bar = level - _NEAR
    enough = [method for method, share in shares.items() if share >= bar]
    worst = min(shares, key=lambda method: shares[method])
    text = f"At a nominal {level:.0%}, no method's cover {bar:.0%} of the true prevalences."
    if enough:
        text = (
            f"At a nominal {level:.0%}, those of {listed(enough)} cover at least {bar:.0%} of the "
            f"true prevalences ({len(enough)} of {counted(len(shares), 'method')})."
        )
    if shares[worst] < bar:
        text += f" {worst} covers least: {shares[worst]:.1%}."
    drifting = dict(table.select("method", "VHD").drop_nulls().rows())
    if drifting:
        best = max(drifting, key=lambda method: drifting[method])
        text += f" At very high drift the best is {best} with {drifting[best]:.1%}."
    headline = "Intervals are too narrow"
    if enough:
        headline = "Intervals cover" + ("" if len(enough) == len(shares) else " for some methods")
    yield headline, text


def _speed(rows: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """What fitting costs."""
    seconds = {
        method: value
        for method, value in times(rows).select("method", "fit_seconds").rows()
        if value is not None and method != REFERENCE
    }
    ours = next((method for method in OURS if method in seconds), None)
    if ours is None or len(seconds) < 2:
        return
    known = [m for m in (*OURS, "CC", "ACC", "PACC") if m in seconds and m != ours]
    parts = [f"{m} {_seconds(seconds[m])}" for m in known]
    if asks_for_all(rows):
        others = f" Others, each run alone: {listed(parts)}." if parts else ""
        headline = f"{ours} is fitted in {_seconds(seconds[ours])}"
        yield headline, f"That is the time for all classes at once.{others}"
        return
    others = f" Others, each run alone: {listed(parts)} a class." if parts else ""
    yield (
        f"{ours} is fitted in {_seconds(seconds[ours])} a class",
        f"Over all classes that is {_seconds(seconds[ours] * rows['task'].n_unique())}.{others}",
    )


def _published(rows: pl.DataFrame, corpus: str) -> Iterator[tuple[str, str]]:
    """How the order of the methods compares with the published one."""
    theirs = published("kld_by_prevalence", corpus)
    if theirs is None:
        return
    ours = kld_by_prevalence(rows)
    both = ours.select("method", "All").join(
        theirs.select("method", published="All"), on="method", maintain_order="left"
    )
    if both.height < 3:
        return
    rho = both.select(pl.corr("All", "published", method="spearman")).item()
    pairs = [f"{m} {a:.2e} ({b:.2e})" for m, a, b in both.rows()[:4]]
    yield (
        "Beside the published results",
        f"Mean KLD here, and in {SOURCE} in brackets: {listed(pairs)}. Over the "
        f"{both.height} methods in both, Spearman's correlation of the two is {rho:.2f}.",
    )


def _winner(table: pl.DataFrame, label: str) -> str:
    """Method with the least value in a column."""
    return str(table.sort(label, nulls_last=True, maintain_order=True)["method"][0])


def _value(table: pl.DataFrame, method: str, label: str) -> float:
    """A value of the table, NaN where it is null."""
    value = table.filter(pl.col("method") == method)[label].item()
    return float("nan") if value is None else float(value)


def _seconds(value: float) -> str:
    """A time as people say it."""
    if value < 1:
        return f"{1000 * value:.3g} ms"
    return f"{value:.3g} s" if value < 120 else f"{value / 60:.3g} min"
