"""LtcVectorizer against a plain-Python reference, and its behaviour at the edges."""

import os
import resource
import subprocess
import sys
import tarfile
import unicodedata
from collections import Counter
from itertools import groupby
from math import log, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import Stemmer
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils import estimator_checks

from quantext.vectors.batches import BATCH
from quantext.vectors.counters import SPILL
from quantext.vectors.disk import open_vectors
from quantext.vectors.ltc import LtcVectorizer
from quantext.vectors.tokenise import TermCounter, letter_table
from tests.support.places import REAL_CORPORA

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


def assert_same_counts(texts, n_jobs=1):
    """Vocabulary, counts and weights of the kernels are the reference's."""
    counts = term_counts(texts, stop_words=ENGLISH_STOP_WORDS)
    vocabulary, rows = ltc(counts)
    vectorizer = LtcVectorizer(n_jobs=n_jobs)
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
    counter = TermCounter(
        lambda new: [numbers.setdefault(t, len(numbers)) for t in stem(new)],
        sorted(ENGLISH_STOP_WORDS),
    )
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


def test_weights_are_the_ones_worked_by_hand():
    # N = 4. "red" in 2 texts: idf = ln 2; "blue" in 1: ln 4 = 2 ln 2; "sky" in all: 0.
    texts = ["red red sky", "red blue sky", "sky", "sky sky"]
    X = LtcVectorizer(stemmer=None).fit_transform(texts)
    # Columns: blue, red, sky. Row 1: red ln 2, blue 2 ln 2, that is (2, 1)/sqrt(5) at unit length.
    expected = [[0, 1, 0], [2 / sqrt(5), 1 / sqrt(5), 0], [0, 0, 0], [0, 0, 0]]
    assert X.toarray() == pytest.approx(np.array(expected), abs=1e-7)
    assert X.nnz == 3  # weights of zero are not stored
    # In a new text: blue twice weighs (1 + ln 2)·2 ln 2, red once ln 2; "green" is unknown.
    blue, red = 2 * (1 + log(2)), 1
    length = sqrt(blue**2 + red**2)
    new = LtcVectorizer(stemmer=None).fit(texts).transform(["Blue? BLUE, red; green"])
    assert new.toarray()[0] == pytest.approx([blue / length, red / length, 0], abs=1e-6)


def test_rows_are_canonical_float32_of_unit_length():
    texts = [" ".join(f"w{'abcdefghij'[i * j % 10]}x" for j in range(i)) for i in range(1, 40)]
    X = LtcVectorizer().fit_transform(texts)
    assert (X.format, X.dtype, X.indices.dtype, X.indptr.dtype) == (
        "csr",
        np.float32,
        np.int32,
        np.int32,
    )
    lengths = np.sqrt(X.multiply(X).sum(axis=1))
    assert np.allclose(lengths[lengths > 0], 1, atol=1e-6)
    X.has_sorted_indices = False  # forget what the vectorizer says, and look
    before = X.indices.copy()
    X.sort_indices()
    assert np.array_equal(before, X.indices)


def many_texts(n=3 * BATCH + 17):
    words = [f"{a}{b}{c}" for a in "bcdfg" for b in "aeiou" for c in ("ng", "ñ", "lling", "st")]
    rng = np.random.default_rng(0)
    return [" ".join(rng.choice(words, size)) for size in rng.integers(0, 30, n)]


def test_the_result_does_not_depend_on_threads_or_on_the_order_of_calls():
    texts = many_texts()
    one = LtcVectorizer(n_jobs=1)
    X = one.fit_transform(texts)
    for other in (LtcVectorizer(n_jobs=3), LtcVectorizer(n_jobs=-1)):
        for Z in (
            other.fit_transform(texts),
            other.transform(texts),
            other.fit(texts).transform(texts),
        ):
            assert np.array_equal(X.indptr, Z.indptr)
            assert np.array_equal(X.indices, Z.indices)
            assert np.array_equal(X.data, Z.data)
        assert other.vocabulary_ == one.vocabulary_
        assert np.array_equal(other.idf_, one.idf_)


