"""Training: a model from a corpus of labelled texts, and what there is to say of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import clone

from quantext.models.methods import DEFAULT_METHOD, INTERVAL_FOLDS, Method, find_method
from quantext.models.textquantifier import TextQuantifier
from quantext.quantifiers import Quantifier
from quantext.texts.corpus import Corpus
from quantext.texts.odd_rows import MISSING
from quantext.vectors.ltc import LtcVectorizer
from quantext.wording import listed

__all__ = [
    "INTERVAL_FOLDS",
    "Training",
    "corpus_warnings",
    "make_model",
    "make_quantifier",
    "quality",
    "train",
    "training_of",
    "usual_known_share",
]

Array = NDArray[Any]

FEW = 10  # documents of a class that are too few to learn from
_REPEATED = 0.05  # share of repeated texts that is worth a warning


@dataclass(frozen=True)
class Training:
    """A trained model and what there is to say of it.

    Parameters
    ----------
    model
        Fitted.
    method
        Name of the method.
    quality
        A row for each class, see `quality`.
    n_documents, n_terms
        How many there are.
    known_share
        Share of the words, stop words apart, that a document like these has in common with others:
        see `usual_known_share`.
    seconds
        What it took.
    warnings
        What may make the model worse than it looks, a sentence each.
    """

    model: TextQuantifier
    method: str
    quality: pl.DataFrame
    n_documents: int
    n_terms: int
    known_share: float | None
    seconds: float
    warnings: tuple[str, ...]


def train(
    corpus: Corpus,
    *,
    name: str = DEFAULT_METHOD,
    folds: int | None = None,
    vectorizer: LtcVectorizer | None = None,
    seed: int = 0,
    n_jobs: int | None = -1,
) -> Training:
    """Model trained on a corpus, its quality on documents it was not trained on, and warnings.

    Parameters
    ----------
    corpus
        With labels.
    name
        Of the method, or its alias.
    folds
        Of the cross-validation; None: what the method has by default, or 10 for methods that need
        none, so that they give intervals; 0: none, if the method can do without.
    vectorizer
        From texts to vectors; None is ``LtcVectorizer(n_jobs=n_jobs)``.
    seed
        Of the folds.
    n_jobs
        Threads; -1 is one a core.

    Examples
    --------
    >>> texts = ["great battery", "battery lasts", "screen broke", "broken screen"] * 5
    >>> labels = ["battery", "battery", "screen", "screen"] * 5
    >>> training = train(Corpus("phones", pl.Series(texts), pl.Series(labels)), name="cc")
    >>> training.quality.select("class", "documents", "f1").rows()
    [('battery', 10, 1.0), ('screen', 10, 1.0)]
    >>> training.warnings
    ('16 of 20 texts (80%) repeat another one: quality and intervals look better than they are',)
    """
    start = perf_counter()
    model = make_model(name, folds=folds, vectorizer=vectorizer, seed=seed, n_jobs=n_jobs)
    model.fit(corpus.texts, corpus.named_y)
    return training_of(model, corpus, name, start)


def make_model(
    name: str = DEFAULT_METHOD,
    *,
    folds: int | None = None,
    vectorizer: LtcVectorizer | None = None,
    seed: int = 0,
    n_jobs: int | None = -1,
) -> TextQuantifier:
    """Model that `train` fits, not yet fitted.

    Parameters
    ----------
    name, folds, vectorizer, seed, n_jobs
        As in `train`.
    """
    quantifier = make_quantifier(find_method(name), folds, seed, n_jobs)
    return TextQuantifier(quantifier, vectorizer or LtcVectorizer(n_jobs=n_jobs))


def training_of(model: TextQuantifier, corpus: Corpus, name: str, start: float) -> Training:
    """What there is to say of a model that was fitted to a corpus.

    Parameters
    ----------
    model
        Fitted.
    corpus
        With labels.
    name
        Of the method, or its alias.
    start
        When its training began, by ``perf_counter``.
    """
    return Training(
        model,
        find_method(name).name,
        quality(model.quantifier_),
        len(corpus),
        len(model.vectorizer_.idf_),
        usual_known_share(corpus.texts, model.vectorizer_),
        perf_counter() - start,
        (*corpus_warnings(corpus), *_repeated(corpus)),
    )


def make_quantifier(method: Method, folds: int | None, seed: int, n_jobs: int | None) -> Quantifier:
    """Quantifier of a method, not yet fitted.

    Parameters
    ----------
    method
        Which one.
    folds, seed, n_jobs
        As in `train`.
    """
    quantifier = method.make()
    known = quantifier.get_params()
    if folds is None and known.get("folds") == 0:
        folds = INTERVAL_FOLDS
    wanted = {"folds": folds, "seed": seed, "classifier__n_jobs": n_jobs}
    changed = {k: v for k, v in wanted.items() if k in known and v is not None}
    fresh: Quantifier = quantifier.set_params(**changed)
    return fresh


def usual_known_share(texts: pl.Series, vectorizer: LtcVectorizer) -> float | None:
    """Share of the words of every tenth document that a vectorizer fitted to the others knows.

    It is what to expect of documents that are like those of training; None for fewer than ten, or
    if there are no words.

    Parameters
    ----------
    texts
        Documents.
    vectorizer
        Whose parameters are used.
    """
    if len(texts) < 10:
        return None
    tenth = pl.int_range(len(texts), eager=True) % 10 == 9
    try:
        others = clone(vectorizer).fit(texts.filter(~tenth))
    except ValueError:  # all terms, or all that are frequent enough, are in the tenth document
        return None
    share: float | None = others.known_share(texts.filter(tenth))
    return share


def quality(quantifier: Quantifier) -> pl.DataFrame:
    """How well a quantifier's classifier does on documents it was not trained on, class by class.

    The columns are ``class``, ``documents`` and ``prevalence`` in training and, null without
    out-of-fold scores, the rates of true and false positives ``tpr`` and ``fpr``, and ``f1``.

    Parameters
    ----------
    quantifier
        Fitted.
    """
    scores = quantifier.scores_
    y, decided = scores.y, scores.decisions
    if scores.kind == "binary":
        y = np.column_stack([~y, y])
        decided = None if decided is None else np.column_stack([~decided, decided])
    table = pl.DataFrame(
        {
            "class": [str(label) for label in quantifier.classes_],
            "documents": y.sum(axis=0),
            "prevalence": y.mean(axis=0),
        }
    )
    if decided is None:
        return table.with_columns(pl.lit(None, pl.Float64).alias(n) for n in ("tpr", "fpr", "f1"))
    tp, fp = (y & decided).sum(axis=0), (~y & decided).sum(axis=0)
    positives, negatives = y.sum(axis=0), (~y).sum(axis=0)
    with np.errstate(invalid="ignore"):  # without positives, or negatives, there is no rate
        rates = {"tpr": tp / positives, "fpr": fp / negatives, "f1": 2 * tp / (positives + tp + fp)}
    return table.with_columns(
        pl.Series(name, values).fill_nan(None) for name, values in rates.items()
    )


def corpus_warnings(corpus: Corpus) -> Iterator[str]:
    """What may make a model of these labels worse than it looks, a sentence each.

    Parameters
    ----------
    corpus
        With labels.
    """
    yield from corpus.notes
    counts = dict(zip(corpus.classes, corpus.indicator.sum(axis=0).tolist(), strict=True))
    # What programs write where a label is missing, but people for North America or none of these.
    if doubtful := [label for label in counts if re.match(MISSING, label)]:
        told = listed(f"{label!r} ({counts[label]:,})" for label in doubtful)
        yield (
            f"taken for a class like others: {told}; if it says that a label is missing, empty "
            f"these cells, or leave them out (--where 'COL!={doubtful[0]}'), and train again"
        )
    few = [f"{label!r} ({n})" for label, n in counts.items() if n < FEW]
    if few:
        yield (
            f"few documents to learn from: {listed(few, most=5)}; estimates of a class with "
            f"fewer than {FEW} mean little"
        )


def _repeated(corpus: Corpus) -> Iterator[str]:
    """Whether texts repeat each other."""
    repeated = len(corpus) - corpus.texts.n_unique()
    if repeated >= _REPEATED * len(corpus):
        share = repeated / len(corpus)
        yield (
            f"{repeated:,} of {len(corpus):,} texts ({share:.0%}) repeat another one: quality and "
            "intervals look better than they are"
        )
