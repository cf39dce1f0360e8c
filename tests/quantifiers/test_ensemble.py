"""Ensembles: what members are trained on, and which of them count."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import RidgeClassifier

from quantext.quantifiers import (
    AdjustedCount,
    EnsembleQuantifier,
    ProbabilisticAdjustedCount,
    TrainingPrevalence,
)
from quantext.quantifiers.members import Member, draw_documents
from tests.support.ten_documents import TEN

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 200)
X = RNG.normal(size=(200, 3)) + 2 * Y[:, None]
BAG = RNG.normal(size=(100, 3)) + 2 * (np.arange(100) < 80)[:, None]


def ensemble(**params):
    inner = params.pop("quantifier", AdjustedCount(RidgeClassifier(), folds=3))
    return EnsembleQuantifier(inner, **{"n_members": 6, **params})


def test_members_are_trained_at_prevalences_that_are_all_as_likely():
    y = np.arange(100)[:, None] < 10
    shares = [y[draw_documents(y, np.random.default_rng(i))].mean() for i in range(400)]
    assert_allclose(np.quantile(shares, [0.25, 0.5, 0.75]), [0.25, 0.5, 0.75], atol=0.08)


def test_a_class_that_has_enough_documents_is_drawn_without_replacement():
    y = np.arange(100)[:, None] < 10
    drawn = draw_documents(y, np.random.default_rng(1))
    assert len(drawn) == 100
    positive, negative = drawn[drawn < 10], drawn[drawn >= 10]
    assert len(np.unique(negative)) == len(negative)
    assert len(np.unique(positive)) < len(positive)


def test_the_estimate_is_the_mean_of_the_members():
    fitted = ensemble().fit(X, Y)
    assert len(fitted.learned_[0]) == 6
    rows = fitted.rows(BAG)
    estimates = [
        member.quantifier.aggregate(member.quantifier.summarise_scores(rows[:, [i]]))
        for i, member in enumerate(fitted.learned_[0])
    ]
    assert_allclose(fitted.predict(BAG), np.mean(estimates, axis=0))
    assert_allclose(fitted.predict(BAG)[1], 0.8, atol=0.1)


def test_out_of_fold_scores_are_of_classifiers_that_did_not_know_the_document():
    class Memory(ClassifierMixin, BaseEstimator):
        """Sure of documents that it has seen, and only of these."""

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            self.seen_ = {tuple(row) for row in X}
            return self

        def decision_function(self, X):
            return np.array([9.0 if tuple(row) in self.seen_ else -1.0 for row in X])

    fitted = ensemble(quantifier=AdjustedCount(Memory(), folds=4)).fit(X, Y)
    assert (fitted.scores_.out_of_fold == -1).all()


def test_the_half_is_selected_that_was_trained_nearest_to_the_first_estimate():
    fitted = ensemble(select="training prevalence", n_members=4).fit(X, Y)
    [members] = fitted.learned_
    shares = [0.1, 0.45, 0.6, 0.9]
    members = [
        replace(member, prevalence=np.array([share]))
        for member, share in zip(members, shares, strict=True)
    ]
    estimates = np.array([[0.5, 0.5]] * 4)
    assert fitted._selected(members, [], estimates).tolist() == [1, 2]


def test_scores_as_in_training_have_no_distance_and_others_do():
    # A member trained at the prevalence of the ten documents expects their scores as they are.
    inner = AdjustedCount(None).fit_scores(TEN)
    member = Member.of(inner, np.array([0.4]))
    same = member.histograms(TEN.out_of_fold, None)
    assert_allclose(member.distance(same), 0, atol=1e-12)
    high = member.histograms(np.full((10, 1), 9.0), None)
    assert member.distance(high) > 0.5
    # At another prevalence it expects others: that of positives alone.
    sure = Member.of(inner, np.array([1.0]))
    assert_allclose(sure.distance(sure.histograms(TEN.out_of_fold[:4], None)), 0, atol=1e-12)
    assert sure.distance(same) > 0.1


@pytest.mark.parametrize("select", ["all", "training prevalence", "scores"])
@pytest.mark.parametrize(
    "y", [Y, np.array(["a", "b", "c"])[Y + (X[:, 0] > 3)], np.column_stack([Y, X[:, 0] > 1])]
)
def test_every_selection_works_for_every_kind_of_y(select, y):
    inner = ProbabilisticAdjustedCount(RidgeClassifier(), folds=2)
    fitted = ensemble(quantifier=inner, n_members=3, select=select).fit(X, y)
    p_hat = fitted.predict(BAG)
    low, high = fitted.predict_interval(BAG, replicates=30)
    assert (low <= p_hat).all()
    assert (p_hat <= high).all()
    whole, parts = fitted.summarise(BAG), fitted.summarise(BAG[:30]) + fitted.summarise(BAG[30:])
    assert whole == parts


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"quantifier": TrainingPrevalence()}, "members cannot be a TrainingPrevalence"),
        ({"n_members": 0}, "n_members is 0; there must be at least one"),
        ({"select": "best"}, "select 'best' is unknown; choose all, training prevalence or scores"),
        ({"quantifier": AdjustedCount(None, folds=0)}, "members need at least 2"),
    ],
)
def test_a_parameter_that_means_nothing_is_an_error(params, message):
    with pytest.raises(ValueError, match=message):
        ensemble(**params).fit(X, Y)
