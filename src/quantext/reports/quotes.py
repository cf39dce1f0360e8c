"""Quotes on the page of estimates: documents that show the classes, cut and counted."""

import re
from collections.abc import Iterator
from typing import Any

import polars as pl

from quantext.models.quotes import best, cut, make_quote
from quantext.reports.listing import percent
from quantext.wording import counted

__all__ = ["summarise_quotes"]

SHOWN = 280  # characters of a document
MOST_SHOWN = 3_000  # quotes on a page, which are about a megabyte

# Blanks, line ends and what no browser shows; but not the joiners that emoji are made with.
_BLANK = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_TURN = re.compile(r"[\u202a-\u202e\u2066-\u2069]")  # they would make text read otherwise


def summarise_quotes(
    quotes: pl.DataFrame | None,
    estimates: pl.DataFrame,
    n_bags: int,
    *,
    most: int = MOST_SHOWN,
) -> dict[str, Any] | None:
    """What the page shows of them: by bag, or of all bags together where that would be too many.

    None if no documents were asked for.

    Parameters
    ----------
    quotes
        As `Estimates` has them.
    estimates
        As in `estimates_page`.
    n_bags
        How many bags the page has: the last ones.
    most
        Quotes on the page.
    """
    if quotes is None:
        return None
    every = estimates["batch"].unique(maintain_order=True)
    names = every[-n_bags:]
    whose = " of the batch"
    shown = quotes.filter(pl.col("batch").is_null() | pl.col("batch").is_in(names.implode()))
    # Bags that were put together in reading cannot be told apart again.
    by_bag = shown["batch"].null_count() == 0 and len(shown) <= most
    if by_bag:
        own_quotes = shown.partition_by("batch", as_dict=True)
        shares = estimates.partition_by("batch", as_dict=True)
        batches = [
            _classes(own_quotes.get((name,), shown.clear()), shares[(name,)]) for name in names
        ]
    else:
        # What was put together in reading is of all bags; the rest is of those on the page.
        whole = shown["batch"].null_count() > 0 or len(names) == len(every)
        whose = " of all batches" if whole else f" of the last {len(names):,} batches"
        own = estimates if whole else estimates.filter(pl.col("batch").is_in(names.implode()))
        shown = _together(shown)
        batches = [_classes(shown, _overall(own))]
    number = shown.select("batch", "text").n_unique() if len(shown) else 0
    return {
        "any": number > 0,
        "documents": counted(number, "document") if number else "no documents",
        "several": len(names) > 1,
        "whose": whose if len(every) > 1 else "",
        "by_batch": by_bag,
        "batches": batches,
    }


def _together(quotes: pl.DataFrame) -> pl.DataFrame:
    """The best of all bags together: as many of each class as a bag has at most."""
    most = max(quotes["rank"], default=0)

    def rows() -> Iterator[tuple[Any, ...]]:
        for (name,), own in quotes.partition_by("class", as_dict=True, maintain_order=True).items():
            made = (make_quote(*quote) for quote in own.select("text", "score").iter_rows())
            for rank, quote in enumerate(best(filter(None, made), most), start=1):
                yield None, name, rank, quote.text, -quote.minus_score

    return pl.DataFrame(list(rows()), schema=quotes.schema, orient="row")


def _overall(estimates: pl.DataFrame) -> pl.DataFrame:
    """Share of each class in all these bags together."""
    share = (pl.col("share") * pl.col("size")).sum() / pl.col("size").sum()
    return estimates.group_by("class", maintain_order=True).agg(share=share)


def _classes(quotes: pl.DataFrame, shares: pl.DataFrame) -> list[Any]:
    """Name, share and quotes of each class, the largest first."""
    ordered = shares.sort("share", descending=True, maintain_order=True)
    by_class = quotes.partition_by("class", as_dict=True)
    return [
        [name, percent(share), [_line(text) for text in by_class[(name,)]["text"]]]
        if (name,) in by_class
        else [name, percent(share), []]
        for name, share in ordered.select("class", "share").iter_rows()
    ]


def _line(text: str) -> str:
    """The text in a line, cut."""
    return cut(_BLANK.sub(" ", _TURN.sub("", text)).strip(), SHOWN)
