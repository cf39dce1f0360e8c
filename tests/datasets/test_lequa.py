"""Folders of LeQua, written by hand after the organisers' descriptions of the format."""

import gzip

import numpy as np
import polars as pl
import pytest

from quantext.datasets.lequa import read_lequa2022, read_lequa2024
from quantext.texts.corpus import Corpus, VectorCorpus

# Features are numbers from 0; here there are three of them, and bags of different sizes.
VECTORS = {
    "training_data.txt": "label,0,1,2\n1,0.5,-1.25,3e-1\n0,0.0,2,1\n1,1,1,1\n0,4,5,6\n",
    "label_map.txt": "negative 0\npositive 1\n",
    "dev_prevalences.txt": "id,0,1\n0,0.5,0.5\n",
    "dev_samples/0.txt": "0,1,2\n7,8,9\n9,8,7\n",
    "test_prevalences.txt": "id,0,1\n0,0.75,0.25\n1,1.0,0.0\n10,0.3333,0.6664\n",
    "test_samples/0.txt": "0,1,2\n0.1,0.2,0.3\n1,2,3\n4,5,6\n-7,8,9\n",
    "test_samples/1.txt": "0,1,2\r\n1,0,0\r\n0,1,0\r\n\r\n",  # CRLF, and a blank line at the end
    "test_samples/10.txt": "0,1,2\n2,2,2\n3,3,3\n4,4,4",  # no line break at the end
    "dummy_test_predictions.txt": "id,0,1\n0,1,0\n",
}
TEXTS = {
    # A text has commas, quotes that are doubled, and line breaks.
    "training_data.txt": (
        'label,text\n0,"Dear, and ""slow"".\nNever again."\n2,fine\n1,"so, so"\r\n0,no\n'
    ),
    "test_prevalences.txt": "id,0,1,2\n0,0.5,0.5,0.0\n1,0,0,1\n",
    "test_samples/0.txt": 'text\n"good\n\nbut ""dear"""\nbad\n',
    "test_samples/1.txt": 'text\n""\n',  # pandas writes an empty text so
}


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
    return folder


@pytest.fixture
def task(tmp_path):
    return write(tmp_path / "T1A" / "public", VECTORS)


def test_vectors_come_with_labels_in_training_and_with_shares_in_bags(task):
    corpus = read_lequa2022(task)
    assert isinstance(corpus, VectorCorpus)
    assert corpus.name == "LeQua 2022 T1A"
    assert corpus.classes == ("negative", "positive")
    assert not corpus.multilabel
    assert corpus.bags.to_list() == [*4 * [None], *4 * ["0"], *2 * ["1"], *3 * ["10"]]
    np.testing.assert_array_equal(
        corpus.vectors.toarray(),
        np.float32(
            [[0.5, -1.25, 0.3], [0, 2, 1], [1, 1, 1], [4, 5, 6],
             [0.1, 0.2, 0.3], [1, 2, 3], [4, 5, 6], [-7, 8, 9],
             [1, 0, 0], [0, 1, 0], [2, 2, 2], [3, 3, 3], [4, 4, 4]]
        ),
    )  # fmt: skip
    assert corpus.indicator[:4].tolist() == [[0, 1], [1, 0], [0, 1], [1, 0]]
    assert not corpus.indicator[4:].any()
    assert corpus.shares["bag"].to_list() == ["0", "1", "10"]
    assert corpus.shares["positive"].to_list()[:2] == [0.25, 0.0]


def test_vectors_are_kept_in_numbers_of_32_bits(task):
    vectors = read_lequa2022(task).vectors
    assert (vectors.dtype, vectors.indices.dtype, vectors.indptr.dtype) == (
        np.float32,
        np.int32,
        np.int32,
    )
    assert vectors.has_sorted_indices
    assert len(vectors.data) == vectors.indptr[-1] == 13 * 3  # no room is left over


def test_shares_that_were_rounded_sum_to_one(task):
    shares = read_lequa2022(task).shares
    assert shares.row(2)[1:] == pytest.approx((0.3333 / 0.9997, 0.6664 / 0.9997))
    assert sum(shares.row(2)[1:]) == pytest.approx(1, abs=1e-12)


def test_the_bags_to_develop_on_are_a_part_of_their_own(task):
    corpus = read_lequa2022(task, part="dev")
    assert corpus.bags.to_list() == [*4 * [None], "0", "0"]
    assert corpus.shares.rows() == [("0", 0.5, 0.5)]
    assert corpus.vectors[5].toarray().tolist() == [[9, 8, 7]]


def test_only_the_first_bags_are_read_if_so_wanted(task):
    corpus = read_lequa2022(task, bags=2)
    assert corpus.bags.drop_nulls().unique(maintain_order=True).to_list() == ["0", "1"]
    assert corpus.shares.height == 2
    with pytest.raises(ValueError, match="bags is 0; read at least 1"):
        read_lequa2022(task, bags=0)


