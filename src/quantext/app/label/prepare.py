"""The job before labelling: all documents of the table, what a model sees of them, a first wave.

``python -m quantext.app.label.prepare`` runs in the folder. The wave is written last: where there
is one, all is there.
"""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext import atomic
from quantext.app.folder import STATE
from quantext.app.label.drawn import FEATURES, TEXTS, Drawn, write_wave
from quantext.app.label.question import Question, read_question
from quantext.app.label.telling import telling
from quantext.app.label.truths import task_of
from quantext.labelling.drawing import first_wave
from quantext.labelling.representation import features
from quantext.progress import Progress
from quantext.texts.columns import Columns, make_documents
from quantext.texts.encoding import DAMAGE
from quantext.texts.formats import Opening, blocks

__all__ = ["main", "numbered_documents", "prepare"]

_NUMBER = "number of the row, counted from 1"


def main() -> None:
    """Prepare the question of the folder that this runs in."""
    said = prepare(Path(STATE) / "labelling", Path(), telling())
    print(json.dumps(said))


def prepare(state: Path, folder: Path, progress: Progress) -> dict[str, int]:
    """How many documents there are and how many rows have no text, all being ready for labelling.

    Parameters
    ----------
    state
        Folder of what is noted of the labelling.
    folder
        Where the table is.
    progress
        Told how far it is.
    """
    question = read_question(state)
    if question is None:
        raise ValueError("nothing was asked yet")
    documents, n_rows = _all_documents(question, folder, progress)
    with atomic.writing(state / TEXTS) as file:
        documents.select("row", "text").write_parquet(file)
    scores = _scores(documents, question.classes)
    texts = documents["text"].to_list()
    found = features(texts, scores, progress=progress)
    shutil.rmtree(state / FEATURES, ignore_errors=True)
    found.save(state / FEATURES)
    wave = first_wave(task_of(question), len(documents), scores)
    own = documents[wave.rows.tolist()]
    write_wave(
        state,
        Drawn(
            0,
            len(documents),
            n_rows - len(documents),
            wave.rows.tolist(),
            wave.chances.tolist(),
            own["row"].to_list(),
            own["text"].to_list(),
        ),
    )
    return {"documents": len(documents), "blank": n_rows - len(documents)}


def numbered_documents(
    path: Path, columns: Columns, opening: Opening
) -> Iterator[tuple[int, pl.DataFrame]]:
    """Documents with the number of their ``row``, block by block, and how many rows were read.

    Parameters
    ----------
    path
        Of the table.
    columns
        Of texts, and of a label if there is one.
    opening
        How it is opened.
    """
    n_rows = 0
    wanted = columns.names
    columns = replace(columns, weight=_NUMBER)  # a number that stays with its document
    try:
        for frame in blocks(path, opening, wanted):
            numbers = np.arange(n_rows + 1, n_rows + 1 + len(frame), dtype=np.float64)
            table = make_documents(
                frame.with_columns(pl.Series(_NUMBER, numbers)),
                path,
                columns,
                n_rows=n_rows,
                unlabelled=True,
            )
            n_rows += len(frame)
            yield n_rows, table.with_columns(row=pl.col("weight").cast(pl.Int64)).drop("weight")
    except DAMAGE as error:
        raise ValueError(f"{path} cannot be read: {error}") from error


def _all_documents(
    question: Question, folder: Path, progress: Progress
) -> tuple[pl.DataFrame, int]:
    options = {name.replace("-", "_"): value for name, value in question.reading.items()}
    if "header_row" in options:
        options["header_row"] = int(options["header_row"])
    separator = question.separator if question.proxy else None
    columns = Columns(question.text, question.proxy, separator)
    tables, n_rows = [], 0
    for n_rows, table in numbered_documents(folder / question.table, columns, Opening(**options)):
        tables.append(table)
        progress("documents read", n_rows, None)
    documents = pl.concat(tables, how="vertical_relaxed") if tables else pl.DataFrame()
    if not len(documents):
        raise ValueError(f"{question.table} has no text in {', '.join(question.text)}")
    return documents, n_rows


def _scores(documents: pl.DataFrame, classes: tuple[str, ...]) -> NDArray[np.float64] | None:
    """1 where the model says the class, else 0; None without a model."""
    if "label" not in documents.columns:
        return None
    said = documents["label"]
    if said.dtype == pl.List:
        columns = [said.list.contains(name).fill_null(False) for name in classes]
    else:
        columns = [(said == name).fill_null(False) for name in classes]
    scores = np.column_stack([column.to_numpy() for column in columns]).astype(np.float64)
    return scores if scores.any() else None


if __name__ == "__main__":
    main()
