"""Code pages: bytes that are text, though not UTF-8, in; the name of their encoding out."""

import re

import numpy as np

__all__ = ["guess"]

# What spreadsheets and other programs of the last decades write. All have ASCII as their first
# half, so that commas and line ends are what they are.
PAGES = (
    "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258",
    "cp874", "cp932", "cp949", "gb18030", "big5", "euc_jp", "koi8_r",
)  # fmt: skip

# What Excel writes as "CSV (MS-DOS)" and as "CSV (Macintosh)", and what Western Europe writes.
OLD = ("cp850", "mac_roman")
ACCENTED = "àáâãäåæçèéêëìíîïñòóôõöøùúûüœ"
SIGNS = "ß’‘“”–—…£€°«»¿¡º\xa0"


def guess(sample: bytes) -> str | None:
    r"""The likeliest encoding of text that is not UTF-8, or None if it seems to be no text.

    Western European, cp1252, is the most frequent by far and is taken where it gives words, unless
    the bytes make another script: most of them beside each other, and charset-normalizer sees
    letters that are not Latin. Where cp1252 gives signs or capitals within words, it is what Excel
    writes as CSV (MS-DOS) or (Macintosh), if that gives words, else what charset-normalizer says.

    Parameters
    ----------
    sample
        Some lines that are not ASCII.

    Examples
    --------
    >>> guess("I don’t like it, £5 is too dear".encode("cp1252"))
    'cp1252'
    >>> guess("Слишком медленно и дорого".encode("cp1251"))
    'cp1251'
    >>> guess("schön, aber zu teuer für mich".encode("cp850"))
    'cp850'
    >>> guess("Zbyt wolny, żółta łódź".encode("cp1250"))
    'cp1250'
    """
    if re.search(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]", sample):
        return None
    from charset_normalizer import from_bytes  # slow to load, and seldom needed

    found = [match.encoding for match in from_bytes(sample, cp_isolation=list(PAGES))]
    found = [name for name in found if name in PAGES]
    if found and _in_runs(sample) and not _latin(sample.decode(found[0], "replace")):
        return next((name for name in found if _has_kana(sample, name)), found[0])
    if not _makes_words(sample, "cp1252") or _capitals_within(sample.decode("cp1252")):
        known = max(OLD, key=lambda name: _western(sample, name))
        if _western(sample, known) > 0.9:
            return known
    for name in ("cp1252", *found):
        if _makes_words(sample, name):
            return name
    return found[0] if found else None


def _capitals_within(text: str) -> bool:
    """Whether a tenth of what is not ASCII are capitals amid small letters, as in donÕt."""
    within = re.findall(r"(?<=[a-z])[À-ÞŠŒŽŸ](?=[a-z])", text)
    return len(within) > 0.1 * sum(c > "\x7f" for c in text)


def _western(sample: bytes, encoding: str) -> float:
    """Which part of what is not ASCII is as Western Europe writes, if half of it is in words."""
    text = sample.decode(encoding, "replace")
    size = sum(c > "\x7f" for c in text)
    in_words = re.findall(rf"(?<=[A-Za-z])[{ACCENTED}’]|[{ACCENTED}](?=[A-Za-z])", text)
    usual = re.findall(rf"[{ACCENTED}{SIGNS}]|(?<![a-z{ACCENTED}])[{ACCENTED.upper()}]", text)
    return len(usual) / size if len(in_words) >= 0.5 * size else 0.0


def _in_runs(sample: bytes) -> bool:
    """Whether most bytes that are not ASCII are beside each other, as in Cyrillic or Chinese."""
    high = np.frombuffer(sample, np.uint8) >= 0x80
    beside = np.zeros(len(high), dtype=np.bool_)
    beside[1:] |= high[:-1]
    beside[:-1] |= high[1:]
    return bool((high & beside).sum() > 0.5 * high.sum())


def _latin(text: str) -> bool:
    """Whether most letters that are not ASCII are Latin ones, which come first in Unicode."""
    letters = [c for c in text if c > "\x7f" and c.isalpha()]
    return sum(c < "\u0250" for c in letters) >= 0.5 * len(letters)


def _has_kana(sample: bytes, encoding: str) -> bool:
    """Whether a fifth of the text is kana: Japanese, which charset-normalizer takes for Korean."""
    text = sample.decode(encoding, "replace")
    return sum("\u3040" <= c <= "\u30ff" for c in text) > 0.2 * sum(c > "\x7f" for c in text)


def _makes_words(sample: bytes, encoding: str) -> bool:
    """Whether the bytes are characters of this encoding, and few of them signs within words."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError:
        return False
    letter = r"[^\W\d_]"
    signs = rf"(?<={letter})[^\w\s\x00-\x7f’‘·\xad–—…](?={letter})|[¹²³¼½¾](?={letter})"
    within = re.findall(signs, text)
    return len(within) <= 0.1 * sum(c > "\x7f" for c in text)
