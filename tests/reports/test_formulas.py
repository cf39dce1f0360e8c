"""Cells that look like formulas: guarded in CSV, and read back as they were."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantext.reports.formulas import guarded_cells, guarded_names, unguarded
from quantext.reports.typeset import Table, to_csv

FORMULAS = ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\n=x", "'=1", "＝1", "-", "--a", '=""']
PLAIN = ["a=1", "'tis", "1", "", " =1", "(-1)", "–1", "é"]


@pytest.mark.parametrize("guarded", [guarded_names, guarded_cells])
def test_texts_that_begin_like_formulas_have_an_apostrophe_before_them(guarded):
    numbers = ["+1", "-1"] if guarded is guarded_cells else []
    table = guarded(pl.DataFrame({"=a": [*FORMULAS, *PLAIN, None]}))
    told = [text if text in numbers else f"'{text}" for text in FORMULAS]
    assert table.to_dict(as_series=False) == {"'=a": [*told, *PLAIN, None]}


@pytest.mark.parametrize("number", ["-1", "+1", "-0.5", "-1,5", "-1e-05", "+.5", "1e3"])
def test_numbers_in_a_file_of_texts_stay_numbers(number):
    assert guarded_cells(pl.DataFrame({"a": [number]}))["a"].to_list() == [number]


@pytest.mark.parametrize(
    "text", ["-1+1", "+1 star", "-1\n", "-", "+", "-x", "-1e", "--1", "-1.2.3"]
)
def test_what_only_begins_like_a_number_is_a_text(text):
    assert guarded_cells(pl.DataFrame({"a": [text]}))["a"].to_list() == [f"'{text}"]


def test_numbers_dates_and_empty_tables_are_left():
    table = pl.DataFrame({"a": [-1, 2], "b": [-0.5, None], "c": [True, False]})
    assert guarded_names(table).equals(table)
    assert guarded_names(pl.DataFrame({"-a": []}, schema={"-a": pl.String})).columns == ["'-a"]


@pytest.mark.parametrize("guarded", [guarded_names, guarded_cells])
@settings(max_examples=50)
@given(st.lists(st.text("'=+-@\t\r a1", max_size=6), min_size=1), st.text("'=@a", min_size=1))
def test_what_was_guarded_is_read_back_as_it_was(guarded, texts, name):
    table = pl.DataFrame({name: texts})
    assert unguarded(guarded(table)).equals(table)


def test_tables_of_a_run_are_guarded():
    frame = pl.DataFrame({"class": ["=1+1", "a"], "kld": [-0.5, 1.0], "bold": [["kld"], []]})
    assert to_csv(Table("small", "Small", "", frame)) == (
        'class,kld,bold\n\'=1+1,-0.5,kld\na,1.0,""\n'
    )
