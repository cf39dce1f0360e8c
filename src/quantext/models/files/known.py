"""What a model file may name: listings made from this code, never from a file."""

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from typing import Any, Never, Self, get_args, get_type_hints

from sklearn.base import BaseEstimator, ClassifierMixin

import quantext as qx
from quantext import quantifiers
from quantext.learners.losses import ContingencyTable
from quantext.quantifiers import Quantifier
from quantext.scores.given import GivenLabels, GivenScores
from quantext.scores.scorers import LinearScorer, ModelScorer
from quantext.scores.several import SoftmaxScorer
from quantext.scores.training import TrainingScores
from quantext.vectors.answer_columns import LabelAnswers, NumberAnswers

__all__ = [
    "ANSWERS",
    "CLASSIFIERS",
    "PLAIN",
    "QUANTIFIERS",
    "StoredClassifier",
    "StoredLoss",
    "known_dataclasses",
]

_SCORERS = (LinearScorer, ModelScorer, SoftmaxScorer, GivenLabels, GivenScores)
PLAIN = (bool, int, float, str, type(None))  # what a parameter or a label may be


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


class _Named(Mapping[str, Any]):
    """Public classes by name, each imported when a file names it.

    Parameters
    ----------
    names
        Of the classes.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(names)

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        return getattr(qx, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


# RegressionQuantifier speaks of numbers, and cannot be saved.
QUANTIFIERS: Mapping[str, Any] = _Named(
    sorted(set(quantifiers.__all__) - {"Quantifier", "RegressionQuantifier"})
)
ANSWERS: Mapping[str, Any] = {cls.__name__: cls for cls in (LabelAnswers, NumberAnswers)}
CLASSIFIERS: Mapping[str, Any] = ChainMap(
    {StoredClassifier.__name__: StoredClassifier},
    _Named(["LinearSVM", "StructuralSVM", "WeightedNeighbours", "QuantificationForest"]),  # type: ignore[arg-type]
)


def known_dataclasses(quantifier: type[Quantifier]) -> dict[str, type]:
    """Dataclasses that training scores may be made of, by name.

    They are `TrainingScores`, the scorers of ``quantext.scores``, what the quantifier declares as
    its attribute ``stored``, with the voters that may be in it, and whatever dataclass the fields
    of any of these are annotated with.

    Parameters
    ----------
    quantifier
        Class of the model.
    """
    known: dict[str, type] = {}
    waiting: list[Any] = [TrainingScores, *_SCORERS, *quantifier.stored]
    if quantifier.stored:  # some of which hold voters
        from quantext.learners.forest import Trees
        from quantext.learners.neighbours import Neighbours

        waiting += [Neighbours, Trees]
    while waiting:
        cls = waiting.pop()
        if known.get(cls.__name__) is cls:
            continue
        if cls.__name__ in known or not _is_frozen(cls):
            raise TypeError(
                f"a model file cannot keep a {cls.__name__}: what it keeps are frozen dataclasses "
                "of different names"
            )
        known[cls.__name__] = cls
        waiting += _mentioned(get_type_hints(cls).values())
    return known


def _is_frozen(cls: Any) -> bool:
    params = getattr(cls, "__dataclass_params__", None)
    return params is not None and bool(params.frozen)


def _mentioned(hints: Iterable[Any]) -> list[Any]:
    """Dataclasses in annotations."""
    found = []
    for hint in hints:
        if isinstance(hint, type) and is_dataclass(hint):
            found.append(hint)
        found += _mentioned(arg for arg in get_args(hint) if not isinstance(arg, str | list))
    return found
