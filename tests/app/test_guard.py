"""Who gets in, and who does not."""

import pytest
from starlette.testclient import TestClient

from quantext.app.folder import Folder
from quantext.app.guard import LARGEST
from tests.app.conftest import DOOR


def test_without_the_secret_nothing_is_shown(stranger: TestClient) -> None:
    for path in ("/", "/files/a.csv", "/static/app.js", "/jobs", "/nowhere"):
        answer = stranger.get(path)
        assert answer.status_code == 403
        assert "address that the terminal shows" in answer.text


def test_the_address_with_the_secret_leads_to_one_without_it(stranger: TestClient) -> None:
    answer = stranger.get(f"/?key={DOOR.secret}")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert stranger.get("/").status_code == 200


def test_who_comes_by_a_file_is_led_on_by_a_page(stranger: TestClient) -> None:
    answer = stranger.get(
        "/tables/a.csv", params={"key": DOOR.secret}, headers={"sec-fetch-site": "cross-site"}
    )
    assert answer.status_code == 200
    assert 'content="0; url=/tables/a.csv"' in answer.text
    assert "SameSite=strict" in answer.headers["set-cookie"]


def test_the_way_in_leads_nowhere_else(stranger: TestClient) -> None:
    answer = stranger.get(f"http://127.0.0.1:{DOOR.port}//evil.example/?key={DOOR.secret}&a=1")
    assert answer.headers["location"] == "/evil.example/?a=1"


@pytest.mark.parametrize("key", ["", "s" * 42, "s" * 44, "ß"])
def test_a_wrong_secret_opens_nothing(stranger: TestClient, key: str) -> None:
    answer = stranger.get("/", params={"key": key})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_a_wrong_key_is_refused_although_the_cookie_is_right(client: TestClient) -> None:
    assert client.get("/?key=wrong").status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:80", "localhost:1", ""]
)
def test_a_foreign_host_is_refused_even_with_the_secret(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 421


def test_localhost_is_this_machine_too(client: TestClient) -> None:
    host = f"localhost:{DOOR.port}"
    headers = {"host": host, "origin": f"http://{host}"}
    assert client.get("/", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:80", f"https://127.0.0.1:{DOOR.port}"],
)
def test_other_sites_change_nothing(client: TestClient, folder: Folder, origin: str) -> None:
    answer = client.put("/files/a.csv", content=b"text\nx\n", headers={"origin": origin})
    assert answer.status_code == 403
    assert not folder.file("a.csv").exists()


def test_what_changes_something_must_say_where_it_comes_from(client: TestClient) -> None:
    del client.headers["origin"]
    assert client.put("/files/a.csv", content=b"text\nx\n").status_code == 403


def test_ten_gigabytes_are_refused_before_they_come(client: TestClient, folder: Folder) -> None:
    headers = {"content-length": str(10 << 30)}
    answer = client.put("/files/a.csv", content=b"", headers=headers)
    assert answer.status_code == 413
    assert LARGEST < 10 << 30
    assert not folder.file("a.csv").exists()


@pytest.mark.parametrize("length", ["-1", "1e3", "9" * 30, "٣"])
def test_a_length_that_is_none_is_refused(client: TestClient, length: str) -> None:
    headers = {"content-length": length.encode()}
    assert client.put("/files/a.csv", content=b"", headers=headers).status_code == 413


def test_more_than_a_request_may_bring_is_refused_though_not_announced(
    client: TestClient,
) -> None:
    def pieces() -> object:
        yield from [b"x" * (1 << 18)] * 5

    answer = client.post("/tables/a.csv/look", content=pieces())
    assert answer.status_code == 413


def test_pages_may_load_nothing_from_elsewhere(client: TestClient) -> None:
    headers = client.get("/").headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"http://127.0.0.1:{DOOR.port + 1}"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"},  # of another port
    ],
)
def test_other_sites_and_other_ports_read_and_start_nothing(
    client: TestClient, folder: Folder, headers: dict[str, str]
) -> None:
    folder.file("a.csv").write_text("text\nx\n")
    del client.headers["origin"]
    assert client.get("/tables/a.csv", headers=headers).status_code == 403
    assert client.get("/jobs").json() == []


def test_whoever_follows_a_link_from_another_port_is_let_in(client: TestClient) -> None:
    del client.headers["origin"]
    headers = {"sec-fetch-site": "same-site", "sec-fetch-mode": "navigate"}
    assert client.get("/", headers=headers).status_code == 200
