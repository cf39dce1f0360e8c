"""quantext compare: what it runs, writes and says."""

import json
import signal
import time
from pathlib import Path

import polars as pl
import pytest
import typer

from quantext.cli.compare import end_if_failed
from quantext.cli.experiment import end_with
from quantext.datasets.synthetic import synthetic
from quantext.experiments.run import FailedTasksError
from tests.support.survey import command, start

FEW = ["--methods", "cc,pacc", "--jobs", "1"]
TOPICS = ["topics.csv", "--text", "answer", "--label", "topics", "--separator", ";", *FEW]
MOOD = ["mood.csv", "--text", "answer", "--label", "mood", *FEW]
WEEKLY = ["--by", "day", "--period", "week"]


@pytest.fixture(scope="module")
def tables():
    """Two surveys as text, one with several topics in an answer and one with one mood."""
    found = {}
    for name, labels in (("topics", "topics"), ("mood", "sentiment")):
        corpus = synthetic(3000, n_topics=5, weeks=15, labels=labels)
        column = corpus.labels
        if labels == "topics":
            column = column.list.join("; ").replace("", "none of these")
        columns = {"day": corpus.periods, "answer": corpus.texts, name: column}
        found[f"{name}.csv"] = pl.DataFrame(columns).write_csv()
    return found


@pytest.fixture
def run(monkeypatch, capsys, tmp_path, tables):
    monkeypatch.chdir(tmp_path)
    for name, text in tables.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return command(monkeypatch, capsys)


def test_methods_are_compared_on_later_periods_and_one_is_recommended(run, tmp_path):
    code, out, err = run("compare", *TOPICS, *WEEKLY)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    assert (
        lines[0]
        == "Trained on the first 1,000 documents, tested on 10 later periods (2024-02-05 to"
    )
    head = next(i for i, line in enumerate(lines) if line.startswith("method"))
    shown = [line[:20].strip() for line in lines[head + 1 : head + 4]]
    assert sorted(shown) == ["CC", "PACC", "Training prevalence"]
    klds = [float(line[20:].split()[0]) for line in lines[head + 1 : head + 4]]
    assert klds == sorted(klds)
    best = next(name for name in shown if name != "Training prevalence")
    said = " ".join(out.split())
    assert (
        "If new documents follow on the old ones, as in your dates, take "
        f"{best}. Its mean KLD is the least"
    ) in said
    assert (
        "  quantext train topics.csv --text answer --label topics --separator ';' \\\n"
        f"      --method {best.lower()}\n"
    ) in out
    assert "compare-topics/report.html" in lines[-1]
    assert (tmp_path / "compare-topics" / "report.html").exists()


def test_without_dates_it_says_that_shares_were_moved(run):
    pl.read_csv("mood.csv").drop("day").write_csv("undated.csv")
    code, out, err = run("compare", "undated.csv", *MOOD[1:])
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    said = " ".join(out.split())
    assert "drawn with shares that are uniform among all there can be" in said
    # Correcting pays where shares move that far.
    assert "If shares move a lot, and documents of a class stay the same, take PACC." in said
    assert "only dates or groups can tell (--by)" in err
    assert "quantext train undated.csv --text answer --label mood --method pacc" in out


def test_the_report_begins_with_the_answer_and_its_warnings_also_when_it_is_made_again(run):
    pl.read_csv("mood.csv").drop("day").write_csv("undated.csv")
    run("compare", "undated.csv", *MOOD[1:], "--out", "here")
    page = Path("here/report.html")
    first = page.read_text(encoding="utf-8")
    answer = "If shares move a lot, and documents of a class stay the same, take PACC."
    assert f'<h1 class="answer">{answer}</h1>' in first
    reason = first.index("Its mean KLD is the least of the methods that look at documents")
    warning = first.index("Shares were moved artificially, and real ones seldom move that far")
    assert reason < warning < first.index("Error by drift") < first.index(">Findings</h2>")
    # Bags that are drawn share documents.
    assert "No p-value is given: bags share documents" in first
    assert "at p &lt; .001. Bags share documents, so p-values hold for these" in first
    page.unlink()
    code, _, _ = run("report", "here")
    assert code == 0
    again = page.read_text(encoding="utf-8")
    assert again[: again.index("Error by drift")] == first[: first.index("Error by drift")]


def test_groups_are_left_out_one_after_the_other(run):
    table = pl.read_csv("mood.csv").drop("day")
    branches = pl.Series("branch", ["Delta", "Southwest", "United"] * 1000)
    table.with_columns(branches).write_csv("branches.csv")
    code, out, err = run("compare", "branches.csv", *MOOD[1:], "--by", "branch")
    assert code == 0, err
    said = " ".join(out.split())
    assert "3 groups, one group left out at a time" in said
    assert "If new documents come from groups that were not trained on, as in your groups" in said
    assert "before Southwest" not in out


def test_the_one_column_of_dates_is_used_unless_told_otherwise(run):
    code, out, err = run("compare", *MOOD)
    assert code == 0
    assert "tested on 10 later periods" in out
    assert "column 'day' has dates, so it is tested on later ones" in err
    code, out, err = run("compare", *MOOD, "--protocol", "natural")
    assert code == 0
    assert "at random, with shares as they come" in " ".join(out.split())
    assert "has dates" not in err


