"""quantext train: what it reads, writes and says."""

import gzip
import json
from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from quantext.models.save import load, save
from quantext.models.train import quality, train, usual_known_share
from quantext.texts.corpus import Corpus
from quantext.vectors.ltc import LtcVectorizer
from tests.support.survey import command, survey


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return command(monkeypatch, capsys)


def test_a_model_is_learned_and_what_was_learned_is_said(run, tmp_path):
    survey([40, 30, 20]).write_csv("coded.csv")
    code, out, err = run("train", "coded.csv", "--text", "answer", "--label", "topic")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    battery = next(line for line in out.splitlines() if line.startswith("battery"))
    # Documents and share, then rates of true and false positives, and F1.
    assert battery.split()[1:3] == ["40", "44.4%"]
    assert len(battery.split()) == 6
    assert "Learned 3 classes by Adaptive from 90 documents" in out
    assert out.endswith("\n  quantext estimate model.qx NEW.csv\n")
    model = load(tmp_path / "model.qx")
    assert model.classes_.tolist() == ["battery", "price", "screen"]
    assert model.predict(["battery power", "empty battery"])[0] > 0.9


@pytest.mark.parametrize("name", ["a.tsv", "a.jsonl", "a.parquet", "a.jsonl.gz"])
def test_every_format_gives_the_same_model(run, tmp_path, name):
    table = survey([12, 12, 12])
    table.write_csv("a.csv")
    options = ["--text", "answer", "--label", "topic", "--method", "cc", "--folds", "0", "--quiet"]
    assert run("train", "a.csv", *options)[0] == 0
    first = load("model.qx")
    save(first, "a.qx")
    match name:
        case "a.tsv":
            table.write_csv(name, separator="\t")
        case "a.jsonl":
            table.write_ndjson(name)
        case "a.parquet":
            table.write_parquet(name)
        case "a.jsonl.gz":
            (tmp_path / name).write_bytes(gzip.compress(table.write_ndjson().encode()))
    assert run("train", name, *options, "--model", "b.qx")[0] == 0
    second = load("b.qx")
    save(second, "b.qx")
    assert (tmp_path / "a.qx").read_bytes() == (tmp_path / "b.qx").read_bytes()
    assert second.about_.pop("files") == [name]
    assert first.about_.pop("files") == ["a.csv"]
    assert first.about_ == second.about_


def test_several_files_and_patterns_make_one_corpus(run):
    table = survey([12, 12, 12])
    table[:20].write_csv("a1.csv")
    table[20:].write_csv("a2.csv")
    options = ["--text", "answer", "--label", "topic", "--method", "CC", "--json", "--folds", "0"]
    for files in (["a1.csv", "a2.csv"], ["a*.csv"]):
        code, out, _ = run("train", *files, *options)
        assert code == 0
        learned = json.loads(out)
        assert learned["documents"] == 36
        assert [row["documents"] for row in learned["classes"]] == [12, 12, 12]
        assert learned["classes"][0]["f1"] is None  # there were no folds
    code, _, err = run("train", "b*.csv", *options)
    assert (code, err) == (2, "Error: no file matches b*.csv\n")


def test_documents_may_have_several_labels(run, tmp_path):
    table = survey([12, 12, 12]).with_columns(
        topics=pl.when(pl.int_range(pl.len()) % 2 == 0).then(pl.col("topic") + "; odd")
        .otherwise(pl.lit(";"))
    )  # fmt: skip
    table.write_csv("a.csv")
    code, out, _ = run(
        "train", "a.csv", "--text", "answer", "--label", "topics", "--separator", ";",
        "--method", "svm-kld", "--json",
    )  # fmt: skip
    assert code == 0
    rows = {row["class"]: row for row in json.loads(out)["classes"]}
    assert list(rows) == ["battery", "odd", "price", "screen"]
    assert rows["odd"]["prevalence"] == 0.5
    assert rows["odd"]["f1"] is not None  # there are folds, for intervals
    model = load(tmp_path / "model.qx")
    assert list(model.classes_) == ["battery", "odd", "price", "screen"]
    assert model.quantifier_.folds == 10


def test_warnings_worth_having(run):
    table = survey([30, 12, 3])
    empty = pl.DataFrame({"answer": [" ", ""], "topic": ["price", "price"], "day": ["", ""]})
    pl.concat([table, table[:20], empty]).write_csv("a.csv")
    options = ["--text", "answer", "--label", "topic", "--method", "cc"]
    code, _, err = run("train", "a.csv", *options)
    assert code == 0
    assert "2 of 67 rows were left out: they need a text in 'answer'" in err
    assert "few documents to learn from: 'screen'" in err
    assert "20 of 65 texts (31%) repeat another one" in err
    code, _, err = run("train", "a.csv", *options, "--quiet")
    assert (code, err) == (0, "")