def assert_same_matrix(ours, expected):
    """The two are the same bit for bit."""
    assert ours.shape == expected.shape
    for part in ("data", "indices", "indptr"):
        a, b = getattr(ours, part), getattr(expected, part)
        assert a.dtype == b.dtype
        assert np.array_equal(a, b)


@pytest.mark.parametrize(
    "params", [{}, {"n_jobs": 2}, {"min_df": 200, "n_jobs": 2}, {"max_features": 20}]
)
def test_vectors_on_disk_are_those_in_memory(tmp_path, params):
    texts = ["", *many_texts(), ""]
    memory, disk = LtcVectorizer(**params), LtcVectorizer(**params)
    X = memory.fit_transform(texts)
    ours = disk.fit_transform(iter(texts), out=tmp_path / "learnt")
    assert_same_matrix(ours, X)
    assert_same_matrix(open_vectors(tmp_path / "learnt"), X)
    assert disk.vocabulary_ == memory.vocabulary_
    assert np.array_equal(disk.idf_, memory.idf_)
    assert_same_matrix(disk.transform(iter(texts), out=str(tmp_path / "new")), X)
    assert sorted(os.listdir(tmp_path)) == ["learnt", "new"]


def test_no_texts_are_no_rows_on_disk(tmp_path):
    vectorizer = LtcVectorizer().fit(["battery", "screen"])
    assert vectorizer.transform([], out=tmp_path / "vectors").shape == (0, 2)
    with pytest.raises(ValueError, match="no texts to learn from"):
        LtcVectorizer().fit_transform([], out=tmp_path / "other")
    assert os.listdir(tmp_path) == ["vectors"]


def test_a_folder_that_exists_is_an_error_before_any_text_is_read(tmp_path):
    texts = iter(["battery", "screen"])
    for call in (LtcVectorizer().fit_transform, LtcVectorizer().fit(["a b"]).transform):
        with pytest.raises(FileExistsError, match="exists already"):
            call(texts, out=tmp_path)
    assert list(texts) == ["battery", "screen"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_texts_that_break_off_leave_nothing_on_disk(tmp_path, error, n_jobs):
    def texts():
        yield from many_texts()
        raise error

    vectorizer = LtcVectorizer(n_jobs=n_jobs)
    for call in (vectorizer.fit_transform, vectorizer.fit(["a b"]).transform):
        with pytest.raises(error):
            call(texts(), out=tmp_path / "vectors")
        assert os.listdir(tmp_path) == []


def test_a_full_disk_leaves_nothing(tmp_path):
    two = [" ".join(f"{a}{b}ng" for a in letters for b in "aeiou") for letters in ("bcd", "fgh")]
    texts = two * (3 * SPILL * BATCH // 2)
    nnz = LtcVectorizer().fit_transform(texts).nnz
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # First the counts do not fit, 8 bytes each; then they do, in three files, and the vectors of 4
    # bytes a weight do not.
    for share in (2, 3.5):
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(share * nnz), hard))
        try:
            with pytest.raises(OSError, match="large"):
                LtcVectorizer().fit_transform(texts, out=tmp_path / "vectors")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert os.listdir(tmp_path) == []


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.lists(st.sampled_from(many_texts(50)), max_size=5), max_size=6),
    st.sampled_from([0, 5, 20]),
)
def test_a_counter_that_begins_anew_counts_the_same(batches, max_tokens):
    def counter(**options):
        numbers = {}
        return TermCounter(
            lambda new: [numbers.setdefault(t, len(numbers)) for t in new], ["bang"], **options
        )

    one, other = counter(), counter(max_tokens=max_tokens)
    for batch in batches:
        for a, b in zip(vars(one(batch)).values(), vars(other(batch)).values(), strict=True):
            assert np.array_equal(a, b)
        met = {token for text in batch for token in tokens(text)}
        assert other.size[0] <= max_tokens + len(met | {"bang"})
    n = len(one.term_frequency)
    assert np.array_equal(one.term_frequency, other.term_frequency[:n])
    assert np.array_equal(one.document_frequency, other.document_frequency[:n])


