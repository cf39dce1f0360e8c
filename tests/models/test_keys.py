"""Bags of several columns: their order, their names, and days that are put together."""

from datetime import date

import polars as pl
import pytest

from quantext import ClassifyAndCount, LinearSVM, TextQuantifier
from quantext.models.bags import summarise
from quantext.models.estimates import aggregate, estimate, merge_days
from quantext.models.keys import by_name, ordered_keys

A, B = "battery", "screen"
NEW = pl.DataFrame(
    {
        "text": [A, A, B, B, A],
        "day": [date(2024, 5, d) for d in (1, 9, 2, 8, 1)],
        "class": ["store 10", "store 9", "store 9", "store 9", "store 10"],
    }
).select("text", period=pl.struct("day", "class"))


@pytest.fixture(scope="module")
def model():
    texts = ["great battery", "battery lasts", "screen broke", "broken screen"]
    return TextQuantifier(ClassifyAndCount(LinearSVM())).fit(texts, [A, A, B, B])


def test_weeks_of_each_group_are_counted_from_the_first_day_of_all(model):
    table = estimate(model, [(5, NEW)], level=None).table
    assert table.filter(pl.col("class") == A).select("batch", "share", "size").rows() == [
        ("2024-05-01 · store 9", 0.0, 1),
        ("2024-05-01 · store 10", 1.0, 2),
        ("2024-05-08 · store 9", 0.5, 2),
    ]


def test_the_table_has_a_column_for_each_after_the_name(model):
    found = estimate(model, [(5, NEW)], level=None, period="year")
    # One of the columns is called like one of the table's own.
    assert found.table.columns[:4] == ["batch", "day", "class (by)", "class"]
    assert found.table["day"].unique().to_list() == [date(2024, 1, 1)]
    assert found.keys == {
        "day": [date(2024, 1, 1)] * 2,
        "class": ["store 9", "store 10"],
    }
    assert list(found.verdicts) == ["2024-01-01 · store 9", "2024-01-01 · store 10"]


def test_parts_with_keys_add_up(model):
    parts = [summarise(model, [(1, NEW[i : i + 1])]) for i in range(5)]
    whole = summarise(model, [(5, NEW)])
    added = sum(parts[1:], parts[0])
    assert added.columns == whole.columns == ("day", "class")
    tables = (aggregate(model, own, level=None).table for own in (added, whole))
    assert next(tables).equals(next(tables))


def test_one_column_alone_has_no_keys(model):
    days = NEW.with_columns(period=pl.col("period").struct.field("day"))
    found = estimate(model, [(5, days)], level=None)
    assert found.keys == {}
    assert list(merge_days(summarise(model, [(5, days)]).parts, "week")) == [
        date(2024, 5, 1),
        date(2024, 5, 8),
    ]


def test_dates_are_in_order_of_time_and_numbers_in_names_of_size():
    keys = [("b", date(2024, 10, 1)), ("b", date(2024, 9, 1)), ("a 10", date(2024, 9, 1))]
    assert ordered_keys([*keys, ("a 9", date(2025, 1, 1))]) == [
        ("a 9", date(2025, 1, 1)),
        ("a 10", date(2024, 9, 1)),
        ("b", date(2024, 9, 1)),
        ("b", date(2024, 10, 1)),
    ]


def test_batches_that_would_be_called_the_same_are_an_error():
    with pytest.raises(ValueError, match="two batches would be called 'a · b · c'"):
        by_name({("a · b", "c"): 1, ("a", "b · c"): 2})
