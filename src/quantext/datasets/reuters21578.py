"""Reuters-21578: newswire stories of 1987 with their topics, from the 22 SGML files."""

import html
import os
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import polars as pl

from quantext.datasets._sources import (
    NO_DATE,
    SEEN_BEFORE,
    WHOLE,
    left_out,
    missing,
    tar_members,
    unknown_topics,
)
from quantext.texts.corpus import Corpus

__all__ = ["PUBLISHED", "SPLIT", "read_reuters21578"]

SOURCE = (
    "the UCI Machine Learning Repository, as Reuters-21578 Text Categorization Collection, or from "
    "its author, David D. Lewis, as Reuters-21578, Distribution 1.0"
)

# The collection's own README.
PUBLISHED = {"documents in the files": 21_578, "documents": 13_476, "classes": 120}

SPLIT = {"by": "day", "train_until": "1987-03-16", "min_size": 100}

N_FILES = 22
TOPIC_LIST = "all-topics-strings.lc.txt"
NOT_INDEXED = 'without TOPICS="YES", which no indexer looked at,'

_STORY = re.compile(r"<REUTERS\s([^>]*)>(.*?)</REUTERS>", re.DOTALL)
_TEXT = re.compile(r"<TEXT[^>]*>(.*?)</TEXT>", re.DOTALL)
_PARTS = re.compile(r"<(TITLE|BODY)>(.*?)</\1>", re.DOTALL)
_TOPICS = re.compile(r"<TOPICS>(.*?)</TOPICS>", re.DOTALL)
_DATE = re.compile(r"<DATE>\s*(\d{1,2})-([A-Z]{3})-(\d{4})")  # the time of day may be mangled
_MONTHS = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"


def read_reuters21578(path: str | os.PathLike[str]) -> Corpus:
    """Stories with ``TOPICS="YES"``, their topics and days.

    These are the stories that an indexer looked at; many have no topic all the same. The text is
    title and body, without dateline and author, or everything there is where a story is not
    divided.

    Parameters
    ----------
    path
        Folder with the files ``reut2-000.sgm`` to ``reut2-021.sgm``, or a tar archive of them,
        compressed or not.
    """
    source = Path(path)
    files = sorted(_files(source))
    known = {topic for name, data in files if name == TOPIC_LIST for topic in data.decode().split()}
    files = [file for file in files if file[0] != TOPIC_LIST]
    if not files:
        raise missing(source, "files reut2-000.sgm to reut2-021.sgm", SOURCE)
    texts, labels, days = [], [], []
    seen: set[str] = set()
    reasons, unknown = Counter[str](), Counter[str]()
    for name, data in files:
        for attributes, story in _stories(data.decode("latin-1"), f"{source}, {name}"):
            day = _day(story)
            indexed = attributes.get("TOPICS") == "YES"
            repeated = attributes.get("NEWID", "") in seen
            seen.add(attributes.get("NEWID", ""))
            if repeated or not indexed or day is None:
                reasons[SEEN_BEFORE if repeated else NO_DATE if indexed else NOT_INDEXED] += 1
                continue
            topics = _topics(story)
            unknown.update(topic for topic in topics if known and topic not in known)
            labels.append([topic for topic in topics if not known or topic in known])
            texts.append(_text(story))
            days.append(day)
    if not texts:
        raise ValueError(f'{source} has no document with TOPICS="YES" and a date; {WHOLE}')
    present = {name for name, _ in files}
    absent = [name for k in range(N_FILES) if (name := f"reut2-{k:03}.sgm") not in present]
    return Corpus(
        "Reuters-21578",
        texts=pl.Series(texts),
        labels=pl.Series(labels, dtype=pl.List(pl.String)),
        periods=pl.Series(days),
        dropped=reasons.total(),
        notes=(
            *([f"of the {N_FILES} files, {', '.join(absent)} are not there"] if absent else []),
            *left_out(reasons),
            *unknown_topics(unknown, TOPIC_LIST),
        ),
    )


def _files(source: Path) -> Iterator[tuple[str, bytes]]:
    """Name in lower case and contents of the SGML files and of the list of topics."""
    endings = (".sgm", TOPIC_LIST)
    if source.is_dir():
        for path in source.rglob("*"):
            if path.name.lower().endswith(endings):
                yield path.name.lower(), path.read_bytes()
    elif source.is_file():
        for name, data in tar_members(source, endings):
            yield name.lower(), data


def _stories(content: str, where: str) -> Iterator[tuple[dict[str, str], str]]:
    """Attributes and inside of each story."""
    stories = _STORY.findall(content)
    if not stories:
        raise ValueError(f"{where} has no <REUTERS> element in latin-1; {WHOLE}")
    rest = content.rpartition("</REUTERS>")[2]
    if rest.strip() or content.count("<REUTERS ") != len(stories):
        raise ValueError(
            f"{where} is cut off or damaged: at most {len(stories)} stories are whole; {WHOLE}"
        )
    for tag, inside in stories:
        yield dict(re.findall(r'(\w+)="([^"]*)"', tag)), inside


def _day(story: str) -> date | None:
    """The story's day; None if there is none or none of that name."""
    found = _DATE.search(story)
    try:
        return found and date(int(found[3]), _MONTHS.index(found[2]) // 3 + 1, int(found[1]))
    except ValueError:
        return None


def _topics(story: str) -> list[str]:
    """The story's topics, each once: two stories repeat one."""
    found = _TOPICS.search(story)
    return list(dict.fromkeys(re.findall("<D>(.*?)</D>", found[1]))) if found else []


def _text(story: str) -> str:
    """Title and body; all of the text where it is not divided."""
    found = _TEXT.search(story)
    if found is None:
        return ""
    parts = [part for _, part in _PARTS.findall(found[1])] or [re.sub("<[^>]*>", " ", found[1])]
    return html.unescape("\n".join(parts))
