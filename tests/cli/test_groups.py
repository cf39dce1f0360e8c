"""Batches of several columns, parts of the rows and labels in two spellings, by the commands."""

import datetime
import json

import polars as pl
import pytest

import quantext as qx
from tests.support.survey import command, survey

COLUMNS = ["--text", "answer", "--label", "topic"]
FAST = [*COLUMNS, "--method", "cc", "--folds", "2"]
TABLE = survey([20, 20, 20]).with_columns(
    branch=pl.Series(["north", "south", None] * 20),
    mood=pl.Series(["bad"] * 40 + ["good"] * 20),
    model=pl.Series(["battery", "screen", "price"] * 20),
)


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    TABLE.write_csv("a.csv")
    return command(monkeypatch, capsys)


@pytest.fixture
def trained(run):
    assert run("train", "a.csv", *FAST, "--quiet")[0] == 0
    return run


def test_batches_of_two_columns_have_both_in_the_table(trained):
    by = ["--by", "branch", "--by", "day", "--period", "month"]
    code, out, err = trained("estimate", "model.qx", "a.csv", *by, "--out", "o.csv", "--no-label")
    assert code == 0, err
    assert "north · Feb 2024" in out
    assert "20 documents with a blank cell in a column that names batches: see '(blank)'" in err
    table = pl.read_csv("o.csv")
    assert table.columns[:4] == ["batch", "branch", "day", "class"]
    assert table["batch"].unique(maintain_order=True).to_list() == [
        f"{branch} · 2024-0{month}-01"
        for branch in ("(blank)", "north", "south")
        for month in (1, 2, 3)
    ]


def test_python_takes_a_list_of_columns_and_says_the_same(trained):
    by = ["--by", "branch", "--by", "day", "--period", "month"]
    assert trained("estimate", "model.qx", "a.csv", *by, "--out", "o.csv")[0] == 0
    in_memory = qx.estimate("model.qx", TABLE, by=["branch", "day"], period="month")
    of_file = qx.estimate("model.qx", "a.csv", by=["branch", "day"], period="month")
    table = pl.read_csv("o.csv", try_parse_dates=True)
    assert in_memory.to_frame().equals(table)
    assert of_file.to_frame().equals(table)
    keys = in_memory._about()["keys"]
    assert keys["branch"][3] == "north"
    assert list(map(str, keys["day"][:3])) == ["2024-01-01", "2024-02-01", "2024-03-01"]
    assert all(isinstance(day, datetime.date) for day in keys["day"])
    assert in_memory.shares.columns[:3] == ["batch", "branch", "day"]


def test_a_difference_is_that_of_two_joined_names(trained):
    names = ["north · bad", "south · bad"]
    by = ["--by", "branch", "--by", "mood", "--difference", *names]
    code, out, err = trained("estimate", "model.qx", "a.csv", *by)
    assert code == 0, err
    assert "in north · bad" in " ".join(out.split())


@pytest.mark.parametrize(
    ("by", "said"),
    [
        (["branch", "mood"], "neither 'branch' nor 'mood' holds dates"),
        (["day", "later"], "'day' and 'later' both hold dates"),
        (["day", "day"], "by names the column 'day' twice"),
    ],
)
def test_one_of_several_columns_has_the_dates_of_a_period(trained, by, said):
    TABLE.with_columns(later="day").write_csv("a.csv")
    options = [part for name in by for part in ("--by", name)]
    code, _, err = trained("estimate", "model.qx", "a.csv", *options, "--period", "week")
    assert code == 2
    assert said in err


@pytest.mark.usefixtures("trained")
def test_the_format_of_dates_is_that_of_the_one_column_that_has_them():
    table = TABLE.with_columns(day=pl.lit("24/02/2015"))
    found = qx.estimate("model.qx", table, by=["mood", "day"], date_format="%d/%m/%Y")
    assert sorted(found.shares["batch"]) == ["bad · 2015-02-24", "good · 2015-02-24"]


