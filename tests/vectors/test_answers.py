import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from quantext.vectors.answers import Answers, Numbers, read_answers, read_column, read_proxy

NAN = float("nan")


@pytest.mark.parametrize(
    "column",
    [
        ["a", "b", None, "a"],
        ["a", "b", "", "a"],
        [" a", "b ", "  ", "a"],
        np.array(["a", "b", "", "a"]),
        np.array(["a", "b", None, "a"], dtype=object),
        np.array(["a", "b", NAN, "a"], dtype=object),
        pl.Series(["a", "b", None, "a"]),
        pl.Series(["a", "b", None, "a"], dtype=pl.Categorical),
        pd.Series(["a", "b", None, "a"]),
        pd.Series(["a", "b", pd.NA, "a"], dtype="string"),
        pd.Series(["a", "b", None, "a"], dtype="category"),
        iter(["a", "b", None, "a"]),
    ],
)
def test_labels_in_any_column_are_the_same(column):
    found = read_answers(column)
    assert found.names == ("a", "b", None)
    assert_array_equal(found.codes, [0, 1, 2, 0])
    assert found.n_missing == 1


@pytest.mark.parametrize(
    "column",
    [
        [1, 2, None, 1],
        [1.0, 2.0, NAN, 1.0],
        np.array([1.0, 2.0, NAN, 1.0]),
        [np.float32(1), np.float32(2), np.float32("nan"), np.float32(1)],
        pl.Series([1, 2, None, 1]),
        pl.Series([1.0, 2.0, NAN, 1.0]),
        pd.Series([1, 2, None, 1]),
        pd.Series([1, 2, pd.NA, 1], dtype="Int64"),
    ],
)
def test_whole_numbers_are_labels_with_or_without_missing_ones(column):
    for found in (read_answers(column), read_column(column)):
        assert isinstance(found, Answers)
        assert found.names == (1, 2, None)
        assert_array_equal(found.codes, [0, 1, 2, 0])


def test_truth_values_are_labels():
    assert read_answers(np.array([True, False, True])).names == (False, True)


def test_numbers_and_texts_together_are_texts():
    assert read_answers([1, "a", None]).names == ("1", "a", None)


def test_dates_are_texts_and_no_date_is_missing():
    found = read_answers(pd.Series(pd.to_datetime(["2024-05-01", None])))
    assert found.names[0].startswith("2024-05-01")
    assert found.n_missing == 1


def test_a_column_without_any_label_has_no_names():
    found = read_answers([None, None])
    assert found.names == (None,)
    assert found.n_missing == 2


def test_numbers_that_are_not_whole_are_scores():
    found = read_column([0.5, 1.0, None, -2.0])
    assert isinstance(found, Numbers)
    assert_allclose(found.values, [[0.5], [1], [NAN], [-2]])
    assert found.n_missing == 1


def test_many_whole_numbers_are_scores():
    assert isinstance(read_column(np.arange(50.0)), Answers)
    assert isinstance(read_column(np.arange(51.0)), Numbers)


def test_an_array_of_numbers_is_one_model_and_one_of_labels_several():
    [one] = read_proxy(np.array([[0.2, 0.8], [0.5, 0.5]]))
    assert one.values.shape == (2, 2)
    several = read_proxy(np.array([["a", "b"], ["b", "b"]]))
    assert [model.column for model in several] == ["column 0", "column 1"]


@pytest.mark.parametrize("make", [dict, pl.DataFrame, pd.DataFrame])
def test_a_table_is_several_models_called_like_its_columns(make):
    first, second = read_proxy(make({"llm": ["a", "b"], "score": [0.25, 0.5]}))
    assert (first.column, second.column) == ("llm", "score")
    assert first.names == ("a", "b")
    assert_allclose(second.values, [[0.25], [0.5]])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([[0.2, 0.8], [NAN, NAN]], True),
        ([[0.2, 0.7], [0.5, 0.5]], False),
        ([[0.2], [0.9]], True),
        ([[-0.2], [0.9]], False),
        ([[NAN], [NAN]], False),
    ],
)
def test_posteriors_lie_between_0_and_1_and_sum_to_1(values, expected):
    assert Numbers(np.array(values)).are_posteriors == expected


def test_rows_can_be_chosen():
    assert_array_equal(read_answers(["a", "b", "a"])[[0, 2]].codes, [0, 0])
    assert len(Numbers(np.eye(3))[:2]) == 2


def test_an_infinite_score_is_an_error_that_names_its_row():
    with pytest.raises(ValueError, match=r"score of row 1 .* infinite"):
        read_column([0.5, float("inf"), 0.1])
    with pytest.raises(ValueError, match="score of row 2"):
        read_proxy(np.array([[0.5, 1], [1, 2], [3, np.inf]]))


def test_several_labels_in_one_cell_are_an_error():
    with pytest.raises(ValueError, match=r"'says' hold a List.* give one label"):
        read_column([["a"], ["a", "b"]], "says")
