"""OHSUMED: MEDLINE records of 1987 to 1991 with their MeSH terms, and OHSUMED-S of these."""

import difflib
import os
import re
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from quantext.datasets._sources import (
    NO_DATE,
    SEEN_BEFORE,
    WHOLE,
    left_out,
    missing,
    plain_text,
    remarks,
    usable,
    whole,
)
from quantext.texts.corpus import Corpus
from quantext.texts.encoding import decode

__all__ = ["PUBLISHED", "SPLIT", "read_ohsumed", "subtree"]

SOURCE = "Oregon Health & Science University (William Hersh), as the OHSUMED Test Collection"
TREE_SOURCE = "the US National Library of Medicine, as MeSH trees (mtrees….bin)"

# Hersh et al. (1994) for the files; Esuli & Sebastiani (2015), Table 1, for OHSUMED-S.
PUBLISHED = {
    "documents in the files": 348_566,
    "documents": 15_643,
    "classes": 97,
    "tasks": 88,
    "features": 11_286,
    "training documents": 2_510,
    "training positives, min": 1,
    "training positives, max": 782,
    "training positives, mean": 55,
    "training prevalence, min": 0.0004,
    "training prevalence, max": 0.3116,
    "training prevalence, mean": 0.0218,
    "test documents": 13_133,
    "bags": 4,
    "documents a bag": 3_283,
    "test positives, min": 0,
    "test positives, max": 1_250,
    "test positives, mean": 69,
    "test prevalence, min": 0.0,
    "test prevalence, max": 0.3532,
    "test prevalence, mean": 0.0209,
}

SPLIT = {"by": "year", "train_periods": 1}

SCHEMA = {
    "id": pl.String(),
    "day": pl.Date(),
    "title": pl.String(),
    "abstract": pl.String(),
    "terms": pl.List(pl.String()),
}

YEARS = range(1987, 1992)

_YEAR = re.compile(r"\.(\d\d)(-\d\d)?(\.gz)?$")
_ENTRY = re.compile(r" (\d\d)\d\d;")  # year and month of entry, as in "Am J Emerg Med 8703; 4(6)"


def read_ohsumed(
    path: str | os.PathLike[str],
    *,
    tree: str | os.PathLike[str] | None = None,
    root: str = "Heart Diseases",
    abstracts_only: bool = False,
) -> Corpus:
    """Records with at least one term of a subtree of MeSH: OHSUMED-S, for heart diseases.

    A record's labels are the terms of the subtree that it was given, without their qualifiers and
    without their ancestors. The text is title and abstract. Its year is that of its file, as
    ``ohsumed.87``; in a file of several years, as ``ohsumed.88-91``, that of its source field.

    Parameters
    ----------
    path
        Folder with the files ``ohsumed.87`` to ``ohsumed.91``, also gzipped.
    tree
        File of MeSH terms and their places in the tree, one a line: ``Heart Diseases;C14.280``.
        By default the file ``mtrees*.bin`` in the same folder. Terms change over the years; trees
        of the early nineties fit best.
    root
        Term at the top of the subtree; it is a class too.
    abstracts_only
        Leave out records without an abstract, a third of all. OHSUMED-S probably does: its 15,643
        records are 6.7% of those with an abstract and 4.5% of all, and "roughly 93%" are said to
        have no class.
    """
    folder = Path(path)
    files = [file for file in sorted(folder.glob("ohsumed.*")) if _YEAR.search(file.name)]
    if not files:
        raise missing(folder, "files ohsumed.87 to ohsumed.91", SOURCE)
    trees = sorted(folder.glob("mtrees*.bin")) if tree is None else [Path(tree)]
    if not trees or not trees[-1].is_file():
        raise missing(trees[-1] if trees else folder, "MeSH tree file, mtrees….bin", TREE_SOURCE)
    terms = subtree(trees[-1], root)
    faults = {
        f"without a term of {root}": pl.col("terms").list.len() == 0,
        NO_DATE: pl.col("day").is_null(),
        "without a title": pl.col("title") == "",
        "without an abstract": (pl.col("abstract") == "") & pl.lit(abstracts_only),
    }
    reasons, notes, frames = Counter[str](), list[str](), []
    for file in files:
        data = whole(file)
        notes += remarks(data, file.name)
        records = re.split(r"(?m)^\.I ", plain_text(data))[1:]
        rows = [_row(record, file, terms) for record in records]
        if not rows:
            raise ValueError(f"{file} has no records that begin with .I; {WHOLE}")
        frames.append(usable(pl.DataFrame(rows, schema=SCHEMA, orient="row"), faults, reasons))
    repeated = {SEEN_BEFORE: ~pl.col("id").is_first_distinct()}
    table = usable(pl.concat(frames), repeated, reasons)
    absent = set(YEARS).difference(table["day"].dt.year())
    notes += [f"there are no records of {year}" for year in sorted(absent)]
    notes += left_out(reasons)
    if table.is_empty():
        raise ValueError(f"no record of {folder} can be used: {'; '.join(notes)}")
    return Corpus(
        "OHSUMED-S",
        texts=table.select(pl.concat_str("title", "abstract", separator="\n"))["title"],
        labels=table["terms"],
        periods=table["day"],
        dropped=reasons.total(),
        notes=tuple(notes),
    )


def subtree(tree: str | os.PathLike[str], root: str) -> frozenset[str]:
    """The terms of MeSH at and under ``root``, which may stand in several places of the tree."""
    file = Path(tree)
    places: list[tuple[str, str]] = []
    text = decode(whole(file), file, "utf-8", advice=WHOLE)
    for number, line in enumerate(text.splitlines(), start=1):
        term, semicolon, place = line.strip().rpartition(";")
        if semicolon:
            places.append((term, place))
        elif place:
            raise ValueError(
                f"{file}, line {number}: {place[:40]!r} is not a term and its place, "
                "as in Heart Diseases;C14.280"
            )
    tops = tuple(place for term, place in places if term == root)
    if not tops:
        near = difflib.get_close_matches(root, {term for term, _ in places}, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"{file} has no term {root!r}{hint}")
    under = tuple(f"{top}." for top in tops)
    return frozenset(term for term, place in places if place in tops or place.startswith(under))


def _row(record: str, file: Path, terms: frozenset[str]) -> tuple[Any, ...]:
    """A record's row of the table."""
    number, *parts = re.split(r"\n\.([A-Z])[ \t]*(?=\n|$)", record.rstrip())
    fields = {name: content.strip() for name, content in zip(parts[::2], parts[1::2], strict=True)}
    # Terms look like "Human; Myocardial Infarction/*DT/TH; Coronary Disease/*." in field M.
    given = (
        term.partition("/")[0].strip(" *") for term in fields.get("M", "").rstrip(".").split(";")
    )
    return (
        fields.get("U", number.strip()),
        _year(fields.get("S", ""), file),
        fields.get("T", ""),
        fields.get("W", ""),
        [term for term in dict.fromkeys(given) if term in terms],
    )


def _year(source: str, file: Path) -> date | None:
    """First day of the year of the file, or of the source field if the file has several years."""
    named = _YEAR.search(file.name)
    found = named if named and not named[2] else _ENTRY.search(source)
    return date(1900 + int(found[1]), 1, 1) if found else None
