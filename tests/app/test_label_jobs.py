"""The jobs of a labelling, in this process: documents prepared, then learned from."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from quantext.app.label.drawn import GUIDE, read_waves
from quantext.app.label.prepare import prepare
from quantext.app.label.question import Question, write_question
from quantext.app.label.relearn import relearn
from quantext.app.label.sheet import Document, Said, write_sheet
from quantext.labelling.guide import Guide
from quantext.labelling.representation import open_features
from quantext.progress import silent

CLASSES = ("ham", "spam")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A question of 120 rows, every third of which has no text."""
    words = {"ham": "green eggs and ham", "spam": "cheap watches for you"}
    truth = [CLASSES[i % 2] for i in range(120)]
    texts = [f"{words[truth[i]]} {i % 7}" if i % 3 else " " for i in range(120)]
    table = pl.DataFrame({"text": texts, "model": truth})
    table.write_csv(tmp_path / "t.csv")
    state = tmp_path / "state[1]"  # which a pattern would not match
    write_question(state, Question("t.csv", ("text",), CLASSES, proxy="model", separator=";"))
    return state


def test_documents_keep_the_numbers_of_their_rows(state: Path, tmp_path: Path) -> None:
    assert prepare(state, tmp_path, silent) == {"documents": 80, "blank": 40}
    (wave,) = read_waves(state)
    texts = pl.read_csv(tmp_path / "t.csv")["text"]
    assert wave.texts == [texts[row - 1] for row in wave.rows]
    assert all(row % 3 != 1 for row in wave.rows)
    assert wave.chances == [0.5] * 40


def test_what_a_model_says_goes_along_as_scores(state: Path, tmp_path: Path) -> None:
    prepare(state, tmp_path, silent)
    scores = open_features(state / "features").scores
    assert scores is not None
    rows = pl.read_parquet((state / "texts.parquet").read_bytes())["row"].to_numpy()
    np.testing.assert_array_equal(scores.argmax(axis=1), (rows - 1) % 2)


def test_the_next_wave_has_other_documents_and_what_was_learned_knows_it(
    state: Path, tmp_path: Path
) -> None:
    prepare(state, tmp_path, silent)
    (first,) = read_waves(state)
    write_sheet(
        tmp_path / "labels.csv",
        [
            Document(row, text, "0", "0.5", said={"me": Said((CLASSES[(row - 1) % 2],), "t")})
            for row, text in zip(first.rows[:20], first.texts[:20], strict=True)
        ],
    )
    told = relearn(state, tmp_path / "labels.csv", silent)
    _, second = read_waves(state)
    assert told == {"wave": 1, "documents": len(second.rows)}
    assert set(first.rows).isdisjoint(second.rows)
    texts = pl.read_csv(tmp_path / "t.csv")["text"]
    assert second.texts == [texts[row - 1] for row in second.rows]
    assert Guide.load(state / GUIDE).rows.tolist() == first.places + second.places
