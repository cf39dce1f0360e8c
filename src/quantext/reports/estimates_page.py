"""The page of estimates: an answer, a chart, what it deserves, and all that is behind it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.models.changes import Change
from quantext.models.keys import distinct_names
from quantext.models.rules import CARE, DISTRUST, FINE, LEVELS
from quantext.models.shares import COLUMNS
from quantext.models.verdicts import HEADLINES
from quantext.reports.answer import answer
from quantext.reports.estimates_findings import estimates_findings
from quantext.reports.grid import Grid, grid
from quantext.reports.isolating import isolated
from quantext.reports.page import fact, render_page
from quantext.reports.quotes import summarise_quotes
from quantext.reports.retraining import advice, fitting_rules, silent_rules
from quantext.wording import counted

__all__ = ["estimates_page", "summarise_estimates"]

Array = NDArray[np.float64]

# Estimates and bags that the page holds, so that it stays at some megabytes.
MOST_ESTIMATES = 500_000
MOST_BAGS = 20_000

SCRIPTS = ("page.js", "tables.js", "charts.js", "estimates.js", "batch.js", "estimates_tables.js")

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
    """One self-contained HTML page: answer, chart, verdicts, single bags, drift, and a table.

    Parameters
    ----------
    estimates
        A row per bag and class, bags in order: ``batch`` (dates or names), ``class``,
        ``share``, ``count``, ``size`` (documents in the bag), ``p_train``; ``low`` and ``high``
        if there are intervals; ``true_share`` where the truth is known.
    about
        What the estimates do not tell, as far as it is known: ``title``, ``kind`` (binary,
        multiclass or multilabel), ``in_time`` (whether bags follow each other; if it is not
        given, that is seen from their names), ``period`` (what a date is the first day of: day,
        week, month or year), ``keys`` (if bags are made by several columns, the values of each
        by its name, in the order of the bags), ``level`` of the intervals, ``known_share`` (share
        of known words by bag) and ``known_share_train`` (what is usual), ``verdicts`` and
        ``changes`` by bag, as `Estimates` has them (without verdicts, the rules that need nothing
        but the table judge), ``weights`` (total weight by bag, if documents have weights),
        ``quotes`` (also as there), ``warnings`` (a list), and for the end
        of the page ``model``, ``method``, ``n_train``, ``train_files``, ``data``, ``truth``,
        ``versions``, ``notes``.
    """
    summary = summarise_estimates(estimates, about)
    quotes = ["quotes.js"] if summary["quotes"] else []
    return render_page("estimates.html", summary, [*SCRIPTS, *quotes])


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
    found = grid(estimates, facts)  # sentences are about all that was estimated
    n_bags, room = len(found.bags), most_estimates // len(found.classes)
    room = max(1, min(room, MOST_BAGS))
    shown = found.last(room)
    if n_bags > room:
        warnings.append(
            f"To keep the page small it has the last {room:,} of {n_bags:,} batches only; what is "
            "said of all is of them all."
        )
    level, headline, text = advice(found)
    said, all_the_same = answer(found)
    rules, silent = fitting_rules(shown), silent_rules(shown)
    quotes = summarise_quotes(facts.get("quotes"), estimates, len(shown.bags))
    return {
        "title": str(facts.get("title") or "Share of each class"),
        "answer": said,
        "all_the_same": all_the_same,
        "lead": _lead(found, facts),
        "warnings": warnings,
        "advice": {"headline": headline, "text": text, "css": level},
        "doubt": _doubt(found),
        "findings": estimates_findings(found),
        "trends": len(shown.bags) > 1,
        "words": any(change is not None for change in shown.changes),
        "drift_note": _drift_note(shown),
        "rules": [{"name": r.name, "text": r.text, "judged": r.name not in silent} for r in rules],
        "facts": [
            fact(label, _said(key, value))
            for key, label in _LABELS.items()
            if (value := facts.get(key)) not in (None, [], {}, "")
        ],
        "data": {**_data(shown), "quotes": quotes},
        "quotes": quotes,
    }


def _doubt(shown: Grid) -> dict[str, str] | None:
    """What the bags of the answer deserve, unless all of them are fine."""
    if shown.in_time or len(shown.bags) == 1:
        level = shown.verdicts[-1].level
        return None if level == FINE else {"css": level, "headline": HEADLINES[level]}
    number = Counter(verdict.level for verdict in shown.verdicts)
    of = f"of {len(shown.bags):,} batches"
    if number[DISTRUST]:
        return {"css": DISTRUST, "headline": f"Do not trust {number[DISTRUST]:,} {of}"}
    if number[CARE]:
        return {"css": CARE, "headline": f"Read {number[CARE]:,} {of} with care"}
    return None


def _lead(shown: Grid, about: Mapping[str, Any]) -> str:
    """What was estimated, in a line."""
    n_bags, n_classes = len(shown.bags), len(shown.classes)
    documents = counted(int(shown.size.sum()), "document")
    bags = f" in {n_bags:,} batches" if n_bags > 1 else ""
    first, last = isolated(shown.bags[0]), isolated(shown.bags[-1])
    span = f", {first} to {last}" if bags and shown.in_time else ""
    method = str(about.get("method") or "")
    by = f", estimated by {method}" if 0 < len(method) <= _LONG else ", estimated"
    n_train = about.get("n_train")
    trained = f" from {n_train:,} training documents" if n_train else ""
    return f"{counted(n_classes, 'class', 'classes')} in {documents}{bags}{span}{by}{trained}."


def _drift_note(shown: Grid) -> str:
    """What drift is, in words."""
    what = (
        "How many of 100 documents would have to change class for the shares to be those of "
        "training"
        if shown.single_label
        else "The largest move of a class from its training share, in percentage points"
    )
    return (
        f"{what}. Drift alone is no reason to retrain: to follow it is what estimates are for. "
        "A reason is a sign that the documents of a class are not what they were."
    )


def _said(key: str, value: Any) -> Any:
    """A fact as people say it."""
    if key in ("level", "known_share_train"):
        return f"{100 * value:.4g}%"
    return _KINDS.get(value, value) if key == "kind" else value


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
        # What tables of numbers call them, if it is not the same.
        "ids": None if shown.ids == shown.bags else shown.ids,
        "times": shown.times,
        "keys": [
            {**asdict(key), "column": column}
            for key, column in zip(
                shown.keys,
                distinct_names([key.name for key in shown.keys], COLUMNS, "by"),
                strict=True,
            )
        ],
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
        "single_label": shown.single_label,
        "drift": millionths(shown.drift()),
        "known": millionths(shown.known),
        "width": millionths(shown.width()),
        "levels": list(LEVELS),
        "headlines": [HEADLINES[level] for level in LEVELS],
        "verdicts": [LEVELS.index(verdict.level) for verdict in shown.verdicts],
        "reasons": [list(verdict.reasons) for verdict in shown.verdicts],
        "words": [_words(change) for change in shown.changes],
    }


def _words(change: Change | None) -> list[Any] | None:
    """Words that have changed, with their shares of documents in the bag and in training."""
    if change is None:
        return None
    return [[word.word, round(word.share, 4), round(word.train, 4)] for word in change.words]
