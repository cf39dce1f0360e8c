"""Other people's text on the terminal: shown, never obeyed, and never taken for markup."""

import ast
import json
import subprocess
from pathlib import Path

import polars as pl
import pytest

import quantext.cli
from quantext.cli.progress import progress_bars, working
from quantext.cli.terminal import open_console, pasted
from tests.support.survey import command, survey

CLEAR, OWNED = "\x1b[2J", "\x1b]0;owned\x07"
NAMES = {
    "battery": f"{CLEAR}[/x]",
    "price": f"[bold]{OWNED}\u202e",
    "screen": "[link=https://a.example]\x9b31m:smile:",
}
ANSWERS = survey([20, 20, 20]).with_columns(pl.col("topic").replace_strict(NAMES))
BATCHES = pl.Series("day", ["one\nLine", f"{OWNED}[/x]", "\rthree"] * 20)
FOLDER = "[/x] \x1b[31m[bold]"
DATA, MODEL = f"{FOLDER}/[link]\n\x07a.csv", f"{FOLDER}/m[/x]{CLEAR}.qx"
PAGE, PLAN, RUN = (f"{FOLDER}/[/x]{CLEAR}{name}" for name in (".html", ".csv", "run"))
TEXT, LABEL = "answer[/x]\x1b[1m", "topic[/x]\x9b1m"
COLUMNS = ["--text", TEXT, "--label", LABEL]
TRAIN = ["train", DATA, *COLUMNS, "--method", "cc", "--folds", "2", "--model", MODEL]


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """The command line in a folder with hostile names, and what it has said in all."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    for path in (DATA, MODEL, PAGE, PLAN, RUN):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    table = ANSWERS.with_columns(BATCHES).rename({"answer": TEXT, "topic": LABEL})
    with open(DATA, "wb") as file:
        table.write_csv(file)
    with open("judged.csv", "wb") as file:
        truth = pl.when(pl.int_range(pl.len()) < 50).then("topic").alias("truth")
        ANSWERS.select("answer", pl.col("topic").alias(LABEL), truth, BATCHES).write_csv(file)
    return command(monkeypatch, capsys)


def harmless(text):
    """Whether there is nothing in a text that a terminal would obey, but ends of lines."""
    return all(c == "\n" or c.isprintable() or c in "\u200d" for c in text)


def test_hostile_names_go_through_every_command(run):
    for arguments in [
        ["look", DATA],
        TRAIN,
        ["estimate", MODEL, DATA, "--by", "day", "--report", PAGE],
        ["correct", "judged.csv", "--proxy", LABEL, "--truth", "truth", "--design", "srs"],
        ["plan", "judged.csv", "--proxy", LABEL, "--number", "15", "--out", PLAN],
        ["compare", DATA, *COLUMNS, "--methods", "cc", "--jobs", "1", "--out", RUN],
        ["report", RUN],
    ]:
        code, out, err = run(*arguments)
        assert code == 0, err
        assert harmless(out + err), [line for line in (out + err).split("\n") if not harmless(line)]
        assert "[/x]" in out
    code, out, err = run("estimate", MODEL, DATA, "--by", "day", "--json")
    classes = {row["class"] for row in json.loads(out)["estimates"]}
    assert classes == set(NAMES.values())  # for programs they are what they are


def test_a_line_of_a_name_is_no_line_of_ours(run):
    assert run(*TRAIN)[0] == 0
    _, out, _ = run("estimate", MODEL, DATA, "--by", "day")
    assert "\none\\nLine (20 documents)\n" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ["look", f"none{CLEAR}[/x].csv"],
        ["look", DATA, "--label", f"none{CLEAR}[/x]"],
        ["train", DATA, *COLUMNS, "--model", f"{CLEAR}[/x]/m.qx"],
        ["train", DATA, *COLUMNS, "--method", f"{CLEAR}[/x]"],
        ["train", DATA, "--text", TEXT],
        ["estimate", f"none{CLEAR}[/x].qx", DATA],
        ["experiment", f"{CLEAR}[/x]", "--out", "run"],
        ["experiment", f"{CLEAR}[/x].toml", "--out", "run"],
        ["report", f"{CLEAR}[/x]"],
        # What typer says by itself:
        [f"{CLEAR}[/x]"],
        ["look", DATA, f"--{CLEAR}[/x]"],
        ["methods", "cc", f"{CLEAR}[/x]"],
        ["look", DATA, "--format", f"{CLEAR}[/x]"],
    ],
)
def test_errors_show_what_was_typed(run, arguments):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert harmless(err), err
    assert "[/x]" in err
    assert "\\x1b[" in err


def test_warnings_show_what_they_name(run):
    with open("b.csv", "wb") as file:
        ANSWERS.with_columns(topic=pl.col("topic") + " ").vstack(ANSWERS).write_csv(file)
    odd = ["train", "b.csv", "--text", "answer", "--label", "topic", "--where", f"topic!={CLEAR}"]
    code, _, err = run(*odd, "--method", "cc", "--folds", "0")
    assert code == 0, err
    assert "\\x1b[2J" in err
    assert harmless(err)


def test_a_terminal_is_not_told_anything_by_a_path(run, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # then Rich takes standard error for a terminal
    code, _, err = run(*TRAIN)
    assert code == 0, err
    assert "\\x1b[2J" in err  # in the line that says what is being written
    assert CLEAR not in err
    assert "\x07" not in err


def test_bars_and_lines_take_no_stage_for_markup(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with working(False, f"[/x]{OWNED}") as progress:
        progress(f"[/y]{OWNED}", 1, 2)
    with progress_bars(open_console(stderr=True, width=200)) as progress:
        progress(f"[/z]{OWNED}", 1, 2)
    err = capsys.readouterr().err
    assert OWNED not in err
    for text in ("[/y]", "[/z]"):
        assert f"{text}\\x1b]0;owned\\x07" in err


@pytest.mark.parametrize(
    "words", [["a b", "c"], ["two\nlines\x1b[2J"], ["it's \\ $HOME\t"], ["\u202eé\x85"], ["'$(x)`"]]
)
def test_a_pasted_command_has_the_words_that_were_meant(words):
    told = pasted(["printf", r"%s\0", *words])
    assert harmless(told)
    done = subprocess.run(
        ["bash", "-c", told], capture_output=True, env={"LC_ALL": "C.UTF-8"}, check=True
    )
    assert done.stdout.decode().split("\0")[:-1] == words


def test_nothing_is_printed_in_another_way():
    """Every print is that of `say`, or of JSON, and every console that of `open_console`."""
    for path in Path(quantext.cli.__file__).parent.glob("*.py"):
        if path.name == "terminal.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in ("typer.echo", "typer.secho", "Console", "sys.stdout.write")
                if called == "print":
                    assert ast.unparse(node.args[0]).startswith("json.dumps("), path
