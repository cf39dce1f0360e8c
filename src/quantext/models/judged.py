"""Documents that models have judged, and people some of them: what `correct` is asked about."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.texts.periods import natural_key
from quantext.vectors.answers import Answers, Numbers, read_answers, read_proxy

__all__ = ["Judged", "Question", "label_sets", "read_judged"]

Array = NDArray[Any]
Model = Answers | Numbers


@dataclass(frozen=True)
class Question:
    """One question that is asked of all documents: which class; or, of several labels, one of them.

    Parameters
    ----------
    names
        Classes, as texts.
    models
        What each model says of all documents.
    truth
        Number of the class of the documents whose truth is known, in order.
    asked
        Numbers of the classes whose shares are asked for: all of them, or of a label alone the
        second, that documents have it.
    """

    names: tuple[str, ...]
    models: tuple[Model, ...]
    truth: NDArray[np.int64]
    asked: tuple[int, ...]

    def of(self, rows: Array) -> "Question":
        """The same of some documents, of which no truth is known."""
        models = tuple(model[rows] for model in self.models)
        return replace(self, models=models, truth=self.truth[:0])

    def says_classes(self, model: Model) -> bool:
        """Whether a model's labels, or posteriors, are those of the classes."""
        if isinstance(model, Numbers):
            columns = model.values.shape[1]
            return model.are_posteriors and (columns == len(self.names) or self._one_of_two(model))
        return any(name is not None and str(name) in self.names for name in model.names)

    def _one_of_two(self, model: Numbers) -> bool:
        return len(self.names) == 2 and model.values.shape[1] == 1

    def raw(self, bags: Array, n_bags: int) -> NDArray[np.float64]:
        """Share of each class in every bag as models say it, shape (bags, K); NaN if none does.

        Documents without an answer are in no class, so shares may sum to less than 1.
        """
        shares = [
            self._raw(model, bags, n_bags) for model in self.models if self.says_classes(model)
        ]
        return np.mean(shares, axis=0) if shares else np.full((n_bags, len(self.names)), np.nan)

    def _raw(self, model: Model, bags: Array, n_bags: int) -> Array:
        sizes = np.maximum(np.bincount(bags, minlength=n_bags), 1)
        if isinstance(model, Numbers):
            known = np.nan_to_num(model.values)
            sums = [np.bincount(bags, column, n_bags) / sizes for column in known.T]
            return np.column_stack([1 - sums[0], sums[0]] if self._one_of_two(model) else sums)
        width = len(model.names)
        table = np.bincount(bags * width + model.codes, minlength=n_bags * width)
        shares = table.reshape(n_bags, width) / sizes[:, None]
        return np.column_stack([shares[:, self.answers(model) == k].sum(axis=1) for k in
                                range(len(self.names))])  # fmt: skip

    def answers(self, model: Answers) -> NDArray[np.int64]:
        """Number of the class that each of a model's labels is called; -1 for another label."""
        named = {name: k for k, name in enumerate(self.names)}
        return np.array([-1 if own is None else named.get(str(own), -1) for own in model.names])


