"""Tests of Thrift's compact protocol, against bytes worked by hand."""

import pytest

from quantext.texts.thrift import binary, integer, nested, read_struct, structs, write_struct

# Field 1, 64 bits: 150 is 300 without a sign, 0xac 0x02. Field 3 (two further), bytes: "ab".
# Field 20 (more than 15 further, so in full: 40 without a sign), a structure with nothing in it.
BYTES = b"\x16\xac\x02" + b"\x28\x02ab" + b"\x0c\x28\x00" + b"\x00"
STRUCT = {1: integer(150), 3: binary(b"ab"), 20: nested({})}


def test_a_structure_is_read_from_its_bytes():
    assert read_struct(BYTES) == (STRUCT, len(BYTES))
    assert read_struct(b"??" + BYTES + b"more", 2) == (STRUCT, 2 + len(BYTES))


def test_a_structure_becomes_its_bytes():
    assert write_struct(STRUCT) == BYTES


@pytest.mark.parametrize("number", [0, -1, 1, 63, -64, 64, 2**31, -(2**63), 2**63 - 1])
def test_numbers_come_back(number):
    assert read_struct(write_struct({1: integer(number)}))[0][1].content == number


@pytest.mark.parametrize("length", [0, 1, 14, 15, 300])
def test_lists_come_back(length):
    items = structs([{1: integer(i)} for i in range(length)])
    assert read_struct(write_struct({2: items}))[0] == {2: items}


def test_booleans_fractions_and_bytes_come_back():
    # True, false, a byte, a double of eight bytes, a list of two booleans.
    data = b"\x11\x12\x13\x07\x17" + bytes(range(8)) + b"\x19\x21\x01\x02\x00"
    struct, end = read_struct(data)
    assert end == len(data)
    assert struct[1].content is True
    assert struct[2].content is False
    assert read_struct(write_struct(struct))[0] == struct


@pytest.mark.parametrize("end", range(len(BYTES)))
def test_bytes_that_end_too_early_are_an_error(end):
    with pytest.raises(EOFError):
        read_struct(BYTES[:end])


@pytest.mark.parametrize(
    ("data", "error", "said"),
    [
        (b"\x18\xff\xff\xff\xff\x0f" + b"a" * 10, EOFError, "a value is not whole"),
        (b"\x19\xf5\xff\xff\xff\xff\x0f" + b"a" * 10, EOFError, "a list is not whole"),
        (b"\x16" + b"\xff" * 11, ValueError, "too many bytes"),
        (b"\x1d\x00", ValueError, "no type 13"),
        (b"\x1c" * 100_000, ValueError, "nested too deeply"),
        (b"\x19" + b"\x19" * 100_000, ValueError, "nested too deeply"),
    ],
    ids=["value", "list", "number", "type", "structures", "lists"],
)
def test_what_cannot_be_is_an_error_before_memory_is_taken(data, error, said):
    with pytest.raises(error, match=said):
        read_struct(data)
