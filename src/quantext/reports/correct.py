"""qx.correct: a model's labels for all documents, people's for a few; corrected shares out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from quantext.models.correction import Target, correct_judged
from quantext.models.judged import read_judged
from quantext.models.sampled import Reading
from quantext.reports.correction import Correction

__all__ = ["correct"]


def correct(
    proxy: Any,
    truth: Any,
    *,
    design: Any,
    level: float = 0.95,
    target: Target = "batch",
    by: Any = None,
    strata: Any = None,
    clusters: Any = None,
    classes: Sequence[Any] | None = None,
    separator: str | None = None,
    reading: Reading = "learned",
    seed: int = 0,
) -> Correction:
    """Shares of each class among documents that a model has labelled, and people a few of them.

    Parameters
    ----------
    proxy
        What a model says of each document: labels of any kind, None, NaN or blank where it gave no
        answer; or scores or posteriors, floating-point numbers, one a document or an array with a
        column for each class. Several models: a data frame or a mapping of columns.
    truth
        Label of each document, None, NaN or blank where nobody looked. For documents with several
        labels an array or data frame of 0 and 1, NaN in rows where nobody looked, and the proxy
        likewise; or texts, with a separator.
    design
        How the documents with a known truth were chosen: "srs", drawn at random from these; an
        array of the probabilities with which each was drawn; or "elsewhere", not from the
        documents in question, which are then those without a truth.
    level
        Share of batches whose share the interval should contain.
    target
        Shares in these documents, "batch"; or in what they were drawn from, "population".
    by
        Batch of each document; None: all are in one.
    strata
        Stratum that each document was drawn from, each stratum at random by itself.
    clusters
        What documents are alike in, such as their author.
    classes
        All there are, where neither truth nor proxy may name them all.
    separator
        What stands between the labels of a document, in proxy and truth.
    reading
        "learned": how likely each class is, given the model's word, is learned from the known
        truths. "given": the model's labels or posteriors are taken as they are, which is what
        ppi-python does.
    seed
        Of folds and draws.

    Examples
    --------
    >>> says = ["spam"] * 40 + ["ham"] * 60
    >>> people = ["spam"] * 8 + ["ham"] * 2 + [None] * 30 + ["ham"] * 14 + ["spam"] + [None] * 45
    >>> correct(says, people, design="srs").to_frame().select("class", "raw", "gold", "n_gold")
    shape: (2, 4)
    ┌───────┬─────┬──────┬────────┐
    │ class ┆ raw ┆ gold ┆ n_gold │
    │ ---   ┆ --- ┆ ---  ┆ ---    │
    │ str   ┆ f64 ┆ f64  ┆ i64    │
    ╞═══════╪═════╪══════╪════════╡
    │ ham   ┆ 0.6 ┆ 0.64 ┆ 25     │
    │ spam  ┆ 0.4 ┆ 0.36 ┆ 25     │
    └───────┴─────┴──────┴────────┘
    """
    judged = read_judged(proxy, truth, by=by, classes=classes, separator=separator)
    if judged.questions and len(names := judged.questions[0].names) == 1:
        raise ValueError(
            f"all known truths are {names[0]!r} and no other class is named, so there is no share "
            "to estimate; name all in classes"
        )
    asked: dict[str, Any] = {"level": level, "target": target, "reading": reading, "seed": seed}
    asked |= {"strata": strata, "clusters": clusters}
    found = correct_judged(judged, design, **asked)
    if len(judged.bag_names) == 1:
        return Correction(found)
    whole = replace(judged, bags=np.zeros_like(judged.bags), bag_names=("all",))
    return Correction(found, together=correct_judged(whole, design, **asked))
