"""From texts to term counts to weighted rows, over UTF-8 bytes.

Three passes over a batch of documents, each a Numba kernel: `scan` turns bytes into token
numbers, `count` turns token numbers into (term, frequency) pairs, `weigh` turns those
into rows of ltc weights. Between the first two, Python turns the tokens never met before into
terms; they soon become rare.

The file is long because the passes share their layout of bytes, tokens and terms, and each is
explained where it stands.
"""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.kernels import kernel, part

Ints: TypeAlias = NDArray[np.int32]
Offsets: TypeAlias = NDArray[np.int64]

ONE, HALF, LOW = np.uint64(1), np.uint64(32), np.uint64(0xFFFFFFFF)
# In each of the eight bytes of a word: 1, the top bit, the bit that makes an ASCII letter small.
ONES = np.uint64(0x0101010101010101)
TOP = np.uint64(0x8080808080808080)
CASE = np.uint64(0x2020202020202020)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
FOUR_LETTERS = np.uint64(0x61000000)  # at least, since the fourth is an "a" or more


@dataclass(frozen=True)
class Counts:
    """The terms of a batch of documents: document i has entries ``ends[i - 1]`` to ``ends[i]``."""

    terms: Ints
    frequencies: Ints
    ends: Offsets


class TermCounter:
    """Counts of the terms of texts, batch by batch; each thread has its own.

    It remembers the tokens it has met and asks ``number_terms`` about new ones only: from tokens
    in lower case to the numbers of their terms. The tokens of ``stop_words`` have none. Once it has
    met more than ``max_tokens`` it begins anew, and asks again: new tokens never end (names, typing
    errors, addresses), and memory would grow with the texts. ``lower`` puts a text that is not all
    ASCII in lower case, and ``table`` says which of its first n code points are of tokens: another
    pair of them makes tokens of other characters too. ``keys`` are of the hash: they decide how
    fast tokens are found, and nothing else; without any, new ones that nobody can guess.
    """

    def __init__(
        self,
        number_terms: Callable[[list[str]], list[int]],
        stop_words: Sequence[str] = (),
        max_tokens: float = inf,
        lower: Callable[[str], str] = str.lower,
        table: Callable[[int], NDArray[np.bool_]] | None = None,
        keys: NDArray[np.uint64] | None = None,
    ) -> None:
        self.number_terms = number_terms
        self.stop_words = stop_words
        self.max_tokens = max_tokens
        self.lower = lower
        self.table = table or letter_table
        self.keys = new_keys() if keys is None else keys
        self.seen = np.zeros(0, np.int32)
        self.term_frequency = np.zeros(0, np.int64)
        self.document_frequency = np.zeros(0, np.int64)
        self.scratch = np.empty((3, 0), np.int32)
        self._begin()

    def __call__(self, texts: Sequence[str]) -> Counts:
        """Count the terms of each text."""
        if self.size[0] > self.max_tokens:
            self._begin()
        return self._count(texts, self.number_terms)

    def _begin(self) -> None:
        """Remember the stop words only."""
        self.slots = np.zeros(1 << 12, np.uint64)
        self.records = np.zeros(1 << 13, np.uint64)
        self.size = np.array([0, 1])  # tokens, words of records
        self.term_of_token = np.empty(0, np.int32)
        self.token_frequency = np.zeros(0, np.int64)
        self._count(self.stop_words, lambda tokens: [-1] * len(tokens))

    def _count(
        self, texts: Sequence[str], number_terms: Callable[[list[str]], list[int]]
    ) -> Counts:
        words, ends, is_ascii = encode(texts, self.lower)
        letters = np.empty(0, np.bool_)
        if not is_ascii:
            # Without characters of four bytes, a sixteenth of the table will do.
            letters = self.table(0x10000 if words.view(np.uint8).max() < 0xF0 else 0x110000)
        if self.scratch.shape[1] < 4 * len(words):  # a token and its separator are two bytes
            self.scratch = np.empty((3, 5 * len(words)), np.int32)
        stream, terms, frequencies = self.scratch
        stream_ends = np.empty_like(ends)
        n_known, n_words = self.size
        done = 0
        while done < len(ends):
            done = scan(
                words, ends, done, letters, self.keys,
                self.slots, self.records, self.size, stream, stream_ends,
            )  # fmt: skip
            if done < len(ends):
                self._make_room(int(ends[done] - (ends[done - 1] if done else 0)))
        if self.size[0] > n_known:
            self._add_terms(number_terms(self._tokens_from(n_words)))
        n = count(
            stream, stream_ends, self.term_of_token, self.token_frequency, self.seen,
            self.term_frequency, self.document_frequency, terms, frequencies, ends,
        )  # fmt: skip
        return Counts(terms[:n].copy(), frequencies[:n].copy(), ends)

    def tokens(self) -> pl.DataFrame:
        """Every token that it remembers, the number of its term, and how often it came."""
        n = int(self.size[0])
        found = {"token": self._tokens_from(1)} if n else {"token": pl.Series([], dtype=pl.String)}
        return pl.DataFrame(
            found | {"term": self.term_of_token[:n], "frequency": self.token_frequency[:n]}
        )

    def _make_room(self, n_bytes: int) -> None:
        """Double the table until a document of ``n_bytes`` fits, whatever is in it."""
        n_tokens, used = self.size
        n_slots = 1 << int(4 * n_tokens + 2 * n_bytes).bit_length()
        self.slots = np.zeros(n_slots, np.uint64)
        self.records = np.concatenate([self.records, np.zeros(used + n_bytes + 2, np.uint64)])
        rehash(self.records, used, self.keys, self.slots)

    def _tokens_from(self, n_words: int) -> list[str]:
        """The tokens recorded after the first ``n_words``."""
        words = self.records[n_words : self.size[1]].astype("<u8")
        # A header has something in its upper half, and in its lower one less than four letters.
        words[(words > LOW) & (words & LOW < FOUR_LETTERS)] = ord("\n")
        return words.tobytes().translate(None, b"\0").decode()[1:].split("\n")

    def _add_terms(self, terms: list[int]) -> None:
        """Enter the terms of the latest tokens; arrays are doubled, so that growing stays cheap."""
        new = np.array(terms, np.int32)
        n_tokens = int(self.size[0])
        if n_tokens > len(self.term_of_token):
            self.term_of_token = np.pad(self.term_of_token, (0, n_tokens))
            self.token_frequency = np.pad(self.token_frequency, (0, n_tokens))
        self.term_of_token[n_tokens - len(new) : n_tokens] = new
        if (missing := int(new.max()) + 1 - len(self.seen)) > 0:
            pad = (0, missing + len(self.seen))
            self.seen = np.pad(self.seen, pad)
            self.term_frequency = np.pad(self.term_frequency, pad)
            self.document_frequency = np.pad(self.document_frequency, pad)


