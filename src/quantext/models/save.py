"""Model files: a fitted model to one file and back, without running anything that is in it."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Never, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from quantext import atomic
from quantext.learners.linear import LinearSVM
from quantext.learners.losses import LOSSES, ContingencyTable
from quantext.learners.structural import StructuralSVM
from quantext.models.container import (
    Contents,
    ModelFileError,
    check_memory,
    checked,
    located,
    pack,
    read,
)
from quantext.models.textquantifier import TextQuantifier
from quantext.quantifiers import (
    AdjustedCount,
    ClassifyAndCount,
    ExpectationMaximization,
    MedianSweep,
    MixtureModel,
    ProbabilisticAdjustedCount,
    ProbabilisticCount,
    Quantifier,
    ThresholdCount,
    TrainingPrevalence,
)
from quantext.scores.scorers import LinearScorer, ModelScorer
from quantext.scores.training import TrainingScores
from quantext.vectors.ltc import LtcVectorizer
from quantext.vectors.words import stem_function, stop_list

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

__all__ = ["ModelFileError", "StoredClassifier", "StoredLoss", "load", "rebuild", "save"]

Array = NDArray[Any]
Arrays = dict[str, Array | list[str]]
Model: TypeAlias = "TextQuantifier | Quantifier | Pipeline"

Out = TypeVar("Out")

_PLAIN = (bool, int, float, str, type(None))  # what a parameter or a label may be
_USER = "user:"  # begins the name of a user's loss
_MOST_JOBS = 1024
_LARGEST_IDF = 100.0  # ln(N / df) is below 45 for as many documents as 64 bits can count


def save(
    model: Model, path: str | os.PathLike[str], *, about: Mapping[str, Any] | None = None
) -> None:
    """Write a fitted model to a file, which `load` reads.

    The file is written whole or not at all. Equal arguments give equal bytes. It holds the words of
    the vocabulary, the classifier's weights and, for intervals and for methods that learn from
    them, the out-of-fold scores and labels of the training documents; it holds no texts.

    A classifier that is not of quantext is kept by its weights alone, so it must be linear.

    Parameters
    ----------
    model
        A `TextQuantifier`, a quantifier of quantext's, or a Pipeline of a `LtcVectorizer` and one.
    path
        Of the file; what is there is replaced.
    about
        What else should be known of the model: strings, numbers and lists of strings, by names of
        your choice. `load` returns them as the model's ``about_``. ``quantext train`` writes the
        columns that it read as ``text``, ``label`` and ``separator``, and ``quantext estimate``
        looks for the same ones.
    """
    description, arrays = _describe(model)
    manifest = {"quantext": version("quantext"), "model": description}
    if not about:  # as the first version had it, so that all can read it
        atomic.write(path, pack(manifest, arrays, version=1))
        return
    if not _is_about(about):
        raise TypeError(
            "about can only have names with strings, numbers, booleans, None or lists of strings"
        )
    atomic.write(path, pack({**manifest, "about": dict(about)}, arrays))


def load(path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Any:
    """Fitted model of a file that `save` wrote, of the type that was saved.

    Its estimates are those of the saved model, to the last bit. What `save` was told about it is
    its attribute ``about_``. Nothing in the file is executed, and a file that is damaged, or made
    to do harm, raises `ModelFileError`.

    Parameters
    ----------
    path
        Of the file.
    max_bytes
        Memory that the model may take; None is 256 MB, or 64 times the file's size if that is more.
    """
    return rebuild(read(path, max_bytes), path)


def rebuild(contents: Contents, path: str | os.PathLike[str]) -> Any:
    """Fitted model of what a file holds.

    Parameters
    ----------
    contents
        Read by `container.read`, as `load` does.
    path
        Of the file, for errors.
    """
    try:
        return _rebuild(contents)
    except ModelFileError as error:
        raise located(error, path) from error.__cause__


class StoredClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Name of a classifier of which a model file has kept the weights, but not how to train it.

    Parameters
    ----------
    name
        Of its class.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def fit(self, X: Any, y: Any) -> Self:
        """Raise ValueError: there is nothing to train.

        Parameters
        ----------
        X, y
            Not used.
        """
        raise ValueError(
            f"a model file keeps the weights of a {self.name}, not how it is trained; to fit the "
            f"model again, set its classifier to a {self.name}"
        )


@dataclass(frozen=True)
class StoredLoss:
    """Name of a user's loss; a model file does not keep its code.

    Parameters
    ----------
    name
        Of the function.
    """

    name: str

    def __call__(self, table: ContingencyTable, /) -> Never:
        """Raise ValueError: there is nothing to call."""
        raise ValueError(
            f"a model file does not keep the code of the loss {self.name}; to fit the model again, "
            "set the loss of its classifier to that function"
        )


def _by_name(*classes: Any) -> Mapping[str, Any]:
    return {cls.__name__: cls for cls in classes}


_QUANTIFIERS = _by_name(
    AdjustedCount,
    ClassifyAndCount,
    ExpectationMaximization,
    MedianSweep,
    MixtureModel,
    ProbabilisticAdjustedCount,
    ProbabilisticCount,
    ThresholdCount,
    TrainingPrevalence,
)
_CLASSIFIERS = _by_name(LinearSVM, StructuralSVM, StoredClassifier)


# From a model to a description and arrays.


def _describe(model: Model) -> tuple[dict[str, Any], Arrays]:
    if type(model) is TextQuantifier:
        check_is_fitted(model)
        parts, steps = (model.vectorizer_, model.quantifier_), None
    elif _is_pipeline(model):
        steps, parts = [name for name, _ in model.steps], tuple(step for _, step in model.steps)
        if not (len(parts) == 2 and isinstance(parts[1], Quantifier)):
            raise TypeError("only a Pipeline of a LtcVectorizer and a quantifier can be saved")
    else:
        description, arrays = _describe_quantifier(model)
        return {"type": "Quantifier", "quantifier": description}, arrays
    vectorizer, vectorizer_arrays = _describe_vectorizer(parts[0])
    quantifier, quantifier_arrays = _describe_quantifier(parts[1])
    description = {"type": type(model).__name__, "vectorizer": vectorizer, "quantifier": quantifier}
    if steps is not None:
        description["steps"] = steps
    return description, {**vectorizer_arrays, **quantifier_arrays}


def _is_pipeline(model: Model) -> bool:
    from sklearn.pipeline import Pipeline  # slow to load, and seldom needed

    return type(model) is Pipeline


def _describe_vectorizer(vectorizer: Any) -> tuple[dict[str, Any], Arrays]:
    if type(vectorizer) is not LtcVectorizer:
        raise TypeError(
            f"a {type(vectorizer).__name__} cannot be saved in a model file; use a LtcVectorizer"
        )
    check_is_fitted(vectorizer)
    params = vectorizer.get_params()
    stop_words = params.pop("stop_words")
    if isinstance(stop_words, set | frozenset):
        stop_words = sorted(stop_words)
    elif not isinstance(stop_words, str | None):
        stop_words = list(stop_words)
    params = _describe_params(vectorizer, params) | {"stop_words": stop_words}
    arrays: Arrays = {"vocabulary": list(vectorizer.vocabulary_), "idf": vectorizer.idf_}
    return params, arrays


def _describe_quantifier(quantifier: Quantifier) -> tuple[dict[str, Any], Arrays]:
    if _QUANTIFIERS.get(type(quantifier).__name__) is not type(quantifier):
        raise TypeError(
            f"a {type(quantifier).__name__} cannot be saved in a model file; what can is a "
            f"TextQuantifier, a Pipeline of a LtcVectorizer and a quantifier, or one of "
            f"{', '.join(_QUANTIFIERS)}"
        )
    check_is_fitted(quantifier)
    scores: TrainingScores = quantifier.scores_
    constants, arrays = _describe_scorer(scores.scorer)
    _check_scores(scores)
    arrays["y"] = scores.y
    if scores.out_of_fold is not None:
        arrays["out_of_fold"] = scores.out_of_fold
    params = quantifier.get_params(deep=False)
    classifier = params.pop("classifier", None)
    n_features = getattr(quantifier, "n_features_in_", None)
    names = getattr(quantifier, "feature_names_in_", None)
    description = {
        "type": type(quantifier).__name__,
        "params": _describe_params(quantifier, params),
        "classifier": None if classifier is None else _describe_classifier(classifier),
        "kind": scores.kind,
        "classes": _describe_classes(scores.classes),
        "counts_each_class": bool(scores.counts_each_class),
        "constants": constants,
        "n_features": None if n_features is None else int(n_features),
        "feature_names": None if names is None else [str(name) for name in names],
    }
    return description, arrays


def _describe_scorer(scorer: Any) -> tuple[list[float] | None, Arrays]:
    """Constant scores, or the arrays of a linear scorer."""
    if isinstance(scorer, LinearScorer):
        return None, {"coef": scorer.coef, "intercept": scorer.intercept}
    models = scorer.models if isinstance(scorer, ModelScorer) else (scorer,)
    for model in models:
        if not isinstance(model, float):
            raise TypeError(
                f"the scores of a {type(model).__name__} cannot be saved in a model file: it is "
                "not a linear classifier with decision_function, coef_ and intercept_; LinearSVM, "
                "StructuralSVM, and scikit-learn's LogisticRegression or SGDClassifier are"
            )
    return list(map(float, models)), {}


def _describe_classifier(classifier: Any) -> dict[str, Any]:
    if _CLASSIFIERS.get(type(classifier).__name__) is not type(classifier):
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
        return _USER + loss.name
    return _USER + getattr(loss, "__name__", type(loss).__name__)


def _describe_params(owner: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    values = {}
    for name, value in params.items():
        plain = value.item() if isinstance(value, np.generic) else value
        if type(plain) not in _PLAIN:
            raise TypeError(
                f"{name} of {type(owner).__name__} is {value!r}, which cannot be saved in a model "
                "file; use a number or a string"
            )
        values[name] = plain
    return values


_LABEL_TYPES = re.compile(r"\|O|\|b1|[<>|][iuf][1248]|[<>|]U[0-9]{1,9}")


def _describe_classes(classes: Array) -> dict[str, Any]:
    values = [v.item() if isinstance(v, np.generic) else v for v in classes.tolist()]
    if not _LABEL_TYPES.fullmatch(classes.dtype.str) or not all(type(v) in _PLAIN for v in values):
        raise TypeError(
            f"classes of the type {classes.dtype} cannot be saved in a model file; use strings, "
            "whole numbers or booleans as labels"
        )
    return {"dtype": classes.dtype.str, "values": values}


def _is_about(value: Any) -> bool:
    """Whether this is an object of plain values and lists of strings."""

    def allowed(item: Any) -> bool:
        if isinstance(item, list):
            return all(isinstance(word, str) for word in item)
        return type(item) in _PLAIN

    return isinstance(value, Mapping) and all(
        isinstance(name, str) and allowed(item) for name, item in value.items()
    )


# From a description and arrays to a model.


def _rebuild(contents: Contents) -> Any:
    arrays = dict(contents.arrays)
    manifest = dict(contents.manifest)
    about = manifest.pop("about", {})
    if not _is_about(about):
        raise _flaw("what it says about the model is not of plain types")
    description = checked(manifest, "the manifest", quantext=str, model=dict)["model"]
    kind = description.get("type")
    if kind == "Quantifier":
        checked(description, kind, type=str, quantifier=dict)
    elif kind == "TextQuantifier":
        checked(description, kind, type=str, quantifier=dict, vectorizer=dict)
    elif kind == "Pipeline":
        checked(description, kind, type=str, quantifier=dict, vectorizer=dict, steps=list)
    else:
        raise _flaw(f"a model of the type {kind!r} is unknown")
    quantifier = _rebuild_quantifier(description["quantifier"], arrays, contents.memory_limit)
    model: Any = quantifier
    if kind != "Quantifier":
        vectorizer = _rebuild_vectorizer(description["vectorizer"], arrays)
        if _n_features(quantifier) not in (None, len(vectorizer.idf_)):
            raise _flaw("its vectors have not the length that its quantifier needs")
        if kind == "Pipeline":
            model = _pipeline(description["steps"], vectorizer, quantifier)
        else:
            model = _text_quantifier(vectorizer, quantifier)
    if arrays:
        raise _flaw(f"it has arrays that belong nowhere: {', '.join(map(repr, arrays))}")
    model.about_ = about
    return model


def _text_quantifier(vectorizer: LtcVectorizer, quantifier: Quantifier) -> TextQuantifier:
    model = TextQuantifier(clone(quantifier), clone(vectorizer))
    model.vectorizer_, model.quantifier_ = vectorizer, quantifier
    model.classes_ = quantifier.classes_
    return model


def _pipeline(names: list[Any], vectorizer: LtcVectorizer, quantifier: Quantifier) -> "Pipeline":
    from sklearn.pipeline import Pipeline

    if not all(isinstance(name, str) for name in names) or not len(names) == len(set(names)) == 2:
        raise _flaw("the steps of its pipeline are not two different names")
    return Pipeline(list(zip(names, (vectorizer, quantifier), strict=True)))


def _rebuild_vectorizer(description: dict[str, Any], arrays: Arrays) -> LtcVectorizer:
    params = dict(description)
    stop_words = params.pop("stop_words", None)
    if not isinstance(stop_words, list | str | None):
        raise _flaw("its stop words are no list")
    if isinstance(stop_words, list) and not all(isinstance(word, str) for word in stop_words):
        raise _flaw("one of its stop words is no string")
    vectorizer: LtcVectorizer = _make(LtcVectorizer, params, stop_words=stop_words)
    vocabulary, idf = _take(arrays, "vocabulary", list), _take(arrays, "idf", np.ndarray)
    vectorizer.vocabulary_ = {term: column for column, term in enumerate(vocabulary)}
    vectorizer.idf_ = idf
    if not idf.shape == (len(vocabulary),) == (len(vectorizer.vocabulary_),):
        raise _flaw("its vocabulary is not one distinct term for each idf")
    if idf.dtype != np.float64 or idf.min() < 0 or idf.max() > _LARGEST_IDF:
        raise _flaw("its idf is no logarithm of a ratio of documents")
    # Whoever fits a vectorizer is told then if these are unknown; here it is fitted already.
    _or_flaw(lambda: (stop_list(vectorizer.stop_words), stem_function(vectorizer.stemmer)))
    return vectorizer


def _rebuild_quantifier(
    description: dict[str, Any], arrays: Arrays, memory_limit: int
) -> Quantifier:
    null = type(None)
    checked(
        description,
        "the quantifier",
        type=str,
        params=dict,
        classifier=(dict, null),
        kind=str,
        classes=dict,
        counts_each_class=bool,
        constants=(list, null),
        n_features=(int, null),
        feature_names=(list, null),
    )
    if description["type"] not in _QUANTIFIERS:
        raise _flaw(f"the quantifier {description['type']!r} is unknown")
    cls, given = _QUANTIFIERS[description["type"]], {}
    if "classifier" in cls._get_param_names():
        given["classifier"] = _rebuild_classifier(description["classifier"])
    quantifier: Quantifier = _make(cls, description["params"], **given)
    scores = _rebuild_scores(description, arrays, memory_limit)
    # What it learned from the scores it learns again, in the same way.
    _or_flaw(lambda: quantifier.fit_scores(scores))
    return _with_features(quantifier, description["n_features"], description["feature_names"])


def _rebuild_classifier(description: Any) -> Any:
    checked(description, "the classifier", type=str, params=dict)
    if description["type"] not in _CLASSIFIERS:
        raise _flaw(f"the classifier {description['type']!r} is unknown")
    params = dict(description["params"])
    loss = params.get("loss")
    if isinstance(loss, str) and loss.startswith(_USER):
        return _make(StructuralSVM, params, loss=StoredLoss(loss.removeprefix(_USER)))
    return _make(_CLASSIFIERS[description["type"]], params)


def _rebuild_scores(
    description: dict[str, Any], arrays: Arrays, memory_limit: int
) -> TrainingScores:
    y = _take(arrays, "y", np.ndarray)
    out_of_fold = _take(arrays, "out_of_fold", np.ndarray) if "out_of_fold" in arrays else None
    # What fit_scores takes for a moment: whole numbers, and posteriors, for all of them at once.
    check_memory(y.size * (16 if out_of_fold is None else 48), memory_limit)
    constants = description["constants"]
    scorer: LinearScorer | ModelScorer
    if constants is None:
        coef, intercept = (_take(arrays, name, np.ndarray) for name in ("coef", "intercept"))
        scorer = LinearScorer(coef, intercept)
    else:
        scorer = ModelScorer(tuple(constants))
    scores = TrainingScores(
        scorer,
        out_of_fold,
        y,
        0.0,
        _rebuild_classes(description["classes"], memory_limit),
        description["kind"],
        counts_each_class=description["counts_each_class"],
    )
    _or_flaw(lambda: _check_scores(scores))
    return scores


def _rebuild_classes(description: dict[str, Any], memory_limit: int) -> Array:
    checked(description, "the classes", dtype=str, values=list)
    name, values = description["dtype"], description["values"]
    if not _LABEL_TYPES.fullmatch(name) or not all(type(value) in _PLAIN for value in values):
        raise _flaw("its classes are of an unknown type")
    dtype = _or_flaw(lambda: np.dtype(name))
    check_memory(dtype.itemsize * len(values), memory_limit)
    classes = _or_flaw(lambda: np.array(values, dtype))
    if list(map(repr, classes.tolist())) != list(map(repr, values)):
        raise _flaw(f"its classes are not of the type {name}")
    return classes


def _with_features(
    quantifier: Quantifier, n_features: int | None, names: list[Any] | None
) -> Quantifier:
    """The quantifier, which knows what documents it was fitted to."""
    if n_features is not None:
        if _n_features(quantifier) not in (None, n_features):
            raise _flaw(f"it cannot have {n_features} features")
        quantifier.n_features_in_ = n_features
    if names is not None:
        if len(names) != n_features or not all(isinstance(name, str) for name in names):
            raise _flaw("its names are not one for each feature")
        quantifier.feature_names_in_ = np.array(names, dtype=object)
    return quantifier


def _n_features(quantifier: Quantifier) -> int | None:
    """Number of features that documents must have, if that is known."""
    scorer = quantifier.scores_.scorer
    if isinstance(scorer, LinearScorer):
        return len(scorer.coef)
    return getattr(quantifier, "n_features_in_", None)


def _check_scores(scores: TrainingScores) -> None:
    """Raise ValueError if the parts of training scores do not fit each other."""
    y, scorer, n_classes = scores.y, scores.scorer, len(scores.classes)
    if y.ndim != 2 or y.dtype != np.bool_:
        raise ValueError("the labels are not boolean columns")
    m = y.shape[1]
    if scores.kind not in ("binary", "multiclass", "multilabel"):
        raise ValueError(f"the kind {scores.kind!r} is unknown")
    if (m, n_classes) != ((1, 2) if scores.kind == "binary" else (n_classes, n_classes)):
        raise ValueError(f"there are {m} columns of labels for {n_classes} classes")
    if scores.kind == "multiclass" and not (y.sum(axis=1) == 1).all():
        raise ValueError("a training document is not in exactly one class")
    if scores.out_of_fold is not None and scores.out_of_fold.shape != y.shape:
        raise ValueError("the out-of-fold scores are not one for each label")
    if isinstance(scorer, LinearScorer):
        if scorer.coef.ndim != 2 or scorer.coef.shape[1:] != (m,) or scorer.intercept.shape != (m,):
            raise ValueError("the weights are not one column for each column of labels")
        if scorer.coef.dtype.kind != "f" or scorer.intercept.dtype.kind != "f":
            raise ValueError("the weights are no numbers")
    elif isinstance(scorer, ModelScorer) and not (
        len(scorer.models) == m and all(isinstance(model, float) for model in scorer.models)
    ):
        raise ValueError("the constant scores are not one for each column of labels")


def _make(cls: Any, params: Any, **given: Any) -> Any:
    """Estimator of these plain parameters, and of those that are rebuilt already."""
    names = {name for name in cls._get_param_names() if name not in given}
    params = {name: value for name, value in params.items() if name not in given}
    checked(params, f"the parameters of {cls.__name__}", **dict.fromkeys(names, _PLAIN))
    jobs = params.get("n_jobs")
    # A model that asks for a million threads would only ask when it is used.
    if not (jobs is None or (type(jobs) is int and 0 < abs(jobs) <= _MOST_JOBS)):
        raise _flaw(f"n_jobs of {cls.__name__} is {jobs!r}")
    return cls(**params, **given)


def _take(arrays: Arrays, name: str, kind: type) -> Any:
    """The array of this name, which is then no longer among the others."""
    values = arrays.pop(name, None)
    if not isinstance(values, kind):
        raise _flaw(f"it has no array {name} of the right type")
    return values


def _or_flaw(make: Callable[[], Out]) -> Out:
    """What a function returns; what it does not accept came from the file, which is at fault."""
    try:
        return make()
    except (ArithmeticError, TypeError, ValueError) as error:
        raise _flaw(str(error)) from error


def _flaw(what: str) -> ModelFileError:
    return ModelFileError(f"is not consistent: {what}")
