"""Model files: a fitted model to one file and back, without running anything that is in it.

The way out is `description`, then `archive`; the way back is `archive`, then `rebuilding`.
"""

import os
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from sklearn.utils.validation import check_is_fitted

from quantext import atomic
from quantext.models.files.archive import pack, read
from quantext.models.files.description import Model, describe, is_about
from quantext.models.files.flaws import ModelFileError, located
from quantext.models.files.rebuilding import rebuild
from quantext.models.textquantifier import TextQuantifier

__all__ = ["ModelFileError", "load", "open_model", "remembered", "save"]


def save(
    model: Model, path: str | os.PathLike[str], *, about: Mapping[str, Any] | None = None
) -> None:
    """Write a fitted model to a file, which `load` reads.

    The file is written whole or not at all. Equal arguments give equal bytes. It holds the words of
    the vocabulary, the classifier's weights and, for intervals and for methods that learn from
    them, the out-of-fold scores and labels of the training documents; it holds no texts. (That of
    `WeightedNeighbours` holds their vectors, which tell what words they had.)

    A classifier that is not of quantext is kept by its weights alone, so it must be linear.

    Parameters
    ----------
    model
        A `TextQuantifier`, a quantifier of quantext's, or a Pipeline of a vectorizer and one. The
        vectorizer is a `LtcVectorizer` or a `ProxyVectorizer`.
    path
        Of the file; what is there is replaced.
    about
        What else should be known of the model: strings, numbers and lists of strings, by names of
        your choice. `load` returns them as the model's ``about_``. ``quantext train`` writes the
        columns that it read as ``text``, ``label`` and ``separator``, and ``quantext estimate``
        looks for the same ones.
    """
    description, arrays = describe(model)
    if not is_about(about or {}):
        raise TypeError(
            "about can only have names with strings, numbers, booleans, None or lists of strings"
        )
    manifest = {"quantext": version("quantext"), "model": description, "about": dict(about or {})}
    atomic.write(path, [pack(manifest, arrays)])


def load(path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Any:
    """Fitted model of a file that `save` wrote, of the type that was saved.

    Its estimates are those of the saved model, to the last bit. What `save` was told about it is
    its attribute ``about_``. Nothing in the file is executed, and a file that is damaged, or made
    to do harm, raises `ModelFileError`.

    Parameters
    ----------
    path
        Of the file.
    max_bytes
        Memory that the model may take; None is 256 MB, or 64 times the file's size if that is more.
    """
    contents = read(path, max_bytes)
    try:
        return rebuild(contents)
    except ModelFileError as error:
        raise located(error, path) from error.__cause__


def open_model(model: Any) -> TextQuantifier:
    """The model that is given, or that the file of this path holds; it reads texts by itself.

    Parameters
    ----------
    model
        A fitted `TextQuantifier`, or the path of a file that `save` wrote.
    """
    if isinstance(model, str | os.PathLike):
        path, model = os.fspath(model), load(model)
        if not isinstance(model, TextQuantifier):
            raise ValueError(
                f"{path} holds a {type(model).__name__}, which cannot read texts by itself; save a "
                "TextQuantifier, as `quantext train` does"
            )
    if not isinstance(model, TextQuantifier):
        raise TypeError(
            f"the model is a {type(model).__name__}, which cannot read texts by itself; give a "
            "TextQuantifier"
        )
    check_is_fitted(model)
    return model


def remembered(model: Any, name: str, kind: type) -> Any:
    """What a model file says under this name, if it is of the right type: anyone can write one.

    Parameters
    ----------
    model
        Its ``about_`` is what was read; a model that is from no file has none.
    name, kind
        Of what is looked for.
    """
    value = getattr(model, "about_", {}).get(name)
    return value if type(value) is kind else None
