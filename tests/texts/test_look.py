"""A look at files: what is found in them, worked out by hand."""

import gzip
from dataclasses import replace

import polars as pl
import pytest

import quantext.texts.look as module
from quantext.models.train import FEW
from quantext.texts import guesses
from quantext.texts.formats import MissingColumnError, Opening, blocks
from quantext.texts.look import look
from tests.support.tables import lines

ROWS = """day,answer,topic
2024-01-02,Too slow for me and my wife,speed
2024-01-01,too slow  for me and MY wife,speed
2024-01-05,It was dear but it is not bad,price
2024-01-03,It was dear but it is not bad,Price
2024-01-04,They never answer when I call them,
, ,
day,answer,topic
2024-01-04,...,price
2024-01-04,The caf\ufffd is slow and the cafÃ© is dear,price
"""


@pytest.fixture
def odd(file):
    return file("odd.csv", ROWS)


def test_columns_are_described_in_their_order(odd):
    found = look(odd)
    assert found.rows == 9
    described = [(c.name, c.kind, c.filled, c.distinct) for c in found.columns]
    assert described == [("day", "date", 7, 5), ("answer", "text", 7, 6), ("topic", "label", 6, 3)]
    assert [c.example for c in found.columns] == [
        "2024-01-02",
        "Too slow for me and my wife",
        "speed",
    ]


def test_rows_that_are_no_documents_and_damage_are_found(odd):
    found = look(odd)
    assert (found.empty.count, found.empty.first) == (1, [6])
    assert (found.headers.count, found.headers.first) == (1, [7])
    assert {name: places.first for name, places in found.replaced.items()} == {"answer": [9]}
    assert {name: places.first for name, places in found.garbled.items()} == {"answer": [9]}


def test_texts_that_repeat_others_or_have_no_letter_are_counted(odd):
    [texts] = look(odd).texts
    assert (texts.name, texts.documents) == ("answer", 7)
    assert (texts.repeated, texts.repeated_plainly, texts.exact) == (1, 2, True)
    assert texts.wordless.first == [8]
    assert texts.language == "english"
    assert texts.long == 0


def test_labels_are_counted_with_their_variants_and_those_that_are_rare(odd):
    labels = look(odd).labels
    assert labels.counts == (("price", 3), ("speed", 2), ("Price", 1))
    assert (labels.rows, labels.several, labels.separator) == (6, 0, None)
    assert labels.variants == (("price", "Price"),)
    assert labels.few == ("price", "speed", "Price")
    assert module.FEW == FEW  # of which `train` warns


def test_dates_are_from_the_first_to_the_last(file):
    path = file("a.csv", "day,answer\n2024-03-01,too slow for me\n2024-01-02,dear as it is\n")
    dates = look(path).dates
    assert (dates.name, str(dates.first), str(dates.last)) == ("day", "2024-01-02", "2024-03-01")


def test_a_very_long_text_is_odd(file):
    texts = [f"This is what number {i} has to say" for i in range(20)]
    path = file("a.csv", "answer\n" + "\n".join([*texts, "very " * 1000]) + "\n")
    [found] = look(path).texts
    assert (found.long, found.longest) == (1, (4999, 21))


def test_rows_are_counted_on_from_one_file_to_the_next(file):
    first = file("a.csv", "t,l\nso slow,x\ntoo dear,y\n")
    second = file("b.csv", "l,t\nx,...\ny,so dear\n")
    found = look([first, second])
    assert found.rows == 4
    assert found.texts[0].wordless.first == [3]
    with pytest.raises(MissingColumnError, match=r"c\.csv has no column 'l'"):
        look([first, file("c.csv", "t\nslow\n")])


def test_every_format_shows_the_same(file, tmp_path):
    rows = [{"t": f"number {i} is too slow", "l": "xy"[i % 2]} for i in range(40)]
    table = pl.DataFrame(rows)
    table.write_csv(tmp_path / "a.csv")
    table.write_csv(tmp_path / "a.tsv", separator="\t")
    table.write_parquet(tmp_path / "a.parquet")
    file("a.jsonl", lines(*rows))
    file("a.csv.gz", gzip.compress((tmp_path / "a.csv").read_bytes()))
    wanted = look(tmp_path / "a.csv")
    for name in ("a.tsv", "a.parquet", "a.jsonl", "a.csv.gz"):
        assert replace(look(tmp_path / name), files=wanted.files) == wanted
    (tmp_path / "a.csv").rename(tmp_path / "a.dat")
    found = look(tmp_path / "a.dat", opening=Opening("csv"))
    assert found.files == ((str(tmp_path / "a.dat"), 40),)
    assert replace(found, files=wanted.files) == wanted


def test_lists_of_labels_need_no_separator(file):
    rows = [{"body": f"number {i} is too slow", "tags": [[], ["x"], ["x", "y"]][i % 3]} for i in
            range(30)]  # fmt: skip
    labels = look(file("a.jsonl", lines(*rows))).labels
    assert (labels.counts, labels.several, labels.rows) == ((("x", 20), ("y", 10)), 10, 30)
    assert labels.separator is None


def test_blocks_give_what_the_whole_file_gives(file, monkeypatch):
    rows = [f"{i},the answer of number {i % 8900} is not good,{'ab'[i % 2]}" for i in range(9000)]
    path = file("a.csv", "id,answer,label\n" + "\n".join(rows) + "\n")
    whole = look(path)
    assert whole.texts[0].repeated == 100
    monkeypatch.setattr(module, "blocks", lambda *given: blocks(*given, block_bytes=10_000))
    told = []
    assert look(path, progress=lambda *said: told.append(said)) == whole
    assert len(told) > 5
    assert told[-1] == ("rows read", 9000, None)


def test_columns_that_are_named_must_be_there(odd):
    with pytest.raises(MissingColumnError, match=r"odd\.csv has no column 'topics' \(did you"):
        look(odd, label="topics")
    assert look(odd, text=["topic"]).texts[0].name == "topic"


def test_a_column_of_numbers_that_is_named_as_texts_or_labels_is_described(file):
    rows = "\n".join(f"{i},answer number {i} is long" for i in range(30))
    path = file("a.csv", f"id,t\n{rows}\n")
    assert len(look(path, label="id").labels.counts) == 30
    assert look(path, text=["id"]).texts[0].documents == 30


def test_a_table_of_thousands_of_columns_is_looked_at_or_refused(tmp_path, monkeypatch):
    names = ["answer", *(f"q{i}" for i in range(20))]
    rows = [[f"some words {i}", *(str(i % 3) for _ in names[1:])] for i in range(40)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(map(",".join, [names, *rows])), encoding="utf-8")
    compared = []
    same = guesses.judged_by
    monkeypatch.setattr(guesses, "judged_by", lambda *pair: compared.append(pair) or same(*pair))
    assert look(path).guesses.text == "answer"
    assert not compared  # of columns without blanks, none is the check of another
    monkeypatch.setattr(module, "_WIDEST", 20)
    with pytest.raises(ValueError, match=r"a\.csv has 21 columns, and 20 are the most .* train"):
        look(path)
