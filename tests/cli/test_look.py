"""quantext look: what it prints, and the command it ends with."""

import io
import json
import shlex
import sys

import polars as pl
import pytest

from quantext.cli.look_next import command_lines
from tests.support.survey import command, survey


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return command(monkeypatch, capsys)


def test_a_table_is_described_and_the_command_at_the_end_works(run):
    survey([40, 30, 20]).write_csv("coded.csv")
    code, out, err = run("look", "coded.csv")
    assert (code, err) == (0, "")
    assert out.startswith("coded.csv: 90 rows, 3 columns\n")
    assert max(map(len, out.splitlines())) <= 80
    assert [line.split()[:4] for line in out.splitlines()[3:6]] == [
        ["answer", "text", "100%", "90"],
        ["topic", "label", "100%", "3"],
        ["day", "date", "100%", "58"],
    ]
    assert "battery                               40   44.4%  ████████████████████████\n" in out
    assert "Dates: 'day', 2024-01-02 to 2024-03-28\n" in out
    line = out.splitlines()[-1]
    assert line == "  quantext train coded.csv --text answer --label topic"
    assert run(*shlex.split(line)[1:])[0] == 0


def test_json_is_for_other_programs(run):
    survey([12, 12, 12]).write_csv("my answers.csv")
    code, out, _ = run("look", "my answers.csv", "--json")
    found = json.loads(out)
    assert (code, found["rows"]) == (0, 36)
    assert [column["kind"] for column in found["columns"]] == ["text", "label", "date"]
    assert found["labels"]["counts"] == [["battery", 12], ["price", 12], ["screen", 12]]
    assert found["dates"]["first"].startswith("2024-01-")
    assert found["next"] == "quantext train 'my answers.csv' --text answer --label topic"
    assert found["steps"] == [{"said": "Next:", "command": found["next"]}]
    assert len(found["first"]) == 5
    assert found["first"][0][1] == survey([12, 12, 12])["topic"][0]
    assert found["labels"]["fault"] is None


def test_what_is_odd_is_said_to_programs_without_options_of_the_command_line(run):
    topics = ["price"] * 10 + ["Price"] * 10 + ["N/A"] * 10
    texts = [f"Answer number {i} is here" for i in range(30)]
    pl.DataFrame({"answer": texts, "topic": topics}).write_csv("a.csv")
    odd = json.loads(run("look", "a.csv", "--json")[1])["odd"]
    assert odd == [
        {
            "said": "'Price' (10) and 'price' (10) are likely one label",
            "helps": "--merge-labels makes one of them",
            "where": [],
        },
        {
            "said": "'N/A' (10) may say that a label is missing",
            "helps": "to leave these rows out, --where 'topic!=N/A'",
            "where": ["topic!=N/A"],
        },
    ]
    pl.DataFrame({"answer": texts, "topic": ["price"] * 30}).write_csv("a.csv")
    labels = json.loads(run("look", "a.csv", "--label", "topic", "--json")[1])["labels"]
    assert labels["fault"] == "one value, and there must be two to tell apart"


def test_several_labels_another_language_and_options_of_reading_go_into_the_command(run):
    texts = [f"Das Gerät {i} ist nicht gut, aber der Preis war sehr niedrig." for i in range(30)]
    topics = ["Preis", "Preis;Akku", "Akku"] * 10
    table = pl.DataFrame({"Antwort": texts, "Themen": topics})
    with open("a.dat", "w", encoding="cp1252") as file:
        file.write(table.write_csv())
    code, out, _ = run("look", "a.dat", "--format", "csv", "--encoding", "cp1252")
    assert code == 0
    assert "several in 10 of them, divided by ';'" in out
    assert "seem to be German" in out
    assert out.endswith(
        "  quantext train a.dat --text Antwort --label Themen --separator ';' \\\n"
        "      --stemmer german --format csv --encoding cp1252\n"
    )
    line = out.partition("Next:\n\n")[2].replace("\\\n", "")
    code, out, _ = run(*shlex.split(line)[1:])
    assert code == 0
    assert "Learned 2 classes" in out


