"""What one core of this machine can do: bytes it moves a second, and arithmetic operations.

By CPU time, the best of several tries, since other programs only ever take away.
"""

import time

import numpy as np
from numba import njit

TRIES = 7
LANES = 64  # numbers in single precision that stay in registers


def bandwidth() -> float:
    """Bytes a second of the faster of copying and summing arrays that no cache holds."""
    array = np.ones(1 << 24)  # 128 MB
    other = np.ones_like(array)
    copying = 2 * array.nbytes / _least(lambda: np.copyto(other, array))
    summing = array.nbytes / _least(array.sum)
    return max(copying, summing)


def arithmetic() -> float:
    """Multiplications and additions a second, in single precision, of numbers in the cache."""
    numbers = np.ones(LANES, np.float32)
    _multiply_and_add(numbers, np.float32(0.5), 1)  # compiles
    times = 2_000_000
    least = _least(lambda: _multiply_and_add(numbers, np.float32(0.5), times))
    return 2 * LANES * times / least


@njit(fastmath=True)
def _multiply_and_add(numbers, factor, times):
    for _ in range(times):
        for i in range(len(numbers)):
            numbers[i] = numbers[i] * factor + factor


def _least(work) -> float:
    seconds = []
    for _ in range(TRIES):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)