def test_the_model_remembers_where_it_came_from(run, tmp_path):
    (tmp_path / "data").mkdir()
    survey([12, 12, 12]).write_csv("data/a.csv")
    options = ["--text", "answer", "--text", "day", "--label", "topic", "--separator", ";"]
    assert run("train", "data/a.csv", *options, "--method", "svm-kld", "--quiet")[0] == 0
    about = load("model.qx").about_
    assert about.pop("trained") in {f"{date.today() - timedelta(days)}" for days in (0, 1)}
    assert 0.9 < about.pop("known_share") <= 1
    assert about == {
        "text": ["answer", "day"],
        "label": "topic",
        "separator": ";",
        "method": "SVM(KLD)",
        "files": ["a.csv"],
    }


def test_missing_labels_are_left_out_and_doubtful_ones_are_named(run):
    table = survey([12, 12, 12])
    labels = pl.Series([*["NaN", "nan", "", " nan "] * 5, *table["topic"][20:33], *["NA"] * 3])
    table.with_columns(topic=labels).write_csv("a.csv")
    code, out, err = run(
        "train", "a.csv", "--text", "answer", "--label", "topic", "--method", "cc", "--json"
    )
    assert code == 0
    assert "20 of 36 rows were left out: they need a text in 'answer' and a label in" in err
    assert "(NaN is a blank)" in err
    assert "taken for a class like others: 'NA' (3); if it says that a label is missing" in err
    names = [row["class"] for row in json.loads(out)["classes"]]
    assert names == sorted({*table["topic"][20:33], "NA"})


def test_words_are_processed_as_asked(run, tmp_path):
    survey([12, 12, 12]).write_csv("a.csv")
    (tmp_path / "stop.txt").write_text("phone\nbought\n")
    options = ["--text", "answer", "--label", "topic", "--method", "cc", "--folds", "0"]
    assert run("train", "a.csv", *options, "--stemmer", "none", "--stop-words", "stop.txt")[0] == 0
    vocabulary = load(tmp_path / "model.qx").vectorizer_.vocabulary_
    assert "battery" in vocabulary  # and not its stem
    assert "again" in vocabulary  # a stop word of the English list
    assert "phone" not in vocabulary


def test_a_text_of_emoji_alone_is_a_text(run, tmp_path):
    rows = [("👍🏽", "good"), ("so 👍", "good"), ("👎", "bad"), ("no 👎🏿", "bad")] * 5
    table = pl.DataFrame(rows, schema=["answer", "mood"], orient="row")
    table.write_csv("a.csv")
    options = ["--text", "answer", "--label", "mood", "--method", "cc", "--folds", "0"]
    assert run("train", "a.csv", *options, "--emoji")[0] == 0
    model = load(tmp_path / "model.qx")
    assert list(model.vectorizer_.vocabulary_) == ["no", "so", "👍", "👎"]
    assert model.predict(["👍", "👍🏿", "👎", "👍"]).tolist() == [0.25, 0.75]

    code, out, err = run(
        "estimate", "model.qx", "a.csv", "--text", "answer", "--no-intervals", "--json"
    )
    assert (code, json.loads(out)["known_share"]) == (0, {"all": 1.0})
    assert "no text" not in err

    # Without that option they hold no words, which is not to be empty.
    table.filter(pl.col("answer").str.len_chars() < 3).write_csv("a.csv")
    code, out, err = run("train", "a.csv", *options)
    assert (code, out) == (2, "")
    assert "none of the 10 texts has a term" in err
    assert "emoji" in err
    assert "empty" not in err


def test_options_that_make_no_sense_are_an_error(run):
    survey([12, 12, 12]).write_csv("a.csv")
    options = ["a.csv", "--text", "answer", "--label", "topic"]
    for more, message in [
        (["--method", "svm-kdl"], "method 'svm-kdl' is unknown; did you mean SVM(KLD)"),
        (["--stemmer", "klingon"], "stemmer 'klingon' is unknown; give None or one of"),
        (["--stop-words", "french"], "--stop-words is english, none or a file"),
        (["--min-df", "99"], "lower min_df=99"),
        (["--folds", "1"], "folds is 1; use 0 for no cross-validation, or at least 2"),
        (["--folds", "0"], "AdaptiveCount learns from out-of-fold scores"),
    ]:
        code, out, err = run("train", *options, *more)
        assert (code, out) == (2, "")
        assert message in err


# The library behind it


