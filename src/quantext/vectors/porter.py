"""Stems of English tokens, by the algorithm of Porter, over bytes.

The stems are those of Snowball's "porter". It stems words of one or two letters too, and in step 1b
makes a single consonant of bb, dd, ff, gg, mm, nn, pp, rr and tt only.

The measure of Porter's conditions is never counted for a stem. m > 0 says that the stem has a vowel
and behind it a consonant, so it holds from some place of the token on, and m > 1 from another. Both
are found once, while the token is copied: what the steps write is always behind the stem they ask
about, or makes no difference to it.

References
----------
M. F. Porter (1980), "An algorithm for suffix stripping", Program 14(3), 130–137.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import kernel, part

__all__ = ["stem_tokens"]

Bytes: TypeAlias = NDArray[np.uint8]
Words: TypeAlias = NDArray[np.uint64]

# What becomes of a suffix. A letter before "+" has to be there, but is not part of the suffix.
STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize",
    "abli": "able", "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize",
    "ation": "ate", "ator": "ate", "alism": "al", "iveness": "ive", "fulness": "ful",
    "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
STEP_3 = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
STEP_4 = {
    "al": "", "ance": "", "ence": "", "er": "", "ic": "", "able": "", "ible": "", "ant": "",
    "ement": "", "ment": "", "ent": "", "s+ion": "", "t+ion": "", "ou": "", "ism": "", "ate": "",
    "iti": "", "ous": "", "ive": "", "ize": "",
}  # fmt: skip

# To shift a word by, so that its last one, two, three or four letters remain.
LAST_1, LAST_2, LAST_3, LAST_4 = (np.uint64(64 - 8 * n) for n in range(1, 5))
ONE, FIVE, EIGHT, SIXTY_FOUR = np.uint64(1), np.uint64(5), np.uint64(8), np.uint64(64)
FIVE_BITS, BYTE, ASCII = np.uint64(31), np.uint64(255), np.uint64(127)


def _last(letters: str) -> np.uint64:
    """The word that `_last_eight` gives for these letters, shifted down to them."""
    return np.uint64(int.from_bytes(letters.encode(), "little"))


def _letters(letters: str) -> np.uint64:
    """A bit for each of these letters, at the number that their lower five bits are."""
    return np.uint64(sum(1 << (ord(letter) & 31) for letter in letters))


@part
def _pair(word: np.uint64) -> np.uint64:
    """A number below 1024 for the last two letters."""
    return (word >> LAST_1 & FIVE_BITS) << FIVE | word >> LAST_2 & FIVE_BITS


def _suffix_tables(*steps: Mapping[str, str]) -> tuple[NDArray[np.int64], Words, NDArray[np.int64]]:
    """The suffixes of the steps, in order of their last two letters, longer ones first.

    Returns
    -------
    firsts
        For step s (from 0) and pair p, firsts[1024 * s + p] is the first of their suffixes; that of
        the next pair is where they end.
    words
        For each suffix its letters and those it becomes, as words.
    sizes
        For each suffix by how many bits the last letters are shifted to compare them, how many
        letters are taken away and how many are written then.
    """
    rows = []
    for step, suffixes in enumerate(steps):
        for suffix, replacement in suffixes.items():
            letters = suffix.replace("+", "")
            shift = np.uint64(64 - 8 * len(letters))
            pair = 1024 * step + int(_pair(_last(letters) << shift))
            cut = len(suffix.split("+")[-1])
            sizes = (shift, cut, len(replacement))
            rows.append((pair, -len(letters), _last(letters), _last(replacement), sizes))
    rows.sort()
    firsts = np.searchsorted([row[0] for row in rows], np.arange(1024 * len(steps) + 1))
    words = np.array([row[2:4] for row in rows], np.uint64)
    return firsts.astype(np.int64), words, np.array([row[4] for row in rows], np.int64)


FIRSTS, WORDS, SIZES = _suffix_tables(STEP_2, STEP_3, STEP_4)


def _transitions() -> Words:
    """For each byte, the state that follows each state, eight bits a state.

    States, times eight: 0 before the first letter, 1 in consonants before any vowel, 2 in vowels
    (m = 0), 3 in consonants (m = 1), 4 in vowels (m = 1), 5 for whatever comes when m > 1. As
    a shift gives the next state, it is there a cycle later; from a table it would take five.
    """
    consonant, vowel = (1, 1, 3, 3, 5, 5), (2, 2, 2, 4, 4, 5)
    y = (1, 2, 3, 4, 5, 5)  # a consonant at the beginning and behind a vowel
    table = np.zeros(256, np.uint64)
    for byte in range(256):
        following = vowel if chr(byte) in "aeiou" else y if chr(byte) == "y" else consonant
        table[byte] = sum(8 * after << 8 * state for state, after in enumerate(following))
    return table


TRANSITIONS = _transitions()
STATES = np.uint64(63)
# The states from which on there has been a vowel, m > 0 and m > 1.
HAS_VOWEL, HAS_R1, HAS_R2 = np.uint64(8 * 2), np.uint64(8 * 3), np.uint64(8 * 5)

E, S, Y = (np.uint64(ord(c)) for c in "esy")
Y_TO_I = np.uint64((ord("y") ^ ord("i")) << 56)
E_ON_TOP = np.uint64(ord("e") << 56)
ED, AT, BL, IZ, SS, LL = (_last(s) for s in ("ed", "at", "bl", "iz", "ss", "ll"))
EED, ING, IES, SSES = (_last(s) for s in ("eed", "ing", "ies", "sses"))
W_X_Y, SINGLED = _letters("wxy"), _letters("bdfgmnprt")

# Helpers are put into the kernel whole, and see words rather than arrays where they can: else Numba
# counts references to arrays at each call, which takes longer than what is called.


@part
def _is_one_of(byte: np.uint64, letters: np.uint64) -> bool:
    return bool(letters >> (byte & FIVE_BITS) & ONE)


@part
def _last_eight(data: Bytes, end: int) -> np.uint64:
    """The eight bytes before `end` as a word, the last on top; zeros before the first.

    It may well reach into the token before: a line feed is between, and no suffix has that.
    """
    word = np.uint64(0)
    if end >= 8:
        for k in range(8):  # of known length, so that it becomes one load
            word |= np.uint64(data[np.uint64(end - 8 + k)]) << np.uint64(8 * k)
    else:
        for k in range(end):
            word = word >> EIGHT | np.uint64(data[np.uint64(k)]) << LAST_1
    return word


@part
def _cut(word: np.uint64, older: np.uint64, n: int) -> tuple[np.uint64, np.uint64]:
    """Sixteen letters, the last eight in `word`, without the last `n`, which is 1 to 7."""
    up = np.uint64(8 * n)
    return word << up | older >> (SIXTY_FOUR - up), older << up


@part
def _ends_short(word: np.uint64, end: int, start: int, vowel: int, r1: int) -> bool:
    """Porter's *o where m = 1: the word ends consonant, vowel, consonant, the last not w, x or y.

    As m = 1, the vowel is the first and only one, and m > 0 begins with the last letter.
    """
    return (
        end == r1 and start < vowel and vowel == end - 2 and not _is_one_of(word >> LAST_1, W_X_Y)
    )


@part
def _step_1(
    word: np.uint64, older: np.uint64, start: int, end: int, vowel: int, r1: int
) -> tuple[np.uint64, int]:
    """Plurals, -ed, -ing and -y: the last eight letters and the new end."""
    if word >> LAST_1 == S and word >> LAST_2 != SS:  # 1a
        n = 2 if word >> LAST_3 == IES or word >> LAST_4 == SSES else 1
        word, older = _cut(word, older, n)
        end -= n

    n = 0  # 1b
    if word >> LAST_3 == EED:
        if end - 3 >= r1:
            word, older = _cut(word, older, 1)
            end -= 1
    elif word >> LAST_2 == ED:
        n = 2
    elif word >> LAST_3 == ING:
        n = 3
    if n and end - n > vowel:
        word, older = _cut(word, older, n)
        end -= n
        two = word >> LAST_2
        if two in (AT, BL, IZ) or _ends_short(word, end, start, vowel, r1):
            word = word >> EIGHT | E_ON_TOP
            end += 1
        elif two >> EIGHT == two & BYTE and _is_one_of(two, SINGLED):
            word, older = _cut(word, older, 1)
            end -= 1

    if word >> LAST_1 == Y and end - 1 > vowel:  # 1c
        word ^= Y_TO_I
    return word, end


@part
def _suffix(word: np.uint64, step: int) -> int:
    """The longest suffix of the step that the letters end with, as a row of the tables, or −1."""
    pair = np.uint64(1024 * step) + _pair(word)
    found = -1
    for row in range(FIRSTS[pair], FIRSTS[pair + ONE]):
        if found < 0 and word >> np.uint64(SIZES[row, 0]) == WORDS[row, 0]:
            found = row
    return found


@part
def _stem(
    word: np.uint64,
    older: np.uint64,
    out: Bytes,
    start: int,
    end: int,
    vowel: int,
    r1: int,
    r2: int,
) -> int:
    """Stem the word at out[start:end], in place; return the end of the stem.

    Its last sixteen letters are in `word` and `older`; `vowel` is where its first vowel is, `r1`
    where m > 0 begins and `r2` where m > 1 begins, each of them beyond `end` if nowhere.
    """
    word, end = _step_1(word, older, start, end, vowel, r1)
    if end > start:
        out[np.uint64(end - 1)] = word >> LAST_1  # the one letter that step 1 may have changed
    for step in range(3):  # 2, 3 and 4
        row = _suffix(word, step)
        if row >= 0 and end - SIZES[row, 1] >= (r1 if step < 2 else r2):
            end -= SIZES[row, 1]
            replacement = WORDS[row, 1]
            for _ in range(SIZES[row, 2]):
                out[np.uint64(end)] = replacement & BYTE
                replacement >>= EIGHT
                end += 1
            word = _last_eight(out, end)
    if word >> LAST_1 == E and end - 1 >= r1:  # 5a
        before = word << EIGHT
        if end - 1 >= r2 or not _ends_short(before, end - 1, start, vowel, r1):
            word = before
            end -= 1
    if word >> LAST_2 == LL and end - 1 >= r2:  # 5b
        end -= 1
    return end


@kernel
def stem_tokens(
    letters: Bytes,
    starts: NDArray[np.int64],
    first: int,
    n_tokens: int,
    out: Bytes,
    foreign: NDArray[np.int64],
) -> int:
    """Write the stems of tokens, a line feed behind each; return the number of bytes written.

    Stems are those of Porter (1980) as Snowball has them, for tokens of ASCII letters only.

    Parameters
    ----------
    letters
        The bytes of all tokens, in lower case, a line feed behind each.
    starts
        Where each token begins in `letters`, and where the last one's line feed ends.
    first, n_tokens
        Tokens from `first` on and before `n_tokens` are stemmed.
    out
        Where stems are written to, with room for the bytes of these tokens and their line feeds: no
        stem is longer than its token, as a letter is added only behind two or three taken off.
    foreign
        Set for each of these tokens: -1 if it has ASCII letters only. Any other is written as it
        is, and this is where.
    """
    at = 0
    for token in range(first, n_tokens):
        begin = starts[token]
        length = starts[token + 1] - 1 - begin
        state = high = np.uint64(0)
        vowel, r1, r2 = at, at + 1, at + 1
        for i in range(length):
            byte = letters[np.uint64(begin + i)]
            out[np.uint64(at + i)] = byte
            high |= np.uint64(byte)
            # Sums rather than branches, which would often be guessed wrong.
            state = TRANSITIONS[byte] >> state & STATES
            vowel += state < HAS_VOWEL
            r1 += state < HAS_R1
            r2 += state < HAS_R2
        end = at + length
        is_plain = high <= ASCII
        foreign[token - first] = -1 if is_plain else at
        if is_plain:
            word = _last_eight(letters, begin + length)
            older = _last_eight(letters, begin + length - 8)
            end = _stem(word, older, out, at, end, vowel, r1, r2)
        out[end] = 10
        at = end + 1
    return at
