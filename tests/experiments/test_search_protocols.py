"""Protocols, labels and measures of a search."""

from datetime import date, timedelta

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import quantext as qx
from quantext.experiments.protocol_names import uniform
from quantext.experiments.protocols import AsGiven, ByPeriod
from tests.support.searching import HALVES, CountingSVM, Says, X, Y
from tests.support.survey import survey


@pytest.fixture
def validated(monkeypatch):
    monkeypatch.setattr(CountingSVM, "validated", [])
    return lambda: sorted(CountingSVM.validated)


def test_with_periods_it_is_trained_on_the_first_and_tested_on_the_later_ones():
    """The noise of the first documents makes the larger share, that of the later ones 0.25."""
    y = np.array(["no"] * 10 + ["yes"] * 10 + ["no", "no", "no", "yes"] * 5)
    days = [date(2024, 1, 1) + timedelta(i // 10) for i in range(40)]
    search = qx.SearchQ(
        Says(), {"share": [0.5, 0.25]}, protocol=ByPeriod(train_periods=2), measure="absolute_error"
    ).fit(np.zeros((40, 1)), y, periods=days)
    assert search.best_params_ == {"share": 0.25}
    # Days 3 and 4 have 2 and 3 of 10 "yes".
    np.testing.assert_allclose(search.errors_, [[0.05, 0.05], [0.3, 0.2]])
    assert search.protocol_.startswith("Trained on the first 20 documents, tested on 2")


def test_with_groups_each_is_left_out_in_turn(validated):
    groups = np.arange(300) % 3
    quantifier = qx.AdjustedCount(CountingSVM(), folds=5)
    grid = {"quantifier": [quantifier, qx.ClassifyAndCount(CountingSVM())]}
    search = qx.SearchQ("CC", grid, protocol="group", refit=False).fit(X, Y, groups=groups)
    assert search.n_bags_ == 3
    assert len(validated()) == 3  # one for each group that is left out, for both
    y = Y == "yes"
    left_out = groups == 0
    alone = clone(quantifier).fit(X[~left_out], y[~left_out]).predict(X[left_out])
    p = y[left_out].mean()
    found = qx.measures.kld([1 - p, p], alone, size=100)
    row = search.results_["quantifier"].str.contains("Adjusted").to_list().index(True)
    assert search.errors_[row, 0] == pytest.approx(found, rel=1e-12)


def test_held_out_documents_are_unknown_to_the_vectorizer(monkeypatch):
    seen = []
    once = qx.LtcVectorizer.fit_transform
    monkeypatch.setattr(
        qx.LtcVectorizer,
        "fit_transform",
        lambda self, texts, *given: seen.append(len(texts)) or once(self, texts, *given),
    )
    table = survey([30, 30, 30])
    model = qx.TextQuantifier(qx.method("CC"))
    search = qx.SearchQ(model, {}, protocol=ByPeriod(train_periods=45), refit=False)
    search.fit(table["answer"], table["topic"], periods=np.arange(90))
    assert seen == [45]


def test_classes_that_training_lacks_count_as_not_estimated():
    y = np.array(["a", "b"] * 10 + ["a", "c"] * 10)
    search = qx.SearchQ(
        "Training prevalence", {}, protocol=ByPeriod(train_periods=1), measure="absolute_error"
    ).fit(np.zeros((40, 1)), y, periods=["1"] * 20 + ["2"] * 20)
    # (1/2, 1/2, 0) for a truth of (1/2, 0, 1/2).
    assert search.best_error_ == pytest.approx(1 / 3)


def test_bags_are_drawn_for_each_label_and_only_it_is_measured():
    rng = np.random.default_rng(0)
    y = np.column_stack([Y == "yes", rng.random(300) < 0.5, np.zeros(300)]).astype(int)
    grid = {"quantifier": ["PCC", "ACC", "Training prevalence"], "folds": [5]}
    with pytest.warns(UserWarning, match="'2': not asked, since too few documents have this label"):
        search = qx.SearchQ("CC", grid, protocol=uniform(bags=40, size=40)).fit(X, y)
    assert search.n_bags_ == 80  # the third label has no documents to draw from
    assert search.best_quantifier_.kind_ == "multilabel"
    alone = qx.SearchQ("CC", grid, protocol=uniform(bags=40, size=40, of="0")).fit(X, y)
    assert alone.n_bags_ == 40
    # The bags of the first label come first of each half: 20 of its own, 20 of the second's.
    for name, errors in zip(alone.results_["quantifier"], alone.errors_, strict=True):
        row = search.results_["quantifier"].to_list().index(name)
        first = search.errors_[row].reshape(2, 2, 20)[:, 0]
        np.testing.assert_array_equal(first.ravel(), errors)


def test_a_label_by_itself_is_estimated_as_among_others():
    """Methods that look at each label by itself are only asked for the one that a bag is for."""

    class Together(qx.ProbabilisticCount):
        labels_together = True

    y = np.column_stack([Y == "yes", X[:, 1] > 0.5]).astype(int)
    grid = {
        "quantifier": [kind(qx.LinearSVM(), folds=5) for kind in (qx.ProbabilisticCount, Together)]
    }
    search = qx.SearchQ("CC", grid, protocol=uniform(bags=10)).fit(X, y)
    np.testing.assert_array_equal(*search.errors_)


def test_periods_of_several_labels_measure_the_mean_of_the_labels():
    y = np.array([[0, 1], [1, 1]] * 10 + [[0, 1], [0, 0]] * 10)
    search = qx.SearchQ("Training prevalence", {}, protocol="period", measure="absolute_error").fit(
        np.zeros((40, 1)), y, periods=["1"] * 20 + ["2"] * 20
    )
    assert search.best_error_ == pytest.approx((0.5 + 0.5) / 2)  # (0.5, 1) for (0, 0.5)


def test_a_measure_may_be_a_function():
    sizes = set()

    def largest(p_true, p_hat, *, size):
        sizes.add(size)
        return np.abs(p_true - p_hat).max()

    search = qx.SearchQ(Says(), {"share": [0.1, 0.4]}, protocol=HALVES, measure=largest).fit(X, Y)
    assert search.results_["error"].round(12).to_list() == [0.1, 0.4]
    assert 10 in sizes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "kdl"}, "measure 'kdl' is unknown; did you mean kld?"),
        ({"measure": "bias"}, "gives several numbers of a bag, and a search needs one"),
        ({"protocol": "unifrom"}, "protocol 'unifrom' is unknown; did you mean 'uniform'?"),
        ({"protocol": AsGiven()}, "X and y have no bags of their own; choose another protocol"),
        ({"protocol": "period"}, "cannot be divided by period"),
        ({"param_grid": {"folds": stats.randint(2, 9)}}, "folds is a distribution; say how many"),
        ({"n_iter": 0}, "n_iter is 0; it must be 1 or more"),
    ],
)
def test_what_makes_no_sense_is_an_error(options, message):
    given = {"quantifier": "PCC", "param_grid": {"folds": [5]}} | options
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        qx.SearchQ(**given).fit(X, Y)


