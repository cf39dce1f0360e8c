"""RCV1-v2 as Lewis et al. (2004) distribute it: stems or vectors, topics, and no dates."""

import os
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
from scipy import sparse

from quantext.datasets._sources import (
    NO_DATE,
    SEEN_BEFORE,
    WHOLE,
    left_out,
    missing,
    plain_text,
    remarks,
    stacked,
    svmlight,
    unknown_topics,
    usable,
    whole,
)
from quantext.datasets.rcv1 import NO_TOPIC, PUBLISHED, SPLIT, TOPICS
from quantext.texts.columns import indicator
from quantext.texts.corpus import Corpus, VectorCorpus
from quantext.texts.encoding import decode

__all__ = ["PUBLISHED", "SPLIT", "read_lyrl2004_tokens", "read_lyrl2004_vectors"]

SOURCE = (
    "David D. Lewis, as the on-line appendices of RCV1: A New Benchmark Collection for Text "
    "Categorization Research (Journal of Machine Learning Research, 2004)"
)

N_FEATURES = 47_236  # numbered from 1


def read_lyrl2004_tokens(
    path: str | os.PathLike[str], *, dates: str | os.PathLike[str] | None = None
) -> Corpus:
    """Stories as stems without stop words, with their topics.

    Parameters
    ----------
    path
        Folder with the files ``lyrl2004_tokens_*.dat`` and ``rcv1-v2.topics.qrels``, also gzipped.
    dates
        Table of the stories' days, which the distribution lacks: an id and a date a line, as
        ``2286,1996-08-20`` or ``2286 19960820``. Without it, the corpus has no periods.
    """
    folder = Path(path)
    ids: list[int] = []
    texts: list[str] = []
    notes: list[str] = []
    for file in _files(folder, "lyrl2004_tokens_*.dat"):
        data = whole(file)
        notes += remarks(data, file.name)
        for record in plain_text(data).split(".I ")[1:]:
            number, marker, stems = record.partition("\n.W\n")
            if not marker or not number.strip().isdigit():
                raise ValueError(f"{file}: record {number[:20]!r} is cut off or damaged; {WHOLE}")
            ids.append(int(number))
            texts.append(stems.strip())
    stories, reasons, others = _stories(folder, ids, dates)
    return Corpus(
        "RCV1-v2",
        texts=pl.Series(texts)[stories["row"]],
        labels=stories["topics"],
        periods=None if dates is None else stories["day"],
        dropped=reasons.total(),
        notes=(*notes, *others),
    )


def read_lyrl2004_vectors(
    path: str | os.PathLike[str], *, dates: str | os.PathLike[str] | None = None
) -> VectorCorpus:
    """Stories as ltc vectors, weighted by the document frequencies of LYRL2004's training set.

    Parameters
    ----------
    path
        Folder with the files ``lyrl2004_vectors_*.dat`` and ``rcv1-v2.topics.qrels``, also gzipped.
    dates
        Table of the stories' days, as for `read_lyrl2004_tokens`.
    """
    folder = Path(path)
    ids: list[int] = []
    blocks: list[sparse.csr_matrix] = []
    notes: list[str] = []
    for file in _files(folder, "lyrl2004_vectors_*.dat"):
        data = whole(file)
        notes += remarks(data, file.name)
        try:  # the id stands where svmlight has the target
            vectors, numbers = svmlight(data, n_features=N_FEATURES, zero_based=False)
        except ValueError as error:
            raise ValueError(f"{file} cannot be read: {error}; {WHOLE}") from None
        blocks.append(vectors)
        ids += numbers.astype(np.int64).tolist()
    stories, reasons, others = _stories(folder, ids, dates)
    classes = tuple(sorted(set(stories["topics"].explode())))
    return VectorCorpus(
        "RCV1-v2",
        vectors=stacked(blocks)[stories["row"].to_numpy()],
        indicator=indicator(stories["topics"], classes),
        classes=classes,
        periods=None if dates is None else stories["day"],
        dropped=reasons.total(),
        notes=(*notes, *others),
    )


