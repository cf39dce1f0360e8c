"""Whole tables of files."""

import polars as pl
import pytest

from quantext.texts.tables import read_table, scores_or_labels


def test_a_csv_file_is_a_table_of_texts_with_all_its_columns(tmp_path):
    (tmp_path / "a.csv").write_text("id;score\n01;0.5\n02;\n")
    table = read_table(tmp_path / "a.csv")
    assert table.columns == ["id", "score"]
    assert table["id"].to_list() == ["01", "02"]


def test_a_damaged_file_is_an_error_that_names_it(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(ValueError, match=r"a\.parquet cannot be read"):
        read_table(tmp_path / "a.parquet")


@pytest.mark.parametrize("labels", [["01", "2", ""], ["0.5", "high"], [None, " "]])
def test_what_is_not_all_numbers_or_is_whole_remains_text(labels):
    column = pl.Series(labels)
    assert scores_or_labels(column) is column


def test_numbers_remain_numbers():
    assert scores_or_labels(pl.Series([1, 2])).dtype == pl.Int64