def test_what_is_no_quantifier_or_no_protocol_is_an_error():
    with pytest.raises(TypeError, match="LogisticRegression is no quantifier; search a Quantifier"):
        qx.SearchQ(LogisticRegression(), {}).fit(X, Y)
    with pytest.raises(TypeError, match="protocol is a int; give a name, or a protocol such as"):
        qx.SearchQ("PCC", {}, protocol=7).fit(X, Y)


def test_periods_that_the_protocol_does_not_look_at_are_an_error():
    with pytest.raises(ValueError, match="this protocol draws bags from all documents; choose ByP"):
        qx.SearchQ("PCC", {}).fit(X, Y, periods=np.arange(300))


def test_labels_and_periods_are_as_many_as_documents():
    with pytest.raises(ValueError, match="X has 300 documents but y has labels for 299"):
        qx.SearchQ("PCC", {}).fit(X, Y[1:])
    with pytest.raises(ValueError, match="groups has 2 values for 300 documents"):
        qx.SearchQ("PCC", {}, protocol="group").fit(X, Y, groups=["a", "b"])


def test_a_step_that_learns_from_labels_is_refused_where_it_would_know_those_of_bags():
    whole = make_pipeline(SelectKBest(k=1), qx.method("PCC", folds=5))
    search = qx.SearchQ(whole, {}, protocol=uniform(bags=4))
    with (
        pytest.raises(
            ValueError, match="quantifier is fitted without labels; if it needs them, ma"
        ),
        pytest.warns(FitFailedWarning, match="is ranked last"),
    ):
        search.fit(X, Y)
    search.set_params(protocol=ByPeriod(train_periods=1)).fit(X, Y, periods=np.arange(300) % 2)
    assert search.n_bags_ == 1
