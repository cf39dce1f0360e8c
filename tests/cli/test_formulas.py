"""Names that look like formulas, in the CSV files that commands write and read again."""

import csv
import json

import polars as pl
import pytest

from tests.support.survey import command, survey

NAMES = {"battery": "=1+1", "price": "-1", "screen": "@cmd"}
ANSWERS = survey([20, 20, 20]).with_columns(
    pl.col("topic").replace_strict(NAMES), day=pl.Series(["+1", "--x"] * 30)
)
PROXY = "@model"


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    ANSWERS.write_csv("a.csv")
    wrong = pl.when(pl.int_range(pl.len()) % 7 == 0).then(pl.lit("@cmd")).otherwise("topic")
    table = ANSWERS.select("answer", wrong.alias(PROXY), (-pl.int_range(pl.len())).alias("score"))
    table.with_columns(answer="@you: " + pl.col("answer")).write_csv("judged.csv")
    return command(monkeypatch, capsys)


def cells(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def estimate(run):
    """The command that estimates, after training."""
    options = ["--text", "answer", "--label", "topic", "--method", "cc", "--folds", "0", "--quiet"]
    assert run("train", "a.csv", *options)[0] == 0

    def estimate(*options):
        line = ("estimate", "model.qx", "a.csv", "--by", "day", "--no-intervals", *options)
        code, out, err = run(*line, "--out", "b.csv", "--json")
        assert code == 0, err
        return cells("b.csv"), json.loads(out)["estimates"]

    return estimate


def test_names_are_texts_to_a_spreadsheet_and_numbers_are_numbers(estimate):
    rows, told = estimate()
    assert {row["class"] for row in rows} == {"'=1+1", "'-1", "'@cmd"}
    assert {row["batch"] for row in rows} == {"'+1", "'--x"}
    assert [float(row["share"]) for row in rows] == [row["share"] for row in told]
    assert {row["class"] for row in told} == set(NAMES.values())


def test_raw_is_for_programs(estimate):
    rows, told = estimate("--raw")
    assert [(row["batch"], row["class"]) for row in rows] == [
        (row["batch"], row["class"]) for row in told
    ]
    estimate()  # which may take the place of the raw file, and the other way round
    estimate("--raw")


def test_columns_of_batches_are_texts_too(run):
    with open("b.csv", "wb") as file:
        ANSWERS.rename({"day": "=day"}).with_columns(b=pl.lit("x")).write_csv(file)
    options = ["--text", "answer", "--label", "topic", "--method", "cc", "--folds", "0", "--quiet"]
    assert run("train", "b.csv", *options)[0] == 0
    by = ["--by", "=day", "--by", "b", "--no-intervals", "--out", "c.csv"]
    code, _, err = run("estimate", "model.qx", "b.csv", *by)
    assert code == 0, err
    assert "'=day" in cells("c.csv")[0]
    for _ in range(2):
        assert run("estimate", "model.qx", "b.csv", *by)[0] == 0


def test_raw_without_a_file_is_a_sentence(run):
    code, _, err = run("correct", "judged.csv", "--proxy", PROXY, "--truth", "t", "--raw")
    assert (code, err) == (2, "Error: --raw is for the file of --out; name one\n")


def fill_in(path, labelled, separator=","):
    """Label the first rows of a plan as people do, who see what is in the cells."""
    table = pl.read_csv(path, infer_schema=False, truncate_ragged_lines=True)
    known = ANSWERS["topic"].gather(table["row"].cast(int) - 1)
    truth = pl.when(pl.int_range(pl.len()) < labelled).then(known).alias("truth")
    table.with_columns(pl.coalesce("truth", truth)).write_csv(path, separator=separator)


@pytest.mark.parametrize("raw", [[], ["--raw"]])
@pytest.mark.parametrize("separator", [",", ";"])
def test_a_plan_goes_to_a_spreadsheet_and_back(run, raw, separator):
    plan = ["plan", "judged.csv", "--proxy", PROXY, "--quiet", *raw]
    assert run(*plan, "--number", "24", "--out", "first.csv")[0] == 0
    rows = cells("first.csv")
    mark = "" if raw else "'"
    assert {row[f"{mark}{PROXY}"] for row in rows} == {f"{mark}=1+1", "-1", f"{mark}@cmd"}
    assert all(row["answer"].startswith(f"{mark}@you") for row in rows)
    assert all(float(row["score"]) <= 0 for row in rows)
    fill_in("first.csv", 24, separator)
    more = [*plan, "--number", "36", "--truth-file", "first.csv", "--out", "second.csv"]
    code, _, err = run(*more)
    assert code == 0, err
    assert {row["truth"] for row in cells("second.csv")} >= {f"{mark}=1+1", "-1", f"{mark}@cmd"}
    assert run(*more)[0] == 0  # again: its labels are known, so none would be lost
    fill_in("second.csv", 36, separator)
    shares = ["correct", "judged.csv", "--proxy", PROXY, "--truth", "truth", "--json"]
    code, out, err = run(*shares, "--truth-file", "second.csv", "--quiet")
    assert code == 0, err
    assert {row["class"] for row in json.loads(out)["shares"]} == set(NAMES.values())
    chances = ["--design", "prob:probability", "--as-given"]
    code, out, err = run("correct", "second.csv", *shares[2:], *chances, "--quiet")
    assert code == 0, err
    assert {row["class"] for row in json.loads(out)["shares"]} == set(NAMES.values())
