"""A model and documents to estimate on Dask, and in memory."""

import os
import re
import traceback
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import polars as pl
import pytest

from quantext.models import distributed, estimates
from quantext.models.methods import method
from quantext.models.textquantifier import TextQuantifier
from quantext.texts.columns import Columns, make_documents
from tests.support.survey import survey

TRAIN = survey([40, 30, 20], seed=1)
# Three columns that a reader must get right: a text that is missing, a label that is, a label that
# is new.
NEW = survey([30, 60, 110], seed=2).with_columns(
    answer=pl.when(pl.int_range(pl.len()) == 5).then(None).otherwise("answer"),
    topic=pl.when(pl.int_range(pl.len()) == 7).then(pl.lit("weight")).otherwise("topic"),
)
TEXTS = NEW["answer"].drop_nulls().to_list()
TOPICS = np.unique(TRAIN["topic"])


def fit_model():
    return TextQuantifier(method("MS", folds=5)).fit(TRAIN["answer"], TRAIN["topic"])


def write_files(folder):
    """Pattern of three files on a disk that all workers see."""
    for i, rows in enumerate((NEW[:50], NEW[50:60], NEW[60:])):
        rows.write_parquet(folder / f"part-{i}.parquet")
    return str(folder / "part-*.parquet")


def frame(n_partitions=4):
    return dd.from_pandas(NEW.to_pandas(), npartitions=n_partitions)


def same(a, b):
    """Whether all that is estimated is equal, to the bit."""
    assert a.table.equals(b.table)
    for name in (
        "known_share",
        "n_rows",
        "n_documents",
        "n_unlabelled",
        "unseen",
        "verdicts",
        "changes",
    ):
        assert getattr(a, name) == getattr(b, name), name
    return True


def local(model, **columns):
    table = make_documents(NEW, Path("new"), Columns("answer", **columns), unlabelled=True)
    return estimates.estimate(model, [(len(NEW), table)], level=None)


def fails(kind, words, model, texts, **options):
    """Check that it fails in these words, and that the traceback does not lead through Dask."""
    with pytest.raises(kind, match=re.escape(words)) as caught:
        distributed.estimate(model, texts, level=None, **options)
    modules = [entry.filename for entry in traceback.extract_tb(caught.value.__traceback__)]
    assert not [file for file in modules if f"{os.sep}dask{os.sep}" in file]
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


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
