"""Problems: the classes of y divided into the questions that a method answers, and joined again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from quantext.scores.labels import Kind
from quantext.scores.training import ScoresByClass, TrainingScores

__all__ = ["Problems", "Relearned", "Relearner"]

Array = NDArray[Any]
Relearned = Callable[[Array, Array], Array]
Relearner = Callable[[Array], Relearned]


@dataclass(frozen=True)
class Problems:
    """How a y with any number of classes or labels becomes problems, and their estimates shares.

    Two classes are one problem, whatever the division. `each_class`, `all_classes` and `everything`
    make the three divisions there are.

    Parameters
    ----------
    kind
        Of y.
    n_columns
        Of y.
    prevalence
        Training prevalence of each class.
    division
        What is a problem: "each" class, or label, against the rest; all "classes" of a document
        that has one, but each label by itself; or "everything", labels too.
    all_columns
        Whether each problem sees all columns of the rows, or only that of its class.
    """

    kind: Kind
    n_columns: int
    prevalence: Array
    division: Literal["each", "classes", "everything"]
    all_columns: bool = False

    @classmethod
    def each_class(cls, scores: TrainingScores, *, all_columns: bool = False) -> Self:
        """Each class, or label, against the rest; shares of classes are divided by their sum.

        If the shares are all zero, the training prevalence stands for them.
        """
        return cls._of(scores, "each", all_columns)

    @classmethod
    def all_classes(cls, scores: TrainingScores, *, all_columns: bool = False) -> Self:
        """All classes together, where a document has one; each label by itself, where several."""
        return cls._of(scores, "classes", all_columns)

    @classmethod
    def everything(cls, scores: TrainingScores) -> Self:
        """One problem of all classes or labels, whose estimate is the answer."""
        return cls._of(scores, "everything", all_columns=True)

    @classmethod
    def _of(cls, scores: TrainingScores, division: Any, all_columns: bool) -> Self:
        return cls(scores.kind, scores.y.shape[1], scores.prevalence, division, all_columns)

    def units(self, scores: TrainingScores) -> list[ScoresByClass]:
        """Out-of-fold scores of what intervals redraw together: each label, else all classes.

        Without cross-validation they have no columns, and only the classes can be counted.
        """
        whole = self.kind == "multiclass" or self._labels_together
        return scores.part((whole, self.all_columns), lambda: self._units(scores, whole))

    def _units(self, scores: TrainingScores, whole: bool) -> list[ScoresByClass]:
        y = scores.y
        rows = np.empty((len(y), 0)) if scores.out_of_fold is None else scores.out_of_fold
        if whole:
            return [ScoresByClass(rows, y.astype(np.int64))]
        return [
            ScoresByClass(self._own(rows, j), np.column_stack([~own, own]).astype(np.int64))
            for j, own in enumerate(y.T)
        ]

    def split(self, unit: ScoresByClass) -> list[ScoresByClass]:
        """The problems of a unit."""
        if not self.separate:
            return [unit]
        total = unit.counts.sum(axis=1)
        return [
            ScoresByClass(self._own(unit.scores, k), np.column_stack([total - own, own]))
            for k, own in enumerate(unit.counts.T)
        ]

    def rows(self, rows: Array) -> list[Array]:
        """What each problem sees of the rows of a bag."""
        if self.division == "everything" or (self.kind == "multiclass" and not self.separate):
            return [rows]
        return [self._own(rows, j) for j in range(self.n_columns)]

    def join(self, estimates: Sequence[Array]) -> Array:
        """Share of each class, or label, from the estimate of each problem."""
        if self.kind == "multilabel" and not self._labels_together:
            return np.array([estimate[1] for estimate in estimates])
        if self.separate:
            return self._normalised(np.array([estimate[1] for estimate in estimates]))
        return estimates[0]

    def join_redrawn(self, problems: Sequence[Relearner | None]) -> Relearner:
        """Function that learns from redrawn documents of a unit, given one for each problem.

        Parameters
        ----------
        problems
            As ``Quantifier.reestimator`` makes them; None for a class without documents.
        """
        if not self.separate:
            [relearn] = problems
            assert relearn is not None
            return relearn

        def relearn_each(redrawn: Array) -> Relearned:
            total = redrawn.sum(axis=1)
            learned = [
                None if relearn is None else relearn(np.stack([total - own, own], axis=1))
                for relearn, own in zip(problems, redrawn.swapaxes(0, 1), strict=True)
            ]

            def estimates(rows: Array, numbers: Array) -> Array:
                shares = np.zeros((len(rows), len(problems)))
                for k, estimate in enumerate(learned):
                    if estimate is not None:
                        shares[:, k] = estimate(rows, numbers)[:, 1]
                total = shares.sum(axis=1, keepdims=True)
                safe = np.where(total > 0, total, 1.0)
                return np.where(total > 0, shares / safe, self.prevalence)

            return estimates

        return relearn_each

    @property
    def separate(self) -> bool:
        """Whether each class of a multi-class y is a problem by itself."""
        return self.kind == "multiclass" and self.division == "each"

    @property
    def _labels_together(self) -> bool:
        return self.kind == "multilabel" and self.division == "everything"

    def is_constant(self, problem: ScoresByClass) -> bool:
        """Whether there is nothing to tell apart: all training documents are of one class."""
        return not self._labels_together and problem.one_class

    def _own(self, rows: Array, column: int) -> Array:
        return rows if self.all_columns else rows[:, column : column + 1]

    def _normalised(self, shares: Array) -> Array:
        total = shares.sum()
        return np.asarray(shares / total if total > 0 else self.prevalence)
