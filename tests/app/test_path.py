"""The path from a table to an answer, page by page; long work is only begun, or noted as done."""

import json
from datetime import date
from typing import Any

import pytest
from starlette.testclient import TestClient

from quantext.app.choices import choices_of
from quantext.app.folder import Folder
from quantext.app.jobs import Jobs
from quantext.app.questions import question_in
from quantext.app.tables import recommended
from quantext.texts.dating import AmbiguousDatesError
from tests.support.survey import command

BAD = "<img src=x onerror=alert(1)>"


@pytest.fixture
def look_at(folder: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Writes a table of these columns, and notes what `look` says of it."""

    def look_at(name: str, columns: dict[str, list[str]]) -> Any:
        rows = zip(*columns.values(), strict=True)
        lines = [",".join(f'"{cell}"' for cell in row) for row in (columns, *rows)]
        folder.file(name).write_text("\n".join(lines) + "\n")
        monkeypatch.chdir(folder.path)
        code, out, _ = command(monkeypatch, capsys)("look", name, "--json", "--quiet")
        assert code == 0
        found = json.loads(out)
        folder.note(name, "look", found)
        return found

    return look_at


def survey(n: int = 40, **more: list[str]) -> dict[str, list[str]]:
    answers = [f"The phone of number {i} is fine, {BAD} they say" for i in range(n)]
    return {"answer": answers, "topic": ["price", BAD] * (n // 2), **more}


@pytest.fixture
def started(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Arguments of the last job of a kind; no process runs."""
    monkeypatch.setattr("quantext.app.jobs.Jobs._run", lambda *_: ("failed", None, "not run"))
    return lambda kind: list(jobs.latest(kind)[0].arguments)


def test_a_table_shows_what_look_found_and_nothing_of_it_is_markup(client, look_at):
    look_at("a.csv", survey())
    shown = client.get("/tables/a.csv").text
    assert "40 rows, 2 columns" in shown
    assert "2 different labels in 40 rows" in shown
    assert BAD not in shown
    assert "&lt;img" in shown


def test_guesses_hold_until_something_else_is_chosen(client, folder, look_at):
    look_at("a.csv", survey())
    assert choices_of(folder, "a.csv")["label"] == "topic"
    answer = client.put("/tables/a.csv/choices", json={"merge-labels": True, "where": ["topic!=-"]})
    assert answer.json()["label"] == "topic"
    assert answer.json()["merge-labels"] is True
    folder.file("a.csv").write_text("another\ntable\n")
    assert choices_of(folder, "a.csv")["where"] is None


@pytest.mark.parametrize("given", [{"x": 1}, {"text": "a"}, {"label": 1}, [], {"text": [1]},
                                   {"header-row": True}, {"sheet": "x" * 1001}])  # fmt: skip
def test_choices_that_are_none_are_refused(client, folder, given):
    folder.file("a.csv").write_text("a\nb\n")
    assert client.put("/tables/a.csv/choices", json=given).status_code == 400
    assert folder.noted("a.csv", "choices") is None


def test_what_fits_a_table_is_recommended(look_at):
    models = ["model.qx"]
    labelled = look_at("a.csv", survey())
    assert recommended(labelled, {"text": ["answer"], "label": "topic"}, models) == "train"
    assert recommended(labelled, {"text": ["answer"], "label": None}, models) == "estimate"
    assert recommended(labelled, {"text": ["answer"], "label": None}, []) == "label"
    assert recommended(labelled, {"text": [], "label": "topic"}, models) == ""
    checked = ["price" if i < 8 else BAD if i < 14 else "" for i in range(40)]
    judged = look_at("b.csv", survey(checked=checked))
    judged["next"] = "quantext correct b.csv"
    both = {"text": ["answer"], "label": "checked", "proxy": "topic"}
    assert recommended(judged, both, models) == "correct"


def test_another_look_reads_the_table_as_was_chosen(client, look_at, started):
    look_at("a.csv", survey())
    given = {"text": ["answer"], "label": None, "encoding": "cp1252", "header-row": 1}
    job = client.post("/tables/a.csv/look", json=given).json()
    assert job["kind"] == "look"
    expected = ["look", "./a.csv", "--text=answer", "--encoding=cp1252", "--header-row=1", "--json"]
    assert started("look") == expected


@pytest.mark.usefixtures("started")
def test_a_look_that_failed_says_why_and_does_not_begin_again_by_itself(client, folder, jobs):
    folder.file("a.csv").write_text("a\nb\n")
    client.get("/tables/a.csv")
    jobs.wait(jobs.latest("look")[0].number, 30)
    assert "not run" in client.get("/tables/a.csv").text
    assert len(jobs.latest("look")) == 1
    folder.file("a.csv").write_text("a,b\nb,c\n")  # it has changed: worth another look
    client.get("/tables/a.csv")
    assert len(jobs.latest("look")) == 2


def test_training_says_as_a_command_what_was_chosen(client, look_at, started):
    look_at("a.csv", survey())
    client.put("/tables/a.csv/choices", json={"separator": ";", "where": ["topic!=-"]})
    assert "A model learns from" in client.get("/train/a.csv?method=emq").text
    begun = client.post("/train/a.csv", json={"model": "m.qx", "search": True, "method": "emq"})
    assert begun.json()["model"] == "m.qx"
    assert started("train") == [
        "train", "./a.csv", "--text=answer", "--label=topic", "--separator=;", "--where=topic!=-",
        "--search", "--method=emq", "--model=m.qx", "--json",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"model": "a.csv"}, "must end in .qx"),
        ({"model": "../m.qx"}, "is not the name of a file here"),
        ({"model": "old.qx"}, "is there already"),
        ({"model": "m.qx", "out": "x"}, "has no option out"),
        ({}, "is not the name of a file here"),
    ],
)
@pytest.mark.usefixtures("started")
def test_training_that_cannot_be_is_refused(client, folder, look_at, given, said):
    look_at("a.csv", survey())
    folder.file("old.qx").write_text("a model")
    answer = client.post("/train/a.csv", json=given)
    assert answer.status_code == 400
    assert said in answer.json()["error"]
    assert folder.file("old.qx").read_text() == "a model"


