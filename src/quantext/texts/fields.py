"""Fields of CSV: where each begins and ends in a block of bytes, found by a kernel in one pass."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.kernels import kernel, part
from quantext.texts.encoding import count_byte

__all__ = ["Fields", "split_fields"]

Offsets = NDArray[np.int32]

QUOTE, LF, CR = np.uint8(34), np.uint8(10), np.uint8(13)
ONE = np.uint64(1)

COMPLETE, CUT_OFF, OPEN = 0, 1, 2
GLUE = "\0"  # between texts that become a column at once; a block that has it goes another way


@dataclass(frozen=True)
class Fields:
    """Where the fields of a block's records are.

    Parameters
    ----------
    starts, ends
        Of each field, without its quotes. The end of a field with doubled quotes in it is ``~end``.
    records
        Number of fields up to the end of each record.
    length
        Bytes of the records.
    unclosed
        Whether the next record has a quoted field that is not closed, or closed within its text.
    """

    starts: Offsets
    ends: Offsets
    records: Offsets
    length: int
    unclosed: bool

    def values(self, data: bytes, chosen: NDArray[np.int64]) -> list[bytes]:
        """Contents of the chosen fields of the block."""
        ends = zip(self.starts[chosen].tolist(), self.ends[chosen].tolist(), strict=True)
        return [
            data[start:end] if end >= 0 else data[start:~end].replace(b'""', b'"')
            for start, end in ends
        ]

    def texts(self, data: bytes, chosen: NDArray[np.int64]) -> pl.Series:
        """The same as a column of texts, null where they are empty.

        Bytes that are not UTF-8 are an error of polars'.
        """
        if GLUE.encode() in data:
            column = pl.Series(self.values(data, chosen), dtype=pl.Binary).cast(pl.String)
        else:
            # Without an object for each field, which takes ten times as long if they are short.
            starts, ends = self.starts[chosen], self.ends[chosen]
            sizes = np.where(ends < 0, ~ends, ends) - starts
            glued = np.empty(int(sizes.sum()) + len(sizes), np.uint8)
            size = glue_fields(np.frombuffer(data, np.uint8), starts, ends, glued)
            whole = pl.Series([glued[: size - 1].tobytes()], dtype=pl.Binary).cast(pl.String)
            column = whole.str.split(GLUE).explode()
        return pl.select(pl.when(column.str.len_bytes() > 0).then(column)).to_series()

    def end(self, field: int) -> int:
        """Where a field ends, doubled quotes or not."""
        return int(max(self.ends[field], ~self.ends[field]))


def split_fields(data: bytes, separator: bytes, *, last: bool) -> Fields:
    r"""Fields of the records in a block of a CSV file, which begins with a record.

    A field may be quoted, with quotes in it doubled; elsewhere a quote is like any character.
    Records end with a line feed, or a carriage return and a line feed. Blank lines are none.

    Between tabs quotes often mean themselves, and could swallow lines up to the next one. If tabs
    divide all lines alike, each line is a record, and a field is quoted only if a quote ends it;
    but not if quotes are doubled, which nobody does who means them.

    Parameters
    ----------
    data
        The block, in UTF-8.
    separator
        One byte.
    last
        Whether nothing follows. If not, a record that may go on is left to the next block.

    Examples
    --------
    >>> fields = split_fields(b'a,"5"" pipe"\n\nc\nd', b",", last=False)
    >>> fields.starts.tolist(), fields.ends.tolist(), fields.records.tolist(), fields.length
    ([0, 3, 14], [1, -12, 15], [2, 3], 16)
    >>> tweets = b'1\t"No!" he said\n2\t"what\n3\t"no"\n'
    >>> fields = split_fields(tweets, b"\t", last=True)
    >>> fields.values(tweets, np.array([1, 3, 5]))
    [b'"No!" he said', b'"what', b'no']
    """
    fields = _scan(data, separator, last, each_line=False)
    if separator != b"\t" or b'"' not in data:
        return fields
    lines = _scan(data, separator, last, each_line=True)
    lengths = np.diff(lines.records, prepend=0)
    alike = len(lengths) > 0 and lengths[0] > 1 and bool((lengths == lengths[0]).all())
    swallows = len(lines.records) > len(fields.records) and not (fields.ends < 0).any()
    strays = fields.unclosed or swallows or _has_stray_quotes(data, fields)
    return lines if alike and strays else fields


def _has_stray_quotes(data: bytes, fields: Fields) -> bool:
    """Whether a field that is not quoted has a quote in it."""
    content = np.frombuffer(data, np.uint8)
    quotes = np.flatnonzero(content[: fields.length] == QUOTE)
    starts = fields.starts
    quoted = (starts > 0) & (content[np.maximum(starts, 1) - 1] == QUOTE)
    opening = np.isin(quotes + 1, starts[quoted])
    within = np.searchsorted(starts, quotes, side="right") - 1
    return bool((~opening & ~quoted[within]).any())


def _scan(data: bytes, separator: bytes, last: bool, *, each_line: bool) -> Fields:
    n_lines = count_byte(data, b"\n") + 1
    n_fields = count_byte(data, separator) + n_lines
    starts, ends = np.empty((2, n_fields), np.int32)
    records = np.empty(n_lines, np.int32)
    n_fields, n_records, length, state = scan_records(
        np.frombuffer(data, np.uint8),
        np.uint8(separator[0]),
        last,
        each_line,
        starts,
        ends,
        records,
    )
    return Fields(
        starts[:n_fields], ends[:n_fields], records[:n_records], int(length), state == OPEN
    )


@part
def closes(data: NDArray[np.uint8], at: np.uint64, separator: np.uint8) -> bool:
    """Whether the field that begins with this quote has another at its end, in the same line."""
    size = np.uint64(len(data))
    at += ONE
    while at < size and data[at] != separator and data[at] != LF:
        if data[at] != QUOTE:
            at += ONE
        elif at + ONE < size and data[at + ONE] == QUOTE:
            at += np.uint64(2)
        else:
            at += ONE
            if at < size and data[at] == CR:
                at += ONE
            return bool(at >= size or data[at] == separator or data[at] == LF)
    return False


@kernel(steps=lambda data, *_: len(data) / 8)
def scan_records(
    data: NDArray[np.uint8],
    separator: np.uint8,
    last: bool,
    each_line: bool,
    starts: Offsets,
    ends: Offsets,
    records: Offsets,
) -> tuple[int, int, np.uint64, int]:
    """Write where fields and records are; return how many, their bytes, and what stopped it."""
    size = np.uint64(len(data))
    at, length = np.uint64(0), np.uint64(0)
    field, n_fields, n_records = 0, 0, 0
    while at < size:
        if data[at] == QUOTE and (not each_line or closes(data, at, separator)):
            at += ONE
            start, quoted, doubled = at, True, False
            while True:
                while at < size and data[at] != QUOTE:
                    at += ONE
                if at + ONE >= size:  # one more byte would tell whether the quote is doubled
                    break
                if data[at + ONE] != QUOTE:
                    break
                doubled = True
                at += np.uint64(2)
            if at >= size or (at + ONE == size and not last):
                return n_fields, n_records, length, OPEN if last else CUT_OFF
            end = at
            at += ONE
            if at < size and data[at] == CR:
                if at + ONE == size and not last:
                    return n_fields, n_records, length, CUT_OFF
                if at + ONE == size or data[at + ONE] == LF:
                    at += ONE
            if at < size and data[at] != separator and data[at] != LF:
                return n_fields, n_records, length, OPEN
        else:
            start, quoted, doubled = at, False, False
            while at < size and data[at] != separator and data[at] != LF:
                at += ONE
            end = at
            if end > start and data[end - ONE] == CR and (at == size or data[at] == LF):
                end -= ONE
        if at == size and not last:
            return n_fields, n_records, length, CUT_OFF
        starts[field] = start
        ends[field] = ~np.int64(end) if doubled else np.int64(end)
        field += 1
        if at == size or data[at] == LF:
            if field == n_fields + 1 and start == end and not quoted:
                field = n_fields  # a blank line
            else:
                n_fields = field
                records[n_records] = n_fields
                n_records += 1
            length = min(at + ONE, size)
        elif at + ONE == size and last:  # the separator is the file's last byte
            starts[field], ends[field] = size, size
            n_fields = field + 1
            records[n_records] = n_fields
            n_records += 1
            length = size
        at += ONE
    return n_fields, n_records, length, COMPLETE


@kernel(steps=lambda *fields: len(fields[-1]) / 4)
def glue_fields(
    data: NDArray[np.uint8], starts: Offsets, ends: Offsets, glued: NDArray[np.uint8]
) -> int:
    """Write fields one after the other, each with a zero after it; return how many bytes."""
    size = 0
    for field in range(len(starts)):
        at, end = np.uint64(starts[field]), ends[field]
        doubled = end < 0
        last = np.uint64(~end if doubled else end)
        while at < last:
            byte = data[at]
            glued[size] = byte
            size += 1
            at += np.uint64(2) if doubled and byte == QUOTE else ONE
        glued[size] = 0
        size += 1
    return size
