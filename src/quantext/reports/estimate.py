"""qx.estimate: texts, tables or files in, a result to hold in the hand out."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from quantext.models.bags import summarise
from quantext.models.estimates import aggregate, merge_days
from quantext.models.keys import by_name
from quantext.models.save import open_model, remembered
from quantext.models.shown import check_quotes
from quantext.models.textquantifier import TextQuantifier
from quantext.progress import Progress, silent
from quantext.quantifiers.intervals import check_level, check_replicates
from quantext.reports.result import Result
from quantext.texts.formats import Format, Opening
from quantext.texts.given import Asked, given_documents
from quantext.texts.labels import merged_blocks
from quantext.texts.paths import Source
from quantext.texts.periods import Period, truncate
from quantext.texts.where import Part, where_of
from quantext.vectors.proxy import ProxyVectorizer
from quantext.wording import counted, listed

__all__ = ["estimate", "estimate_blocks", "proxy_columns"]


def estimate(
    model: TextQuantifier | Source,
    texts: Any,
    *,
    by: str | Sequence[Any] | None = None,
    period: Period | None = None,
    text: str | Sequence[str] | None = None,
    label: str | Sequence[Any] | None = None,
    separator: str | None = None,
    weight: str | Sequence[float] | None = None,
    date_format: str | None = None,
    level: float | None = 0.95,
    seed: int = 0,
    replicates: int = 1000,
    quotes: int = 0,
    where: Mapping[str, Any] | None = None,
    merge_labels: bool = False,
    format: Format | None = None,  # noqa: A002 (as in read_corpus)
    encoding: str | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
) -> Result:
    """Share of each class among documents, bag by bag, as ``quantext estimate`` gives it.

    Parameters
    ----------
    model
        A fitted `TextQuantifier`, or the path of a file that `save` wrote.
    texts
        Texts in a list or a column of polars or pandas; a data frame of either; or files, which are
        read piece by piece: a path or pattern, or a list of ``Path`` objects, as strings in a list
        are texts. Rows without a text are left out.
    by
        What bag a document is in: a column of the data frame or files, or as many names or dates as
        there are texts. A list of columns: what a document has in each of them, so that bags are
        called "2015-02-24 · United". Blank names are a bag of their own, "(blank)". None: all are
        in one.
    period
        ``by`` has dates, and a bag is a day, week, month or year. Weeks are counted from the
        earliest day. Without it dates are days, and so are texts that are dates and would be out of
        order as names, as 24/02/2015; other texts are names. Of several columns one has dates.
    text
        Column of the texts, or several, which are joined. None: as in training, if the model is
        from a file that says so. Of a model that reads what others say (`ProxyVectorizer`), the
        columns of these, in the order of training; None: called as in training.
    label
        Labels, to see how right the estimates are: a column, or as many values as there are texts.
        None: the column that had them in training, if it is there.
    separator
        What stands between the labels of a document where they are written as one text.
    weight
        How much each document counts: a column, or as many numbers as there are texts, finite and
        not negative. Shares are then those of the weight, and intervals reckon with as few
        documents as the weights leave, (sum of weights)² / sum of squares (Kish 1965). Only their
        ratios within a bag matter. Counts are shares of the number of documents all the same.
    date_format
        How the dates of ``by`` are written, as in `read_corpus`: "%d/%m/%Y". None: found out.
    level
        Share of bags whose true share an interval should contain; None for no intervals.
    seed, replicates
        Of the intervals, as in ``predict_interval``.
    quotes
        Documents of each class and bag that `Result.quotes` and the page show, 20 at most; 0 for
        none. Those with the highest scores for the class, without repetitions, and short ones only
        if there are no others. Without it no text is kept.
    where
        Only rows in which these columns have this value, or one of these values; None is a blank.
    merge_labels
        Labels that differ from a class only in capitals, blanks and the like count as that class.
    format, encoding, sheet, header_row
        How files are read, as in `read_corpus`.

    Examples
    --------
    >>> from quantext import ClassifyAndCount, LinearSVM
    >>> model = TextQuantifier(ClassifyAndCount(LinearSVM())).fit(
    ...     ["great battery", "battery lasts", "screen broke", "broken screen"],
    ...     ["battery", "battery", "screen", "screen"],
    ... )
    >>> result = estimate(model, ["my battery!", "My screen?", "the screen", "screens"])
    >>> result.shares.row(0, named=True)
    {'batch': 'all', 'battery': 0.25, 'screen': 0.75}
    """
    file = os.fspath(model) if isinstance(model, str | os.PathLike) else None
    fitted = open_model(model)
    check_quotes(fitted, quotes)
    if level is not None:
        check_level(level)
        check_replicates(replicates)
    if period is not None and by is None:
        raise ValueError(f"period={period!r} needs by= with the dates")
    if date_format is not None and by is None:
        raise ValueError(f"date_format={date_format!r} needs by= with the dates")
    proxies = proxy_columns(fitted, text, "text")
    truncate(pl.Series([], dtype=pl.Date), period or "day")  # raises now, and not after the work
    given = given_documents(
        texts,
        Asked(
            text=text or remembered(fitted, "text", list),
            proxies=proxies,
            label=label,
            usual_label=remembered(fitted, "label", str),
            separator=separator or remembered(fitted, "separator", str) or None,
            by=by,
            dated=period is not None or date_format is not None,
            weight=weight,
            date_format=date_format,
            where=where_of(where),
            opening=Opening(format, encoding, sheet, header_row),
        ),
    )
    return estimate_blocks(
        fitted,
        given.blocks,
        period=period or "day",
        level=level,
        seed=seed,
        replicates=replicates,
        quotes=quotes,
        data=given.name,
        model_file=file,
        truth=given.label,
        part=given.part,
        merge_labels=merge_labels,
    )


def proxy_columns(
    model: TextQuantifier, named: str | Sequence[str] | None, option: str
) -> tuple[str, ...]:
    """Columns of what other models say; none if the model reads texts.

    Parameters
    ----------
    model
        Fitted.
    named
        The columns, if they are not called as in training.
    option
        That has named them.
    """
    if not isinstance(model.vectorizer_, ProxyVectorizer):
        return ()
    known = model.vectorizer_.columns_
    if named is None:
        return known
    columns = (named,) if isinstance(named, str) else tuple(named)
    if len(columns) != len(known):
        raise ValueError(
            f"{option} names {counted(len(columns), 'column')}, and the model reads {len(known)}: "
            f"in training {listed(map(repr, known))}"
        )
    return columns


def estimate_blocks(
    model: TextQuantifier,
    blocks: Iterable[tuple[int, pl.DataFrame]],
    *,
    period: Period = "day",
    level: float | None = 0.95,
    seed: int = 0,
    replicates: int = 1000,
    quotes: int = 0,
    progress: Progress = silent,
    part: Part | None = None,
    merge_labels: bool = False,
    **sources: Any,
) -> Result:
    """The same for documents that come in blocks, as `read_documents` gives them.

    Parameters
    ----------
    model, period, level, seed, replicates, quotes, merge_labels
        As in `estimate`.
    blocks
        Rows and documents.
    progress
        Is told "documents" or "bags", and how many of them are done.
    part
        What has counted the rows that are meant, when all blocks are read.
    sources
        What `Result` says of where all is from.
    """
    merged: Counter[str] = Counter()
    if merge_labels:
        blocks = merged_blocks(blocks, [str(name) for name in model.classes_], merged)
    found = summarise(model, blocks, progress=progress, quotes=quotes)
    if part is not None:
        part.check(sources.get("data") or "the data")
    estimates = aggregate(
        model,
        found,
        period=period,
        level=level,
        seed=seed,
        replicates=replicates,
        progress=progress,
    )
    bags = by_name(merge_days(found.parts, period))
    if "true_share" not in estimates.table.columns:
        sources["truth"] = None
    sources |= {"part": part if part and part.where else None, "merged": merged}
    return Result(model, estimates, bags, level, seed, replicates, period=period, **sources)
