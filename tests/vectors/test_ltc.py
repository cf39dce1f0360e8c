"""LtcVectorizer: weights worked by hand, vectors on disk, and its behaviour at the edges."""

import os
import resource
import subprocess
import sys
from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils import estimator_checks

from quantext.vectors.batches import BATCH
from quantext.vectors.counters import SPILL
from quantext.vectors.disk import open_vectors
from quantext.vectors.ltc import LtcVectorizer
from tests.support.texts import many_texts


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


def test_an_empty_text_is_a_zero_row_and_no_texts_are_no_rows():
    vectorizer = LtcVectorizer().fit(["battery", "screen"])
    assert vectorizer.transform(["", "the 12 !", "battery"]).getnnz(axis=1).tolist() == [0, 0, 1]
    assert vectorizer.transform([]).shape == (0, 2)


@pytest.mark.parametrize(
    ("texts", "params", "message"),
    [
        ([], {}, "no texts to learn from"),
        (["", "12"], {}, "none of the 2 texts has a term"),
        (["", "the of 12"], {"stop_words": "english"}, "no words, or only stop words"),
        (["😀", "👍"], {}, "emoji are words only if asked for"),
        ([":)", "1️⃣"], {"emoji": True}, "no words, or only stop words$"),
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


def test_no_word_is_passed_over_unless_it_is_asked_for():
    texts = ["It is not good", "never good"]
    every = LtcVectorizer(stemmer=None).fit(texts)
    assert list(every.vocabulary_) == ["good", "is", "it", "never", "not"]
    english = LtcVectorizer(stop_words="english").fit(texts)
    assert list(english.vocabulary_) == ["good"]


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


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_each_term_has_the_word_it_was_most_often_cut_from(n_jobs):
    texts = ["batteries", "The battery, a battery", "Über-Batteries dying"] + [
        "dies",
        "dying",
    ] * 700
    vectorizer = LtcVectorizer(stop_words=["the"], n_jobs=n_jobs).fit(texts)
    words = dict(zip(vectorizer.get_feature_names_out(), vectorizer.words_, strict=True))
    # Of equally many the first in the alphabet; stop words are not among them.
    assert words == {"a": "a", "batteri": "batteries", "di": "dies", "dy": "dying", "über": "über"}
