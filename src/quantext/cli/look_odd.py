"""What ``look`` says of rows that are likely no documents, and how to leave them out."""

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quantext.texts.odd_rows import TotalRow

__all__ = ["total_note"]


def total_note(total: "TotalRow") -> str:
    """A sentence on a last row that sums up the others."""
    where = shlex.quote(f"{total.column}!={total.value}")
    return (
        f"the last row looks like totals (row {total.row:,}, {total.value!r} in "
        f"{total.column!r}): delete it, or leave it out with --where {where}"
    )
