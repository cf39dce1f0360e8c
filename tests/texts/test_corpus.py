"""Corpus and VectorCorpus."""

from datetime import date

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from quantext.texts.corpus import Corpus, VectorCorpus
from quantext.texts.reading import read_corpus


def make(**changes):
    fields = {
        "name": "c",
        "texts": pl.Series(["a", "b", "c"]),
        "labels": pl.Series(["x", "z", "x"]),
        "periods": pl.Series(["1", "1", "2"]),
    }
    return Corpus(**{**fields, **changes})


def test_single_labels_are_the_target():
    corpus = make()
    assert len(corpus) == 3
    assert not corpus.multilabel
    assert corpus.classes == ("x", "z")
    assert corpus.y.tolist() == ["x", "z", "x"]
    assert corpus.y.dtype.kind == "U"


def test_several_labels_are_an_indicator_in_the_order_of_the_classes():
    corpus = make(labels=pl.Series([["z", "x"], [], ["y"]]))
    assert corpus.multilabel
    assert corpus.classes == ("x", "y", "z")
    assert corpus.y.dtype == np.bool_
    assert corpus.y.tolist() == [[True, False, True], [False, False, False], [False, True, False]]


def test_a_corpus_in_which_no_document_has_a_label_has_no_columns():
    corpus = make(labels=pl.Series([[], [], []], dtype=pl.List(pl.String)))
    assert corpus.y.shape == (3, 0)


def test_classes_sort_as_numpy_sorts():
    names = ["b", "B", "é", "a", "Z", "10", "9"]
    corpus = Corpus("c", texts=pl.Series(names), labels=pl.Series(names))
    assert corpus.classes == tuple(np.unique(names).tolist())


def test_a_part_keeps_the_classes_of_the_whole():
    whole = make(labels=pl.Series([["z"], ["x"], ["y"]]))
    part = whole.select(whole.periods == "1")
    assert part.texts.to_list() == ["a", "b"]
    assert part.periods.to_list() == ["1", "1"]
    assert part.classes == ("x", "y", "z")
    assert part.y.tolist() == [[False, False, True], [True, False, False]]


def test_a_part_may_be_empty():
    assert make().select(np.zeros(3, dtype=bool)).y.tolist() == []


def test_a_mask_of_another_length_is_an_error():
    with pytest.raises(ValueError, match="the mask has 1 entries for 3 documents"):
        make().select([True])


def test_a_corpus_without_labels_has_no_target():
    corpus = make(labels=None)
    assert corpus.classes == ()
    with pytest.raises(ValueError, match="corpus 'c' has no labels"):
        _ = corpus.y


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"texts": ["a", "b", "c"]}, TypeError, "texts must be .* Series of String, not list"),
        ({"texts": pl.Series([1, 2, 3])}, TypeError, "texts must be .*, not Int64"),
        ({"labels": pl.Series([1, 2, 3])}, TypeError, "labels must be .*List.*, not Int64"),
        ({"periods": pl.Series([1, 2, 3])}, TypeError, "periods must be .*Date or String, not Int"),
        ({"labels": pl.Series(["x", "y"])}, ValueError, "labels has 2 entries for 3 documents"),
        ({"periods": pl.Series(["x", "y"])}, ValueError, "periods has 2 entries for 3 documents"),
        ({"texts": pl.Series(["a", None, "c"])}, ValueError, r"texts\[1\] is null"),
        ({"labels": pl.Series(["a", "b", None])}, ValueError, r"labels\[2\] is null"),
        ({"periods": pl.Series([None, "b", "c"])}, ValueError, r"periods\[0\] is null"),
        ({"labels": pl.Series([["a"], [None], []])}, ValueError, "null inside a list"),
    ],
)
def test_columns_that_do_not_fit_are_an_error(changes, error, message):
    with pytest.raises(error, match=message):
        make(**changes)


def test_the_indicator_of_single_labels_has_one_class_a_row():
    assert make().indicator.tolist() == [[True, False], [False, True], [True, False]]
    assert make(classes=("y",)).indicator.shape == (3, 3)


@pytest.mark.parametrize(
    "changes",
    [
        {"texts": pl.Series(["ab", "", "c"])},
        {"labels": pl.Series(["x", "z", "z"])},
        {"labels": pl.Series([["x"], ["z"], ["x"]])},
        {"labels": pl.Series([["x", "z"], [], ["x"]])},
        {"labels": None},
        {"periods": pl.Series(["1", "2", "2"])},
        {"periods": pl.Series([date(2019, 1, 1), date(2019, 1, 1), date(2019, 1, 2)])},
        {"periods": None},
    ],
)
def test_a_checksum_tells_corpora_apart(changes):
    assert make().checksum() == make(name="another").checksum()
    assert make(**changes).checksum() != make().checksum()


def test_a_checksum_does_not_depend_on_how_the_column_lies_in_memory():
    one = make(texts=pl.Series(["x"] * 70_000), labels=None, periods=None)
    two = make(texts=pl.concat([one.texts[:9], one.texts[9:]]), labels=None, periods=None)
    assert one.checksum() == two.checksum()


def vectors(**changes):
    fields = {
        "name": "v",
        "vectors": sparse.csr_matrix([[0.0, 0.5], [1.0, 0.0]]),
        "indicator": np.array([[True], [False]]),
        "classes": ("x",),
        "periods": pl.Series(["1", "2"]),
    }
    return VectorCorpus(**{**fields, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"vectors": sparse.csr_matrix([[0.0, 0.5], [2.0, 0.0]])},
        {"vectors": sparse.csr_matrix([[0.5, 0.0], [1.0, 0.0]])},
        {"indicator": np.array([[True], [True]])},
        {"classes": ("y",)},
        {"periods": pl.Series(["1", "1"])},
        {"periods": None},
    ],
)
def test_a_checksum_tells_vectors_apart(changes):
    assert len(vectors()) == 2
    assert vectors().checksum() == vectors(name="another").checksum()
    assert vectors(**changes).checksum() != vectors().checksum()


def test_vectors_and_labels_that_do_not_fit_are_an_error():
    with pytest.raises(ValueError, match=r"indicator is \(2, 1\) for 2 documents and 2 classes"):
        vectors(classes=("x", "y"))
    with pytest.raises(ValueError, match="periods has 1 entries for 2 documents"):
        vectors(periods=pl.Series(["1"]))


def test_columns_of_several_labels_have_their_names():
    several = make(labels=pl.Series([["b"], [], ["a", "b"]]))
    assert several.named_y.columns == ["a", "b"]
    assert several.named_y.rows() == [(False, True), (False, False), (True, True)]
    single = make()
    np.testing.assert_array_equal(single.named_y, single.y)


def test_labels_that_differ_in_a_nul_at_the_end_are_two_classes(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"t,l\nslow,a\ndear,a\0\nslow,a\n")
    corpus = read_corpus(path, text="t", label="l")
    assert corpus.classes == ("a", "a\0")
    assert corpus.y.tolist() == ["a", "a\0", "a"]


@pytest.mark.parametrize("form", [sparse.coo_array, sparse.csc_array, np.asarray])
def test_vectors_of_another_form_are_an_error_that_says_how_to_change_them(form):
    with pytest.raises(TypeError, match=r"the vectors are a \w+; give a CSR matrix"):
        vectors(vectors=form(np.eye(2)))