def encode(
    texts: Sequence[str], lower: Callable[[str], str] = str.lower
) -> tuple[NDArray[np.uint64], Offsets, bool]:
    """UTF-8 bytes of the texts, each closed by a line feed; where each ends; whether all is ASCII.

    The bytes come as words, with a word to spare. Texts beyond ASCII are put in lower case here, by
    ``lower``; the kernel does it for ASCII.
    """
    joined = "\n".join(texts)
    if is_ascii := joined.isascii():
        data = joined.encode()
        lengths = map(len, texts)
    else:
        # A lone surrogate is no letter and has no UTF-8: "?" stands for it as well as any.
        parts = [t.encode() if t.isascii() else lower(t).encode(errors="replace") for t in texts]
        data = b"\n".join(parts)
        lengths = map(len, parts)
    ends = np.cumsum(np.fromiter(lengths, np.int64, len(texts)) + 1)
    words = np.frombuffer(data + b"\n" * (16 - len(data) % 8), np.uint64)
    return words, ends, is_ascii


@cache
def letter_table(n: int) -> NDArray[np.bool_]:
    """Whether each of the first ``n`` code points is a letter or combining mark (L and M)."""
    table = np.zeros(n, np.bool_)
    for plane in (range(0x40000), range(0xE0000, 0xF0000)):  # the others hold no letters
        part = plane[: max(n - plane.start, 0)]
        table[part.start : part.stop] = [
            c.isalpha() or unicodedata.category(c)[0] == "M" for c in map(chr, part)
        ]
    return table


