"""Labels of any type as one array that holds them as they were given."""

from collections.abc import Mapping, Set
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["check_column", "label_array"]

Array = NDArray[Any]

_STRING, _BOOLEAN, _WHOLE, _NUMBER = (str,), (bool, np.bool_), (Integral,), (float, np.floating)
_ADVICE = "labels are strings, whole numbers or booleans, all of one type; make strings of them"


def check_column(y: Any) -> None:
    """Raise unless y is something whose length is known and whose items have an order.

    Examples
    --------
    >>> check_column("positive")
    Traceback (most recent call last):
    TypeError: y is of the type str; give a list, an array or a column, a label for each document
    """
    unordered = isinstance(y, str | bytes | bytearray | Mapping | Set)
    items = hasattr(y, "__len__") and hasattr(y, "__getitem__") and not unordered
    column = items or hasattr(y, "toarray") or hasattr(y, "__array__")
    if not column or getattr(y, "shape", None) == ():
        raise TypeError(
            f"y is of the type {type(y).__name__}; give a list, an array or a column, a label for "
            "each document"
        )


def label_array(y: Any) -> Array:
    """Labels in an array of one or two dimensions, as they were given: no two are made one.

    NumPy by itself makes texts of what else is among texts, and drops the NULs at their ends.

    Parameters
    ----------
    y
        As in `read_labels`, without missing labels. Labels that are no strings, whole numbers,
        booleans or dates, or not all of one of these types, are an error that names one.

    Examples
    --------
    >>> label_array(["no", "yes"]), label_array([1, 2])
    (array(['no', 'yes'], dtype='<U3'), array([1, 2]))
    >>> label_array([1, "1"])
    Traceback (most recent call last):
    TypeError: y[1] is '1', a str, and y[0] is 1, an int; labels are strings, ...
    """
    if hasattr(y, "toarray"):
        return _checked_shape(np.asarray(y.toarray()))
    if hasattr(y, "to_list") and hasattr(y, "to_physical") and not y.dtype.is_temporal():
        y = y.to_list()  # of polars, some of whose types NumPy does not have
    listed = isinstance(y, list | tuple)
    values = _listed_array(y) if listed else np.asarray(y)
    if _checked_shape(values).ndim == 2:
        return values
    if values.dtype.kind == "T":  # NumPy's own strings of any length
        return values.astype(object)
    if values.dtype.kind == "O" and len(values):
        return _plain(values, listed)
    if values.dtype.kind == "c":  # in scikit-learn's words, which its checks look for
        raise ValueError(f"Complex data not supported: y is of the type {values.dtype}")
    if values.dtype.kind not in "biufUmMO":
        raise _unusable(values[:1].tolist()[0], 0)
    return _whole(values) if values.dtype.kind == "f" else values


def _listed_array(items: Any) -> Array:
    """A column of objects, or what NumPy makes of lists within a list."""
    if len(items) and all(isinstance(item, list | tuple | np.ndarray) for item in items):
        try:
            return np.asarray(items)
        except ValueError:
            raise TypeError(
                "y has lists of labels, not all of one length; for several labels a document, "
                "give a 0/1 column for each label"
            ) from None
    values = np.empty(len(items), object)
    for i, item in enumerate(items):  # at once, items with a length would be taken apart
        values[i] = item
    return values


def _checked_shape(values: Array) -> Array:
    if values.ndim not in (1, 2):
        raise ValueError(
            f"y has {values.ndim} dimensions; give one, a label for each document, or two, a 0/1 "
            "column for each label"
        )
    return values


def _plain(values: Array, listed: bool) -> Array:
    """Objects of one type, as NumPy has it: strings stay objects where they came as such."""
    kind = _common_type(values)
    items = values.tolist()
    if kind is _STRING:
        ends_in_nul = any(item.endswith("\0") for item in items)
        return values if ends_in_nul or not listed else np.array(items)
    try:
        numbers: Array = np.array(items)
    except OverflowError:
        numbers = values
    if numbers.dtype.kind == "f":
        _whole(numbers)
    if numbers.dtype.kind not in "biuf" or (changed := numbers != values).any():
        place = np.argmax(changed if numbers.dtype.kind == "f" else [abs(item) for item in items])
        raise TypeError(
            f"y[{place}] is {_said(items[place])}, a number beyond 64 bits; make strings of labels"
        )
    return numbers


def _common_type(values: Array) -> tuple[type, ...]:
    """Of all labels; those of two types are an error that names one of each."""
    by_type = {own: _type_of(own) for own in set(map(type, values))}
    kinds = set(by_type.values())
    if kinds == {_WHOLE, _NUMBER}:
        return _NUMBER
    if None not in kinds and len(kinds) == 1:
        return by_type[type(values[0])] or ()
    first = by_type[type(values[0])]
    if first is None:
        raise _unusable(values[0], 0)
    place = next(i for i, value in enumerate(values) if by_type[type(value)] is not first)
    if by_type[type(values[place])] is None:
        raise _unusable(values[place], place)
    raise TypeError(
        f"y[{place}] is {_said(values[place])}, {_a(values[place])}, and y[0] is "
        f"{_said(values[0])}, {_a(values[0])}; {_ADVICE}"
    )


def _type_of(own: type) -> tuple[type, ...] | None:
    known = (_STRING, _BOOLEAN, _WHOLE, _NUMBER)
    return next((types for types in known if issubclass(own, types)), None)


def _whole(values: Array) -> Array:
    """The same numbers, if they are whole."""
    if len(odd := np.flatnonzero(~np.isfinite(values) | (values != np.floor(values)))):
        place = odd[0]
        raise ValueError(
            f"y[{place}] is {values[place]}: labels are names, and of numbers only whole ones will "
            "do; use strings for classes, and RegressionQuantifier for the mean of numbers"
        )
    return values


def _unusable(value: Any, place: int) -> TypeError:
    return TypeError(f"y[{place}] is {_said(value)}, {_a(value)}; {_ADVICE}")


def _said(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:50]}..."


def _a(value: Any) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}"
