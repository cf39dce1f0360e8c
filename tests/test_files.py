"""Files to tables: what divides the fields of a CSV file. Errors are in test_corpus."""

import pytest

from quantext.files import load


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("text", ["plain", '"quoted , ; \t | ""twice"" \n, line"'])
def test_the_header_tells_what_divides_the_fields(tmp_path, delimiter, text):
    path = tmp_path / "a.csv"
    path.write_text(
        delimiter.join(["answer", '"first, or; only | topic"'])
        + "\n"
        + delimiter.join([text, "speed"])
        + "\n",
        newline="",
    )
    table = load(path, "csv", "utf-8", ["answer", "first, or; only | topic"])
    assert table.columns == ["answer", "first, or; only | topic"]
    assert table.row(0) == (text.strip('"').replace('""', '"'), "speed")


def test_decimal_commas_do_not_divide_the_fields_of_a_semicolon_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("answer;price;topic\ntoo dear, I think;3,50;price\n")
    assert load(path, "csv", "utf-8", ["answer", "price", "topic"]).row(0) == (
        "too dear, I think",
        "3,50",
        "price",
    )


def test_a_row_of_a_semicolon_file_that_is_too_long_is_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("answer;topic\nx;y\nslow; dear;price\n")
    with pytest.raises(ValueError, match="row 2 has 3 fields, the header 2; a text with ';' needs"):
        load(path, "csv", "utf-8", ["answer"])


def test_the_most_frequent_of_them_divides_and_a_comma_where_there_is_none(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a|b,c,d\n1,2,3\n")
    assert load(path, "csv", "utf-8", ["a|b", "c", "d"]).row(0) == ("1", "2", "3")
    path.write_text("answer\ntoo slow\n")
    assert load(path, "csv", "utf-8", ["answer"]).row(0) == ("too slow",)
