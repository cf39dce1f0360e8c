"""LeQua: the contests of quantification of 2022 and 2024, bags and their shares in files.

The layout is that of the organisers' descriptions (the repositories LeQua2022_scripts and
LeQua2024_scripts of HLT-ISTI) and of what QuaPy reads. A task has a folder as ``T1A/public``:

- ``training_data.txt``, CSV with a header: ``label``, a number from 0, then either ``text`` or the
  features, which have numbers for names: 300 of them in 2022, 256 in 2024. T3 of 2024 has instead a
  folder ``training_samples`` of files of this form: 100 bags with labels, and
  ``training_prevalences.txt``, which says nothing that the labels do not;
- ``label_map.txt``: a line for each class, its name and its number;
- ``dev_samples`` and ``test_samples``, a file for each bag (``0.txt``, ``1.txt``, …), of the same
  form without ``label``;
- ``dev_prevalences.txt`` and ``test_prevalences.txt``, CSV with a header: the bag's ``id``, and the
  share of each class in a column that has its number for a name. They sum to 1 within 0.001.

Training and ``dev`` come in one archive, ``test_samples`` in another, ``test_prevalences.txt`` in a
third; all unpack to the same folder. In 2022, T1A and T2A have 2 classes and bags of 250 documents,
T1B and T2B 28 classes and bags of 1,000; T1 is vectors, T2 texts. In 2024 all are vectors: T1 and
T4 have 2 classes and bags of 250, T2 28 classes and bags of 1,000, T3 5 classes in order, which are
stars, and bags of 200. Each task has 1,000 bags to develop on and 5,000 to be tested on. The
official measure is the relative absolute error and, in T3, the normalised match distance, averaged
over the bags with one, two, three and four stars or more in the mean, and then over these four.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from quantext.datasets._lequa_files import Files, find_files
from quantext.datasets._lequa_rows import (
    class_number,
    documents,
    names_of_classes,
    numbers,
    shares_of_bags,
    training_header,
)
from quantext.texts.corpus import Corpus, VectorCorpus

__all__ = ["PUBLISHED", "SPLIT", "read_lequa2022", "read_lequa2024"]

Part = Literal["test", "dev"]
Array = NDArray[np.float32]

SOURCE_2022 = "Zenodo, as Learning to quantify: LeQua 2022 datasets"
SOURCE_2024 = "Zenodo, as Learning to quantify: LeQua 2024 datasets"

# Of the part to be tested on, in every task, as QuaPy checks it. The description of 2022 has 1,000
# for T1A and T2A; the contest's own checker has one number for all tasks.
PUBLISHED = {"bags": 5_000}

SPLIT = {"protocol": "given"}


def read_lequa2022(
    path: str | os.PathLike[str],
    *,
    task: str | None = None,
    part: Part = "test",
    bags: int | None = None,
) -> Corpus | VectorCorpus:
    """Training documents with their labels, and bags without, whose shares are known.

    T1A and T1B are vectors, T2A and T2B texts.

    Parameters
    ----------
    path
        Folder into which the task's files were unpacked, or one above or below it: what holds
        ``T1A/public/training_data.txt``. Files may be gzipped.
    task
        T1A, T1B, T2A or T2B; the one that is there, if it is only one.
    part
        The bags: those to be tested on, or those to develop on (``"dev"``).
    bags
        Read only so many, the first; all by default.

    Notes
    -----
    Vectors take 8 bytes a value in memory and a bag's file beside: all bags of T1B, 5 million
    documents of 300 features, take 12 GB, those of T1A 3 GB. Texts take what their files take.
    """
    tasks = ("T1A", "T1B", "T2A", "T2B")
    return _read("LeQua 2022", find_files(Path(path), tasks, task, part, SOURCE_2022), bags)


def read_lequa2024(
    path: str | os.PathLike[str],
    *,
    task: str | None = None,
    part: Part = "test",
    bags: int | None = None,
) -> Corpus | VectorCorpus:
    """Training documents with their labels, and bags without, whose shares are known.

    All tasks are vectors. The training bags of T3 are joined to one training set.

    Parameters
    ----------
    path
        Folder into which the task's files were unpacked, or one above or below it: what holds
        ``T1/public/training_data.txt``. Files may be gzipped.
    task
        T1, T2, T3 or T4; the one that is there, if it is only one.
    part
        The bags: those to be tested on, or those to develop on (``"dev"``).
    bags
        Read only so many, the first; all by default.

    Notes
    -----
    Vectors take 8 bytes a value in memory and a bag's file beside: all bags of T2, 5 million
    documents of 256 features, take 10 GB, those of the other tasks 2 to 3 GB.
    """
    tasks = ("T1", "T2", "T3", "T4")
    return _read("LeQua 2024", find_files(Path(path), tasks, task, part, SOURCE_2024), bags)


def _read(contest: str, files: Files, limit: int | None) -> Corpus | VectorCorpus:
    if limit is not None and limit < 1:
        raise ValueError(f"bags is {limit}; read at least 1")
    shares = shares_of_bags(files)
    n_classes = shares.width - 1
    # Classes in order keep their numbers for names: these say the order.
    names = names_of_classes(files.label_map, n_classes) if files.task != "T3" else None
    classes = names or tuple(map(str, range(n_classes)))
    shares = shares.rename(dict(zip(shares.columns[1:], classes, strict=True)))[:limit]
    samples = [files.samples[bag] for bag in shares["bag"]]
    name = f"{contest} {files.task}".strip()
    header = training_header(files.training[0])
    if header == ["label", "text"]:
        return _corpus_of_texts(name, files.training, samples, shares)
    return _corpus_of_vectors(name, files.training, samples, shares, header)


def _corpus_of_texts(
    name: str, training: Sequence[Path], samples: Sequence[Path], shares: pl.DataFrame
) -> Corpus:
    classes = shares.columns[1:]
    labels: list[str] = []
    texts: list[pl.Series] = []
    for file in training:
        rows = list(documents(file, ["label", "text"]))
        labels += [classes[class_number(row[0], len(classes), file, line)] for line, row in rows]
        texts.append(pl.Series([row[1] for _, row in rows], dtype=pl.String))
    for file in samples:
        found = [row[0] for _, row in documents(file, ["text"])]
        texts.append(pl.Series(found, dtype=pl.String))
    sizes = [len(bag) for bag in texts[len(training) :]]
    return Corpus(
        name,
        texts=pl.concat(texts),
        labels=pl.concat([pl.Series(labels, dtype=pl.String), _nulls(sum(sizes))]),
        bags=_bags(shares["bag"], sizes, before=len(labels)),
        shares=shares,
        classes=tuple(classes),
    )


def _corpus_of_vectors(
    name: str,
    training: Sequence[Path],
    samples: Sequence[Path],
    shares: pl.DataFrame,
    header: list[str],
) -> VectorCorpus:
    classes, width = shares.columns[1:], len(header) - 1
    codes: list[int] = []
    blocks = []
    for file in training:
        block = numbers(file, header)
        codes += [
            class_number(f"{v:g}", len(classes), file, k) for k, v in enumerate(block[:, 0], 2)
        ]
        blocks.append(block[:, 1:])
    n_train = len(codes)
    values, sizes = _with_bags(np.concatenate(blocks), samples, header[1:])
    n = n_train + sum(sizes)
    indicator = np.zeros((n, len(classes)), dtype=np.bool_)
    indicator[np.arange(n_train), codes] = True
    indices = np.empty((n, width), dtype=np.int32)
    indices[:] = np.arange(width, dtype=np.int32)
    starts = np.arange(0, n * width + 1, width, dtype=np.int32)
    return VectorCorpus(
        name,
        vectors=sparse.csr_matrix((values, indices.reshape(-1), starts), shape=(n, width)),
        indicator=indicator,
        classes=tuple(classes),
        bags=_bags(shares["bag"], sizes, before=n_train),
        shares=shares,
        multilabel=False,
    )


def _with_bags(
    training: Array, samples: Sequence[Path], columns: list[str]
) -> tuple[Array, list[int]]:
    """Values of the training documents and of all bags, row by row, and the bags' sizes."""
    end, sizes = training.size, []
    values = training.reshape(-1).copy()
    for k, file in enumerate(samples, start=1):
        block = numbers(file, columns)
        start, end = end, end + block.size
        if end > len(values):
            # Room for all bags that follow, if they are of this size, as those of the contest are:
            # so the values are never there twice, as they were if the bags were joined in the end.
            room = end + (len(samples) - k) * block.size
            if room > np.iinfo(np.int32).max:
                raise ValueError(
                    f"{file.parent} has {room:,} values, more than a sparse matrix holds with "
                    "indices of 32 bits; read fewer bags (bags=)"
                )
            values.resize(room, refcheck=False)
        values[start:end].reshape(block.shape)[:] = block
        sizes.append(len(block))
    values.resize(end, refcheck=False)
    return values, sizes


def _bags(names: pl.Series, sizes: Sequence[int], before: int) -> pl.Series:
    """The bag of each document; null for the training documents before them."""
    return pl.concat([_nulls(before), names.gather(np.repeat(np.arange(len(sizes)), sizes))])


def _nulls(n: int) -> pl.Series:
    return pl.repeat(None, n, dtype=pl.String, eager=True)
