"""Description: a fitted model as JSON and arrays, which are all that a file keeps of it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from quantext.learners.losses import LOSSES
from quantext.models.files import fields
from quantext.models.files.archive import Block
from quantext.models.files.consistency import check_scores
from quantext.models.files.known import (
    ANSWERS,
    CLASSIFIERS,
    PLAIN,
    QUANTIFIERS,
    StoredClassifier,
    StoredLoss,
    known_dataclasses,
)
from quantext.models.textquantifier import TextQuantifier
from quantext.quantifiers import Quantifier
from quantext.scores.scorers import ModelScorer
from quantext.scores.several import ClassScorer
from quantext.vectors.ltc import LtcVectorizer
from quantext.vectors.proxy import ProxyVectorizer

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

__all__ = ["USER", "Model", "describe", "is_about"]

Model: TypeAlias = "TextQuantifier | Quantifier | Pipeline"

USER = "user:"  # begins the name of a user's loss


def describe(
    model: Model, quantifiers: Mapping[str, Any] = QUANTIFIERS
) -> tuple[dict[str, Any], dict[str, Block]]:
    """Description of a fitted model in JSON's types, and its arrays by name.

    Parameters
    ----------
    model
        As in `save`.
    quantifiers
        Classes that a file may name, by name.
    """
    arrays: dict[str, Block] = {}
    if type(model) is TextQuantifier:
        check_is_fitted(model)
        parts, steps = (model.vectorizer_, model.quantifier_), None
    elif _is_pipeline(model):
        steps, parts = [name for name, _ in model.steps], tuple(step for _, step in model.steps)
        if not (len(parts) == 2 and isinstance(parts[1], Quantifier)):
            raise TypeError("only a Pipeline of a vectorizer and a quantifier can be saved")
    else:
        quantifier = _describe_quantifier(model, quantifiers, arrays)
        return {"type": "Quantifier", "quantifier": quantifier}, arrays
    description = {
        "type": type(model).__name__,
        "vectorizer": _describe_vectorizer(parts[0], arrays),
        "quantifier": _describe_quantifier(parts[1], quantifiers, arrays),
    }
    if steps is not None:
        description["steps"] = steps
    return description, arrays


def is_about(value: Any) -> bool:
    """Whether this is an object of plain values and lists of strings.

    Parameters
    ----------
    value
        What is said about a model.
    """

    def allowed(item: Any) -> bool:
        if isinstance(item, list):
            return all(isinstance(word, str) for word in item)
        return type(item) in PLAIN

    return isinstance(value, Mapping) and all(
        isinstance(name, str) and allowed(item) for name, item in value.items()
    )


def _is_pipeline(model: Model) -> bool:
    from sklearn.pipeline import Pipeline  # slow to load, and seldom needed

    return type(model) is Pipeline


def _describe_vectorizer(vectorizer: Any, arrays: dict[str, Block]) -> dict[str, Any]:
    if type(vectorizer) is ProxyVectorizer:
        return _describe_proxies(vectorizer, arrays)
    if type(vectorizer) is not LtcVectorizer:
        raise TypeError(
            f"a {type(vectorizer).__name__} cannot be saved in a model file; use a LtcVectorizer "
            "or a ProxyVectorizer"
        )
    check_is_fitted(vectorizer)
    params = vectorizer.get_params()
    stop_words = params.pop("stop_words")
    if isinstance(stop_words, set | frozenset):
        stop_words = sorted(stop_words)
    elif not isinstance(stop_words, str | None):
        stop_words = list(stop_words)
    arrays["vocabulary"], arrays["words"] = list(vectorizer.vocabulary_), list(vectorizer.words_)
    arrays["idf"] = vectorizer.idf_
    return _describe_params(vectorizer, params) | {"stop_words": stop_words}


def _describe_proxies(vectorizer: ProxyVectorizer, arrays: dict[str, Block]) -> dict[str, Any]:
    check_is_fitted(vectorizer)
    answers = fields.describe(vectorizer.answers_, "answers", ANSWERS, arrays)
    own = None if vectorizer.columns is None else list(vectorizer.columns)
    return {"type": "ProxyVectorizer", "columns": own, "answers": answers}


def _describe_quantifier(
    quantifier: Any, quantifiers: Mapping[str, Any], arrays: dict[str, Block]
) -> dict[str, Any]:
    if quantifiers.get(type(quantifier).__name__) is not type(quantifier):
        raise TypeError(
            f"a {type(quantifier).__name__} cannot be saved in a model file; what can is a "
            f"TextQuantifier, a Pipeline of a LtcVectorizer and a quantifier, or one of "
            f"{', '.join(quantifiers)}"
        )
    check_is_fitted(quantifier)
    params = quantifier.get_params(deep=False)
    classifier = params.pop("classifier", None)
    inner = params.pop("quantifier", None)
    own = _describe_params(quantifier, params)
    if inner is not None:
        own["quantifier"] = _describe_inner(inner, quantifiers)
    n_features = getattr(quantifier, "n_features_in_", None)
    names = getattr(quantifier, "feature_names_in_", None)
    return {
        "type": type(quantifier).__name__,
        "params": own,
        "classifier": None if classifier is None else _describe_classifier(classifier),
        "scores": _describe_scores(quantifier, arrays),
        "n_features": None if n_features is None else int(n_features),
        "feature_names": None if names is None else [str(name) for name in names],
    }


def _describe_inner(quantifier: Any, quantifiers: Mapping[str, Any]) -> dict[str, Any]:
    """A quantifier that is a parameter of another, and not fitted."""
    if quantifiers.get(type(quantifier).__name__) is not type(quantifier):
        raise TypeError(
            f"a quantifier with a {type(quantifier).__name__} in it cannot be saved in a model file"
        )
    params = quantifier.get_params(deep=False)
    classifier = params.pop("classifier", None)
    return {
        "type": type(quantifier).__name__,
        "params": _describe_params(quantifier, params),
        "classifier": None if classifier is None else _describe_classifier(classifier),
    }


def _describe_scores(quantifier: Quantifier, arrays: dict[str, Block]) -> Any:
    scores, known = quantifier.scores_, known_dataclasses(type(quantifier))
    scorer = scores.scorer
    kept: tuple[Any, ...] = (scorer,)
    if isinstance(scorer, ModelScorer | ClassScorer):
        kept = scorer.models if isinstance(scorer, ModelScorer) else (scorer.model,)
    for model in kept:
        if not isinstance(model, (float, *known.values())):
            raise TypeError(
                f"the scores of a {type(model).__name__} cannot be saved in a model file: it is "
                "not a linear classifier with decision_function, coef_ and intercept_; LinearSVM, "
                "StructuralSVM, and scikit-learn's LogisticRegression or SGDClassifier are"
            )
    # Equal models give equal files, however long they took.
    description = fields.describe(replace(scores, seconds=0.0), "", known, arrays)
    check_scores(scores)
    return description


def _describe_classifier(classifier: Any) -> dict[str, Any]:
    if CLASSIFIERS.get(type(classifier).__name__) is not type(classifier):
        frozen = isinstance(classifier, FrozenEstimator)
        inner = classifier.estimator if frozen else classifier
        classifier = StoredClassifier(type(inner).__name__)
    params = classifier.get_params(deep=False)
    if "loss" in params:
        params["loss"] = _describe_loss(params["loss"])
    return {"type": type(classifier).__name__, "params": _describe_params(classifier, params)}


def _describe_loss(loss: Any) -> str:
    """Name of the loss; that of a user's own begins with "user:"."""
    if isinstance(loss, str):
        return loss
    for name, known in LOSSES.items():
        if loss == known:
            return name
    if isinstance(loss, StoredLoss):
        return USER + loss.name
    return USER + getattr(loss, "__name__", type(loss).__name__)


def _describe_params(owner: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    values = {}
    for name, value in params.items():
        plain = value.item() if isinstance(value, np.generic) else value
        if type(plain) not in PLAIN:
            raise TypeError(
                f"{name} of {type(owner).__name__} is {value!r}, which cannot be saved in a model "
                "file; use a number or a string"
            )
        values[name] = plain
    return values
