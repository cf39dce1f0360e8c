"""Emoji as words, by hand and against a plain reference."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantext.vectors.batches import BATCH
from quantext.vectors.emoji import emoji_table, lower_apart
from quantext.vectors.ltc import LtcVectorizer
from quantext.vectors.terms import TermCounter
from quantext.vectors.tokenise import letter_table

JOINER = "\u200d"
VARIANTS = "\ufe0e\ufe0f"
TONES = "🏻🏼🏽🏾🏿"
FLAG_LETTERS = [chr(c) for c in range(0x1F1E6, 0x1F200)]
TAGS = [chr(c) for c in range(0xE0020, 0xE0080)]
WALES = "🏴" + "".join(chr(0xE0000 + ord(c)) for c in "gbwls") + "\U000e007f"


def is_symbol(c):
    """Whether a character is a symbol beyond ASCII, or in what Unicode keeps for emoji."""
    category = unicodedata.category(c)
    reserved = 0x1F000 <= ord(c) < 0x1FB00 or 0x1FC00 <= ord(c) < 0x1FFFE
    return category == "So" or c in "‼⁉↔◻◼◽◾⤴⤵〰〽" or (category == "Cn" and reserved)


def tokens(text):
    """Runs of letters and marks, and each emoji by itself, character by character."""
    text = [*text.lower(), "", ""]
    found, word, i = [], "", 0
    while text[i]:
        if is_symbol(text[i]):
            found.append(word)
            emoji, i = read_emoji(text, i)
            found.append(emoji)
            word = ""
        elif unicodedata.category(text[i])[0] in "LM" and text[i] not in VARIANTS + "\u20e3":
            word += text[i]
            i += 1
        else:
            found.append(word)
            word, i = "", i + 1
    return [token for token in [*found, word] if token]


def read_emoji(text, i):
    """The emoji that begins at ``i``, and where it ends."""
    if text[i] in FLAG_LETTERS and text[i + 1] in FLAG_LETTERS:
        return text[i] + text[i + 1], i + 2
    emoji = ""
    while True:
        emoji += text[i]
        i += 1
        for unseen in (VARIANTS, TONES):
            if text[i] and text[i] in unseen:
                i += 1
        while text[i] in TAGS:
            emoji += text[i]
            i += 1
        if text[i] != JOINER or not text[i + 1] or not is_symbol(text[i + 1]):
            return emoji, i
        emoji += JOINER
        i += 1


def kernel_tokens(text):
    """The distinct tokens of a text, in the order in which the kernel meets them."""
    asked = []

    def number(known, first):
        asked.extend(known.tokens(first))
        return np.arange(first, len(asked), dtype=np.int32)

    TermCounter(number, lower=lower_apart, table=emoji_table)([text])
    return asked


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Great😀😀👍!", ["great", "😀", "👍"]),
        ("a 👍🏽 is a 👍", ["a", "👍", "is"]),  # whatever the tone of skin
        ("❤️ or ❤︎ or ❤", ["❤", "or"]),  # in colour, as text, as it comes
        ("👩🏽\u200d🔬👩", ["👩\u200d🔬", "👩"]),  # a woman of science, and a woman
        ("👩\u200d❤️\u200d👨", ["👩\u200d❤\u200d👨"]),
        ("🇬🇧🇫🇷🇩", ["🇬🇧", "🇫🇷", "🇩"]),  # flags are pairs of letters; one is left over
        (f"{WALES}x", [WALES, "x"]),
        ("1️⃣ 2⃣ #️⃣", []),  # numbers are no words, in frames neither
        ("‼️so⁉", ["‼", "so", "⁉"]),
        ("20°C ©Ⓜ don´t `x^", ["°", "c", "©", "ⓜ", "don", "t", "x"]),  # accents are no symbols
        ("\U0001faff😀", ["\U0001faff", "😀"]),  # newer than this Python's Unicode
        ("क्\u200dष x\u200dy", ["क्", "ष", "x", "y"]),  # joiners separate letters, as ever
        ("😀\u200d x", ["😀", "x"]),
        ("naïve😀été", ["naïve", "😀", "été"]),
    ],
)
def test_each_emoji_is_a_token(text, expected):
    assert kernel_tokens(text) == expected
    assert list(dict.fromkeys(tokens(text))) == expected


alphabet = [
    *"aÉß \n1#^´中ि\u0301\u20e3",
    *"😀👍👩🔬❤‼°🏴🇬🇧🇩",
    *VARIANTS,
    *TONES[:2],
    JOINER,
    *TAGS[65:68],
]


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.text(alphabet, max_size=20), st.text(max_size=20)))
def test_tokens_equal_the_plain_reference(text):
    assert kernel_tokens(text) == list(dict.fromkeys(tokens(text)))


@settings(deadline=None, max_examples=50)
@given(st.lists(st.text(max_size=10), max_size=3))
def test_texts_without_symbols_have_the_same_vectors_as_without_emoji(texts):
    texts = [
        "a word",
        *("".join(c for c in t if not is_symbol(c) and c not in VARIANTS) for t in texts),
    ]
    plain, ours = LtcVectorizer(), LtcVectorizer(emoji=True)
    assert np.array_equal(ours.fit_transform(texts).toarray(), plain.fit_transform(texts).toarray())
    assert ours.vocabulary_ == plain.vocabulary_


@pytest.mark.slow
def test_the_table_has_every_letter_mark_and_symbol():
    expected = [
        (unicodedata.category(c)[0] in "LM" and c not in VARIANTS + "\u20e3")
        or (is_symbol(c) or c == JOINER or c in TAGS)
        for c in map(chr, range(0x110000))
    ]
    assert np.array_equal(emoji_table(0x110000), expected)
    assert np.array_equal(emoji_table(0x10000), emoji_table(0x110000)[:0x10000])
    assert not letter_table(0x110000)[ord("😀")]  # that of letters is left as it was


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_emoji_are_weighed_as_words_are(n_jobs, tmp_path):
    texts = ["good 👍", "bad 👎🏿", "👍🏽👍", ""] * BATCH
    vectorizer = LtcVectorizer(emoji=True, n_jobs=n_jobs)
    X = vectorizer.fit_transform(texts)
    assert list(vectorizer.vocabulary_) == ["bad", "good", "👍", "👎"]
    assert list(vectorizer.words_) == ["bad", "good", "👍", "👎"]
    # Of four texts, 👍 is in two, idf ln 2, and good in one, ln 4: (2, 1)/√5. 👍 alone is 1.
    assert X[:4].toarray() == pytest.approx(
        np.array([[0, 2, 1, 0], [1, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0]])
        / np.sqrt([[5], [2], [1], [1]]),
        abs=1e-6,
    )
    for again in (vectorizer.transform(texts), vectorizer.fit_transform(texts, out=tmp_path / "X")):
        assert np.array_equal(again.toarray(), X.toarray())
    assert vectorizer.known_share(["👍🏿", "👍👍 😀"]) == 3 / 4


def test_emoji_may_be_stop_words():
    vectorizer = LtcVectorizer(stop_words=["👍"], emoji=True).fit(["👍🏽 😀", "so"])
    assert list(vectorizer.vocabulary_) == ["so", "😀"]
