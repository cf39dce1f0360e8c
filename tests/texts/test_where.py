"""Only a part of the rows."""

import math
import re
from datetime import date, datetime

import numpy as np
import polars as pl
import pytest

from quantext import read_corpus
from quantext.texts.where import Part, read_where, where_of


def rows(column, *options):
    """Which rows are meant."""
    part = Part(read_where(options))
    meant = part.mask(pl.DataFrame({"a": column}))
    part.check("a.csv")
    return meant.arg_true().to_list()


@pytest.mark.parametrize(
    ("column", "option", "meant"),
    [
        (["x", " y ", None, " "], "a=y", [1]),
        (["x", " y ", None, " "], "a=", [2, 3]),
        (["x", " y ", None, " "], "a!=y", [0, 2, 3]),
        (["x", " y ", None, " "], "a!=", [0, 1]),
        (["k=v", "k"], "a=k=v", [0]),
        ([1.0, 5.0, None, float("nan")], "a=5", [1]),
        ([1.0, 5.0, None, float("nan")], "a=", [2, 3]),
        ([1, 5], "a=5.0", [1]),
        (["1", "5", "5.00", "05", "5.01"], "a=5.0", [1, 2]),
        ([True, False], "a=True", [0]),
        ([["x", "y"], [], None, ["y"]], "a=y", [0, 3]),
        ([["x", "y"], [], None, ["y"]], "a=", [1, 2]),
        ([date(2024, 1, 31), None], "a=2024-01-31", [0]),
        ([datetime(2024, 1, 31, 12)], "a=2024-01-31", [0]),
    ],
)
def test_a_condition_means_rows(column, option, meant):
    assert rows(column, option) == meant


def test_values_of_one_column_are_any_and_columns_all():
    assert rows(["x", "y", "z"], "a=x", "a=z") == [0, 2]
    assert rows(["x", "y", "z"], "a!=x", "a!=z") == [1]
    part = Part(read_where(["a=x", "b!=2"]))
    assert part.mask(pl.DataFrame({"a": ["x", "x", "y"], "b": [1, 2, 1]})).to_list() == [
        True,
        False,
        False,
    ]
    assert part.note == "1 of 3 rows are where 'a' is 'x' and 'b' is not '2'"


@pytest.mark.parametrize(
    ("column", "options", "said"),
    [
        (["Negative", "good"], ["a=negative"], "is never 'negative'; did you mean 'Negative'?"),
        (["united", "delta"], ["a=untied"], "is never 'untied'; did you mean 'united'?"),
        (["x", "y"], ["a=much"], "is never 'much' but 'x' or 'y'"),
        (["x", "y"], ["a="], "is never blank; leave out --where a="),
        ([None, None], ["a=x"], "is never 'x'; all its cells are blank"),
        (["x", "y"], ["a=x", "a!=x"], "none of the 2 rows is one where 'a' is 'x' and 'a' is not"),
        ([{"b": 1}], ["a=x"], "holds Struct"),
        (["x"], ["a"], "write column=value"),
        (["x"], ["=x"], "write column=value"),
    ],
)
def test_a_part_that_cannot_be_is_a_sentence(column, options, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        rows(column, *options)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("a!=De", "; column 'a' is never 'De'; did you mean 'de'?"),
        ("a!=", "; column 'a' is never blank"),
        ("a!=de", ""),
    ],
)
def test_a_value_to_leave_out_need_not_occur_and_is_noted(option, said):
    part = Part(read_where([option]))
    kept = part.mask(pl.DataFrame({"a": ["de", "en"]})).sum()
    part.check("a.csv")
    assert part.note == f"{kept} of 2 rows are where {part.where}{said}"


def test_a_value_to_leave_out_is_not_one_that_was_met():
    with pytest.raises(ValueError, match="column 'a' is never 'x'"):
        rows(["y", "z"], "a!=x", "a=x")


def test_a_value_may_come_in_any_block():
    part = Part(read_where(["a=x"]))
    for value in ("y", "x"):
        part.mask(pl.DataFrame({"a": [value]}))
    part.check("a.csv")
    assert (part.n_rows, part.n_kept) == (2, 1)


def test_python_says_the_same_by_a_mapping():
    assert where_of({"a": ["x", None], "b": 2}) == read_where(["a=x", "a=", "b=2"])
    numbers = {"a": [1.0, np.float32(2), 2.5, math.nan, np.nan, "3.0"]}
    assert where_of(numbers) == read_where(["a=1", "a=2", "a=2.5", "a=", "a=3.0"])
    with pytest.raises(ValueError, match="where names no value for column 'a'"):
        where_of({"a": []})
    with pytest.raises(TypeError, match="where is a str"):
        where_of("a=x")


def test_rows_that_are_not_meant_are_counted_apart_and_rows_keep_their_numbers(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("t,l,m,d\nx,a,1,2024-01-01\ny,b,1,2024-01-01\nz,c,2,\n,a,1,2024-01-01\n")
    corpus = read_corpus(path, text="t", label="l", where={"m": 1})
    assert corpus.texts.to_list() == ["x", "y"]
    assert corpus.notes[0] == "3 of 4 rows are where 'm' is '1'"
    assert corpus.notes[1].startswith("1 of 3 rows were left out")
    path.write_text("t,l,m,d\nx,a,2,\ny,b,1,2024-01-01\nz,c,1,soon\n")
    with pytest.raises(ValueError, match="column 'd', row 3: 'soon' is not a date"):
        read_corpus(path, text="t", label="l", date="d", where={"m": 1})