def test_tokens_are_forgotten_without_a_trace_in_the_vectors():
    class Forgetful(LtcVectorizer):
        _remembered = 0

    class Asked(dict):
        def get(self, term, default=None):
            asked.append(term)
            return super().get(term, default)

    texts = many_texts(4 * BATCH)
    asked = []

    def everything(vectorizer):
        vectorizer.fit(["bang best gong", "bang"])
        vectorizer.vocabulary_ = Asked(vectorizer.vocabulary_)
        X, words = zip(*vectorizer.map_counted(lambda X: X.toarray(), [texts]), strict=True)
        share = vectorizer.known_share(texts)
        return len(asked), vectorizer.transform(texts).toarray(), *map(np.vstack, (X, words)), share

    n_asked, *expected = everything(LtcVectorizer(stemmer=None))
    asked.clear()
    n_asked_again, *ours = everything(Forgetful(stemmer=None))
    # 100 distinct tokens are more than 4 times the vocabulary, so each of the 4 batches asks anew.
    assert (n_asked, n_asked_again) == (200, 800)
    for a, b in zip(ours, expected, strict=True):
        assert np.array_equal(a, b)


def test_the_token_table_grows_through_a_long_text_and_many_texts():
    letters = "abcdefghijklmnopqrst"
    long = " ".join(a + b + c + d for a in letters for b in letters for c in letters for d in "xyz")
    assert_same_counts(
        ["short one", long, "aaax", *(f"tail {a}{b}" for a in letters for b in "uv")]
    )


def test_any_column_of_strings_will_do():
    texts = ["good battery", "", "bad screen, good price"]
    X = LtcVectorizer().fit_transform(texts).toarray()
    for column in (
        tuple(texts),
        iter(texts),
        np.array(texts, dtype=object),
        np.array(texts),
        pd.Series(texts),
        pd.Series(texts, dtype=object, index=[7, 8, 9]),
        pl.Series(texts),
        pa.array(texts),
        pa.chunked_array([texts[:1], texts[1:]]),
    ):
        assert np.array_equal(LtcVectorizer().fit_transform(column).toarray(), X)


@pytest.mark.parametrize("bad", [None, 3, 2.5, float("nan"), b"bytes", ["list"]])
@pytest.mark.parametrize("make", [list, pl.Series, pd.Series], ids=["list", "polars", "pandas"])
def test_a_text_that_is_no_string_is_an_error_that_names_its_row(bad, make):
    texts = ["word"] * (BATCH + 5)
    texts[BATCH + 2] = bad
    column = make(texts) if make is not pl.Series else pl.Series(texts, dtype=pl.Object)
    for call in (LtcVectorizer().fit, LtcVectorizer().fit(["word", ""]).transform):
        with pytest.raises(TypeError, match=f"text {BATCH + 2} .*not a string"):
            call(column)


def test_a_null_in_a_polars_column_is_an_error_that_names_its_row():
    with pytest.raises(TypeError, match=r"text 1 .*None"):
        LtcVectorizer().fit(pl.Series(["a word", None]))


def test_one_string_instead_of_a_column_is_an_error():
    with pytest.raises(TypeError, match="list or column of strings, not one str"):
        LtcVectorizer().fit("a single text")


def test_an_empty_text_is_a_zero_row_and_no_texts_are_no_rows():
    vectorizer = LtcVectorizer().fit(["battery", "screen"])
    assert vectorizer.transform(["", "the 12 !", "battery"]).getnnz(axis=1).tolist() == [0, 0, 1]
    assert vectorizer.transform([]).shape == (0, 2)


@pytest.mark.parametrize(
    ("texts", "params", "message"),
    [
        ([], {}, "no texts to learn from"),
        (["", "the of 12"], {}, "none of the 2 texts has a term"),
        (["one", "two"], {"min_df": 2, "stop_words": None}, "lower min_df=2"),
        (["one"], {"min_df": 0}, "min_df must be"),
        (["one"], {"min_df": 1.5}, "min_df must be"),
        (["one"], {"max_features": 0}, "max_features must be"),
        (["one"], {"max_features": 2.0}, "max_features must be"),
        (["one"], {"stop_words": "french"}, "stop_words 'french' is unknown"),
        (["one"], {"stemmer": "klingon"}, "stemmer 'klingon' is unknown.*porter"),
    ],
)
def test_what_cannot_be_learnt_is_an_error_that_says_why(texts, params, message):
    with pytest.raises(ValueError, match=message):
        LtcVectorizer(**params).fit(texts)


