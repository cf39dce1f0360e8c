"""Fields: any frozen dataclass as a description and arrays, and back.

A model file keeps what a method has learned from without knowing what it is: whoever makes a
representation declares it as a frozen dataclass. Arrays become arrays of the file, named by the
path of fields that leads to them; everything else is written down in JSON:

=====================================================  ========================================
plain value                                            itself
list, tuple                                            list, ``{"tuple": [...]}``
array of a type in `DTYPES`                            ``{"array": name}``
other array of one dimension: strings, objects...      ``{"dtype": ..., "values": [...]}``
CSR matrix                                             ``{"csr_array": name, "shape": [...]}``
frozen dataclass                                       ``{"type": name, "fields": {...}}``
=====================================================  ========================================
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quantext.models.files.archive import DTYPES, LARGEST, Block
from quantext.models.files.flaws import attempt, check_memory, checked, flaw
from quantext.models.files.known import PLAIN

__all__ = ["Source", "describe", "parts", "restore"]

Array = NDArray[Any]

_CSR = {"csr_array": sparse.csr_array, "csr_matrix": sparse.csr_matrix}
_CSR_PARTS = ("data", "indices", "indptr")
_LABEL_TYPES = re.compile(r"\|O|\|b1|[<>|][iuf][1248]|[<>|]U[0-9]{1,9}")
_DEEPEST = 8  # fields within fields


@dataclass(frozen=True)
class Source:
    """What a description is restored from.

    Parameters
    ----------
    arrays
        By name; those that are used are removed.
    known
        Dataclasses that may be made, by name.
    memory_limit
        Bytes that the model may take.
    """

    arrays: dict[str, Block]
    known: Mapping[str, type]
    memory_limit: int

    def take(self, name: str, kind: type) -> Any:
        """The array of this name, which is then no longer among the others.

        Parameters
        ----------
        name
            Of the array.
        kind
            ``np.ndarray``, or list for words.
        """
        values = self.arrays.pop(name, None)
        if not isinstance(values, kind):
            raise flaw(f"it has no array {name} of the right type")
        return values


def describe(value: Any, name: str, known: Mapping[str, type], arrays: dict[str, Block]) -> Any:
    """Description of a value in JSON's types.

    Parameters
    ----------
    value
        A frozen dataclass, or a value of one.
    name
        Path of the fields that lead to it; "" for the first.
    known
        Dataclasses that may be kept, by name.
    arrays
        To which its arrays are added.
    """

    def inner(key: str, item: Any) -> Any:
        return describe(item, f"{name}.{key}" if name else key, known, arrays)

    plain = value.item() if isinstance(value, np.generic) else value
    if type(plain) in PLAIN:
        return plain
    if type(value) is list:
        return [inner(str(i), item) for i, item in enumerate(value)]
    if type(value) is tuple:
        return {"tuple": [inner(str(i), item) for i, item in enumerate(value)]}
    if isinstance(value, np.ndarray):
        if value.dtype.str not in DTYPES or not value.ndim:
            return _describe_labels(value, name)
        if name in arrays:
            raise ValueError(f"two arrays of the model have the name {name}")
        arrays[name] = value
        return {"array": name}
    for kind, cls in _CSR.items():
        if type(value) is cls:
            for part in _CSR_PARTS:
                inner(part, getattr(value, part))
            return {kind: name, "shape": list(map(int, value.shape))}
    if known.get(type(value).__name__) is type(value):
        _check_types(value)
        stored = {own.name: inner(own.name, getattr(value, own.name)) for own in _stored(value)}
        return {"type": type(value).__name__, "fields": stored}
    raise TypeError(
        f"{name} is a {type(value).__name__}, which cannot be saved in a model file; arrays, CSR "
        "matrices, plain values and the frozen dataclasses that a quantifier declares can"
    )


def restore(description: Any, name: str, source: Source) -> Any:
    """Value of a description; raises `ModelFileError` if there can be none.

    Parameters
    ----------
    description, name
        As in `describe`.
    source
        Of arrays and dataclasses.
    """
    if name.count(".") > _DEEPEST:
        raise flaw("its fields are nested too deeply")
    match description:
        case bool() | str() | None:
            return description
        case int() | float():
            if not -LARGEST <= description <= LARGEST:
                raise flaw(f"{name} is a number beyond 1e100")
            return description
        case list():
            return [restore(item, f"{name}.{i}", source) for i, item in enumerate(description)]
        case {"tuple": list(items), **rest} if not rest:
            return tuple(restore(items, name, source))
        case {"array": own, **rest} if own == name and not rest:
            return source.take(name, np.ndarray)
        case {"dtype": str(), "values": list()}:
            return _restore_labels(description, name, source.memory_limit)
        case {"csr_array": own} | {"csr_matrix": own} if own == name:
            return _restore_csr(description, name, source)
        case {"type": str(kind), "fields": dict(values), **rest} if not rest:
            return _restore_dataclass(kind, values, name, source)
    raise flaw(f"{name} is described in no known way")


def parts(value: Any) -> Iterator[Any]:
    """The dataclasses that the fields of a dataclass hold, alone or in a tuple.

    Parameters
    ----------
    value
        The outer dataclass.
    """
    for own in fields(value):
        item = getattr(value, own.name)
        for part in item if isinstance(item, tuple | list) else (item,):
            if is_dataclass(part) and not isinstance(part, type):
                yield part


def _stored(value: Any) -> list[Any]:
    """Fields that are arguments; others are made of them."""
    return [own for own in fields(value) if own.init]


def _restore_dataclass(kind: str, values: dict[str, Any], name: str, source: Source) -> Any:
    cls: Any = source.known.get(kind)
    if cls is None:
        raise flaw(f"{name or 'what it was trained on'} is of the unknown type {kind[:50]!r}")
    names = [own.name for own in _stored(cls)]
    if values.keys() != set(names):
        raise flaw(f"{kind} does not have the fields {names}")
    prefix = f"{name}." if name else ""
    value = attempt(
        lambda: cls(**{key: restore(values[key], prefix + key, source) for key in names})
    )
    attempt(lambda: _check_types(value))
    return value


def _restore_csr(description: dict[str, Any], name: str, source: Source) -> Any:
    kind = next(iter(description.keys() & _CSR.keys()))
    shape = checked(description, name, shape=list, **{kind: str})["shape"]
    data, indices, indptr = (source.take(f"{name}.{part}", np.ndarray) for part in _CSR_PARTS)
    if not (len(shape) == 2 and all(type(length) is int and length >= 0 for length in shape)):
        raise flaw(f"{name} has the shape {shape}")
    rows, columns = shape
    # Whoever uses the matrix may take a number for each of its columns, though it has few.
    check_memory(8 * columns, source.memory_limit)
    if not data.ndim == indices.ndim == indptr.ndim == 1 or indptr.shape != (rows + 1,):
        raise flaw(f"the arrays of {name} are not those of a sparse matrix")
    if indices.dtype.kind != "i" or indptr.dtype != indices.dtype or len(data) != len(indices):
        raise flaw(f"the arrays of {name} do not fit each other")
    if indptr[0] != 0 or indptr[-1] != len(data) or (indptr[1:] < indptr[:-1]).any():
        raise flaw(f"the rows of {name} do not follow each other")
    if len(indices) and (indices.min() < 0 or indices.max() >= columns):
        raise flaw(f"{name} has a column beyond its last")
    return _CSR[kind]((data, indices, indptr), shape=(rows, columns))


def _describe_labels(labels: Array, name: str) -> dict[str, Any]:
    """Values and type of labels, or of any other array that is not one of numbers."""
    values = [v.item() if isinstance(v, np.generic) else v for v in labels.ravel().tolist()]
    known = _LABEL_TYPES.fullmatch(labels.dtype.str) and all(type(v) in PLAIN for v in values)
    if labels.ndim != 1 or not known:
        raise TypeError(
            f"{name} of the type {labels.dtype} cannot be saved in a model file; use strings, "
            "whole numbers or booleans as labels"
        )
    return {"dtype": labels.dtype.str, "values": values}


def _restore_labels(description: dict[str, Any], name: str, memory_limit: int) -> Array:
    checked(description, name, dtype=str, values=list)
    kind, values = description["dtype"], description["values"]
    if not _LABEL_TYPES.fullmatch(kind) or not all(type(value) in PLAIN for value in values):
        raise flaw(f"its {name} are of an unknown type")
    dtype = attempt(lambda: np.dtype(kind))
    if dtype.str != kind:  # NumPy 2.0 takes sizes beyond its own, and makes others of them
        raise flaw(f"its {name} are of an unknown type")
    # Twice, for a copy in Python's own types, and what such an object takes besides.
    check_memory((2 * dtype.itemsize + 128) * len(values), memory_limit)
    labels = attempt(lambda: np.array(values, dtype))
    if labels.shape != (len(values),) or list(map(repr, labels.tolist())) != list(
        map(repr, values)
    ):
        raise flaw(f"its {name} are not of the type {kind}")
    return labels


def _check_types(value: Any) -> None:
    """Raise TypeError unless the fields of a dataclass are what their annotations say."""
    hints = get_type_hints(type(value))
    for own in fields(value):
        item = getattr(value, own.name)
        if not _fits(item, hints[own.name]):
            raise TypeError(
                f"{own.name} of {type(value).__name__} is not of the right type: it is "
                f"{item.dtype if isinstance(item, np.ndarray) else type(item).__name__}"
            )


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is what an annotation says, as far as can be told without looking into it."""
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if hint in (None, NoneType):
        return value is None
    if origin in (Union, UnionType):
        return any(_fits(value, arg) for arg in args)
    if origin is Literal:
        return type(value) is str and value in args
    if origin is np.ndarray:
        (scalar,) = get_args(args[1]) or (Any,)
        return isinstance(value, np.ndarray) and (
            scalar is Any or issubclass(value.dtype.type, scalar)
        )
    if hint is float:
        return isinstance(value, float | int) and not isinstance(value, bool)
    if hint in PLAIN:
        plain = value.item() if isinstance(value, np.generic) else value
        return type(plain) is hint
    if getattr(hint, "_is_protocol", False):
        return is_dataclass(value) and ("__call__" not in vars(hint) or callable(value))
    if origin in (tuple, list) and args[1:] in ((), (Ellipsis,)):
        return isinstance(value, origin) and all(_fits(item, args[0]) for item in value)
    return isinstance(value, origin or hint)
