"""arXiv: titles and abstracts of papers with their categories, from metadata in JSON Lines."""

import gzip
import json
import os
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, Literal

import polars as pl

from quantext.datasets._sources import NO_DATE, SEEN_BEFORE, WHOLE, left_out, missing, usable
from quantext.texts.corpus import Corpus
from quantext.texts.encoding import DAMAGE
from quantext.texts.jsonl import parse_jsonl
from quantext.texts.periods import as_date

__all__ = ["PUBLISHED", "SPLIT", "read_arxiv"]

SOURCE = "arXiv, as its metadata snapshot (Cornell University, arXiv Dataset)"

PUBLISHED: dict[str, float] = {}  # the snapshot grows every week

SPLIT = {"by": "week", "train_periods": 12, "test_periods": 52}

FORMAT = "arXiv metadata in JSON Lines, with id, title, abstract, categories and date or versions"

# Keys that may date a paper, the best first: its day; its versions; the last change to its record.
DATES = ("date", "versions", "update_date")


def read_arxiv(
    path: str | os.PathLike[str],
    *,
    since: date | str | None = None,
    before: date | str | None = None,
    labels: Literal["categories", "archives"] = "categories",
    block_bytes: int = 1 << 25,
) -> Corpus:
    """Papers with their categories and the days on which they were first submitted.

    One JSON object a line, with ``id``, ``title``, ``abstract``, ``categories`` (a list, or names
    divided by blanks) and ``date`` or, as in the public snapshot, ``versions``. It is read in
    blocks, so that a range of dates takes no more memory than its papers.

    Parameters
    ----------
    path
        The file, also gzipped.
    since, before
        Papers from the first date to the day before the second, as dates or as ``"2018-01-31"``;
        all by default.
    labels
        ``"categories"``, as cs.CL and math.CO, or the ``"archives"`` that have them, cs and math.
    block_bytes
        What is parsed at a time: what bounds the memory, beside the papers that are kept.
    """
    source = Path(path)
    if not source.is_file():
        raise missing(source, "file of " + FORMAT, SOURCE)
    if labels not in ("categories", "archives"):
        raise ValueError(f"labels {labels!r} is unknown; choose one of categories, archives")
    start = date.min if since is None else as_date("since", since)
    end = date.max if before is None else as_date("before", before)
    day = pl.col("day")
    faults = {
        NO_DATE: day.is_null(),
        f"before {start}": day < start,
        f"of {end} or later": day >= end,
        "without a category": pl.col("categories").list.len().fill_null(0) == 0,
        "without a text": ~pl.col("text").str.contains(r"\S"),
    }
    reasons = Counter[str]()
    try:
        blocks = [usable(papers, faults, reasons) for papers in _papers(source, block_bytes)]
    except DAMAGE as error:
        raise ValueError(f"{source} cannot be read: {error}; {WHOLE}") from error
    if not blocks:
        raise ValueError(f"{source} is empty; {WHOLE}")
    repeated = {SEEN_BEFORE: ~pl.col("id").is_first_distinct()}
    papers = usable(pl.concat(blocks), repeated, reasons)
    if papers.is_empty():
        raise ValueError(f"no paper of {source} can be used: {'; '.join(left_out(reasons))}")
    names = papers["categories"]
    if labels == "archives":
        archive = pl.element().str.extract(r"^([^.]+)")
        names = names.list.eval(archive.unique(maintain_order=True))
    return Corpus(
        "arXiv",
        texts=papers["text"],
        labels=names,
        periods=papers["day"],
        dropped=reasons.total(),
        notes=left_out(reasons),
    )


def _papers(source: Path, block_bytes: int) -> Iterator[pl.DataFrame]:
    """Columns id, text, categories and day of the papers, a block of the file at a time."""
    schema: dict[str, Any] = dict.fromkeys(("id", "title", "abstract"), pl.String())
    dated = ""
    for block, lines_and_bytes in _blocks(source, block_bytes):
        if not dated:
            example = _first(block, source)
            dated = next(key for key in DATES if key in example)
            is_list = isinstance(example["categories"], list)
            schema["categories"] = pl.List(pl.String()) if is_list else pl.String()
            created = pl.List(pl.Struct({"created": pl.String()}))
            schema[dated] = created if dated == "versions" else pl.String()
        table = parse_jsonl(block, source, schema=schema, advice=WHOLE, before=lines_and_bytes)
        day = (
            pl.col("versions")
            .list.first()
            .struct.field("created")
            .str.extract(r"(\d{1,2} [A-Z][a-z]{2} \d{4})")
            .str.to_date("%d %b %Y", strict=False)
            if dated == "versions"
            else pl.col(dated).str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
        )
        names = pl.col("categories") if is_list else pl.col("categories").str.extract_all(r"\S+")
        text = pl.concat_str("title", "abstract", separator="\n", ignore_nulls=True)
        yield table.select("id", text=text, categories=names, day=day).collect()


def _first(block: bytes, source: Path) -> dict[str, Any]:
    """The first paper, which tells which of the formats this is."""
    line = block.lstrip().partition(b"\n")[0]
    parse_jsonl(line, source, advice=WHOLE)  # for its errors
    paper: dict[str, Any] = json.loads(line)
    if absent := {"id", "title", "abstract", "categories"}.difference(paper):
        raise ValueError(f"{source}, line 1 has no {', '.join(sorted(absent))}; expected {FORMAT}")
    if not set(DATES).intersection(paper):
        raise ValueError(f"{source}, line 1 has no date and no versions; expected {FORMAT}")
    return paper


def _blocks(source: Path, block_bytes: int) -> Iterator[tuple[bytes, tuple[int, int]]]:
    """Blocks of whole lines, and how many lines and bytes come before each."""
    with source.open("rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    with gzip.open(source) if zipped else source.open("rb") as file:
        n_lines, n_bytes = 0, 0
        while block := file.read(block_bytes):
            block += file.readline()
            yield block, (n_lines, n_bytes)
            n_lines += block.count(b"\n")
            n_bytes += len(block)
