"""The page of estimates: shares by bag with their intervals, drift, and advice on retraining."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.models.changes import Change
from quantext.models.rules import LEVELS, WIDE
from quantext.models.verdicts import HEADLINES
from quantext.reports.drift import drift_note, drift_table
from quantext.reports.grid import Grid, grid
from quantext.reports.page import fact, render_page
from quantext.reports.quotes import summarise_quotes
from quantext.reports.retraining import advice, fitting_rules, silent_rules
from quantext.wording import counted, listed

__all__ = ["estimates_page", "summarise_estimates"]

Array = NDArray[np.float64]

# Estimates and bags that the page holds, so that it stays at a few megabytes.
MOST_ESTIMATES = 200_000
MOST_BAGS = 2_000

_LONG = 30  # a method's description, and not its name

_KINDS = {
    "binary": "one of two classes",
    "multiclass": "one class a document",
    "multilabel": "any number of classes a document",
}
_LABELS = {
    "model": "Model",
    "method": "Method",
    "kind": "Labels",
    "n_train": "Training documents",
    "train_files": "Training files",
    "level": "Level of the intervals",
    "known_share_train": "Known words, usually",
    "proxies": "Reads, in place of texts",
    "data": "Data",
    "truth": "Truth",
    "versions": "Versions",
    "notes": "Notes",
}


def estimates_page(estimates: pl.DataFrame, about: Mapping[str, Any] | None = None) -> str:
    """One self-contained HTML page: trends, single bags, drift, advice, and a table.

    Parameters
    ----------
    estimates
        A row per bag and class, bags in order: ``batch`` (dates or names), ``class``,
        ``share``, ``count``, ``size`` (documents in the bag), ``p_train``; ``low`` and ``high``
        if there are intervals; ``true_share`` where the truth is known.
    about
        What the estimates do not tell, as far as it is known: ``title``, ``kind`` (binary,
        multiclass or multilabel), ``in_time`` (whether bags follow each other; if it is not
        given, that is seen from their names), ``level`` of the intervals, ``known_share`` (share
        of known words by bag) and ``known_share_train`` (what is usual), ``verdicts`` and
        ``changes`` by bag, as `Estimates` has them (without verdicts, the rules that need nothing
        but the table judge), ``quotes`` (also as there), ``warnings`` (a list), and for the end
        of the page ``model``, ``method``, ``n_train``, ``train_files``, ``data``, ``truth``,
        ``versions``, ``notes``.
    """
    summary = summarise_estimates(estimates, about)
    quotes = ["quotes.js"] if summary["quotes"] else []
    return render_page("estimates.html", summary, ["page.js", *quotes, "estimates.js"])


def summarise_estimates(
    estimates: pl.DataFrame,
    about: Mapping[str, Any] | None = None,
    *,
    most_estimates: int = MOST_ESTIMATES,
) -> dict[str, Any]:
    """All that the page of estimates shows, as plain data.

    Parameters
    ----------
    estimates, about
        As in `estimates_page`.
    most_estimates
        Of more, the last bags are shown.
    """
    facts = dict(about or {})
    warnings = [str(text) for text in facts.get("warnings") or []]
    shown = grid(estimates, facts)
    n_bags, room = len(shown.bags), most_estimates // len(shown.classes)
    room = max(1, min(room, MOST_BAGS))
    if n_bags > room:
        shown = shown.last(room)
        warnings.append(
            f"To keep the page small it has the last {room:,} of {n_bags:,} batches only."
        )
    level, headline, text = advice(shown)
    rules, silent = fitting_rules(shown), silent_rules(shown)
    quotes = summarise_quotes(facts.get("quotes"), estimates, len(shown.bags))
    return {
        "title": str(facts.get("title") or "Share of each class"),
        "lead": _lead(shown, facts),
        "warnings": warnings,
        "advice": {"headline": headline, "text": text, "css": level},
        "findings": [
            {"headline": headline, "text": text}
            for maker in (_largest(shown), _moved(shown), _uncertain(shown), _accuracy(shown))
            for headline, text in maker
        ],
        "trends": len(shown.bags) > 1,
        "drift": drift_table(shown),
        "drift_note": drift_note(shown),
        "rules": [{"name": r.name, "text": r.text, "judged": r.name not in silent} for r in rules],
        "facts": [
            fact(label, _said(key, value))
            for key, label in _LABELS.items()
            if (value := facts.get(key)) not in (None, [], {}, "")
        ],
        "data": {**_data(shown), "quotes": quotes},
        "quotes": quotes,
    }


def _lead(shown: Grid, about: Mapping[str, Any]) -> str:
    """What was estimated, in a line."""
    n_bags, n_classes = len(shown.bags), len(shown.classes)
    documents = counted(int(shown.size.sum()), "document")
    bags = f" in {n_bags:,} batches" if n_bags > 1 else ""
    span = f", {shown.bags[0]} to {shown.bags[-1]}" if bags and shown.in_time else ""
    method = str(about.get("method") or "")
    by = f", estimated by {method}" if 0 < len(method) <= _LONG else ", estimated"
    n_train = about.get("n_train")
    trained = f" from {n_train:,} training documents" if n_train else ""
    return f"{counted(n_classes, 'class', 'classes')} in {documents}{bags}{span}{by}{trained}."


def _said(key: str, value: Any) -> Any:
    """A fact as people say it."""
    if key in ("level", "known_share_train"):
        return f"{100 * value:.4g}%"
    return _KINDS.get(value, value) if key == "kind" else value


def _largest(shown: Grid) -> Iterator[tuple[str, str]]:
    """What the last bag is about."""
    bag, share, count = _now(shown)
    order = np.argsort(-share, kind="stable")
    first = order[0]
    text = f"About {count[first]:,.0f} of {_size(shown):,} documents{_interval(shown, first)}."
    others = [f"“{shown.classes[k]}” {_percent(share[k])}" for k in order[1:4] if share[k] > 0]
    more = f" Then {listed(others)}." if others else ""
    where = f" in {bag}" if len(shown.bags) > 1 else ""
    yield f"“{shown.classes[first]}” leads{where} with {_percent(share[first])}", text + more


def _moved(shown: Grid) -> Iterator[tuple[str, str]]:
    """Which classes have moved from training, and whether beyond doubt."""
    _, share, _ = _now(shown)
    moves = share - shown.p_train
    parts = [
        f"“{shown.classes[k]}” has {word} most, from {_percent(shown.p_train[k])} to "
        f"{_percent(share[k])} ({_points(moves[k])})"
        for k, word, sign in ((moves.argmax(), "risen", 1), (moves.argmin(), "fallen", -1))
        if sign * moves[k] > 0
    ]
    if not parts:
        return
    headline, text = "Against training", f"{'; '.join(parts)}."
    if shown.low is not None and shown.high is not None and shown.in_time:
        outside = (shown.p_train < shown.low[-1]) | (shown.p_train > shown.high[-1])
        n, n_classes = int(outside.sum()), len(shown.classes)
        have = "has" if n == 1 else "have"
        headline = f"{n or 'None'} of {n_classes} classes {have} clearly changed since training"
        text += (
            " Clearly: the interval leaves the training share outside. By chance alone it would "
            f"for about {(1 - shown.level) * n_classes:.1g}."
        )
    yield headline, text


def _now(shown: Grid) -> tuple[str, Array, Array]:
    """Name, shares and counts of the last bag, or of all together if they are not in time."""
    if shown.in_time:
        return shown.bags[-1], shown.share[-1], shown.count[-1]
    return (
        "all batches together",
        np.average(shown.share, axis=0, weights=shown.size),
        shown.count.sum(0),
    )


def _size(shown: Grid) -> int:
    """Number of documents of the same."""
    return int(shown.size[-1] if shown.in_time else shown.size.sum())


def _uncertain(shown: Grid) -> Iterator[tuple[str, str]]:
    """Classes of which little can be said, which a bag's mean width hides."""
    if shown.low is None or shown.high is None or not shown.in_time:
        return
    width = shown.high[-1] - shown.low[-1]
    wide = [int(k) for k in np.argsort(-width, kind="stable") if width[k] >= WIDE]
    if not wide:
        return
    named = [
        f"“{shown.classes[k]}” {_percent(shown.low[-1, k])} to {_percent(shown.high[-1, k])}"
        for k in wide
    ]
    are = "is" if len(wide) == 1 else "are"
    where = f" in {shown.bags[-1]}" if len(shown.bags) > 1 else ""
    yield (
        f"{len(wide)} of {len(shown.classes)} classes {are} hardly known",
        f"Intervals{where} of {100 * WIDE:.0f} points or more: {listed(named, most=3)}. "
        "More training documents of such a class, or "
        "larger batches, make them narrower.",
    )


