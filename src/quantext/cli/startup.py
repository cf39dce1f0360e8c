"""Start-up: the library loaded in less time, for commands."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

__all__ = ["quick_imports"]

# What scikit-learn, SciPy and Numba load for parts of them that no command uses takes longer than
# all that commands do use. Beside each module are those of its functions that are looked up at
# once, to be called later.
_SELDOM_USED: dict[str, tuple[str, ...]] = {
    "asyncio": (),
    "narwhals": (),
    "narwhals.stable": (),
    "narwhals.stable.v2": (),
    "numpy.f2py": (),
    "numpy.testing": (),
    "pandas": (),
    "psutil": ("Process",),
    "scipy.linalg": (),
    "scipy.linalg.cython_blas": (),
    "scipy.special": (),
    "scipy.stats": (),
    "scipy.sparse.csgraph": ("laplacian",),
    "scipy.sparse.linalg": ("LinearOperator", "cg"),
    "yaml": (),
}


@contextmanager
def quick_imports() -> Iterator[None]:
    """Imports of the library inside of it take half the time, if they are the first.

    scikit-learn and Numba are imported without modules that they seldom use. The garbage collector
    pauses, and never looks at what was imported: there is no garbage among it.
    """
    if "sklearn" in sys.modules:
        yield
        return
    collects = gc.isenabled()
    gc.disable()
    try:
        _import_others()
        yield
    finally:
        gc.freeze()
        if collects:
            gc.enable()


class LaterModule(ModuleType):
    """Stands for a module until an attribute of it is asked for, which then imports it.

    Parameters
    ----------
    name
        Of the module.
    functions
        Names of attributes that can wait until they are called.
    """

    def __init__(self, name: str, functions: tuple[str, ...] = ()) -> None:
        super().__init__(name)
        for function in functions:
            setattr(self, function, partial(_call, name, function))
        if functions:  # to import a function from a module asks for this first
            self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        _step_aside()
        return getattr(import_module(self.__name__), name)


def _call(module: str, function: str, *arguments: Any, **options: Any) -> Any:
    """What the function of the module returns."""
    return getattr(import_module(module), function)(*arguments, **options)


def _step_in() -> None:
    """Let whoever imports a seldom used module have a stand-in, if it is installed."""
    for name, functions in _SELDOM_USED.items():
        if name in sys.modules:
            continue
        package, _, child = name.rpartition(".")
        if not package and find_spec(name):
            sys.modules[name] = LaterModule(name, functions)
        elif package:
            with suppress(ModuleNotFoundError):
                parent = import_module(package)
                sys.modules[name] = LaterModule(name, functions)
                setattr(parent, child, sys.modules[name])


def _step_aside() -> None:
    """Let whoever imports a module from now on have the module itself."""
    for name in reversed(_SELDOM_USED):
        if isinstance(sys.modules.get(name), LaterModule):
            del sys.modules[name]
            package, _, child = name.rpartition(".")
            if package:
                delattr(sys.modules[package], child)


def _import_others() -> None:
    """Import what the library is built on; it alone holds stand-ins for modules it seldom uses.

    If some other version of it cannot do with a stand-in, it is imported later, as usual.
    """
    try:
        _step_in()
        with suppress(Exception):
            # The last is loaded with the first kernel, and looks whether SciPy has linear algebra.
            for name in "sklearn.base", "numba", "numba.np.arraymath":
                import_module(name)
    finally:
        _step_aside()
