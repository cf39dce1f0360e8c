"""Errors by the measures of the field: the table by which contests of quantification rank."""

import math

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.experiments.results import joint_rows, with_errors
from quantext.measures import ae, binary, kld, nmd, rae
from quantext.reports.tables import significantly_best

__all__ = ["errors", "official_measure"]

Array = NDArray[np.float64]
_ESTIMATE = ["task", "method", "bag"]


def official_measure(corpus: str) -> str:
    """The measure that a corpus is ranked by: that of its contest, or KLD as in all our tables.

    Parameters
    ----------
    corpus
        Its name.

    Examples
    --------
    >>> [official_measure(name) for name in ("LeQua 2022 T1A", "LeQua 2024 T3", "RCV1-v2")]
    ['rae', 'macro_nmd', 'kld']
    >>> official_measure("SemEval-2016 Task 4D"), official_measure("SemEval-2016 Task 4E")
    ('kld', 'nmd')
    """
    if corpus.startswith("LeQua"):
        return "macro_nmd" if corpus.endswith("T3") else "rae"
    return "nmd" if corpus.startswith("SemEval") and corpus.endswith(("C", "E")) else "kld"


def errors(results: pl.DataFrame, rank_by: str = "kld") -> pl.DataFrame:
    """Mean and standard deviation over the test sets of each measure, best method first.

    They are those of the joint task, if there is one; otherwise those of each class against the
    rest, which for a corpus of two classes is the same. ``ae``, ``rae`` and ``kld`` are there
    always; ``nmd`` and ``macro_nmd`` if classes are in order, which they are if their names are
    numbers. A column ``_sd`` is the standard deviation (ddof 0, as LeQua has it).

    Parameters
    ----------
    results
        One row per task, method, bag and class.
    rank_by
        The measure that says which is best, as in `official_measure`; KLD if there is no such.
    """
    rows = with_errors(results)
    joint = joint_rows(rows)
    parts = [rows] if joint.is_empty() else joint.partition_by("task", maintain_order=True)
    measured = pl.concat([_measured(part) for part in parts], how="diagonal")
    names = [name for name in ("ae", "rae", "kld", "nmd") if name in measured.columns]
    columns = [c for m in names for c in (pl.mean(m), pl.col(m).std(ddof=0).alias(f"{m}_sd"))]
    table = measured.group_by("method", maintain_order=True).agg(*columns, test_sets=pl.len())
    if "nmd" in names:
        levels = measured.group_by("method", "level").agg(macro_nmd=pl.mean("nmd"))
        macro = levels.group_by("method").agg(pl.mean("macro_nmd"))
        table = table.join(macro, on="method", maintain_order="left")
        table = table.select(pl.exclude("test_sets"), "test_sets")
    marks: dict[str, list[str]] = {method: [] for method in table["method"]}
    for name in names:
        wide = measured.pivot("method", index=["task", "bag"], values=name).select(list(marks))
        best = significantly_best(wide.to_numpy(), table[name].to_numpy())
        for method in np.array(list(marks))[best]:
            marks[method].append(name)
    bold = pl.Series("bold", list(marks.values()), dtype=pl.List(pl.String))
    by = rank_by if rank_by in table.columns else "kld"
    return table.with_columns(bold).sort(by, maintain_order=True)


def _measured(rows: pl.DataFrame) -> pl.DataFrame:
    """Errors of each estimate, of one class against the rest or over all of them."""
    names = rows["class"].drop_nulls().unique().to_list()
    numbered = len(names) > 2 and all(_is_number(name) for name in names)
    if names:
        order = pl.Enum(sorted(names, key=float) if numbered else sorted(names))
        in_order = rows.sort(pl.col("class").cast(order), maintain_order=True)
        rows = in_order.group_by(_ESTIMATE, maintain_order=True).agg(
            pl.col("p_true", "p_hat"), pl.col("size").first()
        )
    p_true, p_hat = (
        rows[column].explode().to_numpy().reshape(len(rows), -1) if names else binary(rows[column])
        for column in ("p_true", "p_hat")
    )
    size = rows["size"].to_numpy()
    values = {
        "ae": ae(p_true, p_hat, size=size),
        "rae": rae(p_true, p_hat, size=size),
        "kld": kld(p_true, p_hat, size=size),
    }
    if numbered:
        values |= {"nmd": nmd(p_true, p_hat, size=size), "level": _level(p_true)}
    return rows.select(_ESTIMATE).with_columns(**{k: pl.Series(v) for k, v in values.items()})


def _level(p_true: Array) -> Array:
    """Between which two classes, in order, the mean of a bag lies."""
    mean = p_true @ np.arange(p_true.shape[-1])
    level: Array = np.clip(np.floor(mean + 1e-9), 0, p_true.shape[-1] - 2)
    return level


def _is_number(name: str) -> bool:
    try:
        return math.isfinite(float(name))
    except ValueError:
        return False
