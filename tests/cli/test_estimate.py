"""quantext estimate: batches, intervals, truth, files and streams."""

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from quantext.measures import absolute_error
from quantext.models.estimates import estimate, gives_intervals
from quantext.models.save import save
from quantext.models.train import train
from quantext.texts.columns import Columns
from quantext.texts.corpus import Corpus
from quantext.texts.reading import read_documents
from tests.support.survey import command, survey

TRAINED = survey([40, 30, 20], seed=1)
NEW = survey([10, 20, 60], seed=2)


@pytest.fixture(scope="module")
def model():
    return train(Corpus("a", TRAINED["answer"], TRAINED["topic"]), name="acc", folds=5).model


@pytest.fixture
def run(monkeypatch, capsys, tmp_path, model):
    monkeypatch.chdir(tmp_path)
    save(model, "model.qx")
    NEW.write_csv("new.csv")
    return command(monkeypatch, capsys)


OPTIONS = ["--text", "answer", "--replicates", "50"]


def test_the_table_has_shares_intervals_counts_and_bars_within_80_columns(run, model):
    code, out, err = run("estimate", "model.qx", "new.csv", *OPTIONS)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["class", "share", "95%", "interval", "count"]
    assert lines[1] == "all (90 documents)"
    # Largest first; its bar fills the line.
    p_hat = model.predict(NEW["answer"])
    name, share, low, _, high, count, bar = lines[2].split()
    assert name == "screen"
    assert share == f"{100 * p_hat[2]:.1f}%"
    assert float(low) <= 100 * p_hat[2] <= float(high)
    assert int(count) == round(90 * p_hat[2])
    assert set(bar) == {"█"}
    assert len(lines[2]) == 80


def test_batches_by_name_come_in_natural_order(run):
    names = pl.Series(["wave 10", "wave 9"] * 45)
    NEW.with_columns(wave=names).write_csv("waves.csv")
    code, out, _ = run(
        "estimate", "model.qx", "waves.csv", *OPTIONS, "--by", "wave", "--no-intervals"
    )
    assert code == 0
    batches = [line for line in out.splitlines() if line.startswith("wave")]
    assert batches == ["wave 9 (45 documents)", "wave 10 (45 documents)"]
    assert "interval" not in out


def test_documents_are_quoted_on_the_page_and_nowhere_else(run):
    files = ["--out", "a.csv", "--report", "a.html"]
    code, out, err = run("estimate", "model.qx", "new.csv", *OPTIONS, *files, "--quotes", "2")
    assert (code, err) == (0, "")
    assert "This page quotes 6 documents: think before" in Path("a.html").read_text("utf-8")
    assert not any(text in out + Path("a.csv").read_text("utf-8") for text in NEW["answer"])


def test_quotes_need_a_page(run):
    code, out, err = run("estimate", "model.qx", "new.csv", *OPTIONS, "--quotes", "2")
    assert (code, out) == (2, "")
    assert "--quotes shows documents on a page; add --report FILE.html" in err


def test_two_tables_are_written_if_two_are_asked_for(run):
    files = ["--out", "a.csv", "--out", "a.json"]
    assert run("estimate", "model.qx", "new.csv", *OPTIONS, *files)[0] == 0
    assert pl.read_csv("a.csv")["share"].to_list() == pl.read_json("a.json")["share"].to_list()
    code, _, err = run("estimate", "model.qx", "new.csv", *OPTIONS, *files[:3], "new.csv")
    assert code == 2
    assert "new.csv would be overwritten" in err


@pytest.mark.parametrize("extension", ["csv", "json", "parquet"])
def test_all_estimates_are_written_to_a_file(run, model, extension):
    out = f"shares.{extension}"
    assert run("estimate", "model.qx", "new.csv", *OPTIONS, "--out", out, "--top", "1")[0] == 0
    table = {"csv": pl.read_csv, "json": pl.read_json, "parquet": pl.read_parquet}[extension](out)
    assert table.columns == ["batch", "class", "share", "count", "low", "high", "size", "p_train",
                             "verdict"]  # fmt: skip
    assert set(table["verdict"]) <= {"fine", "care", "distrust"}
    np.testing.assert_allclose(table["share"], model.predict(NEW["answer"]))


