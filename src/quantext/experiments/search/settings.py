"""Settings of a search: the quantifiers that a grid stands for, and what they have in common."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.pipeline import Pipeline

from quantext.experiments.fits import described, representation
from quantext.models.methods import DEFAULT_METHOD, method
from quantext.models.textquantifier import TextQuantifier
from quantext.quantifiers import Quantifier
from quantext.vectors.ltc import LtcVectorizer

__all__ = [
    "Setting",
    "assembled",
    "front_of",
    "learns_from_labels",
    "make_settings",
    "quantifier_of",
    "shared_folds",
]

Grid = Mapping[str, Any] | Sequence[Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class Setting:
    """A quantifier of the grid.

    Parameters
    ----------
    params
        As the grid has them, without those that this quantifier does not have.
    whole
        Unfitted: a `Quantifier`, a `TextQuantifier` or a pipeline.
    quantifier
        The quantifier in it, as it is tried.
    text
        What tells the whole from others.
    """

    params: dict[str, Any]
    whole: Any
    quantifier: Quantifier
    text: str

    @property
    def front(self) -> str:
        """What tells the way from X to vectors from others."""
        return _told(front_of(self.whole))

    @property
    def representation(self) -> str:
        """What tells its scores from others of the same vectors."""
        with _all_digits():
            return repr(representation(self.quantifier))


def make_settings(whole: Any, grid: Grid, n_iter: int | None, seed: int) -> list[Setting]:
    """Settings in the order of the grid, each once.

    Parameters
    ----------
    whole
        What is searched: a `Quantifier` or the name of a method, a `TextQuantifier`, or a pipeline
        that ends in a quantifier.
    grid, n_iter, seed
        As in `SearchQ`.

    Examples
    --------
    >>> grid = {"quantifier": ["ACC", "Training prevalence"], "classifier__C": [1, 9]}
    >>> [setting.params for setting in make_settings("PCC", grid, None, 0)]
    [{'classifier__C': 1, 'quantifier': 'ACC'}, {'quantifier': 'Training prevalence'},
     {'classifier__C': 9, 'quantifier': 'ACC'}]
    """
    whole = _filled(whole)
    settings: dict[str, Setting] = {}
    unknown: dict[str, Any] = {}
    known: set[str] = set()
    for params in _combinations(grid, n_iter, seed):
        changed, used = _with_params(whole, params)
        known |= used.keys()
        unknown |= dict.fromkeys(params.keys() - used.keys(), changed)
        text = _told(changed)
        settings.setdefault(text, Setting(used, changed, quantifier_of(changed), text))
    for name in sorted(unknown.keys() - known):
        _refuse(name, unknown[name])
    return list(settings.values())


def shared_folds(settings: Sequence[Setting], otherwise: int) -> list[Setting]:
    """The same, where methods without folds are tried with those of others, to share their scores.

    Parameters
    ----------
    settings
        Of a search.
    otherwise
        Folds of those that share with no other.
    """
    found: dict[tuple[str, int], int] = {}
    for setting in settings:
        if folds := getattr(setting.quantifier, "folds", 0):
            found.setdefault(_classifier(setting.quantifier), folds)
    return [
        replace(setting, quantifier=clone(setting.quantifier).set_params(folds=folds))
        if _has_no_folds(setting.quantifier)
        and (folds := found.get(_classifier(setting.quantifier), otherwise))
        else setting
        for setting in settings
    ]


def _has_no_folds(quantifier: Quantifier) -> bool:
    scored = type(quantifier).represent is Quantifier.represent
    return scored and quantifier.folds == 0 and not quantifier.needs_folds


def _classifier(quantifier: Quantifier) -> tuple[str, int]:
    return _told(getattr(quantifier, "classifier", None)), getattr(quantifier, "seed", 0)


# The whole and its parts --------------------------------------------------------------------------


def front_of(whole: Any) -> Any:
    """What makes vectors of X, unfitted; None if X is vectors.

    Parameters
    ----------
    whole
        Of a setting.
    """
    if isinstance(whole, TextQuantifier):
        return whole.vectorizer
    return whole[:-1] if isinstance(whole, Pipeline) and len(whole) > 1 else None


def learns_from_labels(whole: Any) -> bool:
    """Whether what makes vectors may be another one if it is fitted with labels.

    Parameters
    ----------
    whole
        Of a setting.
    """
    if not isinstance(whole, Pipeline):
        return False  # a `TextQuantifier` fits its vectorizer without them
    steps = [step for _, step in whole.steps[:-1] if step not in (None, "passthrough")]
    return not all(
        type(step) is LtcVectorizer or type(step).__module__ == "sklearn.feature_extraction.text"
        for step in steps
    )


def assembled(whole: Any, front: Any, quantifier: Quantifier) -> Any:
    """Fitted whole, of its fitted parts.

    Parameters
    ----------
    whole
        Of a setting.
    front, quantifier
        Fitted.
    """
    if isinstance(whole, TextQuantifier):
        model = clone(whole)
        model.vectorizer_, model.quantifier_ = front, quantifier
        model.classes_ = quantifier.classes_
        return model
    if isinstance(whole, Pipeline):
        model = clone(whole)
        steps = [] if front is None else front.steps
        model.steps = [*steps, (whole.steps[-1][0], quantifier)]
        return model
    return quantifier


def _filled(whole: Any) -> Any:
    """The whole with all its parts, so that they have parameters."""
    if isinstance(whole, str):
        return method(whole)
    if isinstance(whole, TextQuantifier):
        quantifier, vectorizer = whole.quantifier or DEFAULT_METHOD, whole.vectorizer
        return TextQuantifier(
            method(quantifier) if isinstance(quantifier, str) else quantifier,
            LtcVectorizer() if vectorizer is None else vectorizer,
        )
    quantifier_of(whole)
    return whole


def quantifier_of(whole: Any) -> Quantifier:
    """The quantifier in a whole.

    Parameters
    ----------
    whole
        A `Quantifier`, a `TextQuantifier` or a pipeline.
    """
    own = whole
    if isinstance(whole, TextQuantifier):
        own = whole.quantifier
    elif isinstance(whole, Pipeline):
        own = whole.steps[-1][1]
    if not isinstance(own, Quantifier):
        raise TypeError(
            f"{type(own).__name__} is no quantifier; search a Quantifier or the name of a method, "
            "a TextQuantifier, or a pipeline that ends in a quantifier"
        )
    return own


def _prefix(whole: Any) -> str:
    """What parameters of the quantifier begin with, among those of the whole."""
    if isinstance(whole, TextQuantifier):
        return "quantifier__"
    return f"{whole.steps[-1][0]}__" if isinstance(whole, Pipeline) else ""


# Parameters ---------------------------------------------------------------------------------------


def _combinations(grid: Grid, n_iter: int | None, seed: int) -> list[dict[str, Any]]:
    """All settings of the grid, or so many of them."""
    grids = [grid] if isinstance(grid, Mapping) else list(grid)
    drawn = [name for one in grids for name, values in one.items() if hasattr(values, "rvs")]
    if n_iter is None:
        if drawn:
            raise ValueError(
                f"{drawn[0]} is a distribution; say how many settings to draw by n_iter="
            )
        return list(ParameterGrid(grid))
    if n_iter < 1:
        raise ValueError(f"n_iter is {n_iter}; it must be 1 or more, or None for the whole grid")
    if not drawn:
        n_iter = min(n_iter, len(ParameterGrid(grid)))
    return list(ParameterSampler(grid, n_iter, random_state=seed))


def _with_params(whole: Any, params: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Copy of the whole with these parameters, and those of them that it has."""
    changed = clone(whole)
    last = _prefix(whole).removesuffix("__")
    used = {}
    # First, since the names of the other parameters depend on it.
    if "quantifier" in params and (last == "quantifier" or "quantifier" not in whole.get_params()):
        used["quantifier"] = given = params["quantifier"]
        quantifier = quantifier_of(method(given) if isinstance(given, str) else clone(given))
        changed = changed.set_params(**{last: quantifier}) if last else quantifier
    known = changed.get_params()
    values = {}
    for name, value in params.items():
        if name not in used and (full := _full_name(name, _prefix(whole), known)):
            used[name] = value
            values[full] = clone(value, safe=False)
    return changed.set_params(**values), {name: params[name] for name in params if name in used}


def _full_name(name: str, prefix: str, known: Mapping[str, Any]) -> str | None:
    """The name that the whole has for a parameter, which may be one of its quantifier."""
    own = name.removeprefix("quantifier__")
    return next((full for full in (name, prefix + name, prefix + own) if full in known), None)


def _refuse(name: str, whole: Any) -> None:
    known = [*whole.get_params(), *quantifier_of(whole).get_params()]
    close = list(dict.fromkeys(get_close_matches(name, known, n=3)))
    hint = f"did you mean {' or '.join(close)}?" if close else f"it has {', '.join(sorted(known))}"
    raise ValueError(f"{type(whole).__name__} has no parameter {name!r}; {hint}")


def _told(estimator: Any) -> str:
    with _all_digits():
        return described(estimator)


def _all_digits() -> Any:
    """Inside, arrays are written in full, so that different ones are never told to be the same."""
    return np.printoptions(threshold=sys.maxsize, precision=17)
