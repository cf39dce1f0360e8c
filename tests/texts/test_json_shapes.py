"""Tests of JSON that is nested deeply or has very many keys: bounded, or refused by a sentence."""

import json
from dataclasses import replace

import polars as pl
import pytest

from quantext.texts import json_shapes
from quantext.texts.formats import USUAL, blocks
from tests.support.peaks import measured

LINE = '{"text": "slow", "label": "speed"}\n'


def read(path, names=("text", "label")):
    return pl.concat(blocks(path, USUAL, names))


def nested(depth):
    """A line with so many arrays in each other, of which the line itself is the first object."""
    return '{"text": "dear", "label": "price", "more": ' + "[" * depth + "]" * depth + "}\n"


@pytest.mark.parametrize("depth", [64, 300, 1_000, 100_000])
@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_a_line_that_is_nested_too_deeply_is_named(file, name, depth):
    path = file(name, LINE + nested(depth) + LINE)
    with pytest.raises(ValueError, match=r"a\.jsonl?, line 2 has more than 64 arrays or objects"):
        read(path)


def test_objects_are_counted_as_arrays_are(file):
    path = file("a.jsonl", '{"text": ' + '{"a": ' * 64 + "1" + "}" * 64 + "}\n")
    with pytest.raises(ValueError, match="line 1 has more than 64"):
        read(path, ["text"])


def test_nesting_that_people_use_is_read(file):
    assert read(file("a.jsonl", LINE + nested(63))).rows() == [
        ("slow", "speed"),
        ("dear", "price"),
    ]


@pytest.mark.parametrize("content", ["[" * 100_000, "[" + nested(100_000) + "]"])
def test_an_array_that_is_nested_too_deeply_is_an_error(file, content):
    with pytest.raises(
        ValueError, match=r"a\.json is not JSON of a table: it is nested too deeply"
    ):
        read(file("a.json", content))


def test_a_deep_line_in_a_later_block_is_an_error(file):
    path = file("a.jsonl", LINE * 100 + nested(100_000))
    with pytest.raises(ValueError, match="line 101 has more than 64"):
        list(blocks(path, USUAL, ["text"], block_bytes=100))


def keys(n, of="{}"):
    """Lines each of which has a key of its own."""
    own = [json.loads(of.replace("{}", json.dumps({f"k{i}": i}))) for i in range(n)]
    return [{"text": f"t{i}", "label": "xy"[i % 2]} | line for i, line in enumerate(own)]


@pytest.mark.parametrize(
    "of", ["{}", '{"more": {}}', '{"more": [{}]}'], ids=["lines", "in", "list"]
)
def test_of_very_many_keys_those_that_are_wanted_are_read(file, monkeypatch, of):
    monkeypatch.setattr(json_shapes, "CELLS", 1_000)
    rows = keys(100, of)
    path = file("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert read(path).rows() == [(row["text"], row["label"]) for row in rows]
    with pytest.raises(ValueError, match=r"a\.jsonl, line \d+: with it, lines have \d+ different"):
        read(path, None)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"text": "a"}{"text": "b"}', "line 51 is not a JSON object: Extra data"),
        (b"not json", "line 51 is not a JSON object"),
        (b'{"text": "caf\xe9"}', "line 51: byte 0xe9 at offset 1503 is not utf-8"),
    ],
    ids=["two objects", "none", "other bytes"],
)
def test_a_bad_line_among_very_many_keys_is_an_error(tmp_path, monkeypatch, line, message):
    monkeypatch.setattr(json_shapes, "CELLS", 1_000)
    rows = [json.dumps(row).encode() for row in keys(100)]
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n".join([*rows[:50], line, *rows[50:]]))
    with pytest.raises(ValueError, match=message):
        pl.concat(blocks(path, replace(USUAL, encoding="utf-8"), ["text", "label"]))


def test_lines_of_a_wide_table_may_have_as_many_keys_as_they_like(file, monkeypatch):
    monkeypatch.setattr(json_shapes, "CELLS", 1_000)
    rows = [{f"k{i}": i + j for i in range(200)} for j in range(20)]
    path = file("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert read(path, None).to_dicts() == rows


def test_a_line_of_nothing_but_objects_is_refused_before_it_is_parsed(file, monkeypatch):
    monkeypatch.setattr(json_shapes, "VALUES", 100)
    monkeypatch.setattr("quantext.texts.json.VALUES", 100)
    path = file("a.json", "[" + "{}," * 200 + "{}]")
    with pytest.raises(ValueError, match="one JSON array, which is read whole, of more than"):
        read(path)
    path = file("b.jsonl", '{"text": [' + "{}," * 200 + "{}]}\n")
    with pytest.raises(ValueError, match="more than 100 arrays or objects in one piece"):
        read(path, ["text"])


@pytest.mark.slow
def test_thousands_of_keys_take_little_time_and_memory(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in keys(20_000)))
    said, megabytes, _ = measured('read_corpus(sys.argv[1], text="text", label="label")', path)
    assert not said
    assert megabytes < 300