def test_json_is_for_machines(run, model):
    options = [*OPTIONS, "--by", "day", "--period", "year", "--json"]
    code, out, err = run("estimate", "model.qx", "new.csv", *options)
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["documents"] == 90
    assert found["known_share"] == {"2024-01-01": 1.0}
    verdict = found["verdicts"]["2024-01-01"]
    assert verdict["level"] == found["estimates"][0]["verdict"]
    assert bool(verdict["reasons"]) == (verdict["level"] != "fine")
    assert verdict["change"] is None  # ACC does not look at words
    assert found["warnings"] == []
    shares = [row["share"] for row in found["estimates"]]
    np.testing.assert_allclose(shares, model.predict(NEW["answer"]))


def test_a_report_is_written(run, tmp_path):
    options = [*OPTIONS, "--by", "day", "--period", "month", "--report", "page.html"]
    code, _, err = run("estimate", "model.qx", "new.csv", *options)
    assert (code, err) == (0, "")
    page = (tmp_path / "page.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "screen" in page
    assert "model.qx" in page


# Truth


def test_labels_give_the_truth_and_the_error(run, model):
    code, out, _ = run(
        "estimate", "model.qx", "new.csv", *OPTIONS, "--label", "topic", "--out", "a.csv"
    )
    assert code == 0
    table = pl.read_csv("a.csv")
    # 10, 20 and 60 of 90 documents.
    np.testing.assert_allclose(table["true_share"], [1 / 9, 2 / 9, 6 / 9])
    error = absolute_error(np.array([1, 2, 6]) / 9, model.predict(NEW["answer"]), size=90)
    naive = absolute_error(np.array([1, 2, 6]) / 9, np.array([4, 3, 2]) / 9, size=90)
    assert out.splitlines()[-2:] == [
        f"Mean absolute error {100 * error:.2f} points; of the training shares {100 * naive:.2f}.",
        "The truth is that of column 'topic'.",
    ]
    assert max(map(len, out.splitlines())) <= 80


# What the model file remembers of its training

ABOUT = {"text": ["answer"], "label": "topic", "method": "CC", "trained": "2024-02-29"}


@pytest.fixture
def remember(run, model):
    """The same, with a model that remembers its columns."""
    save(model, "model.qx", about=ABOUT)
    return run


@pytest.mark.parametrize("name", ["new.csv", "new.jsonl", "new.parquet", "-"])
def test_columns_are_those_of_training_if_they_are_there(remember, monkeypatch, name):
    NEW.write_ndjson("new.jsonl")
    NEW.write_parquet("new.parquet")
    stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(NEW.write_csv().encode())))
    monkeypatch.setattr("sys.stdin", stream)
    form = ["--format", "csv"] if name == "-" else []
    code, out, err = remember("estimate", "model.qx", name, *form, "--no-intervals", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["label"] == "topic"
    true = [row["true_share"] for row in found["estimates"]]
    np.testing.assert_allclose(true, [1 / 9, 2 / 9, 6 / 9])


def test_labels_that_are_there_can_be_passed_over(remember):
    options = ["model.qx", "new.csv", "--no-intervals", "--json"]
    assert "label" not in json.loads(remember("estimate", *options, "--no-label")[1])
    code, _, err = remember("estimate", *options, "--no-label", "--label", "topic")
    assert (code, "--label topic and --no-label contradict each other" in err) == (2, True)


def test_new_documents_need_no_labels(remember):
    NEW.drop("topic").write_csv("new.csv")
    NEW.with_columns(topic=pl.lit("")).write_csv("empty.csv")  # to be coded one day
    for name in ("new.csv", "empty.csv"):
        code, out, err = remember("estimate", "model.qx", name, "--no-intervals")
        assert (code, err) == (0, "")
        assert "truth" not in out


def test_one_file_may_have_labels_and_another_not(remember):
    NEW[:60].write_csv("a.csv")
    NEW[60:].drop("topic").write_csv("b.csv")
    code, out, err = remember("estimate", "model.qx", "a.csv", "b.csv", "--no-intervals", "--json")
    assert code == 0
    assert "30 of 90 documents have no label in 'topic'" in err
    assert json.loads(out)["estimates"][0]["true_share"] is None


def test_a_separator_of_training_does_no_harm_to_lists(run, model):
    save(model, "model.qx", about={**ABOUT, "separator": ";"})
    NEW.with_columns(topic=pl.concat_list("topic")).write_ndjson("new.jsonl")
    code, out, _ = run("estimate", "model.qx", "new.jsonl", "--no-intervals", "--json")
    assert (code, json.loads(out)["estimates"][0]["true_share"]) == (0, 10 / 90)


def test_a_column_of_training_that_is_not_there_is_an_error_that_says_so(remember):
    NEW.rename({"answer": "answers"}).write_csv("new.csv")
    code, out, err = remember("estimate", "model.qx", "new.csv")
    assert (code, out) == (2, "")
    assert "no column 'answer' (did you mean 'answers'?)" in err
    assert "That is where the texts were in training; name their column here with --text" in err
    code, _, err = remember("estimate", "model.qx", "new.csv", "--text", "answer")
    assert (code, "in training" in err) == (2, False)


@pytest.mark.parametrize("about", [None, {"text": "answer"}, {"text": []}])
def test_a_model_that_remembers_no_column_asks_for_it(run, model, about):
    save(model, "model.qx", about=about)
    code, out, err = run("estimate", "model.qx", "new.csv")
    assert (code, out) == (2, "")
    assert err == "Error: model.qx does not say in which column texts are; name it with --text\n"


def test_the_report_says_what_the_model_remembers(run, model, tmp_path):
    about = ABOUT | {"known_share": 0.875, "files": ["coded.csv"]}
    save(model, "model.qx", about=about)
    assert run("estimate", "model.qx", "new.csv", "--no-intervals", "--report", "a.html")[0] == 0
    page = (tmp_path / "a.html").read_text()
    for said in (
        "Share of each class in new.csv",
        "estimated by CC from 90 training documents",
        "trained on 2024-02-29",
        "coded.csv",
        "87.5%",
    ):
        assert said in page


def test_batches_with_unlabelled_documents_have_no_true_share(run):
    wave = pl.when(pl.int_range(90) < 45).then(pl.lit("a")).otherwise(pl.lit("b"))
    topic = pl.when(pl.int_range(90) == 3).then(None).otherwise("topic")
    NEW.with_columns(wave=wave, topic=topic).write_csv("some.csv")
    options = [*OPTIONS, "--by", "wave", "--label", "topic", "--no-intervals", "--out", "a.csv"]
    code, out, err = run("estimate", "model.qx", "some.csv", *options)
    assert code == 0
    assert "1 of 90 documents have no label in 'topic'; true shares are given for batches" in err
    table = pl.read_csv("a.csv")
    assert table.filter(batch="a")["true_share"].null_count() == 3
    assert table.filter(batch="b")["true_share"].sum() == pytest.approx(1)
    assert "–" in out


def test_labels_that_training_did_not_have_are_counted(run):
    topic = pl.when(pl.int_range(90) < 4).then(pl.lit("sound")).otherwise("topic")
    NEW.with_columns(topic=topic).write_csv("more.csv")
    options = [*OPTIONS, "--label", "topic", "--no-intervals"]
    code, _, err = run("estimate", "model.qx", "more.csv", *options)
    assert code == 0
    assert "4 labels were not in training, so nothing is estimated of them: 'sound' (4)" in err


def test_lists_of_labels_and_single_ones_are_counted_alike(model, tmp_path):
    lists, single = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    lists.write_text('{"t": "battery", "l": ["battery", "price"]}\n{"t": "x y", "l": []}\n')
    single.write_text('{"t": "glass", "l": "screen"}\n{"t": "glass", "l": "screen"}\n')
    blocks = read_documents([lists, single], Columns("t", "l"), unlabelled=True)
    found = estimate(model, blocks, level=None)
    # Of four documents one has battery and price, two have screen, one has nothing.
    assert found.table["true_share"].to_list() == [0.25, 0.25, 0.5]
    assert (found.n_rows, found.n_documents, found.n_unlabelled) == (4, 4, 0)


# Words


def test_vectors_with_counts_are_the_vectors(model):
    vectorizer, texts = model.vectorizer_, [*NEW["answer"], "", "unheard", "the"]
    (dense, words), = vectorizer.map_counted(lambda X: X.toarray(), [texts])  # fmt: skip
    np.testing.assert_array_equal(dense, vectorizer.transform(texts).toarray())
    assert words.shape == (93, 2)
    assert words[-3:].tolist() == [[0, 0], [0, 1], [0, 1]]


def test_texts_in_another_language_are_warned_of(run):
    german = {"battery": ["Akku", "leer", "laden"], "price": ["Preis", "teuer", "Geld"],
              "screen": ["Bildschirm", "Glas", "hell"]}  # fmt: skip
    table = survey([5, 5, 5], words=german).with_columns(
        answer=pl.col("answer").str.replace_all("|".join(["phone", "bought", "week"]), "Handy")
    )
    table.write_csv("german.csv")
    code, out, err = run("estimate", "model.qx", "german.csv", *OPTIONS)
    assert code == 0
    assert err == ""
    assert "Do not trust: " in out
    assert "of the words are known from training" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80


def test_texts_without_words_are_not_taken_for_known(run):
    pl.DataFrame({"answer": ["😀😀", "42", ":-)"] * 30}).write_csv("emoji.csv")
    code, out, _ = run("estimate", "model.qx", "emoji.csv", *OPTIONS)
    assert code == 0
    told = " ".join(out.split())
    assert "Do not trust: hardly any of these documents has a word that the model can read" in told
    found = json.loads(run("estimate", "model.qx", "emoji.csv", *OPTIONS, "--json")[1])
    assert found["known_share"] == {"all": None}


def test_the_words_that_have_changed_are_told(run):
    adaptive = train(Corpus("a", TRAINED["answer"], TRAINED["topic"]), name="adaptive", folds=5)
    save(adaptive.model, "adaptive.qx")
    crack = NEW.with_columns(answer=pl.lit("crack money power crack money power"))
    crack.write_csv("crack.csv")
    code, out, _ = run("estimate", "adaptive.qx", "crack.csv", *OPTIONS)
    assert code == 0
    assert "use very different words than those of training" in " ".join(out.split())
    [line] = [line for line in out.splitlines() if line.startswith("  Documents with ")]
    assert ": 100% (" in line
    assert "% in training)" in line
    found = json.loads(run("estimate", "adaptive.qx", "crack.csv", *OPTIONS, "--json")[1])
    words = {word["word"]: word for word in found["verdicts"]["all"]["change"]["words"]}
    assert words["money"]["share"] == 1
    assert words["money"]["train"] == pytest.approx(TRAINED["answer"].str.contains("money").mean())


def test_what_is_true_of_all_batches_is_said_once(run):
    few = survey([40, 30, 3], seed=1)
    model = train(Corpus("a", few["answer"], few["topic"]), name="acc", folds=3).model
    save(model, "few.qx")
    options = [*OPTIONS, "--by", "day", "--period", "month"]
    code, out, _ = run("estimate", "few.qx", "new.csv", *options)
    assert code == 0
    assert " ".join(out.split()).count("training documents are of “screen”") == 1
    assert "All batches: " in out


# Models


def test_a_model_without_folds_gives_estimates_but_no_intervals(run, model):
    plain = train(Corpus("a", TRAINED["answer"], TRAINED["topic"]), name="cc", folds=0).model
    assert not gives_intervals(plain)
    assert gives_intervals(model)
    save(plain, "plain.qx")
    code, out, err = run("estimate", "plain.qx", "new.csv", *OPTIONS)
    assert code == 0
    assert "no intervals: the model was trained without cross-validation" in err
    assert "interval" not in out


def test_a_model_that_cannot_read_texts_is_an_error(run, model):
    save(model.quantifier_, "vectors.qx")
    code, _, err = run("estimate", "vectors.qx", "new.csv", *OPTIONS)
    assert code == 2
    assert "vectors.qx holds a AdjustedCount, which cannot read texts by itself" in err


def test_another_vectorizer_will_do():
    from sklearn.feature_extraction.text import TfidfVectorizer

    from quantext.learners.linear import LinearSVM
    from quantext.models.textquantifier import TextQuantifier
    from quantext.quantifiers import ClassifyAndCount

    other = TextQuantifier(ClassifyAndCount(LinearSVM()), TfidfVectorizer())
    other.fit(TRAINED["answer"], TRAINED["topic"].to_numpy())
    found = estimate(other, [(90, NEW.select(text="answer"))], level=None)
    np.testing.assert_array_equal(found.table["share"], other.predict(NEW["answer"]))


# Streams


def test_standard_input_is_read(run, model, monkeypatch):
    with open("new.csv", encoding="utf-8") as file:
        monkeypatch.setattr("sys.stdin", file)
        code, out, err = run("estimate", "model.qx", "-", "--format", "csv", *OPTIONS, "--json")
    assert (code, err) == (0, "")
    shares = [row["share"] for row in json.loads(out)["estimates"]]
    np.testing.assert_allclose(shares, model.predict(NEW["answer"]))


def test_standard_input_needs_a_format(run):
    code, _, err = run("estimate", "model.qx", "-", *OPTIONS)
    assert (code, err) == (
        2, "Error: standard input has no extension; say --format csv, tsv, jsonl or another\n"
    )  # fmt: skip


MEASURE = """
import os, sys
import quantext.texts.reading, quantext.models.estimates, quantext.models.save
from quantext.cli import main

for path in sys.argv[1:]:
    if child := os.fork():  # before anything has run, so that all start alike
        assert os.waitpid(child, 0)[1] == 0, path
        continue
    kind = path.removesuffix(".gz").rpartition(".")[2]
    data = path
    if path.startswith("-"):
        data, sys.stdin = "-", open(path[1:])
    sys.argv = ["quantext", "estimate", "model.qx", data, "--text", "answer", "--format", kind,
                "--no-intervals", "--by", "day", "--period", "month", "--quiet", "--out", "out.csv"]
    try:
        main()
    except SystemExit as end:
        assert not end.code, (path, end.code)
    status = open("/proc/self/status").read().split()
    print(path, status[status.index("VmHWM:") + 1], file=sys.stderr, flush=True)
    os._exit(0)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_memory_does_not_grow_with_the_file(model, tmp_path):
    save(model, tmp_path / "model.qx")
    kinds = ("csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.gz")
    answers = NEW.with_columns(answer=pl.col("answer") + " really" * 150)
    for factor in (400, 1200):
        table = pl.concat([answers] * factor)
        for kind in kinds:
            write(table, tmp_path / f"{factor}.{kind}", kind)
    assert (tmp_path / "1200.csv").stat().st_size > 99e6
    names = [f"{factor}.{kind}" for factor in (400, 1200) for kind in kinds]
    run = subprocess.run(
        [sys.executable, "-c", MEASURE, *names, "-400.csv", "-1200.csv"],
        cwd=tmp_path, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    megabytes = {
        name: int(kilobytes) / 1024 for name, kilobytes in map(str.split, run.stderr.splitlines())
    }
    for kind in kinds:
        assert megabytes[f"1200.{kind}"] < megabytes[f"400.{kind}"] + 40, (kind, megabytes)
    assert megabytes["-1200.csv"] < megabytes["-400.csv"] + 40
    assert max(megabytes.values()) < 600


def write(table, path, kind):
    match kind:
        case "parquet":
            table.write_parquet(path, row_group_size=5000)
        case "tsv":
            table.write_csv(path, separator="\t")
        case _:
            text = table.write_csv() if "csv" in kind else table.write_ndjson()
            data = text.encode()
            path.write_bytes(gzip.compress(data, 1) if kind.endswith("gz") else data)
