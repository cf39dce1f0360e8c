"""Names in a sentence, kept from turning it around where they are written from right to left."""

import unicodedata

__all__ = ["isolated", "quoted"]

_RIGHT_TO_LEFT = frozenset(("R", "AL", "AN"))


def isolated(name: str) -> str:
    """The name between marks that keep its direction its own, if it needs them.

    Parameters
    ----------
    name
        Of a class or a bag.

    Examples
    --------
    >>> isolated("price"), [hex(ord(isolated("\u05d0")[i])) for i in (0, -1)]
    ('price', ['0x2068', '0x2069'])
    """
    if any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for letter in name):
        return f"\u2068{name}\u2069"
    return name


def quoted(name: str) -> str:
    """The name in quotation marks.

    Parameters
    ----------
    name
        Of a class.

    Examples
    --------
    >>> quoted("price")
    '“price”'
    """
    return f"“{isolated(name)}”"
