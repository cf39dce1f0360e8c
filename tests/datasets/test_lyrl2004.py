"""RCV1-v2 from files written by hand after the distribution of Lewis et al. (2004)."""

import gzip
from datetime import date

import numpy as np
import pytest

from quantext.datasets.lyrl2004 import read_lyrl2004_tokens, read_lyrl2004_vectors
from quantext.experiments.splits import by_period

# Stems over several lines, a blank line after each story. The files have ids in any order.
TRAIN = (
    ".I 2286\n.W\nrecov recov excit\nmarket mexic\n\n"
    ".I 2287\n.W\nsport match\n\n"
)  # fmt: skip
TEST = ".I 26151\n.W\nmarket share\n\n"

# Two blanks after the id, features from 1, weights of many digits.
VECTORS_TRAIN = "2286  1:0.6 864:0.0497399253756197 47236:0.8\n2287  2:1\n"
VECTORS_TEST = "26151  864:0.5\n"

QRELS = "E11 2286 1\nECAT 2286 1\nGSPO 2287 1\nGCAT 2287 1\nM11 26151 1\nMCAT 26151 1\nM11 99 1\n"
DATES = "itemid,date\n2286,1996-08-20\n2287,1996-08-20\n26151,1996-08-27\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "lyrl2004_tokens_train.dat").write_text(TRAIN)
    (tmp_path / "lyrl2004_tokens_test_pt0.dat.gz").write_bytes(gzip.compress(TEST.encode()))
    (tmp_path / "lyrl2004_vectors_train.dat").write_text(VECTORS_TRAIN)
    (tmp_path / "lyrl2004_vectors_test_pt0.dat.gz").write_bytes(
        gzip.compress(VECTORS_TEST.encode())
    )
    (tmp_path / "rcv1-v2.topics.qrels").write_text(QRELS)
    (tmp_path / "dates.csv").write_text(DATES)
    return tmp_path


def test_stems_have_topics_and_days(folder):
    corpus = read_lyrl2004_tokens(folder, dates=folder / "dates.csv")
    rows = zip(corpus.texts, corpus.labels.to_list(), corpus.periods, strict=True)
    assert {text.replace("\n", " "): (topics, day) for text, topics, day in rows} == {
        "recov recov excit market mexic": (["E11", "ECAT"], date(1996, 8, 20)),
        "sport match": (["GCAT", "GSPO"], date(1996, 8, 20)),
        "market share": (["M11", "MCAT"], date(1996, 8, 27)),
    }
    assert corpus.notes == ()


def test_vectors_have_topics_and_days(folder):
    corpus = read_lyrl2004_vectors(folder, dates=folder / "dates.csv")
    assert corpus.vectors.shape == (3, 47_236)
    assert corpus.vectors.dtype == np.float32
    assert corpus.vectors.indices.dtype == np.int32
    assert corpus.classes == ("E11", "ECAT", "GCAT", "GSPO", "M11", "MCAT")
    at = corpus.indicator[:, 0].argmax()  # the story with E11
    assert corpus.vectors[at].indices.tolist() == [0, 863, 47_235]
    assert corpus.vectors[at].data == pytest.approx([0.6, 0.0497399253756197, 0.8])
    assert corpus.indicator[at].tolist() == [True, True, False, False, False, False]
    assert corpus.periods[int(at)] == date(1996, 8, 20)
    split = by_period(corpus, train_periods=1, by="week")
    assert len(split.train) == 2


@pytest.mark.parametrize("read", [read_lyrl2004_tokens, read_lyrl2004_vectors])
def test_without_a_table_of_dates_there_are_no_periods(folder, read):
    corpus = read(folder)
    assert len(corpus) == 3
    assert corpus.periods is None
    with pytest.raises(ValueError, match="has no documents with dates"):
        by_period(corpus, train_periods=1)


@pytest.mark.parametrize(
    "table",
    [DATES, "2286 19960820\n2287\t1996-08-20\n\n26151;1996-08-27", DATES + '"2286","1996-08-20"\n'],
)
def test_a_table_of_dates_may_be_written_in_several_ways(folder, table):
    (folder / "dates.csv").write_text(table)
    corpus = read_lyrl2004_tokens(folder, dates=folder / "dates.csv")
    assert sorted(corpus.periods) == [date(1996, 8, 20), date(1996, 8, 20), date(1996, 8, 27)]


