"""Labelling: what is kept, what is refused, and what happens to a table that others change."""

import csv
import os
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from quantext.app.folder import Folder
from quantext.app.jobs import Job, Jobs
from quantext.app.label.desk import Desk
from quantext.app.label.drawn import Drawn, write_wave
from quantext.app.label.question import Question, check_class, check_person, write_question
from quantext.app.label.sheet import Document, Said, read_sheet, write_sheet
from quantext.app.label.showing import waiting

TEXTS = ["=1+1", 'she said "no",\nthen left', "<img src=x onerror=alert(1)>", "Größe 🙂"]
ROWS = [7, 3, 9, 1]  # in the order in which they were drawn


def ask(folder: Folder, n_documents: int = 4) -> None:
    """A question whose documents are prepared; there are no more to draw, unless more are there."""
    folder.file("t.csv").write_text("text\nx\n")
    status = folder.file("t.csv").stat()
    mark = (status.st_size, status.st_mtime_ns)
    state = folder.state / "labelling"
    write_question(state, Question("t.csv", ("text",), ("ham", "spam"), of=mark))
    write_wave(state, Drawn(0, n_documents, 0, [3, 1, 2, 0], [1.0] * 4, ROWS, TEXTS))


def table(folder: Folder) -> list[dict[str, str]]:
    with open(folder.file("labels.csv"), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def say(client: TestClient, row: int, labels: list[str] | None, by: str = "Ann", **more: str):
    return client.post("/label/t.csv/labels", json={"row": row, "by": by, "labels": labels, **more})


@pytest.fixture
def asked(folder: Folder, client: TestClient) -> TestClient:
    ask(folder)
    return client


def test_a_label_is_on_the_disk_when_it_is_answered(asked: TestClient, folder: Folder) -> None:
    assert say(asked, 7, ["spam"], note=" odd ").status_code == 200
    assert say(asked, 3, None).status_code == 200
    first, second = table(folder)
    assert (first["row"], first["text"], first["label"]) == ("7", TEXTS[0], "spam")
    assert (first["note"], first["by"], first["wave"], first["chance"]) == (
        "odd",
        "Ann",
        "0",
        "1.0",
    )
    assert (second["text"], second["label"]) == (TEXTS[1], "")


def test_a_label_that_is_said_twice_counts_once(asked: TestClient, folder: Folder) -> None:
    say(asked, 7, ["spam"])
    before = folder.file("labels.csv").stat()
    say(asked, 7, ["spam"])
    after = folder.file("labels.csv").stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)
    say(asked, 7, ["ham"])
    assert [one["label"] for one in table(folder)] == ["ham"]


def test_who_labels_is_shown_what_waits_in_the_order_of_the_draw(asked: TestClient) -> None:
    say(asked, 7, ["spam"])
    told = asked.get("/label/t.csv/documents?by=Ann").json()
    assert [one["row"] for one in told["documents"]] == [3, 9, 1]
    assert (told["last"]["row"], told["last"]["labels"]) == (7, ["spam"])
    other = asked.get("/label/t.csv/documents?by=Bo").json()
    assert [one["row"] for one in other["documents"]] == ROWS


