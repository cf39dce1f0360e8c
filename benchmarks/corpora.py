"""Two corpora with dates, as vectors: a training set and one bag for each later period.

They are read from a folder that is no part of this project; see `folder_argument`.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quantext.datasets import arxiv as arxiv_reader
from quantext.datasets import reuters21578 as reuters_reader
from quantext.experiments.splits import by_period
from quantext.vectors.ltc import LtcVectorizer

DEFAULT_FOLDER = Path(__file__).resolve().parents[1].parent / "shared" / "data"


@dataclass(frozen=True)
class Split:
    """Vectors and 0/1 labels (one column per class with a positive training document)."""

    name: str
    X: Any
    Y: np.ndarray
    bags: list[tuple[Any, np.ndarray]]

    @property
    def p_true(self) -> np.ndarray:
        """True prevalence of each class in each bag."""
        return np.array([Y.mean(axis=0) for _, Y in self.bags])

    @property
    def sizes(self) -> np.ndarray:
        """Number of documents in each bag."""
        return np.array([len(Y) for _, Y in self.bags])


def folder_argument(description: str) -> Path:
    """The folder named on the command line by ``--data``, or an explanation and exit."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, help="folder of the corpora")
    folder: Path = parser.parse_args().data
    if not folder.is_dir():
        parser.exit(0, f"{folder} is absent, nothing to measure: pass a folder by --data\n")
    return folder


def reuters(folder: Path) -> Split:
    """Reuters-21578: train before 16 March 1987, one bag for each day of at least 100 documents."""
    corpus = reuters_reader.read_reuters21578(folder / "reuters21578.tar.xz")
    return _split(corpus, reuters_reader.SPLIT)


def arxiv(folder: Path) -> Split:
    """Abstracts on arXiv: train on the first 12 weeks of 2018, one bag for each of 52 weeks."""
    corpus = arxiv_reader.read_arxiv(folder / "arxiv_2018_2019.jsonl.gz")
    return _split(corpus, arxiv_reader.SPLIT)


def _split(corpus, settings) -> Split:
    split = by_period(corpus, **settings)
    parts = [split.train, *(bag.indices for bag in split.bags)]
    Y = corpus.indicator[:, corpus.indicator[split.train].any(axis=0)].astype(np.int8)
    vectorizer = LtcVectorizer().fit(corpus.texts[split.train])
    (X, Y_train), *bags = [(vectorizer.transform(corpus.texts[part]), Y[part]) for part in parts]
    return Split(corpus.name, X, Y_train, bags)
