"""Made-up answers to try the app with: a labelled table, and a later one without labels.

A program: ``python -m quantext.app.example`` writes them to the folder that it is started in.
"""

import json
from pathlib import Path

import polars as pl

from quantext import atomic
from quantext.datasets.synthetic import synthetic

__all__ = ["LABELLED", "LATER", "write_example"]

LABELLED = "example.csv"
LATER = "example-later.csv"
_LABELLED_WEEKS = 8


def write_example(folder: Path) -> None:
    """Write both tables.

    Parameters
    ----------
    folder
        Where to.
    """
    corpus = synthetic(6000, weeks=24, labels="sentiment")
    table = pl.DataFrame({"week": corpus.periods, "answer": corpus.texts, "mood": corpus.labels})
    first = table["week"] < table["week"].unique().sort()[_LABELLED_WEEKS]
    atomic.write(folder / LATER, [table.filter(~first).drop("mood").write_csv().encode()])
    atomic.write(folder / LABELLED, [table.filter(first).write_csv().encode()])


if __name__ == "__main__":
    write_example(Path())
    print(json.dumps([LABELLED, LATER]))