def new_keys() -> NDArray[np.uint64]:
    """Keys of a hash that nobody can guess: where it starts, and two odd factors.

    With keys that are known, someone can write texts whose tokens all have one slot, and half a
    million of them would take minutes.
    """
    start, *factors = (secrets.randbits(64) for _ in range(3))
    return np.array([start, *(factor | 1 for factor in factors)], np.uint64)


@part
def _mix(hashed, word, first, second):
    """Hash of the words so far and one more.

    Two products, since after one alone the difference that the top bit of a word makes would be
    the same whatever the factor, and the next word could cancel it.
    """
    hashed = (hashed ^ word) * first
    return (hashed ^ (hashed >> HALF)) * second


@part
def _load(words, i):
    """The eight bytes from byte ``i``, the first lowest: Numba's machines are little-endian."""
    k = i >> np.uint64(3)
    shift = (i & np.uint64(7)) << np.uint64(3)
    return words[k] >> shift | words[k + ONE] << (np.uint64(63) - shift) << ONE


@part
def _letters(eight):
    """The top bit of each of eight bytes that is an ASCII letter.

    With bit 5 set, a letter is between "a" and "z"; adding 0x1F carries into the top bit from "a"
    on, adding 0x05 from after "z".
    """
    lower = (eight | CASE) & ~TOP
    return (lower + ONES * np.uint64(0x1F)) & ~(lower + ONES * np.uint64(0x05)) & ~eight & TOP


@part
def _below(flags):
    """All bits of the bytes below the first flagged one; of all eight if there is none."""
    return ((flags & (~flags + ONE)) >> np.uint64(7)) - ONE


@part
def _width(mask):
    """How many bytes a mask of `_below` has."""
    return (mask & ONES) * ONES >> np.uint64(56)


