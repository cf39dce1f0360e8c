"""From texts to the numbers of their tokens, over UTF-8 bytes.

`encode` puts the texts of a batch one behind the other; a `TokenTable` numbers their tokens.
"""

from __future__ import annotations

import ctypes
import secrets
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quantext.vectors.scan import CHUNK, MASKS, SPARE, enter, number_lines, scan

__all__ = [
    "Bytes",
    "Ints",
    "Lines",
    "Memory",
    "Offsets",
    "Room",
    "TokenTable",
    "encode",
    "letter_table",
    "new_keys",
]

Bytes: TypeAlias = NDArray[np.uint8]
Ints: TypeAlias = NDArray[np.int32]
Offsets: TypeAlias = NDArray[np.int64]

# A function object of our own: the one that ctypes has is everybody's, with the types of whoever
# was the last to set them.
_utf8 = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)(
    ("PyUnicode_AsUTF8AndSize", ctypes.pythonapi)
)


class Encoded(NamedTuple):
    """UTF-8 bytes of texts, each closed by a line feed, and at least `SPARE` of them at the end.

    There are whole words of eight bytes.
    """

    data: Bytes
    ends: Offsets  # behind the line feed of each text
    is_ascii: bool


class Room:
    """Memory for the bytes of one batch after the other.

    The system clears fresh memory page by page, and threads that ask for it wait for each other.
    """

    def __init__(self) -> None:
        self.memory = np.empty(0, np.uint8)

    def __call__(self, n: int) -> Bytes:
        """So many bytes, which the next call gives again."""
        if n > len(self.memory):
            self.memory = np.empty(n + n // 4, np.uint8)
        return self.memory[:n]


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
        data = _own_bytes(joined)
        lengths = map(len, texts)
    else:
        # A lone surrogate is no letter and has no UTF-8: "?" stands for it as well as any.
        parts = [t.encode() if t.isascii() else lower(t).encode(errors="replace") for t in texts]
        data = np.frombuffer(b"\n".join([*parts, b"\n" * (SPARE + 8)]), np.uint8)
        lengths = map(len, parts)
    ends = np.cumsum(np.fromiter(lengths, np.int64, len(texts)) + 1)
    return Encoded(data[: len(data) // 8 * 8], ends, is_ascii)


def _own_bytes(text: str) -> Bytes:
    """The bytes of an ASCII text where Python has them, not a copy."""
    return np.asarray(Memory(_utf8(text, None), len(text), text))


class Memory:
    """Bytes from an address on, for NumPy; ctypes would make a type for each number of them.

    Parameters
    ----------
    address
        Of the first.
    n
        How many.
    owner
        What must not be forgotten as long as they are used.
    """

    def __init__(self, address: int, n: int, owner: object = None) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3, "typestr": "|u1", "shape": (n,), "data": (address, True)
        }  # fmt: skip


class Lines(NamedTuple):
    """UTF-8 bytes of tokens in lower case, a line feed behind each; one may be empty."""

    data: Bytes  # at least `SPARE` more than there are
    size: int
    n: int

    @classmethod
    def of(cls, tokens: Sequence[str]) -> Lines:
        """The lines of these tokens."""
        data = "\n".join([*tokens, "\n" * SPARE]).encode()
        return cls(np.frombuffer(data, np.uint8), len(data) - SPARE, len(tokens))

    def tokens(self) -> list[str]:
        """The tokens."""
        return self.data[: self.size].tobytes().decode().split("\n")[:-1]


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
        self.number_of_nothing = -1
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

    def numbers_of(self, lines: Lines) -> Ints:
        """The number of each of the tokens; those that are new come to the others."""
        stream = np.empty(lines.n, np.int32)
        state = np.array([0, 0, self.n_tokens, 0, self.number_of_nothing], np.int64)
        while state[0] < lines.size:
            number_lines(
                lines.data, lines.size, self.keys, MASKS, self.slots, self.letters, self.starts,
                state, stream,
            )  # fmt: skip
            if state[0] < lines.size:
                self._make_room(int(state[2]), int(state[3]))
        self.n_tokens, self.number_of_nothing = int(state[2]), int(state[4])
        return stream

    def lines(self, first: int = 0) -> Lines:
        """The tokens from number ``first`` on."""
        begin, end = int(self.starts[first]), int(self.starts[self.n_tokens])
        return Lines(self.letters[begin:], end - begin, self.n_tokens - first)

    def tokens(self, first: int = 0) -> list[str]:
        """The tokens from number ``first`` on."""
        return self.lines(first).tokens()

    def token(self, number: int) -> str:
        """The token of a number."""
        return self.letters[self.starts[number] : self.starts[number + 1] - 1].tobytes().decode()

    def _make_room(self, n_tokens: int, n_bytes: int) -> None:
        """Double what is nearly full, so that a token of ``n_bytes`` fits."""
        if 2 * n_tokens + 2 > len(self.slots) // 4:
            slots = _empty_slots(len(self.slots) // 2)
            enter(self.slots, slots)
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
