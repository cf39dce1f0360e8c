"""Dask gives what one process gives: first by its synchronous scheduler, then by real workers."""

import os
import pickle
import re
import signal
import sys
import traceback
from importlib import import_module
from pathlib import Path

import dask
import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest
from distributed import Client, LocalCluster
from distributed.utils import silence_logging_cmgr
from sklearn.frozen import FrozenEstimator
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from quantext.learners.linear import LinearSVM
from quantext.learners.structural import StructuralSVM
from quantext.models import distributed, estimates
from quantext.models.methods import method
from quantext.models.save import save
from quantext.models.textquantifier import TextQuantifier
from quantext.scores import training as scores
from quantext.texts.columns import Columns, make_documents
from quantext.texts.reading import read_documents
from quantext.vectors.disk import open_vectors, write_vectors
from quantext.vectors.ltc import LtcVectorizer
from tests.support.clusters import other_cluster
from tests.support.survey import survey

TRAIN = survey([40, 30, 20], seed=1)
# Three columns that a reader must get right: a text that is missing, a label that is, a label that
# is new.
NEW = survey([30, 60, 110], seed=2).with_columns(
    answer=pl.when(pl.int_range(pl.len()) == 5).then(None).otherwise("answer"),
    topic=pl.when(pl.int_range(pl.len()) == 7).then(pl.lit("weight")).otherwise("topic"),
)
TEXTS = NEW["answer"].drop_nulls().to_list()
NAMES = ("CC", "PACC", "MAX", "EMQ")
TOPICS = np.unique(TRAIN["topic"])


@pytest.fixture(autouse=True)
def _in_this_thread(request):
    if request.node.get_closest_marker("slow"):
        yield
    else:
        with dask.config.set(scheduler="synchronous"):
            yield


@pytest.fixture(scope="module")
def vectors():
    return LtcVectorizer().fit_transform(TRAIN["answer"])


@pytest.fixture(scope="module", params=["multi-class", "multi-label"])
def models(request):
    """Methods by name, for one label a document or for any number."""
    topics = TRAIN["topic"].to_numpy()
    labels = pd.Series(topics)
    if request.param == "multi-label":
        labels = pd.DataFrame(topics[:, None] == TOPICS, columns=TOPICS)
    return {
        name: TextQuantifier(method(name, folds=5)).fit(TRAIN["answer"], labels) for name in NAMES
    }