@kernel(steps=lambda words, *_: 8 * len(words))
def scan(words, ends, first, letter_table, keys, slots, records, size, stream, stream_ends):
    """Write the token numbers of documents ``first``... to ``stream``; return where it stopped.

    It stops before a document for which the token table might be too small; the caller makes room
    and calls again. Every document ends with a separator byte, so no token runs over an end. The
    bytes are read eight at a time. A token is packed into 64-bit words, eight bytes a word; its
    record is a header (length << 32 | number) and then its words. A slot of the hash table holds
    half the hash and the position of the record, and is 0 when empty: no record is at 0. ``size``
    holds the number of tokens and of words used.
    """
    n_tokens, used = size[0], size[1]
    start_key, key, other_key = keys[0], keys[1], keys[2]
    mask = np.uint64(len(slots) - 1)
    data = words.view(np.uint8)
    written = np.uint64(stream_ends[first - 1] if first else 0)
    start = np.uint64(ends[first - 1] if first else 0)
    for document in range(first, len(ends)):
        end = np.uint64(ends[document])
        n_bytes = np.int64(end - start)
        # A token and its separator take two bytes at least, and its record no more words than that.
        if used + n_bytes + 2 > len(records) or 2 * n_tokens + n_bytes + 2 > len(slots):
            size[0], size[1] = n_tokens, used
            return document
        i = start
        while i < end:
            eight = _load(words, i)
            letters = _letters(eight)
            beginnings = letters | eight & TOP
            if beginnings & np.uint64(0x80) == 0:
                i += _width(_below(beginnings))
                continue
            record = position = np.uint64(used)
            hashed = start_key
            run = _below(letters ^ TOP)
            while run == ALL:
                position += ONE
                records[position] = eight | CASE
                hashed = _mix(hashed, eight | CASE, key, other_key)
                i += np.uint64(8)
                eight = _load(words, i)
                letters = _letters(eight)
                run = _below(letters ^ TOP)
            word = (eight | CASE) & run
            shift = _width(run) << np.uint64(3)
            in_ascii = eight >> shift & np.uint64(0x80) == 0
            if in_ascii:  # the token ends here; on to the next one, if it begins in these bytes
                i += _width(_below((letters | eight & TOP) & ~run))
            else:
                i += shift >> np.uint64(3)
            while not in_ascii:  # on byte by byte
                byte = np.uint64(data[i])
                width = ONE
                if byte >= 0x80:
                    # UTF-8: 110xxxxx, 1110xxxx or 11110xxx, then bytes of six bits each.
                    width += ONE + np.uint64(byte >= 0xE0) + np.uint64(byte >= 0xF0)
                    code = byte & (np.uint64(0x7F) >> width)
                    for k in range(ONE, width):
                        code = code << np.uint64(6) | np.uint64(data[i + k]) & np.uint64(0x3F)
                    if not letter_table[code]:
                        i += width
                        break
                elif not _letters(byte):
                    break
                for _ in range(width):
                    byte = np.uint64(data[i])
                    word |= (byte | CASE & np.uint64(0xFF) if byte < 0x80 else byte) << shift
                    shift += np.uint64(8)
                    if shift == 64:
                        position += ONE
                        records[position] = word
                        hashed = _mix(hashed, word, key, other_key)
                        word = shift = np.uint64(0)
                    i += ONE
            length = ((position - record) << np.uint64(3)) + (shift >> np.uint64(3))
            if length == 0:
                continue
            if shift:
                position += ONE
                records[position] = word
                hashed = _mix(hashed, word, key, other_key)
            slot = (hashed >> HALF) & mask
            tag = hashed & LOW
            number = -1
            while number < 0:
                found = slots[slot]
                other = found >> HALF
                if found == 0:
                    number = n_tokens
                    records[record] = length << HALF | np.uint64(number)
                    slots[slot] = record << HALF | tag
                    n_tokens += 1
                    used = np.int64(position) + 1
                elif found & LOW == tag and records[other] >> HALF == length:
                    k = position - record
                    while k and records[other + k] == records[record + k]:
                        k -= ONE
                    if k == 0:
                        number = np.int64(records[other] & LOW)
                slot = (slot + ONE) & mask
            stream[written] = number
            written += ONE
        stream_ends[document] = written
        start = end
    size[0], size[1] = n_tokens, used
    return len(ends)


@kernel
def rehash(records, used, keys, slots):
    """Enter all records into the empty ``slots``, by the same hash as `scan`."""
    mask = np.uint64(len(slots) - 1)
    record = np.uint64(1)
    while record < used:
        n_words = (records[record] >> HALF) + np.uint64(7) >> np.uint64(3)
        hashed = keys[0]
        for k in range(ONE, n_words + ONE):
            hashed = _mix(hashed, records[record + k], keys[1], keys[2])
        slot = (hashed >> HALF) & mask
        while slots[slot]:
            slot = (slot + ONE) & mask
        slots[slot] = record << HALF | hashed & LOW
        record += n_words + ONE


@kernel(steps=lambda _, stream_ends, *__: stream_ends.max(initial=0))
def count(
    stream,
    stream_ends,
    term_of_token,
    token_frequency,
    seen,
    totals,
    document_frequency,
    terms,
    frequencies,
    ends,
):
    """Write each document's distinct terms and their frequencies; return how many.

    ``seen`` is all zero on entry and on return. The frequencies are also added to ``totals``, those
    of tokens to ``token_frequency``, and 1 a document to ``document_frequency``.
    """
    written = np.uint64(0)
    i = np.uint64(0)
    for document in range(len(stream_ends)):
        begin = written
        end = np.uint64(stream_ends[document])
        while i < end:
            token = np.uint32(stream[i])
            term = term_of_token[token]
            token_frequency[token] += 1
            i += ONE
            if term < 0:
                continue
            at = np.uint32(term)
            if seen[at] == 0:
                terms[written] = term
                written += ONE
            seen[at] += 1
        for k in range(begin, written):
            at = np.uint32(terms[k])
            frequencies[k] = seen[at]
            totals[at] += seen[at]
            document_frequency[at] += 1
            seen[at] = 0
        ends[document] = written
    return written


