"""Container: a manifest and arrays in one file that cannot do harm; bytes in, bytes out.

The file holds JSON, numbers and words, never code. Any changed bit is noticed, and what the file
says of sizes is checked before memory is taken. ``docs/model-files.md`` has the format.
"""

import hashlib
import json
import os
import stat
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, prod
from typing import Any, BinaryIO, Never

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Contents",
    "ModelFileError",
    "check_memory",
    "checked",
    "located",
    "pack",
    "read",
]

Array = NDArray[Any]
Block = Array | list[str]

MAGIC = b"\x93QXMODEL"
VERSION = 2  # the newest that is read
_HEADER = struct.Struct("<8sII")  # magic, version of the format, bytes of the manifest
_LEVEL = 4  # of compression: a third of the time of 6, and 2% larger
_CHECKSUM = 32  # bytes of SHA-256, at the end of the file
_MANIFEST_LIMIT = 2**23  # as objects, JSON takes up to 40 times its size
_LEAST_LIMIT, _GROWTH = 2**28, 64  # what a file may take in memory: 256 MB, or 64 times its size
_ITEM_SIZES = {"float32": 4, "float64": 8}
_LARGEST = 1e100  # of all numbers, so that squares and sums of them are finite as well


class ModelFileError(ValueError):
    """A model file that cannot be read: damaged, newer than this version, or no model file."""


@dataclass(frozen=True)
class Contents:
    """What a file holds.

    Parameters
    ----------
    manifest
        All that is not an array, of JSON's types.
    arrays
        By name: float or boolean arrays, and lists of words without line feeds.
    memory_limit
        Bytes that the model may take in memory.
    """

    manifest: dict[str, Any]
    arrays: Mapping[str, Block]
    memory_limit: int


def pack(
    manifest: Mapping[str, Any], arrays: Mapping[str, Block], version: int = VERSION
) -> list[bytes]:
    """Parts of a file, in order; equal contents give equal bytes.

    Parameters
    ----------
    manifest, arrays
        As in `Contents`.
    version
        Of the format.
    """
    entries, blocks = {}, []
    for name, values in sorted(arrays.items()):
        entry, data = _encode(name, values)
        blocks.append(zlib.compress(data, _LEVEL))
        entries[name] = {**entry, "size": len(data), "stored": len(blocks[-1])}
    text = json.dumps(
        {**manifest, "arrays": entries}, sort_keys=True, allow_nan=False, separators=(",", ":")
    ).encode()
    if len(text) > _MANIFEST_LIMIT:
        raise ValueError(
            f"the names of classes, features and stop words take {len(text) / 2**20:.0f} MB, and a "
            f"model file has room for {_MANIFEST_LIMIT / 2**20:.0f}; shorten them"
        )
    parts = [_HEADER.pack(MAGIC, version, len(text)), text, *blocks]
    checksum = hashlib.sha256()
    for part in parts:
        checksum.update(part)
    return [*parts, checksum.digest()]


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


def located(error: ModelFileError, path: str | os.PathLike[str]) -> ModelFileError:
    """The error, beginning with the path; no longer than people read, whatever the file says.

    Parameters
    ----------
    error
        Of the file.
    path
        Of the file.
    """
    return ModelFileError(f"{path} {str(error)[:300]}")


def checked(value: Any, where: str, **kinds: type | tuple[type, ...]) -> dict[str, Any]:
    """The value, if it is an object of exactly these keys whose values are of these types.

    Parameters
    ----------
    value
        Of a manifest.
    where
        What it describes.
    kinds
        Type, or types, of the value of each key; a bool is not an int.
    """
    if not isinstance(value, dict) or value.keys() != kinds.keys():
        raise ModelFileError(f"is not consistent: {where} does not have the keys {sorted(kinds)}")
    for key, kind in kinds.items():
        if type(value[key]) not in (kind if isinstance(kind, tuple) else (kind,)):
            raise ModelFileError(
                f"is not consistent: {key} of {where} is a {type(value[key]).__name__}"
            )
    return value


def _encode(name: str, values: Block) -> tuple[dict[str, Any], bytes]:
    """Description and bytes of an array."""
    if isinstance(values, list):
        if any("\n" in word for word in values):
            raise ValueError(f"a word of the {name} holds a line feed, which cannot be saved")
        text = "".join(f"{word}\n" for word in values)
        return {"type": "words", "shape": [len(values)], "order": "C"}, text.encode()
    order = "F" if values.flags.f_contiguous and not values.flags.c_contiguous else "C"
    entry = {"shape": list(values.shape), "order": order}
    flat = values.ravel(order=order)  # type: ignore[arg-type]
    if values.dtype == np.bool_:
        return {**entry, "type": "bits"}, np.packbits(flat).tobytes()
    kind = "float32" if values.dtype == np.float32 else "float64"
    numbers = flat.astype(f"<f{_ITEM_SIZES[kind]}")
    _check_numbers(name, numbers)
    # First bytes of all numbers, then second bytes...: signs and exponents are alike, and shrink.
    planes = numbers.view(np.uint8).reshape(-1, numbers.itemsize).T
    return {**entry, "type": kind}, planes.tobytes()


