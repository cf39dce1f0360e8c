"""Thrift: structures in the compact protocol, in which Parquet files describe themselves, and back.

Only what such descriptions need: no maps, and names of fields are numbers. A length is believed
only if there are as many bytes, so that nothing that is read is larger than what it is read from.
"""

from dataclasses import dataclass
from typing import Any

__all__ = [
    "Struct",
    "Value",
    "binary",
    "integer",
    "nested",
    "read_struct",
    "structs",
    "write_struct",
]

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_INTEGERS = (4, 5, 6)  # of 16, 32 and 64 bits, all written in as few bytes as they need
_DEEPEST = 16  # structures within structures; Parquet has six
_LONGEST = 10  # bytes of an integer of 64 bits


@dataclass(frozen=True)
class Value:
    """A value and the number of its type.

    Parameters
    ----------
    kind
        Number that the protocol has for the type.
    content
        An int, bytes, a list, or a `Struct`.
    """

    kind: int
    content: Any


Struct = dict[int, Value]
"""Values by the numbers of their fields."""


def integer(number: int) -> Value:
    """A number as a value, of 64 bits; the type of 32 is written alike."""
    return Value(_INTEGERS[-1], number)


def nested(struct: Struct) -> Value:
    """A structure as a value."""
    return Value(_STRUCT, struct)


def binary(content: bytes) -> Value:
    """Bytes as a value."""
    return Value(_BINARY, content)


def structs(items: list[Struct]) -> Value:
    """Structures as a value that is a list."""
    return Value(_LIST, [Value(_STRUCT, item) for item in items])


def read_struct(data: bytes, at: int = 0) -> tuple[Struct, int]:
    """The structure that begins at a place, and the place behind it.

    Raises EOFError if the bytes end before it does, ValueError if it cannot be one.

    Parameters
    ----------
    data
        Bytes.
    at
        The place.

    Examples
    --------
    >>> struct, end = read_struct(write_struct({1: integer(-3), 4: binary(b"PAR1")}))
    >>> struct[1].content, struct[4].content, end
    (-3, b'PAR1', 9)
    """
    return _read_struct(data, at, _DEEPEST)


def _read_struct(data: bytes, at: int, deepest: int) -> tuple[Struct, int]:
    if not deepest:
        raise ValueError("structures are nested too deeply")
    struct: Struct = {}
    number = 0
    while head := _byte(data, at):
        at += 1
        kind = head & 15
        if head >> 4:
            number += head >> 4
        else:
            number, at = _read_integer(data, at)
        if kind in (_TRUE, _FALSE):  # without any bytes of its own
            struct[number] = Value(kind, kind == _TRUE)
            continue
        content, at = _read(data, at, kind, deepest - 1)
        struct[number] = Value(kind, content)
    return struct, at + 1


def _read(data: bytes, at: int, kind: int, deepest: int) -> tuple[Any, int]:
    if kind in _INTEGERS:
        return _read_integer(data, at)
    if kind == _BINARY:
        length, at = _read_varint(data, at)
        return _bytes(data, at, length), at + length
    if kind == _STRUCT:
        return _read_struct(data, at, deepest)
    if kind in (_LIST, _SET):
        return _read_list(data, at, deepest)
    if kind in (_BYTE, _TRUE, _FALSE):  # booleans in lists are bytes
        return _byte(data, at), at + 1
    if kind == _DOUBLE:
        return _bytes(data, at, 8), at + 8
    raise ValueError(f"there is no type {kind}")


def _read_list(data: bytes, at: int, deepest: int) -> tuple[list[Value], int]:
    if not deepest:
        raise ValueError("lists are nested too deeply")
    head = _byte(data, at)
    at += 1
    kind, length = head & 15, head >> 4
    if length == 15:
        length, at = _read_varint(data, at)
    if length > len(data) - at:  # every item takes a byte at least
        raise EOFError("a list is not whole")
    items = []
    for _ in range(length):
        content, at = _read(data, at, kind, deepest - 1)
        items.append(Value(kind, content))
    return items, at


def _byte(data: bytes, at: int) -> int:
    if at >= len(data):
        raise EOFError("a structure is not whole")
    return data[at]


def _bytes(data: bytes, at: int, length: int) -> bytes:
    if length > len(data) - at:
        raise EOFError("a value is not whole")
    return data[at : at + length]


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Seven bits a byte, the lowest first; all bytes but the last have the highest bit."""
    number = 0
    for i in range(_LONGEST):
        byte = _byte(data, at + i)
        number |= (byte & 127) << 7 * i
        if byte < 128:
            return number, at + i + 1
    raise ValueError("a number has too many bytes")


def _read_integer(data: bytes, at: int) -> tuple[int, int]:
    """A number whose lowest bit is its sign."""
    number, at = _read_varint(data, at)
    return number >> 1 ^ -(number & 1), at


def write_struct(struct: Struct) -> bytes:
    """Bytes of a structure.

    Parameters
    ----------
    struct
        Of values that `read_struct` gave, or `integer`, `binary` and `structs`.
    """
    data = bytearray()
    last = 0
    for number, value in sorted(struct.items()):
        step = number - last
        if 0 < step < 16:
            data.append(step << 4 | value.kind)
        else:
            data.append(value.kind)
            data += _integer_bytes(number)
        last = number
        if value.kind not in (_TRUE, _FALSE):
            data += _value_bytes(value)
    data.append(0)
    return bytes(data)


def _value_bytes(value: Value) -> bytes:
    if value.kind in _INTEGERS:
        return _integer_bytes(value.content)
    if value.kind == _BINARY:
        return _varint_bytes(len(value.content)) + bytes(value.content)
    if value.kind == _STRUCT:
        return write_struct(value.content)
    if value.kind in (_LIST, _SET):
        items: list[Value] = value.content
        kind = items[0].kind if items else _BYTE
        return (
            bytes([15 << 4 | kind])
            + _varint_bytes(len(items))
            + b"".join(_value_bytes(item) for item in items)
        )
    return bytes([value.content]) if isinstance(value.content, int) else bytes(value.content)


def _varint_bytes(number: int) -> bytes:
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    data.append(number)
    return bytes(data)


def _integer_bytes(number: int) -> bytes:
    return _varint_bytes((number << 1 ^ number >> 63) & (1 << 64) - 1)
