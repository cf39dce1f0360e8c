"""Answers of models as one text for each document, and back."""

import polars as pl
import pytest

from quantext.texts.answers import count_models, join_answers, split_answers


def test_what_is_joined_comes_back():
    said = [
        pl.Series(["spam", None, " ham "]),
        pl.Series([True, False, None]),
        pl.Series([["a", "b"], [], None]),
        pl.Series([2.0, float("nan"), 0.125]),
    ]
    joined = join_answers(said)
    assert count_models(joined) == 4
    assert [own.to_list() for own in split_answers(joined, 4)] == [
        [["spam"], [], ["ham"]],
        [["true"], ["false"], []],
        [["a", "b"], [], []],
        [["2"], [], ["0.125"]],
    ]


def test_a_separator_divides_texts_and_nothing_else():
    joined = join_answers([pl.Series(["a.b", "b."]), pl.Series([0.5, 1.5])], ".")
    labels, numbers = split_answers(joined, 2)
    assert labels.to_list() == [["a", "b"], ["b"]]
    assert numbers.to_list() == [["0.5"], ["1.5"]]


def test_tables_in_a_table_are_no_answers():
    with pytest.raises(ValueError, match=r"column 'a' holds Struct.*; give labels or numbers"):
        join_answers([pl.Series("a", [{"b": 1}])])
    with pytest.raises(ValueError, match=r"column 'a' holds List.*; give labels or numbers"):
        join_answers([pl.Series("a", [[{"b": 1}]])])


def test_a_whole_number_is_the_same_label_with_and_without_a_fraction():
    [labels] = split_answers(join_answers([pl.Series(["1.0", "1", "v1.0", "10.05", "-3.0"])]), 1)
    assert labels.explode().to_list() == ["1", "1", "v1.0", "10.05", "-3"]
