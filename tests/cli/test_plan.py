"""quantext plan: rows to label, files that go on from each other, and what is refused."""

import json

import numpy as np
import polars as pl
import pytest

from quantext.models.plan import read_plan
from tests.support.survey import command

RNG = np.random.default_rng(5)
TRUTH = RNG.choice(["bad", "fair", "good"], 1500, p=[0.5, 0.3, 0.2])
SAYS = np.where(RNG.random(1500) < 0.85, TRUTH, RNG.choice(["bad", "fair", "good"], 1500))
DATA = pl.DataFrame(
    {
        "text": [f"answer {i}" for i in range(1, 1501)],
        "model": [None if i % 50 == 0 else str(says) for i, says in enumerate(SAYS)],
        "score": [round(float(says == "bad") * 0.8 + i % 7 / 50, 3) for i, says in enumerate(SAYS)],
    }
)
PLAN = ["plan", "all.csv", "--proxy", "model"]


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    DATA.write_csv("all.csv")
    return command(monkeypatch, capsys)


def label(path, only=None, column="truth"):
    """Fill in the first rows of a plan, as somebody would."""
    table = pl.read_csv(path, infer_schema=False)
    rows = [int(row) - 1 for row in table["row"]]
    labels = [str(TRUTH[row]) for row in rows[:only]]
    filled = pl.Series(column, labels + [None] * (len(rows) - len(labels)), dtype=pl.String)
    table.with_columns(filled).write_csv(path)


def test_a_pilot_is_drawn_from_what_the_model_says_with_all_columns_and_one_to_fill_in(run):
    code, out, err = run(*PLAN, "--target", "0.03", "--out", "to_label.csv")
    assert code == 0
    assert "correlation of 0.7" in err
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines[1:5]] == ["bad", "fair", "good", "(no"]
    assert lines[5].split() == ["all", "1,500", "100"]
    assert "this is a pilot: label 100 rows" in " ".join(lines)
    assert "quantext correct all.csv --proxy model --truth truth" in out
    assert "--truth-file to_label.csv --out to_label_2.csv" in out
    table = pl.read_csv("to_label.csv", infer_schema=False)
    assert table.columns == ["row", "stratum", "probability", "text", "model", "score", "truth"]
    assert len(table) == 100
    assert table["truth"].null_count() == 100
    assert table["text"].to_list() == [f"answer {row}" for row in table["row"]]


def test_a_plan_that_was_labelled_says_how_far_it_is_and_what_is_next_until_it_is_enough(run):
    run(*PLAN, "--target", "0.04", "--out", "one.csv")
    label("one.csv", only=80)
    code, out, err = run(*PLAN, "--target", "0.04", "--truth-file", "one.csv", "--out", "two.csv")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert out.splitlines()[0].split() == ["class", "share", "now", "wanted"]
    assert out.splitlines()[1].endswith("not yet")
    assert "80 are there" in out
    one, two = (pl.read_csv(path, infer_schema=False) for path in ("one.csv", "two.csv"))
    assert set(one["row"]) < set(two["row"])
    assert two["truth"].count() == 80
    assert two["truth"][:80].null_count() == 0
    sizes = DATA["model"].fill_null("(no answer)").value_counts()
    for name, size in sizes.iter_rows():
        own = two.filter(pl.col("stratum") == name)
        assert [float(p) for p in own["probability"]] == pytest.approx([len(own) / size] * len(own))

    label("two.csv")
    goes_on = [*PLAN, "--target", "0.05", "--truth-file", "two.csv"]
    code, out, _ = run(*goes_on, "--out", "three.csv")
    assert code == 0
    assert "The target is reached" in out
    assert "two.csv has all that is needed" in out
    with pytest.raises(FileNotFoundError):
        pl.read_csv("three.csv")
    facts = json.loads(run(*goes_on, "--json")[1])
    assert facts["reached"]
    assert (facts["to_label"], facts["labelled"]) == (0, len(two))
    assert all(row["half_width"] <= 0.05 for row in facts["progress"])


def test_the_file_can_be_read_again_in_each_format_and_tells_the_same(run):
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        assert run(*PLAN, "--number", "50", "--correlation", "0.8", "--out", name)[0] == 0
    csv = pl.read_csv("a.csv")
    assert pl.read_parquet("a.parquet")["row"].to_list() == csv["row"].to_list()
    assert pl.read_ndjson("a.jsonl")["probability"].to_list() == csv["probability"].to_list()
    label("a.csv", only=30)
    rows, truth, chances = read_plan(pl.read_csv("a.csv"), 1500, "truth")
    assert len(rows) == len(truth) == 30
    assert (1 / chances).sum() == pytest.approx(1500)
    for name in ("a.jsonl", "a.parquet"):
        code, out, _ = run(*PLAN, "--target", "0.1", "--truth-file", name)
        assert (code, "pilot" in out) == (0, True)


def test_labels_of_the_file_tell_how_good_the_model_is_and_count_if_drawn_at_random(run):
    known = [str(truth) if i % 10 == 0 else None for i, truth in enumerate(TRUTH)]
    DATA.with_columns(checked=pl.Series(known)).write_csv("all.csv")
    options = [*PLAN, "--target", "0.04", "--truth", "checked"]
    code, out, err = run(*options, "--out", "a.csv")
    assert code == 0
    assert "as the known truths show" in out.replace("\n", " ")
    assert "nobody said how the 150 documents" in err
    assert pl.read_csv("a.csv")["checked"].null_count() == len(pl.read_csv("a.csv"))
    code, out, err = run(*options, "--design", "srs", "--out", "b.csv")
    assert (code, err) == (0, "")
    assert pl.read_csv("b.csv")["checked"].count() == 150
    # Nothing would be lost, for the file has these labels too.
    assert run(*options, "--design", "srs", "--out", "b.csv")[0] == 0


