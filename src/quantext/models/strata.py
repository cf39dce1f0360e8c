"""Strata to draw documents from: what models say of them, or what a column says."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.models.judged import label_sets
from quantext.vectors.answers import Answers, Numbers, read_answers

__all__ = ["MOST_STRATA", "Strata", "sorted_labels", "strata_by_column", "strata_by_models"]

Array = NDArray[Any]

MOST_STRATA = 20  # with 5 documents of each, a pilot of 100 has some of all
_RARE = 0.01  # share of documents below which what several models say together is put to the rest
_BINS = 5  # of the scores of one model
_BINS_OF_SEVERAL = 3  # of each of several models, for these multiply


@dataclass(frozen=True)
class Strata:
    """Groups of documents, each of which is in one.

    Parameters
    ----------
    codes
        Number of each document's stratum, shape (N,).
    names
        Their names, each another.
    """

    codes: NDArray[np.int64]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of documents in each."""
        return np.bincount(self.codes, minlength=len(self))

    def counts(self, rows: Array) -> NDArray[np.int64]:
        """How many of some documents are of each."""
        return np.bincount(self.codes[rows], minlength=len(self))


def strata_by_models(models: Sequence[Answers | Numbers]) -> Strata:
    """Strata by what models say: labels, no answer, bins of scores; of several, all together.

    Parameters
    ----------
    models
        What each says of all documents.

    Examples
    --------
    >>> from quantext.vectors.answers import read_proxy
    >>> strata = strata_by_models(read_proxy(["spam", "ham", None, "spam"]))
    >>> strata.names, strata.sizes.tolist()
    (('ham', 'spam', '(no answer)'), [1, 2, 1])
    """
    bins = _BINS if len(models) == 1 else _BINS_OF_SEVERAL
    parts = [_labels(m) if isinstance(m, Answers) else _binned(m, bins) for m in models]
    [whole, *others] = parts
    for part in others:
        pairs, codes = np.unique(whole.codes * len(part) + part.codes, return_inverse=True)
        names = [f"{whole.names[i // len(part)]} + {part.names[i % len(part)]}" for i in pairs]
        whole = Strata(codes.reshape(-1), tuple(names))
    return _without_rare(whole, _RARE * len(whole.codes) if others else 0.0)


def sorted_labels(model: Answers | Numbers, separator: str) -> Answers:
    """The answers with their labels in order, each once, so that the same ones are one answer.

    Parameters
    ----------
    model
        What it says of all documents, of which each may have several labels.
    separator
        What stands between them.

    Examples
    --------
    >>> sorted_labels(read_answers(["b|a", "a|b", "|", None]), "|").names
    ('(no label)', 'a|b', None)
    """
    if isinstance(model, Numbers):
        raise ValueError("with a separator the models must give labels, not numbers")
    sets = label_sets(model, separator)
    names = [None if own is None else separator.join(sorted(own)) or "(no label)" for own in sets]
    numbers = read_answers(names)
    return Answers(numbers.codes[model.codes], numbers.names, model.column)


def strata_by_column(values: Any, number: int) -> Strata:
    """Strata by the values of a column; a blank is one too.

    Parameters
    ----------
    values
        One for each document.
    number
        Of documents.
    """
    answers = read_answers(values, "strata")
    if len(answers) != number:
        raise ValueError(f"strata has {len(answers):,} values for {number:,} documents")
    return _without_rare(_labels(answers, "(blank)"), 0.0)


def _labels(answers: Answers, nothing: str = "(no answer)") -> Strata:
    return Strata(answers.codes, tuple(nothing if n is None else str(n) for n in answers.names))


def _binned(numbers: Numbers, bins: int) -> Strata:
    """As many documents in each bin as scores that are alike allow; of classes, the likeliest."""
    missing = np.asarray(np.isnan(numbers.values).any(axis=1))
    known = numbers.values[~missing]
    codes = np.zeros(len(missing), dtype=np.int64)
    if numbers.values.shape[1] > 1:
        likeliest, codes[~missing] = np.unique(known.argmax(axis=1), return_inverse=True)
        names = [f"highest in column {j + 1}" for j in likeliest]
    else:
        values = known[:, 0] if len(known) else np.zeros(1)
        inner = np.quantile(values, np.arange(1, bins) / bins)
        _, codes[~missing] = np.unique(np.searchsorted(inner, known[:, 0], side="left"),
                                       return_inverse=True)  # fmt: skip
        own = [known[codes[~missing] == b, 0] for b in range(codes.max() + 1 if len(known) else 0)]
        names = [f"{b.min():.4g} to {b.max():.4g}" for b in own]
        if len(set(names)) < len(names):
            names = [f"bin {b + 1}: {name}" for b, name in enumerate(names)]
    codes[missing] = len(names)
    return Strata(codes, (*names, "(no answer)") if missing.any() else tuple(names))


def _without_rare(strata: Strata, least: float) -> Strata:
    """The same, but what is rarest is one stratum; no answer remains one of its own."""
    sizes = strata.sizes
    silent = np.array([name in ("(no answer)", "(blank)") for name in strata.names])
    order = np.lexsort((-sizes, ~silent))
    kept = np.zeros(len(strata), dtype=bool)
    kept[order[:MOST_STRATA]] = True
    if len(strata) > MOST_STRATA:
        kept[order[MOST_STRATA - 1]] = False  # its place is for the others
    kept &= (sizes >= least) | silent
    kept &= sizes > 0
    if (~kept & (sizes > 0)).sum() == 1 and len(strata) <= MOST_STRATA:
        kept = sizes > 0
    if kept.all():
        return strata
    names = [name for name, own in zip(strata.names, kept, strict=True) if own]
    numbers = np.where(kept, np.cumsum(kept) - 1, len(names))
    if (~kept & (sizes > 0)).any():
        others = "(others)"
        while others in names:
            others = f"({others})"
        names.append(others)
    return Strata(numbers[strata.codes], tuple(names))
