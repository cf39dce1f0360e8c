import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from quantext.datasets.synthetic import synthetic
from quantext.experiments.classified import contingency
from quantext.experiments.fits import described, fit_methods, score_documents
from quantext.experiments.folder import VECTORS, claim, locked
from quantext.experiments.results import SCHEMA, TIMES
from quantext.experiments.run import FailedTasksError, run
from quantext.experiments.splits import Bag, Split, by_period
from quantext.learners.linear import LinearSVM
from quantext.models.methods import method
from quantext.quantifiers import ClassifyAndCount, thresholds
from quantext.reports.run_files import read_run, write_run_files
from quantext.scores import calibration
from quantext.texts.corpus import Corpus, VectorCorpus
from quantext.vectors.ltc import LtcVectorizer
from tests.support.unlucky import Unlucky, Warm

NAMES = ("SVM(KLD)", "CC", "Adaptive", "ACC", "PCC", "Training prevalence")


def some_methods(**params):
    return {name: method(name) for name in NAMES} | params


@pytest.fixture(scope="module")
def corpus():
    return synthetic(900, n_topics=4, weeks=6)


@pytest.fixture(scope="module")
def split(corpus):
    return by_period(corpus, train_periods=3)


@pytest.fixture(scope="module")
def finished(corpus, split, tmp_path_factory):
    """The folder of a finished run."""
    folder = tmp_path_factory.mktemp("run")
    run(corpus, split, folder, methods=some_methods(), jobs=1)
    return folder


@pytest.fixture(scope="module")
def results(finished):
    return pl.read_parquet(finished / "results.parquet")


def without_times(frame):
    return frame.drop(TIMES)


# Rows --------------------------------------------------------------------------------------------


def test_there_is_a_row_for_every_task_method_and_bag_in_this_order(results, corpus, split):
    expected = [
        (task, name, bag.name) for task in corpus.classes for name in NAMES for bag in split.bags
    ]
    assert results.select("task", "method", "bag").rows() == expected
    assert results["class"].null_count() == len(results)  # each task is of one class
    assert dict(results.schema) == dict(SCHEMA) | {"period": pl.Date}


def test_estimates_are_those_of_each_method_fitted_and_asked_alone(results, corpus, split):
    vectorizer = LtcVectorizer()
    X = vectorizer.fit_transform(corpus.texts.gather(split.train))
    bags = [vectorizer.transform(corpus.texts.gather(bag.indices)) for bag in split.bags]
    y = corpus.indicator[split.train]
    for name in NAMES:
        quantifier = method(name).fit(X, y)
        alone = np.array([quantifier.predict(bag) for bag in bags]).T.ravel()
        here = results.filter(pl.col("method") == name)["p_hat"].to_numpy()
        np.testing.assert_array_equal(here, alone, err_msg=name)


def test_truth_and_training_are_counted_from_the_labels(results, corpus, split):
    y = corpus.indicator
    truth = np.array([y[bag.indices].mean(axis=0) for bag in split.bags]).T.ravel()
    rows = results.filter(pl.col("method") == "CC")
    np.testing.assert_array_equal(rows["p_true"], truth)
    assert rows["size"].to_list() == [len(bag) for bag in split.bags] * len(corpus.classes)
    assert rows["n_train"].unique().to_list() == [len(split.train)]
    p_train = rows["p_train"].unique(maintain_order=True)
    np.testing.assert_array_equal(p_train, y[split.train].mean(axis=0))


def test_the_contingency_table_sums_to_the_shares_it_belongs_to(results):
    rows = results.filter(pl.col("tp").is_not_null())
    assert rows["method"].unique(maintain_order=True).to_list() == ["SVM(KLD)", "CC"]
    size = rows["size"]
    np.testing.assert_array_equal((rows["tp"] + rows["fp"]) / size, rows["p_hat"])
    np.testing.assert_array_equal((rows["tp"] + rows["fn"]) / size, rows["p_true"])
    assert (rows["tp"] + rows["fp"] + rows["fn"] + rows["tn"]).to_list() == size.to_list()


def test_contingency_counts_each_bag_by_itself():
    said = [np.array([True, True, False, False]), np.array([True])]
    true = [np.array([True, False, True, False]), np.array([True])]
    columns = contingency(said, true)
    assert {name: values.tolist() for name, values in columns.items()} == {
        "tp": [1, 1],
        "fp": [1, 0],
        "fn": [1, 0],
        "tn": [1, 0],
    }


