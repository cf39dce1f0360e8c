"""Eight bytes at a time: what the kernels over bytes read, and their bits.

Numba has neither a load of eight bytes from anywhere nor the machine's instructions to count bits,
so these few are written as LLVM has them.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = [
    "ALL", "CASE", "HALF", "LOW", "ONE", "TOP", "WORDS", "copy_bytes", "count_ones", "in_words",
    "load8", "small_letters", "trailing_zeros",
]  # fmt: skip

ONE, HALF, LOW = np.uint64(1), np.uint64(32), np.uint64(0xFFFFFFFF)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
# In each of the eight bytes of a word: 1, the top bit, the bit that makes an ASCII letter small.
ONES = np.uint64(0x0101010101010101)
TOP = np.uint64(0x8080808080808080)
CASE = np.uint64(0x2020202020202020)
# At L, up to 16, the mask of the first eight of L bytes; at L + 17, that of the eight behind them.
WORDS = np.array(
    [(1 << 8 * min(max(n - skipped, 0), 8)) - 1 for skipped in (0, 8) for n in range(17)], np.uint64
)


@intrinsic
def load8(typing_context, data, i):
    """The eight bytes of the array of bytes from ``i`` on, the first lowest."""
    del typing_context

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        at = builder.gep(array.data, [arguments[1]])
        word = builder.load(builder.bitcast(at, ir.IntType(64).as_pointer()))
        word.align = 1  # anywhere
        return word

    return types.uint64(data, types.uint64), generate


@intrinsic
def copy_bytes(typing_context, target, i, address, n):
    """Copy ``n`` bytes from an address in memory to the array of bytes from ``i`` on."""
    del typing_context

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        source = builder.inttoptr(arguments[2], ir.IntType(8).as_pointer())
        cgutils.raw_memcpy(
            builder, builder.gep(array.data, [arguments[1]]), source, arguments[3], 1
        )
        return context.get_dummy_value()

    return types.void(target, types.uint64, types.uint64, types.uint64), generate


@intrinsic
def trailing_zeros(typing_context, word):
    """How many bits are below the lowest one that is set; anything if none is."""
    del typing_context, word

    def generate(context, builder, signature, arguments):
        del context, signature
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@intrinsic
def count_ones(typing_context, word):
    """How many bits are set."""
    del typing_context, word

    def generate(context, builder, signature, arguments):
        del context, signature
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit(cache=True, nogil=True)
def in_words(eight):
    """The top bit of each of eight bytes that is an ASCII letter or not ASCII.

    With bit 5 set, a letter is between "a" and "z"; adding 0x1F carries into the top bit from "a"
    on, adding 0x05 from after "z".
    """
    lower = (eight | CASE) & ~TOP
    letters = (lower + ONES * np.uint64(0x1F)) & ~(lower + ONES * np.uint64(0x05))
    return (letters | eight) & TOP


@njit(cache=True, nogil=True)
def small_letters(eight):
    """Eight bytes, those that are ASCII letters in lower case; no other byte may be ASCII."""
    return eight | (CASE ^ ((eight & TOP) >> np.uint64(2)))
