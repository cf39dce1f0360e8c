"""The pages that compare methods and correct a model's labels: the commands that they run."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from quantext.app.folder import Folder
from quantext.app.jobs import Jobs

LOOK: dict[str, Any] = {
    "rows": 3,
    "columns": [
        {"name": name, "kind": kind, "filled": 3, "distinct": 3, "exact": True, "example": ""}
        for name, kind in (("t", "text"), ("<b>", "label"), ("gpt", "model"), ("p", "score"))
    ],
    "guesses": {"text": "t", "label": "<b>", "date": None, "proxy": "gpt"},
    "texts": [{"name": "t", "language": "english", "emoji": False}],
    "labels": {"name": "<b>", "separator": None, "variants": []},
    "dates": None,
}


@pytest.fixture
def looked(folder: Folder) -> str:
    """A table at which somebody has looked."""
    folder.file("-a b.csv").write_text("t,<b>,gpt,p\nx,y,y,1\n")
    folder.note("-a b.csv", "look", LOOK)
    return "-a%20b.csv"


def test_methods_are_compared_by_the_command_that_people_can_type(
    client: TestClient, jobs: Jobs, looked: str
) -> None:
    assert "Labels: &lt;b&gt;." in client.get(f"/compare/{looked}").text
    told = client.post(f"/compare/{looked}/start", json={}).json()
    again = client.post(f"/compare/{looked}/start", json={}).json()
    assert told["number"] == again["number"]
    job = jobs.cancel(told["number"])
    assert job is not None
    assert job.arguments == (
        "compare", "./-a b.csv", "--text=t", "--label=<b>", "--out=./compare--a b", "--json",
    )  # fmt: skip


def test_labels_are_corrected_by_the_command_that_people_can_type(
    client: TestClient, jobs: Jobs, looked: str
) -> None:
    shown = client.get(f"/correct/{looked}").text
    assert "<option selected>gpt</option>" in shown
    assert "<option selected>&lt;b&gt;</option>" in shown
    assert 'name="design" required' in shown
    given = {"proxy": "gpt", "truth": "<b>", "design": "prob:p"}
    job = jobs.cancel(client.post(f"/correct/{looked}/start", json=given).json()["number"])
    assert job is not None
    assert job.arguments == (
        "correct", "./-a b.csv", "--proxy=gpt", "--truth=<b>", "--design=prob:p",
        "--report=./-a b-corrected.html", "--out=./-a b-corrected.csv", "--json",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"config": "x"}, "correct has no option config"),
        ({"proxy": {"a": 1}}, "the value of proxy is not a text or a number"),
        ({"truth-file": "../a.csv"}, "is not the name of a file here"),
        ({"truth-file": "none.csv"}, "there is no none.csv here"),
        ([1], ""),
    ],
)
def test_what_is_no_option_is_refused(
    client: TestClient, jobs: Jobs, looked: str, given: object, said: str
) -> None:
    answer = client.post(f"/correct/{looked}/start", json=given)
    assert answer.status_code in (400, 404)
    assert said in answer.json()["error"]
    assert jobs.latest() == []


def test_a_table_that_is_not_there_has_no_pages(client: TestClient) -> None:
    for path in ("/compare/b.csv", "/correct/b.csv"):
        assert client.get(path).status_code == 404
        assert client.get(path, headers={"accept": "text/html"}).status_code == 404


def test_truths_may_be_in_another_table(
    client: TestClient, folder: Folder, jobs: Jobs, looked: str
) -> None:
    folder.file("gold.csv").write_text("t,human\nx,y\n")
    columns = [dict(LOOK["columns"][0]), LOOK["columns"][0] | {"name": "human", "kind": "label"}]
    labels = LOOK["labels"] | {"name": "human"}
    folder.note("gold.csv", "look", LOOK | {"columns": columns, "labels": labels})
    shown = client.get(f"/correct/{looked}?truths=gold.csv").text
    assert "<option selected>human</option>" in shown
    assert (
        "<option>gpt</option>" not in shown.partition('name="truth"')[2].partition("</select>")[0]
    )
    given = {"proxy": "gpt", "truth": "human", "design": "srs", "truth-file": "gold.csv", "id": "t"}
    job = jobs.cancel(client.post(f"/correct/{looked}/start", json=given).json()["number"])
    assert job is not None
    assert "--truth-file=./gold.csv" in job.arguments


def test_another_comparison_replaces_no_page_of_somebody(
    client: TestClient, folder: Folder, jobs: Jobs, looked: str
) -> None:
    folder.file("compare--a b.html").write_text("mine")
    told = client.post(f"/compare/{looked}/start", json={}).json()
    job = jobs.cancel(told["number"])
    assert job is not None
    assert "--out=./compare--a b-2" in job.arguments


def test_a_correction_replaces_no_file_of_somebody(
    client: TestClient, folder: Folder, jobs: Jobs, looked: str
) -> None:
    folder.file("-a b-corrected.csv").write_text("mine")
    given = {"proxy": "gpt", "truth": "<b>", "design": "srs"}
    job = jobs.cancel(client.post(f"/correct/{looked}/start", json=given).json()["number"])
    assert job is not None
    assert "--out=./-a b-corrected-2.csv" in job.arguments
    assert "--report=./-a b-corrected-2.html" in job.arguments
    # What was ours and was changed since is somebody's as well.
    for name in ("-a b-corrected-2.csv", "-a b-corrected-2.html"):
        folder.file(name).write_text("ours")
        folder.note(name, "made", {})
    again = jobs.cancel(client.post(f"/correct/{looked}/start", json=given).json()["number"])
    assert again is not None
    assert again.arguments == job.arguments
    folder.file("-a b-corrected-2.csv").write_text("changed")
    other = jobs.cancel(client.post(f"/correct/{looked}/start", json=given).json()["number"])
    assert other is not None
    assert "--out=./-a b-corrected-3.csv" in other.arguments


def test_who_has_checked_nothing_labels_with_what_the_model_said(
    client: TestClient, looked: str
) -> None:
    assert f'href="/label/{looked}?proxy=gpt"' in client.get(f"/correct/{looked}").text
