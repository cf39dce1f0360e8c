"""What an experiment has read, for the terminal."""

import sys
from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from quantext.cli.terminal import say
from quantext.wording import visible

if TYPE_CHECKING:
    from rich.console import Console

    from quantext.experiments.configuration import Configuration
    from quantext.experiments.protocols import BagProtocol
    from quantext.experiments.splits import Split
    from quantext.texts.corpus import Corpus, VectorCorpus

__all__ = ["show_counts"]


def show_counts(
    corpus: "Corpus | VectorCorpus",
    splits: "Sequence[Split]",
    protocol: "BagProtocol",
    configuration: "Configuration",
    console: "Console",
) -> None:
    """Print what was read, beside the published counts, and what was left out.

    Parameters
    ----------
    corpus, splits, protocol
        Of the experiment.
    configuration
        That it was read with.
    console
        Where to print.
    """
    from rich.table import Table

    from quantext.experiments.counts import describe

    published = configuration.source.published
    table = Table(visible(corpus.name), "here", *(["published"] if published else []), box=None)
    for column in table.columns[1:]:
        column.justify = "right"
    for name, count in describe(corpus, splits).items():
        row = [name, _number(count)]
        if published:
            row.append(_number(published[name]) if name in published else "")
        table.add_row(*row)
    console.print(table)
    notes = (*corpus.notes, *dict.fromkeys(note for s in splits for note in s.notes))
    for text in (protocol.describe(splits), *(f"Note: {note}" for note in notes)):
        say(*wrap(text, console.width, break_on_hyphens=False), file=sys.stderr)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
