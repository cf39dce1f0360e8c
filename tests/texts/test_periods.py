"""Periods: truncated, and in order."""

from datetime import date

import polars as pl
import pytest

from quantext.texts.periods import period_order, truncate


@pytest.mark.parametrize(
    ("period", "expected"),
    [
        ("day", [date(2019, 1, 2), date(2019, 1, 8), date(2019, 1, 9), date(2020, 2, 29)]),
        # From Wednesday 2 January: 8 January is the last day of its first week, 9 the next's first.
        # 29 February 2020 is 423 days after 2 January 2019; 60 weeks are 420.
        ("week", [date(2019, 1, 2), date(2019, 1, 2), date(2019, 1, 9), date(2020, 2, 26)]),
        ("month", [date(2019, 1, 1), date(2019, 1, 1), date(2019, 1, 1), date(2020, 2, 1)]),
        ("year", [date(2019, 1, 1), date(2019, 1, 1), date(2019, 1, 1), date(2020, 1, 1)]),
    ],
)
def test_dates_are_truncated_to_the_first_day_of_their_period(period, expected):
    dates = pl.Series([date(2019, 1, 2), date(2019, 1, 8), date(2019, 1, 9), date(2020, 2, 29)])
    assert truncate(dates, period).to_list() == expected


def test_weeks_before_1970_are_counted_from_the_first_day_too():
    dates = pl.Series([date(1969, 12, 30), date(1970, 1, 6), date(1969, 12, 24)])
    expected = [date(1969, 12, 24), date(1969, 12, 31), date(1969, 12, 24)]
    # 24 to 30 December is the first week, 31 December to 6 January the second.
    assert truncate(dates, "week").to_list() == expected


def test_an_unknown_period_is_an_error():
    with pytest.raises(ValueError, match="period 'hour' is unknown; choose one of day, week"):
        truncate(pl.Series([date(2019, 1, 1)]), "hour")


def test_periods_are_put_in_order_with_numbers_as_numbers():
    assert period_order(pl.Series(["10", "9", "1.10", "1.9"])) == ["1.9", "1.10", "9", "10"]
    assert period_order(pl.Series(["b2", "a", "b\u00b2", "b10"])) == ["a", "b2", "b10", "b\u00b2"]
    days = [date(2019, 1, 10), date(2019, 1, 9), date(2019, 1, 10)]
    assert period_order(pl.Series(days)) == [date(2019, 1, 9), date(2019, 1, 10)]
