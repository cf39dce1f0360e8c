"""The job while people label: learn from the labels so far, and draw the documents that tell most.

``python -m quantext.app.label.relearn`` runs in the folder. What was learned is written before the
wave that it leads to, as it may know one wave more than there are, but not one less.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from quantext.app.folder import STATE
from quantext.app.label.drawn import FEATURES, GUIDE, TEXTS, Drawn, read_waves, write_wave
from quantext.app.label.question import read_question
from quantext.app.label.sheet import read_sheet
from quantext.app.label.telling import telling
from quantext.app.label.truths import labels_of, task_of, waves_of
from quantext.labelling.learning import learn
from quantext.labelling.representation import open_features
from quantext.progress import Progress

__all__ = ["main", "relearn"]


def main() -> None:
    """Learn in the folder that this runs in."""
    said = relearn(Path(STATE) / "labelling", Path("labels.csv"), telling())
    print(json.dumps(said))


def relearn(state: Path, sheet: Path, progress: Progress) -> dict[str, int]:
    """Number of the new wave and how many documents it has.

    Parameters
    ----------
    state
        Folder of what is noted of the labelling.
    sheet
        Table of the labels.
    progress
        Told how far it is.
    """
    question, drawn = read_question(state), read_waves(state)
    if question is None or not drawn:
        raise ValueError("nothing was prepared yet")
    task = task_of(question)
    documents = read_sheet(sheet, question.classes)
    labels = labels_of(task, drawn, documents)
    guide, wave = learn(task, open_features(state / FEATURES), waves_of(drawn), labels, progress)
    guide.save(state / GUIDE)
    if len(wave):
        write_wave(state, _with_texts(state, drawn, wave.rows.tolist(), wave.chances.tolist()))
    return {"wave": len(drawn), "documents": len(wave)}


def _with_texts(
    state: Path, drawn: Sequence[Drawn], places: list[int], chances: list[float]
) -> Drawn:
    """The wave, with what is to be shown."""
    order = np.argsort(places)
    found = (
        pl.scan_parquet(state / TEXTS, glob=False)
        .with_row_index("place")
        .filter(pl.col("place").is_in(pl.Series(places, dtype=pl.UInt32).implode()))
        .collect()
    )
    own = found[np.argsort(order).tolist()]
    first = drawn[0]
    return Drawn(
        len(drawn),
        first.n_documents,
        first.n_blank,
        places,
        chances,
        own["row"].to_list(),
        own["text"].to_list(),
    )


if __name__ == "__main__":
    main()
