"""Tasks: which a corpus makes, and what comes of one that asks for all classes at once."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from quantext.experiments.results import joint_rows, with_errors
from quantext.experiments.run import run
from quantext.experiments.splits import Bag, Split, by_period
from quantext.experiments.tasks import Task, all_tasks, tasks_of_training
from quantext.models.methods import METHODS, method
from quantext.reports.run_files import write_run_files
from quantext.texts.corpus import Corpus, VectorCorpus


def corpus_of(labels, texts=None, **rest):
    texts = labels if texts is None else texts
    return Corpus("colours", pl.Series(texts, dtype=pl.String), pl.Series(labels), **rest)


# Which there are


def test_several_classes_one_a_document_are_a_task_each_and_one_task_together():
    corpus = corpus_of(["blue", "green", "red"])
    joint = Task("all classes", (0, 1, 2), joint=True)
    assert tasks_of_training(corpus) == (joint,)
    assert all_tasks(corpus) == (Task("blue", (0,)), Task("green", (1,)), Task("red", (2,)), joint)


def test_two_classes_are_one_task_of_the_rarer_as_train_fits_it():
    corpus = corpus_of(["green", "blue", "blue"])
    assert all_tasks(corpus) == tasks_of_training(corpus) == (Task("green", (1,), joint=True),)


def test_labels_that_overlap_are_a_task_each():
    corpus = Corpus("some", pl.Series(["x", "y"]), pl.Series([["a", "b"], ["c"]]))
    each = tuple(Task(name, (i,)) for i, name in enumerate("abc"))
    assert all_tasks(corpus) == tasks_of_training(corpus) == each
    vectors = VectorCorpus(
        "vectors", sparse.csr_matrix(np.eye(3)), np.eye(3, dtype=bool), tuple("abc")
    )
    assert all_tasks(vectors) == each


def test_one_class_alone_is_a_task_like_others():
    assert all_tasks(corpus_of(["blue", "blue"])) == (Task("blue", (0,)),)


def test_a_class_may_have_the_name_of_the_joint_task():
    corpus = corpus_of(["all classes", "(all classes)", "red"])
    [joint] = tasks_of_training(corpus)
    assert joint.name == "((all classes))"


def test_names_that_no_document_has_are_not_asked_for_together():
    [joint] = tasks_of_training(corpus_of(["a", "c", "d"], classes=("b", "e")))
    assert joint.classes == (0, 2, 3)


# What comes of it


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Training: red 4, blue 2, green 2. In the bag one blue document looks red."""
    train = ["red"] * 4 + ["blue"] * 2 + ["green"] * 2
    labels = [*train, "red", "blue", "blue", "green"]
    texts = [*train, "red", "blue", "red", "green"]
    corpus = corpus_of(labels, texts)
    split = Split(np.arange(8), (Bag("later", np.arange(8, 12)),))
    methods = {name: method(name) for name in ("CC", "Training prevalence")}
    folder = tmp_path_factory.mktemp("colours")
    found = run(corpus, split, folder, methods=methods, jobs=1)
    assert write_run_files(folder).exists()
    return found


def test_the_joint_task_has_a_row_for_each_class_by_hand(rows):
    assert rows["task"].unique(maintain_order=True).to_list() == [
        "blue",
        "green",
        "red",
        "all classes",
    ]
    assert rows.filter(pl.col("task") != "all classes")["class"].null_count() == 6
    joint = rows.filter(pl.col("task") == "all classes")
    columns = ("method", "bag", "class", "size", "n_train", "p_train", "p_true", "p_hat")
    assert joint.select(columns).rows() == [
        ("CC", "later", "blue", 4, 8, 0.25, 0.5, 0.25),
        ("CC", "later", "green", 4, 8, 0.25, 0.25, 0.25),
        ("CC", "later", "red", 4, 8, 0.5, 0.25, 0.5),
        ("Training prevalence", "later", "blue", 4, 8, 0.25, 0.5, 0.25),
        ("Training prevalence", "later", "green", 4, 8, 0.25, 0.25, 0.25),
        ("Training prevalence", "later", "red", 4, 8, 0.5, 0.25, 0.5),
    ]
    assert joint.select("tp", "fp", "fn", "tn").rows() == [
        (1, 0, 1, 2),  # blue: one of two is taken for red
        (1, 0, 0, 3),
        (1, 1, 0, 2),
        *[(None,) * 4] * 3,
    ]


def test_its_kld_and_drift_are_over_all_classes_by_hand(rows):
    # e = 1/8: true (5, 3, 3)/11, estimate (3, 3, 5)/11, so (5 ln 5/3 + 3 ln 3/5)/11.
    expected = 2 / 11 * np.log(5 / 3)
    joint = joint_rows(rows)
    np.testing.assert_allclose(joint["kld"], expected)
    np.testing.assert_allclose(joint["drift"], expected)  # training was as the estimate is
    assert joint["drift_rank"].to_list() == [0] * 6  # the only test set of its kind
    assert joint["asked"].to_list() == ["blue", "green", "red"] * 2


