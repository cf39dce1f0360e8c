"""What kernels ask of the machine: compiled as in Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantext.vectors.eight import copy_bytes, copy_from, count_bits, load8, lowest_bit

words = st.integers(0, 2**64 - 1).map(np.uint64)


@given(words)
def test_bits_are_counted_and_found_alike(word):
    assert count_bits.compiled(word) == count_bits(word) == int(word).bit_count()
    assert lowest_bit.compiled(word) == lowest_bit(word)
    if word:
        assert int(word) >> int(lowest_bit(word)) & 1
        assert int(word) % 2 ** int(lowest_bit(word)) == 0


@pytest.mark.parametrize("start", range(9))
def test_eight_bytes_are_loaded_from_anywhere(start):
    data = np.arange(100, 117, dtype=np.uint8)
    at = np.uint64(start)
    expected = sum((100 + start + k) << 8 * k for k in range(8))
    assert load8.compiled(data, at) == load8(data, at) == expected


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 20])
def test_bytes_are_copied_and_no_others(n):
    source = np.arange(1, 31, dtype=np.uint8)
    for copy in (copy_bytes, copy_bytes.compiled):
        target = np.zeros(30, np.uint8)
        copy(target, np.uint64(5), source, np.uint64(3), np.uint64(n))
        assert np.array_equal(target, [0] * 5 + list(range(4, 4 + n)) + [0] * (25 - n))


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 20])
def test_bytes_are_copied_from_an_address(n):
    source = np.arange(1, 31, dtype=np.uint8)
    address = np.uint64(source.ctypes.data + 3)
    for copy in (copy_from, copy_from.compiled):
        target = np.zeros(30, np.uint8)
        copy(target, np.uint64(5), address, np.uint64(n))
        assert np.array_equal(target, [0] * 5 + list(range(4, 4 + n)) + [0] * (25 - n))
