"""Separators: what divides the fields of a text file."""

import re
from typing import NamedTuple

import numpy as np

from quantext.texts.fields import split_fields

__all__ = ["Steadiness", "find_separator", "steadiness"]

SEPARATORS = b",;\t|"  # the first of them where they tie
QUOTED = re.compile(rb'(?<![^,;\t|\r\n])"[^"]*(?:""[^"]*)*"')  # where a field begins
ROWS = 200  # at the beginning of a file that are looked at
MOST = 0.8  # of rows, where a stray one may be different


def find_separator(head: bytes, whole: bool) -> bytes:
    r"""The one of , ; tab | that divides the first line most often, if all rows agree.

    If they do not, one by which all do; else the first again if most rows agree and none is
    shorter, as if a text lacked its quotes; else the one that divides most rows into the same
    number of fields. Spreadsheets write semicolons where a comma is the decimal point.

    Parameters
    ----------
    head
        The beginning of the file, in UTF-8, with line feeds.
    whole
        Whether that is all of the file.

    Examples
    --------
    >>> find_separator(b'answer;"topic, main"\n3,5;speed\n', True)
    b';'
    >>> find_separator(b"answer (a, b);topic\nslow;speed\n", True)
    b';'
    """
    line = QUOTED.sub(b"", head).partition(b"\n")[0]
    usual = max(SEPARATORS, key=line.count).to_bytes()
    if steadiness(head, usual, whole).all:
        return usual
    found = {sign: steadiness(head, sign, whole) for sign in map(int.to_bytes, SEPARATORS)}
    steady = {sign: own for sign, own in found.items() if own.share >= MOST}
    if agreed := {sign: own for sign, own in steady.items() if own.all}:
        steady = agreed
    elif usual in steady and usual in line and found[usual].none_shorter:
        return usual
    return max(steady, key=lambda sign: steady[sign][:2]) if steady else usual


class Steadiness(NamedTuple):
    """How alike a separator divides rows.

    Parameters
    ----------
    share
        Of rows that have the usual width, without titles above; 0 if that is one.
    width
        The usual one.
    all
        Whether all rows have it.
    none_shorter
        Whether no row has fewer fields.
    """

    share: float
    width: int
    all: bool
    none_shorter: bool


def steadiness(head: bytes, separator: bytes, whole: bool) -> Steadiness:
    """How alike a separator divides the first rows.

    Parameters
    ----------
    head, whole
        As in `find_separator`.
    separator
        One byte.
    """
    fields = split_fields(head, separator, last=whole)
    widths = np.diff(np.append(0, fields.records))[:ROWS]
    if not len(widths):
        return Steadiness(0.0, 1, False, False)
    width = int(np.bincount(widths).argmax())
    usual = widths == width
    share = float(np.mean(usual[usual.argmax() :]))  # titles may be above
    return Steadiness(
        share if width > 1 else 0.0,
        width,
        bool(usual.all()) and not fields.unclosed,
        bool(widths.min() == width),
    )
