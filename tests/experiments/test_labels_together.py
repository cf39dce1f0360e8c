"""Methods that look at labels together: fitted to all labels at once, with rows for each."""

import json

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from quantext.datasets.synthetic import synthetic
from quantext.experiments.comparison import compare
from quantext.experiments.results import TIMES
from quantext.experiments.run import FailedTasksError, run
from quantext.experiments.splits import Bag, Split, by_period
from quantext.experiments.tasks import Task, tasks_of_training, work_on
from quantext.learners.linear import LinearSVM
from quantext.models.methods import method
from quantext.reports.run_files import write_run_files
from quantext.texts.corpus import Corpus, VectorCorpus
from quantext.vectors.ltc import LtcVectorizer
from tests.support.together import Together
from tests.support.unlucky import Unlucky

TRAIN = [["red"], ["blue"], ["red", "blue"], ["green"]] * 2


def corpus_of(lists, texts=None, **rest):
    """A corpus whose documents have these labels and, unless told otherwise, say so."""
    texts = pl.Series([" ".join(own) for own in lists] if texts is None else texts)
    return Corpus("colours", texts, pl.Series(lists, dtype=pl.List(pl.String)), **rest)


def some_methods(**rest):
    """One that looks at labels together, between two that do not."""
    reference = {"Training prevalence": method("Training prevalence")}
    return {"CC": method("CC"), "together": Together(LinearSVM()), **reference, **rest}


# Pieces of work


def pieces(corpus, methods, train=None):
    train = np.arange(len(corpus)) if train is None else train
    return work_on(tasks_of_training(corpus), corpus, train, methods)


def test_all_labels_are_one_more_piece_and_the_others_are_for_the_other_methods():
    apart = ("CC", "Training prevalence")
    assert pieces(corpus_of(TRAIN), some_methods()) == (
        *(Task(name, (i,), methods=apart) for i, name in enumerate(("blue", "green", "red"))),
        Task("all labels", (0, 1, 2), methods=("together",)),
    )
    alone = {"together": Together(LinearSVM())}
    assert pieces(corpus_of(TRAIN), alone) == (
        Task("all labels", (0, 1, 2), methods=("together",)),
    )


def test_labels_that_no_training_document_has_are_not_fitted():
    *_, whole = pieces(corpus_of([*TRAIN, ["lilac"]]), some_methods(), train=np.arange(8))
    assert whole.classes == (0, 1, 3)  # of blue, green, lilac, red


def test_a_label_may_have_the_name_of_the_piece():
    *_, whole = pieces(corpus_of([["all labels"], ["red", "all labels"]]), some_methods())
    assert whole.name == "(all labels)"


def test_where_nothing_is_to_be_looked_at_together_tasks_are_the_pieces():
    colours = corpus_of(TRAIN)
    for corpus, methods in (
        (colours, {"CC": method("CC")}),
        (Corpus("moods", pl.Series(["a", "b"]), pl.Series(["good", "bad"])), some_methods()),
        (corpus_of([["red"], [], ["red"]]), some_methods()),  # one label
    ):
        assert pieces(corpus, methods) == tasks_of_training(corpus)


def test_vectors_may_have_several_labels():
    corpus = VectorCorpus("v", sparse.csr_matrix(np.eye(2)), np.eye(2, dtype=bool), ("a", "b"))
    assert pieces(corpus, some_methods())[-1] == Task("all labels", (0, 1), methods=("together",))


# Rows


@pytest.fixture(scope="module")
def colours():
    """A first bag with red 2, blue 1, green 0 of 4 documents; a second with 0, 0, 1 of 2."""
    bags = [["red"], ["red", "blue"], [], [], ["green"], []]
    corpus = corpus_of([*TRAIN, *bags], periods=pl.Series(["1"] * 8 + ["2"] * 4 + ["3"] * 2))
    return corpus, by_period(corpus, train_periods=1)


