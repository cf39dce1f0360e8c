"""Documents that were drawn to be labelled, wave after wave, with what people are shown of them."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from quantext import atomic

__all__ = ["FEATURES", "GUIDE", "TEXTS", "Drawn", "read_waves", "write_wave"]

TEXTS, FEATURES, GUIDE = "texts.parquet", "features", "guide.npz"
"""What is kept beside the waves: all documents, what a model sees of them, what it has learned."""


@dataclass(frozen=True)
class Drawn:
    """Documents that were drawn together, in the order in which they are shown.

    Parameters
    ----------
    number
        Of the wave, counted from 0.
    n_documents, n_blank
        How many documents there are in all, and rows of the table that have no text.
    places
        Numbers among all documents, counted from 0.
    chances
        With which each was drawn, given what was drawn before.
    rows
        Numbers of their rows in the table, counted from 1.
    texts
        Whole.
    """

    number: int
    n_documents: int
    n_blank: int
    places: list[int]
    chances: list[float]
    rows: list[int]
    texts: list[str]


def write_wave(state: Path, wave: Drawn) -> None:
    """Bring a wave to the disk.

    Parameters
    ----------
    state
        Folder of what is noted of the labelling.
    wave
        Comes after those that are there.
    """
    text = json.dumps(asdict(wave), ensure_ascii=False)
    atomic.write(state / f"wave-{wave.number}.json", [text.encode("utf-8", "replace")])


def read_waves(state: Path, before: Sequence[Drawn] = ()) -> list[Drawn]:
    """All waves that were drawn so far, in order.

    Parameters
    ----------
    state
        Folder of what is noted of the labelling.
    before
        Those that were read before, which do not change.
    """
    waves = list(before)
    while (path := state / f"wave-{len(waves)}.json").exists():
        try:
            wave = Drawn(**json.loads(path.read_bytes()))
            lengths = {len(wave.places), len(wave.chances), len(wave.rows), len(wave.texts)}
        except (ValueError, TypeError):
            lengths = set()
        if len(lengths) != 1:
            raise ValueError(f"{path} is damaged; put back the folder of before, or begin anew")
        waves.append(wave)
    return waves
