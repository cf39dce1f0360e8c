"""Training scores that several methods share: what they have in common is made once."""

from collections.abc import Callable, Hashable
from dataclasses import fields
from typing import Self, TypeVar

from quantext.scores.training import TrainingScores

__all__ = ["SharedScores"]

Value = TypeVar("Value")


class SharedScores(TrainingScores):
    """Training scores that remember their parts, for as long as methods are fitted to them.

    So scores are sorted, and calibrated, once for all of these. It takes memory, a few numbers for
    each document and column.
    """

    @classmethod
    def of(cls, scores: TrainingScores) -> Self:
        """The same scores.

        Parameters
        ----------
        scores
            To be shared.
        """
        return cls(**{own.name: getattr(scores, own.name) for own in fields(scores) if own.init})

    def part(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """What `make` gives, the first time that the key is asked for.

        Parameters
        ----------
        key, make
            As for any scores.
        """
        parts = self.__dict__.setdefault("_parts", {})
        if key not in parts:
            parts[key] = make()
        found: Value = parts[key]
        return found