def _read(file: BinaryIO, max_bytes: int | None) -> Contents:
    size = os.fstat(file.fileno()).st_size
    header = file.read(_HEADER.size)
    if size == 0:
        raise ModelFileError("is empty")
    if not header.startswith(MAGIC):
        raise ModelFileError("is not a quantext model file; save() and `quantext train` make them")
    if size < _HEADER.size + _CHECKSUM or not _checksum_holds(file, size):
        raise ModelFileError(
            "is damaged or incomplete: its checksum does not match its contents; "
            "copy it again, or train the model again"
        )
    _, version, n_manifest = _HEADER.unpack(header)
    if version > VERSION:
        raise ModelFileError(
            f"was written by a newer quantext (format {version}, and this one reads up to "
            f"{VERSION}); upgrade quantext to load it"
        )
    if version < 1:
        raise ModelFileError(f"has the unknown format {version}")
    n_blocks = size - _HEADER.size - n_manifest - _CHECKSUM
    if n_manifest > _MANIFEST_LIMIT or n_blocks < 0:
        raise ModelFileError(f"is not consistent: its manifest cannot have {n_manifest} bytes")
    file.seek(_HEADER.size)
    manifest = _parse(file.read(n_manifest))
    entries = manifest.pop("arrays", None)
    if not isinstance(entries, dict):
        raise ModelFileError("is not consistent: its manifest has no arrays")
    limit = max(_LEAST_LIMIT, _GROWTH * size) if max_bytes is None else max_bytes
    memory = sum(_memory(name, entry) for name, entry in entries.items())
    check_memory(memory, limit)
    if sum(entry["stored"] for entry in entries.values()) != n_blocks:
        raise ModelFileError("is not consistent: its arrays do not fill it")
    arrays = {
        name: _decode(name, entry, file.read(entry["stored"])) for name, entry in entries.items()
    }
    return Contents(manifest, arrays, limit)


def check_memory(needed: int, limit: int) -> None:
    """Raise if a model would take more memory than it may.

    Parameters
    ----------
    needed, limit
        Bytes.
    """
    if needed > limit:
        raise ModelFileError(
            f"would take about {needed / 2**20:,.0f} MB of memory, more than the "
            f"{limit / 2**20:,.0f} MB that a file like it may; if you trust it, load it with "
            f"max_bytes={needed}"
        )


def _checksum_holds(file: BinaryIO, size: int) -> bool:
    """Whether the last bytes are the SHA-256 of all others."""
    file.seek(0)
    checksum = hashlib.sha256()
    left = size - _CHECKSUM
    while left and (data := file.read(min(left, 2**20))):
        checksum.update(data)
        left -= len(data)
    return file.read(_CHECKSUM) == checksum.digest()


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
        raise ModelFileError(f"is not consistent: its manifest is no JSON: {error}") from None
    if not isinstance(manifest, dict):
        raise ModelFileError("is not consistent: its manifest is no JSON object")
    return manifest


def _memory(name: str, entry: Any) -> int:
    """Bytes that an array takes while it is read; raises if its description makes no sense."""
    checked(entry, f"array {name}", type=str, shape=list, order=str, size=int, stored=int)
    shape, size = entry["shape"], int(entry["size"])
    if entry["order"] not in ("C", "F") or len(shape) not in (1, 2):
        raise ModelFileError(f"is not consistent: array {name} has no known layout")
    if not all(type(length) is int and length > 0 for length in shape) or entry["stored"] < 0:
        raise ModelFileError(f"is not consistent: array {name} has the shape {shape}")
    count: int = prod(shape)
    match entry["type"]:
        case "words":
            # Up to four bytes a character, twice for a moment; a string object and its number.
            expected, memory = size, 10 * max(size, 0) + 250 * count
        case "bits":
            expected, memory = -(-count // 8), 3 * count
        case "float32" | "float64" as kind:
            expected = _ITEM_SIZES[kind] * count
            memory = 3 * expected
        case other:
            raise ModelFileError(f"is not consistent: array {name} is of the type {other!r}")
    if size != expected:
        raise ModelFileError(
            f"is not consistent: array {name} of shape {shape} cannot have {size} bytes"
        )
    return memory


def _decode(name: str, entry: Mapping[str, Any], stored: bytes) -> Block:
    """The array, from the bytes in which `_encode` left it."""
    data = _expand(name, stored, entry["size"])
    shape, order = tuple(entry["shape"]), entry["order"]
    if entry["type"] == "words":
        return _split(name, data, shape)
    if entry["type"] == "bits":
        bits = np.unpackbits(np.frombuffer(data, np.uint8), count=prod(shape))
        return bits.astype(np.bool_).reshape(shape, order=order)
    width = _ITEM_SIZES[entry["type"]]
    planes = np.frombuffer(data, np.uint8).reshape(width, -1)
    numbers = planes.T.copy().view(f"<f{width}").astype(entry["type"], copy=False)
    try:
        _check_numbers(name, numbers)
    except ValueError as error:
        raise ModelFileError(f"is not consistent: {error}") from None
    return numbers.reshape(shape, order=order)


def _expand(name: str, stored: bytes, size: int) -> bytes:
    """Uncompressed bytes, of which there are as many as announced: a bomb never goes off."""
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(stored, size + 1)
    except zlib.error as error:
        raise ModelFileError(f"is not consistent: array {name}: {error}") from None
    if len(data) != size or not stream.eof or stream.unused_data:
        raise ModelFileError(f"is not consistent: array {name} has not the bytes it announces")
    return data


def _split(name: str, data: bytes, shape: tuple[int, ...]) -> list[str]:
    """The words of a list."""
    if (data.count(b"\n"),) != shape or not data.endswith(b"\n"):
        raise ModelFileError(f"is not consistent: {name} has not the words it announces")
    try:
        return data.decode()[:-1].split("\n")
    except UnicodeDecodeError as error:
        raise ModelFileError(f"is not consistent: {name} is not UTF-8: {error}") from None


def _check_numbers(name: str, numbers: Array) -> None:
    # NaN fails every comparison.
    if not (float(numbers.min()) >= -_LARGEST and float(numbers.max()) <= _LARGEST):
        raise ValueError(f"{name} has a number that is not finite, or beyond 1e100")
