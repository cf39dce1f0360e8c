"""Comparison: which method is best on labelled data of one's own, found by an experiment on it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl

from quantext.experiments.configuration import configure, make_methods
from quantext.experiments.drawing import NaturalShares
from quantext.experiments.folder import locked, read_frame, read_json, write_json
from quantext.experiments.protocol_names import make_protocol, protocol_settings
from quantext.experiments.protocols import BagProtocol, ByGroup, ByPeriod, Drawn
from quantext.experiments.recommendation import Recommendation, recommend, tabulate
from quantext.experiments.results import REFERENCE, asks_for_all, with_errors
from quantext.experiments.run import FailedTasksError, run
from quantext.experiments.tasks import Task, tasks_of_bags, tasks_of_training
from quantext.progress import Progress, silent
from quantext.quantifiers import Quantifier
from quantext.texts.corpus import Corpus
from quantext.texts.periods import Period, in_time, usual_period
from quantext.vectors.ltc import LtcVectorizer
from quantext.wording import counted, listed

__all__ = ["COMPARED", "Comparison", "compare", "usual_protocol"]

COMPARED = ("Adaptive", "SVM(KLD)", "CC", "PCC", "ACC", "PACC", "EMQ", REFERENCE)
"""Methods that are compared by default: one of each kind, and the yardstick."""

FEW = 30  # test sets that prove little
FEW_DOCUMENTS = 100  # to train on, of which the same is true

_SIZE = 100  # documents that are drawn for a bag, if there are enough
_BAGS = 4_000  # that are drawn in all, for many labels
_FEWEST, _MOST = 20, 200  # for each label


@dataclass(frozen=True, eq=False)
class Comparison:
    """How each method did, and which to take.

    Parameters
    ----------
    table
        A row for each method, see `tabulate`.
    recommendation
        Which to take.
    world
        What new documents are like, if the recommendation is for them.
    protocol
        How it was found out, in words.
    notes
        What may make it worth less than it looks, a sentence each.
    failures
        What went wrong, by the name of the task; the table is about the others.
    """

    table: pl.DataFrame
    recommendation: Recommendation
    world: str
    protocol: str
    notes: tuple[str, ...]
    failures: Mapping[str, str]

    @property
    def answer(self) -> str:
        """Which method to take, and in which world, in a sentence."""
        best = self.recommendation.method
        choice = f"take {best}"
        if not self.recommendation.pays:
            choice = f"no method pays; the best of them is {best}"
        return f"If {self.world}, {choice}."


def compare(
    corpus: Corpus,
    out: Path | str,
    *,
    protocol: BagProtocol | None = None,
    methods: Sequence[str] | Mapping[str, Quantifier] = COMPARED,
    vectorizer: LtcVectorizer | None = None,
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress = silent,
) -> Comparison:
    """How well each method does on a corpus, and a recommendation, which ``run.json`` has too.

    What is measured is what `train` would fit: where a document has one class, all classes at once;
    where it may have several, each by itself or, by methods that look at labels together, all
    labels at once.

    Parameters
    ----------
    corpus
        Documents with labels.
    out
        Folder of the experiment. If it was stopped, it goes on.
    protocol
        How it is tested; `usual_protocol` of the corpus by default.
    methods
        Names or aliases, or unfitted quantifiers by name. The training prevalence is always there
        too.
    vectorizer
        Makes vectors of texts; `LtcVectorizer` with its defaults by default.
    seed
        Of all that is random.
    jobs, progress
        As in `run`.

    Raises
    ------
    FailedTasksError
        When all tasks failed, or those of all methods but the training prevalence.
    """
    quantifiers = _quantifiers(methods, seed)
    if list(quantifiers) == [REFERENCE]:
        raise ValueError(f"there is nothing to compare with {REFERENCE!r}; name another method")
    protocol = usual_protocol(corpus, seed=seed) if protocol is None else protocol
    splits = protocol.split(corpus)
    drawn_for = {bag.task for split in splits for bag in split.bags}
    tasks = tasks_of_bags(tasks_of_training(corpus), corpus, drawn_for)
    said = {"world": protocol.world, "protocol": protocol.describe(splits)}
    failures: Mapping[str, str] = {}
    try:
        results = run(
            corpus,
            splits,
            out,
            methods=quantifiers,
            tasks=tasks,
            vectorizer=vectorizer,
            seed=seed,
            jobs=jobs,
            progress=progress,
            about={"unit": getattr(protocol, "by", None), "seed": seed, **said},
        )
    except FailedTasksError as error:
        finished = error.folder / "results.parquet"
        if not finished.exists():
            raise
        results, failures = read_frame(finished), error.failures
        if set(results["method"]) <= {REFERENCE}:
            raise
    results = with_errors(results)
    table = tabulate(results)
    if shared := isinstance(protocol, Drawn):
        # Bags share documents and one training set, so they are no independent tests.
        table = table.with_columns(p_value=pl.lit(None, dtype=pl.Float64))
    notes = dict.fromkeys(note for split in splits for note in split.notes)
    cautions = [
        *_cautions(tasks, quantifiers, results, failures),
        *_doubts(table, protocol),
    ]
    comparison = Comparison(
        table,
        recommend(table),
        notes=(*corpus.notes, *notes, *cautions),
        failures=failures,
        **said,
    )
    _record(Path(out), comparison, shared)
    return comparison


def _record(folder: Path, comparison: Comparison, shared: bool) -> None:
    """Write what it showed to the record of the run, for its report."""
    said = {
        "answer": comparison.answer,
        "reasons": comparison.recommendation.reasons,
        "notes": comparison.notes,
    }
    with locked(folder):
        record = read_json(folder / "run.json")
        facts = {"comparison": said, "bags_share_documents": shared}
        write_json(folder / "run.json", record | facts)


def _quantifiers(
    methods: Sequence[str] | Mapping[str, Quantifier], seed: int
) -> dict[str, Quantifier]:
    """Unfitted quantifiers by name, that of the training prevalence among them."""
    names = [] if isinstance(methods, Mapping) else methods
    settings = {"corpus": "table", "methods": [*names, REFERENCE], "seed": seed}
    named = make_methods(configure(settings))
    return named | dict(methods) if isinstance(methods, Mapping) else named


def _cautions(
    tasks: Sequence[Task],
    methods: Iterable[str],
    results: pl.DataFrame,
    failures: Mapping[str, str],
) -> Iterator[str]:
    """What may make the comparison worth less than it looks."""
    compared = set(results["method"])
    if absent := [name for name in methods if name not in compared]:
        yield f"not compared, because training failed: {listed(absent)}"
    missing = len({task.name for task in tasks} - set(results["task"]) - set(failures))
    if missing:
        yield (
            f"{missing:,} of {len(tasks):,} classes are not compared: they lack documents to train "
            "on or to test on"
        )
    untrained = results.filter(pl.col("p_train") == 0)
    if classes := untrained["asked"].n_unique():
        bags = untrained["bag"].n_unique()
        some = "" if bags == results["bag"].n_unique() else f", for {counted(bags, 'bag')}"
        yield (
            f"{classes:,} of {results['asked'].n_unique():,} classes have no documents to train "
            f"on{some}: every method estimates them as 0"
        )
    if (least := min(results["n_train"].to_list())) < FEW_DOCUMENTS:
        yield f"methods were trained on {least} documents only: take this as a hint"
    test_sets, bags = results.select("task", "bag").n_unique(), results["bag"].n_unique()
    if test_sets >= FEW > 3 * bags:
        yield f"there are {bags} bags only: take this as a hint"
    if test_sets < FEW:
        what = "all classes in a bag" if asks_for_all(results) else "a class in a bag"
        yield f"there are {test_sets} test sets only ({what}): take this as a hint"


def _doubts(table: pl.DataFrame, protocol: BagProtocol) -> Iterator[str]:
    """What may make the recommendation worth less than it looks."""
    errors = dict(table.select("method", "kld").iter_rows())
    least = min(error for method, error in errors.items() if method != REFERENCE)
    if errors.get(REFERENCE, np.inf) < least:
        yield (
            "every method errs more than the shares of training alone "
            f"({1000 * least:.2f} against {1000 * errors[REFERENCE]:.2f}): here none of them helps"
        )
    if isinstance(protocol, Drawn) and not isinstance(protocol.shares, NaturalShares):
        yield (
            "shares were moved artificially, and real ones seldom move that far, which favours "
            "methods that correct for it; whether yours move at all, only dates or groups can tell "
            "(--by)"
        )


def usual_protocol(
    corpus: Corpus,
    name: str | None = None,
    *,
    period: Period | None = None,
    train_until: date | str | None = None,
    train_share: float | None = None,
    min_size: int = 30,
    seed: int = 0,
) -> BagProtocol:
    """How methods are tested on a corpus: by what it has, dates or else groups or else neither.

    With dates, or names that follow each other in time (week 1, week 2), methods are trained on the
    first periods and tested on the later ones. With other names, these are groups, of which one
    after the other is left out. With neither, shares are moved artificially.

    Parameters
    ----------
    corpus
        Documents with labels.
    name
        Of another protocol, in PROTOCOLS. If it draws bags, and there are dates, it draws them from
        later periods.
    period
        What dates are truncated to. By default, to the longest of which there are a dozen; names
        of periods are taken as they are.
    train_until, train_share
        As in `ByPeriod`; given one, names are periods whatever they are.
    min_size
        Periods or groups with fewer documents make no bag.
    seed
        Of bags that are drawn.
    """
    told = (period, train_until, train_share) != (None, None, None)
    if told and corpus.periods is None:
        raise ValueError("without dates, there are no periods to train on or to test on")
    dated = corpus.periods is not None and corpus.periods.dtype == pl.Date
    if corpus.periods is not None and dated and period is None:
        period = usual_period(corpus.periods)
    names = [] if corpus.periods is None else corpus.periods.unique().to_list()
    in_order = len(names) > 1 and corpus.periods is not None and in_time(names, corpus.periods.name)
    ordered = told or dated or in_order
    by_period = ByPeriod(train_until, None, train_share, period, min_size=min_size)
    if name == "period" or (name is None and ordered):
        return by_period
    has_groups = corpus.periods is not None or corpus.groups is not None
    if name == "group" or (name is None and has_groups):
        return ByGroup(min_size)
    questions = len(corpus.classes) if corpus.multilabel else 1
    settings = {
        "bags": min(max(_BAGS // questions, _FEWEST), _MOST),
        "size": max(min(_SIZE, len(corpus) // 4), 1),
        "seed": seed,
        "held_out": by_period if ordered else 0.5,
    }
    if has_groups and not ordered:
        raise ValueError(
            f"protocol {name!r} draws bags from all documents, so groups are of no use; leave them "
            "out (--by), or choose the protocol group"
        )
    name = name or "uniform"
    known = protocol_settings(name)
    return make_protocol(name, **{k: v for k, v in settings.items() if k in known})
