"""What ``look`` says of rows that are likely no documents, and how to leave them out."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from quantext.cli.terminal import pasted
from quantext.wording import listed

if TYPE_CHECKING:
    from quantext.texts.odd_rows import TotalRow
    from quantext.texts.seen import Labels

__all__ = ["missing_notes", "total_note"]


def total_note(total: "TotalRow") -> str:
    """A sentence on a last row that sums up the others."""
    where = pasted([f"{total.column}!={total.value}"])
    return (
        f"the last row looks like totals (row {total.row:,}, {total.value!r} in "
        f"{total.column!r}): delete it, or leave it out with --where {where}"
    )


def missing_notes(labels: "Labels") -> Iterator[str]:
    """A sentence on labels that likely say that there is none, if there are any."""
    from quantext.texts.odd_rows import MISSING

    found = [(label, n) for label, n in labels.counts or () if re.match(MISSING, label)]
    if found:
        names = listed(f"{label!r} ({n:,})" for label, n in found)
        parts = (pasted([f"{labels.name}!={label}"]) for label, _ in found)
        options = " ".join(f"--where {part}" for part in parts)
        yield f"{names} may say that a label is missing: to leave these rows out, {options}"
