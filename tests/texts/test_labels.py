"""Labels that are written in two ways, and columns that have too many to be labels."""

from collections import Counter

import polars as pl
import pytest

from quantext import read_corpus
from quantext.texts.labels import check_few, label_counts, merged_blocks, usual_spellings, variants


@pytest.mark.parametrize(
    "pair",
    [
        ("Negative", "negative"),
        ("not  sure", "not sure"),
        ("1", "1.0"),
        ("2.50", "2.5"),
        ("ＡＢＣ", "ABC"),
        ("café", "café"),
        ("Straße", "STRASSE"),
        ("Yes.", "yes"),
        ("other\u200b", "other"),
        ("a\u00a0b", "a b"),
    ],
)
def test_labels_that_look_alike_are_one(pair):
    assert variants(pair) == [pair]


@pytest.mark.parametrize(
    "pair",
    [
        ("A", "A+"),
        ("C", "C#"),
        ("007", "7"),
        ("1", "10"),
        ("1.5", "15"),
        ("👩\u200d💻", "👩💻"),
        (".", ","),
    ],
)
def test_labels_that_may_differ_stay_apart(pair):
    assert variants(pair) == []


def test_of_spellings_that_are_met_as_often_the_first_is_usual():
    assert usual_spellings({"no": 3, "No": 3, "NO": 2}) == {"No": "no", "NO": "no"}


def test_labels_of_estimates_are_called_like_classes():
    table = pl.DataFrame({"label": [["A", "a"], ["new"], None, ["A"]]})
    merged = Counter()
    [(n, found)] = merged_blocks([(4, table)], ["a", "b"], merged)
    assert found["label"].to_list() == [["a"], ["new"], None, ["a"]]
    assert (n, merged) == (4, {"A": 2})


def write(path, labels):
    rows = "".join(f"text {i},{label}\n" for i, label in enumerate(labels))
    path.write_text(f"t,l\n{rows}")
    return path


def test_a_corpus_tells_of_labels_that_look_alike_and_merges_them_if_asked(tmp_path):
    path = write(tmp_path / "a.csv", ["yes", "Yes ", "no", "Yes"])
    corpus = read_corpus(path, text="t", label="l")
    assert corpus.classes == ("Yes", "no", "yes")
    [note] = corpus.notes
    assert "'Yes' (2) and 'yes' (1). Each counts" in note
    assert "--merge-labels" in note
    merged = read_corpus(path, text="t", label="l", merge_labels=True)
    assert merged.classes == ("Yes", "no")
    assert merged.labels.to_list() == ["Yes", "Yes", "no", "Yes"]
    [note] = merged.notes
    assert note.endswith("were merged: 'yes' (1) into 'Yes' (2)")


def test_merged_labels_of_one_document_are_there_once(tmp_path):
    path = write(tmp_path / "a.csv", ["a|A", "b|a", "b"])
    corpus = read_corpus(path, text="t", label="l", separator="|", merge_labels=True)
    assert corpus.labels.to_list() == [["a"], ["b", "a"], ["b"]]


def test_merging_may_leave_one_class_which_is_an_error(tmp_path):
    path = write(tmp_path / "a.csv", ["a", "A", "a"])
    with pytest.raises(ValueError, match="one class, 'a'"):
        read_corpus(path, text="t", label="l", merge_labels=True)


def test_a_column_of_scores_is_refused_before_any_work(tmp_path):
    path = write(tmp_path / "a.csv", [i / 1000 for i in range(812)] + [0.5] * 188)
    said = "column 'l' has 812 different numbers in 1,000 rows, such as 0.0: is this the right"
    with pytest.raises(ValueError, match=said):
        read_corpus(path, text="t", label="l")


def numbered(n_labels, times, prefix=""):
    return pl.Series([f"{prefix}{i}" for i in range(1, n_labels + 1)] * times)


@pytest.mark.parametrize(
    "labels",
    [
        numbered(50, 1),
        numbered(436, 5),
        numbered(2_000, 2, "tag "),
        numbered(60, 2, "0"),  # 07 is a name, and a name may be met twice alone
        pl.Series([["a", f"tag {i}"] for i in range(300)] * 2),
    ],
    ids=["few", "codes", "tags", "names", "lists"],
)
def test_columns_of_labels_pass(labels):
    check_few(labels, "a.csv")


@pytest.mark.parametrize(
    "labels",
    [
        numbered(60, 4),
        numbered(1_001, 5),
        numbered(60, 1, "answer "),
        numbered(3_001, 2, "tag "),
        pl.Series([[f"tag {i}"] for i in range(100)]),
        pl.Series([[f"tag {i}" for i in range(10_001)]] * 2),
        pl.Series([f"{i}.5" for i in range(60)] * 100),
    ],
    ids=["rare codes", "numbers", "texts", "many", "rare tags", "many tags", "fractions"],
)
def test_columns_of_something_else_are_refused(labels):
    with pytest.raises(ValueError, match="is this the right column"):
        check_few(labels, "a.csv")


def test_labels_are_counted_in_the_order_in_which_they_are_met():
    assert list(label_counts(pl.Series(["b", None, "a", "b"])).items()) == [("b", 2), ("a", 1)]


def test_the_file_is_named_where_the_column_is_wrong(tmp_path):
    path = write(tmp_path / "a.csv", [f"the answer {i}" for i in range(60)])
    with pytest.raises(ValueError, match=r"a\.csv, column 'l' has 60 different labels in 60 rows"):
        read_corpus(path, text="t", label="l")
