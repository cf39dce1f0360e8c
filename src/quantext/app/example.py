"""Made-up answers to try the app with: a labelled table, and a later one without labels.

A program: ``python -m quantext.app.example`` writes them to the folder that it is started in.
"""

import json
import os
from pathlib import Path

import polars as pl

from quantext import atomic
from quantext.datasets.synthetic import synthetic

__all__ = ["LABELLED", "LATER", "write_example"]

LABELLED = "example.csv"
LATER = "example-later.csv"
_LABELLED_WEEKS = 8


def write_example(folder: Path) -> None:
    """Write both tables, unless there are such.

    Parameters
    ----------
    folder
        Where to.
    """
    corpus = synthetic(6000, weeks=24, labels="sentiment")
    table = pl.DataFrame({"week": corpus.periods, "answer": corpus.texts, "mood": corpus.labels})
    first = table["week"] < table["week"].unique().sort()[_LABELLED_WEEKS]
    parts = {LATER: table.filter(~first).drop("mood"), LABELLED: table.filter(first)}
    for name, part in parts.items():
        if not os.path.lexists(folder / name):  # or it is somebody's
            atomic.write(folder / name, [part.write_csv().encode()])


if __name__ == "__main__":
    write_example(Path())
    print(json.dumps([LABELLED, LATER]))