def test_options_select_the_vocabulary():
    texts = ["red red red sea", "red sea", "dead sea isn't", "blue"]

    def terms(**params):
        return list(LtcVectorizer(stemmer=None, **params).fit(texts).vocabulary_)

    assert terms() == ["blue", "dead", "isn", "red", "sea", "t"]
    assert terms(stop_words=["ISN'T", "blue sea"]) == ["dead", "red"]
    assert terms(min_df=2) == ["red", "sea"]
    assert terms(min_df=0.75) == ["sea"]
    assert terms(max_features=1) == ["red"]  # 4 occurrences, sea 3
    assert terms(max_features=3) == ["blue", "red", "sea"]  # of the rest, the first by alphabet


def test_other_languages_have_their_stemmers():
    german = LtcVectorizer(stop_words=None, stemmer="german").fit(["Katzen", "Häuser", "Katze"])
    assert list(german.vocabulary_) == ["haus", "katz"]


def test_clones_pickles_and_pipelines():
    pipeline = make_pipeline(LtcVectorizer(stop_words=["x"], min_df=1), LinearSVC())
    texts = ["good phone", "great phone", "bad phone", "awful phone"]
    fitted = clone(pipeline).fit(texts, [1, 1, 0, 0])
    assert fitted.predict(["good", "awful"]).tolist() == [1, 0]
    assert not hasattr(pipeline[0], "vocabulary_")


@pytest.mark.parametrize(
    "name",
    [  # those of scikit-learn's checks that do not feed numbers to the estimator
        "check_estimator_cloneable",
        "check_estimator_repr",
        "check_estimator_tags_renamed",
        "check_get_params_invariance",
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_set_params",
        "check_valid_tag_types",
    ],
)
def test_scikit_learn_conventions(name):
    getattr(estimator_checks, name)("LtcVectorizer", LtcVectorizer())


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


PEAK = """
import sys, threading, time
from itertools import cycle, islice
from pathlib import Path
import numpy as np
import polars as pl
from quantext import ClassifyAndCount, LinearSVM, LtcVectorizer, TextQuantifier
from quantext.models.estimates import estimate

def letters(n):
    return "".join(chr(97 + int(digit, 26)) for digit in np.base_repr(n, 26))

def watch(field):
    while True:
        line = next(line for line in open("/proc/self/status") if line.startswith(field))
        peaks.append(int(line.split()[1]))
        time.sleep(0.002)

def learn(n):
    rng = np.random.default_rng(0)
    words = [letters(i) for i in range(26**3, 26**3 + 5000)]
    texts = [" ".join(rng.choice(words, 150)) for _ in range(1000)]
    LtcVectorizer().fit_transform(islice(cycle(texts), n), out="vectors")

def meet_new_words(n):
    texts = ["great battery", "broken screen", "battery lasts", "screen broke"]
    model = TextQuantifier(ClassifyAndCount(LinearSVM())).fit(texts, ["a", "b", "a", "b"])
    blocks = (
        (1000, pl.DataFrame({"text": [
            "my battery " + " ".join(letters(i) for i in range(26**6 + 20 * k, 26**6 + 20 * k + 20))
            for k in range(first, first + 1000)
        ]}))
        for first in range(0, n, 1000)
    )
    assert estimate(model, blocks, level=None).n_documents == n

peaks = []
threading.Thread(target=watch, args=("RssAnon",), daemon=True).start()
globals()[sys.argv[1]](int(sys.argv[2]))
print(max(peaks))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
@pytest.mark.parametrize(
    ("work", "sizes", "most"),
    [("learn", (40_000, 80_000), 1.15), ("meet_new_words", (20_000, 80_000), 1.10)],
)
def test_memory_does_not_grow_with_the_documents(tmp_path, work, sizes, most):
    peaks = []
    for n in sizes:
        place = tmp_path / str(n)
        place.mkdir()
        child = subprocess.run(
            [sys.executable, "-c", PEAK, work, str(n)],
            cwd=place, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert child.returncode == 0, child.stderr
        peaks.append(int(child.stdout))
    assert peaks[1] < most * peaks[0], peaks
