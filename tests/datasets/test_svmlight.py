"""Folders of svmlight files, written by hand after the format's description."""

import gzip

import numpy as np
import pytest

from quantext.datasets.vectors import SPLIT, read_vectors
from quantext.experiments.splits import by_period

WEEK_1 = "# the first week\n1,5 3:0.2 17:0.04 # a comment\n5 1:1\n\n"
WEEK_2 = " 3:0.5\n1 2:0.6 19:0.8\n"  # the first document has no label
WEEK_10 = "7\n"  # no features at all


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "weekly"
    path.mkdir()
    (path / "week10.txt").write_text(WEEK_10)
    (path / "week2.txt.gz").write_bytes(gzip.compress(WEEK_2.encode()))
    (path / "week1.txt").write_text(WEEK_1)
    (path / "README").write_text("not vectors")
    return path


def test_files_are_periods_in_the_order_of_their_numbers(folder):
    corpus = read_vectors(folder)
    assert corpus.name == "weekly"
    assert corpus.periods.to_list() == ["week1", "week1", "week2", "week2", "week10"]
    split = by_period(corpus, **SPLIT)
    assert split.train.tolist() == [0, 1]
    assert [(bag.name, bag.indices.tolist()) for bag in split.bags] == [
        ("week2", [2, 3]),
        ("week10", [4]),
    ]


def test_all_files_have_the_same_features_and_classes(folder):
    corpus = read_vectors(folder)
    assert corpus.vectors.shape == (5, 19)
    assert corpus.vectors.dtype == np.float32
    assert corpus.vectors.indices.dtype == np.int32
    # Features are numbered from 1 in the files and from 0 in the matrix.
    assert corpus.vectors[0].indices.tolist() == [2, 16]
    assert corpus.vectors[3].toarray().sum() == pytest.approx(1.4)
    assert corpus.classes == ("1", "5", "7")
    assert corpus.indicator.tolist() == [
        [True, True, False],
        [False, True, False],
        [False, False, False],
        [True, False, False],
        [False, False, True],
    ]
    assert corpus.notes == ()


def test_features_may_be_numbered_from_zero(folder):
    (folder / "week2.txt.gz").unlink()
    (folder / "week10.txt").write_text("5 0:1 4:0.5\n")
    corpus = read_vectors(folder, name="mine")
    assert corpus.name == "mine"
    assert corpus.vectors.shape == (3, 18)
    assert corpus.vectors[0].indices.tolist() == [3, 17]


def test_plus_and_minus_one_are_one_class(tmp_path):
    (tmp_path / "1").write_text("+1 1:1\n-1 2:1\n")
    (tmp_path / "2").write_text("-1 2:1\n")
    corpus = read_vectors(tmp_path)
    assert corpus.classes == ("1",)
    assert corpus.indicator.tolist() == [[True], [False], [False]]


def test_a_dot_in_a_name_does_not_end_it(tmp_path):
    for period in ("1996.9", "1996.10"):
        (tmp_path / f"{period}.svm").write_text("1 1:1\n")
    assert read_vectors(tmp_path).periods.to_list() == ["1996.9", "1996.10"]


def test_a_file_whose_last_line_does_not_end_is_noted(folder):
    (folder / "week10.txt").write_text("7 1:0.2")
    assert read_vectors(folder).notes == (
        "week10.txt does not end with a line break: its last document may be cut off",
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("week3.txt", b"1 3:", "week3.txt is not an svmlight file: "),
        ("week3.txt", b"text 3:1\n", "week3.txt is not an svmlight file: "),
        ("week3.txt", b"1 3:1 2:1\n", "should be sorted and unique"),
        ("week3.txt", WEEK_1.encode("utf-16"), "week3.txt is not an svmlight file: "),
        ("week3.txt", b"# nothing\n", "week3.txt has no documents"),
        ("week3.txt", b"", "week3.txt is empty"),
        ("week3.txt.gz", gzip.compress(b"1 3:1\n", mtime=0)[:-9], "week3.txt.gz cannot be read: "),
        ("week1.dat", b"1 3:1\n", "are the same period; remove one"),
    ],
)
def test_a_damaged_file_is_named(folder, name, content, message):
    (folder / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_vectors(folder)


def test_vectors_without_any_label_are_an_error(tmp_path):
    (tmp_path / "1").write_text(" 1:1\n")
    with pytest.raises(ValueError, match=r"no document in .* has a label"):
        read_vectors(tmp_path)


def test_a_wrong_path_says_what_is_missing_and_where_it_is_had_from(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(FileNotFoundError, match=r"files of vectors, one a period\. It is had"):
            read_vectors(path)
