"""Files to write: none that is read, no two the same, and nobody else's without --force."""

import os
import zipfile
from contextlib import chdir
from pathlib import Path

import polars as pl
import pytest

from quantext.cli import app
from quantext.cli.contents import columns_of, is_model, is_page
from quantext.cli.demo import check_files
from quantext.cli.experiment import WRITTEN
from quantext.reports.demo import TABLES
from tests.support.survey import command, start, survey
from tests.support.workbooks import xlsx

ANSWERS = survey([15, 15, 15])
TRAIN = ["train", "a.csv", "--text", "answer", "--label", "topic", "--method", "cc", "--folds", "0"]
CORRECT = ["correct", "judged.csv", "--proxy", "model", "--truth", "truth", "--design", "srs"]
PLAN = ["plan", "judged.csv", "--proxy", "model", "--truth", "label", "--number", "15"]
ESTIMATE = ["estimate", "model.qx", "a.csv", "--no-intervals"]
THEIRS = "name,wage\nAda,3\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with data and a model."""
    folder = tmp_path_factory.mktemp("made")
    ANSWERS.write_csv(folder / "a.csv")
    truth = pl.when(pl.int_range(pl.len()) < 40).then("topic")
    ANSWERS.select("answer", model="topic", truth=truth).write_csv(folder / "judged.csv")
    with chdir(folder):
        app([*TRAIN, "--quiet", "--json"], standalone_mode=False)
    return folder


