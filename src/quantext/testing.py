"""Checks that any quantifier should pass: ours, and those of other people."""

import pickle
from collections.abc import Callable
from functools import partial, reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from quantext.quantifiers import Quantifier
from quantext.quantifiers.regions import Box, Region

__all__ = ["QUANTIFIER_CHECKS", "check_quantifier"]

Array = NDArray[Any]


def check_quantifier(quantifier: Quantifier) -> None:
    """Raise AssertionError where a quantifier breaks the contract.

    Runs every check of QUANTIFIER_CHECKS, on a few documents.

    Parameters
    ----------
    quantifier
        Unfitted. It is cloned, and its parameters are kept.

    Examples
    --------
    >>> from quantext.quantifiers import TrainingPrevalence
    >>> check_quantifier(TrainingPrevalence())
    """
    for check in QUANTIFIER_CHECKS:
        check(quantifier)


class Documents(NamedTuple):
    """Training documents, a bag, and labels of each kind."""

    X: Array
    binary: Array
    multiclass: Array
    multilabel: Array
    bag: Array

    def labels(self, quantifier: Quantifier) -> dict[str, Array]:
        """Labels by kind, of the kinds that the quantifier can be fitted to."""
        all_kinds = {
            "binary": self.binary,
            "multiclass": self.multiclass,
            "multilabel": self.multilabel,
        }
        return {kind: all_kinds[kind] for kind in quantifier.kinds}


def _documents() -> Documents:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [30, 18, 12])
    X, bag = rng.exponential(size=(60, 6)), rng.exponential(size=(25, 6))
    X[np.arange(60), y] += 2.0
    bag[:15, 1] += 2.0
    many = np.column_stack([y == 1, y == 2, X[:, 3] > 1])
    names = np.array(["left", "middle", "right"])
    return Documents(X, y == 1, names[y], many.astype(np.int64), bag)


def _fitted(quantifier: Quantifier, X: Any, y: Any) -> Quantifier:
    fitted: Quantifier = clone(quantifier).fit(X, y)
    return fitted


def check_estimate_is_a_distribution(quantifier: Quantifier) -> None:
    """Shares lie between 0 and 1, one for each class; they sum to 1 unless y is multi-label."""
    documents = _documents()
    for kind, y in documents.labels(quantifier).items():
        fitted = _fitted(quantifier, documents.X, y)
        p_hat = fitted.predict(documents.bag)
        classes = range(y.shape[1]) if y.ndim == 2 else np.unique(y)
        assert_array_equal(fitted.classes_, classes, f"classes_ of a {kind} y")
        assert p_hat.shape == (len(classes),), f"{kind}: the estimate has shape {p_hat.shape}"
        assert np.all((p_hat >= 0) & (p_hat <= 1)), f"{kind}: shares outside [0, 1]: {p_hat}"
        if y.ndim == 1:
            assert_allclose(p_hat.sum(), 1, atol=1e-12, err_msg=f"{kind}: sum of the shares")


def check_order_is_irrelevant(quantifier: Quantifier) -> None:
    """The documents of a bag have no order."""
    documents = _documents()
    for kind, y in documents.labels(quantifier).items():
        fitted = _fitted(quantifier, documents.X, y)
        backwards = fitted.predict(documents.bag[::-1])
        assert_allclose(backwards, fitted.predict(documents.bag), atol=1e-12, err_msg=kind)


def check_doubling_is_irrelevant(quantifier: Quantifier) -> None:
    """A bag with every document twice has the same prevalence, unless a method says otherwise."""
    if quantifier.depends_on_size:
        return
    documents = _documents()
    for kind, y in documents.labels(quantifier).items():
        fitted = _fitted(quantifier, documents.X, y)
        twice = fitted.predict(np.vstack([documents.bag, documents.bag]))
        assert_allclose(twice, fitted.predict(documents.bag), atol=1e-12, err_msg=kind)


def check_labels_are_only_names(quantifier: Quantifier) -> None:
    """Strings, {1, 2} and booleans say the same; so do the names of columns."""
    if "binary" not in quantifier.kinds:
        return
    documents = _documents()
    positive = documents.binary.astype(np.int64)
    expected = _fitted(quantifier, documents.X, positive).predict(documents.bag)
    for names in (["no", "yes"], [1, 2], [-1, 1], [False, True]):
        fitted = _fitted(quantifier, documents.X, np.array(names)[positive])
        assert_array_equal(fitted.classes_, names)
        assert_allclose(fitted.predict(documents.bag), expected, atol=1e-12, err_msg=f"{names}")


