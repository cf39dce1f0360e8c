"""Tallies: counts of a column that is read block by block."""

import random
from datetime import date

import polars as pl
import pytest

from quantext.texts.tallies import MOJIBAKE, Distinct, Places, Tally, Values


def tally(*blocks, is_text=False):
    counted = Tally("a", 1000, is_text)
    for block in blocks:
        counted.add(pl.Series("a", block))
    return counted


def test_distinct_values_are_counted_across_blocks():
    distinct = Distinct(10)
    distinct.add(pl.Series(["a", "b", "a"]))
    distinct.add(pl.Series(["b", "c"]))
    assert (distinct.estimate(5), distinct.exact) == (3, True)


def test_beyond_the_bound_distinct_values_are_estimated_from_a_part_of_them():
    distinct = Distinct(500)
    values = [f"value {i}" for i in range(4000)] * 2
    random.Random(0).shuffle(values)
    for start in range(0, 8000, 700):
        distinct.add(pl.Series(values[start : start + 700]))
    assert distinct.estimate(8000) == pytest.approx(4000, rel=0.1)
    assert not distinct.exact


def test_an_estimate_is_right_where_no_value_comes_twice():
    distinct = Distinct(100)
    distinct.add(pl.Series([str(i) for i in range(5000)]))
    assert (distinct.estimate(5000), distinct.exact) == (5000, False)


def test_values_are_counted_until_there_are_too_many():
    values = Values(3)
    values.add(pl.Series(["b", "a", "a"]))
    values.add(pl.Series(["b", "c", "a"]))
    assert values.table().rows() == [("a", 3), ("b", 2), ("c", 1)]
    values.add(pl.Series(["d"]))
    assert values.table() is None
    values.add(pl.Series(["d"]))  # and stay so
    assert values.table() is None


def test_of_the_rows_where_something_is_the_first_are_known():
    places = Places()
    places.add(pl.Series([False, True]), 0)
    places.add(pl.Series([True, True, True]), 2)
    assert (places.count, places.first) == (4, [2, 3, 4])


def test_blanks_are_not_filled_and_the_first_value_is_the_example():
    counted = tally([None, " ", "a b"], ["", "c"])
    assert (counted.rows, counted.filled, counted.example) == (5, 2, "a b")
    assert (counted.words, counted.characters) == (3, 4)


def test_numbers_may_have_a_decimal_comma_and_missing_ones_are_none():
    counted = tally(["1", "2,5", "-3", "nan", "x"])
    assert (counted.numbers, counted.halves, counted.low, counted.high) == (3, 3, -3, 2.5)


def test_dates_are_known_only_as_long_as_all_are():
    dates = tally(["2024-01-31", None], ["2023-05-01"])
    assert dates.days == {"iso": (date(2023, 5, 1), date(2024, 1, 31))}
    assert tally(["2024-01-31"], ["soon"]).days == {}


def test_a_later_block_decides_which_part_of_a_date_is_the_day():
    assert set(tally(["03/04/2015"]).days) == {"%d/%m/%Y", "%m/%d/%Y"}
    days = tally(["03/04/2015"], ["24/02/2015"]).days
    assert days == {"%d/%m/%Y": (date(2015, 2, 24), date(2015, 4, 3))}


def test_items_of_lists_are_counted_and_an_empty_list_is_no_blank():
    counted = tally([["x", "y"], [], None, ["x"]])
    assert (counted.filled, counted.several) == (3, 1)
    assert counted.values.table().rows() == [("x", 2), ("y", 1)]


def test_nested_columns_are_counted_and_left_alone():
    counted = Tally("a", 10, is_text=False)
    counted.add(pl.Series("a", [{"b": 1}, None]))
    assert (counted.nested, counted.filled, counted.rows) == (True, 1, 2)


def test_copies_are_found_but_for_case_and_blanks():
    counted = tally(["Too slow", "too  SLOW", "dear"], ["Too slow"])
    assert (counted.distinct.estimate(4), counted.plain_distinct.estimate(4)) == (3, 2)


def test_lengths_are_known_to_about_a_tenth():
    counted = tally(["x" * 100] * 9 + ["x" * 5000], is_text=True)
    assert counted.median_length() == pytest.approx(100, rel=0.1)
    assert (counted.longer_than(2000), counted.longest) == (1, (5000, 10))


@pytest.mark.parametrize("garbled", ["é", "’", "ü", "£", "€", "“", "œ", "\u00a0"])
def test_utf8_that_was_read_as_another_encoding_is_recognised(garbled):
    encoded = garbled.encode()
    for wrong in ("cp1252", "latin-1"):
        text = f"caf{encoded.decode(wrong, errors='ignore')} x"
        assert pl.Series([text]).str.contains(MOJIBAKE)[0], text


@pytest.mark.parametrize(
    "fine", ["São Paulo", "SÃO PAULO", "âge", "Ägypten", "Â l’Est", "ÅÄÖ", "Åsa"]
)
def test_ordinary_letters_are_not_taken_for_damage(fine):
    assert not pl.Series([fine]).str.contains(MOJIBAKE)[0]


def test_damage_and_texts_without_a_letter_are_found_with_their_rows():
    counted = tally(["a caf\ufffd", "fine"], ["cafÃ©", "..."], is_text=True)
    assert counted.replaced.first == [1]
    assert counted.garbled.first == [3]
    assert counted.wordless.first == [4]
