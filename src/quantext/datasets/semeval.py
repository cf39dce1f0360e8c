"""SemEval-2016 and 2017, Task 4: tweets with their sentiment, a bag for each topic.

The format is that of the organisers' READMEs. A tweet is a line, with tabs between its id, its
topic (not in subtask A), its label and its text; nothing is quoted. Labels of subtask A are
positive, neutral and negative, those of B and D positive and negative, those of C and E −2 to 2, in
order. The organisers gave out no texts; a script of theirs got them from Twitter, and writes ``Not
Available`` for a tweet that is no longer there. In the test files of the contest the labels are
``UNKNOWN``; they came later, in files without texts, for B and D as
``SemEval2016_task4_subtaskB_test_gold.txt``. Lines may end with a tab. What 2017 took over from
2015 for B and D includes neutral tweets, to be passed over, and some tweets occur several times.

Subtask D is ranked by the mean over the topics of KLD, smoothed as ours is; subtask E by that of
the earth mover's distance, which is the normalised match distance times 4 (Nakov et al., 2016,
"SemEval-2016 Task 4: Sentiment Analysis in Twitter").
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import polars as pl

from quantext.datasets._sources import SEEN_BEFORE, left_out, missing, usable, whole
from quantext.texts.corpus import Corpus
from quantext.texts.encoding import decode
from quantext.wording import listed

__all__ = ["PUBLISHED", "SPLIT", "read_semeval"]

SOURCE = "the organisers of SemEval-2016 and 2017, as the data of Task 4"

# Topics of the test of 2016, in all subtasks but A.
PUBLISHED = {"bags": 100}

SPLIT = {"protocol": "given"}

# Subtasks that have the same tweets and labels.
CLASSES: Mapping[str, tuple[str, ...]] = {
    "A": ("negative", "neutral", "positive"),
    "BD": ("negative", "positive"),
    "CE": ("-2", "-1", "0", "1", "2"),
}

GONE = "with the text Not Available"
NO_TEXT = "without a text"
NO_LABEL = "whose label is in no file"
TESTED = "to train on that are in the test too"
NEUTRAL = "labelled neutral, which is no class of the subtask,"

_LABELS = frozenset(name for names in CLASSES.values() for name in names)
_UNKNOWN = ("unknown", "unknwn", "")
_SUBTASK = re.compile(r"(?:^|[-_. ]|subtasks?|test|train|dev)(A|BD?|CE?|D|E)(?=[-_. ]|$)")
_TEST = re.compile("(?<!dev)test", re.IGNORECASE)
_YEAR = re.compile(r"20[12]\d")


class _Tweet(NamedTuple):
    """A line; id and topic are empty, label and text None, where there is none."""

    id: str
    topic: str
    label: str | None
    text: str | None
    tested: bool


def read_semeval(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    subtask: Literal["A", "B", "C", "D", "E"] = "D",
    train: str | Sequence[str] = (),
    test: str | Sequence[str] = (),
    language: Literal["english", "arabic"] = "english",
    encoding: str = "utf-8",
) -> Corpus:
    """Tweets with their labels and topics; each topic of the test is a bag.

    In subtask A, which has no topics, the test is one bag. B and D have the same tweets, and so
    have C and E.

    Parameters
    ----------
    path
        Folder with the files, or files; also gzipped. A file that has a header with ``label`` and
        ``text``, and perhaps ``topic``, ``id`` and ``split``, is read by these names; split is
        train, dev or devtest, all to train on, or test.
    subtask
        Its letter. In a folder, names of files tell their subtask, as in
        ``100_topics_XXX_tweets.topic-two-point.subtask-BD.train.gold.txt``.
    train, test
        Patterns of the names of files to train on and to test on, as ``"part1-*.tsv"``, where names
        do not tell: a test has ``test`` in its name, but not ``devtest``, and is of the latest
        year. All else is to train on, earlier tests too.
    language
        Of the files in a folder. Arabic ones have that in their names.
    encoding
        Of the files.
    """
    if subtask not in set("ABCDE"):
        raise ValueError(f"subtask {subtask!r} is unknown; choose one of A, B, C, D and E")
    same = next(letters for letters in CLASSES if subtask in letters)
    roots = [Path(one) for one in ([path] if isinstance(path, str | os.PathLike) else path)]
    files = _files(roots, same, _patterns(train), _patterns(test), language == "arabic")
    lines = [tweet for file, part in files.items() for tweet in _tweets(file, part, same, encoding)]
    gold = {(tweet.id, tweet.topic): tweet.label for tweet in lines if tweet.text is None}
    tweets = [
        tweet if tweet.label else tweet._replace(label=gold.get((tweet.id, tweet.topic)))
        for tweet in lines
        if tweet.text is not None
    ]
    reasons = Counter[str]()
    schema = [*((name, pl.String) for name in _Tweet._fields[:-1]), ("tested", pl.Boolean)]
    table = usable(pl.DataFrame(tweets, schema=schema, orient="row"), _faults(same), reasons)
    notes = left_out(reasons)
    for part, there in (("test", table["tested"]), ("training", ~table["tested"])):
        if not there.any():
            raise ValueError(
                f"there are no {part} tweets that have text and label in "
                f"{listed(map(str, files), most=5)}; name files with them as train= and test=, or "
                f"put the file of the labels beside them ({'; '.join(notes) or 'none left out'})"
            )
    years = [year for file in files for year in _YEAR.findall(file.name)]
    bag = pl.lit("test") if same == "A" else pl.col("topic")
    return Corpus(
        f"SemEval{f'-{max(years)}' if years else ''} Task 4{subtask}",
        texts=table["text"],
        labels=table["label"],
        groups=None if same == "A" else table["topic"],
        bags=table.select(bag=pl.when("tested").then(bag))["bag"],
        classes=CLASSES[same],
        dropped=reasons.total(),
        notes=notes,
    )


def _faults(same: str) -> dict[str, pl.Expr]:
    """Why a tweet cannot be used."""
    # Tests are taken as they are; training data is of several years, and some of it repeated.
    again = ~pl.struct("tested", "id", "topic", "text").is_first_distinct()
    return {
        GONE: pl.col("text") == "Not Available",
        NO_TEXT: pl.col("text") == "",
        NO_LABEL: pl.col("label").is_null(),
        NEUTRAL: ~pl.col("label").is_in(CLASSES[same]),
        SEEN_BEFORE: ~pl.col("tested") & (pl.col("id") != "") & again,
        TESTED: ~pl.col("tested") & pl.col("tested").any().over("id", "topic", "text"),
    }


# Files --------------------------------------------------------------------------------------------


def _files(
    roots: Sequence[Path], same: str, train: Sequence[str], test: Sequence[str], arabic: bool
) -> dict[Path, bool]:
    """The files, and whether each is a test."""
    found: dict[Path, bool | None] = {}
    wanted = f"files of subtask {' or '.join(same)} by their names"
    for root in roots:
        if not root.exists():
            raise missing(root, wanted, SOURCE)
        inside = sorted(file for file in root.rglob("*") if file.is_file())
        for file in inside if root.is_dir() else [root]:
            if any(file.match(pattern) for pattern in (*train, *test)):
                found[file] = any(file.match(pattern) for pattern in test)
            elif file == root or _is_of(file.name, same, arabic):
                found[file] = None
    if not found:
        raise missing(roots[0], wanted, SOURCE)
    years = {f: max(_YEAR.findall(f.name), default="") for f in found if _TEST.search(f.name)}
    latest = max(years.values(), default="")
    # Where tests are named, no other file is one, whatever it is called.
    return {
        file: not test and years.get(file) == latest if named is None else named
        for file, named in found.items()
    }


def _is_of(name: str, same: str, arabic: bool) -> bool:
    """Whether a file in a folder is one of the subtask's, by its name."""
    name = name.removesuffix(".gz")
    letters = set("".join(_SUBTASK.findall(name)))
    return (
        bool(letters & set(same))
        and name.endswith((".txt", ".tsv"))
        and ".input." not in name.lower()
        and ("arabic" in name.lower()) == arabic
        # Files of labels for D and E have shares; their tweets' labels are in those for B and C.
        and not (letters <= {"D", "E"} and "test_gold" in name)
    )