def check_sparse_equals_dense(quantifier: Quantifier) -> None:
    """Sparse matrices and arrays of the same documents give the same estimates."""
    documents = _documents()
    for kind, y in documents.labels(quantifier).items():
        dense = _fitted(quantifier, documents.X, y)
        in_csr = _fitted(quantifier, sparse.csr_array(documents.X), y)
        bag = sparse.csr_array(documents.bag)
        expected = dense.predict(documents.bag)
        assert_allclose(dense.predict(bag), expected, atol=1e-12, err_msg=kind)
        # Learners stop at a tolerance, and rounding may decide where: one document may change.
        one = 1.5 / len(documents.bag)
        assert_allclose(in_csr.predict(bag), expected, atol=one, err_msg=kind)


def check_same_seed_same_answer(quantifier: Quantifier) -> None:
    """Two clones give the same estimates and intervals."""
    documents = _documents()
    for kind, y in documents.labels(quantifier).items():
        first, second = (_fitted(quantifier, documents.X, y) for _ in range(2))
        assert_array_equal(first.predict(documents.bag), second.predict(documents.bag), kind)
        if first.gives_intervals:
            bounds = first.predict_interval(documents.bag, seed=3, replicates=20)
            assert_array_equal(
                bounds, second.predict_interval(documents.bag, seed=3, replicates=20), kind
            )


def check_classifier_is_untouched(quantifier: Quantifier) -> None:
    """``fit`` leaves the caller's classifier and the arrays it is given as they were."""
    documents = _documents()
    for kind, labels in documents.labels(quantifier).items():
        mine = clone(quantifier)
        before = pickle.dumps(mine.get_params(deep=False))
        X, y = documents.X.copy(), labels.copy()
        mine.fit(X, y).predict(documents.bag)
        assert pickle.dumps(mine.get_params(deep=False)) == before, "fit changed the parameters"
        assert_array_equal(X, documents.X, f"{kind}: fit changed X")
        assert_array_equal(y, labels, f"{kind}: fit changed y")


def check_one_document_is_a_bag(quantifier: Quantifier) -> None:
    """A bag of one document has a prevalence."""
    documents = _documents()
    for kind, y in documents.labels(quantifier).items():
        p_hat = _fitted(quantifier, documents.X, y).predict(documents.bag[:1])
        assert np.all((p_hat >= 0) & (p_hat <= 1)), f"{kind}: shares outside [0, 1]: {p_hat}"


def check_empty_bag_is_an_error(quantifier: Quantifier) -> None:
    """An empty bag raises ValueError, and so does a wrong number of features."""
    documents = _documents()
    for kind, y in documents.labels(quantifier).items():
        fitted = _fitted(quantifier, documents.X, y)
        for name, bag in {"empty": documents.bag[:0], "narrower": documents.bag[:, :2]}.items():
            try:
                fitted.predict(bag)
            except ValueError:
                continue
            raise AssertionError(f"{kind}: predict took a bag that is {name} without an error")


def check_malformed_matrix_is_an_error(quantifier: Quantifier) -> None:
    """A sparse matrix with an index outside it raises ValueError, in training and as a bag."""
    documents = _documents()
    for kind, y in documents.labels(quantifier).items():
        fitted = _fitted(quantifier, documents.X, y)
        X, bag = sparse.csr_array(documents.X), sparse.csc_array(documents.bag)
        X.indices[-1], bag.indices[-1] = X.shape[1], -1
        for name, call in {
            "predict": partial(fitted.predict, bag),
            "fit": partial(clone(quantifier).fit, X, y),
        }.items():
            try:
                call()
            except ValueError:
                continue
            raise AssertionError(f"{kind}: {name} took a malformed sparse matrix without an error")


def check_summaries_add_up(quantifier: Quantifier) -> None:
    """The summary of a bag is the sum of its parts' summaries, exactly."""
    documents = _documents()
    for kind, y in documents.labels(quantifier).items():
        fitted = _fitted(quantifier, documents.X, y)
        whole = fitted.summarise(documents.bag)
        parts = [documents.bag[:1], documents.bag[1:8], documents.bag[8:]]
        total = reduce(add, map(fitted.summarise, parts))
        assert total == whole, f"{kind}: the parts' summaries do not add up"
        assert_array_equal(fitted.aggregate(total), fitted.predict(documents.bag), kind)


def check_constant_labels_are_constant(quantifier: Quantifier) -> None:
    """A label that all or no training documents have is estimated as 1 or 0."""
    documents = _documents()
    if "multilabel" in quantifier.kinds:
        y = np.column_stack([np.zeros(60), np.ones(60), documents.binary])
        p_hat = _fitted(quantifier, documents.X, y).predict(documents.bag)
        assert_array_equal(p_hat[:2], [0, 1])
    if "multiclass" in quantifier.kinds:
        only = _fitted(quantifier, documents.X, np.full(60, "only"))
        assert_array_equal(only.predict(documents.bag), [1])


