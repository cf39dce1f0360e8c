"""From texts to the numbers of their tokens, over UTF-8 bytes.

`encode` puts the texts of a batch one behind the other, `scan` finds their tokens and looks each up
in a table. It never goes back to Python, except for a larger table.
"""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import kernel, part
from quantext.vectors.eight import count_bits, load8, lowest_bit

__all__ = [
    "SPARE",
    "Bytes",
    "Ints",
    "Offsets",
    "TokenTable",
    "encode",
    "letter_table",
    "new_keys",
]

Bytes: TypeAlias = NDArray[np.uint8]
Ints: TypeAlias = NDArray[np.int32]
Offsets: TypeAlias = NDArray[np.int64]

SPARE = 80  # bytes behind the last text: what a kernel may read beyond its end
CHUNK = np.uint64(4096)  # bytes whose tokens are found at once, before they are looked up
ONE, TWO, THREE, EIGHT, SIXTEEN, BLOCK = map(np.uint64, (1, 2, 3, 8, 16, 64))
HALF, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
# In each of the eight bytes of a word: 1, the top bit, the bit that makes an ASCII letter small.
ONES = np.uint64(0x0101010101010101)
TOP = np.uint64(0x8080808080808080)
CASE = np.uint64(0x2020202020202020)
# At n, up to 16, the mask of the first eight of n bytes; at n + 17, that of the eight behind them.
MASKS = np.array(
    [(1 << 8 * min(max(n - skipped, 0), 8)) - 1 for skipped in (0, 8) for n in range(17)], np.uint64
)


class Encoded(NamedTuple):
    """UTF-8 bytes of texts, each closed by a line feed, and at least `SPARE` of them at the end.

    There are whole words of eight bytes.
    """

    data: Bytes
    ends: Offsets  # behind the line feed of each text
    is_ascii: bool


