"""Stems of tokens, against Snowball's."""

from itertools import product

import numpy as np
import polars as pl
import pytest
import Stemmer
from hypothesis import given, settings
from hypothesis import strategies as st

from quantext.vectors.porter import STEP_2, STEP_3, STEP_4, stem_tokens
from tests.support.places import REAL_CORPORA

SUFFIXES = [
    *("s", "es", "ies", "sses", "ss", "eed", "ed", "ing", "y", "e", "ll", "lle", "at", "bl", "iz"),
    *(suffix.replace("+", "") for step in (STEP_2, STEP_3, STEP_4) for suffix in step),
    *("fully", "ably", "ations", "izers", "abilities", "alities", "nesses", "ion"),
]


def kernel_stems(words, first=0):
    """The stems of the words from `first` on, and which are plain; nothing else is written."""
    tokens = [word.encode() for word in words]
    letters = np.frombuffer(b"".join(token + b"\n" for token in tokens), np.uint8)
    starts = np.cumsum([0, *(len(token) + 1 for token in tokens)])
    room = int(starts[-1] - starts[first])
    out = np.full(room + 8, 255, np.uint8)
    foreign = np.empty(len(words) - first, np.int64)
    n_bytes = stem_tokens(letters, starts, first, len(words), out, foreign)
    assert n_bytes <= room
    assert (out[room:] == 255).all()
    return out[:n_bytes].tobytes().decode().split("\n")[:-1], (foreign < 0).tolist()


def assert_stems_are_snowballs(words):
    stems, plain = kernel_stems(words)
    expected = Stemmer.Stemmer("porter", 0).stemWords(words)
    differ = [each for each in zip(words, stems, expected, strict=True) if each[1] != each[2]]
    assert not differ, differ[:20]
    assert all(plain)


KNOWN = {
    "1a": "caresses caress ponies poni ties ti caress caress cats cat",
    "1b": "feed feed agreed agre plastered plaster bled bled motoring motor sing sing conflated "
    "conflat troubled troubl sized size hopping hop tanned tan falling fall hissing hiss fizzed "
    "fizz failing fail filing file boxing box bowed bow trekking trekk",
    "1c": "happy happi sky sky say sai by by enjoying enjoi",
    "2": "relational relat conditional condit rational ration valenci valenc hesitanci hesit "
    "digitizer digit conformabli conform radicalli radic differentli differ vileli vile "
    "analogousli analog vietnamization vietnam predication predic operator oper feudalism feudal "
    "decisiveness decis hopefulness hope callousness callous formaliti formal sensitiviti sensit "
    "sensibiliti sensibl",
    "3": "triplicate triplic formative form formalize formal electriciti electr electrical electr "
    "hopeful hope goodness good",
    "4": "revival reviv allowance allow inference infer airliner airlin gyroscopic gyroscop "
    "adjustable adjust defensible defens irritant irrit replacement replac adjustment adjust "
    "dependent depend adoption adopt homologou homolog communism commun activate activ "
    "angulariti angular homologous homolog effective effect bowdlerize bowdler opinion opinion",
    "5": "probate probat rate rate cease ceas controll control roll roll",
    "short": "a a s  as a is i es e ed ed ing ing ied i y y yy yy yyy yyi e e ss ss sses ss",
}


@pytest.mark.parametrize("step", KNOWN)
def test_words_known_for_a_step_have_their_known_stems(step):
    words = KNOWN[step].split(" ")
    assert kernel_stems(words[::2])[0] == words[1::2]
    assert_stems_are_snowballs(words[::2])


def test_every_word_of_up_to_three_letters_is_stemmed_as_by_snowball():
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    assert_stems_are_snowballs(
        ["".join(word) for n in range(1, 4) for word in product(alphabet, repeat=n)]
    )


def test_every_suffix_behind_every_pattern_of_letters_is_stemmed_as_by_snowball():
    # A vowel, y, and consonants that the rules tell apart, in all orders.
    stems = ["".join(stem) for n in range(5) for stem in product("aybltw", repeat=n)]
    assert_stems_are_snowballs([stem + suffix for stem in stems for suffix in SUFFIXES])


def test_every_suffix_behind_every_other_is_stemmed_as_by_snowball():
    stems = ["", "b", "ab", "yb", "bab", "babab", "ayyyyyyyyyyyyb"]
    assert_stems_are_snowballs(
        [stem + "".join(two) for stem in stems for two in product(SUFFIXES, repeat=2)]
    )


letters = st.text("aeiouybcdfghjklmnpqrstvwxz", min_size=1, max_size=6)
words = st.builds(
    lambda stem, suffixes: stem + "".join(suffixes),
    letters,
    st.lists(st.sampled_from(SUFFIXES) | letters, max_size=5),
)


@settings(deadline=None, max_examples=200)
@given(st.lists(words, min_size=1, max_size=60))
def test_words_made_of_letters_and_suffixes_are_stemmed_as_by_snowball(words):
    assert_stems_are_snowballs(words)


@settings(deadline=None, max_examples=100)
@given(
    st.lists(words | st.text("aéñsжing中𝒜\u0301", min_size=1), min_size=1, max_size=12), st.data()
)
def test_tokens_beyond_ascii_are_flagged_and_written_as_they_are(words, data):
    first = data.draw(st.integers(0, len(words)))
    stem = Stemmer.Stemmer("porter", 0).stemWord
    stems, plain = kernel_stems(words, first)
    assert plain == [word.isascii() for word in words[first:]]
    assert stems == [stem(word) if word.isascii() else word for word in words[first:]]


@pytest.mark.slow
@pytest.mark.skipif(not REAL_CORPORA.is_dir(), reason=f"real corpora are not at {REAL_CORPORA}")
def test_all_ascii_tokens_of_20000_arxiv_abstracts_are_stemmed_as_by_snowball():
    abstracts = pl.scan_ndjson(REAL_CORPORA / "arxiv_2018_2019.jsonl.gz").head(20_000).collect()
    tokens = abstracts["abstract"].str.to_lowercase().str.extract_all("[a-z]+").explode().unique()
    words = tokens.drop_nulls().to_list()
    assert len(words) > 30_000
    assert_stems_are_snowballs(words)