def test_what_is_taken_back_is_gone_and_taking_it_back_twice_is_no_harm(
    asked: TestClient, folder: Folder
) -> None:
    for row in (7, 3):
        say(asked, row, ["spam"])
    for _ in range(2):
        answer = asked.post("/label/t.csv/undo", json={"row": 3, "by": "Ann"})
        assert answer.status_code == 200
        assert [one["row"] for one in table(folder)] == ["7"]


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"row": 2, "by": "Ann", "labels": ["ham"]}, "was not drawn"),
        ({"row": "7", "by": "Ann", "labels": ["ham"]}, "which row"),
        ({"row": 7, "by": "", "labels": ["ham"]}, "say who labels"),
        ({"row": 7, "by": "A" * 61, "labels": ["ham"]}, "up to 60 letters"),
        ({"row": 7, "by": "A\u202eb", "labels": ["ham"]}, "up to 60 letters"),
        ({"row": 7, "by": "Ann", "labels": ["eggs"]}, "none of the classes"),
        ({"row": 7, "by": "Ann", "labels": ["ham", "spam"]}, "exactly one class"),
        ({"row": 7, "by": "Ann", "labels": []}, "exactly one class"),
        ({"row": 7, "by": "Ann", "labels": "ham"}, "not a list of texts"),
        ({"row": 7, "by": "Ann", "labels": ["ham"], "note": "x" * 2001}, "longer than"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_refused(
    asked: TestClient, folder: Folder, told: dict[str, object], why: str
) -> None:
    answer = asked.post("/label/t.csv/labels", json=told)
    assert answer.status_code == 400
    assert why in answer.json()["error"]
    assert not folder.file("labels.csv").exists()


def test_what_others_changed_in_the_table_is_read_and_stays(
    asked: TestClient, folder: Folder
) -> None:
    say(asked, 7, ["spam"])
    path = folder.file("labels.csv")
    lines = path.read_text("utf-8").replace(",spam,", ",ham,").splitlines()
    path.write_text("\ufeff" + lines[0] + ",mine\n" + lines[1] + ",my cell\n", "utf-8")
    say(asked, 3, ["spam"])
    assert [(one["label"], one["mine"]) for one in table(folder)] == [
        ("ham", "my cell"),
        ("spam", ""),
    ]


def test_a_table_that_cannot_be_understood_is_not_overwritten(
    asked: TestClient, folder: Folder
) -> None:
    say(asked, 7, ["spam"])
    path = folder.file("labels.csv")
    changed = path.read_text("utf-8").replace(",spam,", ",Spam!,")
    path.write_text(changed, "utf-8")
    answer = say(asked, 3, ["ham"])
    assert answer.status_code == 400
    assert "the label 'Spam!' is none of the classes" in answer.json()["error"]
    assert path.read_text("utf-8") == changed


def test_a_label_that_cannot_be_written_does_not_count(
    asked: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(asked, 7, ["spam"])

    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28), "labels.csv")

    monkeypatch.setattr("quantext.app.label.desk.write_sheet", full)
    assert say(asked, 3, ["spam"]).status_code == 507
    told = asked.get("/label/t.csv/documents?by=Ann").json()
    assert [one["row"] for one in told["documents"]] == [3, 9, 1]


def test_another_server_goes_on_where_the_first_was(
    asked: TestClient, folder: Folder, jobs: Jobs
) -> None:
    say(asked, 7, ["spam"])
    again = Desk(folder, jobs)
    assert [one.row for one in waiting(again, "Ann")] == [3, 9, 1]
    assert again.documents[7].said["Ann"].labels == ("spam",)


def test_the_first_label_counts_until_a_disagreement_is_settled(
    asked: TestClient, folder: Folder
) -> None:
    for row, ann, bo in ((7, "ham", "ham"), (3, "ham", "spam"), (9, "spam", "spam")):
        say(asked, row, [ann])
        say(asked, row, [bo], by="Bo; x")
    assert [one["label"] for one in table(folder)] == ["ham", "ham", "spam"]
    page = asked.get("/label/t.csv/agreement").text
    # 2 of 3 agree; by chance (2 · 1 + 1 · 2) / 9: κ = (2/3 − 4/9) / (1 − 4/9) = 0.4.
    assert "κ is 0.40" in page
    asked.post("/label/t.csv/settle", json={"row": 3, "by": "Ann", "labels": ["spam"]})
    second = table(folder)[1]
    assert (second["label"], second["settled"], second["label by Bo; x"]) == ("spam", "yes", "spam")
    assert second["label by Ann"] == "ham"
    read = {one.row: one for one in read_sheet(folder.file("labels.csv"), ("ham", "spam"))}
    assert read[3].settled is not None
    assert read[3].said["Ann"].labels == ("ham",)
    assert "κ is 0.40" in asked.get("/label/t.csv/agreement").text


