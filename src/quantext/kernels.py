"""Kernels: loops that Numba compiles, once they have enough to do.

A kernel is an ordinary function. Called with little to do it is interpreted, as loading a compiler
takes longer than ten documents do. Later calls run what Numba has compiled, which it keeps on disk:
beside the module, or in the user's cache where that folder cannot be written to. What cannot be
kept is compiled again by the next process, and what is damaged counts as not being there.

The library says nothing of it, but logs it, at the level INFO, to the logger of this module.
"""

import logging
import os
from collections.abc import Callable
from functools import partial, update_wrapper
from threading import RLock
from typing import Any, ClassVar, TypeVar, overload

__all__ = ["COMPILING", "LOGGER", "NOT_KEPT", "Kernel", "inlined", "instruction", "kernel", "part"]

Function = TypeVar("Function", bound=Callable[..., Any])

COMPILING = "compiling %s"
NOT_KEPT = "%s cannot be kept in %s: %s"
LOGGER = logging.getLogger(__name__)


class Kernel:
    """A function that is compiled when there is enough for it to do.

    Parameters
    ----------
    function
        What it does, in the part of Python that Numba knows.
    steps
        About how many steps a call takes, given its arguments; None if it is never interpreted. A
        function that can be gives the same interpreted and compiled, bit for bit.
    fastmath
        Sums may be rearranged, also those of kernels that it calls.

    Attributes
    ----------
    py_func
        The function.
    """

    allowance: ClassVar[int] = 40_000
    """Steps that may yet be interpreted in this process: they take less time than loading Numba."""

    _lock: ClassVar[Any] = RLock()  # one kernel compiles those that it calls
    _loaded: ClassVar[bool] = False
    _inlines: ClassVar[bool] = False

    def __init__(
        self, function: Callable[..., Any], steps: Callable[..., float] | None, fastmath: bool
    ) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._steps = steps
        self._fastmath = fastmath
        self._dispatcher: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """What the function gives."""
        if self._dispatcher is not None:
            return self._dispatcher(*arguments)
        if not Kernel._loaded and self._steps is not None:
            left = Kernel.allowance - self._steps(*arguments)
            if left >= 0:
                Kernel.allowance = int(left)
                return _interpret(self.py_func, arguments)
        return self.compiled(*arguments)

    def __reduce__(self) -> str:
        return self.py_func.__qualname__  # by name, like any function of a module

    @property
    def compiled(self) -> Any:
        """Numba's dispatcher, which compiles the function for each new kind of arguments."""
        with self._lock:
            if self._dispatcher is None:
                self._dispatcher = _dispatcher(self.py_func, self._fastmath, self._inlines)
                Kernel._loaded = True
        return self._dispatcher


@overload
def kernel(function: Function, /) -> Function: ...
@overload
def kernel(
    *, steps: Callable[..., float] | None = None, fastmath: bool = False
) -> Callable[[Function], Function]: ...
def kernel(
    function: Any = None, /, *, steps: Callable[..., float] | None = None, fastmath: bool = False
) -> Any:
    """A `Kernel` of a function, or what makes one with these parameters.

    Examples
    --------
    >>> @kernel(steps=lambda numbers: len(numbers))
    ... def total(numbers):
    ...     s = 0.0
    ...     for x in numbers:
    ...         s += x
    ...     return s
    >>> import numpy as np
    >>> total(np.array([1.0, 2.0]))
    3.0
    """
    if function is None:
        return partial(Kernel, steps=steps, fastmath=fastmath)
    return Kernel(function, steps, fastmath)


class _Part(Kernel):
    """A function that is compiled only within kernels."""

    def __call__(self, *arguments: Any) -> Any:
        return self.py_func(*arguments)


def part(function: Function) -> Function:
    """A function that kernels call: it is compiled, or interpreted, as they are."""
    made: Any = _Part(function, None, False)
    return made  # type: ignore[no-any-return]


class _Inlined(_Part):
    """A function that is compiled where it is called."""

    _inlines = True


def inlined(function: Function) -> Function:
    """A part of kernels that is put where they call it: a call with arrays costs a dozen steps."""
    made: Any = _Inlined(function, None, False)
    return made  # type: ignore[no-any-return]


class _Instruction(_Part):
    """A function for which the machine has an instruction, or LLVM a way of its own."""

    @property
    def compiled(self) -> Any:
        """Numba's dispatcher of that."""
        with self._lock:
            if self._dispatcher is None:
                from quantext.instructions import dispatchers

                self._dispatcher = dispatchers[self.py_func.__name__]
        return self._dispatcher


def instruction(function: Function) -> Function:
    """A function that kernels call, which becomes the instruction of its name when compiled."""
    made: Any = _Instruction(function, None, False)
    return made  # type: ignore[no-any-return]


def _interpret(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """What the function gives; whole numbers that grow too large wrap around, as compiled ones."""
    import numpy as np

    with np.errstate(over="ignore"):
        return function(*arguments)


def _dispatcher(function: Callable[..., Any], fastmath: bool, inlines: bool) -> Any:
    """Numba's dispatcher of a function, with a cache that is never an obstacle."""
    from numba import njit, types
    from numba.core.caching import FunctionCache, NullCache
    from numba.extending import typeof_impl

    # To Numba a kernel that another one calls is its dispatcher.
    typeof_impl.register(Kernel, lambda own, _: types.Dispatcher(own.compiled))
    # Where it is not said, a kernel that another one calls does as that one does.
    options: dict[str, Any] = {"fastmath": True} if fastmath else {}
    dispatcher: Any = njit(function, nogil=True, forceinline=inlines, **options)
    name = f"{function.__module__}.{function.__qualname__}"
    try:
        kept: Any = FunctionCache(function)  # type: ignore[no-untyped-call]
    except (RuntimeError, OSError):
        folder = os.path.dirname(function.__code__.co_filename)
        LOGGER.info(NOT_KEPT, name, folder, "neither it nor the user's cache can be written to")
        kept = NullCache()
    dispatcher._cache = _Cache(kept, name)
    return dispatcher


class _Cache:
    """A cache of Numba's, but what it cannot read or write is compiled, or not kept.

    Parameters
    ----------
    kept
        Numba's.
    name
        Of the kernel.
    """

    def __init__(self, kept: Any, name: str) -> None:
        self._kept = kept
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kept, name)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """What was compiled for this signature; None if it is not there, or not whole."""
        found = None
        try:
            found = self._kept.load_overload(signature, target)
        except Exception as error:  # whatever half a file makes of a pickle
            LOGGER.info("%s is damaged in %s: %s", self._name, self._kept.cache_path, error)
            self._try(self._kept.flush)
        # Processes that compile two signatures at once may take one name for both files.
        if found is not None and tuple(found.signature.args) != tuple(_arguments(signature)):
            found = None
        if found is None:
            LOGGER.info(COMPILING, self._name)
        return found

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep what was compiled, if that is possible."""
        self._try(partial(self._kept.save_overload, signature, compiled))

    def _try(self, write: Callable[[], None]) -> None:
        try:
            write()
        except OSError as error:
            LOGGER.info(NOT_KEPT, self._name, self._kept.cache_path, error)


def _arguments(signature: Any) -> Any:
    """Types of the arguments, which is all that a call knows."""
    return getattr(signature, "args", signature)
