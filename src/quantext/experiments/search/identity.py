"""Identity: a text that is the same for the same value, in this process or a later one."""

import functools
import hashlib
import inspect
import pickle
import types
from collections.abc import Mapping
from typing import Any

import joblib
import numpy as np
from sklearn.frozen import FrozenEstimator

__all__ = ["identity"]

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), np.generic, np.dtype)


def identity(value: Any) -> str:
    """What tells a value from others: of a function its code, of an estimator its parameters.

    How many jobs an estimator may use changes no answer and is left out. What a function finds in
    its module or on disk is not looked at, nor is the code of classes.

    Parameters
    ----------
    value
        Whatever a parameter may be.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> one, same = (LogisticRegression(n_jobs=n_jobs) for n_jobs in (1, 2))
    >>> identity(one) == identity(same)
    True
    >>> identity(lambda x: x + 1) == identity(lambda x: x + 2)
    False
    """
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(identity, value))}]"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(identity, value)))}}}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{identity(k)}: {identity(v)}' for k, v in value.items())}}}"
    if hasattr(value, "get_params") and not isinstance(value, FrozenEstimator):
        params = value.get_params(deep=False).items()
        inside = ", ".join(f"{name}={identity(own)}" for name, own in params if name != "n_jobs")
        return f"{type(value).__name__}({inside})"
    return _called(value) if callable(value) else _pickled(value)


def _called(value: Any) -> str:
    """Of what can be called."""
    if isinstance(value, functools.partial):
        return f"partial({identity((value.func, value.args, value.keywords))})"
    if inspect.ismethod(value):
        return f"{identity(value.__func__)} of {identity(value.__self__)}"
    if inspect.isfunction(value):
        held = inspect.getclosurevars(value).nonlocals
        told = (_code(value.__code__), value.__defaults__, value.__kwdefaults__, held)
        return f"{value.__qualname__} {_digest(identity(told))}"
    if isinstance(value, np.ufunc):
        return f"ufunc {value.__name__}"
    if isinstance(value, types.BuiltinFunctionType):
        own = value.__self__  # a module, or what a method is of
        of = own.__name__ if isinstance(own, types.ModuleType) else identity(own)
        return f"{value.__qualname__} of {of}"
    return _pickled(value)


def _code(code: types.CodeType) -> list[Any]:
    """What a function does, without the places of its lines."""
    consts = [_code(one) if isinstance(one, types.CodeType) else one for one in code.co_consts]
    return [code.co_code, consts, code.co_names, code.co_varnames, code.co_freevars]


def _pickled(value: Any) -> str:
    """Of any other object: a checksum of all that it holds."""
    try:
        return f"{type(value).__name__} {joblib.hash(value)}"
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{value!r} cannot be told from others of its kind, so that a search which was stopped "
            "could go on with another one; give one that can be pickled, or search without out="
        ) from error


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
