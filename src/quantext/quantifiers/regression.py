"""Numeric targets: the mean of a bag, and its whole distribution."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.utils import Tags
from sklearn.utils.validation import _num_samples, check_is_fitted, column_or_1d, validate_data

from quantext.quantifiers.base import check_size
from quantext.quantifiers.intervals import check_level
from quantext.vectors.sparse import check_sparse

__all__ = ["Distribution", "RegressionQuantifier"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Distribution:
    """Values and how much each of them weighs.

    Parameters
    ----------
    values
        Ascending, shape (v,).
    weights
        Positive, with the sum 1.

    Examples
    --------
    >>> stars = Distribution(np.array([1.0, 3.0, 5.0]), np.array([0.2, 0.2, 0.6]))
    >>> stars.mean, stars.quantile(0.5), stars.cdf(3.0), stars.histogram([0.5, 3.5, 5.5]).tolist()
    (3.8, 5.0, 0.4, [0.4, 0.6])
    """

    values: Array
    weights: Array

    @property
    def mean(self) -> float:
        """Mean value."""
        return float(self.values @ self.weights)

    def cdf(self, value: ArrayLike) -> Any:
        """Share of values up to this one, or each of these.

        Parameters
        ----------
        value
            A number, or several.
        """
        below = np.append(0.0, np.cumsum(self.weights))
        found = below[np.searchsorted(self.values, value, side="right")]
        return float(found) if np.ndim(value) == 0 else found

    def quantile(self, share: ArrayLike) -> Any:
        """The least value up to which there is this share, or each of these.

        Parameters
        ----------
        share
            A number between 0 and 1, or several.
        """
        place = np.searchsorted(np.cumsum(self.weights) * (1 + 1e-12), share, side="left")
        found = self.values[np.minimum(place, len(self.values) - 1)]
        return float(found) if np.ndim(share) == 0 else found

    def histogram(self, edges: ArrayLike) -> Array:
        """Share of values between each edge, itself included, and the next.

        Parameters
        ----------
        edges
            Ascending.
        """
        counts, _ = np.histogram(self.values, np.asarray(edges), weights=self.weights)
        return np.asarray(counts)


class RegressionQuantifier(BaseEstimator):  # type: ignore[misc]
    """Mean of a number in a bag, such as a rating, and how it is distributed there.

    A regressor predicts each document's value. Predictions are divided into segments, each with as
    many training documents, and what is known of each is how far out-of-fold predictions in it were
    off. The mean of a bag is that of its predictions, each plus the mean error of its segment:
    *regress and sum*, adjusted. For the distribution each document stands for all true values of
    the training documents in its segment: *regress and splice*. So a bag has the extremes that
    training had, which predictions, all drawn towards the middle, never show.

    Bella et al. (2014), "Aggregative quantification for regression". That the errors by which the
    mean is adjusted are of segments, and by cross-validation, is our reading of it; with one
    segment, the adjustment is one for all.

    Parameters
    ----------
    regressor
        A scikit-learn regressor; it is cloned.
    segments
        Number of segments, at most; fewer if predictions are equal.
    folds
        Of the cross-validation that gives out-of-fold predictions; at least 2.
    seed
        Of the folds.

    Attributes
    ----------
    regressor_
        Fitted to all training documents.
    edges_
        Between the segments.
    values_
        True values of the training documents in each segment, ascending.
    errors_, deviations_
        Mean error of each segment's predictions, true value less prediction, and its deviation.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = np.arange(20.0)[:, None], 2 * np.arange(20.0)
    >>> quantifier = RegressionQuantifier(LinearRegression(), segments=4).fit(X, y)
    >>> round(quantifier.predict([[3.0], [4.0]]), 6)
    7.0
    >>> quantifier.predict_distribution([[3.0], [12.0]]).values
    array([ 0.,  2.,  4.,  6.,  8., 20., 22., 24., 26., 28.])
    """

    def __init__(self, regressor: Any, segments: int = 10, folds: int = 10, seed: int = 0) -> None:
        self.regressor = regressor
        self.segments = segments
        self.folds = folds
        self.seed = seed

    def fit(self, X: Any, y: Any) -> Self:
        """Fitted quantifier.

        Parameters
        ----------
        X
            Training documents: array or sparse matrix, or whatever the regressor takes.
        y
            A finite number for each.
        """
        check_sparse(X)
        validate_data(self, X, y, skip_check_array=True)
        if self.segments < 1:
            raise ValueError(f"segments is {self.segments}; there must be at least one")
        if self.folds < 2:
            raise ValueError(f"folds is {self.folds}; cross-validation needs at least 2")
        try:
            values = np.asarray(column_or_1d(y, warn=True), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"y must be numbers, one a document ({error}); for classes, use a Quantifier"
            ) from None
        if (n := _num_samples(X)) != len(values):
            raise ValueError(f"X has {n} documents but y has values for {len(values)}")
        if n < 2:
            raise ValueError("there is 1 sample only: a document must be left out to see how far "
                             "predictions are off, so give at least two")  # fmt: skip
        if not np.isfinite(values).all():
            place = int(np.argmin(np.isfinite(values)))
            raise ValueError(f"y[{place}] is {values[place]}; it must be a finite number")
        if hasattr(X, "tocsr"):
            X = X.tocsr()
        folds = KFold(min(self.folds, n), shuffle=True, random_state=self.seed)
        predicted = np.ravel(cross_val_predict(clone(self.regressor), X, values, cv=folds))
        self.regressor_ = clone(self.regressor).fit(X, values)
        inner = np.arange(1, self.segments) / self.segments
        edges = np.unique(np.quantile(predicted, inner, method="lower"))
        self.edges_ = edges[edges < predicted.max()]
        segment = np.searchsorted(self.edges_, predicted, side="left")
        parts = [np.flatnonzero(segment == s) for s in range(len(self.edges_) + 1)]
        self.values_ = [np.sort(values[part]) for part in parts]
        self.errors_ = np.array([np.mean((values - predicted)[part]) for part in parts])
        off = values - predicted - self.errors_[segment]
        # One document has no deviation of its own: that of all stands in.
        common = np.sqrt(off @ off / max(n - len(parts), 1))
        self.deviations_ = np.array(
            [np.std(off[part], ddof=1) if len(part) > 1 else common for part in parts]
        )
        return self

    def predict(self, X: Any) -> float:
        """Mean of the bag.

        Parameters
        ----------
        X
            Documents of the bag, as in ``fit``.
        """
        predicted, segment = self._segments(X)
        return float(np.mean(predicted + self.errors_[segment]))

    def predict_distribution(self, X: Any) -> Distribution:
        """How the values are distributed in the bag.

        Parameters
        ----------
        X
            Documents of the bag, as in ``fit``.
        """
        _, segment = self._segments(X)
        shares = np.bincount(segment, minlength=len(self.values_)) / len(segment)
        weights = np.concatenate(
            [np.full(len(own), p / len(own)) for own, p in zip(self.values_, shares, strict=True)]
        )
        values, place = np.unique(np.concatenate(self.values_), return_inverse=True)
        total = np.bincount(place.reshape(-1), weights)
        return Distribution(values[total > 0], total[total > 0])

    def predict_interval(self, X: Any, level: float = 0.95) -> tuple[float, float]:
        """Lower and upper bound of the mean of the bag.

        Errors of a segment, N in training and n in the bag, vary by their variance times 1/N + 1/n;
        the bounds are Student's. As those of other quantifiers they cover chance, and no change of
        the documents beyond that of how many are in which segment.

        Parameters
        ----------
        X
            Documents of the bag, as in ``fit``.
        level
            Share of bags whose mean the interval should contain.
        """
        check_level(level)
        predicted, segment = self._segments(X)
        mean = float(np.mean(predicted + self.errors_[segment]))
        bag = np.bincount(segment, minlength=len(self.values_))
        known = np.array([len(own) for own in self.values_])
        shares = bag / len(segment)
        variances = shares**2 * self.deviations_**2 * (1 / known + 1 / np.maximum(bag, 1))
        freedom = max(int(known.sum()) - len(known), 1)
        reach = float(stdtrit(freedom, (1 + level) / 2) * np.sqrt(variances.sum()))
        return mean - reach, mean + reach

    def _segments(self, X: Any) -> tuple[Array, Array]:
        """Prediction for each document, and the segment that it falls in."""
        check_is_fitted(self)
        check_sparse(X)
        if hasattr(self, "n_features_in_") and getattr(X, "ndim", 2) == 1:
            raise ValueError(
                "X has one dimension, but a bag has a row for each document. Reshape your data: "
                "X.reshape(1, -1) is a bag of one document"
            )
        validate_data(self, X, reset=False, skip_check_array=True)
        check_size(_num_samples(X))
        predicted = np.ravel(np.asarray(self.regressor_.predict(X), dtype=np.float64))
        return predicted, np.searchsorted(self.edges_, predicted, side="left")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags
