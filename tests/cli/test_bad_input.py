"""Bad input, through the command line: a sentence, exit code 2 and nothing half-written."""

import gzip
import io
import json
import os
import resource
import signal
import subprocess
import sys
from pickle import UnpicklingError

import polars as pl
import pytest
import typer

from quantext.cli import app, explain_damage
from tests.support.survey import but_for_compiling, command, start, survey

GOOD = survey([15, 15, 15])
OPTIONS = ["--text", "answer", "--label", "topic", "--method", "cc", "--folds", "2"]


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return command(monkeypatch, capsys)


@pytest.fixture
def trained(run):
    """The same, with a model."""
    GOOD.write_csv("good.csv")
    assert run("train", "good.csv", *OPTIONS, "--quiet")[0] == 0
    return run


def parquet(frame):
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def csv(*rows):
    return "".join(f"{row}\n" for row in ("answer,topic,day", *rows)).encode()


ROW = "too slow,speed,2024-01-31"

BAD = {
    "wrong column": ("a.csv", b"answers,topic\nx,y\n", "'answer' (did you mean 'answers'?)"),
    "empty file": ("a.csv", b"", "a.csv is empty"),
    "empty zipped file": ("a.csv.gz", gzip.compress(b""), "a.csv.gz is empty"),
    "header only": ("a.csv", csv(), "a.csv has columns but no rows"),
    "one class": ("a.csv", csv(ROW, ROW), "column 'topic' has one class, 'speed', in 2 rows"),
    "empty texts": ("a.csv", csv(",speed,", " ,price,"), "none of the 2 rows has a text in"),
    "no labels": ("a.csv", csv("slow,,", "dear, ,"), "none of the 2 rows has a text in"),
    "no words": ("a.csv", csv("1.50 !,speed,", "?,price,"), "none of the 2 texts has a term"),
    "texts of numbers": ("a.csv", csv("1,speed,", "2,price,"), "holds nothing but numbers"),
    "structures": (
        "a.jsonl", b'{"answer": {"a": 1}, "topic": "x"}\n', "column 'answer' holds Struct",
    ),
    "lists and text": (
        "a.jsonl", b'{"answer": "a", "topic": ["x"]}\n{"answer": "b", "topic": "y"}\n',
        'row 1: ["x"] is a list written as text',
    ),
    "NaN in JSON": (
        "a.jsonl", b'{"answer": "a", "topic": NaN}\n', "line 1 is not a JSON object: NaN is not",
    ),
    "NaN labels": (
        "a.parquet", parquet(pl.DataFrame({"answer": ["a", "b"], "topic": [float("nan")] * 2})),
        "none of the 2 rows has a text in 'answer' and a label in 'topic'",
    ),
    "wrong encoding": (
        "a.csv", csv(ROW) + b"caf\xe9 \x01\x02\x81,taste,\n",
        "a.csv, line 3: byte 0xe9 at offset 46 is not utf-8, nor does another encoding fit; give",
    ),
    "long row": (
        "a.csv", csv(ROW, "slow, dear,price,"),
        "row 2 has 4 fields, the header 3; a text with ',' needs quotes",
    ),
    "short row": ("a.csv", csv(ROW, "slow", ROW), "row 2 has 1 fields, the header 3"),
    "open quote": ("a.csv", csv(ROW, '"slow,speed,'), "row 2: a field opens with a quote and"),
    "cut off": ("a.csv.gz", gzip.compress(csv(ROW))[:-9], "a.csv.gz cannot be read"),
    "no Parquet": ("a.parquet", b"answer,topic\n", "a.parquet cannot be read"),
    "no extension": ("a.dat", csv(ROW), "extension '.dat' is unknown"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_training_data_is_a_sentence_and_no_model(run, tmp_path, name):
    file, content, message = BAD[name]
    (tmp_path / file).write_bytes(content)
    code, out, err = run("train", file, *OPTIONS)
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert message in err
    assert "\n" not in err.rstrip("\n")
    assert sorted(os.listdir()) == [file]


SAME = ["wrong column", "empty file", "header only", "empty texts", "wrong encoding", "long row"]


@pytest.mark.parametrize("name", SAME)
def test_bad_data_to_estimate_is_a_sentence_and_no_output(trained, tmp_path, name):
    file, content, message = BAD[name]
    (tmp_path / file).write_bytes(content)
    before = sorted(os.listdir())
    code, out, err = trained(
        "estimate", "model.qx", file, "--text", "answer", "--by", "topic", "--out", "a.json"
    )
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert message.removesuffix(" has a text in") in err or "rows that were read has a text" in err
    assert sorted(os.listdir()) == before


def test_files_that_are_not_there_or_are_folders(trained, tmp_path):
    (tmp_path / "folder.csv").mkdir()
    estimate = ["estimate", "model.qx"]
    for arguments, message in [
        (["train", "none.csv", *OPTIONS], "there is no file none.csv"),
        (["train", "folder.csv", *OPTIONS], "folder.csv is a folder; name the files in it"),
        (["train", ".", *OPTIONS], ". is a folder; name the files in it"),
        (["train", "none", *OPTIONS], "there is no file none"),
        ([*estimate, "none.csv", "--text", "answer"], "there is no file none.csv"),
        (["estimate", "none.qx", "good.csv", "--text", "answer"], "none.qx"),
        (["estimate", "good.csv", "good.csv", "--text", "answer"], "is not a quantext model file"),
        (["estimate", "folder.csv", "good.csv", "--text", "answer"], "is not a regular file"),
    ]:
        code, out, err = trained(*arguments)
        assert (code, out) == (2, ""), arguments
        assert message in err


def test_a_model_never_takes_the_place_of_its_data(trained, tmp_path):
    before = (tmp_path / "good.csv").read_bytes()
    code, out, err = trained("train", "good.csv", *OPTIONS, "--model", "good.csv")
    assert (code, out) == (2, "")
    assert "good.csv would be overwritten, and it is read" in err
    assert (tmp_path / "good.csv").read_bytes() == before


def test_options_of_estimate_that_make_no_sense(trained):
    base = ["estimate", "model.qx", "good.csv", "--text", "answer"]
    for more, message in [
        (["--out", "a.txt"], "the extension must be one of .csv, .xlsx, .json, .parquet"),
        (["--period", "week"], "--period week needs --by with the column of the dates"),
        (["--by", "topic", "--period", "week"], "is not a date; write 2019-01-31"),
        (["--by", "dya"], "has no column 'dya' (did you mean 'day'?)"),
        (["--level", "95"], "level is 95"),
        (["--out", "good.csv"], "good.csv would be overwritten, and it is read"),
        (["--label", "topics"], "has no column 'topics' (did you mean 'topic'?)"),
    ]:
        code, out, err = trained(*base, *more)
        assert (code, out) == (2, ""), more
        assert message in err
    assert trained(*base, "--by", "day", "--period", "fortnight")[0] == 2


def test_mixed_types_are_read_as_text(run):
    rows = GOOD.to_dicts()
    with open("mixed.jsonl", "w") as file:
        for i, row in enumerate(rows):
            topic = [row["topic"], i % 2, True][i % 3]
            answer = None if i == 4 else 7 if i == 5 else row["answer"]
            file.write(json.dumps({"answer": answer, "topic": topic}) + "\n")
    code, out, err = run("train", "mixed.jsonl", *OPTIONS, "--json")
    assert code == 0
    found = {row["class"]: row["documents"] for row in json.loads(out)["classes"]}
    assert found["true"] == 15  # every third of 45
    assert "1 of 45 rows were left out" in err


def test_a_batch_of_one_document_is_estimated(trained, tmp_path):
    (tmp_path / "one.csv").write_text("answer\nempty battery\n")
    code, out, _ = trained(
        "estimate", "model.qx", "one.csv", "--text", "answer", "--replicates", "20"
    )
    assert code == 0
    assert "all (1 document)\n" in out


def test_a_folder_that_cannot_be_written_is_told_at_once(trained, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o500)
    places = ["none/model.qx", "good.csv/model.qx", "."]
    if os.geteuid():  # the superuser may write anywhere
        places.append("closed/model.qx")
    for place in places:
        code, out, err = trained("train", "good.csv", *OPTIONS, "--model", place)
        assert (code, out) == (2, "")
        assert "folder" in err
    code, _, err = trained(
        "estimate", "model.qx", "good.csv", "--text", "answer", "--report", "none/page.html"
    )
    assert code == 2
    assert "there is no folder" in err


def test_standard_input_is_called_by_its_name(trained, monkeypatch):
    empty = io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"")))
    monkeypatch.setattr("sys.stdin", empty)
    code, _, err = trained("estimate", "model.qx", "-", "--format", "csv")
    assert (code, err) == (2, "Error: standard input is empty\n")


