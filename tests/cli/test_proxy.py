"""quantext train --proxy, and estimate for next month's file."""

import json

import numpy as np
import polars as pl
import pytest

from tests.support.survey import command

# 80 of 100 spam and 10 of 100 ham were taken for spam; of 25 rows nobody knows the truth.
GOLD = pl.DataFrame(
    {
        "model": ["spam"] * 80 + ["ham"] * 20 + ["spam"] * 10 + ["ham"] * 90 + ["spam"] * 25,
        "score": np.linspace(-1, 1, 225).round(3),
        "truth": ["spam"] * 100 + ["ham"] * 100 + [None] * 25,
        "text": ["any"] * 225,
    }
)
NEW = pl.DataFrame(
    {
        "model": (["spam"] * 9 + ["ham"] * 11) * 50,
        "day": ["2024-01-01"] * 500 + ["2024-01-08"] * 500,
    }
)


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    GOLD.write_csv("gold.csv")
    NEW.write_csv("new.csv")
    return command(monkeypatch, capsys)


@pytest.fixture
def trained(run):
    """The same, with a model."""
    options = ["--proxy", "model", "--label", "truth", "--model", "judge.qx", "--quiet", "--json"]
    code, out, _ = run("train", "gold.csv", *options)
    assert (code, json.loads(out)["proxies"]) == (0, ["model"])
    return run


def test_a_corrected_proxy_is_a_model_for_next_months_file(run, tmp_path):
    options = ["--proxy", "model", "--label", "truth", "--model", "judge.qx"]
    code, out, err = run("train", "gold.csv", *options)
    assert code == 0
    assert err == (
        "Warning: 25 of 225 rows were left out: they need a label in 'truth' (NaN is a blank)\n"
    )
    assert "by Bayesian CC from 200 documents and what\n'model' said of them" in out
    assert "terms" not in out
    assert next(line for line in out.splitlines() if "spam" in line).split()[3:5] == [
        "0.80",
        "0.10",
    ]
    options = ["--by", "day", "--period", "week", "--report", "page.html", "--out", "e.csv"]
    code, out, err = run("estimate", "judge.qx", "new.csv", *options)
    assert (code, err) == (0, "")
    assert "words" not in out
    spam = pl.read_csv("e.csv").filter(pl.col("class") == "spam")
    assert spam["batch"].to_list() == ["2024-01-01", "2024-01-08"]
    # (0.45 - 0.1) / (0.8 - 0.1) = 0.5 in both weeks.
    assert np.allclose(spam["share"], 0.5, atol=0.03)
    assert ((spam["low"] < 0.5) & (spam["high"] > 0.5)).all()
    assert (tmp_path / "page.html").stat().st_size > 10_000


def test_rows_without_an_answer_are_documents_too(trained):
    said = [None, "eggs", *NEW["model"][2:]]
    NEW.with_columns(model=pl.Series(said)).write_csv("b.csv")
    code, out, err = trained("estimate", "judge.qx", "b.csv", "--json", "--no-intervals")
    assert code == 0
    assert json.loads(out)["documents"] == 1000
    # Nobody was without an answer in training either.
    assert "training never had 2 answers of those that are given here" in err


def test_columns_may_be_called_otherwise_next_month(trained):
    shares = trained("estimate", "judge.qx", "new.csv", "--json")[1]
    NEW.rename({"model": "says"}).write_csv("b.csv")
    renamed = trained("estimate", "judge.qx", "b.csv", "--proxy", "says", "--json")[1]
    assert json.loads(shares)["estimates"] == json.loads(renamed)["estimates"]


def test_several_labels_and_several_models(run):
    topics = pl.DataFrame(
        {
            "model": ["a", "a;b", "", "b"] * 10,
            "other": [0.25, 0.75, None, 0.5] * 10,
            "truth": ["a", "a;b", "c", "b"] * 10,
        }
    )
    topics.write_csv("topics.csv")
    options = ["--proxy", "model", "--proxy", "other", "--label", "truth", "--separator", ";"]
    code, out, err = run("train", "topics.csv", *options, "--folds", "2", "--method", "pcc")
    assert (code, err) == (0, "")
    assert "Learned 3 classes by PCC from 40 documents and what\n'model' and 'other' said" in out
    code, out, _ = run("estimate", "model.qx", "topics.csv", "--no-intervals", "--json")
    assert code == 0
    shares = {row["class"]: row["share"] for row in json.loads(out)["estimates"]}
    assert shares == pytest.approx({"a": 0.5, "b": 0.5, "c": 0.25}, abs=0.05)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--label", "truth"], "say with --text in which column texts are; or with --proxy"),
        (
            ["--proxy", "modle", "--label", "truth"],
            "gold.csv has no column 'modle' (did you mean 'model'?)",
        ),
        (
            ["--proxy", "model", "--text", "text", "--label", "truth"],
            "--text is for texts, and with --proxy none are read",
        ),
        (["--proxy", "model", "--label", "truth", "--search"], "--search is for texts"),
        (["--proxy", "model", "--label", "truth", "--stemmer", "german"], "--stemmer is for texts"),
        (["--proxy", "truth", "--label", "truth"], "'truth' cannot be both what a model says and"),
        (["--proxy", "model", "--label", "text"], "column 'text' has one class, 'any',"),
        (["--proxy", "model", "--proxy", "model", "--label", "truth"], "named twice"),
    ],
)
def test_bad_input_to_train_ends_in_a_sentence(run, tmp_path, options, message):
    code, out, err = run("train", "gold.csv", *options)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert not (tmp_path / "model.qx").exists()


def test_a_handful_of_labels_is_asked_for(run):
    GOLD[98:102].write_csv("few.csv")
    code, _, err = run("train", "few.csv", "--proxy", "model", "--label", "truth")
    assert code == 2
    assert "few: only 4 rows have a label to learn from; label at least 5" in " ".join(err.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--text", "day"], "judge.qx was trained with --proxy and reads no texts"),
        (["--proxy", "model", "--proxy", "day"], "--proxy names 2 columns, and the model reads 1"),
    ],
)
def test_bad_input_to_estimate_ends_in_a_sentence(trained, options, message):
    code, _, err = trained("estimate", "judge.qx", "new.csv", *options)
    assert code == 2
    assert message in " ".join(err.split())


def test_a_new_file_without_the_proxys_column_is_told_where_to_look(trained):
    NEW.rename({"model": "models"}).write_csv("b.csv")
    code, _, err = trained("estimate", "judge.qx", "b.csv")
    assert code == 2
    said = " ".join(err.split())
    assert "b.csv has no column 'model' (did you mean 'models'?)" in said
    assert "name the column here with --proxy" in said


def test_models_of_texts_have_no_proxies(run):
    GOLD.with_columns(text=pl.Series(["good", "bad"] * 112 + ["good"])).write_csv("texts.csv")
    options = ["--text", "text", "--label", "truth", "--method", "cc", "--folds", "0", "--quiet"]
    assert run("train", "texts.csv", *options)[0] == 0
    code, _, err = run("estimate", "model.qx", "texts.csv", "--proxy", "model")
    assert code == 2
    assert "model.qx reads texts; --proxy is for models that were trained with it" in err


def test_there_is_nothing_to_quote_where_no_texts_are_read(trained):
    options = ["--report", "page.html", "--quotes", "1"]
    code, out, err = trained("estimate", "judge.qx", "new.csv", *options)
    assert (code, out) == (2, "")
    assert "not their texts, so there is nothing to quote; leave quotes out" in err.replace(
        "\n", " "
    )
