"""SearchQ: which setting is best, what it costs, and how it goes on when it was stopped."""

from datetime import date, timedelta
from typing import ClassVar

import numpy as np
import polars as pl
import pytest
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import quantext as qx
from quantext.experiments.folder import OtherRunError
from quantext.experiments.protocol_names import artificial, natural, uniform
from quantext.experiments.protocols import AsGiven, ByPeriod
from quantext.measures import absolute_error
from quantext.progress import silent
from quantext.quantifiers import TrainingPrevalence
from tests.support.survey import survey

HALVES = artificial(prevalences=[0.5], repeats=4, size=10)


class Says(TrainingPrevalence):
    """An estimate that is its parameter, whatever the bag."""

    def __init__(self, share=0.5):
        self.share = share

    def estimate(self, learned, counts, size):
        if self.share > 1:
            raise ZeroDivisionError("a share above 1")
        return np.array([1 - self.share, self.share])


class CountingSVM(qx.LinearSVM):
    """A classifier that says how often it was cross-validated."""

    validated: ClassVar[list[float]] = []

    def fold_scores(self, X, Y, folds, seed):
        self.validated.append(self.C)
        return super().fold_scores(X, Y, folds, seed)


@pytest.fixture
def validated(monkeypatch):
    monkeypatch.setattr(CountingSVM, "validated", [])
    return lambda: sorted(CountingSVM.validated)


def documents(n=300, seed=0):
    """Two columns of which the first tells the classes apart, but for some noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=n) > 0.6, "yes", "no")
    return X, y


X, Y = documents()


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


# Protocols and labels


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
    assert search.protocol_.startswith("Trained on the 20 documents before 2024-01-03, tested on 2")


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
    # The bags of the first label come first of each quarter: 10 of its own, 10 of the second's.
    for name, errors in zip(alone.results_["quantifier"], alone.errors_, strict=True):
        row = search.results_["quantifier"].to_list().index(name)
        first = search.errors_[row].reshape(4, 2, 10)[:, 0]
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


# A folder


def stop_after(number):
    """Progress that stops the search when so many settings are done."""

    def progress(stage, done, total):
        assert (stage, total) == ("search", 6)
        if done == number:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_search_that_was_stopped_goes_on(tmp_path, validated, n_jobs):
    quantifiers = [qx.AdjustedCount(CountingSVM(), folds=5), qx.ClassifyAndCount(CountingSVM())]
    grid = {"quantifier": quantifiers, "classifier__C": [0.01, 0.1, 1.0]}
    search = qx.SearchQ("CC", grid, protocol=uniform(bags=10), out=tmp_path / "a")
    stopped = clone(search).set_params(progress=stop_after(4), n_jobs=n_jobs)
    with pytest.raises(KeyboardInterrupt):
        stopped.fit(X, Y)
    finished = len(list((tmp_path / "a" / "tasks").iterdir()))
    assert finished == 2
    CountingSVM.validated.clear()
    heard = []
    search.set_params(progress=lambda *told: heard.append(told[1:]), refit=False).fit(X, Y)
    assert len(validated()) == 1
    assert heard == [(4, 6), (6, 6)]
    whole = clone(search).set_params(out=None, progress=silent).fit(X, Y)
    np.testing.assert_array_equal(search.errors_, whole.errors_)
    assert pl.read_parquet(tmp_path / "a" / "results.parquet").equals(search.results_)
    names = {path.name for path in (tmp_path / "a").iterdir()}
    assert names == {".quantext-lock", "run.json", "results.parquet", "tasks"}


def test_a_finished_search_is_only_read(tmp_path, validated):
    grid = {"classifier__C": [0.1, 1.0]}
    search = qx.SearchQ(
        qx.AdjustedCount(CountingSVM(), folds=5), grid, protocol=uniform(bags=5), out=tmp_path
    )
    first = clone(search).fit(X, Y)
    CountingSVM.validated.clear()
    again = search.fit(X, Y)
    assert len(validated()) == 1  # to fit the best one
    np.testing.assert_array_equal(first.errors_, again.errors_)
    np.testing.assert_array_equal(first.predict(X[:50]), again.predict(X[:50]))


@pytest.mark.parametrize("other", ["X", "y", "grid", "protocol", "measure", "seed"])
def test_the_folder_of_another_search_is_refused(tmp_path, other):
    given = {
        "quantifier": Says(),
        "param_grid": {"share": [0.5]},
        "protocol": "uniform",
        "out": tmp_path,
    }
    qx.SearchQ(**given).fit(X, Y)
    changed = {
        "grid": {"param_grid": {"share": [0.4]}},
        "protocol": {"protocol": "natural"},
        "measure": {"measure": absolute_error},
        "seed": {"seed": 1},
    }
    again = qx.SearchQ(**given | changed.get(other, {}))
    with pytest.raises(OtherRunError, match="holds another run"):
        again.fit(X + (other == "X"), Y[::-1] if other == "y" else Y)


def test_failures_are_tried_again(tmp_path):
    search = qx.SearchQ(Says(), {"share": [2.0, 0.4]}, protocol=HALVES, out=tmp_path)
    for _ in range(2):
        with pytest.warns(FitFailedWarning, match="a share above 1"):
            search.fit(X, Y)
    assert len(list((tmp_path / "tasks").iterdir())) == 1
