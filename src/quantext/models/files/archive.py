"""Archive: a manifest and arrays in one file that cannot do harm; any tool can open it.

A zip of ``manifest.json``, of arrays as NumPy's ``.npy`` and of words as ``.txt``, a line each;
never code. The manifest declares the type and shape of each array, and what it declares is checked
before memory is taken. ``docs/model-files.md`` has the format.
"""

import io
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, prod
from typing import Any, BinaryIO, Never

import numpy as np
from numpy.typing import NDArray

from quantext.models.files.flaws import ModelFileError, check_memory, checked, flaw, located
from quantext.models.files.members import (
    MANIFEST,
    Member,
    check_whole,
    expand,
    list_members,
    zipped,
)

__all__ = ["DTYPES", "FORMAT", "LARGEST", "Contents", "pack", "read"]

Array = NDArray[Any]
Block = Array | list[str]

FORMAT = 1  # the newest that is read
DTYPES = {"<f8": 8, "<f4": 4, "<i8": 8, "<i4": 4, "|u1": 1, "|b1": 1}  # of arrays: bytes an item
LARGEST = 1e100  # of all numbers, so that squares and sums of them are finite as well
_MANIFEST_LIMIT = 2**23  # as objects, JSON takes up to 40 times its size
_LEAST_LIMIT, _GROWTH = 2**28, 64  # what a file may take in memory: 256 MB, or 64 times its size
_MAGIC = b"\x93NUMPY\x01\x00"  # of .npy, version 1.0
_LONGEST_HEADER = 2**10  # of .npy; NumPy's are 128 bytes
_MOST_DIMENSIONS = 8


@dataclass(frozen=True)
class Contents:
    """What a file holds.

    Parameters
    ----------
    manifest
        All that is not an array, of JSON's types.
    arrays
        By name: arrays of numbers or booleans, and lists of words without line feeds.
    memory_limit
        Bytes that the model may take in memory.
    """

    manifest: dict[str, Any]
    arrays: Mapping[str, Block]
    memory_limit: int


def pack(manifest: Mapping[str, Any], arrays: Mapping[str, Block]) -> bytes:
    """Bytes of a file; equal contents give equal bytes.

    Parameters
    ----------
    manifest, arrays
        As in `Contents`; the types of arrays are those of `DTYPES`.
    """
    entries, members = {}, []
    for name, values in sorted(arrays.items()):
        member, entry, data = _encode(name, values)
        entries[member] = entry
        members.append((member, data))
    text = json.dumps(
        {**manifest, "format": FORMAT, "arrays": entries},
        sort_keys=True,
        allow_nan=False,
        separators=(",", ":"),
    ).encode()
    if len(text) > _MANIFEST_LIMIT:
        raise ValueError(
            f"the names of classes, features and stop words take {len(text) / 2**20:.0f} MB, and a "
            f"model file has room for {_MANIFEST_LIMIT / 2**20:.0f}; shorten them"
        )
    return zipped([(MANIFEST, text), *members])


def read(path: str | os.PathLike[str], max_bytes: int | None = None) -> Contents:
    """What a file holds, all of it checked for consistency with itself.

    Parameters
    ----------
    path
        Of a file that `pack` made.
    max_bytes
        Memory that the contents may take; None is 256 MB, or 64 times the file's size if that is
        more.
    """
    # Opening a pipe could wait for ever.
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise ModelFileError(f"{path} is not a regular file")
    try:
        with open(path, "rb") as file:
            return _read(file, max_bytes)
    except ModelFileError as error:
        raise located(error, path) from error.__cause__


def _encode(name: str, values: Block) -> tuple[str, dict[str, Any], bytes]:
    """Member, declaration and bytes of an array."""
    if isinstance(values, list):
        if any("\n" in word for word in values):
            raise ValueError(f"a word of the {name} holds a line feed, which cannot be saved")
        text = "".join(f"{word}\n" for word in values)
        return f"{name}.txt", {"words": len(values)}, text.encode()
    _check_numbers(name, values)
    file = io.BytesIO()
    np.lib.format.write_array(file, values, version=(1, 0), allow_pickle=False)
    declaration = {"dtype": values.dtype.str, "shape": list(values.shape)}
    return f"{name}.npy", declaration, file.getvalue()


def _read(file: BinaryIO, max_bytes: int | None) -> Contents:
    size = os.fstat(file.fileno()).st_size
    check_whole(file, size)
    members = list_members(file, size)
    manifest = _read_manifest(file, members.pop(MANIFEST))
    entries = manifest.pop("arrays", None)
    if not isinstance(entries, dict):
        raise flaw("its manifest has no arrays")
    if entries.keys() != members.keys():
        odd = ", ".join(map(repr, sorted(entries.keys() ^ members.keys())))
        raise flaw(f"its manifest and its members do not name the same arrays: {odd}")
    limit = max(_LEAST_LIMIT, _GROWTH * size) if max_bytes is None else max_bytes
    check_memory(sum(_memory(entries[name], member) for name, member in members.items()), limit)
    arrays = {
        name[:-4]: _decode(entries[name], member, expand(file, member))
        for name, member in members.items()
    }
    if len(arrays) < len(members):
        raise flaw("it has an array and words of the same name")
    return Contents(manifest, arrays, limit)


