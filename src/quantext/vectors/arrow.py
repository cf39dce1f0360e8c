"""Texts of a polars column as bytes, without a Python string for each.

A column hands over its memory by Arrow's C stream interface, the protocol between libraries:
https://arrow.apache.org/docs/format/CStreamInterface.html. Its strings are views: four 32-bit
numbers a text, the first of which is its length. Up to twelve bytes stand in the view itself; else
it says in which buffer they are, and where.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import polars as pl

from quantext.kernels import kernel
from quantext.vectors.eight import copy_from
from quantext.vectors.scan import SPARE, TOP
from quantext.vectors.tokenise import Encoded, Memory, Room, encode

__all__ = ["encode_column"]

_STRING_VIEWS = b"vu"  # Arrow's name of the format
SHORT = 12  # bytes that a view itself can hold
FEW = 64  # texts of which strings are made sooner


class _Array(ctypes.Structure):
    """Arrow's struct ArrowArray."""


class _Schema(ctypes.Structure):
    """Arrow's struct ArrowSchema, as far as its first field."""


class _Stream(ctypes.Structure):
    """Arrow's struct ArrowArrayStream."""


_release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_Array._fields_ = [
    *((name, ctypes.c_int64) for name in ("length", "nulls", "offset", "n_buffers", "n_children")),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
_Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def encode_column(
    column: pl.Series, lower: Callable[[str], str] = str.lower, room: Room | None = None
) -> Encoded:
    """The bytes of the texts of a column, as `encode` has those of a list.

    Parameters
    ----------
    column
        Of strings, none of them missing.
    lower
        What puts a text in lower case that is not all ASCII.
    room
        Where the bytes are written; the next column overwrites them.
    """
    if len(column) < FEW or (encoded := _bytes(column, room or Room())) is None:
        return encode(column.to_list(), lower)
    return encoded if encoded.is_ascii else _lowered(encoded, lower)


def _lowered(encoded: Encoded, lower: Callable[[str], str]) -> Encoded:
    """The texts with those that are not all ASCII in lower case, which only Python knows."""
    data, ends, _ = encoded
    starts = np.append(0, ends[:-1])
    lengths = ends - starts
    parts, at = [], 0
    for row in np.flatnonzero(beyond_ascii(data, ends)).tolist():
        end = int(ends[row]) - 1
        text = lower(data[starts[row] : end].tobytes().decode()).encode()
        parts += [data[at : starts[row]], np.frombuffer(text, np.uint8)]
        lengths[row] = len(text) + 1
        at = end
    size = int(lengths.sum()) + SPARE
    rest = np.full(SPARE + -size % 8, ord("\n"), np.uint8)
    return Encoded(np.concatenate([*parts, data[at : ends[-1]], rest]), np.cumsum(lengths), False)


def _bytes(column: pl.Series, room: Room) -> Encoded | None:
    """The bytes of the texts as they are; None if they are not as expected."""
    capsule = column.__arrow_c_stream__()  # releases the stream when it is forgotten
    address = _pointer(capsule, b"arrow_array_stream")
    stream = _Stream.from_address(address)
    if _format(stream, address) != _STRING_VIEWS:  # a polars of another mind about its strings
        return None
    arrays: list[_Array] = []
    try:
        while True:
            array = _Array()
            if stream.get_next(address, array):
                raise ValueError("polars could not hand over a column of texts")
            if not array.release:
                break
            arrays.append(array)
        return _joined(arrays, room)
    finally:
        for array in arrays:
            _release(array.release)(ctypes.addressof(array))


def _format(stream: _Stream, address: int) -> bytes:
    """Arrow's name of the stream's format."""
    schema = _Schema()
    if stream.get_schema(address, schema):
        raise ValueError("polars could not tell of what a column of texts is made")
    name: bytes = schema.format
    _release(schema.release)(ctypes.addressof(schema))
    return name


def _joined(arrays: list[_Array], room: Room) -> Encoded:
    """The bytes of all texts, with a line feed behind each."""
    arrays = [array for array in arrays if array.length]
    views = [
        np.asarray(Memory(array.buffers[1] + 16 * array.offset, 16 * array.length)).view(np.uint32)
        for array in arrays
    ]
    ends = np.cumsum(np.concatenate([part[::4] for part in views]).astype(np.int64) + 1)
    size = int(ends[-1]) + SPARE
    data = room(size + -size % 8)
    data[ends[-1] :] = ord("\n")
    begin = 0
    for array, part in zip(arrays, views, strict=True):
        # Behind the validity and the views come buffers of bytes, and then the sizes of these.
        buffers = Memory(ctypes.addressof(array.buffers.contents) + 16, 8 * (array.n_buffers - 3))
        copy_texts(part, np.asarray(buffers).view(np.uint64), ends[begin:], data)
        begin += array.length
    return Encoded(data, ends, is_plain(data.view(np.uint64)))


@kernel
def copy_texts(views, buffers, ends, data):
    """Copy the texts of the views to where they end, and a line feed behind each.

    ``buffers`` has the address of each. A kernel looks them up: of a column that was read in many
    pieces, a batch has texts in dozens.
    """
    own = views.view(np.uint8)
    for row in range(len(views) // 4):
        length = np.int64(views[4 * row])
        start = ends[row] - 1 - length
        if length <= SHORT:
            for k in range(length):
                data[start + k] = own[16 * row + 4 + k]
        else:
            source = buffers[views[4 * row + 2]] + np.uint64(views[4 * row + 3])
            copy_from(data, start, source, length)
        data[ends[row] - 1] = ord("\n")


@kernel
def is_plain(words):
    """Whether all bytes, eight in a number, are ASCII."""
    found = np.uint64(0)
    for i in range(len(words)):
        found |= words[i]
    return found & TOP == 0


@kernel
def beyond_ascii(data, ends):
    """Whether each text has a byte that is not ASCII."""
    found = np.zeros(len(ends), np.bool_)
    start = 0
    for row in range(len(ends)):
        bits = np.uint8(0)
        for i in range(start, ends[row]):
            bits |= data[i]
        found[row] = bits >= 0x80
        start = ends[row]
    return found