def test_whoever_skips_leaves_the_label_to_the_other(asked: TestClient, folder: Folder) -> None:
    say(asked, 7, None)
    say(asked, 7, ["spam"], by="Bo")
    (only,) = table(folder)
    assert (only["label"], only["by"], only["label by Ann"]) == ("spam", "Bo", "(skipped)")


def test_documents_of_before_are_looked_at_again_when_a_class_is_added(
    asked: TestClient, folder: Folder
) -> None:
    for row in (7, 3):
        say(asked, row, ["spam"])
    for _ in range(2):
        assert asked.post("/label/t.csv/classes", json={"name": "eggs"}).status_code == 200
    told = asked.get("/label/t.csv/documents?by=Ann").json()
    assert [(one["row"], one["labels"]) for one in told["outdated"]] == [
        (7, ["spam"]),
        (3, ["spam"]),
    ]
    say(asked, 7, ["spam"])  # looked at again, and left as it was
    say(asked, 3, ["eggs"])
    assert asked.get("/label/t.csv/documents?by=Ann").json()["outdated"] == []
    assert [one["label"] for one in table(folder)] == ["spam", "eggs"]


def test_learning_begins_once_when_half_of_the_wave_is_labelled(
    client: TestClient, folder: Folder, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(folder, n_documents=10)
    begun: list[str] = []

    def start(kind: str, about: str, module: str, arguments: list[str]) -> Job:
        begun.append(module)
        job = Job(kind, about, module, tuple(arguments))
        jobs._jobs[job.number] = job
        return job

    monkeypatch.setattr(jobs, "start", start)
    say(client, 7, ["spam"])
    assert begun == []
    for row in (3, 9, 1):
        say(client, row, ["ham"])
        assert begun == ["quantext.app.label.relearn"]
    told = client.get("/label/t.csv/documents?by=Ann").json()
    assert told["documents"] == []
    assert told["learning"]["state"] == "waiting"
    for expected in (2, 2):  # if it fails, not again and again, but when there are more labels
        jobs.latest("learn")[0].state = "failed"
        client.get("/label/t.csv/documents?by=Ann")
        assert len(begun) == expected
    client.get("/label/t.csv/documents?by=Ann&again")  # or when one asks
    assert len(begun) == 3


def test_shares_stand_beside_and_make_a_page(asked: TestClient, folder: Folder) -> None:
    for row, name in ((7, "spam"), (3, "ham"), (9, "ham")):
        say(asked, row, [name])
    told = asked.get("/label/t.csv/shares").json()
    assert told["names"] == ["ham", "spam"]
    assert (told["counts"], told["labels"], told["people"]) == ([2, 1], 3, [["Ann", 3]])
    assert told["low"][0] <= 2 / 3 <= told["high"][0]
    folder.file("shares.html").write_text("of someone else")
    for _ in range(2):
        names = asked.post("/label/t.csv/finish").json()
        assert names == {"page": "shares-2.html", "table": "shares.csv"}
    page = folder.file("shares-2.html").read_text("utf-8")
    assert "“ham” is the most frequent" in page
    assert "3 were labelled by hand" in page
    assert folder.file("shares.html").read_text() == "of someone else"
    assert 'href="/files/shares.csv"' in asked.get("/pages/shares-2.html").text


def test_nothing_can_be_finished_before_the_first_label(asked: TestClient) -> None:
    answer = asked.post("/label/t.csv/finish")
    assert (answer.status_code, "no document is labelled" in answer.text) == (400, True)


def test_one_folder_has_one_question(asked: TestClient, folder: Folder) -> None:
    folder.file("other.csv").write_text("text\nx\n")
    answer = asked.get("/label/other.csv")
    assert answer.status_code == 409
    assert "open another folder" in answer.text
    say(asked, 7, ["spam"])
    told = {"text": ["text"], "classes": ["a", "b"], "several": False, "target": 3, "proxy": ""}
    answer = asked.post("/label/other.csv/begin", json=told)
    assert (answer.status_code, "one question, of t.csv" in answer.text) == (400, True)
    assert say(asked, 3, ["ham"]).status_code == 200


def test_labels_of_unknown_origin_are_not_touched(client: TestClient, folder: Folder) -> None:
    folder.file("t.csv").write_text("text\nx\n")
    folder.file("labels.csv").write_text("mine\n")
    told = {"text": ["text"], "classes": ["a", "b"], "several": False, "target": 3, "proxy": ""}
    answer = client.post("/label/t.csv/begin", json=told)
    assert (answer.status_code, "is here already" in answer.text) == (400, True)
    assert folder.file("labels.csv").read_text() == "mine\n"


@pytest.mark.parametrize(
    "classes",
    [["a"], ["a", "A"], ["a", ""], ["a", "b;c"], ["a", "[b]"], [str(i) for i in range(33)]],
)
def test_a_question_that_cannot_be_asked_is_refused(
    client: TestClient, folder: Folder, classes: list[str]
) -> None:
    folder.file("t.csv").write_text("text\nx\n")
    told = {"text": ["text"], "classes": classes, "several": False, "target": 3, "proxy": ""}
    assert client.post("/label/t.csv/begin", json=told).status_code == 400
    assert not (folder.state / "labelling").exists()


@pytest.mark.parametrize("name", ["", " a", "nan", "(skipped)", "a\nb", "x" * 101, "\u202ea"])
def test_names_that_tables_cannot_keep_are_no_classes(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be the name of a class"):
        check_class(name)


def test_a_name_of_a_person_loses_blanks_around_it() -> None:
    assert check_person("  Zoë P. ") == "Zoë P."


def test_documents_never_become_markup(asked: TestClient) -> None:
    assert "<img" not in asked.get("/label/t.csv").text
    for by, label in (("Ann", "ham"), ("Bo", "spam")):
        say(asked, 9, [label], by=by)
    shown = asked.get("/label/t.csv/agreement").text
    assert "<img" not in shown
    assert "&lt;img" in shown


def test_a_table_of_labels_comes_back_as_it_was(tmp_path: Path) -> None:
    documents = [
        Document(3, TEXTS[1], "0", "0.25", "n", {"Ann": Said(("b", "a"), "t1")}),
        Document(1, TEXTS[3], "1", "1.0", "", {"Ann": Said((), "t2"), "Bo": Said(None, "t3")}),
        Document(2, TEXTS[0], "1", "0.5", "", {"Bo": Said(None, "t4")}, others={"x": "y"}),
        Document(
            5, "z", "1", "0.5", "", {"Ann": Said(("a",), "t5"), "Bo": Said(("b",), "t6")},
            ("Bo", Said(("b",), "t7")),
        ),
    ]  # fmt: skip
    write_sheet(tmp_path / "labels.csv", documents)
    back = read_sheet(tmp_path / "labels.csv", ("a", "b"))
    for one in documents:
        one.others.setdefault("x", "")
    assert back == documents


def test_the_table_of_labels_is_one_that_train_reads(folder: Folder) -> None:
    from quantext.texts.reading import read_corpus

    said = [("a",), ("b",), ("a", "b"), (), None]
    documents = [
        Document(i, f"text {i}", "0", "0.1", said={"me": Said(labels, "t")})
        for i, labels in enumerate(said, 1)
    ]
    path = folder.file("labels.csv")
    write_sheet(path, documents)
    corpus = read_corpus(path, text="text", label="label", separator=";")
    assert corpus.labels is not None
    assert corpus.labels.to_list() == [["a"], ["b"], ["a", "b"], []]
    assert corpus.dropped == 1


@pytest.mark.parametrize("body", [b"[]", b"3", b"null", b"[" * 100_000, b"{", b"\xff"])
@pytest.mark.parametrize("what", ["begin", "labels", "undo", "classes", "settle"])
def test_what_is_no_object_is_refused(asked: TestClient, what: str, body: bytes) -> None:
    answer = asked.post(f"/label/t.csv/{what}", content=body)
    assert answer.status_code == 400
    assert answer.json()["error"]