LOG_TF = 1.0 + np.log(np.arange(1.0, 257.0))  # of nearly all frequencies


def rows(
    counts: Counts, feature_of_term: Ints, idf: NDArray[np.float64]
) -> tuple[NDArray[np.float32], Ints, Offsets]:
    """Weights, columns and ends of the rows of a batch, each of unit length and sorted by column.

    Terms without a feature (-1) and weights of zero (a term of every training document) are left
    out.
    """
    weights = np.empty(len(counts.terms), np.float32)
    columns = np.empty(len(counts.terms), np.int32)
    ends = np.empty_like(counts.ends)
    starts = np.zeros(len(idf) + 1, np.int32)
    n = weigh(
        counts.terms, counts.frequencies, counts.ends, feature_of_term, idf, LOG_TF,
        columns, weights, ends, starts,
    )  # fmt: skip
    weights, columns = weights[:n], columns[:n]
    sorted_weights, sorted_columns = np.empty_like(weights), np.empty_like(columns)
    sort_rows(
        columns, weights, ends, np.cumsum(starts, dtype=np.int32),
        np.empty((2, n), np.int32), np.concatenate([[0], ends[:-1]]),
        sorted_columns, sorted_weights,
    )  # fmt: skip
    return sorted_weights, sorted_columns, ends


def _weighing(terms, frequencies, *_):
    """Steps of `weigh`; it is not interpreted where it takes logarithms, as NumPy's may differ."""
    return len(terms) if frequencies.max(initial=0) <= len(LOG_TF) else inf


@kernel(steps=_weighing)
def weigh(
    terms, frequencies, ends, feature_of_term, idf, log_tf, columns, weights, row_ends, starts
):
    """Write the rows of ltc weights, of unit length; return how many weights there are.

    ``starts[j + 1]`` becomes the number of weights in column j.
    """
    n = 0
    start = 0
    for row in range(len(ends)):
        begin = n
        square = 0.0
        for k in range(start, ends[row]):
            feature = feature_of_term[np.uint32(terms[k])]
            if feature < 0 or idf[feature] == 0.0:
                continue
            tf = frequencies[k]
            weight = (log_tf[tf - 1] if tf <= len(log_tf) else 1.0 + np.log(tf)) * idf[feature]
            square += weight * weight
            columns[n] = feature
            weights[n] = weight
            starts[feature + 1] += 1
            n += 1
        start = ends[row]
        row_ends[row] = n
        length = np.sqrt(square)
        for k in range(begin, n):
            weights[k] /= length
    return n


@kernel(steps=lambda columns, *_: len(columns))
def sort_rows(
    columns, weights, ends, starts, by_column, next_in_row, sorted_columns, sorted_weights
):
    """Write the rows sorted by column: all entries by column first, then stably by row.

    Counting twice, which is several times as fast as sorting each row. ``starts`` says where each
    column's entries begin, ``next_in_row`` where each row does.
    """
    k = 0
    for row in range(len(ends)):
        while k < ends[row]:
            column = np.uint32(columns[k])
            at = np.uint32(starts[column])
            starts[column] += 1
            by_column[0, at] = k
            by_column[1, at] = row
            k += 1
    for k in range(len(columns)):
        entry = np.uint32(by_column[0, k])
        row = np.uint32(by_column[1, k])
        at = np.uint64(next_in_row[row])
        next_in_row[row] += 1
        sorted_columns[at] = columns[entry]
        sorted_weights[at] = weights[entry]
