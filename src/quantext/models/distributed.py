"""Estimates and training scores on Dask, where one machine is outgrown.

Documents are summarised where they are, and columns of labels are learned one by one. All else
happens where these functions are called, by the same code as without Dask. They use the current
client, if there is one, and else Dask's scheduler on this machine. A worker that is lost costs time
and nothing else: whatever it held is made again from the task graph.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import reduce
from operator import add
from typing import Any

import polars as pl

try:
    import dask
    import distributed  # noqa: F401 (it brings the settings that are changed below)
    from dask import delayed
    from dask.bag import Bag
    from dask.utils import is_dataframe_like, is_series_like
except ImportError as error:
    raise ImportError("quantext.distributed needs Dask: pip install 'quantext[dask]'") from error

from quantext.models.bags import BagSummaries, summarise
from quantext.models.estimates import Estimates, aggregate
from quantext.models.save import open_model
from quantext.models.shown import check_quotes
from quantext.models.textquantifier import TextQuantifier
from quantext.quantifiers.intervals import check_level, check_replicates
from quantext.scores.dask_training import check_seen, compute, score_training
from quantext.texts.columns import Columns
from quantext.texts.dating import date_where_said
from quantext.texts.formats import check_columns
from quantext.texts.paths import Source, find_files
from quantext.texts.periods import Period, truncate
from quantext.texts.reading import read_documents, table_documents
from quantext.vectors.batches import batches
from quantext.vectors.ltc import LtcVectorizer
from quantext.vectors.proxy import ProxyVectorizer

__all__ = ["estimate", "score_training"]

_FAN_IN = 8  # summaries that are added up by one task


def estimate(
    model: TextQuantifier | Source,
    texts: Any,
    *,
    text: str | Sequence[str] | None = None,
    label: str | None = None,
    separator: str | None = None,
    date: str | None = None,
    by: str | Sequence[str] | None = None,
    weight: str | None = None,
    date_format: str | None = None,
    period: Period = "week",
    level: float | None = 0.95,
    seed: int = 0,
    replicates: int = 1000,
    quotes: int = 0,
) -> Estimates:
    """Share and number of documents of each class in every bag, estimated where documents are.

    The result is that of ``models.estimates.estimate`` for the same documents. They are read once.
    Workers summarise them, a partition or a file at a time, and add the summaries up; these are all
    that travels. For most methods a summary is a few numbers for each bag and class; for MS, MM and
    EMQ it is up to two for each distinct score in training (EMQ of several classes: for each
    distinct posterior among the documents). Estimates and intervals are made here. The model
    travels to each worker once.

    Parameters
    ----------
    model
        Fitted, or the path of a file that ``save`` wrote.
    texts
        A Dask bag of strings, all of them documents; a column of a Dask data frame; a Dask data
        frame; or files on storage that all workers see under the same path: one, a pattern, or a
        list of these, of the formats of `read_corpus`, of which Parquet is the fastest. A file is
        the work of one worker, so there should be several.
    text, label, separator, date, by, weight
        Columns of a data frame or of the files, as in `read_corpus`, and the one of weights. Rows
        without a text are left out, rows without a label are not. ``by`` may be several, of which
        ``date`` may be one: a bag is then what they have in common.
    date_format
        How dates are written, as in `read_corpus`. Without it, it is found out for each file or
        partition by itself.
    period, level, seed, replicates
        As in `estimate`.
    quotes
        Documents of each class and bag that travel too, to be shown; 0 for none.

    Returns
    -------
    estimates
        Their ``table`` has them all; ``prevalence``, or ``np.asarray`` of them, is what
        ``model.predict`` would return for the texts of a bag; ``quotes`` has the documents.

    Examples
    --------
    >>> import dask.bag
    >>> from quantext import ClassifyAndCount, LinearSVM
    >>> model = TextQuantifier(ClassifyAndCount(LinearSVM())).fit(
    ...     ["great battery", "battery lasts", "screen broke", "broken screen"],
    ...     ["battery", "battery", "screen", "screen"],
    ... )
    >>> week = ["my battery!", "My screen?", "the screen", "screens"]
    >>> estimate(model, dask.bag.from_sequence(week, npartitions=2)).prevalence
    array([0.25, 0.75])
    """
    model = open_model(model)
    if isinstance(model.vectorizer_, ProxyVectorizer):
        raise TypeError(
            "the model reads what other models say of documents, and here texts are read; "
            "qx.estimate reads files of any length"
        )
    if level is not None:
        check_level(level)
        check_replicates(replicates)
    check_quotes(model, quotes)
    truncate(pl.Series([], dtype=pl.Date), period)  # raises now, and not after the work
    named = {"text": text, "label": label, "separator": separator, "date": date, "by": by}
    named |= {"weight": weight, "date_format": date_format}
    shared = delayed(_single_threaded(model), traverse=False)
    columns = {name: value for name, value in named.items() if value}
    parts = _parts(shared, texts, columns, quotes)
    if not parts:
        raise ValueError("there is nothing to read; name at least one file")
    (total,) = compute(_tree(parts))
    return aggregate(model, total, period=period, level=level, seed=seed, replicates=replicates)


# Documents to summaries


def _single_threaded(model: TextQuantifier) -> TextQuantifier:
    """The model with one thread inside, as there are as many tasks at a time as threads."""
    if not isinstance(model.vectorizer_, LtcVectorizer):
        return model
    model = copy(model)
    model.vectorizer_ = copy(model.vectorizer_).set_params(n_jobs=None)
    return model


def _parts(model: Any, texts: Any, named: Mapping[str, Any], quotes: int) -> list[Any]:
    """Tasks that summarise the documents, one for each file or partition."""
    if isinstance(texts, str | os.PathLike | list | tuple):
        columns = _columns(named, "the files", " (texts in a list need no Dask: model.predict)")
        files = map(os.path.abspath, find_files(texts))  # a worker may be in another folder
        return [delayed(_summarise_file)(model, path, columns, quotes) for path in files]
    if isinstance(texts, Bag):
        _check_no_columns(named, "a bag")
        return [
            delayed(_summarise_items)(model, items, f"partition {i} of the bag", quotes)
            for i, items in enumerate(texts.to_delayed())
        ]
    if dask.is_dask_collection(texts) and is_series_like(texts):
        _check_no_columns(named, "a column")
        name = texts.name if isinstance(texts.name, str) else "text"
        texts, named = texts.to_frame(name), {"text": name}
    if not (dask.is_dask_collection(texts) and is_dataframe_like(texts)):
        raise TypeError(
            f"texts is a {type(texts).__name__}; give a Dask bag of strings, a Dask data frame or "
            "a column of one, or paths of files"
        )
    columns = _columns(named, "the data frame")
    check_columns(columns.names, list(texts.columns), "the data frame")
    frames = texts[list(columns.names)].to_delayed()
    return [
        delayed(_summarise_frame)(model, frame, columns, f"partition {i} of the data frame", quotes)
        for i, frame in enumerate(frames)
    ]


def _columns(named: Mapping[str, Any], what: str, hint: str = "") -> Columns:
    if "text" not in named:
        raise ValueError(f"name the column of {what} that has the texts: text='...'{hint}")
    return Columns(**named)


def _check_no_columns(named: Mapping[str, Any], what: str) -> None:
    if named:
        given = ", ".join(f"{name}={value!r}" for name, value in named.items())
        raise ValueError(f"{what} has no columns to name with {given}; give a data frame instead")


def _summarise_file(
    model: TextQuantifier, path: str, columns: Columns, quotes: int
) -> BagSummaries:
    check_seen(path)
    blocks = read_documents(path, columns, unlabelled=True, dating=date_where_said)
    return summarise(model, blocks, quotes=quotes)


def _summarise_items(
    model: TextQuantifier, items: Iterable[str], where: str, quotes: int
) -> BagSummaries:
    blocks = ((len(b), pl.DataFrame({"text": b})) for b in batches(items))
    try:
        return summarise(model, blocks, quotes=quotes)
    except TypeError as error:
        raise TypeError(f"{where}: {error}") from error


def _summarise_frame(
    model: TextQuantifier, frame: Any, columns: Columns, where: str, quotes: int
) -> BagSummaries:
    try:
        table = pl.from_pandas(frame)
    except (TypeError, ValueError) as error:  # as pyarrow says that values are of several types
        raise TypeError(
            f"{where} cannot be read ({error}); give each column values of one type"
        ) from error

    return summarise(model, table_documents(table, columns, where), quotes=quotes)


# Tasks to results


def _tree(parts: list[Any]) -> Any:
    """Sum of the parts, so that no task holds more than a few of them."""
    while len(parts) > 1:
        groups = [parts[i : i + _FAN_IN] for i in range(0, len(parts), _FAN_IN)]
        parts = [delayed(reduce)(add, group) for group in groups]
    return parts[0]
