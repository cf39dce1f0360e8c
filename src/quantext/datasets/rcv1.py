"""RCV1-v2: a year of Reuters newswire with its topics, from the licensed XML files."""

import os
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl

from quantext.datasets._sources import (
    ARCHIVE_DAMAGE,
    NO_DATE,
    SEEN_BEFORE,
    WHOLE,
    left_out,
    missing,
    unknown_topics,
    usable,
)
from quantext.texts.corpus import Corpus

__all__ = ["PUBLISHED", "SPLIT", "TOPICS", "read_rcv1", "with_ancestors"]

SOURCE = (
    "the US National Institute of Standards and Technology, as Reuters Corpora (RCV1), licensed"
)

# Lewis et al. (2004) for the collection; Esuli & Sebastiani (2015), Table 1, for the split by date.
PUBLISHED = {
    "documents in the files": 806_791,
    "documents": 804_414,
    "classes": 103,
    "tasks": 99,
    "features": 53_204,
    "training documents": 12_807,
    "training positives, min": 2,
    "training positives, max": 5_581,
    "training positives, mean": 397,
    "training prevalence, min": 0.0001,
    "training prevalence, max": 0.4375,
    "training prevalence, mean": 0.0315,
    "test documents": 791_607,
    "bags": 52,
    "documents a bag": 15_212,
    "test positives, min": 0,
    "test positives, max": 9_775,
    "test positives, mean": 494,
    "test prevalence, min": 0.0,
    "test prevalence, max": 0.5344,
    "test prevalence, mean": 0.0323,
}

SPLIT = {"by": "week", "train_periods": 1}

NO_TOPIC = "without a topic code"
NO_REGION = "without a region code"

_TOPICS = """
CCAT C11 C12 C13 C14 C15 C151 C1511 C152 C16 C17 C171 C172 C173 C174 C18 C181 C182 C183 C21 C22 C23
C24 C31 C311 C312 C313 C32 C33 C331 C34 C41 C411 C42
ECAT E11 E12 E121 E13 E131 E132 E14 E141 E142 E143 E21 E211 E212 E31 E311 E312 E313 E41 E411 E51
E511 E512 E513 E61 E71
GCAT G15 G151 G152 G153 G154 G155 G156 G157 G158 G159 GCRIM GDEF GDIP GDIS GENT GENV GFAS GHEA GJOB
GMIL GOBIT GODD GPOL GPRO GREL GSCI GSPO GTOUR GVIO GVOTE GWEA GWELF
MCAT M11 M12 M13 M131 M132 M14 M141 M142 M143
"""
TOPICS = frozenset(_TOPICS.split())

SCHEMA = {
    "id": pl.String(),
    "day": pl.Date(),
    "text": pl.String(),
    "topics": pl.List(pl.String()),
    "has_region": pl.Boolean(),
}


def read_rcv1(path: str | os.PathLike[str]) -> Corpus:
    """Stories with their topics, ancestors included, and days.

    As in RCV1-v2, stories without a topic code or without a region code are left out, the latter
    where the files have region codes at all, and missing ancestors of topics are added. The text
    is title and body.

    Parameters
    ----------
    path
        Folder with a zip file of XML files for each day, ``19960820.zip`` to ``19970819.zip``, or
        with the XML files themselves, also in folders; or one such zip file.
    """
    source = Path(path)
    reasons, unknown = Counter[str](), Counter[str]()
    days = [
        pl.DataFrame(
            [_story(data, where, unknown) for where, data in files], schema=SCHEMA, orient="row"
        )
        for files in _days(source)
    ]
    if not days:
        raise missing(source, "zip or XML files of stories", SOURCE)
    stories = pl.concat(days)
    regional = bool(stories["has_region"].any())
    faults = {
        SEEN_BEFORE: ~pl.col("id").is_first_distinct(),
        NO_DATE: pl.col("day").is_null(),
        NO_TOPIC: pl.col("topics").list.len() == 0,
        NO_REGION: ~pl.col("has_region") if regional else pl.lit(False),
    }
    stories = usable(stories, faults, reasons)
    notes = (*left_out(reasons), *unknown_topics(unknown, "RCV1-v2"))
    if stories.is_empty():
        raise ValueError(f"no story of {source} can be used: {'; '.join(notes) or 'there is none'}")
    return Corpus(
        "RCV1-v2",
        texts=stories["text"],
        labels=stories["topics"],
        periods=stories["day"],
        dropped=reasons.total(),
        notes=notes,
    )


def with_ancestors(topics: Iterable[str]) -> list[str]:
    """The topics of RCV1-v2 among these, and all that they lie under.

    Examples
    --------
    >>> with_ancestors(["C1511", "GSPO", "X9"])
    ['C1511', 'C151', 'C15', 'CCAT', 'GSPO', 'GCAT']
    """
    found: dict[str, None] = {}
    for topic in topics:
        while topic in TOPICS and topic not in found:
            found[topic] = None
            topic = topic[:-1] if len(topic) > 3 and topic[1:].isdigit() else f"{topic[0]}CAT"
    return list(found)


def _days(source: Path) -> Iterator[Iterator[tuple[str, bytes]]]:
    """The XML files of each zip file and of each folder, with where they are."""
    files = [source] if source.is_file() else sorted(source.rglob("*"))
    for path in files:
        if path.suffix.lower() == ".zip":
            yield _zip_members(path)
    stories = (path for path in files if path.suffix.lower() == ".xml")
    for _, paths in groupby(stories, key=lambda path: path.parent):
        yield ((str(path), path.read_bytes()) for path in paths)


def _zip_members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Where each XML file in a zip file is, and its contents."""
    try:
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                if name.lower().endswith(".xml"):
                    yield f"{path}, {name}", archive.read(name)
    except ARCHIVE_DAMAGE as error:
        raise ValueError(f"{path} cannot be read: {error}; {WHOLE}") from error


def _story(data: bytes, where: str, unknown: Counter[str]) -> tuple[Any, ...]:
    """A row of the table of stories; codes that are no topics are counted in ``unknown``."""
    try:
        item = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise ValueError(f"{where} is not whole XML in its encoding: {error}; {WHOLE}") from None
    if item.tag != "newsitem" or "itemid" not in item.attrib:
        raise ValueError(f"{where} has no <newsitem> with an itemid; {WHOLE}")
    codes = {
        group.get("class"): [code.get("code", "") for code in group]
        for group in item.iterfind("metadata/codes")
    }
    topics = codes.get("bip:topics:1.0", [])
    unknown.update(topic for topic in topics if topic not in TOPICS)
    paragraphs = ("".join(paragraph.itertext()) for paragraph in item.iterfind("text/p"))
    try:
        day = date.fromisoformat(item.get("date", ""))
    except ValueError:
        day = None
    text = "\n".join([item.findtext("title", ""), *paragraphs])
    return (
        item.attrib["itemid"],
        day,
        text,
        with_ancestors(topics),
        bool(codes.get("bip:countries:1.0")),
    )