@pytest.mark.parametrize(
    ("file", "old", "new", "note"),
    [
        ("rcv1-v2.topics.qrels", "GSPO 2287 1\nGCAT 2287 1\n", "", "without a topic code"),
        ("dates.csv", "2287,1996-08-20\n", "", "without a date"),
        ("dates.csv", "2287,1996-08-20\n", "2287,1996-08-32\n", "without a date"),
        ("lyrl2004_tokens_train.dat", "2287", "2286", "with an id that was seen before"),
        ("lyrl2004_vectors_train.dat", "2287", "2286", "with an id that was seen before"),
    ],
)
def test_stories_that_are_left_out_are_counted(folder, file, old, new, note):
    (folder / file).write_text((folder / file).read_text().replace(old, new))
    read = read_lyrl2004_vectors if "vectors" in file else read_lyrl2004_tokens
    corpus = read(folder, dates=folder / "dates.csv")
    assert len(corpus) == 2
    assert corpus.dropped == 1
    assert corpus.notes == (f"1 document {note} was left out",)


def test_topics_that_are_unknown_are_ignored_and_counted(folder):
    (folder / "rcv1-v2.topics.qrels").write_text(QRELS + "E99 2286 1\n")
    corpus = read_lyrl2004_tokens(folder)
    assert "E99" not in corpus.classes
    assert corpus.notes == ("topics that are not in RCV1-v2 were ignored: 'E99' (1×)",)


@pytest.mark.parametrize("kind", ["tokens", "vectors"])
def test_a_file_whose_last_line_does_not_end_is_noted(folder, kind):
    path = folder / f"lyrl2004_{kind}_train.dat"
    path.write_text(path.read_text().rstrip()[:-1] + "9")
    read = {"tokens": read_lyrl2004_tokens, "vectors": read_lyrl2004_vectors}[kind]
    [note] = read(folder).notes
    assert note == (
        f"lyrl2004_{kind}_train.dat does not end with a line break: "
        "its last document may be cut off"
    )


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("lyrl2004_tokens_train.dat", TRAIN.encode() + b".I 22", "record '22' is cut off"),
        ("lyrl2004_tokens_train.dat", b".I x\n.W\nstem\n", "record 'x' is cut off or damaged"),
        ("rcv1-v2.topics.qrels", b"E11 2286 1\n\xe9 1 1\n", "line 2: byte 0xe9 .* is not ascii"),
        ("lyrl2004_tokens_train.dat", b"", "is empty"),
        (
            "lyrl2004_tokens_test_pt0.dat.gz",
            gzip.compress(b"x" * 99, mtime=0)[:-9],
            "cannot be read: ",
        ),
        ("lyrl2004_vectors_train.dat", b"2286  1:0.5 86", "lyrl2004_vectors_train.dat cannot be"),
        ("lyrl2004_vectors_train.dat", b"2286  1:0.5 47237:1\n", "contains 47237 features"),
        ("rcv1-v2.topics.qrels", b"E11 2286 1\nE11 22\n", "line 2: 'E11 22' is not a topic, an id"),
        ("rcv1-v2.topics.qrels", b"E11 1 1\n", "no story of .* can be used: 3 documents without a"),
        ("dates.csv", DATES.encode() + b"26151\n", "line 5: '26151' is not an id and a date"),
        ("dates.csv", DATES.encode() + b"26151,1996-08-28\n", "has two dates for story 26151"),
    ],
)
def test_a_damaged_file_is_named(folder, file, content, message):
    (folder / file).write_bytes(content)
    read = read_lyrl2004_vectors if "vectors" in file else read_lyrl2004_tokens
    with pytest.raises(ValueError, match=message):
        read(folder, dates=folder / "dates.csv")


def test_stems_that_are_not_ascii_are_noted(folder):
    (folder / "lyrl2004_tokens_train.dat").write_bytes(
        TRAIN.replace("sport", "caf\xe9").encode("latin-1")
    )
    corpus = read_lyrl2004_tokens(folder)
    assert "café match" in corpus.texts.to_list()
    assert corpus.notes == (
        "lyrl2004_tokens_train.dat has bytes that are not ASCII (1); they were read as latin-1",
    )


def test_stems_in_another_encoding_are_an_error(folder):
    (folder / "lyrl2004_tokens_test_pt0.dat.gz").unlink()
    (folder / "lyrl2004_tokens_train.dat").write_bytes(TRAIN.encode("utf-16"))
    with pytest.raises(ValueError, match="have no stories; get a whole copy"):
        read_lyrl2004_tokens(folder)


def test_a_wrong_path_says_what_is_missing_and_where_it_is_had_from(folder, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no .*x; expected file lyrl2004_tokens_"):
        read_lyrl2004_tokens(tmp_path / "x")
    with pytest.raises(FileNotFoundError, match=r"there is no file .*when.csv"):
        read_lyrl2004_tokens(folder, dates=folder / "when.csv")
    (folder / "rcv1-v2.topics.qrels").unlink()
    with pytest.raises(FileNotFoundError, match=r"no file rcv1-v2.topics.qrels; .* David D. Lewis"):
        read_lyrl2004_vectors(folder)