def _accuracy(shown: Grid) -> Iterator[tuple[str, str]]:
    """How good the estimates are, where the truth is known."""
    if shown.true_share is None:
        return
    error = float(np.nanmean(np.abs(shown.share - shown.true_share)))
    reference = float(np.nanmean(np.abs(shown.p_train - shown.true_share)))
    text = (
        "Mean absolute error over all batches and classes, the truth being known here. The "
        f"training shares would be off by {100 * reference:.2g} points."
    )
    if (found := shown.missed()) is not None:
        text += (
            f" Of the intervals, {1 - found[1].mean():.1%} hold the truth; their level is "
            f"{shown.level:.0%}."
        )
    yield f"Estimates are off by {100 * error:.2g} points on average", text


def _data(shown: Grid) -> dict[str, Any]:
    """What the script draws: a list per class, shares in millionths, −1 where there is none."""

    def millionths(values: Array | None) -> Any:
        if values is None:
            return None
        return np.nan_to_num(np.rint(1e6 * values.T), nan=-1).astype(np.int64).tolist()

    whole = bool((shown.count == np.rint(shown.count)).all())
    count = np.rint(shown.count).astype(np.int64) if whole else shown.count.round(1)
    return {
        "batches": shown.bags,
        "classes": shown.classes,
        "size": shown.size.tolist(),
        "train": millionths(shown.p_train),
        "share": millionths(shown.share),
        "low": millionths(shown.low),
        "high": millionths(shown.high),
        "truth": millionths(shown.true_share),
        "count": count.T.tolist(),
        "level": shown.level,
        "in_time": shown.in_time,
        "drift": shown.drift().round(4).tolist(),
        "levels": list(LEVELS),
        "headlines": [HEADLINES[level] for level in LEVELS],
        "verdicts": [LEVELS.index(verdict.level) for verdict in shown.verdicts],
        "reasons": [list(verdict.reasons) for verdict in shown.verdicts],
        "words": [_words(change) for change in shown.changes],
    }


def _words(change: Change | None) -> list[Any]:
    """Words that have changed, with their shares of documents in the bag and in training."""
    words = () if change is None else change.words
    return [[word.word, round(word.share, 4), round(word.train, 4)] for word in words]


def _interval(shown: Grid, k: int) -> str:
    """The interval of a class in the last bag, to follow its count."""
    if shown.low is None or shown.high is None or not shown.in_time:
        return ""
    low, high = _percent(shown.low[-1, k]), _percent(shown.high[-1, k])
    return f"; {100 * shown.level:.4g}% interval {low} to {high}"


def _percent(share: float) -> str:
    """A share as people say it."""
    return f"{share:.1%}" if share >= 0.01 or share == 0 else f"{share:.2%}"


def _points(move: float) -> str:
    return f"{100 * move:+.1f} points".replace("-", "−")
