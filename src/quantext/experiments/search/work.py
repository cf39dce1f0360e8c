"""The work of a search: piece by piece, in threads, and from where it was left off."""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.utils.validation import validate_data

from quantext.experiments.fits import representation
from quantext.experiments.folder import claim
from quantext.experiments.search.data import Data
from quantext.experiments.search.plan import Errors, Plan
from quantext.experiments.search.settings import (
    Setting,
    assembled,
    learns_from_labels,
    quantifier_of,
)
from quantext.experiments.search.stored import read_outcome, search_facts, write_outcome
from quantext.experiments.search.trials import Outcome, try_piece
from quantext.experiments.search.vectors import SharedVectors
from quantext.progress import Progress
from quantext.quantifiers import Quantifier
from quantext.scores.features import describe_features
from quantext.scores.scorers import LinearScorer

__all__ = ["Found", "refitted", "try_all"]

Numbered = tuple[int, Outcome]


@dataclass
class Found:
    """What came of the pieces that are done.

    Parameters
    ----------
    outcomes
        By the number of the piece, without vectors and scores.
    least, best, whole
        Smallest error of all, number of its setting, and the whole outcome of its piece, if it was
        tried just now.
    """

    outcomes: dict[int, Outcome] = field(default_factory=dict)
    least: float = np.inf
    best: int = -1
    whole: Outcome | None = None

    def add(self, number: int, outcome: Outcome) -> None:
        """Take note of what came of a piece."""
        self.outcomes[number] = replace(outcome, vectors=None, scores=None)  # they are large
        for setting, errors in outcome.errors.items():
            if (float(errors.mean()), setting) < (self.least, self.best):
                self.least, self.best, self.whole = float(errors.mean()), setting, outcome


def try_all(
    plan: Plan,
    measure: Errors,
    folder: Path | None,
    n_jobs: int | None = None,
    *,
    progress: Progress,
) -> Found:
    """What came of each piece.

    Parameters
    ----------
    plan
        What to try.
    measure
        Error of bags.
    folder
        Where finished pieces are kept, and found: locked by the caller. None: nowhere.
    n_jobs, progress
        As in `SearchQ`.
    """
    pieces, found = plan.pieces, Found()
    files = {n: folder / "tasks" / f"{n:05}.parquet" for n in range(len(pieces)) if folder}
    if folder is not None:
        claim(folder, search_facts(plan))
        (folder / "tasks").mkdir(exist_ok=True)
    for number, file in files.items():
        if file.exists() and (outcome := read_outcome(file)) is not None:
            found.add(number, outcome)
    total = sum(len(piece.numbers) for piece in pieces)
    done = sum(len(pieces[number].numbers) for number in found.outcomes)
    progress("search", done, total)
    waiting = [number for number in range(len(pieces)) if number not in found.outcomes]
    vectors = SharedVectors(plan.data, plan.stages, [pieces[number] for number in waiting])

    def work(number: int) -> Numbered:
        piece = pieces[number]
        stage = plan.stages[piece.stage]
        return number, try_piece(piece, plan.settings, stage, plan.data, vectors, measure)

    with closing(_as_they_come(work, waiting, n_jobs)) as outcomes:
        for number, outcome in outcomes:
            if number in files and not outcome.failures:
                write_outcome(files[number], outcome)
            found.add(number, outcome)
            progress("search", done := done + len(pieces[number].numbers), total)
    return found


def _as_they_come(
    work: Callable[[int], Numbered], numbers: Sequence[int], n_jobs: int | None
) -> Generator[Numbered, None, None]:
    """What comes of each number, in threads, whichever is first; closed, it begins no more."""
    jobs = effective_n_jobs(n_jobs)
    if jobs == 1:
        yield from map(work, numbers)
        return
    config = get_config()  # scikit-learn's, which is that of a thread

    def configured(number: int) -> Numbered:
        with config_context(**config):
            return work(number)

    pool = ThreadPoolExecutor(jobs)
    try:
        for future in as_completed([pool.submit(configured, number) for number in numbers]):
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def refitted(setting: Setting, outcome: Outcome | None, data: Data) -> Any:
    """The whole fitted to all documents, from the scores of the search if they are at hand.

    Parameters
    ----------
    setting
        The best.
    outcome
        Of its piece, if that was tried just now.
    data
        Documents.
    """
    asked = clone(quantifier_of(setting.whole))
    if (
        outcome is None
        or outcome.scores is None
        or learns_from_labels(setting.whole)
        or representation(asked) != representation(setting.quantifier)
    ):
        return clone(setting.whole).fit(data.X, data.y)
    assert outcome.vectors is not None
    X, scores = outcome.vectors.train, outcome.scores
    if asked.counts_features and type(asked).represent is Quantifier.represent:
        unweighted = None if isinstance(scores.scorer, LinearScorer) else scores.out_of_fold
        scores = replace(scores, features=describe_features(X, scores.y, unweighted))
    validate_data(asked, X, skip_check_array=True)  # as its `fit` does
    return assembled(setting.whole, outcome.vectors.front, asked.fit_scores(scores))