@dataclass(frozen=True)
class Judged:
    """All that is known of the documents.

    Parameters
    ----------
    questions
        One, or one for each label that documents may have beside others.
    known
        Numbers of the documents whose truth is known.
    bags
        Number of each document's bag.
    bag_names
        Their names.
    """

    questions: tuple[Question, ...]
    known: NDArray[np.int64]
    bags: NDArray[np.int64]
    bag_names: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.bags)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of documents in each bag."""
        return np.bincount(self.bags, minlength=len(self.bag_names))


def read_judged(
    proxy: Any,
    truth: Any,
    *,
    by: Any = None,
    classes: Sequence[Any] | None = None,
    separator: str | None = None,
) -> Judged:
    """Documents with what models say of them and, for some, the truth.

    Parameters
    ----------
    proxy
        As `read_proxy` takes it.
    truth
        Label of each document, None, NaN or blank where nobody looked. Two-dimensional, or with a
        separator: documents may have several labels.
    by
        Bag of each document; None: all are in one.
    classes
        All there are, where neither truth nor models may name them all.
    separator
        What stands between the labels of a document, in truth and proxy.
    """
    if separator is not None:
        questions, known = _several_texts(proxy, truth, separator, classes)
    elif getattr(truth, "ndim", 1) == 2 or hasattr(truth, "columns"):
        questions, known = _several_columns(proxy, truth)
    else:
        questions, known = _one(proxy, truth, classes)
    if not questions:
        raise ValueError("no document has a label, in truth or proxy; nothing can be said of any")
    total = len(questions[0].models[0])
    if by is None:
        return Judged(questions, known, np.zeros(total, dtype=np.int64), ("all",))
    bags = read_answers(by, "by")
    if len(bags) != total:
        raise ValueError(f"by has {len(bags)} values for {total} documents; give one for each")
    if bags.n_missing:
        row = int(np.argmax(bags.codes == bags.names.index(None)))
        raise ValueError(
            f"row {row} (counting from 0) and {bags.n_missing - 1} more are in no batch; name one "
            "for each row"
        )
    order = sorted(range(len(bags.names)), key=lambda b: natural_key(str(bags.names[b])))
    numbers = np.argsort(order)
    return Judged(questions, known, numbers[bags.codes], tuple(bags.names[b] for b in order))


def _one(
    proxy: Any, truth: Any, classes: Sequence[Any] | None
) -> tuple[tuple[Question, ...], Array]:
    models = tuple(read_proxy(proxy))
    if not models:
        raise ValueError("there is no model: give a column of what one says")
    found = read_answers(truth, "truth")
    _check_lengths(models, len(found))
    known = found.codes < len([name for name in found.names if name is not None])
    gold = [str(name) for name in found.names if name is not None]
    names = dict.fromkeys(map(str, classes) if classes is not None else gold)
    if missing := [name for name in gold if name not in names]:
        raise ValueError(
            f"the truth has {missing[0]!r}, which is none of the classes {list(names)}"
        )
    if classes is None:
        # A label that only a model gives is a class too, if it gives those of the truth as well.
        for model in models:
            called = [name for name in getattr(model, "names", ()) if name is not None]
            said = dict.fromkeys(map(str, called))
            # Numbers are alike by chance: a rating from 0 to 5 does not speak of 0 and 1.
            numbered = any(isinstance(name, int | float) for name in called)
            if set(said) & set(gold) and not (numbered and len(said) > 2 * len(gold)):
                names |= said
        names = dict.fromkeys(sorted(names) if set(names) - set(gold) else names)
    order = {name: k for k, name in enumerate(names)}
    numbers = np.array([order[name] for name in gold], dtype=np.int64)
    rows = np.flatnonzero(known)
    truths = numbers[found.codes[rows]]
    models = _as_posteriors(models, rows, truths, len(names))
    question = Question(tuple(names), models, truths, tuple(range(len(names))))
    return (question,), rows


def _as_posteriors(
    models: tuple[Model, ...], known: Array, truth: Array, n_classes: int
) -> tuple[Model, ...]:
    """One model of several columns that sum to 1, each the posterior of the class it goes with.

    Which one that is the truths show, and likewise of which of two classes one posterior is.
    """
    if not models or not all(isinstance(m, Numbers) and m.values.shape[1] == 1 for m in models):
        return models
    values = np.hstack([model.values for model in models if isinstance(model, Numbers)])
    if n_classes == 2 and len(models) == 1:
        values = np.hstack([1 - values, values])
    together = Numbers(values, ", ".join(str(model.column) for model in models))
    if values.shape[1] != n_classes or not together.are_posteriors:
        return models
    from scipy.optimize import linear_sum_assignment  # slow to load, and seldom needed

    seen = values[known]
    means = np.zeros((n_classes, n_classes))
    for k in range(n_classes):
        own = seen[truth == k]
        means[k] = np.nan_to_num(own).mean(axis=0) if len(own) else 0.0
    _, columns = linear_sum_assignment(means / np.maximum(means.sum(axis=0), 1e-12), maximize=True)
    if len(models) == 1 and columns[0] == 0:
        return models
    return (Numbers(values[:, columns], models[0].column if len(models) == 1 else together.column),)


def _several_texts(
    proxy: Any, truth: Any, separator: str, classes: Sequence[Any] | None
) -> tuple[tuple[Question, ...], Array]:
    said = read_proxy(proxy)
    texts = [model for model in said if isinstance(model, Answers)]
    if len(texts) < len(said):
        raise ValueError("with a separator the models must give labels, not numbers")
    truths = read_answers(truth, "truth")
    found, *models = [(own, label_sets(own, separator)) for own in (truths, *texts)]
    _check_lengths(texts, len(truths))
    known = np.flatnonzero(np.array([own is not None for own in found[1]])[found[0].codes])
    labels = dict.fromkeys(map(str, classes or ()))
    for _, sets in [found, *models] if classes is None else ():
        labels |= dict.fromkeys(label for own in sets for label in own or ())
    questions = []
    for label in sorted(labels):
        members = tuple(_member(answers, sets, label) for answers, sets in models)
        own = _member(*found, label).codes[known]
        questions.append(Question((f"not {label}", label), members, own, (1,)))
    return tuple(questions), known


def label_sets(answers: Answers, separator: str) -> list[frozenset[str] | None]:
    """The labels that each distinct answer has; None for no answer.

    Parameters
    ----------
    answers
        Texts.
    separator
        What stands between their labels.
    """
    sets: list[frozenset[str] | None] = []
    for name in answers.names:
        parts = [] if name is None else [part.strip() for part in str(name).split(separator)]
        sets.append(None if name is None else frozenset(part for part in parts if part))
    return sets


def _member(answers: Answers, sets: Sequence[frozenset[str] | None], label: str) -> Answers:
    """Whether each answer has a label."""
    codes = np.array([2 if own is None else int(label in own) for own in sets], dtype=np.int64)
    names: tuple[Any, ...] = (f"not {label}", label)
    return Answers(codes[answers.codes], (*names, None) if None in sets else names, answers.column)


def _several_columns(proxy: Any, truth: Any) -> tuple[tuple[Question, ...], Array]:
    columns = getattr(truth, "columns", None)
    values = np.asarray(truth, dtype=np.float64)
    names = [str(name) for name in (range(values.shape[1]) if columns is None else columns)]
    looked = ~np.isnan(values).any(axis=1)
    if not np.isin(values[looked], (0, 1)).all():
        raise ValueError("columns of the truth, one for each label, hold 0 and 1, or NaN in a row")
    if columns is not None and hasattr(proxy, "columns"):
        if sorted(map(str, proxy.columns)) != sorted(names):
            raise ValueError(
                f"the proxy has columns {list(map(str, proxy.columns))} and the truth {names}; "
                "give both the same"
            )
        proxy = proxy[list(columns)]
    said = np.asarray(proxy, dtype=np.float64)
    if said.shape != values.shape:
        raise ValueError(
            f"the truth has shape {values.shape} and the proxy {said.shape}; give both a column "
            "for each label"
        )
    known = np.flatnonzero(looked)
    questions = []
    for j, name in enumerate(names):
        own = said[:, j]
        hard = np.isin(own[~np.isnan(own)], (0, 1)).all()
        codes = np.where(np.isnan(own), 2, np.nan_to_num(own)).astype(np.int64)
        called = (f"not {name}", name)
        labels = (*called, None) if np.isnan(own).any() else called
        model = Answers(codes, labels) if hard else Numbers(own[:, None])
        questions.append(Question(called, (model,), values[known, j].astype(np.int64), (1,)))
    return tuple(questions), known


def _check_lengths(models: Sequence[Model], number: int) -> None:
    for model in models:
        if len(model) != number:
            raise ValueError(
                f"the proxy has {len(model)} values and the truth {number}; give both for each "
                "document, the truth blank where nobody looked"
            )
