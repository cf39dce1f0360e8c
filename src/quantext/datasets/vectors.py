"""Vectors: a folder of svmlight files, one for each period."""

import os
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from quantext.datasets._sources import missing, remarks, stacked, svmlight, whole
from quantext.texts.corpus import VectorCorpus
from quantext.texts.periods import natural_key

__all__ = ["PUBLISHED", "SPLIT", "read_vectors"]

SOURCE = (
    "whoever made the vectors; those of Esuli & Sebastiani (2015) from the Italian National "
    "Research Council (ISTI-CNR), as the vectors of RCV1-v2 and OHSUMED-S"
)

PUBLISHED: dict[str, float] = {}

SPLIT = {"train_periods": 1}

ENDINGS = (".txt", ".dat", ".svm", ".svmlight", ".libsvm")


def read_vectors(path: str | os.PathLike[str], *, name: str | None = None) -> VectorCorpus:
    """Documents of all files, with their labels; each file is a period.

    A line is a document, as in ``1,5 3:0.2 17:0.04``: the numbers of its classes, divided by
    commas, or none; then features, with weights. Files whose only labels are 1 and −1 have one
    class, 1.

    Parameters
    ----------
    path
        Folder with one file a period, also gzipped, in the order of their names, where numbers
        count as numbers; the first period is the one to train on.
    name
        Name of the corpus; that of the folder by default.
    """
    folder = Path(path)
    files = _files(folder)
    if not files:
        raise missing(folder, "files of vectors, one a period", SOURCE)
    blocks, labels, notes = [], [], []
    for file in files.values():
        data = whole(file)
        notes += remarks(data, file.name)
        try:
            vectors, given = svmlight(data, multilabel=True, zero_based=True)
        except ValueError as error:
            raise ValueError(f"{file} is not an svmlight file: {error}") from None
        if not len(given):
            raise ValueError(f"{file} has no documents")
        blocks.append(vectors)
        labels += given
    sizes = [block.shape[0] for block in blocks]
    classes, indicator = _classes(labels, folder)
    return VectorCorpus(
        name or folder.resolve().name,
        vectors=_aligned(blocks),
        indicator=indicator,
        classes=classes,
        periods=pl.Series(np.repeat(list(files), sizes), dtype=pl.String),
        notes=tuple(notes),
    )


def _files(folder: Path) -> dict[str, Path]:
    """Name of each period, in order, and its file."""
    files: dict[str, Path] = {}
    for file in folder.iterdir() if folder.is_dir() else ():
        if not file.is_file() or file.name.lower().startswith((".", "readme")):
            continue
        period = file.name.removesuffix(".gz")
        for ending in ENDINGS:
            period = period.removesuffix(ending)
        if period in files:
            raise ValueError(f"{files[period]} and {file} are the same period; remove one")
        files[period] = file
    return dict(sorted(files.items(), key=lambda item: natural_key(item[0])))


def _aligned(blocks: list[sparse.csr_matrix]) -> sparse.csr_matrix:
    """The rows of all blocks, with as many features as any has, numbered from their first."""
    width = max(block.shape[1] for block in blocks)
    X = stacked(
        [
            sparse.csr_matrix((b.data, b.indices, b.indptr), shape=(b.shape[0], width))
            for b in blocks
        ]
    )
    if X.nnz and X.indices.min() > 0:  # as is usual, features are numbered from 1
        X = sparse.csr_matrix((X.data, X.indices - 1, X.indptr), shape=(X.shape[0], width - 1))
    return X


def _classes(
    labels: list[tuple[float, ...]], folder: Path
) -> tuple[tuple[str, ...], NDArray[np.bool_]]:
    """Names of the classes, and whether each document (row) has each of them (column)."""
    numbers, codes = np.unique(list(chain.from_iterable(labels)), return_inverse=True)
    if not len(numbers):
        raise ValueError(f"no document in {folder} has a label")
    indicator = np.zeros((len(labels), len(numbers)), dtype=np.bool_)
    indicator[np.repeat(np.arange(len(labels)), [*map(len, labels)]), codes] = True
    kept = numbers != -1 if set(numbers) <= {-1, 1} else np.ones(len(numbers), dtype=np.bool_)
    return tuple(f"{number:g}" for number in numbers[kept]), indicator[:, kept]