def test_training_on_a_part_is_remembered_and_said(run):
    code, out, err = run("train", "a.csv", *FAST, "--where", "mood=bad")
    assert code == 0, err
    assert "40 of 60 rows are where 'mood' is 'bad'" in err
    assert out.rstrip().endswith("quantext estimate model.qx NEW.csv --where mood=bad")
    code, _, err = run("estimate", "model.qx", "a.csv", "--no-label")
    assert "trained on a part alone, rows where 'mood' is 'bad', and here are all" in err
    code, out, err = run("estimate", "model.qx", "a.csv", "--where", "mood=bad", "--json")
    facts = json.loads(out)
    assert facts["documents"] == 40
    assert facts["warnings"] == ["40 of 60 rows are where 'mood' is 'bad'"]
    part = qx.estimate("model.qx", TABLE, where={"mood": "bad"})
    assert part.to_frame()["size"][0] == 40


def test_a_value_that_never_occurs_is_an_error(trained):
    for name in (["train", "a.csv", *FAST], ["estimate", "model.qx", "a.csv"]):
        code, _, err = trained(*name, "--where", "mood=Bad")
        assert code == 2
        assert "column 'mood' is never 'Bad'; did you mean 'bad'?" in err


def test_compare_keeps_part_and_spelling_in_its_train_command(run):
    table = TABLE.with_columns(topic=pl.col("topic").str.to_uppercase()).head(3)
    pl.concat([TABLE, table]).write_csv("a.csv")
    methods = ["--methods", "cc,acc", "--min-size", "5", "--jobs", "1"]
    part = ["--where", "mood=bad", "--merge-labels", "--protocol", "natural"]
    code, out, err = run("compare", "a.csv", *COLUMNS, *methods, *part, "--json")
    assert code == 0, err
    facts = json.loads(out)
    assert "--merge-labels --where mood=bad" in facts["recommendation"]["command"]
    assert facts["warnings"][0] == "43 of 63 rows are where 'mood' is 'bad'"
    assert "were merged" in facts["warnings"][1]


def test_labels_of_estimates_in_another_spelling_are_told_or_counted(trained):
    TABLE.with_columns(pl.col("topic").str.to_titlecase()).write_csv("b.csv")
    code, _, err = trained("estimate", "model.qx", "b.csv")
    assert code == 0
    assert "'Battery' from 'battery'" in err
    assert "--merge-labels" in err
    code, out, err = trained("estimate", "model.qx", "b.csv", "--merge-labels", "--json")
    facts = json.loads(out)
    assert [row["true_share"] for row in facts["estimates"]] == pytest.approx([1 / 3] * 3)
    assert "'Battery' (20) into 'battery'" in facts["warnings"][0]


def corrected(run, *options):
    of = ["--proxy", "model", "--truth", "topic", "--design", "srs", *options]
    code, out, err = run("correct", "a.csv", *of, "--json")
    assert code == 0, err
    return json.loads(out)


def test_correct_counts_a_part_alone(run):
    facts = corrected(run, "--where", "mood=bad", "--by", "branch")
    assert facts["warnings"][0] == "40 of 60 rows are where 'mood' is 'bad'"
    assert any("13 rows blank in column 'branch'" in note for note in facts["warnings"])
    alone = TABLE.filter(pl.col("mood") == "bad")
    alone.write_csv("a.csv")
    assert corrected(run, "--by", "branch")["shares"] == facts["shares"]


def test_correct_points_out_labels_in_two_spellings_and_merges_them(run):
    TABLE.with_columns(pl.col("model").str.to_titlecase()).write_csv("a.csv")
    told = corrected(run)
    assert any("'battery' (20) and 'Battery' (20)" in note for note in told["warnings"])
    merged = corrected(run, "--merge-labels")
    TABLE.write_csv("a.csv")
    assert merged["shares"] == corrected(run)["shares"]


def test_plan_is_of_all_rows_and_knows_no_parts(run):
    code, _, err = run("plan", "a.csv", "--proxy", "model", "--where", "mood=bad")
    assert code == 2
    assert "No such option: --where" in err


def test_correct_takes_one_column_of_batches(run):
    options = ["--proxy", "model", "--truth", "topic", "--by", "day", "--by", "branch"]
    code, _, err = run("correct", "a.csv", *options)
    assert code == 2
    assert "--by is given twice: 'day' and 'branch'" in err
