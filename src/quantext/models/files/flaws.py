"""Flaws: what is wrong with a model file, in words that say what to do next."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["ModelFileError", "attempt", "check_memory", "checked", "flaw", "located"]

Out = TypeVar("Out")


class ModelFileError(ValueError):
    """A model file that cannot be read: damaged, newer than this version, or no model file."""


def flaw(what: str) -> ModelFileError:
    """Error of a file whose parts do not fit each other.

    Parameters
    ----------
    what
        Does not fit.
    """
    return ModelFileError(f"is not consistent: {what}")


def located(error: ModelFileError, path: str | os.PathLike[str]) -> ModelFileError:
    """The error, beginning with the path; no longer than people read, whatever the file says.

    Parameters
    ----------
    error
        Of the file.
    path
        Of the file.
    """
    return ModelFileError(f"{path} {str(error)[:300]}")


def checked(value: Any, where: str, **kinds: type | tuple[type, ...]) -> dict[str, Any]:
    """The value, if it is an object of exactly these keys whose values are of these types.

    Parameters
    ----------
    value
        Of a manifest.
    where
        What it describes.
    kinds
        Type, or types, of the value of each key; a bool is not an int.
    """
    if not isinstance(value, dict) or value.keys() != kinds.keys():
        raise flaw(f"{where} does not have the keys {sorted(kinds)}")
    for key, kind in kinds.items():
        if type(value[key]) not in (kind if isinstance(kind, tuple) else (kind,)):
            raise flaw(f"{key} of {where} is a {type(value[key]).__name__}")
    return value


def check_memory(needed: int, limit: int) -> None:
    """Raise if a model would take more memory than it may.

    Parameters
    ----------
    needed, limit
        Bytes.
    """
    if needed > limit:
        raise ModelFileError(
            f"would take about {needed / 2**20:,.0f} MB of memory, more than the "
            f"{limit / 2**20:,.0f} MB that a file like it may; if you trust it, load it with "
            f"max_bytes={needed}"
        )


def attempt(make: Callable[[], Out]) -> Out:
    """What a function returns; what it does not accept came from the file, which is at fault.

    Parameters
    ----------
    make
        The function.
    """
    try:
        return make()
    except ModelFileError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise flaw(str(error)) from error
