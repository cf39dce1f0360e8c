"""OHSUMED from records written by hand after the collection's description, with its oddities."""

import gzip
from datetime import date

import pytest

from quantext.datasets.ohsumed import PUBLISHED, SPLIT, read_ohsumed, subtree
from quantext.experiments.counts import describe
from quantext.experiments.splits import by_period

# Fields come in this order; qualifiers follow a stroke, a star marks the main ones; commas and full
# stops are within terms; the second record has no abstract and the third no term of the subtree.
OHSUMED_87 = """\
.I 1
.U
87000001
.S
Am J Testing 8703; 4(6):491-5
.M
Adult; Arrhythmia/*DT/ET; Heart Defects, Congenital/SU; Human; Support, U.S. Gov't, P.H.S..
.T
Beats that come too early.
.P
JOURNAL ARTICLE.
.W
We watched forty hearts. A ratio of 0.5 was found; it fell.
.A
Person A; Person B.
.I 2
.U
87000002
.S
Am J Testing 8703; 4(6):496-7
.M
Heart Diseases/*; Arrhythmia.
.T
A letter.
.P
LETTER.
.A
Person C.
.I 3
.U
87000003
.S
Am J Testing 8704; 4(7):1-2
.M
Human; Knee/SU.
.T
On knees.
.P
JOURNAL ARTICLE.
.W
Knees and the heart.
.A
Person D.
"""
OHSUMED_88 = """\
.I 54711
.U
88000001
.S
Am J Testing 8801; 5(1):1-9
.M
Tachycardia/*.
.T
Fast hearts.
.P
JOURNAL ARTICLE.
.W
They ran.
.A
Person E.
"""

