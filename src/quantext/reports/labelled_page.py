"""The page of a labelling by hand: the share of each class, with intervals."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from quantext.labelling.found import Shares
from quantext.reports.page import column, fact, render_page
from quantext.wording import counted, listed

__all__ = ["labelled_page", "summarise_labelled"]


def labelled_page(
    found: Shares, n_documents: int, level: float, facts: Mapping[str, str] | None = None
) -> str:
    """One self-contained HTML page: shares with intervals, as a chart and as a table.

    Parameters
    ----------
    found
        What is known of the shares, from at least one label.
    n_documents
        How many documents they are of.
    level
        Of the intervals.
    facts
        For the end of the page: names and texts.
    """
    summary = summarise_labelled(found, n_documents, level, facts)
    return render_page(
        "labelled.html", summary, ["page.js", "tables.js", "charts.js", "labelled.js"]
    )


def summarise_labelled(
    found: Shares, n_documents: int, level: float, facts: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """All that the page shows, as plain data.

    Parameters
    ----------
    found, n_documents, level, facts
        As in `labelled_page`.
    """
    if not found.n_labels:
        raise ValueError("no document is labelled yet, so nothing can be said of the shares")
    order = np.argsort(-found.share, kind="stable").tolist()
    k = order[0]
    numbers = {
        name: [round(1e6 * float(getattr(found, name)[i])) for i in order]
        for name in ("share", "low", "high")
    }
    return {
        "title": "Share of each class, labelled by hand",
        "headline": (
            f"“{found.names[k]}” is the most frequent: {_percent(found.share[k])} of "
            f"{n_documents:,} documents, or from {_percent(found.low[k])} to "
            f"{_percent(found.high[k])}"
        ),
        "lead": (
            f"{counted(len(found.names), 'class', 'classes')} in {n_documents:,} documents, of "
            f"which {found.n_labels:,} were labelled by hand."
        ),
        "warnings": [*_warnings(found), *found.notes],
        "table": {
            "columns": [
                column("class", numeric=False),
                *(column(name, numeric=True) for name in ("share", "low", "high", "labelled")),
            ],
            "rows": [_row(found, i) for i in order],
        },
        "facts": [
            fact(label, text)
            for label, text in {
                **(facts or {}),
                "Labelled": f"{found.n_labels:,}",
                "Could not be labelled": f"{found.n_skipped:,}",
                "Level of the intervals": f"{100 * level:.4g}%",
                "Version": f"quantext {version('quantext')}",
            }.items()
        ],
        "foot": (
            f"Of {100 * level:.4g}% intervals about {100 * level:.4g} in 100 should hold the share "
            "that labelling all documents would give."
        ),
        "data": numbers | {"classes": [found.names[i] for i in order], "level": level},
    }


def _warnings(found: Shares) -> list[str]:
    """What one should know before using the shares."""
    wide = float(found.half_width.max())
    warnings = []
    if wide > found.target:
        warnings.append(
            f"The widest interval is ±{100 * wide:.1f} points, more than the "
            f"±{100 * found.target:.4g} that were asked for: labelling ended before."
        )
    if found.lacking:
        names = listed((f"“{name}”" for name in found.lacking), most=5)
        warnings.append(f"Fewer than 10 labelled documents are of {names}.")
    return warnings


def _row(found: Shares, k: int) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = [{"text": found.names[k], "value": None, "bold": False}]
    for name in ("share", "low", "high"):
        value = float(getattr(found, name)[k])
        cells.append({"text": f"{100 * value:.1f}", "value": value, "bold": name == "share"})
    count = int(found.counts[k])
    return [*cells, {"text": f"{count:,}", "value": count, "bold": False}]


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
