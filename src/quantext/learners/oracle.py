"""The oracle: at given scores of all documents, the labelling that bounds the risk.

With labels y = ±1 of n documents, scores s and a loss Δ, the risk is

    R(s) = max over labellings ȳ of  Δ(ȳ) − (1/n) Σ_{i: ȳ_i ≠ y_i} y_i s_i,

and the labelling that attains it gives a plane that is nowhere above R and touches it at s. It is
found by an exact search (`searches`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quantext.learners import losses
from quantext.learners.bins import peaks_in_bins
from quantext.learners.kernels import read_mistakes, sum_at
from quantext.learners.losses import Loss, PrevalenceLoss
from quantext.learners.products import Products, make_products
from quantext.learners.searches import (
    Search,
    by_count,
    by_document,
    by_f1,
    by_q,
    by_table,
    cost_of_counts,
)

__all__ = ["Array", "Labelling", "Oracle", "Plane", "dot", "make_oracle", "mean_loss"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Labelling:
    """Classes for all documents at once, as a lower bound of the risk: at scores s, loss − c·s.

    Parameters
    ----------
    coefficients
        c, which is y/n where the class differs from the label and zero elsewhere.
    wrong
        Places where it is not zero, ascending.
    loss
        The loss of this labelling.
    risk
        The bound at the scores for which the labelling was sought, where no other has a higher.
    """

    coefficients: Array
    wrong: NDArray[np.int64]
    loss: float
    risk: float

    def times(self, scores: Array) -> float:
        """c·s, from the few documents that are in c."""
        return float(sum_at(self.wrong, self.coefficients, scores))


@dataclass(frozen=True, eq=False)
class Plane:
    """A labelling's lower bound of the risk at weights w: offset − normal·w.

    Parameters
    ----------
    offset
        Its value at zero.
    normal
        A sum of documents; the last entry is for the intercept.
    scores
        Scores of the documents if the normal were the weights.
    """

    offset: float
    normal: Array
    scores: Array


@dataclass(frozen=True, eq=False)
class Oracle:
    """Labellings and planes under the risk of one training set.

    A constant feature 1 stands after the others; its weight is the intercept.

    Parameters
    ----------
    products
        Products with the vectors.
    signs
        The labels, over n: 1/n or −1/n.
    search
        From scores to the labelling with the largest risk: its predicted positives, and its loss.
    cost
        n times the loss of 0, 1, 2... predicted positives, if it depends on nothing else.
    """

    products: Products
    signs: Array
    search: Search
    cost: Array | None = None

    @property
    def size(self) -> int:
        """Number of documents."""
        return len(self.signs)

    def __call__(self, scores: Array) -> Labelling:
        """The labelling that attains the risk at these scores."""
        predicted, loss = self.search(scores)
        coefficients, wrong = read_mistakes(predicted, self.signs)
        return Labelling(coefficients, wrong, loss, loss - sum_at(wrong, coefficients, scores))

    def peaks(self, scores: Array, best: Labelling) -> list[Labelling]:
        """Labellings of other numbers of positives than the best, whose risk is a local maximum.

        Of all labellings that predict as many positives each has the highest risk, up to those of a
        few documents. Between it and the next the risk falls by as much as that of the best is.

        Parameters
        ----------
        scores
            Of the documents.
        best
            The labelling that attains the risk at them.
        """
        if self.cost is None:
            raise ValueError("the loss depends on more than the number of predicted positives")
        n_best = np.count_nonzero(self.signs > 0) - round(self.size * best.coefficients.sum())
        bin_of, ends = peaks_in_bins(
            self.cost, scores, scores.min(), scores.max(), self.size * best.risk, n_best
        )
        found = []
        for end in ends.tolist():
            predicted = bin_of < end
            loss = float(self.cost[np.count_nonzero(predicted)]) / self.size
            coefficients, wrong = read_mistakes(predicted, self.signs)
            risk = loss - sum_at(wrong, coefficients, scores)
            found.append(Labelling(coefficients, wrong, loss, risk))
        return found

    def part(self, places: NDArray[np.intp]) -> "Oracle":
        """The oracle of some documents, whose losses are those of all at the same shares.

        So its risk is about that of all documents, and not that of a smaller training set, whose
        losses are smaller at the ends.

        Parameters
        ----------
        places
            Of the documents.
        """
        if self.cost is None:
            raise ValueError("the loss depends on more than the number of predicted positives")
        share = len(places) / self.size
        counts = np.arange(len(places) + 1) / share
        cost = share * np.interp(counts, np.arange(len(self.cost)), self.cost)
        products = make_products(self.products.rows(places))
        return Oracle(products, self.signs[places] / share, by_count(cost), cost)

    def plane(self, labelling: Labelling) -> Plane:
        """The plane of a labelling."""
        normal = self.weights(labelling.coefficients)
        return Plane(labelling.loss, normal, self.scores(normal))

    def weights(self, coefficients: Array) -> Array:
        """Weights that are this sum of documents; the last is the intercept."""
        return np.append(self.products.rmatvec(coefficients), coefficients.sum())

    def scores(self, weights: Array) -> Array:
        """Scores of the documents at these weights."""
        scores = self.products.matvec(weights[:-1])
        scores += weights[-1]
        return scores


def mean_loss(between: Array, ones: int, cost: Array) -> float:
    """Mean of the cost of the number of documents whose share is at least u, for u from 0 to 1.

    Parameters
    ----------
    between
        The shares that are neither 0 nor 1.
    ones
        How many are 1.
    cost
        Of 0, 1, 2... documents.
    """
    levels = -np.diff(np.sort(between)[::-1], prepend=1.0, append=0.0)
    return dot(levels, cost[ones : ones + len(levels)])


def dot(a: Array, b: Array) -> float:
    """The inner product, in this thread: a BLAS would start its own for long vectors."""
    return float(np.einsum("i,i->", a, b))


def make_oracle(products: Products, positive: Mask, loss: Loss) -> Oracle:
    """The oracle of a loss, with the fastest exact search that the loss allows.

    Parameters
    ----------
    products
        Products with the vectors, as `make_products` gives them.
    positive
        The labels.
    loss
        Any loss; a `PrevalenceLoss` is searched by count, error rate, F1 and Q by their structure,
        any other by table.
    """
    signs = np.where(positive, 1.0, -1.0) / len(positive)
    if isinstance(loss, PrevalenceLoss):
        cost = cost_of_counts(positive, loss)
        return Oracle(products, signs, by_count(cost), cost)
    if loss is losses.error_rate:
        search = by_document(positive)
    # F1 and Q jump where there are no positives; but then the table is one row.
    elif loss is losses.f1 and positive.any():
        search = by_f1(positive)
    elif loss is losses.q and positive.any():
        search = by_q(positive)
    else:
        search = by_table(positive, loss)
    return Oracle(products, signs, search)
