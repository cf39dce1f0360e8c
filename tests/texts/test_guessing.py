"""Encodings that nobody named: what the bytes tell, wherever in a file they are."""

import io
import warnings
from pathlib import Path

import pytest

from quantext.texts.codepages import guess
from quantext.texts.encoding import ReadingWarning
from quantext.texts.guessing import guessed_blocks

SAID = {
    "cp1252": [
        "Le café était très cher, l’écran cassé", "Die Hülle ist schön, aber größer",
        "El niño está aquí, ¿qué pasó?", "não é bom, a bateria não dura; coração",
        "I don’t like it, £5 is “too dear” – really",
    ],
    "cp1250": ["Příliš žluťoučký kůň úpěl ďábelské ódy", "Zbyt wolny, łódź żółta gęś"],
    "cp1251": ["Слишком медленно и дорого, батарея хорошая"],
    "cp1253": ["Πολύ αργό και ακριβό, η μπαταρία είναι καλή"],
    "cp850": ["Müller für", "Le café était très cher, à éviter", "El niño está aquí"],
    "mac_roman": ["I don’t like it, it’s bad", "Müller für", "Le café était très cher, à éviter"],
    "cp932": ["遅すぎて高い。電池は良い、画面が壊れた"],
    "cp949": ["너무 느리고 비싸다 배터리가 좋다. 화면이 깨졌다, 서비스가 친절하다"],
    "big5": ["太慢了，太貴了。電池很好"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("encoding", "text"), [(name, text) for name, texts in SAID.items() for text in texts]
)
def test_a_line_is_enough_to_tell_an_encoding(encoding, text):
    assert guess(text.encode(encoding)) == encoding


def test_what_is_no_text_has_no_encoding():
    assert guess(b"\x01\x02\xff\xfe\x81") is None


def decoded(data, size):
    """The text, and what was noted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        text = b"".join(guessed_blocks(io.BytesIO(data), Path("a"), size)).decode()
    assert all(w.category is ReadingWarning for w in caught)
    return text, [str(w.message) for w in caught]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_blocks_may_end_anywhere_in_a_character(encoding, size):
    text = "aé€👍\nü"
    assert decoded(text.encode(encoding), size) == (text, [])


@pytest.mark.parametrize("size", [16, 64, 1000])
def test_an_encoding_is_found_out_where_the_first_of_its_bytes_is(size):
    text = 20 * "plain\n" + "le café est cher\n" + 20 * "déjà\n"
    found, [said] = decoded(text.encode("cp1252"), size)
    assert found == text
    assert "read as cp1252, so line 21 has “le café" in said


@pytest.mark.parametrize("size", [7, 64, 1000])
def test_broken_bytes_are_replaced_and_counted_to_the_end(size):
    data = "déjà vu\n".encode() + b"x\n\xff\n" + "ça\n".encode() + b"\xe9\n"
    found, [said] = decoded(data, size)
    assert found == "déjà vu\nx\n\ufffd\nça\n\ufffd\n"
    assert "2 characters of this UTF-8 file are broken" in said
    assert "line 3 (byte 0xff at offset 12)" in said


def test_a_replacement_character_that_was_written_is_not_broken():
    found, [said] = decoded("a\ufffd é".encode() + b"\xc3", 1000)
    assert found == "a\ufffd é\ufffd"
    assert "1 character " in said


def test_a_guess_is_kept_and_what_does_not_fit_it_later_is_replaced():
    found, [_, said] = decoded("café\n".encode("cp1252") + b"a\n\x81\n", 5)
    assert found == "café\na\n\ufffd\n"
    assert said == "a: 1 character is not cp1252, read as \ufffd, the first in line 3"


@pytest.mark.parametrize("size", [7, 64, 1000])
def test_lines_of_utf8_after_some_in_another_encoding_stay_what_they_are(size):
    french, mixed = 20 * "café cher\n", 3 * "naïve – 👍\n"
    data = french.encode("cp1252") + mixed.encode() + "NESTLÉ’S".encode("cp1252")
    found, [_, said] = decoded(data, size)
    assert found == french + mixed + "NESTLÉ’S"
    assert said == "a: 3 lines in UTF-8 among others in cp1252 read as such, the first is line 21"


@pytest.mark.parametrize("cut", [b"don\xe2\x80", b"caf\xc3", b"fine \xf0\x9f\x91"])
def test_one_cut_character_does_not_make_another_encoding(cut):
    found, [said] = decoded(b"text,label\n" + cut + b",a\n", 1000)
    assert found.endswith("\ufffd,a\n")
    assert "1 character of this UTF-8 file is broken" in said


@pytest.mark.parametrize("text", ["NÃO É BOM, AMANHÃ", "passé» là\xa0!", "Ã propos"])
def test_letters_that_look_like_the_beginning_of_a_character_are_letters(text):
    assert decoded(text.encode("cp1252"), 1000)[0] == text