MODEL = {
    "method": "Adaptive",
    "documents": 30,
    "classes": [
        {"class": BAD, "documents": 10, "prevalence": 1 / 3, "tpr": 0.92, "fpr": 0.001, "f1": 0.9},
        {"class": "b", "documents": 20, "prevalence": 2 / 3, "tpr": None, "fpr": None, "f1": None},
    ],
    "about": {"text": ["answer"], "label": "topic", "files": [BAD], "trained": "2024-01-01"},
    "warnings": ["few documents"],
}


@pytest.fixture
def model(folder: Folder) -> str:
    folder.file("m.qx").write_text("a model")
    folder.note("m.qx", "model", MODEL)
    return "m.qx"


@pytest.mark.usefixtures("model")
def test_a_model_says_in_words_how_well_classes_are_told_apart(client):
    shown = client.get("/models/m.qx").text
    assert "of 100 such documents 92 are found" in shown
    assert "of 100 others fewer than 1 are wrongly taken for it" in shown
    assert "not measured" in shown
    assert shown.index(">b<") < shown.index("&lt;img src=x onerror=alert(1)&gt;</th>")
    assert BAD not in shown


@pytest.mark.usefixtures("model")
def test_counting_takes_the_texts_of_training_if_they_are_there(client, look_at):
    look_at("new.csv", survey())
    assert "as in training: answer" in client.get("/estimate/new.csv").text
    look_at("new.csv", {"said": survey()["answer"], "day": ["2024-01-01", "2024-03-05"] * 20})
    shown = client.get("/estimate/new.csv").text
    assert "as in training: answer" not in shown
    assert '<option value="said" selected>' in shown
    assert '<option value="day" selected>' in shown
    assert '<option value="week" selected>' in shown  # since there are 64 days


@pytest.mark.usefixtures("model")
def test_counting_says_as_a_command_what_was_chosen(client, look_at, started):
    look_at("new.csv", survey(day=["2024-01-01", "2024-01-02"] * 20))
    given = {"model": "m.qx", "page": "new-estimates.html", "by": ["day", "topic"],
             "period": "week", "quotes": 3, "where": ["topic=price"]}  # fmt: skip
    assert client.post("/estimate/new.csv", json=given).json()["page"] == "new-estimates.html"
    assert started("estimate") == [
        "estimate", "./m.qx", "./new.csv", "--by=day", "--by=topic", "--period=week", "--quotes=3",
        "--where=topic=price", "--report=new-estimates.html", "--out=new-estimates.csv",
        "--out=new-estimates.xlsx", "--json",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"model": "no.qx", "page": "p.html"}, 404),
        ({"model": "m.qx", "page": "p.csv"}, 400),
        ({"model": "m.qx", "page": "../p.html"}, 400),
        ({"model": "m.qx", "page": "old.html"}, 400),
        ({"model": "m.qx", "page": "p.html", "out": "new.csv"}, 400),
        ({"model": "m.qx", "page": "p.html", "by": [{"a": 1}]}, 400),
    ],
)
@pytest.mark.usefixtures("model", "started")
def test_counting_that_cannot_be_is_refused(client, folder, look_at, given, status):
    look_at("new.csv", survey())
    folder.file("old.csv").write_text("mine")  # where the table beside the page would go
    before = folder.file("new.csv").read_text()
    assert client.post("/estimate/new.csv", json=given).status_code == status
    assert folder.file("new.csv").read_text() == before


