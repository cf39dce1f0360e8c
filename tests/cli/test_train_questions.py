"""quantext train without --text or --label: what it asks in a terminal, and says elsewhere."""

import io
import shlex
import sys

import polars as pl
import pytest

from quantext.models.save import load
from tests.support.survey import command, survey

QUICK = ["--method", "cc", "--folds", "0"]


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return command(monkeypatch, capsys)


@pytest.fixture
def answer(monkeypatch):
    """Function that makes a terminal of standard input, in which these lines are typed."""

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    def type_lines(*lines):
        monkeypatch.setattr(sys, "stdin", Terminal("".join(f"{line}\n" for line in lines)))
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    return type_lines


def again(err):
    """The command that was printed for the next time."""
    return shlex.split(err.partition("without questions:\n\n")[2].replace("\\\n", ""))


def test_without_a_terminal_the_error_has_the_command_to_paste(run):
    survey([12, 12, 12]).write_csv("a.csv")
    code, out, err = run("train", "a.csv")
    assert (code, out) == (2, "")
    assert err == (
        "Error: say with --text and --label in which columns texts and labels are; perhaps: "
        "quantext train a.csv --text answer --label topic\n"
    )
    code, _, err = run("train", "a.csv", "--text", "answer", *QUICK)
    assert code == 2
    assert err == (
        "Error: say with --label in which column labels are; perhaps: quantext train a.csv --label "
        "topic --text answer --method cc --folds 0\n"
    )
    line = err.partition("perhaps: ")[2]
    assert run(*shlex.split(line)[1:])[0] == 0


@pytest.mark.parametrize("option", ["--quiet", "--json"])
def test_who_wants_no_talk_is_not_asked(run, answer, option):
    survey([12, 12, 12]).write_csv("a.csv")
    answer("", "")
    code, _, err = run("train", "a.csv", option)
    assert code == 2
    assert err.endswith(f"quantext train a.csv --text answer --label topic {option}\n")


def test_where_the_file_suggests_nothing_look_is_recommended(run):
    pl.DataFrame({"x": [0.5, 1.5, 2.7]}).write_csv("a.csv")
    code, _, err = run("train", "a.csv")
    assert code == 2
    assert err.endswith("; `quantext look` shows what is in the file\n")
    pl.DataFrame({"model": ["a", "b"], "truth": ["a", "b"]}).write_csv("b.csv")
    code, _, err = run("train", "b.csv", "--proxy", "model")
    assert (code, err.partition(";")[0]) == (
        2,
        "Error: say with --label in which column labels are",
    )


def test_standard_input_cannot_be_read_twice_so_nothing_is_guessed(run):
    code, _, err = run("train", "-", "--format", "csv", "--text", "a")
    assert (code, err) == (2, "Error: say with --label in which column labels are\n")


def test_in_a_terminal_enter_takes_the_guesses(run, answer):
    survey([12, 12, 12]).write_csv("a.csv")
    answer("", "")
    code, out, err = run("train", "a.csv", *QUICK)
    assert code == 0
    assert "  1  answer  text " in err
    assert "Texts are in 'answer'? Enter, or another's name or number: " in err
    assert "Labels are in 'topic'? Enter, or another's name or number: " in err
    assert "Learned 3 classes" in out
    assert again(err) == [
        "quantext", "train", "a.csv", "--text", "answer", "--label", "topic", *QUICK
    ]  # fmt: skip
    about = load("model.qx").about_
    assert (about["text"], about["label"]) == (["answer"], "topic")


def test_another_column_is_chosen_by_its_number_or_name_and_a_wrong_one_is_asked_again(run, answer):
    table = survey([12, 12, 12]).with_columns(first=pl.lit("it is so ") + pl.col("answer"))
    table.with_columns(country=pl.Series(["FR", "DE"] * 18)).write_csv("a.csv")
    answer("1", "9", "nothing", "country")
    code, _, err = run("train", "a.csv", *QUICK)
    assert code == 0
    assert "There is no column '9'.\n" in err
    assert "There is no column 'nothing'.\n" in err
    assert again(err)[3:7] == ["--text", "answer", "--label", "country"]
    assert load("model.qx").classes_.tolist() == ["DE", "FR"]


def test_what_was_said_is_not_asked_and_the_rest_of_the_line_is_kept(run, answer):
    survey([12, 12, 12]).write_csv("my answers.csv")
    answer("")
    code, _, err = run("train", "my answers.csv", "--text", "answer", "--min-df", "2", *QUICK)
    assert code == 0
    assert "Texts are in" not in err
    assert again(err) == [
        "quantext", "train", "my answers.csv", "--text", "answer", "--label", "topic",
        "--method", "cc", "--min-df", "2", "--folds", "0",
    ]  # fmt: skip


def test_several_labels_and_another_language_are_asked_about(run, answer):
    texts = [f"Das Gerät {i} ist nicht gut, aber der Preis war sehr niedrig." for i in range(30)]
    topics = ["Preis", "Preis;Akku", "Akku"] * 10
    pl.DataFrame({"Antwort": texts, "Themen": topics}).write_csv("a.csv")
    answer("", "", "y", "")
    code, _, err = run("train", "a.csv", *QUICK)
    assert code == 0
    assert "Several labels in a cell are divided by ';'? [Y/n]: " in err
    assert "The texts seem to be German. Stem their words so? [Y/n]: " in err
    assert again(err)[7:11] == ["--separator", ";", "--stemmer", "german"]
    assert load("model.qx").classes_.tolist() == ["Akku", "Preis"]
    assert load("model.qx").vectorizer_.stemmer == "german"
    answer("", "", "n", "n")
    code, _, err = run("train", "a.csv", *QUICK)
    assert again(err)[3:] == ["--text", "Antwort", "--label", "Themen", *QUICK]
    assert load("model.qx").classes_.tolist() == ["Akku", "Preis", "Preis;Akku"]


def test_who_gives_no_answer_has_stopped(run, answer, tmp_path):
    survey([12, 12, 12]).write_csv("a.csv")
    answer("")  # and then the end of the input
    code, out, err = run("train", "a.csv")
    assert (code, out) == (130, "")
    assert err.endswith("\nStopped. Nothing was written.\n")
    assert not (tmp_path / "model.qx").exists()
