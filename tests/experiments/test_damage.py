"""Run folders with a damaged file: what can be computed again is, and the rest is a sentence."""

import io
import json
import os
import shutil

import polars as pl
import pytest

from quantext.datasets.synthetic import synthetic
from quantext.experiments.folder import DamagedFileError, read_piece, write_piece
from quantext.experiments.results import SCHEMA, TIMES
from quantext.experiments.run import run
from quantext.experiments.splits import by_period
from quantext.models.methods import method
from quantext.reports.run_files import read_run


def parquet(**columns):
    file = io.BytesIO()
    pl.DataFrame(columns).write_parquet(file)
    return file.getvalue()


DAMAGES = {
    "empty": b"",
    "noise": bytes(range(256)) * 4,
    "zeros": bytes(2000),
    "another table": parquet(a=[1]),
    "other types": parquet(**{name: ["x"] for name in SCHEMA}),
    "a list": b"[1, 2]",
    "no facts": b'{"configuration": [1]}',
}
damages = pytest.mark.parametrize("damage", [*DAMAGES, "cut"])


@pytest.fixture(scope="module")
def survey():
    corpus = synthetic(300, n_topics=2, weeks=4)
    return corpus, by_period(corpus, train_periods=2)


@pytest.fixture(scope="module")
def finished(survey, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "run"
    return folder, again(survey, folder)


@pytest.fixture
def folder(finished, tmp_path):
    return shutil.copytree(finished[0], tmp_path / "run")


def again(survey, folder):
    return run(*survey, folder, methods={"CC": method("CC")}, jobs=1).drop(TIMES)


def ruin(path, damage):
    content = path.read_bytes()
    path.write_bytes(DAMAGES.get(damage, content[: len(content) // 2]))


@damages
def test_a_task_whose_rows_are_damaged_is_done_again(survey, finished, folder, damage):
    ruin(folder / "tasks" / "00001.parquet", damage)
    assert again(survey, folder).equals(finished[1])


@pytest.mark.parametrize("bit", [1, 128])
def test_any_changed_bit_of_a_task_is_noticed(tmp_path, bit):
    file = tmp_path / "00000.parquet"
    write_piece(file, pl.DataFrame({"a": range(50), "b": [i / 7 for i in range(50)]}))
    whole = file.read_bytes()
    assert read_piece(file)["a"].to_list() == list(range(50))
    for place in range(len(whole)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
        with pytest.raises(DamagedFileError, match=r"00000\.parquet is damaged \(its checksum"):
            read_piece(file)


def test_a_task_without_its_checksum_is_done_again_and_that_is_written_down(
    survey, finished, folder
):
    (folder / "tasks" / "00001.parquet.sum").unlink()
    assert again(survey, folder).equals(finished[1])
    said = (folder / "warnings.log").read_text(encoding="utf-8").splitlines()
    assert [line.split(": ", 1)[1] for line in said] == [
        "00001.parquet was damaged, so this is computed again"
    ]
    assert again(survey, folder).equals(finished[1])
    assert len((folder / "warnings.log").read_text(encoding="utf-8").splitlines()) == 1


@pytest.mark.parametrize("column", ["task", "method"])
def test_a_task_whose_rows_are_of_no_task_or_method_is_done_again(survey, finished, folder, column):
    file = folder / "tasks" / "00001.parquet"
    write_piece(file, read_piece(file).with_columns(pl.lit("x").alias(column)))
    assert again(survey, folder).equals(finished[1])


def test_a_task_that_has_the_rows_of_another_one_is_done_again(survey, finished, folder):
    first, second = (folder / "tasks" / f"0000{number}.parquet" for number in (0, 1))
    write_piece(second, read_piece(first))
    assert again(survey, folder).equals(finished[1])


def test_a_panic_of_the_reader_is_a_damaged_file(folder, monkeypatch):
    def panic(_):
        raise pl.exceptions.PanicException("assertion failed")

    monkeypatch.setattr(pl, "read_parquet", panic)
    with pytest.raises(DamagedFileError, match=r"results\.parquet is damaged \(assertion failed"):
        read_run(folder)


@damages
def test_damaged_results_are_made_again_from_the_tasks(survey, finished, folder, damage):
    ruin(folder / "results.parquet", damage)
    with pytest.raises(DamagedFileError, match=r"results\.parquet is damaged .* same command"):
        read_run(folder)
    again(survey, folder)
    assert read_run(folder)[0].drop(TIMES).equals(finished[1])


@damages
def test_a_damaged_record_is_an_error_that_names_it(survey, folder, damage):
    ruin(folder / "run.json", damage)
    for use in (lambda: again(survey, folder), lambda: read_run(folder)):
        with pytest.raises(DamagedFileError, match=r"run\.json is damaged .*: choose another fo"):
            use()


@pytest.mark.parametrize("content", ["[]", '{"topic 1": {}}', '{"topic 1": null}'])
def test_a_damaged_list_of_failures_is_an_error_that_names_it(folder, content):
    (folder / "failures.json").write_text(content, encoding="utf-8")
    with pytest.raises(DamagedFileError, match=r"failures\.json is damaged .*; delete it and"):
        read_run(folder)


def test_what_is_recorded_beside_is_not_asked_for(survey, finished, folder):
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    del record["seconds"], record["features"]
    (folder / "run.json").write_text(json.dumps(record), encoding="utf-8")
    (folder / "tasks" / "00000.parquet").unlink()
    assert again(survey, folder).equals(finished[1])


def test_a_folder_in_place_of_a_task_is_not_touched(survey, folder):
    own = folder / "tasks" / "00000.parquet"
    own.unlink()
    own.mkdir()
    (own / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match=r"00000\.parquet is no file; move it away"):
        again(survey, folder)
    assert (own / "mine.txt").exists()


@pytest.mark.parametrize(
    ("fact", "value"),
    [("documents", "300"), ("features", [1]), ("seconds", {"tasks": "x"}), ("notes", "none")],
)
def test_a_fact_of_another_type_is_an_error_that_names_the_record(folder, fact, value):
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    (folder / "run.json").write_text(json.dumps(record | {fact: value}), encoding="utf-8")
    with pytest.raises(DamagedFileError, match=rf"run\.json is damaged \(its {fact} "):
        read_run(folder)


def test_a_level_that_is_none_is_an_error_that_names_the_record(folder):
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    record["configuration"]["level"] = "high"
    (folder / "run.json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(DamagedFileError, match=r"run\.json is damaged \(its level is 'high'"):
        read_run(folder)


def test_a_changed_bit_of_the_results_is_noticed_but_they_may_be_copied_alone(folder, finished):
    path = folder / "results.parquet"
    content = path.read_bytes()
    at = content.index(b"CC")
    path.write_bytes(content[:at] + b"DD" + content[at + 2 :])
    with pytest.raises(DamagedFileError, match=r"results\.parquet is damaged \(its checksum"):
        read_run(folder)
    path.write_bytes(content)
    (folder / "results.parquet.sum").unlink()
    assert read_run(folder)[0].drop(TIMES).equals(finished[1])


@pytest.mark.parametrize("name", ["run.json", "warnings.log", ".quantext-lock", "tasks"])
def test_a_pipe_in_place_of_a_file_is_an_error_and_not_waited_for(survey, folder, name):
    path = folder / name
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    with pytest.raises(OSError, match=r"is no (file|folder); move it away"):
        again(survey, folder)


def test_vectors_that_are_a_link_to_somewhere_are_not_removed(survey, folder, tmp_path):
    (tmp_path / "mine").mkdir()
    (folder / "tasks" / "00000.parquet").unlink()
    (folder / ".quantext-vectors").symlink_to(tmp_path / "mine")
    with pytest.raises(NotADirectoryError, match=r"\.quantext-vectors is no folder; move it away"):
        again(survey, folder)
    assert (tmp_path / "mine").is_dir()