@pytest.fixture
def run(made, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    for path in made.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    Path("words.txt").write_text("phone\nweek\n", encoding="utf-8")
    return command(monkeypatch, capsys)


def contents():
    return {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def refused(run, *arguments):
    """What is said of arguments that are at fault, for which nothing was changed or printed."""
    before = contents()
    code, out, err = run(*arguments, "--quiet")
    assert (code, out) == (2, ""), err
    assert contents() == before
    assert err.startswith("Error: ")
    return err


def linked(name, how):
    """Another name for a file."""
    other = Path("sub", "other" + Path(name).suffix)
    other.parent.mkdir()
    if how == "symbolic":
        other.symlink_to(Path(name).absolute())
    elif how == "hard":
        os.link(name, other)
    else:
        other = Path("sub", "..", ".", name)
    return str(other)


@pytest.mark.parametrize("how", ["symbolic", "hard", "spelled"])
@pytest.mark.parametrize(
    ("arguments", "option", "read"),
    [
        (TRAIN, "--model", "a.csv"),
        ([*TRAIN, "--stop-words", "words.txt"], "--model", "words.txt"),
        (ESTIMATE, "--out", "a.csv"),
        (CORRECT, "--out", "judged.csv"),
        (PLAN, "--out", "judged.csv"),
        ([*CORRECT[:6], "--truth-file", "a.csv", "--id", "answer"], "--out", "a.csv"),
    ],
)
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_what_is_read_is_never_written_by_whatever_name(run, how, arguments, option, read, force):
    err = refused(run, *arguments, option, linked(read, how), *force)
    assert "would be overwritten, and it is read; name another file" in err


def test_a_pattern_names_what_is_read_too(run):
    err = refused(run, "correct", "judged*.csv", *CORRECT[2:], "--out", "judged.csv")
    assert "judged.csv would be overwritten, and it is read" in err


def test_what_the_shell_reads_for_us_is_not_written_either(made, tmp_path):
    data = tmp_path / "d.csv"
    data.write_bytes((made / "a.csv").read_bytes())
    arguments = ["-", "--format", "csv", *TRAIN[2:], "--model", "d.csv", "--force"]
    with open(data, "rb") as file:
        process = start("train", *arguments, cwd=tmp_path, stdin=file)
        _, err = process.communicate()
    assert (process.returncode, "it is read" in err) == (2, True)
    assert data.read_bytes() == (made / "a.csv").read_bytes()


@pytest.mark.parametrize("arguments", [ESTIMATE, CORRECT])
def test_two_outputs_are_two_files(run, arguments):
    Path("b.csv").symlink_to("b.html")
    told = "--out b.csv and --report b.html are one file; name another for one of the two"
    assert told in refused(run, *arguments, "--out", "b.csv", "--report", "b.html", "--force")
    Path("b.html").write_text(THEIRS, encoding="utf-8")
    assert told in refused(run, *arguments, "--out", "b.csv", "--report", "./b.html", "--force")
    assert refused(run, *arguments, "--out", "c.csv", "--report", "c.csv")


@pytest.mark.parametrize(
    ("arguments", "option", "name", "called"),
    [
        (TRAIN, "--model", "notes.txt", "no model of quantext's"),
        (TRAIN, "--model", "old.zip", "no model of quantext's"),
        (ESTIMATE, "--report", "notes.html", "no page of quantext's"),
        (CORRECT, "--report", "notes.html", "no page of quantext's"),
        (ESTIMATE, "--out", "notes.csv", "no table of shares by quantext"),
        (ESTIMATE, "--out", "notes.json", "no table of shares by quantext"),
        (ESTIMATE, "--out", "notes.xlsx", "no table of shares by quantext"),
        (ESTIMATE, "--out", "notes.parquet", "no table of shares by quantext"),
        (CORRECT, "--out", "table.parquet", "no table of shares by quantext"),
        (CORRECT, "--out", "table.xlsx", "no table of shares by quantext"),
        (PLAN, "--out", "notes.csv", "no file of `quantext plan`"),
        (PLAN, "--out", "notes.jsonl", "no file of `quantext plan`"),
    ],
)
def test_what_somebody_else_made_is_replaced_by_force_only(run, arguments, option, name, called):
    Path(name).write_text(THEIRS, encoding="utf-8")
    if name == "old.zip":
        with zipfile.ZipFile(name, "w") as archive:
            archive.writestr("manifest.json", '{"name": "a web page"}')
    elif name == "table.parquet":
        ANSWERS.write_parquet(name)
    elif name == "table.xlsx":
        Path(name).write_bytes(xlsx({"Data": [ANSWERS.columns, *ANSWERS.rows()]}))
    before = Path(name).read_bytes()
    err = refused(run, *arguments, option, name)
    assert f"{option} {name} is there already and is {called}; name another, or say --force" in err
    code, _, err = run(*arguments, option, name, "--force", "--quiet")
    assert code == 0, err
    assert Path(name).read_bytes() != before


@pytest.mark.parametrize("ending", ["csv", "json", "xlsx", "parquet"])
def test_the_same_command_twice_just_works(run, ending):
    Path(f"b.{ending}").touch()  # nothing is lost with an empty file
    for arguments in (
        TRAIN,
        [*ESTIMATE, "--out", f"b.{ending}", "--report", "b.html"],
        [*CORRECT, "--out", f"c.{ending}", "--report", "c.html"],
        [*PLAN, "--out", f"d.{ending if ending != 'json' else 'jsonl'}"],
    ):
        for _ in range(2):
            code, _, err = run(*arguments, "--quiet")
            assert code == 0, err


def test_a_workbook_with_a_sheet_of_somebody_is_theirs(run):
    rows = [["batch", "class", "share"], ["all", "a", 1]]
    Path("b.xlsx").write_bytes(xlsx({"quantext": rows, "What I think": [["fine"]]}))
    assert "b.xlsx is there already" in refused(run, *ESTIMATE, "--out", "b.xlsx")


@pytest.mark.parametrize("name", ["pipe", "sub", "loop"])
def test_what_is_no_file_is_refused_before_any_work(run, name):
    os.mkfifo("pipe")
    os.mkdir("sub")
    os.symlink("loop", "loop")
    told = {
        "pipe": "pipe is not a regular file",
        "sub": "sub is a folder",
        "loop": "loop is a link that leads to itself",
    }[name]
    assert told in refused(run, *TRAIN, "--model", name)


@pytest.mark.parametrize("how", ["symbolic", "hard", "spelled"])
def test_a_run_never_writes_over_what_it_reads(run, how):
    Path("run", "tables").mkdir(parents=True)
    Path("run", "report.html").write_bytes(Path("a.csv").read_bytes())
    Path("run", "tables", "a.csv").write_bytes(Path("a.csv").read_bytes())
    Path("run", "run.json").write_text('corpus = "synthetic"\n', encoding="utf-8")
    Path("run", "figures").symlink_to(Path("run", "tables").absolute())
    table = ["experiment", "table", "--text", "answer", "--label", "topic", "--protocol", "uniform"]
    read = linked("run/report.html", how)
    for arguments in [
        ["compare", read, *TRAIN[2:6], "--format", "csv"],
        ["compare", "run/tables/a.csv", *TRAIN[2:6]],
        ["compare", "run/figures/a.csv", *TRAIN[2:6]],
        ["compare", "a.csv", *TRAIN[2:6], "--stop-words", read],
        [*table, "--data", "run/tables/a.csv"],
    ]:
        before = contents()
        code, out, err = run(*arguments, "--out", "run")
        assert (code, out) == (2, "")
        assert contents() == before
        assert "would be overwritten, and it is read; name another folder" in err


def test_settings_of_an_experiment_are_not_written_over(run):
    Path("run", "tables").mkdir(parents=True)
    settings = Path("run", "tables", "mine.toml")
    settings.write_text('corpus = "synthetic"\n', encoding="utf-8")
    code, out, err = run("experiment", settings, "--out", "run")
    assert (code, out) == (2, "")
    assert f"{settings} would be overwritten, and it is read" in err
    shares = Path("run", "tables", "shares.csv")
    shares.write_text("a,b\n0.5,0.5\n", encoding="utf-8")
    drawn = ["--protocol", "artificial", "--prevalences", shares]
    code, _, err = run("experiment", "synthetic", *drawn, "--out", "run")
    assert (code, f"{shares} would be overwritten" in err) == (2, True)


def test_a_page_of_somebody_in_the_folder_of_a_run_is_not_replaced(run):
    Path("run").mkdir()
    Path("run", "report.html").write_text("<p>mine", encoding="utf-8")
    code, _, err = run("report", "run")
    assert (code, "is no page of quantext's" in err) == (2, True)
    code, _, err = run("report", "run", "--force")
    assert (code, "run has no results.parquet" in err) == (2, True)


def test_the_demo_does_not_replace_what_it_did_not_write(tmp_path, monkeypatch, capsys):
    theirs = tmp_path / "later.csv"
    theirs.write_text("week,answer,mine\n1,good,2\n", encoding="utf-8")
    code, out, err = command(monkeypatch, capsys)("demo", "--out", tmp_path)
    assert (code, out) == (2, "")
    assert "later.csv is there already and is no table of the demo" in err
    check_files(tmp_path, force=True)
    for name, columns in TABLES.items():
        (tmp_path / name).write_text(",".join(columns) + "\n", encoding="utf-8")
    check_files(tmp_path)
    check_files(tmp_path / "new" / "folder")
    with pytest.raises(NotADirectoryError, match=r"later\.csv is a file; name a folder"):
        check_files(theirs / "folder")


def test_damaged_files_hold_nothing_of_ours(tmp_path, made):
    whole = (made / "model.qx").read_bytes()
    for place, content in enumerate([whole[:100], whole[:-100], b"PK\x03\x04", b"[" * 10**6]):
        for ending in ("csv", "json", "jsonl", "xlsx", "parquet", "qx", "html"):
            path = tmp_path / f"{place}.{ending}"
            path.write_bytes(content)
            assert not is_model(path)
            assert not is_page(path)
            assert "share" not in (columns_of(path) if ending not in ("qx", "html") else [])
    assert is_model(made / "model.qx")


def test_a_run_writes_what_it_is_known_to_write(run):
    few = ["--methods", "cc", "--jobs", "1", "--out", "run", "--quiet"]
    assert run("compare", "a.csv", *TRAIN[2:6], *few)[0] == 0
    assert {path.name for path in Path("run").iterdir()} <= set(WRITTEN)