@pytest.mark.parametrize("damage", [EOFError("too short"), UnpicklingError("too short")])
def test_a_compiled_file_that_is_cut_short_is_no_mystery(damage):
    # What Python raises where a full disk has cut off its bytecode, and Numba for its kernels.
    def cut_short():
        raise damage

    said = "a compiled file is damaged, .* delete the folders __pycache__ in"
    with pytest.raises(OSError, match=said):
        explain_damage(cut_short)()


def test_every_command_explains_damage():
    commands = typer.main.get_command(app).commands
    assert len(commands) == 11
    for own in commands.values():
        assert own.callback.__wrapped__.__code__ is explain_damage(print).__code__


# In processes of their own


@pytest.mark.parametrize(
    ("file", "arguments"),
    [
        ("model.qx", ["train", "good.csv", *OPTIONS]),
        pytest.param(
            "out.csv",
            ["estimate", "model.qx", "good.csv", "--out", "out.csv", "--force"],
            marks=pytest.mark.slow,
        ),
    ],
)
@pytest.mark.usefixtures("trained")
def test_a_full_disk_leaves_the_old_files_and_nothing_else(tmp_path, file, arguments):
    model = (tmp_path / "model.qx").read_bytes()
    (tmp_path / "out.csv").write_text("old")
    before = sorted(os.listdir())

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    process = start(*arguments, cwd=tmp_path, preexec_fn=limit)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (2, "")
    assert err.strip().endswith(f"Error: {file}: File too large")
    assert "Traceback" not in err
    assert (tmp_path / "model.qx").read_bytes() == model
    assert (tmp_path / "out.csv").read_text() == "old"
    assert sorted(os.listdir()) == before


@pytest.mark.usefixtures("trained")
def test_ctrl_c_leaves_a_clean_line_and_nothing_written(tmp_path):
    process = start(
        "estimate", "model.qx", "-", "--format", "csv", "--text", "answer", "--out", "out.csv",
        cwd=tmp_path, stdin=subprocess.PIPE,
    )  # fmt: skip
    # More than a pipe holds: when it has been written, the program is reading.
    process.stdin.write("answer\n" + 200_000 * "empty battery\n")
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err == "Stopped. Nothing was written.\n"
    assert not (tmp_path / "out.csv").exists()


def test_ctrl_c_before_anything_has_begun_is_as_clean():
    program = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from quantext.cli import main\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.slow
@pytest.mark.usefixtures("trained")
def test_a_closed_pipe_is_no_news(tmp_path):
    arguments = ["estimate", "model.qx", "good.csv", "--text", "answer"]
    with start(*arguments, cwd=tmp_path) as process:
        process.stdout.close()  # as `head` does when it has seen enough
        assert but_for_compiling(process.stderr.read()) == ""
    assert process.returncode == 1