def test_a_class_without_training_documents_is_estimated_as_none(tmp_path):
    labels = ["red", "blue", "green"] * 4 + ["red", "new", "new", "blue"]
    corpus = corpus_of(labels, periods=pl.Series(["1"] * 12 + ["2"] * 4))
    split = by_period(corpus, train_periods=1)
    methods = {"CC": method("CC", folds=2), "ACC": method("ACC", folds=2)}
    found = run(corpus, split, tmp_path, methods=methods, level=0.9, replicates=5, jobs=1)
    assert found["task"].unique(maintain_order=True).to_list() == [
        *("blue", "green", "red"),
        "all classes",
    ]
    new = found.filter(pl.col("class") == "new")
    assert new.select("p_train", "p_true", "p_hat").rows() == [(0.0, 0.5, 0.0)] * 2
    assert new.select("low", "high", "tpr_train", "fpr_train").rows() == [(None,) * 4] * 2
    assert new.select("tp", "fp", "fn", "tn").row(0) == (0, 0, 2, 2)
    sums = found.filter(pl.col("class").is_not_null()).group_by("method").agg(pl.sum("p_hat"))
    np.testing.assert_allclose(sums["p_hat"], 1.0)
    assert np.isfinite(with_errors(found)["kld"].to_numpy()).all()


def test_classes_of_which_two_are_trained_are_still_asked_for_together(tmp_path):
    labels = ["red", "blue"] * 4 + ["red", "green", "green"]
    corpus = corpus_of(labels, periods=pl.Series(["1"] * 8 + ["2"] * 3))
    split = by_period(corpus, train_periods=1)
    methods = {"CC": method("CC"), "PACC": method("PACC", folds=2)}
    found = run(corpus, split, tmp_path, methods=methods, jobs=1)
    joint = found.filter(pl.col("class").is_not_null())
    assert joint["class"].to_list() == ["blue", "green", "red"] * 2
    assert joint.filter(pl.col("class") == "green")["p_hat"].to_list() == [0.0, 0.0]
    red = joint.filter(pl.col("class") == "red", pl.col("method") == "CC")
    assert red.select("tp", "fn").row(0) == (1, 0)


def test_bags_drawn_for_a_class_are_no_bags_of_the_joint_task(tmp_path):
    corpus = corpus_of(["red", "blue", "green"] * 6)
    bag = np.arange(9, 18)
    split = Split(np.arange(9), (Bag("drawn", bag, "red"),))
    found = run(corpus, split, tmp_path, methods={"CC": method("CC")}, jobs=1)
    assert found["task"].to_list() == ["red"]


@pytest.mark.parametrize("name", METHODS)
def test_intervals_of_all_classes_hold_their_estimates_if_the_method_corrects(name, tmp_path):
    rng = np.random.default_rng(0)
    labels = rng.choice(["red", "blue", "green"], 60)
    texts = [label if rng.random() < 0.8 else rng.choice(["red", "blue"]) for label in labels]
    corpus = corpus_of(labels.tolist(), texts)
    split = Split(np.arange(40), (Bag("a", np.arange(40, 50)), Bag("b", np.arange(50, 60))))
    quantifier = method(name)
    if "folds" in quantifier.get_params():
        quantifier.set_params(folds=2)
    tasks = tasks_of_training(corpus)
    rows = run(
        corpus, split, tmp_path, methods={name: quantifier}, tasks=tasks, level=0.9,
        replicates=5, jobs=1,
    )  # fmt: skip
    assert rows.height == 6
    if name == "HDx":  # it gives none
        assert rows["low"].is_null().all()
        assert rows["high"].is_null().all()
        return
    assert rows.select((pl.col("low") <= pl.col("high")).all()).item()
    if quantifier.corrects:
        assert rows.select((pl.col("low") <= pl.col("p_hat")).all()).item()
        assert rows.select((pl.col("p_hat") <= pl.col("high")).all()).item()


def test_a_run_with_other_tasks_is_another_run(tmp_path):
    corpus = corpus_of(["red", "blue", "green"] * 4, periods=pl.Series(["1"] * 6 + ["2"] * 6))
    split = by_period(corpus, train_periods=1)
    methods = {"CC": method("CC")}
    run(corpus, split, tmp_path, methods=methods, jobs=1)
    with pytest.raises(ValueError, match="tasks is 4 there and 1 now"):
        run(corpus, split, tmp_path, methods=methods, tasks=tasks_of_training(corpus), jobs=1)
