"""JSON Lines and arrays: types of columns, halves of characters, and files that are neither."""

import polars as pl
import pytest

from quantext.texts.formats import Opening, blocks
from quantext.texts.notes import ReadingWarning
from tests.support.tables import refused


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"t": "x"}\n\n{"t": "y"\n{"t": "z"}\n', "line 3 is not a JSON object: Expecting"),
        ('{"t": "x", "l": NaN}\n', "line 1 is not a JSON object: NaN is not JSON, write null"),
        ('{"t": "x"}\n["y"]\n', r"line 2 is not a JSON object: it is \[\"y\"\]"),
    ],
    ids=["cut", "NaN", "array"],
)
def test_a_malformed_line_of_json_is_named(file, content, message):
    refused(file("a.jsonl", content), message)


def table(path, **limits):
    return pl.concat(blocks(path, Opening(), None, **limits))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (("1", "2.5"), [1.0, 2.5]),
        (("1", '"x"'), ["1", "x"]),
        (("null", '["p", "q"]'), [None, ["p", "q"]]),
        (("[]", '["p"]'), [[], ["p"]]),
    ],
    ids=["fraction", "text", "list after nothing", "list after an empty one"],
)
@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_the_last_row_decides_the_type_of_a_column_too(file, name, values, expected):
    rows = [f'{{"w": {value}}}' for value in values]
    content = "\n".join(rows) if name == "a.jsonl" else f"[{', '.join(rows)}]"
    assert table(file(name, content))["w"].to_list() == expected


def test_a_column_of_the_last_row_alone_is_there(file):
    assert table(file("a.json", '[{"t": "x"}, {"t": "y", "l": "b"}]')).columns == ["t", "l"]


def test_a_fraction_in_a_later_block_is_an_error_that_says_how_to_write_it(file):
    path = file("a.jsonl", '{"w": 1}\n{"w": 2.5}\n{"w": 3}\n')
    with pytest.raises(ValueError, match=r"line 2 or later .* as 1\.0 is"):
        table(path, block_bytes=9)


def test_an_array_called_json_lines_is_read_and_noted(file):
    path = file("a.jsonl", ' \n[\n{"t": "x"},\n{"t": "y"}\n]\n')
    with pytest.warns(ReadingWarning, match="is a JSON array, not JSON Lines"):
        assert table(path)["t"].to_list() == ["x", "y"]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_half_a_character_is_replaced_and_counted(file, name):
    row = r'{"t": "half \ud83d", "l": "whole \ud83d\ude00 and \\ud83d or \ude00"}'
    path = file(name, f"[{row}]" if name == "a.json" else row)
    with pytest.warns(ReadingWarning, match="2 characters cut in half"):
        assert table(path).rows() == [("half \ufffd", "whole 😀 and \\ud83d or \ufffd")]


@pytest.mark.parametrize("gap", ["", "\n"])
def test_a_table_by_columns_is_refused_with_the_way_to_write_it(file, gap):
    content = '{"t": {"0": "x", "1": "y"},' + gap + ' "l": {"0": "a", "1": "b"}}'
    with pytest.raises(ValueError, match=r"a\.json has a table by columns.*orient='records'"):
        table(file("a.json", content))
