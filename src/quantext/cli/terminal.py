"""What is printed: names and messages as they are, with nothing in them that a terminal obeys.

Names of classes, batches, columns and files are other people's text. Escape sequences in them are
shown, and brackets are brackets: no command prints in another way, but for JSON, which escapes by
itself.
"""

import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TextIO

from quantext.wording import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["open_console", "pasted", "plain", "say"]


def say(*lines: object, file: TextIO | None = None) -> None:
    r"""Print lines; a line break within one is shown too, as it is somebody else's.

    Parameters
    ----------
    lines
        One or several.
    file
        Standard output by default.

    Examples
    --------
    >>> say("a class called \x1b[2J[/x]", "another")
    a class called \x1b[2J[/x]
    another
    """
    for line in lines:
        print(visible(str(line)), file=file)


def open_console(**options: Any) -> "Console":
    """A console of Rich's that takes no text for markup, nor for an emoji's name."""
    from rich.console import Console

    return Console(markup=False, emoji=False, **options)


def plain(text: str) -> "Text":
    """Text for a bar or a status of Rich's, which would take a string for markup."""
    from rich.text import Text

    return Text(visible(text))


def pasted(words: Iterable[str]) -> str:
    r"""A command that a shell takes for these words when it is pasted, and that is safe to print.

    Parameters
    ----------
    words
        Of the command.

    Examples
    --------
    >>> print(pasted(["quantext", "look", "my file.csv", "two\nlines.csv"]))
    quantext look 'my file.csv' $'two\nlines.csv'
    """
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    """The word as a shell reads it."""
    if visible(word) == word:
        return shlex.quote(word)
    # What shells call ANSI-C quoting: bash, zsh and ksh have it, and POSIX since 2024.
    escaped = word.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{''.join(c if visible(c) == c else _code(c) for c in escaped)}'"


def _code(character: str) -> str:
    # Above ASCII, a shell takes an escape of two digits for a byte.
    return f"\\u{ord(character):04x}" if ord(character) > 0x7F else visible(character)
