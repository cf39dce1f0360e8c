"""Two corpora with dates, as vectors: a training set and one bag for each later period.

They are read from a folder that is no part of this project; see `folder_argument`.
"""

import argparse
import gzip
import html
import json
import re
import tarfile
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np

from quantext.text import LtcVectorizer

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
    documents = []
    with tarfile.open(folder / "reuters21578.tar.xz") as archive:
        for member in sorted(archive.getmembers(), key=lambda member: member.name):
            if member.name.endswith(".sgm"):
                file = archive.extractfile(member)
                documents += _reuters_documents(file.read().decode("latin-1"))
    first_test_day = date(1987, 3, 16)
    return _split("Reuters-21578", documents, first_test_day, lambda day: day.toordinal(), 100)


def arxiv(folder: Path) -> Split:
    """Abstracts on arXiv: train on the first 12 weeks of 2018, one bag for each of 52 weeks."""
    start = date(2018, 1, 1).toordinal()
    documents = []
    with gzip.open(folder / "arxiv_2018_2019.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            paper = json.loads(line)
            day = date.fromisoformat(paper["date"])
            if (day.toordinal() - start) // 7 < 64:
                text = f"{paper['title']}\n{paper['abstract']}"
                documents.append((day, text, paper["categories"]))
    first_test_day = date.fromordinal(start + 12 * 7)
    return _split("arXiv", documents, first_test_day, lambda day: (day.toordinal() - start) // 7, 1)


def _reuters_documents(sgml: str):
    for attributes, body in re.findall(r"<REUTERS(.*?)>(.*?)</REUTERS>", sgml, re.DOTALL):
        if 'TOPICS="YES"' in attributes:
            day = re.search(r"<DATE>\s*(\d+-\w+-\d+)", body)[1]
            topics = re.findall(r"<D>(.*?)</D>", re.search(r"<TOPICS>(.*?)</TOPICS>", body)[1])
            text = re.search(r"<TEXT.*?>(.*)</TEXT>", body, re.DOTALL)[1]
            text = html.unescape(re.sub(r"<[^>]*>", " ", text))
            yield datetime.strptime(day, "%d-%b-%Y").date(), text, topics


def _split(name, documents, first_test_day, period_of, smallest_bag) -> Split:
    train = [document for document in documents if document[0] < first_test_day]
    periods = defaultdict(list)
    for document in documents:
        if document[0] >= first_test_day:
            periods[period_of(document[0])].append(document)
    classes = sorted({label for _, _, labels in train for label in labels})
    place = {label: j for j, label in enumerate(classes)}

    def indicator(part):
        Y = np.zeros((len(part), len(classes)), dtype=np.int8)
        for i, (_, _, labels) in enumerate(part):
            Y[i, [place[label] for label in labels if label in place]] = 1
        return Y

    vectorizer = LtcVectorizer().fit([text for _, text, _ in train])
    bags = [part for _, part in sorted(periods.items()) if len(part) >= smallest_bag]
    vectors = [vectorizer.transform([text for _, text, _ in part]) for part in (train, *bags)]
    labels = [indicator(part) for part in (train, *bags)]
    return Split(name, vectors[0], labels[0], list(zip(vectors[1:], labels[1:], strict=True)))
