"""Emoji: symbols in texts, each set apart as a word of its own."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

from quantext.vectors.tokenise import letter_table

__all__ = ["emoji_table", "lower_apart"]

# Emoji that Unicode has among punctuation and arithmetic, not among the symbols (So).
_OTHERS = "‼⁉↔◻◼◽◾⤴⤵〰〽"
# Blocks that are kept for emoji: those not assigned yet may be by the time that they are met.
_BLOCKS = (range(0x1F000, 0x1FB00), range(0x1FC00, 0x1FFFE))
_JOINER = "\u200d"
_TAGS = "".join(map(chr, range(0xE0020, 0xE0080)))  # letters of 🏴󠁧󠁢󠁷󠁬󠁳󠁿, which nobody sees
_REGIONS = "".join(map(chr, range(0x1F1E6, 0x1F200)))  # letters, two of which are a flag
_VARIANTS = "\ufe0e\ufe0f"  # as text, in colour
_TONES = "🏻🏼🏽🏾🏿"  # of skin
_FRAME = "\u20e3"  # of 1️⃣
_UNSEEN = str.maketrans("", "", _VARIANTS + _TONES)
_STRAY = frozenset(_JOINER + _TAGS)  # where no symbol is before them


def lower_apart(text: str) -> str:
    """The text in lower case, with a blank on either side of each emoji.

    An emoji is a symbol, two letters of a flag, or several symbols with joiners between them.
    Tones of skin and the choice between text and colour are left out: 👍 is one word, however it
    is shown. A joiner that joins no symbols becomes a blank, as it separates words anyhow.

    Parameters
    ----------
    text
        Any.

    Examples
    --------
    >>> lower_apart("Love❤️it👍🏽👍")
    'love ❤ it 👍  👍 '
    """
    return _pattern().sub(_apart, text.lower())


def _apart(found: re.Match[str]) -> str:
    emoji = found[0]
    return " " if emoji[0] in _STRAY else f" {emoji.translate(_UNSEEN)} "


@cache
def emoji_table(n: int) -> NDArray[np.bool_]:
    """Whether each of the first ``n`` code points is of a word in what `lower_apart` returns.

    Parameters
    ----------
    n
        How many.
    """
    table = letter_table(n).copy()
    for characters, is_kept in ((_symbols() + _JOINER + _TAGS, True), (_VARIANTS + _FRAME, False)):
        codes = np.array([ord(c) for c in characters])
        table[codes[codes < n]] = is_kept
    return table


@cache
def _symbols() -> str:
    """Every character that is an emoji, or another symbol, by itself."""
    assigned = [c for c in map(chr, range(0x80, 0x20000)) if unicodedata.category(c) == "So"]
    free = [c for block in _BLOCKS for c in map(chr, block) if unicodedata.category(c) == "Cn"]
    return "".join([*_OTHERS, *assigned, *free])


@cache
def _pattern() -> re.Pattern[str]:
    """What stands apart. It begins with one class of characters, by which `re` is fast."""
    symbol = _class(_symbols())
    rest = f"{_class(_VARIANTS)}?{_class(_TONES)}?{_class(_TAGS)}*"
    region = _class(_REGIONS)
    return re.compile(
        f"{_class(_symbols() + _JOINER + _TAGS)}"
        f"(?:(?<={region}){region}|(?<={symbol}){rest}(?:{_JOINER}{symbol}{rest})*|)"
    )


def _class(characters: str) -> str:
    """A class of a regular expression, in ranges: `re` tries single characters one by one."""
    codes = np.unique([ord(c) for c in characters])
    runs = np.split(codes, np.flatnonzero(np.diff(codes) > 1) + 1)
    return f"[{''.join(f'{chr(run[0])}-{chr(run[-1])}' for run in runs)}]"
