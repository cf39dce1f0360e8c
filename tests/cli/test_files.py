"""Spreadsheets and awkward files through the command line: notes, options and workbooks out."""

import json
from pathlib import Path

import polars as pl
import pytest

from quantext.texts.formats import Opening, blocks
from tests.support.survey import command, start, survey
from tests.support.workbooks import xlsx

ANSWERS = survey([15, 15, 15])
ROWS = [ANSWERS.columns, *ANSWERS.rows()]
TRAIN = ["--text", "answer", "--label", "topic", "--method", "cc", "--folds", "2"]


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return command(monkeypatch, capsys)


def french(name="a.csv"):
    table = ANSWERS.with_columns(answer=pl.col("answer") + " café")
    with open(name, "wb") as file:
        file.write(table.write_csv().encode("cp1252"))


def judged():
    """What a model says of the answers, and the truth of most."""
    truth = pl.when(pl.int_range(pl.len()) < 40).then("topic")
    return ANSWERS.select("answer", model="topic", truth=truth)


def test_a_note_is_printed_once_and_without_a_place_in_the_code(run):
    french()
    code, _, err = run("train", "a.csv", *TRAIN)
    assert code == 0
    [said] = err.splitlines()
    assert said.startswith("Note: a.csv is not UTF-8 and is read as cp1252, so line 2 has “")


def test_a_note_is_among_the_warnings_of_json_and_quiet_silences_it(run):
    french()
    code, out, err = run("train", "a.csv", *TRAIN, "--json", "--quiet")
    assert (code, err) == (0, "")
    assert "read as cp1252" in json.loads(out)["warnings"][0]


def test_every_command_notes_what_it_found_out(run):
    french()
    assert run("train", "a.csv", *TRAIN, "--quiet")[0] == 0
    with open("judged.csv", "wb") as file:
        file.write(b"Judged in May 2024\n\n" + judged().write_csv().encode())
    proxy = ["--proxy", "model", "--truth", "truth"]
    for arguments, said in [
        (["estimate", "model.qx", "a.csv", "--text", "answer"], "read as cp1252"),
        (["compare", "a.csv", *TRAIN[:4], "--methods", "cc,acc", "--jobs", "1"], "read as cp1252"),
        (["correct", "judged.csv", *proxy, "--design", "srs"], "below “Judged in May 2024”"),
        (["plan", "judged.csv", *proxy, "--number", "15"], "below “Judged in May 2024”"),
    ]:
        code, out, err = run(*arguments, "--json")
        assert code == 0, err
        assert err.count("Note: ") == 1
        assert said in err
        assert any(said in text for text in json.loads(out)["warnings"])


def test_a_note_comes_before_an_error(run):
    french()
    code, _, err = run("train", "a.csv", "--text", "answers", "--label", "topic")
    assert code == 2
    note, error = err.splitlines()
    assert note.startswith("Note: a.csv is not UTF-8")
    assert error.startswith("Error: a.csv has no column 'answers'")


def test_no_warning_of_python_reaches_a_terminal(tmp_path):
    rows = [["Survey"], [], *ROWS]
    (tmp_path / "a.xlsx").write_bytes(xlsx({"Data": rows, "Old": ROWS}, hidden=["Old"]))
    process = start("train", "a.xlsx", *TRAIN, cwd=tmp_path)
    _, err = process.communicate()
    assert process.returncode == 0, err
    assert err.splitlines() == [
        "Note: a.xlsx: the header is taken to be row 3 of sheet 'Data', below “Survey”; if that is "
        "wrong, say in which row it is (--header-row N, in Python header_row=)"
    ]


def test_options_of_a_sheet_are_in_the_command_to_type_next(run):
    with open("a.xlsx", "wb") as file:
        file.write(xlsx({"First wave": [["Title"], *ROWS], "Second": ROWS}))
    options = ["--sheet", "First wave", "--header-row", "2"]
    code, out, err = run("train", "a.xlsx", *TRAIN, *options)
    assert (code, err) == (0, "")
    assert "estimate model.qx NEW.xlsx --sheet 'First wave' --header-row 2\n" in out
    code, _, err = run("train", "a.xlsx", *TRAIN)
    assert (code, "'First wave' and 'Second'" in err) == (2, True)


FORMULAS = ["=1+1", "+1", "-1", "@x", "http://a.example", "plain"]


def test_names_that_look_like_formulas_are_texts_in_a_workbook(run):
    names = [name for name in FORMULAS for _ in range(8)]
    words = [f"word{i // 8} other{i % 3}" for i in range(len(names))]
    pl.DataFrame({"answer": words, "topic": names}).write_csv("a.csv")
    assert run("train", "a.csv", *TRAIN, "--quiet")[0] == 0
    code, _, _ = run("estimate", "model.qx", "a.csv", "--out", "b.xlsx", "--quiet")
    assert code == 0
    [table] = blocks(Path("b.xlsx"), Opening(), None)
    assert sorted(table["class"]) == sorted(FORMULAS)
    assert table["share"].sum() == pytest.approx(1)
    assert table["size"].to_list() == [48] * 6


def test_a_plan_in_a_workbook_is_filled_in_and_read_again(run):
    with open("all.xlsx", "wb") as file:
        file.write(xlsx({"Data": [["answer", "model"], *ANSWERS.select("answer", "topic").rows()]}))
    plan = ["plan", "all.xlsx", "--proxy", "model", "--number", "20"]
    assert run(*plan, "--out", "to_label.xlsx", "--quiet")[0] == 0
    [table] = blocks(Path("to_label.xlsx"), Opening(), None)
    truth = ANSWERS["topic"].gather(table["row"] - 1)
    filled = table.with_columns(truth=truth)
    with open("labelled.xlsx", "wb") as file:
        file.write(xlsx({"quantext": [filled.columns, *filled.rows()]}))
    code, out, err = run(
        *("correct", "all.xlsx", "--proxy", "model", "--truth", "truth"),
        *("--truth-file", "labelled.xlsx", "--out", "shares.xlsx", "--json"),
    )
    assert code == 0, err
    assert {row["class"] for row in json.loads(out)["shares"]} == {"battery", "price", "screen"}
    [shares] = blocks(Path("shares.xlsx"), Opening(), None)
    assert shares["class"].to_list() == ["battery", "price", "screen"]
