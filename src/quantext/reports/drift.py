"""Drift: how far each bag is from training, and what its estimates deserve, as a table."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from quantext.models.rules import LEVELS
from quantext.models.verdicts import HEADLINES
from quantext.reports.grid import Grid
from quantext.reports.page import column
from quantext.wording import counted

__all__ = ["drift_note", "drift_table"]


def drift_note(shown: Grid) -> str:
    """What drift is, in words.

    Parameters
    ----------
    shown
        The estimates.
    """
    if shown.single_label:
        what = (
            "How many of 100 documents would have to change class for the shares to be those of "
            "training"
        )
    else:
        what = "The largest move of a class from its training share, in percentage points"
    return (
        f"{what}. Drift alone is no reason to retrain: to follow it is what estimates are for. "
        "A reason is a sign that the documents of a class are not what they were. KLD: the "
        "Kullback-Leibler divergence of the estimated from the training shares"
        f"{'' if shown.single_label else ', mean over the classes'}."
    )


def drift_table(shown: Grid) -> dict[str, Any]:
    """A row per bag, the last one first: its verdict and why, its size, drift and signs.

    Parameters
    ----------
    shown
        The estimates.
    """
    drift, divergence = shown.drift(), shown.divergence()
    moves = shown.share - shown.p_train
    most = np.abs(moves).argmax(axis=1)
    width = shown.width()
    why = any(verdict.reasons for verdict in shown.verdicts)
    columns = [
        column("batch", numeric=False),
        column("verdict", numeric=False),
        *([column("why", numeric=False) | {"css": "wrap"}] if why else []),
        column("documents", numeric=True),
        *([column("drift", numeric=True)] if shown.single_label else []),
        column("largest move", numeric=True),
        column("of class", numeric=False) | {"css": "name"},
        column("KLD", numeric=True),
        *([] if shown.known is None else [column("known words", numeric=True)]),
        *([] if width is None else [column("interval width", numeric=True)]),
    ]

    def row(b: int) -> list[dict[str, Any]]:
        verdict = shown.verdicts[b]
        k = int(most[b])
        return [
            _cell(shown.bags[b]),
            _cell(HEADLINES[verdict.level], LEVELS.index(verdict.level), css=verdict.level),
            *([_cell(_brief(verdict.reasons))] if why else []),
            _cell(f"{shown.size[b]:,}", shown.size[b]),
            *([_cell(f"{100 * drift[b]:.1f}", drift[b])] if shown.single_label else []),
            _cell(f"{100 * moves[b, k]:+.1f}".replace("-", "−"), moves[b, k]),
            _cell(shown.classes[k]),
            _cell(f"{divergence[b]:.4f}", divergence[b]),
            *([] if shown.known is None else [_share_cell(shown.known[b])]),
            *([] if width is None else [_cell(f"{100 * width[b]:.1f}", width[b])]),
        ]

    places = range(len(shown.bags))
    return {
        "columns": columns,
        "rows": [row(b) for b in (reversed(places) if shown.in_time else places)],
    }


def _brief(reasons: Sequence[str]) -> str:
    """The first reason, and how many more there are: the batch itself has them all."""
    if len(reasons) < 2:
        return "".join(reasons)
    return f"{reasons[0]} And {counted(len(reasons) - 1, 'more reason')}."


def _share_cell(share: float) -> dict[str, Any]:
    return _cell("–") if np.isnan(share) else _cell(f"{share:.1%}", share)


def _cell(text: str, value: float | None = None, css: str = "") -> dict[str, Any]:
    """A cell for the page's macro."""
    number = None if value is None else float(f"{value:.4g}")
    return {"text": text, "bold": False, "value": number, "css": css}