def test_texts_may_have_quotes_commas_and_line_breaks(tmp_path):
    corpus = read_lequa2022(write(tmp_path / "T2B" / "public", TEXTS))
    assert isinstance(corpus, Corpus)
    assert corpus.name == "LeQua 2022 T2B"
    assert corpus.texts.to_list() == [
        'Dear, and "slow".\nNever again.', "fine", "so, so", "no",
        'good\n\nbut "dear"', "bad", "",
    ]  # fmt: skip
    assert corpus.labels.to_list() == ["0", "2", "1", "0", None, None, None]
    assert corpus.bags.to_list() == [*4 * [None], "0", "0", "1"]
    assert corpus.classes == ("0", "1", "2")
    assert corpus.shares.rows() == [("0", 0.5, 0.5, 0.0), ("1", 0.0, 0.0, 1.0)]


def test_shares_follow_the_names_of_the_classes_and_not_their_order(tmp_path):
    files = {**TEXTS, "label_map.txt": "toys 0\nbooks 1\nmusic 2\n"}
    corpus = read_lequa2022(write(tmp_path / "T2B", files))
    assert corpus.classes == ("books", "music", "toys")
    assert corpus.labels.to_list()[:4] == ["toys", "music", "books", "toys"]
    assert corpus.shares.row(0, named=True) == {"bag": "0", "toys": 0.5, "books": 0.5, "music": 0}


def test_the_ordinal_task_trains_on_bags_with_labels_and_keeps_the_numbers_of_its_classes(tmp_path):
    zeros = ",0.0" * 4
    folder = write(
        tmp_path / "T3" / "public",
        {
            "training_samples/0.txt": "label,0,1\n4,1,2\n0,3,4\n",
            "training_samples/1.txt": "label,0,1\n2,5,6\n",
            "training_prevalences.txt": f"id,0,1,2,3,4\n0,.5,0,0,0,.5\n1{zeros},1\n",
            "label_map.txt": "one 0\ntwo 1\nthree 2\nfour 3\nfive 4\n",
            "test_samples/0.txt": "0,1\n7,8\n",
            "test_prevalences.txt": f"id,0,1,2,3,4\n0{zeros},1.0\n",
        },
    )
    corpus = read_lequa2024(folder)
    assert corpus.name == "LeQua 2024 T3"
    assert corpus.classes == ("0", "1", "2", "3", "4")
    assert corpus.indicator[:3].argmax(axis=1).tolist() == [4, 0, 2]
    assert corpus.vectors.toarray().tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]
    assert corpus.bags.to_list() == [None, None, None, "0"]


def test_the_folder_above_will_do_and_so_will_the_one_below(task):
    for place in (task, task.parent, task.parent.parent):
        assert read_lequa2022(place).name == "LeQua 2022 T1A"


def test_archives_may_be_unpacked_side_by_side(tmp_path):
    for archive, start in (
        ("T1A.train_dev", ("training", "label", "dev_")),
        ("T1A.test", ("test_samples",)),
        ("T1A.test_prevalences", ("test_prevalences",)),
    ):
        files = {name: text for name, text in VECTORS.items() if name.startswith(start)}
        write(tmp_path / archive / "T1A" / "public", files)
    assert len(read_lequa2022(tmp_path)) == 13


def test_files_may_be_gzipped(task):
    for name in ("training_data.txt", "test_samples/0.txt", "test_prevalences.txt"):
        (task / f"{name}.gz").write_bytes(gzip.compress((task / name).read_bytes()))
        (task / name).unlink()
    assert len(read_lequa2022(task)) == 13


def test_of_several_tasks_one_must_be_named(tmp_path):
    write(tmp_path / "T1A" / "public", VECTORS)
    write(tmp_path / "T2B" / "public", TEXTS)
    with pytest.raises(ValueError, match=r"has the tasks T1A and T2B; name one as task"):
        read_lequa2022(tmp_path)
    assert read_lequa2022(tmp_path, task="T2B").name == "LeQua 2022 T2B"
    with pytest.raises(ValueError, match="has no task T1B, but T1A and T2B"):
        read_lequa2022(tmp_path, task="T1B")
    with pytest.raises(ValueError, match="task 'T1' is unknown; choose one of T1A, T1B, T2A, T2B"):
        read_lequa2022(tmp_path, task="T1")
    with pytest.raises(ValueError, match="part 'train' is unknown; choose test or dev"):
        read_lequa2022(tmp_path, task="T1A", part="train")


def test_a_folder_whose_name_tells_no_task_is_the_one_that_it_is_said_to_be(tmp_path):
    folder = write(tmp_path / "mine", VECTORS)
    assert read_lequa2022(folder).name == "LeQua 2022"
    assert read_lequa2022(folder, task="T1A").name == "LeQua 2022 T1A"


def test_a_folder_of_training_bags_must_have_some(task):
    (task / "training_data.txt").unlink()
    (task / "training_samples").mkdir()
    with pytest.raises(FileNotFoundError, match="training_samples has no files of training docum"):
        read_lequa2022(task)


