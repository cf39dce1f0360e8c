"""Bags of a search: what they are drawn from, what is learned beside them, what is said of them."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import quantext as qx
from quantext.experiments.drawing import DirichletShares, GridShares, ListedShares, UniformShares
from quantext.experiments.protocol_names import uniform
from quantext.experiments.protocols import ByGroup, ByPeriod, Drawn
from quantext.experiments.search import trials
from quantext.experiments.search.apart import apart
from quantext.experiments.search.data import Data
from quantext.experiments.search.stages import make_stages

FEW = uniform(bags=8, size=20)


def documents(n=150, k=3, seed=0):
    """Classes about as many corners of a cube, with much noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    X = rng.normal(size=(n, k))
    X[np.arange(n), y] += 1.6
    return X, y


X, Y = documents()


def quantifiers():
    return [kind(LogisticRegression(), folds=5) for kind in (qx.ClassifyAndCount, qx.AdjustedCount)]


# What is learned, and what is asked


@pytest.mark.slow
def test_the_error_of_a_method_that_corrects_is_about_that_on_new_documents():
    """Had a half been learned from and the other tested, ACC would have twice the error of CC."""
    found, true = [], []
    new, y = documents(20_000, seed=99)
    bags, _ = uniform(bags=60).draw(np.eye(3, dtype=bool)[y], "abc", multilabel=False)
    p_true = np.array([np.bincount(y[bag.indices], minlength=3) / 100 for bag in bags])
    for seed in range(10):
        given = documents(seed=seed)
        grid = {"quantifier": quantifiers()}
        search = qx.SearchQ("CC", grid, protocol=uniform(bags=60), refit=False).fit(*given)
        order = search.results_["quantifier"].str.contains("Adjusted").to_numpy().argsort()
        found.append(search.results_["error"].to_numpy()[order])
        p_hat = (
            [one.predict(new[bag.indices]) for bag in bags]
            for one in (quantifier.fit(*given) for quantifier in quantifiers())
        )
        true.append([np.mean(qx.measures.kld(p_true, p, size=100)) for p in p_hat])
    ratios = np.mean(found, axis=0) / np.mean(true, axis=0)
    assert (np.abs(np.log(ratios)) < np.log(1.4)).all(), ratios


def test_what_is_learned_from_is_as_many_documents_of_each_class_drawn_with_replacement():
    stages, _, _ = make_stages(FEW, Data.of(X, Y), 0)
    [stage] = stages
    assert len(stage.trials) == 2
    for trial in stage.trials:
        assert np.bincount(Y[trial.train]).tolist() == np.bincount(Y).tolist()
        # 1 - 1/e of them, about: 95.
        assert 80 < len(np.unique(trial.train)) < 110
        assert len(trial.bags) == 4


@pytest.mark.parametrize("of", [None, "1"])
def test_methods_without_out_of_fold_scores_never_see_documents_of_bags(of):
    data = Data.of(X, Y)
    [stage] = make_stages(Drawn(UniformShares(9), size=20, of=of), data, 0)[0]
    halves = list(apart(stage, data))
    assert sorted(np.concatenate([trial.train for trial, _ in halves])) == list(range(150))
    asked = [bag for trial in stage.trials for bag in trial.bags]
    there = [(trial, bag) for trial, _ in halves for bag in trial.bags]
    assert [bag.name for bag in asked] == [bag.name for _, bag in there]
    np.testing.assert_array_equal(
        np.concatenate([p_true for _, p_true in halves]), np.concatenate(stage.p_true)
    )
    for before, (trial, bag) in zip(asked, there, strict=True):
        assert not set(bag.indices) & set(trial.train)
        kinds = (Y == 1) if of else Y
        assert sorted(kinds[bag.indices]) == sorted(kinds[before.indices])


def test_a_share_that_is_held_out_is_held_out():
    search = qx.SearchQ("CC", {}, protocol=Drawn(UniformShares(3), size=8, held_out=0.2))
    search.fit(X, Y)
    assert search.protocol_.startswith("Trained on 120 documents, tested on 3 bags of 8 documents")


def test_bags_of_a_named_protocol_are_at_most_half_of_the_documents():
    assert " bags of 75 documents" in qx.SearchQ("CC", {}).fit(X, Y).protocol_


# Rare classes


