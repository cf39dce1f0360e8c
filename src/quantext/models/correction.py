"""Corrections: a model's labels for all documents, people's for a few; shares with intervals out.

The design says where the documents with a known truth are from, and so what can be said. A random
sample of the documents, "srs" or with probabilities: the sample is unbiased, and the model makes it
more precise. "elsewhere": the model's errors are learned there, and taken to be the same here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from quantext.models.found import SHARES, Found
from quantext.models.judged import Judged
from quantext.models.reasons import HANDFUL, about_drawing, about_labels, about_names
from quantext.models.sampled import Reading, from_sample, read_drawing
from quantext.quantifiers.intervals import check_level
from quantext.wording import counted

__all__ = ["COLUMNS", "Corrected", "Target", "correct_judged"]

Target = Literal["batch", "population"]

COLUMNS = ("batch", "class", "raw", "gold", "ppi", "misclassification", "share", "low", "high",
           "used", "weight", "correlation", "n_gold", "size")  # fmt: skip


@dataclass(frozen=True)
class Corrected:
    """Shares of each class in every bag, by each way to find them.

    Parameters
    ----------
    table
        A row for each bag and class: ``batch``, ``class``; shares as the model says them (``raw``),
        from documents with a known truth alone (``gold``), prediction-powered (``ppi``) and by
        ``misclassification``; the ``share`` to use, with its bounds ``low`` and ``high``; which of
        them was ``used``, the ``weight`` of the model's word (lambda), its ``correlation`` with the
        truth, ``n_gold`` and ``size``. Null where there is none.
    effective
        How many known truths alone would tell as much, for each row; null where it is not known.
    why
        For each row, why that way was used.
    notes
        What one should know, a sentence each.
    design, target, level
        As they were given; the design of probabilities is called so.
    """

    table: pl.DataFrame
    effective: pl.Series
    why: pl.Series
    notes: tuple[str, ...]
    design: str
    target: Target
    level: float


def correct_judged(
    judged: Judged,
    design: Any,
    *,
    level: float = 0.95,
    target: Target = "batch",
    strata: Any = None,
    clusters: Any = None,
    reading: Reading = "learned",
    seed: int = 0,
) -> Corrected:
    """Shares of each class in every bag, with intervals.

    Parameters
    ----------
    judged
        The documents.
    design, level, target, strata, clusters, reading, seed
        As in `quantext.correct`.
    """
    check_level(level)
    if target not in ("batch", "population"):
        raise ValueError(f"target is {target!r}; choose 'batch', these documents, or 'population'")
    if reading not in ("learned", "given"):
        raise ValueError(f"reading is {reading!r}; choose 'learned' or 'given'")
    name = _design_name(design)
    if (n := len(judged.known)) < HANDFUL:
        raise ValueError(
            f"the truth of {counted(n, 'document')} is known, and from fewer than {HANDFUL} "
            "nothing can be said; label 100 or more by hand (`quantext plan` chooses which)"
        )
    asked: dict[str, Any] = {"level": level, "population": target == "population", "seed": seed}
    if name == "elsewhere":
        if strata is not None or clusters is not None:
            raise ValueError("strata and clusters are of a sample of the batch, not of elsewhere")
        from quantext.models.elsewhere import from_elsewhere  # slow to load: it learns

        found = [from_elsewhere(judged, question, **asked) for question in judged.questions]
    else:
        chances = design if name == "probabilities" else None
        drawing = read_drawing(judged, chances, strata, clusters)
        asked["reading"] = reading
        found = [from_sample(judged, question, drawing, **asked) for question in judged.questions]
    frame = _frame(judged, found)
    # Said once of all labels: there may be hundreds.
    labels = about_labels(
        [name for part in found for name in part.as_good],
        [name for part in found for name in part.unseen],
        beside=len(judged.questions[0].asked) == 1,
    )
    notes = [*about_names(judged), *(note for part in found for note in part.notes), *labels]
    if name != "elsewhere":
        notes += about_drawing(judged, drawing.chances, simple=name == "srs" and strata is None)
    return Corrected(
        frame.select(COLUMNS),
        frame["effective"],
        frame["why"],
        tuple(dict.fromkeys(notes)),
        name,
        target,
        level,
    )


def _design_name(design: Any) -> str:
    if design is None or (isinstance(design, str) and design not in ("srs", "elsewhere")):
        unknown = "" if design is None else f"{design!r} is not a design: "
        raise ValueError(
            f"{unknown}say how the documents with a known truth were chosen. Were they drawn at "
            "random from these documents? Then the design is 'srs', or the probabilities with "
            "which they were drawn. If they are from another time or place, it is 'elsewhere'"
        )
    return design if isinstance(design, str) else "probabilities"


def _frame(judged: Judged, found: Sequence[Found]) -> pl.DataFrame:
    """A row for each bag and class."""
    rows = [
        {name: _known(values[b, j]) for name, values in part.numbers.items()}
        | {"batch": str(bag), "class": part.classes[j]}
        | {"used": part.used[b][j], "why": part.why[b][j]}
        | {"n_gold": int(part.n_gold[b]), "size": int(part.sizes[b])}
        for b, bag in enumerate(judged.bag_names)
        for part in found
        for j in range(len(part.classes))
    ]
    schema: dict[str, Any] = dict.fromkeys(("batch", "class", "used", "why"), pl.String)
    schema |= dict.fromkeys(SHARES, pl.Float64) | dict.fromkeys(("n_gold", "size"), pl.Int64)
    return pl.DataFrame(rows, schema=schema)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
