"""Choices: what the columns of a table are for, as was guessed or as somebody has said."""

from collections.abc import Mapping
from typing import Any

from quantext.app.commands import READING
from quantext.app.folder import Folder

__all__ = ["check_choices", "choices_of", "choose", "reading_of", "training_of"]

_NEWLINE = "newline"  # what the command line calls a line break
_LONGEST = 1000  # characters of a name or value
_KINDS: Mapping[str, tuple[type, ...]] = {
    "text": (list,),
    "label": (str,),
    "separator": (str,),
    "merge-labels": (bool,),
    "stemmer": (str,),
    "emoji": (bool,),
    "date": (str,),
    "date-format": (str,),
    "proxy": (str,),
    "where": (list,),
    "format": (str,),
    "encoding": (str,),
    "sheet": (str,),
    "header-row": (int,),
}
_TRAINING = ("text", "label", "separator", "merge-labels", "stemmer", "emoji", "where")


def check_choices(given: Any) -> dict[str, Any]:
    """What a page has sent, if it is what choices may be; None takes a guess back to nothing.

    Parameters
    ----------
    given
        Values by name.

    Examples
    --------
    >>> check_choices({"text": ["answer"], "label": None})
    {'text': ['answer'], 'label': None}
    >>> check_choices({"label": 3})
    Traceback (most recent call last):
    ...
    ValueError: label cannot be 3
    """
    if not isinstance(given, dict):
        raise ValueError("choices are values by name")
    for name, value in given.items():
        kinds = _KINDS.get(name)
        if kinds is None:
            raise ValueError(f"there is nothing to choose that is called {name[:80]!r}")
        if value is not None and (type(value) not in kinds or not _bounded(value)):
            raise ValueError(f"{name} cannot be {str(value)[:80]}")
    return dict(given)


def _bounded(value: Any) -> bool:
    texts = value if isinstance(value, list) else [value] if isinstance(value, str) else []
    return len(texts) <= 100 and all(isinstance(t, str) and len(t) <= _LONGEST for t in texts)


def choose(folder: Folder, name: str, given: Mapping[str, Any]) -> None:
    """Keep choices beside those that were made before.

    Parameters
    ----------
    folder
        Of the work.
    name
        Of the table.
    given
        As `check_choices` has seen them.
    """
    before = folder.noted(name, "choices") or {}
    folder.note(name, "choices", {**before, **given})


def choices_of(folder: Folder, name: str) -> dict[str, Any]:
    """What each column is for and how the file is read: as was chosen, or else as was guessed.

    Parameters
    ----------
    folder
        Of the work.
    name
        Of the table.
    """
    chosen = folder.noted(name, "choices") or {}
    choices = dict.fromkeys(_KINDS) | guessed(folder.noted(name, "look")) | chosen
    return choices | {"text": choices["text"] or []}


def guessed(look: Mapping[str, Any] | None) -> dict[str, Any]:
    """What ``look`` takes columns for, as choices.

    Parameters
    ----------
    look
        What it found, or None if nobody has looked yet.
    """
    if look is None:
        return {"text": [], "label": None}
    labels, languages = look["labels"], {texts["language"] for texts in look["texts"]}
    stems = languages.isdisjoint({None, "english"}) and len(languages) == 1
    separator = labels and labels["separator"]
    return {
        "text": [texts["name"] for texts in look["texts"]],
        "label": labels and labels["name"],
        "separator": _NEWLINE if separator == "\n" else separator,
        "merge-labels": bool(labels and labels["variants"]),
        "stemmer": next(iter(languages)) if stems else None,
        "emoji": any(texts["emoji"] for texts in look["texts"]),
        "date": look["guesses"]["date"],
        "proxy": look["guesses"]["proxy"],
    }


def reading_of(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Those choices that say how the file is to be read, as options of commands.

    Parameters
    ----------
    choices
        Of a table.
    """
    return {name: choices[name] for name in READING if choices.get(name) is not None}


def training_of(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Those choices that say what there is to learn from, as options of ``train``.

    Parameters
    ----------
    choices
        Of a table.
    """
    return {name: choices[name] for name in _TRAINING if choices.get(name)} | reading_of(choices)