def test_training_rates_are_those_above_zero_out_of_fold(results, corpus, split):
    X = LtcVectorizer().fit_transform(corpus.texts.gather(split.train))
    y = corpus.indicator[split.train]
    scores = method("ACC").fit(X, y).scores_.out_of_fold
    rows = results.filter(pl.col("method") == "CC").unique("task", maintain_order=True)
    for j in range(y.shape[1]):
        assert rows["tpr_train"][j] == np.mean(scores[y[:, j], j] > 0)
        assert rows["fpr_train"][j] == np.mean(scores[~y[:, j], j] > 0)
    assert results.filter(pl.col("method") == "SVM(KLD)")["tpr_train"].null_count() > 0


def test_shared_scoring_is_part_of_the_cost_of_each_method_that_shares_it(results):
    costs = results.unique(["task", "method"], maintain_order=True)
    for _, rows in costs.group_by("task", maintain_order=True):
        by_name = {row["method"]: row for row in rows.iter_rows(named=True)}
        shared = by_name["ACC"]["shared_seconds"]
        assert shared == by_name["PCC"]["shared_seconds"] > 0
        assert by_name["PCC"]["fit_seconds"] > shared
        # CC needs no cross-validation, but trains the same classifier.
        assert shared > by_name["CC"]["shared_seconds"] > 0
        for alone in ("SVM(KLD)", "Training prevalence"):
            assert by_name[alone]["shared_seconds"] == 0
    assert costs["predict_seconds"].min() > 0


