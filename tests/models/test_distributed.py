"""Dask gives what one process gives, by its synchronous scheduler."""

import pickle
import re
import sys
from datetime import date
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
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from quantext.learners.linear import LinearSVM
from quantext.learners.structural import StructuralSVM
from quantext.models import bags, distributed, estimates
from quantext.models.methods import method
from quantext.models.save import save
from quantext.models.textquantifier import TextQuantifier
from quantext.scores import dask_training
from quantext.scores import training as scores
from quantext.texts.columns import Columns
from quantext.texts.paths import find_files
from quantext.texts.reading import read_documents, table_documents
from quantext.vectors.disk import open_vectors, write_vectors
from quantext.vectors.ltc import LtcVectorizer
from tests.support.distributed import (
    NEW,
    TEXTS,
    TOPICS,
    TRAIN,
    fails,
    fit_model,
    frame,
    labels_of,
    local,
    same,
    same_scores,
    write_files,
)

NAMES = ("CC", "PACC", "MAX", "EMQ")


@pytest.fixture(autouse=True)
def _in_this_thread():
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
    return fit_model()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("files"))


def test_quotes_are_those_of_one_process(model, files):
    columns = {"text": "answer", "date": "day"}
    options = {"level": None, "quotes": 2, "period": "month"}
    read = read_documents(find_files(files), Columns("answer", date="day"))
    wanted = estimates.estimate(model, read, **options).quotes
    assert len(wanted) > 2
    assert distributed.estimate(model, files, **columns, **options).quotes.equals(wanted)
    assert distributed.estimate(model, frame(), **columns, **options).quotes.equals(wanted)


def test_quotes_of_a_bag_of_texts_are_those_of_one_process(model):
    bag, rows = db.from_sequence(TEXTS, npartitions=5), pl.DataFrame({"text": TEXTS})
    wanted = estimates.estimate(model, [(len(rows), rows)], level=None, quotes=2).quotes
    assert distributed.estimate(model, bag, level=None, quotes=2).quotes.equals(wanted)
    assert distributed.estimate(model, bag, level=None).quotes is None
    with pytest.raises(ValueError, match="ask for 1 to 20 documents"):
        distributed.estimate(model, bag, quotes=99)


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
def test_bags_and_labels_of_a_data_frame_are_those_in_memory(models, name, columns):
    columns = {"label": "topic", **columns}
    got = distributed.estimate(models[name], frame(), text="answer", level=None, **columns)
    assert same(got, local(models[name], **columns))
    assert got.unseen == {"weight": 1}


@pytest.mark.parametrize("name", [*NAMES, "Adaptive"])
def test_weights_of_a_data_frame_count_as_in_memory(name):
    model = TextQuantifier(method(name, folds=5)).fit(TRAIN["answer"], TRAIN["topic"])
    table = NEW.with_columns(w=pl.Series([0.3, 1.7, 2.0, 0.0] * 50))
    parts = dd.from_pandas(table.to_pandas(), npartitions=4)
    columns = {"label": "topic", "weight": "w"}
    got = distributed.estimate(model, parts, text="answer", level=None, **columns)
    documents = table_documents(table, Columns("answer", **columns), "new")
    whole = estimates.estimate(model, documents, level=None)
    assert same(got, whole)
    plain = distributed.estimate(model, parts, text="answer", level=None)
    assert not np.allclose(got.prevalence, plain.prevalence)


def test_bags_of_several_columns_are_those_in_memory(model):
    columns = {"by": ["day", "topic"], "date": "day"}
    options = {"level": None, "period": "month"}
    got = distributed.estimate(model, frame(7), text="answer", **options, **columns)
    documents = table_documents(NEW, Columns("answer", **columns), "new")
    whole = estimates.estimate(model, documents, **options)
    assert same(got, whole)
    assert got.keys == whole.keys
    assert got.keys["day"][0] == date(2024, 1, 1)
    assert got.table["batch"][0] == "2024-01-01 · battery"


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


def test_estimates_of_several_bags_have_a_row_each(model):
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
    parts = [dask.delayed(bags.BagSummaries)(3**i, {}) for i in range(n)]
    (total,) = dask.compute(distributed._tree(parts))
    assert total.n_rows == sum(3**i for i in range(n))


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
    for read in (distributed._summarise_file, dask_training._score_column):
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
    with pytest.raises(
        TypeError,
        match="the model is a MedianSweep, which cannot read texts by itself; give a TextQ",
    ):
        distributed.estimate(model.quantifier_, frame()["answer"])
    save(model.quantifier_, tmp_path / "model.qx")
    with pytest.raises(ValueError, match=r"model\.qx holds a MedianSweep, which cannot read texts"):
        distributed.estimate(tmp_path / "model.qx", frame()["answer"])


@pytest.mark.parametrize("module", ["models.distributed", "experiments.dask_workers"])
def test_without_dask_the_import_says_what_to_install(monkeypatch, module):
    import_module(f"quantext.{module}")  # so that it is there to be put back
    monkeypatch.delitem(sys.modules, f"quantext.{module}")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=re.escape("pip install 'quantext[dask]'")):
        import_module(f"quantext.{module}")


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


@pytest.mark.parametrize("kind", ["binary", "multi-class"])
@pytest.mark.parametrize("classifier", [LinearSVM(), MultinomialNB()], ids=["linear", "other"])
def test_features_are_described_as_in_one_process(kind, classifier, vectors):
    y = TRAIN["topic"].to_numpy() == "price" if kind == "binary" else labels_of(kind)
    here = scores.score_training(classifier, vectors, y, folds=2, features=True).features
    got = distributed.score_training(classifier, vectors.tocoo(), y, folds=2, features=True)
    assert (got.features.documents != here.documents).nnz == 0
    np.testing.assert_array_equal(got.features.total_squares, here.total_squares)
    assert (here.weights is None) == isinstance(classifier, LinearSVM)
    np.testing.assert_array_equal(got.features.weights, here.weights)


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
    assert dask_training._folder_of(X) == tmp_path / "vectors"
    for documents in (X, open_vectors(tmp_path / "vectors"), str(tmp_path / "vectors")):
        there = distributed.score_training(LinearSVM(), documents, y, folds=3)
        assert same_scores(there, here, vectors)


def test_parts_and_transposes_of_mapped_vectors_travel_as_they_are(vectors, tmp_path):
    X = write_vectors([vectors], tmp_path / "vectors")
    wide = X.copy()
    wide.data, wide.indices, wide.indptr = X.data, X.indices, X.indptr
    wide.resize(X.shape[0], X.shape[1] + 1)
    for other in (X[:10], X.T, X.copy(), wide, vectors, vectors.toarray()):
        assert dask_training._folder_of(other) is None


def test_labels_for_other_documents_are_refused(vectors):
    with pytest.raises(ValueError, match="X has 90 documents but y has labels for 89"):
        distributed.score_training(LinearSVM(), vectors, labels_of("multi-class")[1:], folds=3)
