"""Eight bytes at a time: what the kernels over bytes ask of the machine, said in Python."""

import ctypes

import numpy as np

from quantext.kernels import instruction

__all__ = ["copy_bytes", "copy_from", "count_bits", "load8", "lowest_bit"]


@instruction
def load8(data, i):
    """The eight bytes of an array from byte ``i`` on, in a number whose lowest is the first."""
    return np.uint64(int.from_bytes(data[i : i + np.uint64(8)].tobytes(), "little"))


@instruction
def copy_bytes(target, i, source, j, n):
    """Copy ``n`` bytes of ``source``, from byte ``j`` on, to ``target`` from byte ``i`` on."""
    target[i : i + n] = source[j : j + n]


@instruction
def copy_from(target, i, address, n):
    """Copy ``n`` bytes of memory, from an address on, to ``target`` from byte ``i`` on."""
    target[i : i + n] = np.frombuffer(ctypes.string_at(int(address), int(n)), np.uint8)


@instruction
def lowest_bit(word):
    """Number of the lowest bit that is set; if none is, any number up to 64."""
    return np.uint64((int(word) & -int(word)).bit_length() - 1 if word else 64)


@instruction
def count_bits(word):
    """How many bits are set."""
    return np.uint64(int(word).bit_count())