def test_scores_and_a_column_of_strata_will_do(run):
    code, out, _ = run("plan", "all.csv", "--proxy", "score", "--target", "0.05",
                       "--correlation", "0.7", "--strata", "model")  # fmt: skip
    assert code == 0
    assert "(blank)" in out
    assert "--out to_label.csv writes" in out
    code, out, _ = run("plan", "all.csv", "--proxy", "score", "--proxy", "model",
                       "--number", "120", "--correlation", "0.7")  # fmt: skip
    assert code == 0
    assert "0 to 0.08 + fair" in out


def test_lists_in_the_data_are_written_as_text(run):
    DATA.with_columns(tags=pl.lit([["a", "b"]] * 1500).explode()).write_ndjson("all.jsonl")
    run("plan", "all.jsonl", "--proxy", "model", "--number", "30", "--out", "a.csv")
    assert pl.read_csv("a.csv")["tags"][0] == '["a", "b"]'


def test_labels_are_never_overwritten(run):
    run(*PLAN, "--number", "50", "--out", "a.csv")
    assert run(*PLAN, "--number", "50", "--seed", "1", "--out", "a.csv")[0] == 0
    label("a.csv", only=7)
    before = pl.read_csv("a.csv")
    code, _, err = run(*PLAN, "--number", "50", "--out", "a.csv")
    assert code == 2
    assert "--out a.csv has 7 labels of an earlier plan" in err
    assert pl.read_csv("a.csv").equals(before)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "3"], "target is 3"),
        ([], "say how exactly"),
        (["--target", "0.1", "--proxy", "modell"], "no column 'modell' (did you mean 'model'?)"),
        (["--target", "0.1", "--strata", "wave"], "no column 'wave'"),
        (["--target", "0.1", "--out", "all.csv"], "would be overwritten"),
        (["--target", "0.1", "--out", "a.json"], "must be one of .csv, .xlsx, .jsonl, .parquet"),
        (["--target", "0.1", "--out", "no/a.csv"], "there is no folder"),
        (
            ["--target", "0.1", "--truth-file", "all.csv"],
            "all.csv was not written by `quantext plan`",
        ),
        (["--target", "0.1", "--truth-file", "no.csv"], "no.csv"),
        (["--target", "0.1", "--truth", "model"], "--proxy and --truth both name"),
        (["--target", "0.1", "--separator", ""], "the separator is empty"),
        (["--target", "0.1", "--design", "srs"], "there is no column 'truth'"),
        (["--target", "0.1", "--truth", "row", "--out", "a.csv"], "called 'row'"),
    ],
)
def test_mistakes_end_in_a_sentence_and_nothing_is_written(run, tmp_path, options, message):
    code, out, err = run(*PLAN, "--quiet", *options)
    assert (code, out) == (2, "")
    assert message in err
    assert [path.name for path in tmp_path.iterdir()] == ["all.csv"]


def test_a_plan_of_another_model_is_refused(run):
    run(*PLAN, "--number", "50", "--out", "a.csv")
    code, _, err = run("plan", "all.csv", "--proxy", "score", "--target", "0.1",
                       "--truth-file", "a.csv")  # fmt: skip
    assert code == 2
    assert "the earlier plan had other strata" in err


def test_what_was_drawn_must_be_as_it_was(run):
    run(*PLAN, "--number", "50", "--out", "a.csv")
    drawn = int(pl.read_csv("a.csv")["row"][0])
    changed = pl.Series("model", ["bad"] * 1500).set(pl.arange(1500, eager=True) == drawn - 1, "?")
    DATA.with_columns(changed).write_csv("all.csv")
    code, _, err = run(*PLAN, "--target", "0.1", "--truth-file", "a.csv")
    assert code == 2
    assert "a.csv, column 'model', row 1 is" in err
    assert f"but '?' in row {drawn} of all.csv" in err


SEVERAL = [
    "|".join(sorted({"a": "red", "b": "big"}[c] for c in own)) or "|"
    for own in RNG.choice(["", "a", "b", "ab"], 1500, p=[0.4, 0.3, 0.2, 0.1])
]


def test_documents_may_have_several_labels_from_the_plan_to_the_shares(run):
    says = ["red|big" if own == "big|red" else own for own in SEVERAL]
    says[:100] = ["red"] * 100
    DATA.with_columns(model=pl.Series(says)).write_csv("all.csv")
    options = ["all.csv", "--proxy", "model", "--separator", "|"]
    assert run("plan", *options, "--target", "0.03", "--out", "one.csv")[0] == 0
    one = pl.read_csv("one.csv", infer_schema=False)
    assert set(one["stratum"]) == {"(no label)", "big", "red", "big|red"}
    truth = pl.Series("truth", [SEVERAL[int(row) - 1] for row in one["row"]])
    one.with_columns(truth).write_csv("one.csv")
    code, out, _ = run("plan", *options, "--target", "0.03", "--truth-file", "one.csv",
                       "--out", "two.csv")  # fmt: skip
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[1:3]] == ["big", "red"]
    two = pl.read_csv("two.csv", infer_schema=False)
    assert two["truth"].count() == len(one)
    assert set(two["truth"].drop_nulls()) == {"|", "big", "red", "big|red"}
    facts = run("correct", *options, "--truth", "truth", "--truth-file", "two.csv",
                "--json", "--quiet")  # fmt: skip
    found = {row["class"]: row for row in json.loads(facts[1])["shares"]}
    for name, own in found.items():
        assert own["low"] <= sum(name in label for label in SEVERAL) / 1500 <= own["high"]
