"""Questions: what a command wants to know before it goes on, as something to choose from.

Commands that cannot go on say in a sentence which option answers, and with what. Here it is read
out of the sentence, so that on a page one need not type it.
"""

import ast
import re
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Question", "question_in"]

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""


@dataclass(frozen=True)
class Question:
    """What is to be chosen.

    Parameters
    ----------
    option
        That answers it.
    answers
        Each value of the option, and what it means.
    """

    option: str
    answers: tuple[tuple[str, str], ...]


def question_in(said: str) -> dict[str, Any] | None:
    """The question in what a command said when it failed, for a script; None if there is none.

    Parameters
    ----------
    said
        By the command.

    Examples
    --------
    >>> question_in("a.xlsx has several sheets, 'May' and 'June'; say which one to read (--sheet")
    {'option': 'sheet', 'answers': (('May', 'May'), ('June', 'June'))}
    >>> question_in("a.csv, row 1: '1/2/24' is 1 February 2024 with --date-format %d/%m/%y, and "
    ...             "2 January 2024 with --date-format %m/%d/%y; say which")["answers"]
    (('%d/%m/%y', '1 February 2024'), ('%m/%d/%y', '2 January 2024'))
    >>> question_in("a.csv is empty")
    """
    question = _dates(said) or _sheets(said)
    return None if question is None else asdict(question)


def _dates(said: str) -> Question | None:
    found = re.findall(r"(?: is |, and )(.+?) with --date-format (.+?)(?=, and |; say which)", said)
    return Question("date-format", tuple((way, day) for day, way in found)) if found else None


def _sheets(said: str) -> Question | None:
    several = re.search(r" has several sheets, (.*); say which one to read \(--sheet", said)
    if several is None:
        return None
    names = [str(ast.literal_eval(name)) for name in re.findall(_QUOTED, several[1])]
    return Question("sheet", tuple((name, name) for name in names))
