"""Progress: the one signature by which long work says how far it is; silent by default."""

from collections.abc import Callable

__all__ = ["Progress", "silent"]

Progress = Callable[[str, int, int | None], object]
"""Is told what is being done, how much of it is done, and of how much, if that is known."""


def silent(stage: str, done: int, total: int | None) -> None:
    """Progress that nobody wants to hear of."""
