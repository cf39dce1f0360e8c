"""Tokens and their counts, against a plain-Python reference."""

import tarfile
import unicodedata
from collections import Counter
from itertools import groupby
from math import log, sqrt

import numpy as np
import polars as pl
import pytest
import Stemmer
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from quantext.vectors.ltc import LtcVectorizer
from quantext.vectors.scan import enter
from quantext.vectors.terms import TermCounter
from quantext.vectors.tokenise import Lines, TokenTable, letter_table, new_keys
from tests.support.flood import KNOWN_KEYS, flood, most_probes
from tests.support.places import REAL_CORPORA
from tests.support.texts import many_texts

DATA = REAL_CORPORA


class Letters(dict):
    """Whether a character is of category L or M, looked up once for each character."""

    def __missing__(self, c):
        self[c] = unicodedata.category(c)[0] in "LM"
        return self[c]


is_letter = Letters()


def tokens(text):
    """The maximal runs of letters and marks in the lower-cased text."""
    runs = groupby(text.lower(), key=is_letter.__getitem__)
    return ["".join(run) for letters, run in runs if letters]


def term_counts(texts, *, stop_words=(), stemmer="porter"):
    """A Counter of the terms of each text."""
    stem = Stemmer.Stemmer(stemmer).stemWord if stemmer else str
    stop = {token for word in stop_words for token in tokens(word)}
    stems = {}
    for token in {token for text in texts for token in tokens(text)}:
        stems[token] = stem(token)
    return [Counter(stems[t] for t in tokens(text) if t not in stop) for text in texts]


def ltc(counts):
    """The vocabulary and a dict of weights for each text."""
    df = Counter(term for count in counts for term in count)
    rows = []
    for count in counts:
        row = {t: (1 + log(tf)) * log(len(counts) / df[t]) for t, tf in count.items()}
        length = sqrt(sum(w * w for w in row.values()))
        rows.append({t: w / length for t, w in row.items() if w})
    return sorted(df), rows


def by_dict(numbers, stem=list):
    """The plain way to number terms."""

    def number(known, first):
        terms = stem(known.tokens(first))
        return np.array([numbers.setdefault(t, len(numbers)) for t in terms], np.int32)

    return number


def assert_same_counts(texts, n_jobs=1):
    """Vocabulary, counts and weights of the kernels are the reference's."""
    counts = term_counts(texts, stop_words=ENGLISH_STOP_WORDS)
    vocabulary, rows = ltc(counts)
    vectorizer = LtcVectorizer(stop_words="english", n_jobs=n_jobs)
    if not vocabulary:
        with pytest.raises(ValueError, match=r"none of the|no texts"):
            vectorizer.fit(texts)
        return
    X = vectorizer.fit_transform(texts)
    assert list(vectorizer.get_feature_names_out()) == vocabulary
    for i, row in enumerate(rows):
        begin, end = X.indptr[i], X.indptr[i + 1]
        ours = {
            vocabulary[j]: w for j, w in zip(X.indices[begin:end], X.data[begin:end], strict=True)
        }
        assert ours.keys() == row.keys()
        assert all(abs(ours[t] - w) < 1e-6 for t, w in row.items())

    numbers = {}
    stem = Stemmer.Stemmer("porter").stemWords
    counter = TermCounter(by_dict(numbers, stem), sorted(ENGLISH_STOP_WORDS))
    counted = counter(texts)
    names = list(numbers)
    starts = [0, *counted.ends]
    for count, begin, end in zip(counts, starts[:-1], counted.ends, strict=True):
        ours = zip(counted.terms[begin:end], counted.frequencies[begin:end], strict=True)
        assert {names[t]: f for t, f in ours} == count


scripts = st.one_of(
    st.text(),  # any code point, surrogates left out
    st.text("abzABZ éÉïßİıΣσς '-_.09\n\t"),
    st.text("हिन्दी में लिखा، العربية ёЁж 中文字 ไทย 한국어 \u0301\u200d"),
    st.lists(st.sampled_from(["Running", "runs", "the", "isn't", "naïve", "x" * 40, "12"])).map(
        " ".join
    ),
)


