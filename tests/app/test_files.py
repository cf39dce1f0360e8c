"""Files that come in and go out."""

import asyncio
import os
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from quantext.app.example import write_example
from quantext.app.folder import Folder
from quantext.app.names import check_name


@pytest.mark.parametrize(
    "name",
    ["..", "../a.csv", "a/b.csv", "a\\b.csv", ".hidden.csv", "", "a.csv ", "c:a.csv", "a\x00.csv",
     "a\n.csv", "\u202ecsv.a", "nul.csv", "x" * 201, "\ud800.csv"],
)  # fmt: skip
def test_names_that_are_not_of_plain_files_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is not the name of a file here"):
        check_name(name)


@pytest.mark.parametrize(
    "path", ["/files/..%2Fa.csv", "/files/x%2F..%2F..%2Fa.csv", "/files/..%5Ca.csv"]
)
def test_nothing_is_written_or_read_outside_of_the_folder(
    client: TestClient, folder: Folder, path: str
) -> None:
    outside = folder.path.parent / "a.csv"
    assert client.put(f"/files/{path}", content=b"text\nx\n").status_code >= 400
    assert not outside.exists()
    outside.write_text("secret")
    answer = client.get(f"/files/{path}")
    assert answer.status_code >= 400
    assert "secret" not in answer.text


def test_a_link_to_the_outside_is_not_followed(client: TestClient, folder: Folder) -> None:
    outside = folder.path.parent / "a.csv"
    outside.write_text("secret")
    os.symlink(outside, folder.path / "b.csv")
    assert client.get("/files/b.csv").status_code == 400
    assert "b.csv" not in client.get("/").text


def test_a_file_comes_and_goes_as_it_is(client: TestClient, folder: Folder) -> None:
    content = b"text,label\n=1+1,\xe4\r\n"
    answer = client.put("/files/A (1) [x] %.csv".replace("%", "%25"), content=content)
    assert answer.json() == {"name": "A (1) [x] %.csv", "kind": "table"}
    assert folder.file("A (1) [x] %.csv").read_bytes() == content
    back = client.get("/files/A (1) [x] %25.csv")
    assert back.content == content
    assert back.headers["content-disposition"].startswith("attachment")


def test_a_file_that_is_there_stays(client: TestClient, folder: Folder) -> None:
    for content in (b"first", b"second"):
        client.put("/files/a.csv.gz", content=content)
    assert folder.file("a.csv.gz").read_bytes() == b"first"
    assert folder.file("a-2.csv.gz").read_bytes() == b"second"


def test_pages_and_programs_are_not_taken(client: TestClient, folder: Folder) -> None:
    for name in ("a.html", "a.js", "a", "a.exe"):
        assert client.put(f"/files/{name}", content=b"x").status_code == 415
    assert not list(folder.path.glob("a*"))


def test_a_page_is_shown_where_it_reaches_nothing(client: TestClient, folder: Folder) -> None:
    folder.file("r.html").write_text("<script>alert(1)</script>")
    policy = client.get("/shown/r.html").headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in policy
    assert "connect-src" not in policy  # so that default-src 'none' counts


def test_names_never_become_markup(client: TestClient, folder: Folder) -> None:
    folder.file("<img src=x onerror=alert(1)>.csv").write_text("text\nx\n")
    shown = client.get("/").text
    assert "<img" not in shown
    assert "&lt;img" in shown


def test_two_files_of_one_name_that_come_at_once_are_both_kept(
    client: TestClient, folder: Folder
) -> None:
    second: list[str] = []

    def pieces() -> Iterator[bytes]:
        yield b"first"
        second.append(client.put("/files/a.csv", content=b"second").json()["name"])
        yield b" file"

    first = client.put("/files/a.csv", content=pieces()).json()["name"]
    contents = {folder.file(name).read_bytes() for name in (first, *second)}
    assert contents == {b"first file", b"second"}


def test_the_example_replaces_nothing(folder: Folder) -> None:
    folder.file("example-later.csv").write_text("mine")
    write_example(folder.path)
    assert folder.file("example-later.csv").read_text() == "mine"
    assert folder.file("example.csv").stat().st_size > 100_000


def test_a_model_that_is_none_is_refused_and_not_kept(client: TestClient, folder: Folder) -> None:
    answer = client.put("/files/m.qx", content=bytes(300))
    assert answer.status_code == 415
    assert not folder.file("m.qx").exists()


def test_nobody_waits_while_a_file_is_brought_to_the_disk(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = []

    def fsync(_: int) -> None:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            waiting.append(False)
        else:
            waiting.append(True)

    monkeypatch.setattr("os.fsync", fsync)
    assert client.put("/files/a.csv", content=b"text\nx\n").status_code == 201
    assert waiting == [False, False]  # the file, and its name