@pytest.mark.usefixtures("model")
def test_what_is_asked_for_twice_begins_once(client, jobs, look_at, monkeypatch):
    look_at("new.csv", survey())
    monkeypatch.setattr("quantext.app.jobs.Jobs._work", lambda _: None)
    waiting = [job.number for job in jobs.latest()]
    for job in jobs.latest():
        jobs.cancel(job.number)
    jobs.close()  # nothing takes what waits from here on
    given = {"model": "m.qx", "page": "p.html"}
    numbers = {client.post("/estimate/new.csv", json=given).json()["job"]["number"] for _ in "ab"}
    assert len(numbers - {*waiting}) == 1


@pytest.mark.usefixtures("model")
def test_a_result_is_shown_in_a_frame_that_reaches_nothing(client, folder):
    folder.file("p.html").write_text("<p>")
    folder.file("p.csv").write_text("a\n1\n")
    made = {"command": "quantext estimate", "about": "new.csv", "tables": ["p.csv", "gone.xlsx"],
            "model": "m.qx"}  # fmt: skip
    folder.note("p.html", "made", made)
    shown = client.get("/pages/p.html").text
    assert 'src="/shown/p.html"' in shown
    assert 'sandbox="allow-scripts allow-downloads allow-popups"' in shown
    assert all(f'href="/files/{name}"' in shown for name in ("p.html", "p.csv", "m.qx"))
    assert "gone.xlsx" not in shown
    assert "quantext estimate" in shown
    folder.file("other.html").write_text("<p>")
    assert client.get("/pages/other.html").status_code == 200


@pytest.mark.parametrize("kind", ["tables", "models", "pages", "train", "estimate"])
def test_a_page_of_a_file_that_is_not_there_says_so(client: TestClient, kind: str) -> None:
    for name in ("no.csv", "no.qx", "no.html", "..%2Fa.csv"):
        assert client.get(f"/{kind}/{name}").status_code in (400, 404)


def test_questions_are_read_out_of_what_the_commands_say() -> None:
    readings = [("%d/%m/%Y", date(2024, 2, 1)), ("%m/%d/%Y", date(2024, 1, 2))]
    error = AmbiguousDatesError("a.csv, row 1, column 'day'", "01/02/2024", readings)
    question = question_in(error.said("--date-format {}"))
    assert question is not None
    assert question["option"] == "date-format"
    assert [way for way, _ in question["answers"]] == ["%d/%m/%Y", "%m/%d/%Y"]
    assert all("2024" in day for _, day in question["answers"])


def test_pages_name_no_options_that_only_a_terminal_takes(client, folder, look_at):
    found = look_at("a.csv", survey())
    warning = "a.csv: if that is wrong, say in which row it is (--header-row N, in Python x=)"
    odd = [{"said": "something is odd (see --by)", "where": None}]
    folder.note("a.csv", "look", found | {"warnings": [warning], "odd": odd})
    shown = client.get("/tables/a.csv").text
    assert "<li>a.csv: if that is wrong, say in which row it is</li>" in shown
    assert "<li>Something is odd\n" in shown


def test_tables_of_results_stand_with_these_on_the_first_page(client, folder):
    for name in ("new.csv", "p.csv", "p.html"):
        folder.file(name).write_text("a\n1\n")
    folder.note("p.csv", "made", {"page": "p.html"})
    tables, _, results = client.get("/").text.partition('id="pages"')
    assert 'href="/tables/new.csv"' in tables
    assert "p.csv" not in tables
    assert 'href="/files/p.csv" download' in results
    assert 'href="/pages/p.html"' in results