@pytest.fixture(scope="module")
def rows(colours, tmp_path_factory):
    folder = tmp_path_factory.mktemp("colours")
    found = run(*colours, folder, methods=some_methods(), jobs=1)
    assert write_run_files(folder).exists()
    return found


def test_each_label_has_rows_of_all_methods_in_their_order_by_hand(rows):
    keys = rows.select("task", "method", "bag").rows()
    assert keys == [
        (task, name, bag)
        for task in ("blue", "green", "red")
        for name in ("CC", "together", "Training prevalence")
        for bag in ("2", "3")
    ]
    mine = rows.filter(pl.col("method") == "together")
    columns = ("task", "bag", "class", "size", "n_train", "p_train", "p_true", "p_hat")
    # The classifier reads the colours right: 3 of 3 x 4 are counted in one bag, 1 of 3 x 2 in the
    # other.
    assert mine.select(columns).rows() == [
        ("blue", "2", None, 4, 8, 0.5, 0.25, 0.25),
        ("blue", "3", None, 2, 8, 0.5, 0.0, pytest.approx(1 / 6)),
        ("green", "2", None, 4, 8, 0.25, 0.0, 0.25),
        ("green", "3", None, 2, 8, 0.25, 0.5, pytest.approx(1 / 6)),
        ("red", "2", None, 4, 8, 0.5, 0.5, 0.25),
        ("red", "3", None, 2, 8, 0.5, 0.0, pytest.approx(1 / 6)),
    ]
    assert mine.select("tp", "fp", "fn", "tn", "low", "high").rows() == [(None,) * 6] * 6


def test_what_it_costs_is_divided_evenly_over_the_labels(rows):
    mine = rows.filter(pl.col("method") == "together")
    assert mine["fit_seconds"].n_unique() == 1
    assert mine["fit_seconds"][0] > 0
    assert mine["shared_seconds"].to_list() == [0] * 6
    by_bag = mine.group_by("bag", maintain_order=True).agg(pl.col("predict_seconds").unique())
    first, second = (seconds.item() for seconds in by_bag["predict_seconds"])
    assert first == pytest.approx(2 * second)  # it has twice as many documents


def test_a_bag_that_was_drawn_for_a_label_has_a_row_of_this_label_only(colours, tmp_path):
    corpus, _ = colours
    drawn = (Bag("for red", np.arange(8, 12), "red"), Bag("for blue", np.arange(10, 14), "blue"))
    found = run(corpus, Split(np.arange(8), drawn), tmp_path, methods=some_methods(), jobs=1)
    assert found.select("task", "method", "bag").rows() == [
        *(("blue", name, "for blue") for name in some_methods()),
        *(("red", name, "for red") for name in some_methods()),
    ]
    mine = found.filter(pl.col("method") == "together")
    assert mine["p_true"].to_list() == [0.0, 0.5]
    # Of all three labels, though green has no bag: 1 of 3 x 4 in the one, 3 in the other.
    np.testing.assert_allclose(mine["p_hat"], [1 / 12, 3 / 12])


def test_tasks_that_are_asked_for_have_rows_and_all_labels_are_fitted(colours, rows, tmp_path):
    [red] = [task for task in tasks_of_training(colours[0]) if task.name == "red"]
    found = run(*colours, tmp_path, methods=some_methods(), tasks=[red], jobs=1)
    assert found.drop(TIMES).equals(rows.filter(pl.col("task") == "red").drop(TIMES))


@pytest.fixture(scope="module")
def survey():
    corpus = synthetic(900, n_topics=4, weeks=6)
    return corpus, by_period(corpus, train_periods=3)