def test_dates_that_nobody_asked_for_are_left_aside_where_they_are_few(run):
    table = pl.read_csv("mood.csv").with_columns(day=pl.lit("2024-01-01"))
    table.write_csv("mood.csv")
    code, out, _ = run("compare", *MOOD)
    assert code == 0
    assert "uniform" in out


def test_json_has_the_same_for_programs(run):
    code, out, _ = run("compare", *MOOD, *WEEKLY, "--json", "--quiet")
    assert code == 0
    found = json.loads(out)
    assert {row["method"]: row["alias"] for row in found["methods"]} == {
        "CC": "cc",
        "PACC": "pacc",
        "Training prevalence": "training-prevalence",
    }
    chosen = found["recommendation"]
    assert chosen["method"] == "PACC"
    assert chosen["pays"] is True
    assert chosen["command"] == "quantext train mood.csv --text answer --label mood --method pacc"
    assert found["report"] == "compare-mood/report.html"
    assert found["warnings"] == [
        "there are 10 test sets only (all classes in a bag): take this as a hint"
    ]
    assert found["failures"] == {}


@pytest.mark.slow
def test_the_same_again_goes_on_and_another_comparison_gets_a_folder_of_its_own(run, tmp_path):
    def finished(folder):
        tasks = (tmp_path / folder / "tasks").iterdir()
        return {path.name: path.stat().st_mtime_ns for path in tasks}

    first = run("compare", *MOOD, *WEEKLY)
    before = finished("compare-mood")
    assert run("compare", *MOOD, *WEEKLY) == first
    assert finished("compare-mood") == before

    words = ["--stemmer", "none", "--stop-words", "english", "--emoji"]
    code, out, _ = run("compare", *MOOD, *WEEKLY, *words)
    assert code == 0
    assert "compare-mood-2/report.html" in out
    # What was said of words must be said again to train.
    assert "--label mood --stemmer none \\\n      --stop-words english --emoji --method pacc" in out
    facts = json.loads((tmp_path / "compare-mood-2" / "run.json").read_text(encoding="utf-8"))
    assert "emoji=True" in facts["configuration"]["vectorizer"]
    assert "stemmer=None, stop_words='english'" in facts["configuration"]["vectorizer"]

    code, out, err = run("compare", *MOOD, "--protocol", "natural", "--out", "compare-mood")
    assert (code, out) == (2, "")
    assert "compare-mood holds another run, which this one cannot go on with" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["mood.csv", "--text", "answer", "--label", "mod"], "did you mean 'mood'?"),
        (["none.csv", "--text", "answer", "--label", "mood"], "there is no file none.csv"),
        ([*MOOD, "--period", "week"], "need --by with a column"),
        ([*MOOD, "--protocol", "group"], "--protocol group needs --by with a column"),
        ([*MOOD, *WEEKLY, "--protocol", "group"], "--period is for dates"),
        ([*MOOD, "--train-until", "2024-03-01"], "need --by with a column"),
        ([*MOOD, *WEEKLY, "--train-until", "soon"], "'soon' is no date; write 1987-03-16"),
        ([*MOOD, *WEEKLY, "--min-size", "999"], "no bag has 999 documents; the largest has 200"),
        ([*MOOD, "--by", "day", "--period", "year"], "has one period only"),
        ([*MOOD, "--by", "mood", "--period", "week"], "is not a date"),
        ([*MOOD[:5], "--methods", "svm-kdl"], "method 'svm-kdl' is unknown; did you mean SVM(KLD)"),
        ([*MOOD[:5], "--methods", "training-prevalence"], "name another"),
        ([*MOOD, "--stop-words", "french"], "--stop-words is english, none or a file"),
        ([*MOOD, "--out", "mood.csv"], "mood.csv is a file; name a folder"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(run, options, message):
    code, out, err = run("compare", *options)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("Error: ")
    assert err.count("\n") == 1


def test_a_class_that_fails_is_named_and_the_exit_code_is_1(capsys, tmp_path):
    end_if_failed({}, tmp_path)
    failures = {"price": "the moon was full"}
    with pytest.raises(typer.Exit) as end:
        end_if_failed(failures, tmp_path)
    assert end.value.exit_code == 1
    assert "Error: some tasks failed and are left out: price. Why is in" in capsys.readouterr().err
    with pytest.raises(typer.Exit) as end:
        end_with(FailedTasksError(failures, tmp_path))
    assert end.value.exit_code == 1
    assert "Error: 1 task failed: price. The first: the moon was full" in capsys.readouterr().err


@pytest.mark.slow
def test_ctrl_c_leaves_a_clean_line_and_the_same_command_goes_on(run, tmp_path):
    options = ["compare", *MOOD[: -len(FEW)], *WEEKLY, "--methods", "all", "--jobs", "2"]
    process = start(*options, cwd=tmp_path)
    while not (tmp_path / "compare-mood").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.strip() == "Stopped. The same command goes on from here."
    assert run(*options, "--quiet")[0] == 0
