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
_TAGS = "\U000e0020-\U000e007f"  # letters of 🏴󠁧󠁢󠁷󠁬󠁳󠁿, which nobody sees
_VARIANTS = "\ufe0e\ufe0f"  # as text, in colour
_TONES = "\U0001f3fb-\U0001f3ff"  # of skin
_REGIONS = "\U0001f1e6-\U0001f1ff"  # letters, two of which are a flag


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
    emoji, unseen = _patterns()
    return emoji.sub(lambda found: f" {unseen.sub('', found[0])} ", text.lower())


@cache
def emoji_table(n: int) -> NDArray[np.bool_]:
    """Whether each of the first ``n`` code points is of a word in what `lower_apart` returns.

    Parameters
    ----------
    n
        How many.
    """
    table = letter_table(n).copy()
    tags = range(ord(_TAGS[0]), ord(_TAGS[-1]) + 1)
    codes = np.array([*map(ord, _symbols()), ord(_JOINER), *tags])
    table[codes[codes < n]] = True
    return table


@cache
def _symbols() -> str:
    """Every character that is an emoji, or another symbol, by itself."""
    assigned = [c for c in map(chr, range(0x80, 0x20000)) if unicodedata.category(c) == "So"]
    free = [c for block in _BLOCKS for c in map(chr, block) if unicodedata.category(c) == "Cn"]
    return "".join([*_OTHERS, *assigned, *free])


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What stands apart, and what is left out of it."""
    one = f"[{_symbols()}][{_VARIANTS}]?[{_TONES}]?[{_TAGS}]*"
    stray = f"[{_JOINER}{_TAGS}{_VARIANTS}\u20e3]"  # the last is the frame of 1️⃣
    emoji = re.compile(f"[{_REGIONS}]{{2}}|{one}(?:{_JOINER}{one})*|{stray}")
    return emoji, re.compile(f"[{_VARIANTS}{_TONES}]|^{stray}")
