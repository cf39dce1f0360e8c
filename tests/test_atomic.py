import os
import stat

import pytest

from quantext import atomic


def test_a_file_that_cannot_be_finished_leaves_the_one_before(tmp_path):
    target = tmp_path / "results.txt"
    target.write_text("before")

    def parts():
        yield b"half"
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        atomic.write(target, parts())
    assert target.read_text() == "before"
    atomic.write(target, [b"af", b"ter"])
    assert [path.name for path in tmp_path.iterdir()] == ["results.txt"]
    assert target.read_text() == "after"


def test_a_file_has_the_mode_of_the_one_before_or_that_of_any_new_file(tmp_path):
    old, new, usual = (tmp_path / name for name in ("old", "new", "usual"))
    usual.touch()
    old.touch(mode=0o600)
    for path in (old, new):
        atomic.write(path, [b""])
    assert stat.S_IMODE(old.stat().st_mode) == 0o600
    assert new.stat().st_mode == usual.stat().st_mode


def test_while_it_is_written_a_file_is_not_there(tmp_path):
    with atomic.writing(tmp_path / "later") as file:
        file.write(b"now")
        assert not (tmp_path / "later").exists()
    assert (tmp_path / "later").read_bytes() == b"now"


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="needs Linux")
def test_a_killed_process_leaves_nothing_behind(tmp_path):
    child = os.fork()
    if not child:
        with atomic.writing(tmp_path / "never") as file:
            file.write(b"half")
            file.flush()
            os._exit(1)
    os.waitpid(child, 0)
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_a_link_and_what_it_points_to_is_replaced(tmp_path):
    (tmp_path / "real").write_text("before")
    (tmp_path / "link").symlink_to("real")
    atomic.write(tmp_path / "link", [b"after"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "after"


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(ValueError, match="is not a regular file; name another path"):
        atomic.write(tmp_path, [])
    with pytest.raises(FileNotFoundError, match=r"there is no folder .* to write model.qx in"):
        atomic.write(tmp_path / "nowhere" / "model.qx", [])


def test_a_folder_appears_when_it_is_complete_or_never(tmp_path):
    with pytest.raises(FileExistsError), atomic.new_folder(tmp_path / "new") as part:
        part.mkdir()
    assert list(tmp_path.iterdir()) == []
    with atomic.new_folder(tmp_path / "new") as part:
        (part / "file").touch()
        assert not (tmp_path / "new").exists()
    assert (tmp_path / "new" / "file").exists()
    with pytest.raises(FileExistsError, match="exists already"), atomic.new_folder(tmp_path):
        pass


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("nameless", [True, False])
def test_what_a_killed_process_left_is_taken_away_by_the_next_that_writes_the_same(
    tmp_path, monkeypatch, nameless
):
    target = tmp_path / "results.txt"
    target.write_text("before")
    if not nameless:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    child = os.fork()
    if not child:
        monkeypatch.setattr(os, "replace", lambda *_: os._exit(1))
        atomic.write(target, [b"half"])
    os.waitpid(child, 0)
    [left] = set(tmp_path.iterdir()) - {target}
    assert left.name.endswith(".part")
    atomic.write(tmp_path / "other.txt", [b"another file, so that one stays"])
    assert left.exists()
    atomic.write(target, [b"after"])
    assert {path.name for path in tmp_path.iterdir()} == {"results.txt", "other.txt"}
    assert target.read_text() == "after"


def test_what_another_is_still_writing_is_left_to_it(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    target = tmp_path / "results.txt"
    with atomic.writing(target) as first:
        first.write(b"first")
        [part] = tmp_path.iterdir()
        atomic.write(target, [b"second"])
        assert part.exists()
    assert target.read_text() == "first"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_folders_that_a_killed_process_left_are_taken_away_and_no_others(tmp_path):
    child = os.fork()
    if not child:
        with atomic.new_folder(tmp_path / "new") as part, atomic.scratch_folder(tmp_path / "new"):
            (part / "half").touch()
            os._exit(1)
    os.waitpid(child, 0)
    assert len(list(tmp_path.iterdir())) == 2
    (tmp_path / ".quantext-mine.part").mkdir()
    with atomic.new_folder(tmp_path / "new") as part, atomic.scratch_folder(tmp_path / "new"):
        assert list(part.iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"new", ".quantext-mine.part"}
