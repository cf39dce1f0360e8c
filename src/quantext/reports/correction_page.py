"""The page of a correction: corrected shares beside what the model says, all ways, and why."""

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

import numpy as np
import polars as pl

from quantext.models.correction import Corrected
from quantext.reports.batches import batch_times
from quantext.reports.correction_listing import (
    DESIGNS,
    WAYS,
    as_people_read,
    change_sentence,
    plain_sentence,
)
from quantext.reports.listing import points
from quantext.reports.page import column, fact, render_page
from quantext.texts.periods import in_time
from quantext.wording import counted

__all__ = ["correction_page", "summarise_correction"]

MOST_ROWS = 5_000  # of the table, so that the page opens at once

_HOLDS = {
    "srs": "So they are right on average, whatever the model does.",
    "probabilities": "Each stands for the more documents the less likely it was to be drawn. So "
    "they are right on average, whatever the model does.",
    "elsewhere": "So all rests on the model: that among documents of a class it errs here as it "
    "does there. A random sample of these documents would need no such belief.",
}
_SHARES = ("raw", "gold", "ppi", "misclassification", "share", "low", "high")
_HEADLINES = {
    "ppi": "The model's word makes the known truths more precise",
    "gold": "The known truths alone are used",
    "misclassification": "The model's errors are undone",
    "adaptive": "The model's scores are used",
}


def correction_page(
    corrected: Corrected,
    facts: Mapping[str, str] | None = None,
    *,
    period: str | None = None,
    together: Corrected | None = None,
) -> str:
    """One self-contained HTML page: what changed, charts, why, and shares by each way.

    Parameters
    ----------
    corrected
        What was found.
    facts
        For the end of the page: names and texts.
    period
        What dates that name batches are the first days of.
    together
        The same of all batches together, if there are several.
    """
    summary = summarise_correction(corrected, facts, period=period, together=together)
    scripts = ["page.js", "tables.js", "charts.js", "correction.js"]
    return render_page("correction.html", summary, scripts)


