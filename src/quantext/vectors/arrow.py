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
from numpy.typing import NDArray

from quantext.kernels import kernel
from quantext.vectors.eight import copy_bytes
from quantext.vectors.scan import SPARE, TOP
from quantext.vectors.tokenise import Encoded, encode

__all__ = ["encode_column"]

_STRING_VIEWS = b"vu"  # Arrow's name of the format
SHORT = 12  # bytes that a view itself can hold
FEW = 64  # texts of which strings are made sooner
SEVERAL = 16  # buffers


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


def encode_column(column: pl.Series, lower: Callable[[str], str] = str.lower) -> Encoded:
    """The bytes of the texts of a column, as `encode` has those of a list.

    Parameters
    ----------
    column
        Of strings, none of them missing.
    lower
        What puts a text in lower case that is not all ASCII.
    """
    encoded = _bytes(column) if len(column) >= FEW else None
    # Only Python knows lower case everywhere.
    return encoded or encode(column.to_list(), lower)


def _bytes(column: pl.Series) -> Encoded | None:
    """The bytes of the texts; None if they are not all ASCII, or not as expected."""
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
        return _joined(arrays)
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


def _joined(arrays: list[_Array]) -> Encoded | None:
    """The bytes of all texts, with a line feed behind each; None if they are not all ASCII."""
    views = [_memory(array, 1, 16, array.offset, array.length).view(np.uint32) for array in arrays]
    lengths = np.concatenate([part[::4] for part in views])
    ends = np.cumsum(lengths.astype(np.int64) + 1)
    size = int(ends[-1]) + SPARE
    data = np.empty(size + -size % 8, np.uint8)
    data[ends - 1] = ord("\n")
    data[ends[-1] :] = ord("\n")
    begin = 0
    for array, part in zip(arrays, views, strict=True):
        own = ends[begin : begin + array.length]
        copy_short(part, part.view(np.uint8), own, data)
        # Behind the validity and the views come buffers of bytes, and then the sizes of these.
        buffers = np.unique(part[2::4][part[::4] > SHORT])
        if len(buffers) > SEVERAL:  # each of which would be a pass over the views
            return None
        sizes = _memory(array, array.n_buffers - 1, 8, 0, array.n_buffers - 3).view(np.int64)
        for number in buffers.tolist():
            copy_long(part, number, _memory(array, 2 + number, 1, 0, sizes[number]), own, data)
        begin += array.length
    return Encoded(data, ends, True) if is_plain(data.view(np.uint64)) else None


def _memory(array: _Array, buffer: int, width: int, offset: int, n: int) -> NDArray[np.uint8]:
    """So many items of a buffer, each of ``width`` bytes, from an offset on."""
    if n == 0:
        return np.empty(0, np.uint8)
    return np.asarray(_Memory(array.buffers[buffer] + width * offset, width * int(n)))


class _Memory:
    """Bytes from an address on, for NumPy; ctypes would make a type for each number of them."""

    def __init__(self, address: int, n: int) -> None:
        self.__array_interface__ = {
            "version": 3, "typestr": "|u1", "shape": (n,), "data": (address, True)
        }  # fmt: skip


@kernel
def copy_short(views, of_views, ends, data):
    """Copy the texts that stand in the views themselves to where they end, before a line feed."""
    for row in range(len(ends)):
        length = np.int64(views[4 * row])
        if length <= SHORT:
            start = ends[row] - 1 - length
            for k in range(length):
                data[start + k] = of_views[16 * row + 4 + k]


@kernel
def copy_long(views, number, buffer, ends, data):
    """Copy the texts that stand in one of the buffers."""
    for row in range(len(ends)):
        length = np.int64(views[4 * row])
        if length > SHORT and views[4 * row + 2] == number:
            start, source = ends[row] - 1 - length, np.int64(views[4 * row + 3])
            copy_bytes(data, start, buffer, source, length)


@kernel
def is_plain(words):
    """Whether all bytes, eight in a number, are ASCII."""
    found = np.uint64(0)
    for i in range(len(words)):
        found |= words[i]
    return found & TOP == 0
