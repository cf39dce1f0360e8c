"""JSON Lines that are none."""

import pytest

from tests.support.tables import refused


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"t": "x"}\n\n{"t": "y"\n{"t": "z"}\n', "line 3 is not a JSON object: Expecting"),
        ('{"t": "x", "l": NaN}\n', "line 1 is not a JSON object: NaN is not JSON, write null"),
        ('{"t": "x"}\n["y"]\n', r"line 2 is not a JSON object: it is \[\"y\"\]"),
        ('[\n{"t": "x"}\n]\n', "line 1 is not a JSON object"),
    ],
    ids=["cut", "NaN", "array", "one document"],
)
def test_a_malformed_line_of_json_is_named(file, content, message):
    refused(file("a.jsonl", content), message)
