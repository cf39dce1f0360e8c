from pathlib import Path

import pytest

from quantext.texts.paths import find_files


@pytest.fixture
def folder(tmp_path):
    for name in ("b.csv", "a.csv", "c.tsv", "in/d.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def names(folder, found):
    return [str(Path(path).relative_to(folder)) for path in found]


def test_patterns_are_replaced_by_what_they_match_in_order(folder):
    patterns = [folder / "c.tsv", str(folder / "*.csv"), str(folder / "**" / "d.csv")]
    assert names(folder, find_files(patterns)) == ["c.tsv", "a.csv", "b.csv", "in/d.csv"]


def test_one_path_is_as_good_as_a_list_of_one(folder):
    assert find_files(folder / "a.csv") == find_files([folder / "a.csv"])


def test_a_file_that_is_there_is_no_pattern(folder):
    (folder / "[a].csv").touch()
    assert names(folder, find_files(folder / "[a].csv")) == ["[a].csv"]


def test_what_is_missing_is_an_error(folder):
    with pytest.raises(FileNotFoundError, match=r"no file matches .*jsonl"):
        find_files(str(folder / "*.jsonl"))
    with pytest.raises(FileNotFoundError, match=r"there is no file none\.csv"):
        find_files(["none.csv"])


def test_what_is_no_path_is_an_error():
    with pytest.raises(TypeError, match="the list of files has a int in it: 3"):
        find_files([3])