@pytest.mark.parametrize(
    "shares",
    [
        GridShares(3, 2),
        DirichletShares([1, 1, 1, 1], 12),
        ListedShares([[0.25, 0.25, 0.25, 0.25], {"0": 0.5, "7": 0.5}], 6),
    ],
)
def test_a_class_with_one_document_is_tested_in_all_parts(shares):
    y = np.where(np.arange(150) == 3, 7, Y)
    protocol = Drawn(shares, size=8)
    with pytest.warns(UserWarning, match="'7': there is one document only, so what is learned"):
        search = qx.SearchQ("CC", {"quantifier": quantifiers()}, protocol=protocol).fit(X, y)
    assert np.isfinite(search.errors_).all()
    [stage] = make_stages(protocol, Data.of(X, y), 0)[0]
    assert len(stage.trials) == 2
    assert all(7 in y[trial.train] for trial in stage.trials)


def test_a_label_that_all_documents_have_is_not_asked():
    y = np.column_stack([np.ones(150), Y == 0]).astype(int)
    protocol = Drawn(ListedShares([0.1, 0.5], 4), size=20)
    with pytest.warns(UserWarning, match="'0': not asked, since too few .* have this label, or al"):
        search = qx.SearchQ("CC", {"quantifier": quantifiers()}, protocol=protocol).fit(X, y)
    assert search.n_bags_ == 8
    with pytest.raises(ValueError, match="there is nothing to draw bags from: each label has too"):
        qx.SearchQ("CC", {}, protocol=protocol).fit(X, y[:, :1])


def test_memory_of_what_is_asked_grows_with_the_bags_alone():
    y = np.random.default_rng(0).random((150, 30)) < 0.3
    [stage] = make_stages(FEW, Data.of(X, y), 0)[0]
    assert [p_true.shape for p_true in stage.p_true] == [(120, 1, 2)] * 2


def test_bags_that_are_estimated_some_at_a_time_are_estimated_as_all_at_once(monkeypatch):
    y = np.column_stack([Y == 0, Y == 1]).astype(int)
    grid = {"quantifier": ["Adaptive", "HDx"]}
    protocol = uniform(bags=12, size=20)
    whole = qx.SearchQ("CC", grid, protocol=protocol, refit=False).fit(np.abs(X), y)
    monkeypatch.setattr(trials, "_TOGETHER", 5)
    some = qx.SearchQ("CC", grid, protocol=protocol, refit=False).fit(np.abs(X), y)
    np.testing.assert_array_equal(whole.errors_, some.errors_)


# What is said of bags


def test_many_repeated_documents_are_noted():
    rare = np.arange(150) < 6
    search = qx.SearchQ("CC", {}, protocol=uniform(bags=40))
    with pytest.warns(UserWarning, match="of the documents in bags are there a second time"):
        search.fit(X, rare)
    [note] = search.notes_
    assert note.endswith(
        "since a class has too few; if your own bags are small, lower the protocol's size"
    )
    assert qx.SearchQ("CC", {}, protocol=FEW).fit(X, Y).notes_ == ()


def test_notes_of_a_protocol_are_kept_and_told_once():
    groups = np.where(np.arange(150) < 2, "small", np.where(Y == 1, "one", "two"))
    search = qx.SearchQ("CC", {}, protocol=ByGroup(min_size=10))
    with pytest.warns(UserWarning, match="fewer than 10") as told:
        search.fit(X, Y, groups=groups)
    assert len(told) == 1
    assert str(told[0].message) == ". ".join(search.notes_)


# Measures


