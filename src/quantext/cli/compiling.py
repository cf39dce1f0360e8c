"""A sentence while kernels are compiled, which happens once and takes a while."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from quantext.cli.progress import for_programs
from quantext.cli.terminal import say
from quantext.kernels import COMPILING, LOGGER, NOT_KEPT

__all__ = ["told_of_compiling"]


class _Teller(logging.Handler):
    """Prints a sentence on standard error for the first event of each kind."""

    def __init__(self) -> None:
        super().__init__()
        self._told: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Print a sentence, unless it has been said."""
        if record.msg in self._told:
            return
        self._told.add(record.msg)
        if record.msg == COMPILING:
            programs = for_programs()
            if programs is not None:
                programs("compiling, once", 0, None)
            else:
                say("Compiling, once...", file=sys.stderr)
        elif record.msg == NOT_KEPT and isinstance(record.args, tuple):
            _, folder, reason = record.args
            say(
                f"Note: what is compiled cannot be kept in {folder} ({reason}); until it can, "
                "every run compiles again",
                file=sys.stderr,
            )


@contextmanager
def told_of_compiling(quiet: bool) -> Iterator[None]:
    """Inside, people are told when something is compiled, and if it cannot be kept.

    Parameters
    ----------
    quiet
        They are not.
    """
    if quiet:
        yield
        return
    teller, level = _Teller(), LOGGER.level
    LOGGER.addHandler(teller)
    LOGGER.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOGGER.setLevel(level)
        LOGGER.removeHandler(teller)
