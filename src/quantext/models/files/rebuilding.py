"""Rebuilding: a fitted model from what a file holds, which may have been made to do harm."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from quantext.models.files.archive import Contents
from quantext.models.files.consistency import check_effort, check_scores, n_columns, n_features
from quantext.models.files.description import USER, is_about
from quantext.models.files.fields import Source, restore
from quantext.models.files.flaws import attempt, checked, flaw
from quantext.models.files.known import (
    ANSWERS,
    CLASSIFIERS,
    PLAIN,
    QUANTIFIERS,
    StoredLoss,
    known_dataclasses,
)
from quantext.models.textquantifier import TextQuantifier
from quantext.quantifiers import Quantifier
from quantext.scores.training import TrainingScores
from quantext.vectors.answer_columns import LabelAnswers, NumberAnswers
from quantext.vectors.ltc import LtcVectorizer
from quantext.vectors.proxy import ProxyVectorizer
from quantext.vectors.words import stem_function, stop_list

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

__all__ = ["rebuild"]

_MOST_JOBS = 1024
_LARGEST_IDF = 100.0  # ln(N / df) is below 45 for as many documents as 64 bits can count
_NULL = type(None)


def rebuild(contents: Contents, quantifiers: Mapping[str, Any] = QUANTIFIERS) -> Any:
    """Fitted model of what a file holds; raises `ModelFileError` if there can be none.

    Parameters
    ----------
    contents
        Read by `archive.read`.
    quantifiers
        Classes that a file may name, by name.
    """
    manifest = dict(contents.manifest)
    about = manifest.pop("about", {})
    if not is_about(about):
        raise flaw("what it says about the model is not of plain types")
    description = checked(manifest, "the manifest", quantext=str, model=dict)["model"]
    kind = description.get("type")
    if kind == "Quantifier":
        checked(description, kind, type=str, quantifier=dict)
    elif kind == "TextQuantifier":
        checked(description, kind, type=str, quantifier=dict, vectorizer=dict)
    elif kind == "Pipeline":
        checked(description, kind, type=str, quantifier=dict, vectorizer=dict, steps=list)
    else:
        raise flaw(f"a model of the type {kind!r} is unknown")
    own, cls = description["quantifier"], _quantifier_class(description["quantifier"], quantifiers)
    source = Source(dict(contents.arrays), known_dataclasses(cls), contents.memory_limit)
    quantifier = _rebuild_quantifier(cls, own, source, quantifiers)
    model: Any = quantifier
    if kind != "Quantifier":
        vectorizer, width = _rebuild_vectorizer(description["vectorizer"], source)
        needed = getattr(quantifier, "n_features_in_", n_features(quantifier.scores_))
        if needed not in (None, width):
            raise flaw("its vectors have not the length that its quantifier needs")
        if kind == "Pipeline":
            model = _pipeline(description["steps"], vectorizer, quantifier)
        else:
            model = _text_quantifier(vectorizer, quantifier)
    if source.arrays:
        raise flaw(f"it has arrays that belong nowhere: {', '.join(map(repr, source.arrays))}")
    model.about_ = about
    return model


def _text_quantifier(vectorizer: Any, quantifier: Quantifier) -> TextQuantifier:
    model = TextQuantifier(clone(quantifier), clone(vectorizer))
    model.vectorizer_, model.quantifier_ = vectorizer, quantifier
    model.classes_ = quantifier.classes_
    return model


def _pipeline(names: list[Any], vectorizer: Any, quantifier: Quantifier) -> "Pipeline":
    from sklearn.pipeline import Pipeline

    if not all(isinstance(name, str) for name in names) or not len(names) == len(set(names)) == 2:
        raise flaw("the steps of its pipeline are not two different names")
    return Pipeline(list(zip(names, (vectorizer, quantifier), strict=True)))


def _rebuild_vectorizer(description: dict[str, Any], source: Source) -> tuple[Any, int]:
    """The vectorizer, and how long its vectors are."""
    if "type" in description:
        proxies = _rebuild_proxies(description, source)
        return proxies, proxies.n_features_out
    words = _rebuild_words(description, source)
    return words, len(words.idf_)


def _rebuild_proxies(description: dict[str, Any], source: Source) -> ProxyVectorizer:
    checked(description, "the vectorizer", type=str, columns=(list, _NULL), answers=dict)
    if description["type"] != "ProxyVectorizer":
        raise flaw(f"the vectorizer {description['type'][:50]!r} is unknown")
    answers = restore(description["answers"], "answers", replace(source, known=ANSWERS))
    if not (isinstance(answers, tuple) and answers):
        raise flaw("its vectorizer reads no answers")
    for own in answers:
        if not isinstance(own, LabelAnswers | NumberAnswers):
            raise flaw("what its vectorizer knows of a model is of another type")
        attempt(own.check)
    names = tuple(own.column for own in answers)
    columns = description["columns"]
    if len(set(names)) < len(names) or columns not in (None, list(names)):
        raise flaw("the columns of its vectorizer are not different names of its models")
    vectorizer = ProxyVectorizer(None if columns is None else names)
    vectorizer.columns_, vectorizer.answers_ = names, answers
    return vectorizer


def _rebuild_words(description: dict[str, Any], source: Source) -> LtcVectorizer:
    params = dict(description)
    stop_words = params.pop("stop_words", None)
    if not isinstance(stop_words, list | str | None):
        raise flaw("its stop words are no list")
    if isinstance(stop_words, list) and not all(isinstance(word, str) for word in stop_words):
        raise flaw("one of its stop words is no string")
    params.setdefault("emoji", False)  # files from before there was this parameter lack it
    vectorizer: LtcVectorizer = _make(LtcVectorizer, params, stop_words=stop_words)
    if type(vectorizer.emoji) is not bool:
        raise flaw(f"emoji of LtcVectorizer is {vectorizer.emoji!r}, not true or false")
    vocabulary, idf = source.take("vocabulary", list), source.take("idf", np.ndarray)
    vectorizer.vocabulary_ = {term: column for column, term in enumerate(vocabulary)}
    vectorizer.idf_ = idf
    vectorizer.words_ = np.array(source.take("words", list), dtype=object)
    if not idf.shape == (len(vocabulary),) == (len(vectorizer.vocabulary_),):
        raise flaw("its vocabulary is not one distinct term for each idf")
    if vectorizer.words_.shape != idf.shape:
        raise flaw("its words are not one for each term")
    if not len(idf) or idf.dtype != np.float64 or idf.min() < 0 or idf.max() > _LARGEST_IDF:
        raise flaw("its idf is no logarithm of a ratio of documents")
    # Whoever fits a vectorizer is told then if these are unknown; here it is fitted already.
    attempt(lambda: (stop_list(vectorizer.stop_words), stem_function(vectorizer.stemmer)))
    return vectorizer


def _quantifier_class(description: dict[str, Any], quantifiers: Mapping[str, Any]) -> Any:
    checked(
        description,
        "the quantifier",
        type=str,
        params=dict,
        classifier=(dict, _NULL),
        scores=dict,
        n_features=(int, _NULL),
        feature_names=(list, _NULL),
    )
    if description["type"] not in quantifiers:
        raise flaw(f"the quantifier {description['type']!r} is unknown")
    return quantifiers[description["type"]]


def _rebuild_quantifier(
    cls: Any, description: dict[str, Any], source: Source, quantifiers: Mapping[str, Any]
) -> Quantifier:
    given: dict[str, Any] = {}
    if "classifier" in cls._get_param_names():
        given["classifier"] = _rebuild_classifier(description["classifier"])
    if "quantifier" in cls._get_param_names():
        given["quantifier"] = _rebuild_inner(description["params"].get("quantifier"), quantifiers)
    quantifier: Quantifier = _make(cls, description["params"], **given)
    scores = restore(description["scores"], "", source)
    if not isinstance(scores, TrainingScores):
        raise flaw("it was not trained on scores")
    attempt(lambda: check_scores(scores))
    check_effort(quantifier, scores, source.memory_limit)
    # What it learned from the scores it learns again, in the same way.
    attempt(lambda: quantifier.fit_scores(scores))
    if n_columns(scores) != scores.y.shape[1]:
        # Only the method knows whether it can do with these columns: it is asked for an estimate.
        document = sparse.csr_array((1, n_features(scores) or 1))
        attempt(lambda: quantifier.predict(document))
    return _with_features(quantifier, description["n_features"], description["feature_names"])


def _rebuild_inner(description: Any, quantifiers: Mapping[str, Any]) -> Any:
    """A quantifier that is a parameter of another, and not fitted."""
    if not isinstance(description, dict):
        raise flaw("it is made of another quantifier, which is not described")
    checked(description, "the inner quantifier", type=str, params=dict, classifier=(dict, _NULL))
    cls = quantifiers.get(description["type"])
    if cls is None or "quantifier" in cls._get_param_names():
        raise flaw(f"the inner quantifier {description['type'][:50]!r} is unknown")
    given = {}
    if "classifier" in cls._get_param_names():
        given["classifier"] = _rebuild_classifier(description["classifier"])
    return _make(cls, description["params"], **given)


def _rebuild_classifier(description: Any) -> Any:
    if description is None:  # it was fitted to scores from elsewhere
        return None
    checked(description, "the classifier", type=str, params=dict)
    if description["type"] not in CLASSIFIERS:
        raise flaw(f"the classifier {description['type']!r} is unknown")
    params = dict(description["params"])
    loss = params.get("loss")
    if isinstance(loss, str) and loss.startswith(USER):
        return _make(CLASSIFIERS["StructuralSVM"], params, loss=StoredLoss(loss.removeprefix(USER)))
    return _make(CLASSIFIERS[description["type"]], params)


def _with_features(
    quantifier: Quantifier, count: int | None, names: list[Any] | None
) -> Quantifier:
    """The quantifier, which knows what documents it was fitted to."""
    needed = n_features(quantifier.scores_)
    if count is not None:
        if needed not in (None, count):
            raise flaw(f"it cannot have {count} features")
        quantifier.n_features_in_ = count
    if names is not None:
        if len(names) != count or not all(isinstance(name, str) for name in names):
            raise flaw("its names are not one for each feature")
        quantifier.feature_names_in_ = np.array(names, dtype=object)
    return quantifier


def _make(cls: Any, params: Any, **given: Any) -> Any:
    """Estimator of these plain parameters, and of those that are rebuilt already."""
    names = {name for name in cls._get_param_names() if name not in given}
    params = {name: value for name, value in params.items() if name not in given}
    checked(params, f"the parameters of {cls.__name__}", **dict.fromkeys(names, PLAIN))
    jobs = params.get("n_jobs")
    # A model that asks for a million threads would only ask when it is used.
    if not (jobs is None or (type(jobs) is int and 0 < abs(jobs) <= _MOST_JOBS)):
        raise flaw(f"n_jobs of {cls.__name__} is {jobs!r}")
    return cls(**params, **given)
