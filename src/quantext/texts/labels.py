"""Labels: a column's cells to labels or lists of labels, and those that are written in two ways."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from quantext.wording import listed

__all__ = [
    "TEXT",
    "check_few",
    "known_spellings",
    "label_counts",
    "labels_in",
    "merged_blocks",
    "merged_labels",
    "spelling_note",
    "stripped",
    "usual_spellings",
    "variants",
]

TEXT = (pl.String, pl.Categorical, pl.Enum, pl.Null)  # Null: a column without any value
# How programs write that a number is missing. NA, None and the like may well be classes.
_MISSING_LABELS = ("NaN", "nan")

_JOINERS = "\u200c\u200d"
_NUMBER = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?"
_NAMED = 5  # groups of labels in a sentence

_FEW = 50  # different labels, in which no one doubts
_OFTEN = 5  # times that a code is met on average
# RCV1 has about 100 classes, arXiv 149, occupations 436, tags of a forum some thousands.
_MOST_CODES, _MOST_LABELS, _MOST_TAGS = 1_000, 3_000, 10_000


def stripped(column: pl.Series) -> pl.Series:
    """The column as text without surrounding blanks, null where nothing is left."""
    return column.cast(pl.String).str.strip_chars().replace("", None)


def labels_in(column: pl.Series, separator: str | None, source: Path, n_rows: int) -> pl.Series:
    """Labels, or lists of labels, without surrounding blanks; null where they are missing."""
    where = f"{source}, column {column.name!r}"
    if isinstance(column.dtype, pl.Array):
        column = column.arr.to_list()
    dtype = column.dtype.inner if isinstance(column.dtype, pl.List) else column.dtype
    if not (dtype in TEXT or dtype == pl.Boolean or dtype.is_numeric()):
        raise ValueError(f"{where} holds {column.dtype}; labels are text, numbers or booleans")
    if column.dtype == pl.List:
        return _unique_labels(column)
    labels = stripped(column).replace(_MISSING_LABELS, None)
    if separator is not None:
        return _unique_labels(labels.str.split(separator))
    # Some programs write lists into a text column, and so does polars where JSON mixes the two.
    if len(lists := labels.str.contains(r"""^\[(["'].*["'])?\]$""").arg_true()):
        raise ValueError(
            f"{where}, row {n_rows + lists[0] + 1}: {labels[lists[0]]} is a list written as text; "
            "write lists in every row of a JSON Lines or Parquet file, or pass a separator"
        )
    return labels


def _unique_labels(lists: pl.Series) -> pl.Series:
    """Each label once, without surrounding blanks."""
    label = pl.element().cast(pl.String).str.strip_chars()
    given = ~label.is_in(["", *_MISSING_LABELS])
    return lists.list.eval(label.filter(given).unique(maintain_order=True))


def label_counts(labels: pl.Series) -> dict[str, int]:
    """How many documents have each label, in the order in which labels are first met.

    Parameters
    ----------
    labels
        As `labels_in` gives them.

    Examples
    --------
    >>> label_counts(pl.Series([["b", "a"], [], None, ["b"]]))
    {'b': 2, 'a': 1}
    """
    names = labels.explode() if labels.dtype == pl.List else labels
    met = names.drop_nulls().alias("label").to_frame()
    return dict(met.group_by("label", maintain_order=True).len().iter_rows())


# Labels that are written in two ways


def variants(labels: Iterable[str]) -> list[tuple[str, ...]]:
    """Groups of labels that are likely one, written in different ways, each in the order of input.

    They differ in capitals, blanks, marks at the end (. , ; :), in how a number is written (1 and
    1.0), or in what Unicode calls compatible: full and half width, composed and decomposed. Other
    marks may well mean something: A and A+, C and C#.

    Parameters
    ----------
    labels
        Distinct ones.

    Examples
    --------
    >>> variants(["Negative", "positive", "negative", "1", "1.0", "A", "A+"])
    [('Negative', 'negative'), ('1', '1.0')]
    """
    groups: dict[str, list[str]] = {}
    for label in labels:
        groups.setdefault(_likeness(label), []).append(label)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def _likeness(label: str) -> str:
    """What a label has in common with those that are likely the same."""
    text = unicodedata.normalize("NFKC", label)
    # Invisible, but for those that make one emoji, or one letter, of two.
    text = "".join(c for c in text if unicodedata.category(c) != "Cf" or c in _JOINERS)
    text = " ".join(unicodedata.normalize("NFKC", text.casefold()).split())
    text = text.rstrip(" .,;:") or text
    if re.fullmatch(_NUMBER, text):
        text = text.rstrip("0").rstrip(".") if "." in text else text
    return text


def usual_spellings(counts: Mapping[str, int]) -> dict[str, str]:
    """For labels that are likely another one: the way it is written most often, or first.

    Parameters
    ----------
    counts
        Of all labels.

    Examples
    --------
    >>> usual_spellings({"negative": 2, "good": 9, "Negative": 7, "NEGATIVE": 7})
    {'negative': 'Negative', 'NEGATIVE': 'Negative'}
    """
    usual: dict[str, str] = {}
    for group in variants(counts):
        best = max(group, key=lambda label: counts[label])  # of equals the first
        usual |= {label: best for label in group if label != best}
    return usual


def known_spellings(labels: Iterable[str], classes: Sequence[str]) -> dict[str, str]:
    """For labels that are no classes but likely one of them: that class.

    Parameters
    ----------
    labels
        Distinct ones.
    classes
        Of which those that are likely the same as another are left alone.

    Examples
    --------
    >>> known_spellings(["negative", "Good", "new"], ["Negative", "good"])
    {'negative': 'Negative', 'Good': 'good'}
    """
    alike: dict[str, list[str]] = {}
    for name in classes:
        alike.setdefault(_likeness(name), []).append(name)
    found = {label: alike.get(_likeness(label), []) for label in labels if label not in classes}
    return {label: names[0] for label, names in found.items() if len(names) == 1}


def merged_labels(labels: pl.Series, usual: Mapping[str, str]) -> pl.Series:
    """Labels, or lists of them, some of which are called otherwise.

    Parameters
    ----------
    labels
        As `labels_in` gives them.
    usual
        What to call those that are in it.

    Examples
    --------
    >>> merged_labels(pl.Series([["no", "No"], ["yes"]]), {"No": "no"}).to_list()
    [['no'], ['yes']]
    """
    if not usual:
        return labels
    old, new = list(usual), list(usual.values())
    if labels.dtype == pl.List:
        return labels.list.eval(pl.element().replace(old, new).unique(maintain_order=True))
    return labels.replace(old, new)


def merged_blocks(
    blocks: Iterable[tuple[int, pl.DataFrame]], classes: Sequence[str], merged: Counter[str]
) -> Iterator[tuple[int, pl.DataFrame]]:
    """The same blocks of documents, with labels called like the classes that they likely are.

    Parameters
    ----------
    blocks
        As `read_documents` gives them.
    classes
        That a model knows.
    merged
        Is told which labels were called otherwise, and how many documents had them.
    """
    for n_rows, table in blocks:
        if "label" in table.columns:
            counts = label_counts(table["label"])
            usual = known_spellings(counts, classes)
            merged.update({label: counts[label] for label in usual})
            table = table.with_columns(label=merged_labels(table["label"], usual))
        yield n_rows, table


def spelling_note(counts: Mapping[str, int], usual: Mapping[str, str], *, merged: bool) -> str:
    """A sentence on labels that are likely one.

    Parameters
    ----------
    counts
        Of all labels, before any were merged.
    usual
        As `usual_spellings` gives it; not empty.
    merged
        They were made one.

    Examples
    --------
    >>> spelling_note({"No": 1, "no": 7}, {"No": "no"}, merged=True)
    "labels that differ only in how they are written were merged: 'No' (1) into 'no' (7)"
    """
    groups: dict[str, list[str]] = {}
    for label, best in usual.items():
        groups.setdefault(best, []).append(label)

    def told(label: str) -> str:
        return f"{label!r} ({counts[label]:,})" if label in counts else repr(label)

    shown = list(groups.items())[:_NAMED]
    more = f"; and {len(groups) - len(shown):,} more" if len(groups) > len(shown) else ""
    if merged:
        pairs = "; ".join(f"{listed(map(told, own))} into {told(best)}" for best, own in shown)
        return f"labels that differ only in how they are written were merged: {pairs}{more}"
    pairs = "; ".join(listed(map(told, [best, *own])) for best, own in shown)
    return (
        f"labels differ only in how they are written: {pairs}{more}. Each counts as a class of its "
        "own; --merge-labels (merge_labels=True) makes them one"
    )


# Columns that have no labels


def check_few(labels: pl.Series, where: str) -> None:
    """Raise if there are so many different labels that the column must be another one.

    Whole numbers may well be codes, of which coding frames have some hundreds, if each is met a few
    times. Tags, of which a document has several, are many more than classes, and most are rare.

    Parameters
    ----------
    labels
        As `labels_in` gives them.
    where
        What a message calls the column.
    """
    counts = label_counts(labels)
    n_labels, n_given, n_rows = len(counts), sum(counts.values()), len(labels.drop_nulls())
    if n_labels <= _FEW:
        return
    rows = f"in {n_rows:,} rows"
    example = next(iter(counts))
    numbers = pl.Series(list(counts)).cast(pl.Float64, strict=False)
    codes = any(re.match("[+-]?0[0-9]", label) for label in counts)  # 0110 is a name
    if not numbers.null_count() and not codes:
        whole = bool((numbers == numbers.round()).all())
        if not whole or n_labels > _MOST_CODES or n_given < _OFTEN * n_labels:
            raise ValueError(
                f"{where} has {n_labels:,} different numbers {rows}, such as {example}: is this "
                "the right column? Labels are few; of numbers, make classes first (low, high)"
            )
    several = labels.dtype == pl.List
    most, often = (_MOST_TAGS, 1 / 0.9) if several else (_MOST_LABELS, 2)
    if n_labels > most or n_given < often * n_labels:
        raise ValueError(
            f"{where} has {n_labels:,} different labels {rows}, such as {example[:40]!r}: is this "
            "the right column? Labels are few, and documents of each are many"
        )