def test_what_is_odd_is_said_with_its_rows(run, tmp_path):
    rows = [f"This is answer number {i},{'ab'[i % 2]}" for i in range(40)]
    rows[3:6] = ["answer,topic", " ,", "This is answer number 1,B"]
    rows[8:11] = ["The caf\ufffd was shut,a", "The cafÃ© was shut,b", "?!,b"]
    rows[11] = f"{'very ' * 900},a"
    rows[12] = "They were late,"
    (tmp_path / "a.csv").write_text("\n".join(["answer,topic", *rows, ""]), encoding="utf-8")
    code, out, _ = run("look", "a.csv")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    notes = " ".join(out.partition("Worth a look:\n")[2].split())
    for note in (
        "- 1 text (3%) repeats another one -",
        "- 1 text without a letter (row 11) -",
        "- 1 text very long, up to 4,499 characters (row 12) where 24 are usual -",
        "- 1 row without a label in 'topic': left out by train -",
        "- 'b' (18) and 'B' (1) are likely one label: --merge-labels makes one of them -",
        "- few documents to learn from: 'B' (1) -",
        "- 1 row blank throughout (row 5) -",
        "- 1 row a header once more (row 4): to be deleted -",
        "- characters lost (\ufffd) in 1 cell of 'answer' (row 9): save the table anew, as UTF-8 -",
        "- garbled letters, as Ã© for é, in 1 cell of 'answer' (row 10): UTF-8 was read as",
    ):
        assert note in notes


def test_labels_in_two_spellings_are_merged_by_the_command(run):
    table = survey([12, 12, 12])
    pl.concat([table, table.head(2).with_columns(topic=pl.lit("Price"))]).write_csv("a.csv")
    out = run("look", "a.csv")[1]
    line = "  quantext train a.csv --text answer --label topic --merge-labels"
    assert out.splitlines()[-1] == line
    assert "Learned 3 classes" in run(*shlex.split(line)[1:])[1]


def test_rows_of_several_files_are_those_of_their_file(run):
    for name, odd in (("a.csv", []), ("b.csv", [3, 5]), ("c.csv", [0])):
        own = ["?!" if i in odd else f"Answer {i} of {name} is here" for i in range(36)]
        pl.DataFrame({"answer": own, "topic": ["x", "y"] * 18}).write_csv(name)
    out = run("look", "a.csv", "b.csv", "c.csv")[1]
    assert "- 3 texts without a letter (rows 4, 6 of b.csv, 1 of c.csv)\n" in out
    assert "- 1 text without a letter (row 1)\n" in run("look", "c.csv")[1]
    facts = json.loads(run("look", "a.csv", "b.csv", "c.csv", "--json")[1])
    assert facts["files"] == [["a.csv", 36], ["b.csv", 36], ["c.csv", 36]]
    assert facts["texts"][0]["wordless"]["first"] == [40, 42, 73]


def test_lists_in_one_file_and_single_labels_in_another_lead_to_no_command(run):
    table = survey([12, 12, 12]).select("answer", "topic")
    table.write_ndjson("a.jsonl")
    table.with_columns(pl.concat_list("topic")).write_ndjson("b.jsonl")
    out = run("look", "a.jsonl", "b.jsonl")[1]
    assert "Column 'topic' has lists of labels in one file and single labels in another" in out
    assert "quantext train" not in out
    assert "quantext train b.jsonl" in run("look", "b.jsonl")[1]


def test_one_column_for_each_label_is_to_be_joined(run):
    table = survey([12, 12, 12])
    codes = [table["topic"].eq(name).cast(int).alias(name) for name in ("battery", "price")]
    more = pl.Series("service", [0, 1] * 18)
    pl.DataFrame([table["answer"], *codes, more]).write_csv("a.csv")
    out = " ".join(run("look", "a.csv")[1].split())
    assert "- 'battery', 'price' and 'service' say 0 or 1. If each is a label, join them in" in out
    assert "as in battery|price, and name it with --label and --separator" in out
    table.with_columns(*codes, more).write_csv("a.csv")
    assert "say 0 or 1" not in run("look", "a.csv")[1]


def test_without_labels_it_says_so_and_how_to_estimate(run):
    survey([12, 12, 12]).drop("topic").write_csv("new.csv")
    code, out, _ = run("look", "new.csv")
    assert code == 0
    assert "No column looks like labels." in out
    assert out.endswith(
        "  quantext estimate model.qx new.csv --text answer --by day --period month\n"
    )


def test_without_texts_it_says_so(run):
    pl.DataFrame({"x": [0.5, 1.5, 2.7], "y": [1.25, 2.3, 0.1]}).write_csv("a.csv")
    code, out, _ = run("look", "a.csv")
    assert (code, out.splitlines()[-1]) == (
        0,
        "No column looks like texts. If one holds them, name it with --text.",
    )
    assert json.loads(run("look", "a.csv", "--json")[1])["next"] is None


