"""A path on the command line is a path: nothing in it is a pattern, a home or a line's end."""

import polars as pl
import pytest

from tests.support.survey import command, survey

ODD_NAMES = ["answers[1]", "answers?", "answer*", "two words", "two\nlines", "~", "~root"]
COLUMNS = ["--text", "answer", "--label", "topic"]


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """The command line in an empty folder, in which patterns would match other people's files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return command(monkeypatch, capsys)


def content(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("name", ODD_NAMES)
def test_every_file_is_the_one_that_was_named(run, tmp_path, name, kind):
    write = {"csv": "write_csv", "jsonl": "write_ndjson", "parquet": "write_parquet"}[kind]
    for other in ("answers1", "answersX", "home"):
        (tmp_path / other).mkdir()
        for ending in (kind, "qx", "out.parquet", "html"):
            (tmp_path / f"{other}.{ending}").write_text("somebody else's", encoding="utf-8")
    before = content(tmp_path)
    with open(tmp_path / f"{name}.{kind}", "wb") as file:
        getattr(survey([20, 30, 40]), write)(file)
    data, model = f"{name}.{kind}", f"{name}.qx"
    out, page = f"{name}.out.parquet", f"{name}.html"
    code, _, err = run("train", data, *COLUMNS, "--method", "cc", "--folds", 0, "--model", model)
    assert code == 0, err
    code, _, err = run("estimate", model, data, "--out", out, "--report", page)
    assert code == 0, err
    with open(tmp_path / out, "rb") as file:
        assert pl.read_parquet(file)["true_share"].to_list() == [20 / 90, 30 / 90, 40 / 90]
    assert (tmp_path / page).read_text(encoding="utf-8").startswith("<!doctype html>")
    now = content(tmp_path)
    assert {path: now[path] for path in before} == before
    assert len(now) == len(before) + 4


@pytest.mark.parametrize(
    "name",
    ["answers[1]", *(pytest.param(name, marks=pytest.mark.slow) for name in ("answer*", "~"))],
)
def test_compare_keeps_to_its_own_folder(run, tmp_path, name):
    few = ["--methods", "cc", "--jobs", "1"]
    survey([40, 60, 80]).write_csv(tmp_path / "answers1.csv")
    assert run("compare", "answers1.csv", *COLUMNS, *few)[0] == 0
    before = content(tmp_path / "compare-answers1")
    with open(tmp_path / f"{name}.csv", "wb") as file:
        survey([80, 60, 40], seed=1).write_csv(file)
    (tmp_path / "vectors-2024").mkdir()
    for _ in range(2):  # the second time it goes on from the first
        code, _, err = run("compare", f"{name}.csv", *COLUMNS, *few)
        assert code == 0, err
    results = pl.read_parquet((tmp_path / f"compare-{name}" / "results.parquet").read_bytes())
    assert (
        results["p_train"][0]
        != pl.read_parquet(tmp_path / "compare-answers1" / "results.parquet")["p_train"][0]
    )
    assert content(tmp_path / "compare-answers1") == before
    code, _, err = run("compare", f"{name}.csv", *COLUMNS, *few, "--out", ".")
    assert code == 0, err
    assert (tmp_path / "vectors-2024").is_dir()
