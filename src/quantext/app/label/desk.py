"""The desk at which a folder's documents are labelled: each label is on the disk before it counts.

All that it tells it has from files, so that a server that was killed goes on where it was.
"""

import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from quantext.app.folder import Folder
from quantext.app.jobs import Job, Jobs
from quantext.app.label.drawn import FEATURES, GUIDE, Drawn, read_waves
from quantext.app.label.question import (
    Question,
    check_class,
    check_person,
    read_question,
    write_question,
)
from quantext.app.label.sheet import Document, Said, read_sheet, signature, write_sheet

__all__ = ["SHEET", "Desk"]

SHEET = "labels.csv"
_LONGEST_NOTE = 2000
_JOBS = "quantext.app.label."


class Desk:
    """One question, its documents, and what people have said of them.

    Parameters
    ----------
    folder
        To work in.
    jobs
        In it.
    """

    def __init__(self, folder: Folder, jobs: Jobs) -> None:
        self.folder = folder
        self.jobs = jobs
        self.state = folder.state / "labelling"
        self.lock = threading.RLock()
        self._question: Question | None = None
        self._waves: list[Drawn] = []
        self._documents: dict[int, Document] = {}
        self._read: object = None  # what the table of labels was when it was read
        self._tried = -1  # labels from which was learned the last time, whatever became of it

    # What there is -----------------------------------------------------------------------------

    @property
    def question(self) -> Question | None:
        """What is asked in this folder, if anything is yet."""
        with self.lock:
            if self._question is None:
                self._question = read_question(self.state)
            return self._question

    @property
    def waves(self) -> list[Drawn]:
        """All documents that were drawn so far; none before all is prepared."""
        with self.lock:
            if self.question is not None:
                self._waves = read_waves(self.state, self._waves)
            return self._waves

    @property
    def documents(self) -> Mapping[int, Document]:
        """Documents that someone has labelled or skipped, by row, the first ones first.

        The file is read again if anyone has changed it.
        """
        with self.lock:
            path, question = self.folder.file(SHEET), self.question
            now = signature(path)
            if now != self._read or question is None:
                found = (
                    [] if now is None or question is None else read_sheet(path, question.classes)
                )
                self._documents = {one.row: one for one in found}
                self._read = now if question is not None else None
            return self._documents

    def working(self, kind: str) -> Job | None:
        """The latest job of a kind, whatever has become of it: "prepare" or "learn"."""
        question = self.question
        found = self.jobs.latest(kind, question.table) if question else []
        return found[0] if found else None

    # What changes ------------------------------------------------------------------------------

    def begin(self, question: Question) -> Job | None:
        """Ask a question, and prepare its documents; None if that was done before.

        Parameters
        ----------
        question
            Takes the place of another only if nothing was labelled yet.
        """
        with self.lock:
            before = self.question
            self.check_free(question.table)
            if before is not None and replace(before, added={}) == question:
                return self.prepare()
            if before is not None:
                self._clear(before)
            write_question(self.state, question)
            self._question = question
            return self.prepare()

    def check_free(self, table: str) -> None:
        """Raise if there is a table of labels that nobody knows how they were drawn.

        Parameters
        ----------
        table
            That is to be labelled.
        """
        if table == SHEET:
            raise ValueError(f"{SHEET} is where labels go; label another table")
        if self.question is None and self.folder.file(SHEET).exists():
            raise ValueError(
                f"{SHEET} is here already, and how its rows were drawn is not known; give it "
                "another name, or label in another folder"
            )

    def _clear(self, before: Question) -> None:
        """Forget the question of before, of which nothing was labelled yet."""
        if self.documents:
            raise ValueError(
                f"this folder has one question, of {before.table}, and {len(self.documents):,} "
                "documents are labelled; for another one open another folder: quantext app FOLDER"
            )
        job = self.working("prepare")
        if job is not None:
            self.jobs.cancel(job.number)
        for path in self.state.glob("wave-*.json"):
            path.unlink()
        for name in (GUIDE, "history.jsonl"):
            (self.state / name).unlink(missing_ok=True)
        shutil.rmtree(self.state / FEATURES, ignore_errors=True)
        self._waves = []

    def prepare(self) -> Job | None:
        """Prepare documents, unless they are or are being prepared."""
        with self.lock:
            job = self.working("prepare")
            if self.waves or (job is not None and not job.ended):
                return job if job is not None and not job.ended else None
            return self.jobs.start("prepare", self._asked().table, f"{_JOBS}prepare", [])

    def say(self, row: int, by: str, labels: Sequence[str] | None, note: str) -> None:
        """Keep what someone says of a document; twice is as good as once.

        Parameters
        ----------
        row
            Of the document.
        by
            Who says it.
        labels
            Its classes; None: they cannot say.
        note
            Beside it.
        """
        by, note = check_person(by), note.strip()
        if len(note) > _LONGEST_NOTE:
            raise ValueError(f"the note is longer than {_LONGEST_NOTE:,} letters")
        with self.lock:
            said = self._checked(labels)

            def speak(document: Document) -> Document:
                own = document.said.get(by)
                since = max(self._asked().added.values(), default="")
                again = own is not None and own.labels == said.labels and own.time >= since
                if again and note == document.note:
                    return document
                return replace(document, said=document.said | {by: said}, note=note)

            self._change(row, speak)
            self.keep_learning()

    def take_back(self, row: int, by: str) -> None:
        """Forget what someone said of a document.

        Parameters
        ----------
        row
            Of the document.
        by
            Who said it.
        """
        with self.lock:
            if row not in self.documents or by not in self.documents[row].said:
                return

            def forget(document: Document) -> Document:
                left = {who: said for who, said in document.said.items() if who != by}
                return replace(document, said=left, settled=None)

            self._change(row, forget)

    def settle(self, row: int, by: str, labels: Sequence[str]) -> None:
        """Keep what counts of a document on which people disagree.

        Parameters
        ----------
        row
            Of the document.
        by
            Who settles it.
        labels
            Its classes.
        """
        by = check_person(by)
        with self.lock:
            said = self._checked(labels)
            if row not in self.documents:
                raise ValueError("nobody has labelled this document")
            self._change(row, lambda document: replace(document, settled=(by, said)))

    def add_class(self, name: str) -> None:
        """One more class; documents that were labelled before may be of it.

        Parameters
        ----------
        name
            Of the class.
        """
        with self.lock:
            question = self._asked()
            if name in question.classes:
                return
            check_class(name)
            added = dict(question.added) | ({name: _now()} if self.documents else {})
            question = replace(question, classes=(*question.classes, name), added=added)
            write_question(self.state, question)
            self._question = question
            self._read = None

    def keep_learning(self) -> Job | None:
        """Learn in the background as soon as half of the last wave is labelled, and draw another.

        The job that learns, if one does.
        """
        with self.lock:
            job, waves = self.working("learn"), self.waves
            if job is not None and not job.ended:
                return job
            if not waves or sum(len(wave.rows) for wave in waves) >= waves[0].n_documents:
                return None
            left = sum(row not in self.documents for row in waves[-1].rows)
            known = len(self.documents)
            failed = job is not None and job.state in ("failed", "cancelled")
            if known < 2 or 2 * left > len(waves[-1].rows) or (failed and known == self._tried):
                return None
            self._tried = known
            return self.jobs.start("learn", self._asked().table, f"{_JOBS}relearn", [])

    def learn_again(self) -> Job | None:
        """Learn now, though it went wrong before."""
        with self.lock:
            self._tried = -1
            return self.keep_learning()

    # How it changes ----------------------------------------------------------------------------

    def _asked(self) -> Question:
        question = self.question
        if question is None:
            raise ValueError("nothing is asked in this folder yet; choose classes first")
        return question

    def _checked(self, labels: Sequence[str] | None) -> Said:
        """What is said now, if it is an answer to the question."""
        question = self._asked()
        if labels is None:
            return Said(None, _now())
        if unknown := [name for name in labels if name not in question.classes]:
            raise ValueError(f"{str(unknown[0])[:80]!r} is none of the classes")
        if not question.several and len(labels) != 1:
            raise ValueError("a document has exactly one class")
        return Said(tuple(name for name in question.classes if name in labels), _now())

    def _change(self, row: int, change: Callable[[Document], Document]) -> None:
        """Change what is kept of a document, on the disk first."""
        documents = dict(self.documents)
        before = documents.get(row) or self._drawn(row)
        after = change(before)
        if after is before:
            return
        if after.said:
            documents[row] = after
        else:
            documents.pop(row, None)
        path = self.folder.file(SHEET)
        write_sheet(path, documents.values())
        self._documents, self._read = documents, signature(path)

    def _drawn(self, row: int) -> Document:
        for wave in self.waves:
            if row in wave.rows:
                at = wave.rows.index(row)
                return Document(row, wave.texts[at], str(wave.number), repr(wave.chances[at]))
        raise ValueError("this document was not drawn, so its label would not count")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