@pytest.mark.parametrize("name", ["training_data.txt", "test_prevalences.txt"])
def test_what_is_not_there_is_named(task, name):
    (task / name).unlink()
    name = name.replace("data.txt", "samples")
    with pytest.raises(FileNotFoundError, match=rf"has no T1A/public/{name}; .* had from Zenodo"):
        read_lequa2022(task)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("test_prevalences.txt", "0,1\n", r"line 1: the columns are 0 and 1; expected id,0,1"),
        ("test_prevalences.txt", "id,0,1\n", "test_prevalences.txt has no bags"),
        ("test_prevalences.txt", "id,0,1\n0,.5,.6\n", "line 2: .* bag 0 .* sum to 1, not 1.1"),
        ("test_prevalences.txt", "id,0,1\n0,1,0\n1,nan,1\n", "line 3: the shares of bag 1 are nan"),
        ("test_prevalences.txt", "id,0,1\n0,1.5,-.5\n", "line 2: the shares of bag 0 are 1.5 and"),
        ("test_prevalences.txt", "id,0,1\n0,1\n", "line 2: 2 columns, but the header has 3"),
        ("test_prevalences.txt", "id,0,1\n0,1,0\n0,1,0\n", "line 3: bag 0 is there twice"),
        ("test_samples/2.txt", "0,1,2\n1,2,3\n", r"2.txt is a bag of which .* says nothing"),
        ("test_samples/0.txt", "0,1,2\n1,2,3\n1,2\n", r"0.txt, line 3: 2 columns, but .* has 3"),
        ("test_samples/0.txt", "0,1,2\n1,2,3,4\n", r"0.txt, line 2: 4 columns, but .* has 3"),
        ("test_samples/0.txt", "0,1,2\n1,2,3\n1,,3\n", "0.txt, line 3: column 1 is '', which"),
        ("test_samples/0.txt", "0,1,2\n1,2,x\n", "0.txt, line 2: column 2 is 'x', which is"),
        ("test_samples/0.txt", "0,1,2\n1,nan,2\n", "0.txt, line 2: column 1 is 'nan', which"),
        ("test_samples/0.txt", "0,1,2\n1,9e99,2\n", "0.txt, line 2: column 1 is '9e99', which"),
        ("test_samples/0.txt", "0,1,2\n1,2,3\n\n1,2,3\n", "0.txt, line 3: 1 column, but"),
        ("test_samples/0.txt", "0,1\n1,2\n", "line 1: the columns are 0 and 1; expected 0, 1"),
        ("test_samples/0.txt", "0,1,2\n", "0.txt has no documents"),
        ("test_samples/0.txt", "", "0.txt is empty"),
        ("training_data.txt", "label,0,1,2\n2,1,1,1\n", "line 2: label '2' is unknown; .* 0 to 1"),
        ("training_data.txt", "label,0,1,2\n0.5,1,1,1\n", "line 2: label '0.5' is unknown"),
        ("training_data.txt", "0,1,2\n1,1,1\n", "line 1: the columns are 0, 1 and 2; expected lab"),
        ("label_map.txt", "negative 0\n", "label_map.txt has 1 names, not one for each of 0 to 1"),
        ("label_map.txt", "good 0\ngood 1\n", "label_map.txt, line 2: 'good 1' is not a name and"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_file_and_line(task, name, content, message):
    (task / name).write_text(content)
    with pytest.raises(ValueError, match=message):
        read_lequa2022(task)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("test_samples/0.txt", "text\na,b\n", "0.txt, line 2: 2 columns, but the header has 1"),
        ("test_samples/0.txt", 'text\nfine\n"open\n', "0.txt, line 3: unexpected end of data"),
        ("test_samples/0.txt", "text\n", "0.txt has no documents"),
        ("test_samples/0.txt", "label,text\n0,a\n", "line 1: the columns are label and text; exp"),
        ("training_data.txt", 'label,text\n0,"a\nb"\n7,c\n', "line 4: label '7' is unknown"),
    ],
)
def test_what_is_wrong_with_texts_is_named_too(tmp_path, name, content, message):
    folder = write(tmp_path / "T2B", TEXTS | {name: content})
    with pytest.raises(ValueError, match=message):
        read_lequa2022(folder)


def test_a_bag_that_is_not_there_is_named_with_the_line_that_has_it(task):
    (task / "test_samples" / "1.txt").unlink()
    with pytest.raises(FileNotFoundError, match=r"test_prevalences.txt, line 3: .*1\.txt; get a"):
        read_lequa2022(task)


def test_two_files_for_the_same_thing_are_not_chosen_from(task, tmp_path):
    (task / "test_samples" / "0.txt.gz").write_bytes(gzip.compress(b"0,1,2\n1,2,3\n"))
    with pytest.raises(ValueError, match=r"are the same bag; remove one"):
        read_lequa2022(task)
    (task / "test_samples" / "0.txt.gz").unlink()
    write(tmp_path / "copy" / "T1A", {"training_data.txt": VECTORS["training_data.txt"]})
    with pytest.raises(ValueError, match=r"are the same; remove or name one"):
        read_lequa2022(tmp_path)


def test_the_labels_of_texts_can_be_told_from_none(tmp_path):
    corpus = read_lequa2022(write(tmp_path / "T2B", TEXTS))
    known = corpus.select(corpus.bags.is_null())
    assert known.y.tolist() == ["0", "2", "1", "0"]
    assert corpus.labels.dtype == pl.String
