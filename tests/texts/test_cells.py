"""Columns of files as answers, truths and numbers."""

from pathlib import Path

import polars as pl
import pytest

from quantext.texts.cells import Table, answers_in, read_table, truths_in


def test_a_csv_file_is_a_table_of_texts_with_all_its_columns_or_some(tmp_path):
    (tmp_path / "a.csv").write_text("id;score\n01;0.5\n02;\n")
    table = read_table(tmp_path / "a.csv", None)
    assert table.frame.columns == ["id", "score"]
    assert table["id"].to_list() == ["01", "02"]
    some = read_table(tmp_path / "a.csv", ["score", "truth"], optional="truth")
    assert some.frame.columns == ["score"]
    with pytest.raises(ValueError, match=r"a\.csv has no column 'truth'"):
        read_table(tmp_path / "a.csv", ["score", "truth"])


def test_a_damaged_file_is_an_error_that_names_it(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(ValueError, match=r"a\.parquet cannot be read"):
        read_table(tmp_path / "a.parquet", None)


@pytest.mark.parametrize("labels", [["01", "2", ""], ["0.5", "high", ""], [None, " ", ""]])
def test_what_is_not_all_numbers_remains_text(labels):
    table = Table(pl.DataFrame({"says": labels}), Path("a.csv"))
    assert answers_in(table, "says").dtype == pl.String


def test_numbers_are_scores_and_numbers_of_a_truth_are_classes():
    table = Table(pl.DataFrame({"says": ["0.5", "1", "", "nan"]}), Path("a.csv"))
    assert answers_in(table, "says").to_list() == [0.5, 1.0, None, None]
    table = Table(pl.DataFrame({"truth": ["1.0", "0.0", ""]}), Path("a.csv"))
    assert truths_in(table, "truth").to_list() == ["1", "0", None]