@settings(deadline=None, max_examples=150)
@given(st.lists(scripts, min_size=1, max_size=8))
def test_counts_equal_the_plain_reference_on_random_unicode(texts):
    assert_same_counts(texts)


def test_the_letter_table_has_every_letter_and_mark_of_unicode():
    expected = [unicodedata.category(chr(c))[0] in "LM" for c in range(0x110000)]
    assert np.array_equal(letter_table(0x110000), expected)
    assert np.array_equal(letter_table(0x10000), expected[:0x10000])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop-2day, ÉTÉ!", ["don", "t", "stop", "day", "été"]),
        ("e\u0301te\u0301", ["e\u0301te\u0301"]),  # combining accents belong to their letters
        ("Привет, МИР", ["привет", "мир"]),
        ("हिन्दी में", ["हिन्दी", "में"]),  # vowel signs and the virama are marks
        ("我爱北京。天安门", ["我爱北京", "天安门"]),
        ("ΟΔΟΣ ΣΑΣ", ["οδος", "σας"]),  # the final sigma, by Unicode's rules
        ("x²y a_b ½c", ["x", "y", "a", "b", "c"]),
        ("𝒜bc 𐐀x", ["𝒜bc", "𐐨x"]),  # beyond the first plane
        ("a" * 8 + " " + "b" * 16 + " " + "c" * 9, ["a" * 8, "b" * 16, "c" * 9]),
        ("abcdefgé abcdefgéh", ["abcdefgé", "abcdefgéh"]),  # a letter across two words
    ],
)
def test_tokens_are_runs_of_letters_and_marks(text, expected):
    vectorizer = LtcVectorizer(stop_words=None, stemmer=None).fit([text, ""])
    assert set(vectorizer.vocabulary_) == set(expected)
    assert expected == list(dict.fromkeys(tokens(text)))


def test_a_lone_surrogate_separates_tokens():
    assert_same_counts(["one\ud800two", "ünë\udfffdos"])


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.lists(st.sampled_from(many_texts(50)), max_size=5), max_size=6),
    st.sampled_from([0, 5, 20]),
)
def test_a_counter_that_begins_anew_counts_the_same(batches, max_tokens):
    def counter(**options):
        numbers = {}
        return TermCounter(by_dict(numbers), ["bang"], **options)

    one, other = counter(), counter(max_tokens=max_tokens)
    for batch in batches:
        for a, b in zip(vars(one(batch)).values(), vars(other(batch)).values(), strict=True):
            assert np.array_equal(a, b)
        met = {token for text in batch for token in tokens(text)}
        assert other.known.n_tokens <= max_tokens + len(met | {"bang"})
    n = len(one.term_frequency)
    assert np.array_equal(one.term_frequency, other.term_frequency[:n])
    assert np.array_equal(one.document_frequency, other.document_frequency[:n])


def test_the_token_table_grows_through_a_long_text_and_many_texts():
    letters = "abcdefghijklmnopqrst"
    long = " ".join(a + b + c + d for a in letters for b in letters for c in letters for d in "xyz")
    assert_same_counts(
        ["short one", long, "aaax", *(f"tail {a}{b}" for a in letters for b in "uv")]
    )


@pytest.mark.parametrize("n", [0, 3, 30, 3000])
def test_lines_are_numbered_as_a_dict_does(n):
    rng = np.random.default_rng(n)
    words = ["", "a", "ab", "été", "x" * 16, "x" * 17, "x" * 40 + "é", "東京", *many_words(n)]
    table, numbers = TokenTable(KNOWN_KEYS, letter_table), {}
    for _ in range(3):
        drawn = rng.choice(words, size=2 * n).tolist()
        found = table.numbers_of(Lines.of(drawn))
        assert found.tolist() == [numbers.setdefault(word, len(numbers)) for word in drawn]
        assert found.dtype == np.int32
        assert table.tokens() == list(numbers)
    # Of a table that has scanned texts, too; what it had keeps its number.
    counter, _, _ = counted(["one été three", "x" * 17])
    assert counter.known.numbers_of(Lines.of(["three", "new", "été"])).tolist() == [2, 4, 1]
    assert counter.known.tokens(3) == ["x" * 17, "new"]


