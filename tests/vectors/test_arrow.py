"""Bytes of a polars column, as those of the list of its texts."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantext.vectors import arrow
from quantext.vectors.arrow import FEW, encode_column
from quantext.vectors.ltc import LtcVectorizer
from quantext.vectors.scan import SPARE
from quantext.vectors.tokenise import Room, encode
from tests.support.texts import many_texts


@pytest.fixture
def no_lists(monkeypatch):
    """Columns are not made lists of."""

    def refuse(*_):
        raise AssertionError("a list was made")

    monkeypatch.setattr(arrow, "encode", refuse)


def assert_same(column):
    ours, expected = encode_column(column), encode(column.to_list())
    end = int(expected.ends[-1]) if len(expected.ends) else 0
    assert np.array_equal(ours.ends, expected.ends)
    assert ours.is_ascii == expected.is_ascii
    assert np.array_equal(ours.data[:end], expected.data[:end])
    for data in (ours.data, expected.data):
        assert len(data) % 8 == 0
        assert len(data) >= end + SPARE
        assert set(data[end:].tolist()) == {ord("\n")}


def plain(n=3 * FEW):
    """Texts of lengths on either side of what a view holds, some of them empty."""
    return pl.Series(["", "a", "x" * 11, "y" * 12, "z" * 13, "Some longer text."] * (n // 6))


def in_many_chunks():
    return pl.concat([plain(60) for _ in range(5)], rechunk=False)


@pytest.mark.usefixtures("no_lists")
@pytest.mark.parametrize(
    "column",
    [
        plain(),
        plain().slice(7, 2 * FEW),
        in_many_chunks(),
        in_many_chunks().slice(55, 100),
        plain().gather_every(2),
        plain().reverse(),
        pl.Series([""] * FEW),
        pl.Series(["plain", "ÄRGER", "Σας ΟΔΟΣ", "İ of another length", "", "😀 Ok"] * FEW),
        pl.concat([pl.Series([f"text number {i}"] * 9) for i in range(32)]).shuffle(0),
    ],
    ids=[
        "whole",
        "slice",
        "chunks",
        "slice of chunks",
        "gathered",
        "reversed",
        "empty texts",
        "not ASCII",
        "shuffled",
    ],
)
def test_bytes_of_a_column_are_those_of_its_texts_without_a_list(column):
    assert_same(column)


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(["few"]),
        pl.Series([], dtype=pl.String),
    ],
    ids=["few", "none"],
)
def test_other_columns_are_encoded_alike(column):
    assert_same(column)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=FEW, max_size=FEW + 5))
def test_any_text_is_put_in_lower_case_as_by_lists(texts):
    assert_same(pl.Series(texts))


def test_room_is_used_again_for_the_next_column():
    room = Room()
    first = encode_column(plain(), room=room).data
    second = encode_column(plain().reverse(), room=room)
    assert np.shares_memory(first, second.data)
    assert np.array_equal(second.data, encode_column(plain().reverse()).data)


def test_kernels_over_views_are_those_interpreted():
    texts = ["", "short", "y" * 12, "z" * 13, "Größer als zwölf Bytes"]
    long = "".join(t for t in texts if len(t.encode()) > arrow.SHORT).encode()
    buffer = np.frombuffer(long, np.uint8)
    views, at = np.zeros((len(texts), 4), np.uint32), 0
    for view, text in zip(views, map(str.encode, texts), strict=True):
        view[0] = len(text)
        if len(text) <= arrow.SHORT:
            view[1:] = np.frombuffer(text.ljust(12, b"\0"), np.uint32)
        else:
            view[3] = at
            at += len(text)
    ends = np.cumsum([len(text.encode()) + 1 for text in texts])
    addresses = np.array([buffer.ctypes.data], np.uint64)
    expected = np.frombuffer("".join(f"{text}\n" for text in texts).encode(), np.uint8)
    for copy in (arrow.copy_texts, arrow.copy_texts.py_func):
        data = np.zeros(ends[-1], np.uint8)
        copy(views.ravel(), addresses, ends, data)
        assert np.array_equal(data, expected)
    beyond = [not text.isascii() for text in texts]
    assert arrow.beyond_ascii(expected, ends).tolist() == beyond
    assert arrow.beyond_ascii.py_func(expected, ends).tolist() == beyond


@given(st.lists(st.text(st.characters(max_codepoint=0x7F)), min_size=FEW, max_size=FEW + 5))
def test_any_ascii_text_is_copied_as_it_is(texts):
    assert_same(pl.Series(texts))


def test_an_unknown_format_of_strings_is_read_by_lists(monkeypatch):
    monkeypatch.setattr(arrow, "_STRING_VIEWS", b"other")
    assert_same(plain())


def test_vectors_of_a_column_are_those_of_its_list():
    texts = [*many_texts(300), "Straße ÉTÉ"] * 5
    one, other = LtcVectorizer(), LtcVectorizer(n_jobs=2)
    X, Z = one.fit_transform(texts), other.fit_transform(pl.Series(texts))
    assert (X != Z).nnz == 0
    assert one.vocabulary_ == other.vocabulary_
    assert list(one.words_) == list(other.words_)