def _patterns(patterns: str | Sequence[str]) -> tuple[str, ...]:
    return (patterns,) if isinstance(patterns, str) else tuple(patterns)


# Lines --------------------------------------------------------------------------------------------


def _tweets(file: Path, tested: bool, same: str, encoding: str) -> Iterator[_Tweet]:
    """The tweets of a file; without texts, if it is one of labels."""
    # A tweet may hold characters that splitlines takes for the end of a line.
    text = decode(whole(file), file, encoding)
    lines = [(k, line.rstrip("\r")) for k, line in enumerate(text.split("\n"), 1) if line.strip()]
    columns = lines[0][1].lower().split("\t")
    if {"label", "text"} <= set(columns):
        del lines[0]
    else:
        columns = ["id", "label", "text"] if same == "A" else ["id", "topic", "label", "text"]
        bare = [line.rstrip("\t").split("\t") for _, line in lines]
        if all(len(fields) <= 3 and _name(fields[-1]) in _LABELS for fields in bare):
            # A file of labels, which are last; that of subtask A has another column before.
            columns.remove("text")
            n = len(columns) - 1
            lines = [
                (k, "\t".join((*fields[:n], fields[-1])))
                for (k, _), fields in zip(lines, bare, strict=True)
            ]
    if same != "A" and "topic" not in columns:
        raise ValueError(f"{file}, line 1: there is no column topic, but {listed(columns)}")
    for number, line in lines:
        where = f"{file}, line {number}"
        fields = line.split("\t", len(columns) - 1)
        if len(fields) < len(columns) - ("text" in columns):
            raise ValueError(f"{where}: {len(fields)} columns; expected {listed(columns)}")
        row = {name: field.strip() for name, field in zip(columns, fields, strict=False)}
        if (split := row.get("split")) not in (None, "train", "dev", "devtest", "test"):
            raise ValueError(f"{where}: split {split!r} is not train, dev, devtest or test")
        yield _Tweet(
            row.get("id", ""),
            row.get("topic", ""),
            _label(row["label"], same, where),
            row.get("text", "") if "text" in columns else None,
            tested if split is None else split == "test",
        )


def _label(field: str, same: str, where: str) -> str | None:
    """The label by its usual name; None if it is unknown."""
    name = _name(field)
    if name in _UNKNOWN:
        return None
    if name not in CLASSES[same] and (name != "neutral" or same != "BD"):
        expected = listed(CLASSES[same], "or")
        raise ValueError(f"{where}: label {field!r} is unknown; expected {expected}")
    return name


def _name(label: str) -> str:
    """Its usual name: earlier years have ``objective-OR-neutral``, and numbers may have a point."""
    name = label.strip().strip('"').lower()
    if re.fullmatch(r"[+-]?\d+(\.0*)?", name):
        return str(int(float(name)))
    return "neutral" if name.startswith("objective") else name
