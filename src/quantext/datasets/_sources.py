"""What readers share: files in folders and archives, and sentences on what was left out."""

import lzma
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse

from quantext.texts.encoding import DAMAGE, contents
from quantext.wording import listed

__all__ = [
    "ARCHIVE_DAMAGE",
    "NO_DATE",
    "SEEN_BEFORE",
    "WHOLE",
    "left_out",
    "missing",
    "plain_text",
    "remarks",
    "stacked",
    "svmlight",
    "tar_members",
    "unknown_topics",
    "usable",
    "whole",
]

# Reasons to leave out a document that several corpora share.
NO_DATE = "without a date"
SEEN_BEFORE = "with an id that was seen before"

# What to do about a file that is cut off, damaged or recoded.
WHOLE = "get a whole copy, as it is distributed"

ARCHIVE_DAMAGE = (*DAMAGE, tarfile.TarError, lzma.LZMAError, zipfile.BadZipFile)


def missing(path: Path, wanted: str, source: str) -> FileNotFoundError:
    """The error that says what is not there and where it is had from."""
    there = f"{path} has no {wanted}" if path.exists() else f"there is no {path}"
    return FileNotFoundError(f"{there}; expected {wanted}. It is had from {source}")


def tar_members(path: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Name and contents of the files in a tar archive that end so; nothing is extracted to disk."""
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile() and member.name.lower().endswith(suffixes):
                    file = archive.extractfile(member)
                    assert file is not None  # it is a regular file
                    yield Path(member.name).name, file.read()
    except ARCHIVE_DAMAGE as error:
        raise ValueError(f"{path} cannot be read: {error}; {WHOLE}") from error


def whole(path: Path) -> bytes:
    """Contents of a file, unzipped."""
    try:
        return contents(path, "utf-8")
    except DAMAGE as error:
        raise ValueError(f"{path} cannot be read: {error}; {WHOLE}") from error


def svmlight(data: bytes, **options: Any) -> tuple[sparse.csr_matrix, Any]:
    """Vectors and labels in the contents of an svmlight file, as scikit-learn reads them."""
    from sklearn.datasets import load_svmlight_file  # slow to import, and few corpora are vectors

    vectors, labels = load_svmlight_file(BytesIO(data), dtype=np.float32, **options)
    return vectors, labels


def stacked(blocks: list[sparse.csr_matrix]) -> sparse.csr_matrix:
    """The rows of all blocks, one block after the other."""
    X: sparse.csr_matrix = sparse.vstack(blocks, format="csr")
    if X.nnz < np.iinfo(np.int32).max:  # half the memory of what scikit-learn reads into
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def left_out(reasons: Counter[str]) -> tuple[str, ...]:
    """A sentence for each reason to leave out documents.

    Examples
    --------
    >>> left_out(Counter({NO_DATE: 1200, "without a topic": 1}))
    ('1,200 documents without a date were left out', '1 document without a topic was left out')
    """
    return tuple(
        f"{n:,} documents {why} were left out" if n > 1 else f"1 document {why} was left out"
        for why, n in reasons.items()
        if n
    )


def usable(
    documents: pl.DataFrame, faults: Mapping[str, pl.Expr], reasons: Counter[str]
) -> pl.DataFrame:
    """Documents without any of the faults; how many have each is added to ``reasons``.

    Examples
    --------
    >>> reasons = Counter()
    >>> table = pl.DataFrame({"day": ["1 May", None, "2 May"]})
    >>> usable(table, {NO_DATE: pl.col("day").is_null()}, reasons)["day"].to_list()
    ['1 May', '2 May']
    >>> left_out(reasons)
    ('1 document without a date was left out',)
    """
    for reason, fault in faults.items():
        rest = documents.filter(~fault)
        reasons[reason] += len(documents) - len(rest)
        documents = rest
    return documents


def plain_text(data: bytes) -> str:
    """Text of a file that should be ASCII; see `remarks` for where it is not."""
    return data.decode("latin-1").replace("\r\n", "\n")


def remarks(data: bytes, name: str) -> list[str]:
    r"""Sentences on a file that should be ASCII and end with a line break, where it does not.

    Examples
    --------
    >>> remarks(b"caf\xe9", "a.dat")
    ['a.dat has bytes that are not ASCII (1); they were read as latin-1',
     'a.dat does not end with a line break: its last document may be cut off']
    """
    notes = []
    if not data.isascii():
        strange = len(data) - len(data.decode("ascii", errors="ignore"))
        notes.append(f"{name} has bytes that are not ASCII ({strange}); they were read as latin-1")
    if not data.endswith(b"\n"):
        notes.append(f"{name} does not end with a line break: its last document may be cut off")
    return notes


def unknown_topics(counts: Counter[str], known: str) -> tuple[str, ...]:
    """A sentence on topics that are not among the known ones; none if all are."""
    if not counts:
        return ()
    topics = listed((f"{topic!r} ({n:,}×)" for topic, n in counts.most_common()), most=10)
    return (f"topics that are not in {known} were ignored: {topics}",)