def test_scores_in_one_pass_are_those_of_each_scorer_alone(corpus, split):
    X = LtcVectorizer().fit_transform(corpus.texts.gather(split.train))
    fits = fit_methods(some_methods(), X, corpus.indicator[split.train, :1])
    together, _ = score_documents([fit.scores.scorer for fit in fits], X)
    for fit, scores in zip(fits, together, strict=True):
        np.testing.assert_allclose(scores, fit.scores.scorer(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("columns", [1, 3])
def test_a_classifier_that_is_trained_with_folds_is_not_trained_again_without(monkeypatch, columns):
    rng = np.random.default_rng(0)
    y = rng.random((80, columns)) < 0.4
    X = rng.normal(size=(80, 2)) + y[:, :1]
    alone = method("CC").fit(X, y)
    monkeypatch.setattr(LinearSVM, "fit", None)
    with_others, acc = fit_methods({name: method(name) for name in ("CC", "ACC")}, X, y)
    assert with_others.quantifier.predict(X).tolist() == alone.predict(X).tolist()
    assert with_others.scores.out_of_fold is None
    assert with_others.scores.scorer is acc.scores.scorer
    assert 0 < with_others.shared_seconds <= with_others.seconds < acc.seconds


def test_methods_that_share_scores_sort_and_calibrate_them_once(monkeypatch):
    asked = []
    for module, name in ((thresholds, "_ranked"), (calibration, "_calibrated")):
        once = getattr(module, name)

        def counted(training, name=name, once=once):
            asked.append(name)
            return once(training)

        monkeypatch.setattr(module, name, counted)
    rng = np.random.default_rng(0)
    y = rng.random((80, 1)) < 0.4
    X = rng.normal(size=(80, 2)) + y
    names = ("T50", "MAX", "MS", "MM(KS)", "MM(PP)", "PCC", "PACC", "EMQ")
    together = fit_methods({name: method(name) for name in names}, X, y)
    assert sorted(asked) == ["_calibrated", "_ranked"]
    for fit in together:
        alone = method(fit.name).fit(X, y)
        assert fit.quantifier.predict(X).tolist() == alone.predict(X).tolist()


def test_a_class_without_training_documents_is_no_task(tmp_path):
    corpus = Corpus(
        "tiny",
        texts=pl.Series(["good food", "bad food", "good wine", "bad wine", "new thing"]),
        labels=pl.Series(["good", "bad", "good", "bad", "new"]),
        periods=pl.Series(["1", "1", "1", "1", "2"]),
    )
    split = by_period(corpus, train_periods=1)
    rows = run(corpus, split, tmp_path / "run", methods=some_methods(), jobs=1)
    assert rows["task"].unique().sort().to_list() == ["all classes", "bad", "good"]
    assert rows["period"].to_list() == ["2"] * len(rows)  # a name, not a day


def test_a_class_that_all_training_documents_have_is_estimated_as_all(tmp_path):
    vectors = sparse.csr_matrix(np.eye(4, dtype=np.float32))
    indicator = np.array([[True, False], [True, True], [True, True], [False, False]])
    corpus = VectorCorpus("vectors", vectors, indicator, ("all", "some"))
    split = Split(np.array([0, 1]), (Bag("later", np.array([2, 3])),))
    rows = run(corpus, split, tmp_path / "run", methods=some_methods(), jobs=1)
    assert rows.filter(pl.col("task") == "all")["p_hat"].unique().to_list() == [1.0]


def test_vectors_give_the_same_results_as_the_texts_they_are_made_of(
    corpus, split, results, tmp_path
):
    vectorizer = LtcVectorizer().fit(corpus.texts.gather(split.train))
    vectors = vectorizer.transform(corpus.texts)
    same = VectorCorpus("same", vectors, corpus.indicator, corpus.classes, corpus.periods)
    rows = run(same, split, tmp_path / "run", methods=some_methods(), jobs=1)
    assert without_times(rows).equals(without_times(results))


def test_a_document_may_be_in_several_bags(corpus, split, tmp_path):
    [first, second, *_] = split.bags
    both = Bag("both", np.concatenate([second.indices, first.indices]))
    split = Split(split.train, (first, second, both))
    methods = {"CC": method("CC")}
    rows = run(corpus, split, tmp_path / "run", methods=methods, jobs=1)
    counts = rows.pivot("bag", index="task", values="tp")
    assert (counts[first.name] + counts[second.name]).to_list() == counts["both"].to_list()


def test_intervals_of_methods_that_correct_hold_the_estimate(corpus, split, tmp_path):
    methods = {name: method(name, folds=2) for name in ("CC", "ACC", "Adaptive")}
    methods["Training prevalence"] = method("Training prevalence")
    rows = run(corpus, split, tmp_path / "run", methods=methods, level=0.9, replicates=10, jobs=1)
    corrected = rows.filter(pl.col("method").is_in(["ACC", "Adaptive"]))
    assert corrected.select((pl.col("low") <= pl.col("p_hat")).all()).item()
    assert corrected.select((pl.col("high") >= pl.col("p_hat")).all()).item()
    assert rows.select((pl.col("low") < pl.col("high")).any()).item()
    assert rows["low"].null_count() == rows["high"].null_count() == 0


# Durability --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_processes_give_the_same_results_as_one(corpus, split, results, tmp_path):
    rows = run(corpus, split, tmp_path / "run", methods=some_methods(), jobs=2)
    assert without_times(rows).equals(without_times(results))


def test_a_finished_task_is_not_run_again(corpus, split, results, tmp_path):
    def files():
        """What changes if a file is written again."""
        there = (tmp_path / "tasks").iterdir()
        return {file.name: (file.stat().st_ino, file.stat().st_mtime_ns) for file in there}

    run(corpus, split, tmp_path, methods=some_methods(), jobs=1)
    before = files()
    there = [f"0000{piece}.parquet{end}" for piece in range(5) for end in ("", ".sum")]
    assert sorted(before) == there  # 4 labels, and all
    (tmp_path / "tasks" / "00002.parquet").unlink()
    rows = run(corpus, split, tmp_path, methods=some_methods(), jobs=1)
    again = files()
    assert {name for name in before if again[name] != before[name]} == set(there[4:6])
    assert without_times(rows).equals(without_times(results))
    assert run(corpus, split, tmp_path, methods=some_methods(), jobs=1).equals(rows)
    assert files() == again


def test_a_failing_task_stops_no_other_and_is_tried_again(corpus, split, results, tmp_path):
    name, number = corpus.classes[1], int(corpus.indicator[split.train, 1].sum())
    methods = {"CC": Unlucky(LinearSVM(), positives=number, until=tmp_path / "the moon wanes")}
    out = tmp_path / "run"
    with pytest.raises(FailedTasksError, match=f"1 task failed: {name}.*the moon was full"):
        run(corpus, split, out, methods=methods, jobs=1)
    estimates = results.filter(pl.col("method") == "CC").select("task", "bag", "p_hat")
    others = estimates.filter(pl.col("task") != name)
    partial = pl.read_parquet(out / "results.parquet")
    assert partial.select(others.columns).equals(others)
    assert "the moon was full" in json.loads((out / "failures.json").read_text())[name]

    (tmp_path / "the moon wanes").touch()
    rows = run(corpus, split, out, methods=methods, jobs=1)
    assert rows.select(estimates.columns).equals(estimates)
    assert not (out / "failures.json").exists()


def test_if_every_task_fails_there_are_no_results(corpus, split, tmp_path):
    with pytest.raises(FailedTasksError, match="4 tasks failed"):
        run(corpus, split, tmp_path, methods={"unlucky": Unlucky(LinearSVM())}, jobs=1)
    assert not (tmp_path / "results.parquet").exists()


def test_warnings_of_tasks_are_kept(corpus, split, tmp_path):
    run(corpus, split, tmp_path, methods={"warm": Warm(LinearSVM())}, jobs=1)
    log = (tmp_path / "warnings.log").read_text()
    assert sorted(log.splitlines()) == [f"{name}: rather warm" for name in corpus.classes]


def test_an_interrupted_run_goes_on_and_leaves_nothing_behind(corpus, split, results, tmp_path):
    def interrupt(stage, done, _):
        if stage == "tasks" and done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(corpus, split, tmp_path, methods=some_methods(), jobs=1, progress=interrupt)
    there = sorted(path.name for path in tmp_path.iterdir())
    assert there == [".quantext-lock", "run.json", "tasks"]
    assert len(list((tmp_path / "tasks").glob("*.parquet"))) == 2
    calls = []
    run(
        corpus,
        split,
        tmp_path,
        methods=some_methods(),
        jobs=1,
        progress=lambda *call: calls.append(call),
    )
    assert [call for call in calls if call[0] == "tasks"] == [("tasks", n, 5) for n in (2, 3, 4, 5)]
    rows = pl.read_parquet(tmp_path / "results.parquet")
    assert without_times(rows).equals(without_times(results))


def test_leftovers_of_a_killed_run_are_taken_away_and_nothing_else(corpus, split, tmp_path):
    mine = [tmp_path / name / "train.npy" for name in ("vectors-2024", "vectors", "lock")]
    left_behind = tmp_path / VECTORS / "train.npy"
    for file in (*mine, left_behind):
        file.parent.mkdir()
        file.write_bytes(b"half")
    run(corpus, split, tmp_path, methods={"CC": method("CC")}, jobs=1)
    assert not left_behind.parent.exists()
    assert all(file.read_bytes() == b"half" for file in mine)


@pytest.mark.parametrize("name", ["tasks", "tables", "report.html", "results.parquet"])
def test_what_is_not_of_a_run_is_never_overwritten(corpus, split, tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(ValueError, match=f"has no run.json but {name}, which a run would overwr"):
        run(corpus, split, tmp_path, methods={"CC": method("CC")}, jobs=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".quantext-lock", name]


ODD_NAMES = ["run[1]", "~"]
MORE_ODD_NAMES = ["run?", "ru*", "two words", "two\nlines", "~root", "{run1,x}"]


@pytest.mark.parametrize(
    "name", [*ODD_NAMES, *(pytest.param(name, marks=pytest.mark.slow) for name in MORE_ODD_NAMES)]
)
def test_a_folder_is_the_one_that_was_named_and_no_other(
    corpus, split, finished, tmp_path, monkeypatch, name
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for other in ("run1", "home", "x"):  # which a pattern would find instead
        shutil.copytree(finished, other)
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    mine = run(corpus, split, name, methods={"CC": method("CC")}, jobs=1)
    assert mine["method"].unique().to_list() == ["CC"]
    assert read_run(Path(name))[0].equals(mine)
    write_run_files(Path(name))
    assert run(corpus, split, name, methods={"CC": method("CC")}, jobs=1).equals(mine)
    assert {path: path.read_bytes() for path in before} == before


def test_the_folder_of_another_run_is_refused_with_what_differs(corpus, split, finished):
    other = some_methods(ACC=method("ACC", seed=7))
    with pytest.raises(ValueError, match=r"ACC is .*seed=0\) there and .*seed=7\) now"):
        run(corpus, split, finished, methods=other)
    with pytest.raises(ValueError, match=r"another run.*EMQ is absent there"):
        run(corpus, split, finished, methods=some_methods(EMQ=method("EMQ")))
    fewer = by_period(corpus, train_periods=4)
    with pytest.raises(ValueError, match="training documents is 450 there and 600 now"):
        run(corpus, fewer, finished, methods=some_methods())
    changed = synthetic(900, n_topics=4, weeks=6, seed=1)
    with pytest.raises(ValueError, match="checksum is"):
        run(changed, by_period(changed, train_periods=3), finished, methods=some_methods())
    without = LtcVectorizer(stemmer=None)
    with pytest.raises(ValueError, match=r"vectorizer is .*'porter'"):
        run(corpus, split, finished, methods=some_methods(), vectorizer=without)


def test_a_refusal_leaves_the_folder_as_it_was(corpus, split, finished):
    before = {path: path.stat().st_mtime_ns for path in finished.rglob("*.*")}
    with pytest.raises(ValueError, match="another run"):
        run(corpus, split, finished, methods={"CC": method("CC")})
    assert {path: path.stat().st_mtime_ns for path in finished.rglob("*.*")} == before


def test_differences_of_versions_are_named(tmp_path):
    claim(tmp_path, {"checksum": "a", "configuration": {}, "versions": {"numpy": "1.0"}})
    with pytest.raises(ValueError, match=r"numpy is 1\.0 there and 2\.0 now"):
        claim(tmp_path, {"checksum": "a", "configuration": {}, "versions": {"numpy": "2.0"}})


def test_only_one_process_at_a_time_may_run_in_a_folder(corpus, split, tmp_path):
    with locked(tmp_path), pytest.raises(BlockingIOError, match="in use by another process"):
        run(corpus, split, tmp_path, methods=some_methods(), jobs=1)


def test_a_file_in_place_of_the_folder_is_a_clear_error(corpus, split, tmp_path):
    (tmp_path / "run").write_text("a file")
    with pytest.raises(NotADirectoryError, match="is a file; name a folder"):
        run(corpus, split, tmp_path / "run", methods=some_methods(), jobs=1)


def test_a_corpus_whose_training_documents_have_no_class_is_a_clear_error(tmp_path):
    texts = pl.Series(["a", "b"])
    corpus = Corpus("empty", texts, labels=pl.Series([[], ["x"]], dtype=pl.List(pl.String)))
    split = Split(np.array([0]), (Bag("later", np.array([1])),))
    with pytest.raises(ValueError, match="no training document has a class"):
        run(corpus, split, tmp_path, jobs=1)


# Files -------------------------------------------------------------------------------------------


def test_tables_figures_and_report_of_a_run_are_files_in_its_folder(finished):
    page = write_run_files(finished)
    assert page == finished / "report.html"
    assert "SVM(KLD)" in page.read_text(encoding="utf-8")
    names = {path.relative_to(finished).as_posix() for path in finished.rglob("*")}
    for suffix in ("md", "tex", "csv"):
        assert f"tables/kld_by_drift.{suffix}" in names
    assert {"figures/error_by_period.svg", "figures/error_by_drift.svg"} <= names
    assert not [name for name in names if "views-" in name or name.endswith(".part")]


def test_a_folder_without_results_is_a_clear_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"has no results\.parquet; name the folder"):
        write_run_files(Path(tmp_path))


def test_classifiers_that_are_fitted_already_are_told_apart():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] > 0
    right, wrong = (FrozenEstimator(LogisticRegression().fit(X, labels)) for labels in (y, ~y))
    assert described(right) != described(wrong)
    methods = {"right": ClassifyAndCount(right), "wrong": ClassifyAndCount(wrong)}
    first, second = fit_methods(methods, X, y)
    assert first.quantifier.predict(X[y]).tolist() == [0, 1]
    assert second.quantifier.predict(X[y]).tolist() == [1, 0]


def test_a_malformed_matrix_of_a_corpus_is_an_error_before_rows_are_taken_of_it(tmp_path):
    vectors = sparse.csr_matrix(np.eye(6))
    vectors.indptr[3] = 2**30
    corpus = VectorCorpus("odd", vectors, np.eye(6, 2, dtype=bool), ("a", "b"))
    split = Split(np.arange(4), (Bag("one", np.arange(4, 6)),))
    with pytest.raises(ValueError, match="malformed: entry 4 of its indptr is 4, after 1073741824"):
        run(corpus, split, tmp_path / "run", methods={"CC": method("CC")}, jobs=1)
