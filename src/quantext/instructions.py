"""Instructions of the machine that Numba has no name for, by the names that kernels have for them.

Each is a function that Numba compiles to what LLVM has for it; `quantext.vectors.eight` and
`quantext.learners.ahead` say in Python what they do.
"""

from collections.abc import Mapping
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["dispatchers"]


def _at(context: Any, builder: Any, kind: Any, array: Any, i: Any) -> Any:
    """Where an item of an array is, counted without regard to its shape."""
    return builder.gep(context.make_array(kind)(context, builder, array).data, [i])


@intrinsic
def _load8(typing, data, i):
    del typing, i

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        at = _at(context, builder, signature.args[0], *arguments)
        word = builder.load(builder.bitcast(at, ir.IntType(64).as_pointer()))
        word.align = 1  # anywhere
        return word

    return types.uint64(data, types.uint64), generate


@intrinsic
def _copy_bytes(typing, target, i, source, j, n):
    del typing, i, j, n

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        to = _at(context, builder, signature.args[0], *arguments[:2])
        start = _at(context, builder, signature.args[2], *arguments[2:4])
        cgutils.raw_memcpy(builder, to, start, arguments[4], 1)
        return context.get_dummy_value()

    number = types.uint64
    return types.void(target, number, source, number, number), generate


@intrinsic
def _copy_from(typing, target, i, address, n):
    del typing, i, address, n

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        to = _at(context, builder, signature.args[0], *arguments[:2])
        start = builder.inttoptr(arguments[2], ir.IntType(8).as_pointer())
        cgutils.raw_memcpy(builder, to, start, arguments[3], 1)
        return context.get_dummy_value()

    number = types.uint64
    return types.void(target, number, number, number), generate


@intrinsic
def _lowest_bit(typing, word):
    del typing, word

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, signature
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate


@intrinsic
def _count_bits(typing, word):
    del typing, word

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, signature
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def _fetch(typing, array, i):
    del typing, i

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        at = builder.bitcast(_at(context, builder, signature.args[0], *arguments), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
        call = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        read, near, data = (ir.Constant(flag, value) for value in (0, 3, 1))
        builder.call(call, [at, read, near, data])
        return context.get_dummy_value()

    return types.void(array, types.uint64), generate


def _compiled(intrinsic_function: Any) -> Any:
    """What a kernel can call; LLVM leaves nothing of the call."""
    return njit(lambda *arguments: intrinsic_function(*arguments))


dispatchers: Mapping[str, Any] = {
    "load8": _compiled(_load8),
    "copy_bytes": _compiled(_copy_bytes),
    "copy_from": _compiled(_copy_from),
    "lowest_bit": _compiled(_lowest_bit),
    "count_bits": _compiled(_count_bits),
    "fetch": _compiled(_fetch),
}
