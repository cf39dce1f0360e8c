"""What people hold in Python, as columns."""

from datetime import date

import numpy as np
import pytest

from quantext.texts.given import as_series


def test_an_array_of_objects_is_what_the_list_is():
    values = ["dear", np.nan, None]
    assert as_series("text", np.array(values, dtype=object)).to_list() == ["dear", None, None]
    assert as_series("text", values).to_list() == ["dear", None, None]


def test_periods_of_pandas_are_as_they_are_written():
    pandas = pytest.importorskip("pandas")
    months = pandas.Series(pandas.to_datetime(["2015-02-24", None])).dt.to_period("M")
    assert as_series("day", months).to_list() == ["2015-02", None]
    days = pandas.Series([date(2015, 2, 24), None])
    assert as_series("day", days).to_list() == [date(2015, 2, 24), None]


def test_values_that_are_nothing_to_read_are_named():
    with pytest.raises(TypeError, match="the values of by= are set; give texts, numbers or dates"):
        as_series("by=", [{1}, None])