def many_words(n):
    letters = "abcdefghijklmnopqrst"
    return [
        f"{letters[i % 20]}{letters[i // 20 % 20]}{letters[i // 400]}{'z' * (i % 23)}"
        for i in range(n)
    ]


@pytest.fixture(scope="module")
def crafted():
    """Tokens for the first table of a counter, by someone who knows its keys."""
    return flood(300, KNOWN_KEYS, 1 << 12)


def counted(texts, **options):
    numbers = {}
    counter = TermCounter(by_dict(numbers), **options)
    return counter, counter(texts), numbers


def test_tokens_made_for_known_keys_flood_the_table_of_these_keys_alone(crafted):
    text = " ".join(crafted)
    known, _, _ = counted([text, "more"], keys=KNOWN_KEYS)
    assert most_probes(known.known.slots[2::4]) > len(crafted)
    own, _, _ = counted([text, "more"])
    assert (
        most_probes(own.known.slots[2::4]) < 40
    )  # 300 of 4,096 slots are taken; by chance it is about 5


def test_keys_are_new_for_each_counter_and_their_factors_odd():
    first, second = new_keys(), new_keys()
    assert (first != second).all()
    assert (first[1:] % np.uint64(2) == 1).all()


@settings(deadline=None, max_examples=10)
@given(
    st.lists(scripts, min_size=1, max_size=4),
    st.lists(st.integers(0, 2**64 - 1), min_size=3, max_size=3),
)
def test_counts_and_the_order_of_terms_do_not_depend_on_the_keys(texts, keys):
    texts = [*texts, " ".join(many_texts(300))]  # so that the table grows
    _, one, numbers = counted(texts)
    _, other, others = counted(texts, keys=np.array(keys, np.uint64) | np.uint64(1))
    assert list(numbers.items()) == list(others.items())
    for a, b in zip(vars(one).values(), vars(other).values(), strict=True):
        assert np.array_equal(a, b)


needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"real corpora are not at {DATA}")


@pytest.mark.slow
@needs_data
def test_counts_equal_the_plain_reference_on_20000_arxiv_abstracts():
    path = DATA / "arxiv_2018_2019.jsonl.gz"
    assert_same_counts(pl.read_ndjson(path, n_rows=20_000)["abstract"].to_list())


@pytest.mark.slow
@needs_data
def test_counts_equal_the_plain_reference_on_reuters_21578():
    with tarfile.open(DATA / "reuters21578.tar.xz") as archive:
        files = [m for m in archive.getmembers() if m.name.endswith(".sgm")]
        pages = [archive.extractfile(m).read().decode("latin-1") for m in files]
    texts = [text for page in pages for text in page.split("</REUTERS>")]
    assert len(texts) > 21_578
    assert_same_counts(texts)


def test_tokens_move_to_more_slots_compiled_as_in_python():
    table = TokenTable(new_keys(), letter_table)
    table.numbers_of(Lines.of([f"{a}{b}" for a in "abcdefghij" for b in ["", "x" * 20, "é"]]))
    moved = [np.zeros(2 * len(table.slots), np.uint64) for _ in range(2)]
    enter(table.slots, moved[0])
    enter.py_func(table.slots, moved[1])
    assert np.array_equal(*moved)
    held = [slots.reshape(-1, 4)[slots[2::4] > 0].tolist() for slots in (table.slots, moved[0])]
    assert sorted(held[0]) == sorted(held[1])
    assert len(held[0]) == 30
