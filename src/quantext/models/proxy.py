"""Models that read no texts but what other models say of documents, corrected by a few labels."""

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import polars as pl
from sklearn.linear_model import LogisticRegression

from quantext.learners.answers import AnswerClassifier
from quantext.learners.linear import LinearSVM
from quantext.models.methods import DEFAULT_METHOD, find_method
from quantext.models.textquantifier import TextQuantifier
from quantext.models.train import Training, corpus_warnings, make_quantifier, quality
from quantext.quantifiers import Quantifier
from quantext.texts.answers import plain_label
from quantext.texts.corpus import Corpus
from quantext.vectors.answer_columns import LabelAnswers
from quantext.vectors.proxy import ProxyVectorizer

__all__ = ["LEAST", "OF_LABELS", "train_proxy"]

OF_LABELS = "Bayesian CC"  # method for the labels of one model
LEAST = 5  # documents whose classes are known


def train_proxy(
    corpus: Corpus,
    columns: Sequence[str],
    *,
    name: str | None = None,
    folds: int | None = None,
    seed: int = 0,
) -> Training:
    """Model trained on what other models say of documents whose classes are known.

    The labels of one model, for documents of one class each, are counted and corrected by "Bayesian
    CC": how often which class was given which label is what is learned, and nothing else. Scores,
    several models and documents of several labels go through a logistic regression and "Adaptive".
    (In simulations of two models, with 100 and 300 labelled documents and 2,000 new ones, the mean
    error of "Adaptive" was 0.018 to 0.051, that of "Bayesian CC" on the same regression 0.022 to
    0.065. On the labels of one model "Adaptive" is as good where shares have moved, and better
    where they have not, for it keeps to those of the labelled documents. But these may be from
    elsewhere, and then their shares say nothing of the new ones.)

    Parameters
    ----------
    corpus
        With labels. Its texts are what the models say, as ``read_corpus(..., proxy=...)`` reads it.
    columns
        Names of the models.
    name
        Of the method, or its alias; None as above. A method whose classifier is `LinearSVM` gets
        one that is made for answers in its place.
    folds, seed
        As in `train`.
    """
    start = perf_counter()
    if len(corpus) < LEAST:
        raise ValueError(
            f"{corpus.name}: only {len(corpus)} rows have a label to learn from; label at least "
            f"{LEAST}, better a few hundred"
        )
    vectorizer = ProxyVectorizer(tuple(columns)).fit(corpus.texts)
    usual, classifier = DEFAULT_METHOD, LogisticRegression(max_iter=1000)
    match vectorizer.answers_:
        case (LabelAnswers(names=names),) if not corpus.multilabel:
            usual, classifier = OF_LABELS, AnswerClassifier(_meanings(names, corpus.classes))
    method = find_method(name or usual)
    quantifier = _with_classifier(make_quantifier(method, folds, seed, None), classifier)
    model = TextQuantifier(quantifier, vectorizer).fit(corpus.texts, corpus.named_y)
    return Training(
        model,
        method.name,
        quality(model.quantifier_),
        len(corpus),
        vectorizer.n_features_out,
        None,
        perf_counter() - start,
        tuple(corpus_warnings(corpus)),
    )


def _meanings(names: Sequence[str], classes: Sequence[str]) -> list[Any]:
    """Class that each label names, as a quantifier gives it to its classifier; None for no label.

    Of two classes these are 0 and 1.
    """
    plain = pl.select(plain_label(pl.lit(pl.Series(classes)))).to_series()
    known: dict[str, Any] = dict(zip(plain, classes, strict=True))
    if len(classes) == 2:
        known = {name: k for k, name in enumerate(plain)}
    return [*map(known.get, names), None]


def _with_classifier(quantifier: Quantifier, classifier: Any) -> Quantifier:
    """The quantifier with another classifier, if it has the usual one for words."""
    params = quantifier.get_params(deep=False)
    if isinstance(params.get("classifier"), LinearSVM):
        quantifier.set_params(classifier=classifier)
    return quantifier