def test_what_a_model_says_leads_to_plan_and_with_truths_to_correct(run):
    table = survey([30, 30, 30]).rename({"topic": "model"})
    table.write_csv("a.csv")
    line = run("look", "a.csv")[1].partition("corrected:\n\n")[2].replace("\\\n", "")
    assert shlex.split(line)[:5] == ["quantext", "plan", "a.csv", "--proxy", "model"]
    code, _, err = run(*shlex.split(line)[1:])
    assert (code, err[:8]) == (0, "Warning:")  # a pilot is needed first
    truth = [label if i < 40 else None for i, label in enumerate(table["model"])]
    table.with_columns(pl.Series("checked", truth)).write_csv("b.csv")
    out = run("look", "b.csv")[1]
    assert "If 'model' is what a model says, and the 40 rows with a label in 'checked'" in out
    assert "  quantext correct b.csv --proxy model --truth checked --design srs\n" in out
    assert out.endswith("  quantext train b.csv --text answer --label checked\n")
    assert (
        run("correct", "b.csv", "--proxy", "model", "--truth", "checked", "--design", "srs")[0] == 0
    )


def test_columns_may_be_named_where_a_guess_is_wrong(run):
    table = survey([12, 12, 12]).with_columns(id=pl.int_range(36))
    table.write_csv("a.csv")
    code, out, _ = run("look", "a.csv", "--label", "id")
    assert code == 0
    assert "Labels: 'id', 36 in 36 rows" in out
    assert out.endswith(
        "Column 'id' has too many different values for labels; name another with --label.\n"
    )
    code, _, err = run("look", "a.csv", "--label", "topics")
    assert (code, err.partition(";")[0]) == (
        2,
        "Error: a.csv has no column 'topics' (did you mean 'topic'?)",
    )


def test_standard_input_and_patterns_are_read(run, monkeypatch):
    data = survey([12, 12, 12]).write_csv()
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data.encode())))
    )
    code, out, _ = run("look", "-", "--format", "csv")
    assert (code, out.splitlines()[0]) == (0, "standard input: 36 rows, 3 columns")
    survey([6, 6, 6]).write_csv("a1.csv")
    survey([6, 6, 6], seed=1).write_csv("a2.csv")
    out = run("look", "a*.csv")[1]
    assert out.startswith("a*.csv: 36 rows, 3 columns\n")
    assert out.endswith("  quantext train 'a*.csv' --text answer --label topic\n")
    assert run("look", "b.csv")[::2] == (2, "Error: there is no file b.csv\n")


def test_a_long_command_is_broken_between_options():
    name = "x" * 50 + ".csv"
    lines = command_lines(["quantext", "train", name, "--text", "y y", "--label", "z"])
    assert lines == [f"  quantext train {name} \\", "      --text 'y y' --label z"]


def test_labels_that_say_that_there_is_none_are_pointed_out_with_the_way_to_leave_them_out(run):
    labels = [["a", "b", "N/A", "-"][i % 4] for i in range(80)]
    texts = [f"This is answer number {i}" for i in range(80)]
    pl.DataFrame({"answer": texts, "my topic": labels}).write_csv("a.csv")
    code, out, _ = run("look", "a.csv")
    assert code == 0
    notes = " ".join(out.partition("Worth a look:\n")[2].split())
    assert "'-' (20) and 'N/A' (20) may say that a label is missing: to leave" in notes
    assert "--where 'my topic!=-' --where 'my topic!=N/A'" in notes


def test_line_breaks_between_labels_are_called_newline_and_that_is_understood(run):
    labels = [["a", "b", "c", "a\nb", "b\nc", "a\nc"][i % 6] for i in range(120)]
    texts = [f"This is answer {' '.join(label.split())} of {i}" for i, label in enumerate(labels)]
    pl.DataFrame({"answer": texts, "topics": labels}).write_csv("a.csv")
    code, out, _ = run("look", "a.csv")
    assert "divided by 'newline'" in out
    line = out.partition("Next:\n\n")[2].replace("\\\n", "")
    assert "--separator newline" in line
    code, out, _ = run(*shlex.split(line)[1:], "--method", "CC")
    assert (code, "Learned 3 classes" in out) == (0, True)


def test_where_most_texts_have_emoji_these_are_words_in_the_line_to_paste(run):
    texts = [f"This is answer number {i} {'😀😡'[i % 2]}" for i in range(40)]
    pl.DataFrame({"answer": texts, "topic": ["a", "b"] * 20}).write_csv("a.csv")
    assert run("look", "a.csv")[1].endswith("--text answer --label topic --emoji\n")


def test_percentages_and_marks_of_nearly_all_rows_are_not_offered_as_labels(run):
    texts = [f"This is answer number {i}" for i in range(200)]
    table = {
        "answer": texts,
        "topic": ["a", "b"] * 100,
        "share": [f"{i % 50}%" for i in range(200)],
        "finished": ["True"] * 197 + ["False"] * 3,
    }
    pl.DataFrame(table).write_csv("a.csv")
    assert "labels could also be" not in run("look", "a.csv")[1]
