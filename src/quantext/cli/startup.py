"""Start-up: scikit-learn, without what it loads for its own seldom-used parts."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["import_sklearn"]

# Loading these takes more than half of the time of loading scikit-learn, for parts of it that no
# command needs.
_SELDOM_USED = ("pandas", "scipy.stats")


class LaterModule(ModuleType):
    """Stands for a module until an attribute of it is asked for, which then imports it."""

    def __getattr__(self, name: str) -> Any:
        self.step_aside()
        return getattr(import_module(self.__name__), name)

    def step_aside(self) -> None:
        """Let whoever imports the module from now on have the module itself."""
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]


def import_sklearn() -> None:
    """Import scikit-learn; some modules that it imports are loaded at their first use instead.

    What is imported afterwards is not touched: only scikit-learn holds stand-ins.
    """
    stand_ins = [LaterModule(name) for name in _SELDOM_USED if name not in sys.modules]
    sys.modules.update({module.__name__: module for module in stand_ins})
    try:
        import_module("sklearn.base")
    finally:
        for module in stand_ins:
            module.step_aside()