def encode(texts: Sequence[str], lower: Callable[[str], str] = str.lower) -> Encoded:
    """The bytes of the texts, those beyond ASCII in lower case; the kernel does it for ASCII.

    Parameters
    ----------
    texts
        Of a batch.
    lower
        What puts a text in lower case.
    """
    joined = "\n".join([*texts, "\n" * (SPARE + 8)])
    if is_ascii := joined.isascii():
        data = joined.encode()
        lengths = map(len, texts)
    else:
        # A lone surrogate is no letter and has no UTF-8: "?" stands for it as well as any.
        parts = [t.encode() if t.isascii() else lower(t).encode(errors="replace") for t in texts]
        data = b"\n".join([*parts, b"\n" * (SPARE + 8)])
        lengths = map(len, parts)
    ends = np.cumsum(np.fromiter(lengths, np.int64, len(texts)) + 1)
    return Encoded(np.frombuffer(data, np.uint8, len(data) // 8 * 8), ends, is_ascii)


class TokenTable:
    """Every token met so far, by number in the order in which they came.

    Parameters
    ----------
    keys
        Of the hash: they decide how fast tokens are found, and nothing else.
    table
        Which of its first n code points are of tokens, in an array; asked for texts that are not
        all ASCII.
    """

    def __init__(self, keys: NDArray[np.uint64], table: Callable[[int], NDArray[np.bool_]]) -> None:
        self.keys = keys
        self.table = table
        self.slots = _empty_slots(1 << 12)
        self.letters = np.zeros(1 << 15, np.uint8)
        self.starts = np.zeros(1 << 12, np.int64)
        self.n_tokens = 0
        self.edges = np.empty(int(CHUNK) + 16, np.int32)

    def numbers(self, encoded: Encoded, stream: Ints) -> Offsets:
        """Write the number of each token to ``stream``; return where each text ends there."""
        data, ends, is_ascii = encoded
        code_points = np.empty(0, np.bool_)
        if not is_ascii:
            # Without characters of four bytes, a sixteenth of the table will do.
            code_points = self.table(0x10000 if data.max() < 0xF0 else 0x110000)
        stream_ends = np.empty_like(ends)
        state = np.array([0, 0, 0, self.n_tokens, 0], np.int64)
        while state[0] < len(ends):
            scan(
                data, ends, code_points, self.keys, MASKS, self.slots, self.letters, self.starts,
                state, self.edges, stream, stream_ends,
            )  # fmt: skip
            if state[0] < len(ends):
                self._make_room(int(state[3]), int(state[4]))
        self.n_tokens = int(state[3])
        return stream_ends

    def tokens(self, first: int = 0) -> list[str]:
        """The tokens from number ``first`` on."""
        if first == self.n_tokens:
            return []
        begin, end = self.starts[first], self.starts[self.n_tokens] - 1  # a line feed behind each
        return self.letters[begin:end].tobytes().decode().split("\n")

    def _make_room(self, n_tokens: int, n_bytes: int) -> None:
        """Double what is nearly full, so that a token of ``n_bytes`` fits."""
        if 2 * n_tokens + 2 > len(self.slots) // 4:
            slots = _empty_slots(len(self.slots) // 2)
            enter(n_tokens, self.keys, MASKS, self.letters, self.starts, slots)
            self.slots = slots
        if n_tokens + 2 > len(self.starts):
            self.starts = np.pad(self.starts, (0, len(self.starts)))
        if self.starts[n_tokens] + n_bytes + SPARE > len(self.letters):
            more = len(self.letters) + n_bytes + SPARE
            self.letters = np.pad(self.letters, (0, more - more % 8))


def _empty_slots(n: int) -> NDArray[np.uint64]:
    """So many slots, none of them in two lines of the cache: `scan` is a tenth faster, or more."""
    memory = np.zeros(4 * n + 8, np.uint64)
    start = -memory.ctypes.data % 64 // 8
    return memory[start : start + 4 * n]


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
def _in_words(eight):
    """The top bit of each of eight bytes that is an ASCII letter or not ASCII.

    With bit 5 set, a letter is between "a" and "z"; adding 0x1F carries into the top bit from "a"
    on, adding 0x05 from after "z".
    """
    lower = (eight | CASE) & ~TOP
    letters = (lower + ONES * np.uint64(0x1F)) & ~(lower + ONES * np.uint64(0x05))
    return (letters | eight) & TOP


@part
def _small(eight):
    """Eight bytes, those that are ASCII letters in lower case; no other byte may be ASCII."""
    return eight | (CASE ^ ((eight & TOP) >> TWO))


@part
def _word(data, start, length, k):
    """The eight bytes of a token from its byte ``k`` on, in lower case; zero beyond its end."""
    eight = _small(load8(data, start + k))
    left = length - k
    return eight if left >= EIGHT else eight & ((ONE << (left << THREE)) - ONE)


@part
def _hash_rest(hashed, keys, data, start, length):
    """Hash of a token of more than two words, which are in it already."""
    k = SIXTEEN
    while k < length:
        hashed = _mix(hashed, _word(data, start, length, k), keys[1], keys[2])
        k += EIGHT
    return hashed


@part
def _same_rest(data, start, letters, other, length):
    """Whether the bytes of two tokens are the same from the seventeenth on."""
    k = SIXTEEN
    while k < length:
        if _word(data, start, length, k) != _word(letters, other, length, k):
            return False
        k += EIGHT
    return True


@part
def _edges(data, start, end, edges):
    """Write where runs of bytes of words begin and end, from ``start``; return how many edges.

    A word's bytes are ASCII letters and whatever is not ASCII. 64 bytes become the bits of one
    number, in which a bit that differs from the one before it is an edge.
    """
    n = np.uint64(0)
    before = np.uint64(0)
    at = start
    while at < end:
        bits = np.uint64(0)
        for k in range(8):
            flags = _in_words(load8(data, at + np.uint64(8 * k))) >> np.uint64(7)
            # The product gathers the lowest bits of the eight bytes in its top byte.
            bits |= flags * np.uint64(0x0102040810204080) >> np.uint64(56) << np.uint64(8 * k)
        if end - at < BLOCK:
            bits &= (ONE << (end - at)) - ONE
        changes = bits ^ (bits << ONE | before)
        before = bits >> np.uint64(63)
        next_n = n + count_bits(changes)
        while n < next_n:  # eight at a time, some of them for nothing, rather than guess how many
            for k in range(8):
                edges[n + np.uint64(k)] = at - start + lowest_bit(changes)
                changes &= changes - ONE
            n += EIGHT
        n = next_n
        at += BLOCK
    return n


@part
def _is_in_word(byte):
    return byte >= 0x80 or ord("a") <= byte | 0x20 <= ord("z")


@part
def _next_token(data, start, end, code_points):
    """Where the first token of a run of bytes of words begins and ends; both at its end if none."""
    begin = i = start
    while i < end:
        code = np.uint64(data[i])
        width = ONE
        if code >= np.uint64(0x80):
            # UTF-8: 110xxxxx, 1110xxxx or 11110xxx, then bytes of six bits each.
            width += ONE + np.uint64(code >= np.uint64(0xE0)) + np.uint64(code >= np.uint64(0xF0))
            code &= np.uint64(0x7F) >> width
            k = ONE
            while k < width:
                code = code << np.uint64(6) | np.uint64(data[i + k]) & np.uint64(0x3F)
                k += ONE
            if not code_points[code]:
                if begin < i:
                    return begin, i
                begin = i + width
        i += width
    return begin, end


@kernel(steps=lambda data, *_: len(data))
def scan(
    data, ends, code_points, keys, masks, slots, letters, starts, state, edges, stream, stream_ends
):
    """Write the token numbers of the documents to ``stream``.

    ``state`` says where to begin and, on return, where it stopped: document, byte, place in the
    stream, and the number of tokens met. It stops before a token for which something is too small,
    whose length is in ``state`` as well; the caller makes room and calls again. Every document ends
    with a line feed, so no token runs over an end.

    A slot is four numbers: the first sixteen bytes of a token, in lower case, as two of them, then
    its length and its number (length << 32 | number), which is 0 when the slot is empty; the fourth
    is there for a slot to be in one line of the cache. ``letters`` has the bytes of each token,
    with a line feed behind them, from ``starts`` on.
    """
    n_tokens = np.uint64(state[3])
    written = np.uint64(state[2])
    position = np.uint64(state[1])
    mask = np.uint64((len(slots) >> 2) - 1)
    key, first, second = keys[0], keys[1], keys[2]
    has_code_points = len(code_points) > 0
    for document in range(state[0], len(ends)):
        end = np.uint64(ends[document])
        while position < end:
            base = position
            position = min(base + CHUNK, end)
            n = _edges(data, base, position, edges)
            if n & ONE:  # the last token goes on beyond the chunk
                while _is_in_word(data[position]):
                    position += ONE
                edges[n] = position - base
                n += ONE
            j = np.uint64(0)
            while j < n:
                begin = base + np.uint64(edges[j])
                run_end = base + np.uint64(edges[j + ONE])
                j += TWO
                while begin < run_end:  # once, if all is ASCII
                    token_end = run_end
                    if has_code_points:
                        begin, token_end = _next_token(data, begin, run_end, code_points)
                        if begin == token_end:
                            break
                    length = token_end - begin
                    of_masks = min(length, SIXTEEN)
                    word = _small(load8(data, begin)) & masks[of_masks]
                    other = _small(load8(data, begin + EIGHT)) & masks[of_masks + np.uint64(17)]
                    hashed = _mix(_mix(key, word, first, second), other, first, second)
                    if length > SIXTEEN:
                        hashed = _hash_rest(hashed, keys, data, begin, length)
                    slot = hashed >> HALF & mask
                    number = n_tokens
                    while True:
                        at = slot << TWO
                        found = slots[at + TWO]
                        if (
                            slots[at] == word
                            and slots[at + ONE] == other
                            and found >> HALF == length
                        ):
                            if length <= SIXTEEN or _same_rest(
                                data, begin, letters, np.uint64(starts[found & LOW]), length
                            ):
                                number = found & LOW
                                break
                        elif found == 0:
                            used = np.uint64(starts[n_tokens])
                            if (
                                TWO * n_tokens + TWO > mask + ONE
                                or n_tokens + TWO > np.uint64(len(starts))
                                or used + length + np.uint64(SPARE) > np.uint64(len(letters))
                            ):
                                state[0], state[1], state[2] = document, begin, written
                                state[3], state[4] = n_tokens, length
                                return
                            slots[at] = word
                            slots[at + ONE] = other
                            slots[at + TWO] = length << HALF | n_tokens
                            k = np.uint64(0)
                            while k < length:
                                byte = data[begin + k]
                                letters[used + k] = byte if byte >= 0x80 else byte | 0x20
                                k += ONE
                            letters[used + length] = ord("\n")
                            n_tokens += ONE
                            starts[n_tokens] = used + length + ONE
                            break
                        slot = (slot + ONE) & mask
                    stream[written] = number
                    written += ONE
                    begin = token_end
        stream_ends[document] = written
    state[0], state[3] = len(ends), n_tokens


@kernel
def enter(n_tokens, keys, masks, letters, starts, slots):
    """Enter tokens that are known into empty slots.

    By number, so that those that came first, and are the commonest, are found first too.
    """
    mask = np.uint64((len(slots) >> 2) - 1)
    for number in range(n_tokens):
        begin = np.uint64(starts[number])
        length = np.uint64(starts[number + 1]) - begin - ONE
        of_masks = min(length, SIXTEEN)
        word = load8(letters, begin) & masks[of_masks]
        other = load8(letters, begin + EIGHT) & masks[of_masks + np.uint64(17)]
        hashed = _mix(_mix(keys[0], word, keys[1], keys[2]), other, keys[1], keys[2])
        if length > SIXTEEN:
            hashed = _hash_rest(hashed, keys, letters, begin, length)
        slot = hashed >> HALF & mask
        while slots[slot << TWO | TWO]:
            slot = (slot + ONE) & mask
        slots[slot << TWO] = word
        slots[slot << TWO | ONE] = other
        slots[slot << TWO | TWO] = length << HALF | np.uint64(number)
