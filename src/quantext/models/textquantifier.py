"""TextQuantifier: texts in, prevalence out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import add
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from quantext.measures import Measure
from quantext.models.methods import DEFAULT_METHOD, method
from quantext.progress import Progress, silent
from quantext.quantifiers import Quantifier
from quantext.quantifiers.regions import Region
from quantext.quantifiers.scoring import bag_score, tell_of_bags
from quantext.quantifiers.summary import Summary
from quantext.scores.labels import check_labelled
from quantext.vectors.batches import batches
from quantext.vectors.ltc import LtcVectorizer
from quantext.vectors.proxy import ProxyVectorizer

__all__ = ["TextQuantifier"]

Array = NDArray[Any]
Out = TypeVar("Out")


class TextQuantifier(BaseEstimator):  # type: ignore[misc]
    """A vectorizer and a quantifier in one: the prevalence of each class in a bag of raw texts.

    It is what ``save`` and ``load`` keep and what the command line uses. Texts may be any iterable
    of strings: a list, a column of a data frame, a generator. They are read in batches, so that a
    bag may be larger than memory; a bag that comes in parts is estimated from the sum of the
    parts' summaries.

    Parameters
    ----------
    quantifier
        What estimates the prevalence: a quantifier, which is cloned, or the name of a method, as
        ``"PACC"`` for ``method("PACC")``. None is ``method("Adaptive")``.
    vectorizer
        Transformer from texts to vectors, which is cloned; None is ``LtcVectorizer()``. With a
        `ProxyVectorizer` documents are no texts but what models say of them, in a data frame.

    Attributes
    ----------
    classes_
        Names of the classes, in the order of the estimates; for multi-label y those of the columns.
    quantifier_, vectorizer_
        The fitted clones.

    Examples
    --------
    >>> from quantext import ClassifyAndCount, LinearSVM
    >>> texts = ["great battery", "battery lasts", "screen broke", "broken screen"]
    >>> model = TextQuantifier(ClassifyAndCount(LinearSVM()))
    >>> model = model.fit(texts, ["battery", "battery", "screen", "screen"])
    >>> model.predict(["my battery!", "My screen?", "the screen", "screens"])
    array([0.25, 0.75])

    In parts:

    >>> parts = ["my battery!"], ["My screen?", "the screen", "screens"]
    >>> model.aggregate(reduce(add, map(model.summarise, parts)))
    array([0.25, 0.75])
    """

    quantifier_: Quantifier
    vectorizer_: Any

    def __init__(self, quantifier: Quantifier | str | None = None, vectorizer: Any = None) -> None:
        self.quantifier = quantifier
        self.vectorizer = vectorizer

    def set_params(self, **params: Any) -> Self:
        """Itself, with other parameters.

        Parameters
        ----------
        params
            By name; those of its parts have names such as ``quantifier__classifier__C``, whether
            the part is given, named or left out.
        """
        for part, fresh in (("quantifier", _fresh_quantifier), ("vectorizer", _fresh_vectorizer)):
            own = params.get(part, getattr(self, part))
            # None and a name have no parameters, but what they stand for has.
            if any(name.startswith(f"{part}__") for name in params) and _stands_for_another(own):
                params[part] = fresh(own)
        super().set_params(**params)
        return self

    def fit(self, texts: Iterable[str], y: Any) -> Self:
        """Fitted model.

        Parameters
        ----------
        texts
            Training documents.
        y
            One-dimensional: labels of any type. Two-dimensional: 0/1 columns, always multi-label.
        """
        check_labelled(y)
        vectorizer, own = _fresh_vectorizer(self.vectorizer), _fresh_quantifier(self.quantifier)
        quantifier = own.fit(vectorizer.fit_transform(texts), y)
        self.vectorizer_, self.quantifier_ = vectorizer, quantifier
        self.classes_ = quantifier.classes_
        return self

    def predict(self, texts: Iterable[str]) -> Array:
        """Prevalence of each class in a bag.

        Parameters
        ----------
        texts
            Documents of the bag.

        Returns
        -------
        p_hat
            In the order of ``classes_``: shares that sum to 1 or, after a two-dimensional y, the
            share of each label.
        """
        return self.aggregate(self.summarise(texts))

    def score(self, texts: Iterable[str], y: Any, *, measure: str | Measure = "kld") -> float:
        """Minus the error of the estimate for a bag; of several labels, minus their mean error.

        Parameters
        ----------
        texts
            Documents of the bag.
        y
            Their labels; not all classes need to be there.
        measure
            A name in ``quantext.measures.MEASURES``, or a function ``f(p_true, p_hat, *, size)``.
            Of several labels, each is measured as a prevalence of two classes.
        """
        summary = self.summarise(texts)
        p_hat, size, kind = self.aggregate(summary), summary.size, self.quantifier_.kind_
        return bag_score(y, p_hat, size=size, classes=self.classes_, kind=kind, measure=measure)

    def predict_interval(
        self, texts: Iterable[str], level: float = 0.95, seed: int = 0, *, replicates: int = 1000
    ) -> tuple[Array, Array]:
        """Lower and upper bounds of the prevalence of each class in a bag.

        Parameters
        ----------
        texts
            Documents of the bag.
        level
            Share of bags whose prevalence the interval should contain.
        seed
            Of the replicates.
        replicates
            Number of times that training scores and bag are redrawn.
        """
        return self.interval(self.summarise(texts), level, seed, replicates=replicates)

    def predict_region(
        self, texts: Iterable[str], level: float = 0.95, seed: int = 0, *, replicates: int = 1000
    ) -> Region:
        """Prevalences that a bag of three classes or more may have, all together.

        Parameters
        ----------
        texts
            Documents of the bag.
        level, seed, replicates
            As in `predict_interval`.
        """
        summary = self.summarise(texts)
        return self.quantifier_.region(summary, level, seed, replicates=replicates)

    def summarise(self, texts: Iterable[str], *, at_once: int = 2**22) -> Summary:
        """Summary of a bag, or of a part of one; summaries add up.

        Parameters
        ----------
        texts
            Documents.
        at_once
            Scores that are counted at a time: of 4 million, 32 MB are in memory.
        """
        check_is_fitted(self)
        summaries = self._summaries(texts, at_once)
        first = next(summaries, None)
        if first is None:
            raise ValueError("the bag is empty; the prevalence in it is not defined")
        return reduce(add, summaries, first)

    def aggregate(self, summary: Summary) -> Array:
        """Prevalence of each class in the bag that was summarised.

        Parameters
        ----------
        summary
            Of this model's making.
        """
        check_is_fitted(self)
        return self.quantifier_.aggregate(summary)

    def interval(
        self, summary: Summary, level: float = 0.95, seed: int = 0, *, replicates: int = 1000
    ) -> tuple[Array, Array]:
        """Lower and upper bounds of the prevalence of each class in the bag that was summarised.

        Parameters
        ----------
        summary
            Of this model's making.
        level, seed, replicates
            As in `predict_interval`.
        """
        check_is_fitted(self)
        return self.quantifier_.interval(summary, level, seed, replicates=replicates)

    def aggregate_interval(
        self, summary: Summary, level: float = 0.95, seed: int = 0, *, replicates: int = 1000
    ) -> tuple[Array, Array, Array]:
        """What `aggregate` and `interval` say, in less time than the two of them.

        Parameters
        ----------
        summary
            Of this model's making.
        level, seed, replicates
            As in `predict_interval`.
        """
        check_is_fitted(self)
        quantifier = self.quantifier_
        return quantifier.aggregate_interval(summary, level, seed, replicates=replicates)

    def aggregate_intervals(
        self,
        summaries: Sequence[Summary],
        level: float = 0.95,
        seed: int = 0,
        *,
        replicates: int = 1000,
        n_jobs: int | None = None,
        progress: Progress = silent,
    ) -> tuple[Array, Array, Array]:
        """What `aggregate_interval` says of many bags, a row each, in far less time.

        Parameters
        ----------
        summaries
            Of this model's making.
        level, seed, replicates
            As in `predict_interval`.
        n_jobs
            Threads; None is one, -1 all there are.
        progress
            Is told "bags", and about how many of them are done.
        """
        check_is_fitted(self)
        return self.quantifier_.aggregate_intervals(
            summaries, level, seed, replicates=replicates, n_jobs=n_jobs, progress=progress
        )

    def known_share(self, texts: Iterable[str]) -> float | None:
        """Share of the words in the texts that the model knows from training, without stop words.

        None if they have no words at all.

        A small one says that the texts are in another language than those of training, or about
        other things, and that estimates mean little.

        Parameters
        ----------
        texts
            Documents.
        """
        check_is_fitted(self)
        if not isinstance(self.vectorizer_, LtcVectorizer):
            kind = type(self.vectorizer_).__name__
            raise TypeError(f"{kind} does not say which words it knows; use a LtcVectorizer")
        return self.vectorizer_.known_share(texts)

    def _summaries(self, texts: Iterable[str], at_once: int) -> Iterator[Summary]:
        """Summaries of the documents, some at a time."""
        quantifier = self.quantifier_
        if quantifier.counts_features:
            return self._mapped(quantifier.summarise, texts)
        rows = _joined(self._mapped(quantifier.rows, texts), at_once)
        return map(quantifier.summarise_scores, rows)

    def _mapped(self, function: Callable[[Any], Out], texts: Iterable[str]) -> Iterator[Out]:
        """What a function says of the vectors of the documents, batch by batch."""
        if isinstance(self.vectorizer_, LtcVectorizer | ProxyVectorizer):
            return self.vectorizer_.map_batches(function, texts)
        return (function(self.vectorizer_.transform(batch)) for batch in batches(texts))

    def __sklearn_tags__(self) -> Tags:
        tell_of_bags()
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _stands_for_another(part: Any) -> bool:
    return part is None or isinstance(part, str)


def _fresh_quantifier(own: Any) -> Quantifier:
    """Unfitted quantifier that is given, named, or meant by None."""
    if _stands_for_another(own):
        return method(DEFAULT_METHOD if own is None else own)
    fresh: Quantifier = clone(own)
    return fresh


def _fresh_vectorizer(own: Any) -> Any:
    """Unfitted vectorizer that is given, or meant by None."""
    return LtcVectorizer() if own is None else clone(own)


def _joined(parts: Iterable[Array], at_once: int) -> Iterator[Array]:
    """The same rows in larger arrays: to count many documents at once takes less time."""
    waiting: list[Array] = []
    for part in parts:
        waiting.append(part)
        if sum(map(np.size, waiting)) >= at_once:
            yield np.concatenate(waiting)
            waiting = []
    if waiting:
        yield np.concatenate(waiting)