# Arrhythmia stands in two places; Heart and Heartburn are outside the subtree.
TREE = """\
Body Regions;A01
Heart;A07.541
Heartburn;C23.888.821.236
Heart Diseases;C14.280
Arrhythmia;C14.280.067
Tachycardia;C14.280.067.845
Arrhythmia;C23.550.073
Heart Defects, Congenital;C14.280.400
Vascular Diseases;C14.2800
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "ohsumed.87").write_text(OHSUMED_87)
    (tmp_path / "ohsumed.88.gz").write_bytes(gzip.compress(OHSUMED_88.encode()))
    (tmp_path / "mtrees1992.bin").write_text(TREE)
    return tmp_path


def test_records_have_text_terms_of_the_subtree_and_year(folder):
    corpus = read_ohsumed(folder)
    assert corpus.texts.to_list() == [
        "Beats that come too early.\nWe watched forty hearts. A ratio of 0.5 was found; it fell.",
        "A letter.\n",
        "Fast hearts.\nThey ran.",
    ]
    assert corpus.labels.to_list() == [
        ["Arrhythmia", "Heart Defects, Congenital"],
        ["Heart Diseases", "Arrhythmia"],
        ["Tachycardia"],
    ]
    assert corpus.periods.to_list() == [date(1987, 1, 1), date(1987, 1, 1), date(1988, 1, 1)]
    assert corpus.notes == (
        "there are no records of 1989",
        "there are no records of 1990",
        "there are no records of 1991",
        "1 document without a term of Heart Diseases was left out",
    )
    assert corpus.dropped == 1


def test_the_first_year_trains(folder):
    corpus = read_ohsumed(folder)
    split = by_period(corpus, **SPLIT)
    assert split.train.tolist() == [0, 1]
    assert [bag.name for bag in split.bags] == ["1988-01-01"]
    assert set(describe(corpus, [split])).union({"features"}) == set(PUBLISHED)


def test_records_without_an_abstract_can_be_left_out(folder):
    corpus = read_ohsumed(folder, abstracts_only=True)
    assert len(corpus) == 2
    assert "1 document without an abstract was left out" in corpus.notes


def test_another_subtree_and_tree_can_be_asked_for(folder):
    (folder / "mtrees1992.bin").rename(folder / "tree.txt")
    corpus = read_ohsumed(folder, tree=folder / "tree.txt", root="Arrhythmia")
    assert corpus.classes == ("Arrhythmia", "Tachycardia")
    assert subtree(folder / "tree.txt", "Heart Diseases") == {
        *("Heart Diseases", "Arrhythmia", "Tachycardia", "Heart Defects, Congenital"),
    }


def test_a_file_of_several_years_takes_them_from_the_source(folder):
    (folder / "ohsumed.88.gz").unlink()
    later = OHSUMED_88.replace("8801", "9112").replace("88000001", "91000001")
    (folder / "ohsumed.88-91").write_text(OHSUMED_88 + later + later.replace(" 9112;", ""))
    corpus = read_ohsumed(folder)
    assert corpus.periods.to_list()[2:] == [date(1988, 1, 1), date(1991, 1, 1)]
    assert "1 document without a date was left out" in corpus.notes


def test_fields_may_be_empty_or_lack_and_lines_end_as_in_windows(folder):
    record = ".I 9\r\n.U\r\n87000009\r\n.M\r\nArrhythmia.\r\n.T\r\nTitle.\r\n.W\r\n.A\r\n"
    (folder / "ohsumed.89").write_bytes(record.encode())
    corpus = read_ohsumed(folder)
    assert corpus.texts[3] == "Title.\n"
    assert corpus.periods[3] == date(1989, 1, 1)


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (OHSUMED_88, "1 document with an id that was seen before was left out"),
        (
            OHSUMED_88.replace("88000001", "89000001").replace(".T\nFast hearts.\n", ""),
            "1 document without a title was left out",
        ),
    ],
    ids=["twice", "no title"],
)
def test_records_that_are_left_out_are_counted(folder, content, note):
    (folder / "ohsumed.89").write_text(content)
    corpus = read_ohsumed(folder)
    assert len(corpus) == 3
    assert corpus.dropped == 2
    assert note in corpus.notes


def test_a_file_whose_last_line_does_not_end_is_noted(folder):
    (folder / "ohsumed.89").write_text(OHSUMED_88.replace("88000001", "89000001")[:-20])
    corpus = read_ohsumed(folder)
    assert corpus.notes[0] == (
        "ohsumed.89 does not end with a line break: its last document may be cut off"
    )


def test_bytes_that_are_not_ascii_are_noted(folder):
    content = OHSUMED_88.replace("88000001", "89000001").replace("ran", "rann\xe9")
    (folder / "ohsumed.89").write_text(content, encoding="latin-1")
    corpus = read_ohsumed(folder)
    assert corpus.texts[3].endswith("They ranné.")
    assert corpus.notes[0].startswith("ohsumed.89 has bytes that are not ASCII (1)")


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        (
            "ohsumed.88.gz",
            gzip.compress(OHSUMED_88.encode(), mtime=0)[:-9],
            "ohsumed.88.gz cannot be read: ",
        ),
        ("ohsumed.87", OHSUMED_87.encode("utf-16"), "ohsumed.87 has no records that begin with .I"),
        ("ohsumed.87", b"", "ohsumed.87 is empty"),
        (
            "mtrees1992.bin",
            b"Heart Diseases C14.280\n",
            "line 1: 'Heart Diseases C14.280' is not a",
        ),
        (
            "mtrees1992.bin",
            b"Heart Disease;C14.280\n",
            "has no term 'Heart Diseases'; did you mean 'Heart Disease'?",
        ),
        ("mtrees1992.bin", b"Heart\xe9;C14.280\n", "line 1: byte 0xe9 at offset 5 is not utf-8"),
    ],
)
def test_a_damaged_file_is_named(folder, file, content, message):
    (folder / file).write_bytes(content)
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        read_ohsumed(folder)


def test_files_without_any_usable_record_are_an_error(folder):
    with pytest.raises(
        ValueError, match=r"no record of .* can be used: .*4 documents without a term"
    ):
        read_ohsumed(folder, root="Heartburn")


def test_a_wrong_path_says_what_is_missing_and_where_it_is_had_from(folder, tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"there is no .*x; expected files ohsumed.87 to .*Or"
    ):
        read_ohsumed(tmp_path / "x")
    (folder / "mtrees1992.bin").unlink()
    with pytest.raises(
        FileNotFoundError, match=r"has no MeSH tree file.*National Library of Medic"
    ):
        read_ohsumed(folder)
    with pytest.raises(FileNotFoundError, match=r"there is no .*tree.txt; expected MeSH tree file"):
        read_ohsumed(folder, tree=folder / "tree.txt")