def test_quality_is_that_of_the_out_of_fold_scores():
    table = survey([30, 20, 10])
    corpus = Corpus("a", table["answer"], table["topic"])
    quantifier = train(corpus, name="ACC", folds=5).model.quantifier_
    found = quality(quantifier)
    decided = quantifier.scores_.out_of_fold.argmax(axis=1)
    y = np.searchsorted(corpus.classes, table["topic"].to_numpy())
    for k in range(3):
        tp = np.sum((decided == k) & (y == k))
        fp = np.sum((decided == k) & (y != k))
        assert found["tpr"][k] == tp / np.sum(y == k)
        assert found["fpr"][k] == fp / np.sum(y != k)
        assert found["f1"][k] == pytest.approx(2 * tp / (tp + fp + np.sum(y == k)))


def test_usual_words_are_those_that_other_documents_know():
    # Every tenth document is left aside: of its words "battery", "drains", "fast", the others have
    # the first two.
    texts = pl.Series(["battery drains"] * 9 + ["battery drains fast"])
    assert usual_known_share(texts, LtcVectorizer()) == pytest.approx(2 / 3)
    assert usual_known_share(texts[1:], LtcVectorizer()) is None
    assert usual_known_share(pl.Series(["7"] * 9 + ["seven"]), LtcVectorizer()) is None


def test_two_classes_have_a_row_each():
    table = survey([30, 20, 10])
    corpus = Corpus("a", table["answer"], (table["topic"] == "battery").cast(pl.String))
    found = quality(train(corpus, name="CC").model.quantifier_)
    assert found["class"].to_list() == ["false", "true"]
    assert found["documents"].to_list() == [30, 30]
    # What is missed of one class is taken for the other.
    assert found["tpr"][0] == pytest.approx(1 - found["fpr"][1])


# Searching


def test_a_search_says_what_was_tried_and_saves_the_best(run):
    survey([40, 30, 20]).write_csv("coded.csv")
    given = ["train", "coded.csv", "--text", "answer", "--label", "topic", "--method", "pacc"]
    code, out, err = run(*given, "--search")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert out.startswith("Tried on 200 batches of 45 documents from out-of-fold scores, drawn")
    rows = [line.split() for line in out.splitlines()[out.splitlines().index("") + 2 :][:4]]
    assert {row[0] for row in rows} == {"0.111", "0.333", "1", "3"}
    errors = [float(row[1]) for row in rows]
    assert errors == sorted(errors)
    assert [row[2:] for row in rows] == [["chosen"], [], [], []]
    assert "Learned 3 classes by PACC from 90 documents" in out
    best = load("model.qx")
    assert float(rows[0][0]) == best.quantifier_.classifier.C
    assert best.about_["chosen"] == [f"classifier__C={float(rows[0][0])}"]
    assert best.about_["method"] == "PACC"
    assert best.quantifier_.scores_.out_of_fold.shape == (90, 3)


def test_a_search_in_json_has_all_settings(run):
    survey([40, 30, 20]).write_csv("coded.csv")
    given = ["train", "coded.csv", "--text", "answer", "--label", "topic", "--method", "cc"]
    code, out, _ = run(*given, "--search", "--protocol", "natural", "--json")
    assert code == 0
    found = json.loads(out)["search"]
    assert found["batches"] == 200
    assert found["settings"][0]["classifier__C"] == found["chosen"]["classifier__C"]
    assert [row["rank"] for row in found["settings"]] == [1, 2, 3, 4]
    assert "search" not in json.loads(run(*given, "--json")[1])


def test_a_search_of_several_labels_draws_batches_of_each(run):
    table = survey([40, 30, 20]).with_columns(topic=pl.col("topic") + ";any")
    table.write_csv("coded.csv")
    given = ["train", "coded.csv", "--text", "answer", "--label", "topic", "--separator", ";"]
    code, out, err = run(*given, "--method", "pcc", "--search", "--json")
    assert code == 0
    assert json.loads(out)["search"]["batches"] == 300  # 100 for each label that not all have
    assert "'any': not asked, since too few documents have this label, or all" in " ".join(
        err.split()
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--protocol", "natural"], "Error: --protocol is for --search: it says on which"),
        (
            ["--search", "--method", "training-prevalence"],
            "Error: TrainingPrevalence has no classifier with a parameter C to search",
        ),
    ],
)
def test_a_search_without_anything_to_search_is_an_error(run, options, message):
    survey([12, 12, 12]).write_csv("coded.csv")
    code, _, err = run("train", "coded.csv", "--text", "answer", "--label", "topic", *options)
    assert code == 2
    assert err.startswith(message)