def test_adaptive_estimates_and_bounds_are_those_of_one_fit_to_all_labels(survey, tmp_path):
    corpus, split = survey
    methods = {"CC": method("CC", folds=2), "Adaptive": method("Adaptive", folds=5)}
    found = run(corpus, split, tmp_path, methods=methods, level=0.9, replicates=5, jobs=1)
    vectorizer = LtcVectorizer()
    X = vectorizer.fit_transform(corpus.texts.gather(split.train))
    y = corpus.indicator[split.train]
    alone = methods["Adaptive"].fit(X, y)
    bags = [vectorizer.transform(corpus.texts.gather(bag.indices)) for bag in split.bags]
    mine = found.filter(pl.col("method") == "Adaptive")
    expected = [(alone.predict(bag), *alone.predict_interval(bag, level=0.9)) for bag in bags]
    for place, column in enumerate(("p_hat", "low", "high")):
        values = np.array([one[place] for one in expected]).T.ravel()
        np.testing.assert_array_equal(mine[column], values, err_msg=column)
    scores = alone.scores_.out_of_fold
    rates = mine.unique("task", maintain_order=True)
    for j in range(y.shape[1]):
        assert rates["tpr_train"][j] == np.mean(scores[y[:, j], j] > 0)
        assert rates["fpr_train"][j] == np.mean(scores[~y[:, j], j] > 0)
    # Labels by themselves say something else.
    by_itself = method("Adaptive", folds=5).fit(X, y[:, :1]).predict(bags[0])
    assert by_itself[0] != mine["p_hat"][0]


# Progress, failures, resuming


def test_the_record_counts_tasks_and_progress_counts_pieces(colours, tmp_path):
    calls = []
    run(*colours, tmp_path, methods=some_methods(), jobs=1, progress=lambda *c: calls.append(c))
    assert calls[2:] == [("tasks", done, 4) for done in range(5)]
    assert json.loads((tmp_path / "run.json").read_text())["configuration"]["tasks"] == 3


def test_all_labels_are_begun_first(colours, tmp_path):
    def interrupt(stage, done, _):
        if stage == "tasks" and done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(*colours, tmp_path, methods=some_methods(), jobs=1, progress=interrupt)
    [file] = (tmp_path / "tasks").glob("*.parquet")
    assert pl.read_parquet(file)["method"].unique().to_list() == ["together"]


def test_if_all_labels_fail_the_other_methods_are_there_and_it_is_tried_again(
    colours, rows, tmp_path
):
    until = tmp_path / "the moon waxes"
    methods = some_methods(together=Together(LinearSVM(), until=until))
    with pytest.raises(FailedTasksError, match=r"1 task failed: all labels.*the moon was new"):
        run(*colours, tmp_path / "run", methods=methods, jobs=1)
    others = pl.read_parquet(tmp_path / "run" / "results.parquet")
    expected = rows.filter(pl.col("method") != "together")
    assert others.drop(TIMES).equals(expected.drop(TIMES))
    assert write_run_files(tmp_path / "run").exists()
    until.touch()
    found = run(*colours, tmp_path / "run", methods=methods, jobs=1)
    assert found.drop(TIMES).equals(rows.drop(TIMES))


def test_of_a_label_that_failed_no_method_has_rows(colours, tmp_path):
    methods = {"unlucky": Unlucky(LinearSVM(), positives=2), "together": Together(LinearSVM())}
    with pytest.raises(FailedTasksError, match="1 task failed: green"):  # 2 of 8 documents
        run(*colours, tmp_path, methods=methods, jobs=1)
    found = pl.read_parquet(tmp_path / "results.parquet")
    assert found.select("task", "method").unique(maintain_order=True).rows() == [
        (task, name) for task in ("blue", "red") for name in methods
    ]


def test_a_comparison_goes_on_without_a_method_that_failed_and_says_so(survey, tmp_path):
    corpus, _ = survey
    failing = Together(LinearSVM(), until=tmp_path / "never")
    methods = {"CC": method("CC"), "together": failing}
    comparison = compare(corpus, tmp_path / "one", methods=methods, jobs=1)
    assert set(comparison.table["method"]) == {"CC", "Training prevalence"}
    assert comparison.notes[0] == "not compared, because training failed: together"
    assert list(comparison.failures) == ["all labels"]
    with pytest.raises(FailedTasksError, match="all labels"):
        compare(corpus, tmp_path / "two", methods={"together": failing}, jobs=1)
