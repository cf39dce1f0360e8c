"""Start-up: the library loaded in less time, for commands."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["quick_imports"]

# What scikit-learn and SciPy load for parts of them that no command uses takes as long as all that
# commands do use.
_SELDOM_USED = ("pandas", "scipy.stats", "numpy.f2py", "numpy.testing")


@contextmanager
def quick_imports() -> Iterator[None]:
    """Imports of the library inside of it take half the time, if they are the first.

    scikit-learn is imported without modules that it seldom uses. The garbage collector pauses, and
    never looks at what was imported: there is no garbage among it.
    """
    if "sklearn" in sys.modules:
        yield
        return
    collects = gc.isenabled()
    gc.disable()
    try:
        _import_sklearn()
        yield
    finally:
        gc.freeze()
        if collects:
            gc.enable()


class LaterModule(ModuleType):
    """Stands for a module until an attribute of it is asked for, which then imports it."""

    def __getattr__(self, name: str) -> Any:
        self.step_aside()
        return getattr(import_module(self.__name__), name)

    def step_in(self) -> None:
        """Be what others get who import the module."""
        package, _, child = self.__name__.rpartition(".")
        if package:
            setattr(import_module(package), child, self)
        sys.modules[self.__name__] = self

    def step_aside(self) -> None:
        """Let whoever imports the module from now on have the module itself."""
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
            package, _, child = self.__name__.rpartition(".")
            if package:
                delattr(sys.modules[package], child)


def _import_sklearn() -> None:
    """Import scikit-learn; it and SciPy alone hold stand-ins for modules that they seldom use."""
    stand_ins = [LaterModule(name) for name in _SELDOM_USED if name not in sys.modules]
    try:
        for module in stand_ins:
            module.step_in()
        import_module("sklearn.base")
    finally:
        for module in stand_ins:
            module.step_aside()