def _stories(
    folder: Path, ids: list[int], dates: str | os.PathLike[str] | None
) -> tuple[pl.DataFrame, Counter[str], tuple[str, ...]]:
    """Columns row, topics and day of the stories that can be used; why others cannot; notes."""
    if not ids:
        raise ValueError(f"the files in {folder} have no stories; {WHOLE}")
    qrels = _qrels(_files(folder, "rcv1-v2.topics.qrels")[0])
    known = pl.col("topic").is_in(list(TOPICS))
    unknown = Counter(qrels.filter(~known)["topic"])
    topics = qrels.filter(known).group_by("id").agg(topics=pl.col("topic").unique().sort())
    stories = pl.DataFrame({"id": ids}, schema={"id": pl.Int64}).with_row_index("row")
    stories = stories.join(topics, on="id", how="left", maintain_order="left")
    faults = {SEEN_BEFORE: ~pl.col("id").is_first_distinct(), NO_TOPIC: pl.col("topics").is_null()}
    if dates is not None:
        stories = stories.join(_days(Path(dates)), on="id", how="left", maintain_order="left")
        faults[NO_DATE] = pl.col("day").is_null()
    reasons = Counter[str]()
    stories = usable(stories, faults, reasons)
    notes = (*left_out(reasons), *unknown_topics(unknown, "RCV1-v2"))
    if stories.is_empty():
        raise ValueError(f"no story of {folder} can be used: {'; '.join(notes)}")
    return stories, reasons, notes


def _files(folder: Path, pattern: str) -> list[Path]:
    """The files of that name, also gzipped; there must be one."""
    found = sorted([*folder.glob(pattern), *folder.glob(pattern + ".gz")])
    if not found:
        raise missing(folder, f"file {pattern}", SOURCE)
    return found


def _qrels(file: Path) -> pl.DataFrame:
    """Columns topic and id: which story has which topic, ancestors included."""
    lines = _lines(file)
    fields = lines.str.extract_groups(r"^(?<topic>\S+)\s+(?<id>\d+)\s+1\s*$").struct.unnest()
    _check_lines(file, lines, fields["id"].is_null(), "a topic, an id and 1, as in E11 2286 1")
    return fields.drop_nulls().cast({"id": pl.Int64})


def _days(file: Path) -> pl.DataFrame:
    """Columns id and day, from a table that may have a header."""
    lines = _lines(file)
    pattern = r'^"?(?<id>\d+)"?[\s,;]+"?(?<day>\d{4}-?\d{2}-?\d{2})\b'
    fields = lines.str.extract_groups(pattern).struct.unnest()
    wrong = fields["id"].is_null()
    wrong[0] = False
    _check_lines(file, lines, wrong, "an id and a date, as in 2286,1996-08-20")
    days = fields.drop_nulls().select(
        pl.col("id").cast(pl.Int64),
        pl.col("day").str.replace_all("-", "").str.to_date("%Y%m%d", strict=False),
    )
    days = days.unique()
    if len(twice := days.filter(pl.col("id").is_duplicated())):
        raise ValueError(f"{file} has two dates for story {twice['id'][0]}; keep one")
    return days


def _lines(file: Path) -> pl.Series:
    """The lines of a table of plain text."""
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {file}")
    return pl.Series(decode(whole(file), file, "ascii", advice=WHOLE).split("\n"))


def _check_lines(file: Path, lines: pl.Series, wrong: pl.Series, expected: str) -> None:
    """Raise if a line that is not blank is wrong."""
    if len(at := (wrong & (lines.str.strip_chars() != "")).arg_true()):
        line = str(lines[at[0]])[:40]
        raise ValueError(f"{file}, line {at[0] + 1}: {line!r} is not {expected}")
