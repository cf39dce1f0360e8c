"""Start-up: the library loaded in less time, for commands."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["quick_imports"]

# What scikit-learn loads for parts of it that no command uses takes as long as all the rest.
_SELDOM_USED = ("pandas", "scipy.stats")


@contextmanager
def quick_imports() -> Iterator[None]:
    """Imports of the library inside of it take half the time.

    scikit-learn is imported first, without the modules that it seldom uses. The garbage collector
    pauses, and does not look at what was imported again: there is no garbage among it.
    """
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

    def step_aside(self) -> None:
        """Let whoever imports the module from now on have the module itself."""
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]


def _import_sklearn() -> None:
    """Import scikit-learn; it alone holds stand-ins for the modules that it seldom uses."""
    stand_ins = [LaterModule(name) for name in _SELDOM_USED if name not in sys.modules]
    sys.modules.update({module.__name__: module for module in stand_ins})
    try:
        import_module("sklearn.base")
    finally:
        for module in stand_ins:
            module.step_aside()