def test_a_measure_that_is_nan_for_a_bag_is_a_failure():
    class Fits(qx.ClassifyAndCount):
        def estimate(self, learned, counts, size):
            return np.array([0.2, 0.3, 0.5])

    def nan_unless_fitting(p_true, p_hat, **_):
        return np.abs(p_true - p_hat).max() if p_hat[0] == 0.2 else np.nan

    pair = [Fits(LogisticRegression(), folds=5), quantifiers()[0]]
    search = qx.SearchQ("CC", {"quantifier": pair}, protocol=FEW, measure=nan_unless_fitting)
    with pytest.warns(FitFailedWarning, match=r"Classify.*the measure gave NaN for \d of 4 bags"):
        search.fit(X, Y)
    assert type(search.best_params_["quantifier"]) is Fits
    assert np.isfinite(search.best_error_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_a_measure_that_is_always_nan_is_an_error():
    search = qx.SearchQ("CC", {}, protocol=FEW, measure=lambda *_, **__: float("nan"))
    with pytest.raises(ValueError, match=r"all 1 settings failed; the first: .*measure gave NaN f"):
        search.fit(X, Y)


def test_an_infinite_error_is_worse_than_any_other():
    def infinite_for_cc(p_true, p_hat, **_):
        return np.inf if (p_hat * 20 == np.rint(p_hat * 20)).all() else np.abs(p_true - p_hat).max()

    grid = {"quantifier": quantifiers()}
    search = qx.SearchQ("CC", grid, protocol=FEW, measure=infinite_for_cc).fit(X, Y)
    assert search.results_["error"].is_infinite().to_list() == [False, True]
    assert np.isnan(search.results_["sd"][1])


def test_a_measure_may_be_of_the_number_of_classes_that_there_are():
    def weighted(p_true, p_hat, **_):
        return np.dot([1, 2, 5], np.abs(p_true - p_hat))

    assert qx.SearchQ("CC", {}, protocol=FEW, measure=weighted).fit(X, Y).best_error_ > 0


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "measure wrong gives None for a bag, and a search needs a number; see that"),
        ([0.5], "measure wrong gives several numbers of a bag, and a search needs one"),
    ],
)
def test_a_measure_that_gives_no_number_is_an_error(value, message):
    def wrong(*_, **__):
        return value

    with pytest.raises(ValueError, match=message):
        qx.SearchQ("CC", {}, protocol=FEW, measure=wrong).fit(X, Y)


def test_two_labels_of_one_name_are_an_error():
    class Table(np.ndarray):
        columns = ("a", "a")

    y = np.column_stack([Y == 0, Y == 1]).astype(int).view(Table)
    with pytest.raises(ValueError, match="y has two labels of the name 'a'; give them different"):
        qx.SearchQ("CC", {}, protocol=FEW).fit(X, y)


# Periods, groups, and steps before the quantifier


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (["a", "b", None] * 50, "groups has no value for document 2, counted from 0"),
        (
            ["a", 1, 2.5] * 50,
            r"groups are of several types: 'a' \(str\) for document 0 and 1 \(int",
        ),
        ([0.5, float("nan")] * 75, "groups has no value for document 1, counted from 0"),
    ],
)
def test_groups_that_are_no_names_are_an_error_that_says_where(groups, message):
    with pytest.raises(ValueError, match=message):
        qx.SearchQ("CC", {}, protocol=ByGroup()).fit(X, Y, groups=groups)


def test_periods_may_be_dates_as_text():
    days = [f"2024-01-{1 + n % 28:02}" for n in range(150)]
    search = qx.SearchQ("CC", {}, protocol=ByPeriod(train_periods=2, by="week"))
    assert search.fit(X, Y, periods=days).n_bags_ == 2


def test_only_a_step_that_misses_labels_is_said_to_need_them():
    broken = X.copy()
    broken[0, 0] = np.inf
    search = qx.SearchQ(make_pipeline(StandardScaler(), quantifiers()[1]), {}, protocol=FEW)
    with (
        pytest.raises(ValueError, match="infinity") as told,
        pytest.warns(FitFailedWarning, match="is ranked last"),
    ):
        search.fit(broken, Y)
    assert "without labels" not in str(told.value)


class Labelled(TransformerMixin, BaseEstimator):
    """A step that is another one if it gets labels."""

    def fit(self, X, y=None):
        self.shift_ = 0.0 if y is None else 1.0
        return self

    def transform(self, X):
        return X + self.shift_


def test_the_best_is_the_same_whether_the_search_was_resumed_or_not(tmp_path):
    whole = make_pipeline(Labelled(), quantifiers()[1])
    grid = {"classifier__C": [0.1, 1.0]}
    first, again = (qx.SearchQ(whole, grid, protocol=FEW, out=tmp_path).fit(X, Y) for _ in range(2))
    assert first.best_quantifier_[0].shift_ == again.best_quantifier_[0].shift_ == 1.0
    np.testing.assert_array_equal(first.predict(X[:40]), again.predict(X[:40]))


# scikit-learn's own validation


def test_scikit_learn_is_told_that_a_search_is_of_bags():
    search = qx.SearchQ("CC", {}, protocol=FEW)
    with pytest.raises(NotImplementedError, match="cross_val_predict is for predictions of single"):
        cross_val_predict(search, X, Y, cv=3)
    with pytest.warns(UserWarning, match="here each fold is one bag"):
        scores = cross_val_score(search, X, Y, cv=3)
    assert np.isfinite(scores).all()
