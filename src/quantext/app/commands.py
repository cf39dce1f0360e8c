"""Steps of the work as commands of the command line: what the page does, anyone can do again.

Values stand after ``=`` and files after ``./``, so that nothing a user names passes for an option.
"""

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["READING", "command"]

READING = ("format", "encoding", "sheet", "header-row")
"""Options that say how a table is to be read."""


def command(
    name: str, files: Iterable[str], options: Mapping[str, Any], allowed: Iterable[str]
) -> list[str]:
    """Arguments of the command line.

    Parameters
    ----------
    name
        Of the command.
    files
        Names of files of the folder.
    options
        Values by name without dashes: texts, numbers, lists of them, True for an option without a
        value; None and False are left out.
    allowed
        Names that may be among them.

    Examples
    --------
    >>> command("look", ["-a.csv"], {"text": ["t"], "sheet": None}, ["text", "sheet"])
    ['look', './-a.csv', '--text=t', '--json']
    """
    unknown = sorted(set(options) - set(allowed))
    if unknown:
        raise ValueError(f"{name} has no option {unknown[0]}")
    arguments = [name, *(f"./{file}" for file in files)]
    for option, given in options.items():
        for value in given if isinstance(given, list) else [given]:
            if value is True:
                arguments.append(f"--{option}")
            elif isinstance(value, str | int | float) and value is not False:
                arguments.append(f"--{option}={value}")
            elif value is not None and value is not False:
                raise ValueError(f"the value of {option} is not a text or a number")
    return [*arguments, "--json"]