def summarise_correction(
    corrected: Corrected,
    facts: Mapping[str, str] | None = None,
    *,
    period: str | None = None,
    together: Corrected | None = None,
    most_rows: int = MOST_ROWS,
) -> dict[str, Any]:
    """All that the page shows, as plain data.

    Parameters
    ----------
    corrected, facts, period, together
        As in `correction_page`.
    most_rows
        Of more, the last batches are shown.
    """
    days = corrected.table["batch"].unique(maintain_order=True).to_list()
    corrected = as_people_read(corrected, period)
    table = corrected.table.with_columns(corrected.effective, corrected.why)
    warnings = list(corrected.notes)
    bags = table.partition_by("batch", maintain_order=True)
    n_bags = len(bags)
    room = max(1, most_rows // len(bags[0]))
    if len(bags) > room:
        warnings.append(
            f"To keep the page small it has the last {room:,} of {len(bags):,} batches only."
        )
        bags, days = bags[-room:], days[-room:]
        table = pl.concat(bags)
    several = len(bags) > 1
    timely = in_time(days)
    first = _telling(bags) if not timely else _last_known(bags)
    where, told = f"{bags[first]['batch'][0]}: " if several else "", bags[first]
    if several and not timely and together is not None:
        # No group stands for the others, as the last of the times stands for today.
        where = f"All {n_bags:,} batches together: "
        told = together.table.with_columns(together.effective, together.why)
    said = change_sentence(told)
    return {
        "title": "Corrected share of each class",
        "headline": f"{where}{said[:1].lower()}{said[1:]}" if where else said,
        "lead": _lead(corrected, bags),
        "warnings": [_sentence(text) for text in warnings],
        "several": several,
        "findings": [
            {"headline": headline, "text": text}
            for headline, text in _findings(corrected, told, bags)
        ],
        "table": _table(table, several),
        "facts": [fact(label, text) for label, text in _facts(corrected, facts or {}).items()],
        "foot": _foot(corrected),
        "data": _data(bags, first, batch_times(days) if timely else None, corrected.level)
        | {"in_time": timely},
    }


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def _last_known(bags: list[pl.DataFrame]) -> int:
    """The last bag of which something is said."""
    known = [b for b, bag in enumerate(bags) if bag["share"].null_count() < len(bag)]
    return known[-1] if known else len(bags) - 1


def _telling(bags: list[pl.DataFrame]) -> int:
    """The bag that the correction has changed most."""
    # By how sure the move is: few known truths move a share far, by chance.
    moves = [
        ((bag["share"] - bag["raw"]).abs() / (bag["high"] - bag["low"] + 1e-3)).max() or 0.0
        for bag in bags
    ]
    return int(np.argmax(np.array(moves, dtype=np.float64)))


def _lead(corrected: Corrected, bags: list[pl.DataFrame]) -> str:
    """What was asked, in a line."""
    documents = counted(sum(int(bag["size"][0]) for bag in bags), "document")
    where = f" in {len(bags):,} batches" if len(bags) > 1 else ""
    classes = counted(len(bags[0]), "class", "classes")
    truths = [int(bag["n_gold"][0]) for bag in bags]
    elsewhere = corrected.design == "elsewhere"
    known = f"{truths[0] if elsewhere else sum(truths):,} documents with a known truth"
    return f"{classes} in {documents}{where}, from a model's word and {known}."


def _findings(
    corrected: Corrected, bag: pl.DataFrame, bags: list[pl.DataFrame]
) -> Iterator[tuple[str, str]]:
    """What one should know before using the shares."""
    moved = bag.drop_nulls(["raw", "share"])
    if len(moved):
        move = (moved["share"] - moved["raw"]).to_numpy()
        k = int(np.argmax(np.abs(move)))
        outside = moved.filter((pl.col("raw") < pl.col("low")) | (pl.col("raw") > pl.col("high")))
        classes = counted(len(moved), "class", "classes")
        n, name = len(outside), moved["class"][k]
        of = f"of {n} of {classes} " if 0 < n < len(moved) else ""
        text = f"What the model says {of}lies {'outside' if n else 'within'} the interval."
        if len(bags) > 1:
            own = [one for b in bags for one in b.filter(pl.col("class") == name).to_dicts()]
            known = [one for one in own if one["share"] is not None and one["raw"] is not None]
            out = sum(not one["low"] <= one["raw"] <= one["high"] for one in known)
            text += f" Of “{name}” it lies outside in {out:,} of {len(known):,} batches."
        yield f"“{name}” moves by {points(float(move[k]))} points", text
    yield _way(bag), plain_sentence(bag)
    yield f"The known truths are {DESIGNS[corrected.design]}", _HOLDS[corrected.design]


def _way(bag: pl.DataFrame) -> str:
    used = bag["used"].drop_nulls()
    return _HEADLINES[used[0]] if len(used) else "Nothing is said"


def _table(table: pl.DataFrame, several: bool) -> dict[str, Any]:
    """Shares by each way, a row for each batch and class."""
    names = [column("batch", numeric=False)] if several else []
    names += [column("class", numeric=False) | ({"css": "name"} if several else {})]
    names += [column(name, numeric=True) for name in _SHARES]
    names.append(column("used", numeric=False))
    others = {"weight": "λ", "correlation": "correlation", "effective": "worth"}
    others |= {"n_gold": "known truths", "size": "documents"}
    names += [column(label, numeric=True) for label in others.values()]
    rows = []
    for row in table.iter_rows(named=True):
        cells = [_cell(row["batch"])] if several else []
        cells.append(_cell(row["class"]))
        cells += [_number(row[name], 100, 1, bold=name == "share") for name in _SHARES]
        cells.append(_cell(row["used"] or "–"))
        cells += [_number(row[name], 1, 2) for name in ("weight", "correlation")]
        cells += [_number(row[name], 1, 0) for name in ("effective", "n_gold", "size")]
        rows.append(cells)
    return {"columns": names, "rows": rows}


def _cell(text: str) -> dict[str, Any]:
    return {"text": text, "value": None, "bold": False}


def _number(
    value: float | None, times: float, digits: int, *, bold: bool = False
) -> dict[str, Any]:
    text = "–" if value is None else f"{times * value:,.{digits}f}"
    return {"text": text, "value": value, "bold": bold and value is not None}


def _facts(corrected: Corrected, given: Mapping[str, str]) -> dict[str, str]:
    target = {"batch": "these documents", "population": "what these documents were drawn from"}
    return {
        **given,
        "Known truths": DESIGNS[corrected.design],
        "Shares of": target[corrected.target],
        "Level of the intervals": f"{100 * corrected.level:.4g}%",
        "Version": f"quantext {version('quantext')}",
    }


def _foot(corrected: Corrected) -> str:
    level = f"{100 * corrected.level:.4g}"
    held = "as long as the truths were drawn as it is said above"
    if corrected.design == "elsewhere":
        held = "as long as the model errs here as it does there"
    return f"Of {level}% intervals about {level} in 100 should hold the true share, {held}."


def _data(
    bags: list[pl.DataFrame], first: int, times: list[int] | None, level: float
) -> dict[str, Any]:
    """What the script draws: a list per class, shares in millionths, −1 where there is none."""

    def by_class(name: str) -> Any:
        grid = np.array([bag[name].cast(pl.Float64).to_numpy() for bag in bags]).T
        return np.nan_to_num(np.rint(1e6 * grid), nan=-1).astype(np.int64).tolist()

    share, raw = by_class("share"), by_class("raw")
    moves = np.abs(np.array(share) - np.array(raw)).max(axis=1)
    return {
        "batches": [bag["batch"][0] for bag in bags],
        "classes": bags[0]["class"].to_list(),
        "share": share,
        "raw": raw,
        **{name: by_class(name) for name in ("low", "high", "gold")},
        "ways": [
            [WAYS.get(bag["used"][k] or "", "nothing is said") for bag in bags]
            for k in range(len(bags[0]))
        ],
        "size": [int(bag["size"][0]) for bag in bags],
        "n_gold": [int(bag["n_gold"][0]) for bag in bags],
        "reasons": [plain_sentence(bag) for bag in bags],
        "level": level,
        "times": times,
        "first": first,
        "moved": int(moves.argmax()),
    }