def _read_manifest(file: BinaryIO, member: Member) -> dict[str, Any]:
    """The manifest without its format, which is one that this version reads."""
    if member.size > _MANIFEST_LIMIT:
        raise flaw(f"its manifest cannot have {member.size} bytes")
    manifest = _parse(expand(file, member))
    number = manifest.pop("format", None)
    if type(number) is not int or number < 1:
        raise ModelFileError(f"has the unknown format {number!r}")
    if number > FORMAT:
        raise ModelFileError(
            f"was written by a newer quantext (format {number}, and this one reads up to "
            f"{FORMAT}); upgrade quantext to load it"
        )
    return manifest


def _parse(data: bytes) -> dict[str, Any]:
    """The manifest."""

    def refuse(number: str) -> Never:
        raise ValueError(f"it has the number {number}")

    def finite(number: str) -> float:
        return value if isfinite(value := float(number)) else refuse(number)

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(value := dict(pairs)) < len(pairs):
            raise ValueError("it has a key twice")
        return value

    try:
        manifest = json.loads(
            data.decode(), parse_constant=refuse, parse_float=finite, object_pairs_hook=unique
        )
    except (ValueError, RecursionError) as error:
        raise flaw(f"its manifest is no JSON: {error}") from None
    if not isinstance(manifest, dict):
        raise flaw("its manifest is no JSON object")
    return manifest


def _memory(entry: Any, member: Member) -> int:
    """Bytes that an array takes while it is read; raises if its declaration makes no sense."""
    name = member.name
    if name.endswith(".txt"):
        count = checked(entry, f"array {name}", words=int)["words"]
        if not 0 <= count <= member.size:
            raise flaw(f"{name} of {member.size} bytes cannot have {count} words")
        # Up to four bytes a character, twice for a moment; a string object and its number.
        return 10 * member.size + 250 * int(count)
    if not name.endswith(".npy"):
        raise flaw(f"it has a member {name!r}, which is no array")
    checked(entry, f"array {name}", dtype=str, shape=list)
    dtype, shape = entry["dtype"], entry["shape"]
    if dtype not in DTYPES:
        raise flaw(f"array {name} is of the type {dtype!r}")
    # A length of zero hides how long the others are.
    sound = all(type(length) is int and 0 <= length < 2**48 for length in shape)
    if not (sound and 0 < len(shape) <= _MOST_DIMENSIONS):
        raise flaw(f"array {name} has the shape {shape}")
    expected: int = DTYPES[dtype] * prod(shape)
    if not 0 <= member.size - expected - len(_MAGIC) <= _LONGEST_HEADER:
        raise flaw(f"array {name} of shape {shape} cannot have {member.size} bytes")
    # Parts and the whole of the bytes for a moment, then the whole and the array.
    lengths: list[int] = [max(length, 1) for length in shape]
    return 3 * DTYPES[dtype] * prod(lengths)


def _decode(entry: Mapping[str, Any], member: Member, data: bytes) -> Block:
    """The array, from the bytes in which `_encode` left it."""
    if member.name.endswith(".txt"):
        return _split(member.name, data, entry["words"])
    dtype, shape = np.dtype(entry["dtype"]), tuple(entry["shape"])
    start, order = _read_header(member.name, data, entry["dtype"], shape)
    if len(data) - start != dtype.itemsize * prod(shape):
        raise flaw(f"array {member.name} of shape {shape} cannot have {len(data)} bytes")
    if dtype == np.bool_ and np.frombuffer(data, np.uint8, offset=start).max(initial=0) > 1:
        raise flaw(f"{member.name} has a boolean that is neither true nor false")
    # A copy can be written to, and begins where numbers may.
    values = np.frombuffer(data, dtype, offset=start).astype(dtype.newbyteorder("="))
    try:
        _check_numbers(member.name, values)
    except ValueError as error:
        raise flaw(str(error)) from None
    return values.reshape(shape, order=order)  # type: ignore[call-overload,no-any-return]


def _read_header(name: str, data: bytes, dtype: str, shape: tuple[int, ...]) -> tuple[int, str]:
    """Where the numbers of a .npy begin, and their order.

    The header is a Python literal. It is not parsed, only compared with the two that there can be.
    """
    length = int.from_bytes(data[8:10], "little")
    if not data.startswith(_MAGIC) or length > _LONGEST_HEADER:
        raise flaw(f"{name} does not begin as .npy does")
    header = data[10 : 10 + length].rstrip(b" \n")
    for order, fortran in ("C", False), ("F", True):
        expected = f"{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
        if header == expected.encode():
            return 10 + length, order
    raise flaw(f"array {name} is not of the type and shape that the manifest declares")


def _split(name: str, data: bytes, count: int) -> list[str]:
    """The words of a list."""
    if data.count(b"\n") != count or data[-1:] not in (b"", b"\n"):
        raise flaw(f"{name} has not the words it announces")
    try:
        return data.decode().split("\n")[:-1]
    except UnicodeDecodeError as error:
        raise flaw(f"{name} is not UTF-8: {error}") from None


def _check_numbers(name: str, numbers: Array) -> None:
    if numbers.dtype.kind != "f" or not numbers.size:
        return
    # NaN fails every comparison.
    if not (float(numbers.min()) >= -LARGEST and float(numbers.max()) <= LARGEST):
        raise ValueError(f"{name} has a number that is not finite, or beyond 1e100")