def check_labels_say_nothing_of_each_other(quantifier: Quantifier) -> None:
    """Each label's estimate is that of the label by itself, unless a method says otherwise."""
    if "multilabel" not in quantifier.kinds or quantifier.labels_together:
        return
    documents = _documents()
    y = documents.multilabel
    together = _fitted(quantifier, documents.X, y).predict(documents.bag)
    apart = [_fitted(quantifier, documents.X, y[:, [j]]).predict(documents.bag) for j in range(3)]
    assert_allclose(together, np.concatenate(apart), atol=1e-9, err_msg="labels by themselves")


def check_interval_bounds_a_share(quantifier: Quantifier) -> None:
    """0 ≤ low ≤ high ≤ 1, and a method that corrects has its estimate in between."""
    documents = _documents()
    for kind, y in documents.labels(quantifier).items():
        fitted = _fitted(quantifier, documents.X, y)
        if not fitted.gives_intervals:
            continue
        p_hat = fitted.predict(documents.bag)
        low, high = fitted.predict_interval(documents.bag, level=0.9, replicates=20)
        assert low.shape == high.shape == p_hat.shape, f"{kind}: shapes of the bounds"
        said = f"{kind}: estimate {p_hat} in bounds {low}, {high}"
        assert np.all((low >= 0) & (low <= high) & (high <= 1)), said
        if quantifier.corrects:
            assert np.all((low <= p_hat) & (p_hat <= high)), said


def check_region_lies_on_the_simplex(quantifier: Quantifier) -> None:
    """A region is of shares that sum to 1, and a method that corrects has its estimate in it."""
    if "multiclass" not in quantifier.kinds:
        return
    documents = _documents()
    fitted = _fitted(quantifier, documents.X, documents.multiclass)
    if not fitted.gives_intervals:
        return
    p_hat = fitted.predict(documents.bag)
    region = fitted.predict_region(documents.bag, level=0.9, replicates=10)
    assert_array_equal(region.classes, fitted.classes_, "classes of the region")
    assert_array_equal(region.estimate, p_hat, "estimate of the region")
    assert_allclose(region.centre.sum(), 1, atol=1e-9, err_msg="sum of the region's centre")
    assert_allclose(region.axes.sum(axis=1), 0, atol=1e-9, err_msg="sums of the region's axes")
    parts: dict[str, Region | Box] = {"region": region, "box": region.box}
    for name, part in parts.items():
        assert 0 <= part.volume_share <= 1, f"volume share of the {name}: {part.volume_share}"
        assert [1.1, -0.1, 0.0] not in part, f"the {name} has a share below 0 in it"
        if quantifier.corrects:
            assert p_hat in part, f"the {name} does not contain its estimate {p_hat}"


def check_survives_clone_and_pickle(quantifier: Quantifier) -> None:
    """Clones have the same parameters; a pickled copy gives the same estimates."""
    documents = _documents()
    again = clone(quantifier)
    assert repr(again) == repr(quantifier), "clone changed the parameters"
    for kind, y in documents.labels(quantifier).items():
        fitted = again.fit(documents.X, y)
        copy = pickle.loads(pickle.dumps(fitted))
        assert_array_equal(copy.predict(documents.bag), fitted.predict(documents.bag), kind)


def check_scores_can_be_shared(quantifier: Quantifier) -> None:
    """What `represent` gives is all that ``fit_scores`` needs, for any number of clones."""
    documents = _documents()
    for kind, y in documents.labels(quantifier).items():
        scores = clone(quantifier).represent(documents.X, y)
        expected = _fitted(quantifier, documents.X, y).predict(documents.bag)
        for fitted in (clone(quantifier).fit_scores(scores) for _ in range(2)):
            rows = fitted.rows(documents.bag)
            summary = fitted.summarise_scores(rows, documents.bag)
            assert_array_equal(fitted.aggregate(summary), expected, kind)
            assert fitted.kind_ == kind
            assert_allclose(fitted.prevalence_, scores.prevalence, err_msg=kind)


QUANTIFIER_CHECKS: tuple[Callable[[Quantifier], None], ...] = (
    check_estimate_is_a_distribution,
    check_order_is_irrelevant,
    check_doubling_is_irrelevant,
    check_labels_are_only_names,
    check_sparse_equals_dense,
    check_same_seed_same_answer,
    check_classifier_is_untouched,
    check_one_document_is_a_bag,
    check_empty_bag_is_an_error,
    check_malformed_matrix_is_an_error,
    check_summaries_add_up,
    check_scores_can_be_shared,
    check_constant_labels_are_constant,
    check_labels_say_nothing_of_each_other,
    check_interval_bounds_a_share,
    check_region_lies_on_the_simplex,
    check_survives_clone_and_pickle,
)
"""Functions of an unfitted quantifier, one for each promise."""
