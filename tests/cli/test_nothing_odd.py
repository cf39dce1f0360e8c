"""Odd documents: no NaN, None or warning of Python's in what commands print and write."""

import json
import re

import pytest

from tests.support.survey import command

ODD = re.compile(r"\bnan\b|NaN|\bNone\b|\binf\b|Infinity|Warning\b(?!:)|Traceback|\.py:\d")

TRAINING = {
    "good": [*["good phone,a,1,x"] * 6, *["fine phone,a,1,x"] * 6, *["bad screen,b,1,y"] * 12],
    "constant": [*["same text,a,1,x"] * 12, *["same text,b,1,y"] * 12],
    "words": [*["good,a,1,x", "fine,a,1,x"] * 4, *["bad,b,1,y", "dull,b,1,y"] * 4],
    "few": ["good,a,1,x", "bad,b,1,y", "dull,c,1,y", "slow,d,1,z", "fine,a,1,x", "top,c,1,q"],
}
NEW = {
    "unknown words": ["zzz qqq,a,1,x", "yyy,b,1,y", "!!! ???,a,1,y"],
    "weights of 0": ["good phone,a,0,x", "bad screen,b,2,x", "good,a,1,y"],
    "one class": [*["good phone,a,1,x"] * 5, "good,a,1,y"],
    "blanks": ["good phone,zz,1,x", "odd,a,1,", ",b,1,y", "bad,,1,y"],
    "constant": ["same text,a,1,x"] * 12,
}


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    run = command(monkeypatch, capsys)

    def checked(*arguments):
        code, out, err = run(*arguments)
        assert code == 0, err
        assert not ODD.search(out), out
        assert not ODD.search(err), err
        return out

    return checked


def write(path, rows):
    path.write_text("\n".join(["t,l,w,b", *rows]) + "\n")


def strict(text):
    """JSON as other programs read it, who know no NaN."""

    def refuse(constant):
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize(
    ("training", "method"), [*((name, "adaptive") for name in TRAINING), ("few", "acc")]
)
def test_odd_documents_give_plain_numbers(run, tmp_path, training, method):
    write(tmp_path / "a.csv", TRAINING[training])
    options = ["--text", "t", "--label", "l", "--method", method]
    run("train", "a.csv", *options)
    strict(run("train", "a.csv", *options, "--json"))
    for name, rows in NEW.items():
        write(tmp_path / "new.csv", rows)
        weighted = ["--weight", "w", "--out", "o.json", "--report", "p.html"]
        run("estimate", "model.qx", "new.csv", "--by", "b", *weighted)
        strict((tmp_path / "o.json").read_text())
        facts = strict(run("estimate", "model.qx", "new.csv", "--json"))
        assert len(facts["estimates"]) == len({row.split(",")[1] for row in TRAINING[training]})
        assert all(0 <= row["share"] <= 1 for row in facts["estimates"]), name


def test_several_labels_some_without_any_give_plain_numbers(run, tmp_path):
    rows = [*["good phone,a;b,1,x"] * 8, *["so so,b,1,z"] * 8, "nothing at all,c,1,z"]
    write(tmp_path / "a.csv", rows)
    run("train", "a.csv", "--text", "t", "--label", "l", "--separator", ";")
    for rows in NEW.values():
        write(tmp_path / "new.csv", rows)
        strict(run("estimate", "model.qx", "new.csv", "--by", "b", "--json"))


@pytest.mark.parametrize(
    "rows",
    [
        # All truths agree with the model, and one batch has none; then one class, then no answers.
        [*["a,a,1,x"] * 5, *["b,b,1,x"] * 5, *["a,,1,x"] * 5, *["b,,1,y"] * 3, "b,,1,"],
        [*["a,a,1,x"] * 3, *["a,b,1,x"] * 3, *["a,,1,z"] * 9],
        [*["a,a,1,x"] * 3, *["b,b,1,x"] * 3, *[",,1,x"] * 5, ",a,1,x"],
    ],
)
def test_corrections_of_few_rows_are_plain_numbers(run, tmp_path, rows):
    write(tmp_path / "a.csv", rows)
    options = ["--proxy", "t", "--truth", "l", "--design", "srs", "--by", "b"]
    run("correct", "a.csv", *options, "--report", "p.html", "--out", "o.json")
    strict((tmp_path / "o.json").read_text())
    strict(run("correct", "a.csv", *options, "--json"))


def test_plans_of_few_rows_are_plain_numbers(run, tmp_path):
    write(tmp_path / "a.csv", [*["a,a,1,x"] * 3, *["b,,1,y"] * 9])
    run("plan", "a.csv", "--proxy", "t", "--target", "0.1", "--truth", "l", "--design", "srs")
    strict(run("plan", "a.csv", "--proxy", "t", "--target", "0.1", "--json"))
