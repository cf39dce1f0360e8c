"""SearchQ: which setting is best, what it costs, and what it is called."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import quantext as qx
from quantext.experiments.protocol_names import natural, uniform
from tests.support.searching import HALVES, CountingSVM, Says, X, Y
from tests.support.survey import survey


@pytest.fixture
def validated(monkeypatch):
    monkeypatch.setattr(CountingSVM, "validated", [])
    return lambda: sorted(CountingSVM.validated)


# Which is best


def test_the_setting_that_says_the_truth_is_best():
    search = qx.SearchQ(
        Says(), {"share": [0.3, 0.5, 0.9]}, protocol=HALVES, measure="absolute_error"
    )
    assert search.fit(X, Y) is search
    assert search.best_params_ == {"share": 0.5}
    assert search.best_error_ == 0
    assert search.n_bags_ == 4
    # Half of each bag is "yes", so that |0.5 - 0.3| and |0.5 - 0.9| are the errors.
    shown = search.results_.select("rank", pl.col("error", "sd").round(12), "share")
    assert shown.rows() == [(1, 0.0, 0.0, 0.5), (2, 0.2, 0.0, 0.3), (3, 0.4, 0.0, 0.9)]
    assert search.errors_.shape == (3, 4)
    assert search.predict(X).tolist() == [0.5, 0.5]
    assert search.classes_.tolist() == ["no", "yes"]


def test_of_equals_the_first_of_the_grid_is_best():
    search = qx.SearchQ(Says(), {"share": [0.75, 0.25, 0.25]}, protocol=HALVES).fit(X, Y)
    assert search.results_["share"].to_list() == [0.75, 0.25]  # and the same is tried once


def test_methods_that_correct_are_best_where_shares_move():
    grid = {"quantifier": ["CC", "ACC"], "folds": [10]}
    moved = qx.SearchQ("CC", grid, protocol=uniform(bags=60, size=50)).fit(X, Y)
    assert moved.best_params_ == {"folds": 10, "quantifier": "ACC"}
    assert type(moved.best_quantifier_) is qx.AdjustedCount
    assert moved.protocol_ == (
        "60 bags of 50 documents from out-of-fold scores, drawn with shares that are uniform among "
        "all there can be; what corrects scores was learned from documents that were drawn with "
        "replacement."
    )


def test_the_best_is_fitted_as_if_there_had_been_no_search():
    X_sparse = sparse.csr_matrix(np.abs(X))
    for name in ("CC", "PACC", "Adaptive"):
        grid = {"classifier__C": [0.01, 1.0]}
        search = qx.SearchQ(name, grid, protocol=uniform(bags=10)).fit(X_sparse, Y)
        alone = qx.method(name, **search.best_params_).fit(X_sparse, Y)
        best = search.best_quantifier_
        np.testing.assert_array_equal(best.predict(X_sparse[:80]), alone.predict(X_sparse[:80]))
        assert best.get_params()["folds"] == alone.folds
        assert vars(best).keys() == vars(alone).keys()
        assert (best.scores_.features is None) == (alone.scores_.features is None)


def test_intervals_are_those_of_the_best():
    search = qx.SearchQ("PACC", {"folds": [5]}, protocol=uniform(bags=5)).fit(X, Y)
    best = search.best_quantifier_
    ours = search.predict_interval(X[:50], 0.8, 3)
    np.testing.assert_array_equal(ours, best.predict_interval(X[:50], 0.8, 3))


def test_a_score_is_by_the_measure_of_the_search():
    search = qx.SearchQ("PACC", {"folds": [5]}, protocol=uniform(bags=5), measure="ae").fit(X, Y)
    assert search.score(X[:50], Y[:50]) == search.best_quantifier_.score(
        X[:50], Y[:50], measure="ae"
    )


def test_a_mean_over_bags_is_that_of_the_measure_of_each():
    mean, each = (
        qx.SearchQ(Says(), {"share": [0.1, 0.4]}, protocol=uniform(bags=5), measure=name).fit(X, Y)
        for name in ("mae", "ae")
    )
    np.testing.assert_allclose(mean.errors_, each.errors_, rtol=1e-12)


def test_without_refit_the_best_is_not_fitted_and_says_so():
    search = qx.SearchQ(Says(), {"share": [0.5]}, protocol=HALVES, refit=False)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        search.predict(X)
    search.fit(X, Y)
    assert search.best_quantifier_.share == 0.5
    assert not hasattr(search.best_quantifier_, "classes_")
    with pytest.raises(NotFittedError, match=r"made with refit=False; fit it: search\.best_quanti"):
        search.predict(X)


# What it costs


def test_twenty_aggregations_cost_one_cross_validation(validated):
    sweeps = [qx.MedianSweep(CountingSVM(), d, folds=5) for d in np.linspace(0, 0.5, 18)]
    others = [qx.AdjustedCount(CountingSVM(), folds=5), qx.ClassifyAndCount(CountingSVM())]
    grid = {"quantifier": [*sweeps, *others]}
    search = qx.SearchQ("CC", grid, protocol=uniform(bags=10)).fit(X, Y)
    assert len(search.results_) == 20
    assert validated() == [1.0]


def test_each_classifier_is_cross_validated_once(validated):
    quantifiers = [qx.AdjustedCount(CountingSVM(), folds=5), qx.ClassifyAndCount(CountingSVM())]
    grid = {"quantifier": quantifiers, "classifier__C": [0.01, 0.1, 1.0]}
    search = qx.SearchQ("CC", grid, protocol=uniform(bags=10), refit=False).fit(X, Y)
    assert validated() == [0.01, 0.1, 1.0]
    assert (search.results_["shared_seconds"] > 0).all()
    assert (search.results_["seconds"] > 0).all()


def test_a_method_without_folds_is_tried_with_ten_and_fitted_without():
    search = qx.SearchQ("CC", {"classifier__C": [1.0]}, protocol=uniform(bags=10)).fit(X, Y)
    assert search.best_quantifier_.scores_.out_of_fold is None


def test_texts_become_vectors_once_for_each_vectorizer(monkeypatch):
    fitted = []
    once = qx.LtcVectorizer.fit_transform
    monkeypatch.setattr(
        qx.LtcVectorizer,
        "fit_transform",
        lambda self, *given: fitted.append(self.stemmer) or once(self, *given),
    )
    table = survey([30, 30, 30])
    grid = {"vectorizer__stemmer": ["porter", None], "classifier__C": [0.1, 1.0]}
    model = qx.TextQuantifier(qx.method("PCC", folds=5))
    protocol = uniform(bags=5, size=20)
    search = qx.SearchQ(model, grid, protocol=protocol).fit(table["answer"], table["topic"])
    assert sorted(fitted, key=str) == [None, "porter"]
    assert len(search.results_) == 4


# Names of parameters


@pytest.mark.parametrize(
    ("whole", "name"),
    [
        (qx.method("PCC"), "classifier__C"),
        (qx.method("PCC"), "quantifier__classifier__C"),
        (qx.TextQuantifier(), "classifier__C"),
        (qx.TextQuantifier("PCC"), "classifier__C"),
        (qx.TextQuantifier(), "quantifier__classifier__C"),
        (make_pipeline(qx.LtcVectorizer(), qx.method("ACC")), "classifier__C"),
        (make_pipeline(qx.LtcVectorizer(), qx.method("ACC")), "adjustedcount__classifier__C"),
        (make_pipeline(qx.method("ACC")), "classifier__C"),
    ],
)
def test_parameters_go_by_the_name_of_the_whole_or_of_the_quantifier(whole, name):
    given = survey([20, 20, 20])
    texts = isinstance(whole, qx.TextQuantifier) or "ltcvectorizer" in whole.get_params()
    documents = given["answer"].to_list() if texts else np.random.default_rng(0).random((60, 3))
    before = repr(whole)
    search = qx.SearchQ(whole, {name: [0.5]}, protocol=uniform(bags=4, size=20)).fit(
        documents, given["topic"].to_list()
    )
    best = search.best_quantifier_
    assert type(best) is type(whole)
    found = {
        key: value for key, value in best.get_params().items() if key.endswith("classifier__C")
    }
    assert list(found.values()) == [0.5]
    assert search.best_params_ == {name: 0.5}
    assert search.predict(documents[:30]).sum() == pytest.approx(1)
    low, high = search.predict_interval(documents[:30])
    assert (low <= high).all()
    assert search.score(documents, given["topic"].to_list()) <= 0
    assert repr(whole) == before


def test_a_pipeline_may_have_another_vectorizer_and_another_quantifier():
    table = survey([30, 30, 30])
    whole = make_pipeline(qx.LtcVectorizer(), qx.method("ACC", folds=5))
    grid = {
        "ltcvectorizer": [TfidfVectorizer(), qx.LtcVectorizer(min_df=2)],
        "quantifier": ["PCC", "ACC"],
        "folds": [5],
    }
    protocol = uniform(bags=5, size=20)
    search = qx.SearchQ(whole, grid, protocol=protocol).fit(table["answer"], table["topic"])
    shown = search.results_.sort("ltcvectorizer", "quantifier")
    assert shown.select("ltcvectorizer", "quantifier").rows() == [
        ("LtcVectorizer(min_df=2)", "ACC"),
        ("LtcVectorizer(min_df=2)", "PCC"),
        ("TfidfVectorizer()", "ACC"),
        ("TfidfVectorizer()", "PCC"),
    ]
    p_hat = search.best_quantifier_.predict(table["answer"])
    np.testing.assert_array_equal(p_hat, search.predict(table["answer"]))


def test_a_parameter_that_a_quantifier_does_not_have_is_left_out_for_it():
    grid = {"quantifier": ["PCC", "Training prevalence"], "classifier__C": [0.1, 1.0]}
    search = qx.SearchQ("PCC", grid, protocol=uniform(bags=4)).fit(X, Y)
    shown = search.results_.select("quantifier", "classifier__C").sort(
        "quantifier", "classifier__C"
    )
    assert shown.rows() == [("PCC", 0.1), ("PCC", 1.0), ("Training prevalence", None)]


def test_a_parameter_that_none_has_is_an_error_before_any_work(validated):
    search = qx.SearchQ(qx.AdjustedCount(CountingSVM()), {"classifier__c": [1], "fold": [3]})
    with pytest.raises(
        ValueError, match="has no parameter 'classifier__c'; did you mean classifier"
    ):
        search.fit(X, Y)
    assert validated() == []


def test_a_search_can_be_cloned():
    search = qx.SearchQ("PCC", {"folds": [5]}, protocol=natural(bags=3), n_jobs=2, seed=4)
    assert repr(clone(search)) == repr(search)
    assert search.get_params()["protocol"] == natural(bags=3)


def test_columns_of_the_table_are_numbers_where_they_can_be():
    grid = [{"posteriors": ["logistic"], "folds": [5]}, {"classifier": [LogisticRegression()]}]
    results = qx.SearchQ("PCC", grid, protocol=uniform(bags=4)).fit(X, Y).results_
    assert results.schema["folds"] == pl.Int64
    assert set(results["classifier"]) == {None, "LogisticRegression()"}
    assert results.columns[:3] == ["rank", "error", "sd"]
    assert results.columns[-2:] == ["seconds", "shared_seconds"]


# At random, in parallel


def test_the_same_seed_draws_the_same_settings():
    grid = {"classifier__C": stats.loguniform(0.01, 10)}
    first, same, other = (
        qx.SearchQ("PCC", grid, n_iter=3, seed=seed, protocol=uniform(bags=5)).fit(X, Y)
        for seed in (1, 1, 2)
    )
    shown = [s.results_.drop("seconds", "shared_seconds") for s in (first, same, other)]
    assert shown[0].equals(shown[1])
    assert not set(shown[0]["classifier__C"]) & set(shown[2]["classifier__C"])
    assert len(shown[0]) == 3


def test_more_settings_than_there_are_is_all_of_them():
    search = qx.SearchQ(Says(), {"share": [0.1, 0.5]}, n_iter=9, protocol=HALVES).fit(X, Y)
    assert search.results_["share"].to_list() == [0.5, 0.1]


def test_threads_change_nothing():
    grid = {"quantifier": ["CC", "EMQ"], "classifier__C": [0.01, 0.1, 1.0]}
    one, two = (
        qx.SearchQ("CC", grid, n_jobs=n_jobs, protocol=uniform(bags=20)).fit(X, Y)
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.errors_, two.errors_)
    assert one.best_params_ == two.best_params_
    np.testing.assert_array_equal(one.predict(X[:40]), two.predict(X[:40]))


# Failures


def test_a_setting_that_fails_is_last_and_named():
    search = qx.SearchQ(Says(), {"share": [2.0, 0.4]}, protocol=HALVES)
    with pytest.warns(FitFailedWarning, match=r"\{'share': 2.0\} is ranked last.*a share above 1"):
        search.fit(X, Y)
    assert search.results_["share"].to_list() == [0.4, 2.0]
    assert np.isnan(search.results_["error"][1])
    assert search.best_params_ == {"share": 0.4}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_if_all_fail_the_first_is_told():
    search = qx.SearchQ(Says(), {"share": [2.0, 3.0]}, protocol=HALVES)
    with pytest.raises(ValueError, match="all 2 settings failed; the first: ZeroDivisionError: a"):
        search.fit(X, Y)


def test_a_malformed_sparse_matrix_is_an_error_before_any_work():
    bad = sparse.csc_array(np.eye(6))
    bad.indices[-1] = 6
    search = qx.SearchQ(qx.method("CC"), {"classifier__C": [1.0]})
    with pytest.raises(ValueError, match="the sparse matrix is malformed"):
        search.fit(bad, np.arange(6) % 2)
