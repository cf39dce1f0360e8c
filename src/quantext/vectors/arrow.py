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
from numba import njit
from numpy.typing import NDArray

from quantext.vectors.tokenise import SPARE, Encoded, encode
from quantext.vectors.words8 import TOP, copy_bytes, load8

__all__ = ["encode_column"]

_STRING_VIEWS = b"vu"  # Arrow's name of the format


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
    capsule = column.__arrow_c_stream__()  # releases the stream when it is forgotten
    address = _pointer(capsule, b"arrow_array_stream")
    stream = _Stream.from_address(address)
    if _format(stream, address) != _STRING_VIEWS:  # a polars of another mind about its strings
        return encode(column.to_list(), lower)
    arrays: list[_Array] = []
    try:
        while True:
            array = _Array()
            if stream.get_next(address, array):
                raise ValueError("polars could not hand over a column of texts")
            if not array.release:
                break
            arrays.append(array)
        data, ends, is_ascii = _joined(arrays)
    finally:
        for array in arrays:
            _release(array.release)(ctypes.addressof(array))
    if is_ascii:
        return Encoded(data, ends, True)
    return encode(column.to_list(), lower)  # only Python knows lower case everywhere


def _format(stream: _Stream, address: int) -> bytes:
    """Arrow's name of the stream's format."""
    schema = _Schema()
    if stream.get_schema(address, schema):
        raise ValueError("polars could not tell of what a column of texts is made")
    name: bytes = schema.format
    _release(schema.release)(ctypes.addressof(schema))
    return name


def _joined(arrays: list[_Array]) -> tuple[NDArray[np.uint8], NDArray[np.int64], bool]:
    """The bytes of all texts, where each ends, and whether all is ASCII."""
    views = [_views(array) for array in arrays]
    lengths = np.concatenate([np.empty(0, np.uint32), *(part[:, 0] for part in views)])
    ends = np.cumsum(lengths.astype(np.int64) + 1)
    data = np.empty((int(ends[-1]) if len(ends) else 0) + SPARE, np.uint8)
    at = 0
    for array, part in zip(arrays, views, strict=True):
        # Validity and views come first, and behind the buffers of bytes their sizes.
        buffers = [array.buffers[i] or 0 for i in range(2, array.n_buffers - 1)]
        at = gather(part, part.ctypes.data, np.array(buffers, np.uint64), data, at)
    data[at:] = ord("\n")
    return data, ends, is_plain(data)


def _views(array: _Array) -> NDArray[np.uint32]:
    if array.length == 0:
        return np.empty((0, 4), np.uint32)
    size = 4 * array.length
    memory = (ctypes.c_uint32 * size).from_address(array.buffers[1] + 16 * array.offset)
    return np.frombuffer(memory, np.uint32).reshape(-1, 4)


@njit(cache=True, nogil=True)
def gather(views, address, buffers, data, at):
    """Copy the texts of views, each with a line feed behind it, to ``data``; return where they end.

    ``address`` is that of the views.
    """
    to = np.uint64(at)
    for row in range(len(views)):
        length = np.uint64(views[row, 0])
        if length <= np.uint64(12):
            source = np.uint64(address) + np.uint64(16 * row + 4)
        else:
            source = buffers[views[row, 2]] + np.uint64(views[row, 3])
        copy_bytes(data, to, source, length)
        to += length
        data[to] = 10
        to += np.uint64(1)
    return np.int64(to)


@njit(cache=True, nogil=True)
def is_plain(data):
    """Whether all bytes are ASCII, the last few, which are spare, left out."""
    found = np.uint64(0)
    for i in range(np.uint64(0), np.uint64(len(data) - 8), np.uint64(8)):
        found |= load8(data, i)
    return found & TOP == 0