@pytest.fixture(scope="module")
def model():
    return TextQuantifier(method("MS", folds=5)).fit(TRAIN["answer"], TRAIN["topic"])


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Pattern of three files on a disk that all workers see."""
    folder = tmp_path_factory.mktemp("files")
    for i, rows in enumerate((NEW[:50], NEW[50:60], NEW[60:])):
        rows.write_parquet(folder / f"part-{i}.parquet")
    return str(folder / "part-*.parquet")


def frame(n_partitions=4):
    return dd.from_pandas(NEW.to_pandas(), npartitions=n_partitions)


def same(a, b):
    """Whether all that is estimated is equal, to the bit."""
    assert a.table.equals(b.table)
    for name in ("known_share", "n_rows", "n_documents", "n_unlabelled", "unseen"):
        assert getattr(a, name) == getattr(b, name), name
    return True


def local(model, **columns):
    table = make_documents(NEW, Path("new"), Columns("answer", **columns), unlabelled=True)
    return estimates.estimate(model, [(len(NEW), table)], level=None)


# Estimates ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_bag_is_estimated_as_in_memory(models, name):
    got = distributed.estimate(models[name], db.from_sequence(TEXTS, npartitions=5), replicates=20)
    rows = pl.DataFrame({"text": TEXTS})
    assert same(got, estimates.estimate(models[name], [(len(rows), rows)], replicates=20))


@pytest.mark.parametrize("name", NAMES)
def test_a_column_is_estimated_as_in_memory(models, name):
    got = distributed.estimate(models[name], frame()["answer"], level=None)
    assert same(got, local(models[name]))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("columns", [{"date": "day"}, {"by": "topic"}, {}])
def test_batches_and_labels_of_a_data_frame_are_those_in_memory(models, name, columns):
    columns = {"label": "topic", **columns}
    got = distributed.estimate(models[name], frame(), text="answer", level=None, **columns)
    assert same(got, local(models[name], **columns))
    assert got.unseen == {"weight": 1}


@pytest.mark.parametrize("name", NAMES)
def test_files_are_estimated_as_in_memory(models, name, files):
    columns = {"text": "answer", "date": "day", "label": "topic"}
    got = distributed.estimate(models[name], files, level=None, **columns)
    paths = sorted(Path(files).parent.iterdir())
    blocks = read_documents(paths, Columns(**columns), unlabelled=True)
    assert same(got, estimates.estimate(models[name], blocks, level=None))


def test_periods_of_dates_are_joined_after_all_partitions_are_known(model):
    # Weeks are counted from the first day of all, which only one partition has.
    got = distributed.estimate(model, frame(7), text="answer", date="day", level=None)
    days = NEW["day"].str.to_date()
    first = days.filter(NEW["answer"].is_not_null()).min()
    assert all((day - first).days % 7 == 0 for day in got.table["batch"])
    months = distributed.estimate(
        model, frame(7), text="answer", date="day", period="month", level=None
    )
    assert months.prevalence.shape == (3, 3)


def test_several_columns_of_texts_are_joined(model):
    got = distributed.estimate(model, frame(), text=["answer", "topic"], level=None)
    joined = [" ".join(filter(None, row)) for row in NEW.select("answer", "topic").rows()]
    np.testing.assert_array_equal(got, model.predict(joined))


def test_estimates_are_an_array_of_what_predict_returns(model):
    got = distributed.estimate(model, db.from_sequence(TEXTS, npartitions=3), level=None)
    np.testing.assert_array_equal(got.prevalence, model.predict(TEXTS))
    np.testing.assert_array_equal(np.asarray(got, dtype=np.float32), got.prevalence.astype("f4"))
    assert np.allclose(got, model.predict(TEXTS), rtol=0, atol=0)


def test_estimates_of_several_batches_have_a_row_each(model):
    got = distributed.estimate(model, frame(), text="answer", by="topic", level=None)
    assert got.prevalence.shape == (4, 3)
    weight = NEW.filter(pl.col("topic") == "weight")["answer"]
    np.testing.assert_array_equal(got.prevalence[3], model.predict(weight))


def test_intervals_are_null_where_the_model_gives_none():
    bare = TextQuantifier(method("CC")).fit(TRAIN["answer"], TRAIN["topic"])
    got = distributed.estimate(bare, frame()["answer"])
    assert got.table["low"].null_count() == len(got.table)


def test_a_model_may_be_a_file(model, tmp_path):
    save(model, tmp_path / "model.qx")
    bag = db.from_sequence(TEXTS, npartitions=3)
    assert same(
        distributed.estimate(tmp_path / "model.qx", bag, level=None),
        distributed.estimate(model, bag, level=None),
    )


def test_a_vectorizer_with_threads_is_used_with_one_and_left_as_it_is(model):
    model.vectorizer_.n_jobs = 2
    try:
        assert distributed._single_threaded(model).vectorizer_.n_jobs is None
        assert model.vectorizer_.n_jobs == 2
    finally:
        model.vectorizer_.n_jobs = None


def test_what_travels_does_not_grow_with_the_documents(models, model):
    # 8,100 different documents. The most is a key and a count of 8 bytes each for every training
    # score of the 3 classes, and the frame around them. (EMQ has them for every
    # posterior among the documents.)
    texts = [f"{a} {b}" for a in TEXTS[:90] for b in TEXTS[:90]]
    blocks = [(len(texts), pl.DataFrame({"text": texts}))]
    for fitted in (models["CC"], models["PACC"], models["MAX"], model):
        total = pickle.dumps(estimates.summarise(fitted, blocks))
        assert len(total) < 3 * (len(TRAIN) + 1) * 16 + 1000


@pytest.mark.parametrize("n", [1, 2, 8, 9, 65])
def test_the_tree_sums_every_part_once(n):
    parts = [dask.delayed(estimates.Batches)(3**i, {}) for i in range(n)]
    (total,) = dask.compute(distributed._tree(parts))
    assert total.n_rows == sum(3**i for i in range(n))


# What is wrong with the input --------------------------------------------------------------------


def fails(kind, words, model, texts, **options):
    """Check that it fails in these words, and that the traceback does not lead through Dask."""
    with pytest.raises(kind, match=re.escape(words)) as caught:
        distributed.estimate(model, texts, level=None, **options)
    modules = [entry.filename for entry in traceback.extract_tb(caught.value.__traceback__)]
    assert not [file for file in modules if f"{os.sep}dask{os.sep}" in file]
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_an_item_that_is_no_string_is_named_with_its_partition(model):
    bag = db.from_sequence(["a", "b", "c", None], npartitions=2)
    fails(TypeError, "partition 1 of the bag: text 1 (counting from 0) is None", model, bag)


def test_values_of_several_types_are_named_with_their_partition(model):
    with dask.config.set({"dataframe.convert-string": False}):
        mixed = dd.from_pandas(pd.DataFrame({"t": ["a", 3]}, dtype=object), npartitions=1)
        fails(TypeError, "partition 0 of the data frame cannot be read ", model, mixed, text="t")


def test_a_date_that_is_none_is_named_with_its_partition_and_row(model):
    fails(
        *(ValueError, "partition 0 of the data frame, column 'topic', row 1: "),
        *(model, frame(1)),
        text="answer",
        date="topic",
    )


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (TEXTS, "texts in a list need no Dask: model.predict"),
        ("new.parquet", "name the column of the files that has the texts"),
        (frame(), "name the column of the data frame that has the texts"),
        (db.from_sequence([], npartitions=1), "there are no documents"),
    ],
)
def test_documents_that_are_not_there_are_asked_for(model, texts, words):
    fails(ValueError, words, model, texts)


@pytest.mark.parametrize("texts", [NEW["answer"], 3, da.zeros(3)])
def test_what_is_no_collection_of_texts_is_refused_with_what_is_accepted(model, texts):
    fails(TypeError, "give a Dask bag of strings, a Dask data frame or a column", model, texts)


def test_a_column_that_is_not_there_is_refused_before_anything_is_read(model):
    words = (
        "has no column 'anwser' (did you mean 'answer'?); its columns are 'answer', 'topic', 'day'"
    )
    fails(ValueError, words, model, frame(), text="anwser")


def test_columns_cannot_be_named_where_there_are_none(model):
    fails(ValueError, "a bag has no columns to name with by='day'", model, db.range(3, 1), by="day")
    fails(ValueError, "a column has no columns", model, frame()["answer"], label="topic")


def test_a_date_and_a_name_of_the_period_exclude_each_other(model):
    fails(ValueError, "choose one", model, frame(), text="answer", date="day", by="day")


def test_files_that_are_missing_are_named(model, tmp_path):
    fails(FileNotFoundError, "no file matches", model, str(tmp_path / "*.parquet"), text="t")
    fails(FileNotFoundError, "there is no file", model, [tmp_path / "a.parquet"], text="t")
    fails(ValueError, "name at least one file", model, [], text="t")
    fails(TypeError, "the list of files has a int in it: 3", model, [3], text="t")


def test_what_only_the_client_sees_is_named():
    for read in (distributed._summarise_file, distributed._score_column):
        with pytest.raises(FileNotFoundError, match="a worker does not see /nowhere"):
            read(None, Path("/nowhere"), *[None] * (read.__code__.co_argcount - 2))


def test_a_file_with_other_columns_is_named(model, files):
    fails(ValueError, ".parquet has no column 'text'; its columns are", model, files, text="text")


def test_options_are_checked_before_anything_is_read(model):
    with pytest.raises(ValueError, match="period 'weak' is unknown"):
        distributed.estimate(model, frame()["answer"], period="weak")
    with pytest.raises(ValueError, match="level is 95"):
        distributed.estimate(model, frame()["answer"], level=95)


def test_a_model_that_cannot_read_texts_is_refused(model, tmp_path):
    with pytest.raises(TypeError, match="the model is a MedianSweep, which cannot read texts"):
        distributed.estimate(model.quantifier_, frame()["answer"])
    save(model.quantifier_, tmp_path / "model.qx")
    with pytest.raises(TypeError, match=r"model\.qx holds a MedianSweep"):
        distributed.estimate(tmp_path / "model.qx", frame()["answer"])


@pytest.mark.parametrize("module", ["models.distributed", "experiments.dask_workers"])
def test_without_dask_the_import_says_what_to_install(monkeypatch, module):
    import_module(f"quantext.{module}")  # so that it is there to be put back
    monkeypatch.delitem(sys.modules, f"quantext.{module}")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=re.escape("pip install 'quantext[dask]'")):
        import_module(f"quantext.{module}")


# Training scores ---------------------------------------------------------------------------------


def labels_of(kind):
    topics = TRAIN["topic"].to_numpy()
    if kind == "multi-class":
        return topics
    every = np.ones((len(topics), 1), bool)
    return np.hstack([topics[:, None] == TOPICS, every, ~every])


def same_scores(a, b, X):
    np.testing.assert_array_equal(a.scorer(X), b.scorer(X))
    assert type(a.scorer) is type(b.scorer)
    assert (a.out_of_fold is None) == (b.out_of_fold is None)
    if a.out_of_fold is not None:
        np.testing.assert_array_equal(a.out_of_fold, b.out_of_fold)
    np.testing.assert_array_equal(a.y, b.y)
    np.testing.assert_array_equal(a.classes, b.classes)
    assert (a.kind, a.counts_each_class) == (b.kind, b.counts_each_class)
    return True


@pytest.mark.parametrize("kind", ["multi-class", "multi-label"])
@pytest.mark.parametrize(
    ("classifier", "folds"),
    [
        (LinearSVM(), 5),
        (LinearSVM(), 0),
        (StructuralSVM(C=4), 0),
        (LinearSVC(), 3),
        (DecisionTreeClassifier(max_depth=2, random_state=0), 3),
    ],
)
def test_training_scores_are_those_of_one_process(classifier, folds, kind, vectors):
    y = labels_of(kind)
    here = scores.score_training(classifier, vectors, y, folds=folds, seed=3)
    there = distributed.score_training(classifier, vectors, y, folds=folds, seed=3)
    assert same_scores(there, here, vectors)


def test_labels_that_are_all_constant_need_no_training(vectors):
    y = labels_of("multi-label")[:, 3:]
    here = scores.score_training(LinearSVM(), vectors, y, folds=3)
    assert same_scores(distributed.score_training(LinearSVM(), vectors, y, folds=3), here, vectors)


def test_one_column_and_a_fitted_classifier_are_scored_here(vectors):
    def refuse(*_, **__):
        raise AssertionError("Dask has something to do")

    y = TRAIN["topic"].to_numpy()
    fitted = FrozenEstimator(LinearSVC().fit(vectors, y))
    for classifier, labels in ((LinearSVM(), y == "price"), (fitted, y)):
        here = scores.score_training(classifier, vectors, labels, folds=3)
        with dask.config.set(scheduler=refuse):
            there = distributed.score_training(classifier, vectors, labels, folds=3)
        assert same_scores(there, here, vectors)


def test_vectors_that_were_mapped_travel_as_their_path(vectors, tmp_path):
    X = write_vectors([vectors], tmp_path / "vectors")
    y = labels_of("multi-class")
    here = scores.score_training(LinearSVM(), vectors, y, folds=3)
    assert distributed._folder_of(X) == tmp_path / "vectors"
    for documents in (X, open_vectors(tmp_path / "vectors"), str(tmp_path / "vectors")):
        there = distributed.score_training(LinearSVM(), documents, y, folds=3)
        assert same_scores(there, here, vectors)


def test_parts_and_transposes_of_mapped_vectors_travel_as_they_are(vectors, tmp_path):
    X = write_vectors([vectors], tmp_path / "vectors")
    wide = X.copy()
    wide.data, wide.indices, wide.indptr = X.data, X.indices, X.indptr
    wide.resize(X.shape[0], X.shape[1] + 1)
    for other in (X[:10], X.T, X.copy(), wide, vectors, vectors.toarray()):
        assert distributed._folder_of(other) is None


def test_labels_for_other_documents_are_refused(vectors):
    with pytest.raises(ValueError, match="X has 90 documents but y has labels for 89"):
        distributed.score_training(LinearSVM(), vectors, labels_of("multi-class")[1:], folds=3)


# On real workers ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def die_once(text, marker):
    """Kill the worker that is the first to read this text."""
    if text == TEXTS[100] and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return text


def long_texts():
    """Some 200 kB."""
    return [f"{text} " * 20 for text in TEXTS]


@pytest.mark.slow
@pytest.mark.usefixtures("client")
def test_workers_estimate_what_one_process_does(model, files):
    columns = {"text": "answer", "date": "day", "label": "topic"}
    alone = local(model, date="day", label="topic")
    assert same(distributed.estimate(model, files, level=None, **columns), alone)
    assert same(distributed.estimate(model, frame(), level=None, **columns), alone)
    alone = local(model)
    assert same(distributed.estimate(model, frame()["answer"], level=None), alone)
    bag = distributed.estimate(model, db.from_sequence(TEXTS, npartitions=9), level=None)
    assert bag.table.equals(alone.table)


class Noted(TextQuantifier):
    """Notes each process that it arrives in."""

    def __setstate__(self, state):
        super().__setstate__(state)
        with open(self.notes, "a") as file:
            file.write(f"{os.getpid()}\n")


@pytest.mark.slow
def test_the_model_travels_to_each_worker_once(client, tmp_path):
    model = Noted(method("CC"))
    model.notes = tmp_path / "notes"
    model.fit(TRAIN["answer"], TRAIN["topic"])
    distributed.estimate(model, db.from_sequence(TEXTS, npartitions=40))
    arrivals = (tmp_path / "notes").read_text().split()
    workers = [str(pid) for pid in client.run(os.getpid).values()]
    assert [arrivals.count(pid) for pid in workers] == [1, 1]


@pytest.mark.slow
@pytest.mark.usefixtures("client")
def test_workers_score_what_one_process_does(vectors, tmp_path):
    X = write_vectors([vectors], tmp_path / "vectors")
    # More than the 10 MB of which Dask warns.
    wide = np.hstack([vectors.toarray(), np.zeros((vectors.shape[0], 40_000), np.float32)])
    y = labels_of("multi-label")
    here = scores.score_training(LinearSVM(), vectors, y, folds=5)
    for documents in (vectors, X):
        there = distributed.score_training(LinearSVM(), documents, y, folds=5)
        assert same_scores(there, here, vectors)
    there = distributed.score_training(LinearSVM(), wide, y, folds=5)
    np.testing.assert_array_equal(there.out_of_fold, here.out_of_fold)


@pytest.mark.slow
@pytest.mark.usefixtures("client")
def test_an_error_on_a_worker_is_raised_as_if_it_were_here(model):
    bag = db.from_sequence([*TEXTS, 3], npartitions=8)
    last = len(TEXTS) // 8
    fails(TypeError, f"partition 7 of the bag: text {last} (counting from 0) is 3", model, bag)


@pytest.mark.slow
def test_a_worker_that_is_killed_while_it_estimates_changes_nothing(client, model, tmp_path):
    before = set(client.run(os.getpid).values())
    bag = db.from_sequence(TEXTS, npartitions=16).map(die_once, tmp_path / "marker")
    got = distributed.estimate(model, bag, level=None)
    assert (tmp_path / "marker").exists()
    # Dask may or may not have started another one by now.
    assert len(before - set(client.run(os.getpid).values())) == 1, "no worker died"
    assert got.table.equals(local(model).table)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux")
@pytest.mark.usefixtures("client")
def test_the_client_never_holds_the_documents(model):
    n_parts = 200
    bag = db.from_delayed([dask.delayed(long_texts)() for _ in range(n_parts)])
    expected = model.predict(long_texts())
    Path("/proc/self/clear_refs").write_text("5")  # from here on, count the peak anew
    before = peak_memory()
    got = distributed.estimate(model, bag, level=None)
    assert got.n_documents == n_parts * len(TEXTS)
    assert sum(map(len, long_texts())) * n_parts > 30e6
    assert peak_memory() - before < 20
    np.testing.assert_array_equal(got, expected)


def die(items, pid):
    """Kill a process from a worker."""
    os.kill(pid, signal.SIGKILL)
    return items


@pytest.mark.slow
def test_a_scheduler_that_is_lost_is_a_connection_error(model):
    with other_cluster() as (process, address):
        bag = db.from_sequence(TEXTS, npartitions=4).map_partitions(die, process.pid)
        with (
            silence_logging_cmgr("CRITICAL"),
            Client(address, timeout=2),
            pytest.raises(ConnectionError, match="the scheduler is lost"),
        ):
            distributed.estimate(model, bag)


def peak_memory():
    """Most memory that this process has held, in MB."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024
