"""Model files that are damaged, inconsistent or made to do harm are refused, in little memory."""

import io
import json
import os
import pickle
import re
import struct
import subprocess
import sys
import zipfile
import zlib
from dataclasses import replace

import numpy as np
import pytest
from sklearn.pipeline import Pipeline

from quantext.learners.linear import LinearSVM
from quantext.models.save import ModelFileError, load, save
from quantext.models.textquantifier import TextQuantifier
from quantext.quantifiers import AdjustedCount, TrainingPrevalence
from tests.support.fuzz_modelfile import Parts, npy, pack, sign, take_apart
from tests.support.peaks import measured

WORDS = ["battery", "screen", "speaker", "price", "good", "bad", "naïve", "łódź"]
RNG = np.random.default_rng(0)
TEXTS = [" ".join(RNG.choice(WORDS, 4)) for _ in range(40)]
FIRST = np.array([text.split()[0] for text in TEXTS])
LABELS = np.where(np.isin(FIRST, WORDS[:3]), FIRST, "other")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.qx"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A valid file of four classes."""
    path = tmp_path_factory.mktemp("models") / "model.qx"
    save(TextQuantifier(AdjustedCount(LinearSVM(), folds=4)).fit(TEXTS, LABELS), path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A valid file of few bytes."""
    path = tmp_path_factory.mktemp("models") / "small.qx"
    save(TrainingPrevalence().fit(np.zeros((4, 1)), ["a", "b", "a", "b"]), path)
    return path.read_bytes()


@pytest.fixture
def parts(data):
    """The valid file in parts."""
    return take_apart(data)


def refused(data, path, message, **options):
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match=message) as caught:
        load(path, **options)
    assert str(caught.value).startswith(f"{path} ")
    assert len(str(caught.value)) < len(str(path)) + 310


def members(parts):
    return [("manifest.json", json.dumps(parts.manifest).encode()), *parts.blocks.items()]


def test_a_file_that_is_put_together_again_is_loaded(path, parts):
    path.write_bytes(parts.pack())
    assert load(path).classes_.tolist() == ["battery", "other", "screen", "speaker"]


# What is not the file that was written.


def test_any_flipped_bit_is_noticed(path, small):
    for i in range(len(small)):
        changed = bytearray(small)
        changed[i] ^= 1 << i % 8
        refused(bytes(changed), path, "is not a quantext model file|damaged or incomplete")


def test_a_file_that_is_cut_off_or_too_long_is_noticed(path, small):
    refused(b"", path, "is empty")
    for length in range(1, len(small)):
        refused(small[:length], path, "is not a quantext model file|damaged or incomplete")
    refused(small + b"\0", path, "damaged or incomplete")


def test_a_file_that_was_copied_in_part_says_what_to_do(path, data):
    refused(data[:1000], path, "copy it again, or train the model again")


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (2, r"newer quantext \(format 2, .* up to 1\); upgrade"),
        (0, "unknown format 0"),
        (True, "unknown format True"),
        (None, "unknown format None"),
    ],
)
def test_a_file_of_another_format_asks_for_an_upgrade_or_is_unknown(number, message, path, parts):
    refused(parts.described("format", value=number).pack(), path, message)


class Trap:
    def __reduce__(self):
        return os.abort, ()


def test_a_pickle_is_not_run(path, parts):
    refused(pickle.dumps(Trap()), path, "is not a quantext model file")
    trap = np.array([Trap()], dtype=object)
    refused(parts.changed("idf.npy", trap).pack(), path, "is of the type '|O'")
    blocks = parts.blocks | {"idf.npy": npy(trap)}
    refused(
        replace(parts, blocks=blocks).pack(), path, "idf.npy of shape|not of the type and shape"
    )


def test_another_zip_file_is_not_unpacked(path):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("../outside", b"x")
    refused(path.read_bytes(), path, "is not a quantext model file")
    assert not (path.parent.parent / "outside").exists()


def test_a_pipe_or_a_folder_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", tmp_path):
        with pytest.raises(ModelFileError, match="is not a regular file"):
            load(place)


def test_a_missing_file_is_an_ordinary_error(path):
    with pytest.raises(FileNotFoundError):
        load(path)


# Zip files that are not laid out as a model file is.


def entry_of(data, name):
    """Places of a member's entry in the directory and of its header."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        at = archive.start_dir
        for info in archive.infolist():
            if info.filename == name:
                return at, info.header_offset
            at += 46 + len(info.filename)
    raise KeyError(name)


def patched(data, place, layout, value):
    changed = bytearray(data)
    struct.pack_into(layout, changed, place, value)
    return sign(bytes(changed))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_only_stored_and_deflated_members_are_read(method, path, parts):
    path.write_bytes(pack(members(parts), zipfile.ZIP_STORED))
    load(path)
    refused(pack(members(parts), method), path, "packed in a way that model files do not use")


@pytest.mark.parametrize(
    ("at", "layout", "value"),
    [(8, "<H", 1), (8, "<H", 0x800), (8, "<H", 8), (32, "<H", 1), (34, "<H", 1), (30, "<H", 4)],
    ids=["encrypted", "utf-8", "streamed", "comment", "disk", "extra"],
)
def test_what_model_files_do_not_use_of_zip_is_refused(at, layout, value, path, data):
    entry, _ = entry_of(data, "idf.npy")
    refused(patched(data, entry + at, layout, value), path, "packed in a way")


@pytest.mark.parametrize("at", [6, 10, 12, 16, 20, 24, 28])
def test_a_header_that_says_other_than_the_directory_is_refused(at, path, data):
    _, header = entry_of(data, "idf.npy")
    refused(patched(data, header + at - 2, "<H", 9), path, "not what, the zip directory says")


def test_sizes_that_ask_for_64_bits_are_refused(path, data):
    entry, header = entry_of(data, "idf.npy")
    changed = patched(data, entry + 20, "<I", 2**32 - 1)
    refused(changed, path, "not what, the zip directory says")
    changed = patched(changed, header + 18, "<I", 2**32 - 1)
    refused(changed, path, "not where, or not what, the zip directory says")


def test_members_may_not_overlap(path, data):
    entry, _ = entry_of(data, "y.npy")
    _, other = entry_of(data, "idf.npy")
    refused(patched(data, entry + 42, "<I", other), path, "is not where")


def test_members_of_the_same_name_are_refused(path, parts):
    twice = [*members(parts), ("y.npy", parts.blocks["y.npy"])]
    refused(pack(twice), path, "two members 'y.npy'")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("folder/", "no name of a member"),
        ("é.npy", "no name of a member"),
        ("../../x.npy", "do not name the same arrays: '../../x.npy'"),
        ("setup.py", "do not name the same arrays: 'setup.py'"),
        ("x" * 300, "its zip directory is none"),
    ],
)
def test_unknown_members_are_refused(name, message, path, parts):
    refused(pack([*members(parts), (name, b"x")]), path, message)


def test_a_declared_member_that_is_no_array_is_refused(path, parts):
    parts = parts.described("arrays", "setup.py", value={"words": 1})
    refused(pack([*members(parts), ("setup.py", b"x")]), path, "'setup.py', which is no array")


def test_words_and_an_array_of_the_same_name_are_refused(path, parts):
    refused(parts.changed("y.txt", ["a"]).pack(), path, "array and words of the same name")


def test_the_manifest_is_the_first_member(path, parts):
    refused(pack(members(parts)[::-1]), path, "is not a quantext model file")


@pytest.mark.parametrize(
    ("at", "message"),
    [
        (4, "several parts"),
        (8, "several parts"),
        (12, "does not fill its place"),
        (16, "does not fill its place"),
        (20, "does not end where the file does"),
    ],
)
def test_a_directory_that_ends_otherwise_is_refused(at, message, path, data):
    refused(patched(data, len(data) - 93 + at, "<H", 3), path, message)


def test_nothing_may_lie_before_between_or_behind_the_members(path, data):
    refused(b"#!/bin/sh\n" + data, path, "is not a quantext model file")
    entry, _ = entry_of(data, "manifest.json")
    gap = bytearray(data[:entry] + b"hidden" + data[entry:])
    end = len(gap) - 93
    struct.pack_into("<I", gap, end + 16, struct.unpack_from("<I", gap, end + 16)[0] + 6)
    refused(sign(bytes(gap)), path, "members do not fill it")
    refused(sign(data[:-93] + b"hidden" + data[-93:]), path, "does not fill its place")


def squeezed(data):
    packer = zlib.compressobj(4, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def with_stored(data, name, stored, size=None, crc=None):
    """The file with other compressed bytes for a member, which announces what it announced."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos, start = archive.infolist(), archive.start_dir
    out, directory = b"", b""
    for info in infos:
        begin = info.header_offset
        header = bytearray(data[begin : begin + 30 + len(info.filename)])
        body = data[begin + len(header) : begin + len(header) + info.compress_size]
        entry, _ = entry_of(data, info.filename)
        record = bytearray(data[entry : entry + 46 + len(info.filename)])
        if info.filename == name:
            body = stored
            for record_at, value in (16, crc), (20, len(stored)), (24, size):
                if value is not None:
                    struct.pack_into("<I", record, record_at, value)
            header[14:26] = record[16:28]
        struct.pack_into("<I", record, 42, len(out))
        out += bytes(header) + body
        directory += record
    end = bytearray(data[-93:])
    struct.pack_into("<II", end, 12, len(directory), len(out))
    assert start == entry_of(data, "manifest.json")[0]
    return sign(out + directory + bytes(end))


def test_compressed_bytes_can_be_replaced_by_equal_ones(path, data, parts):
    path.write_bytes(with_stored(data, "idf.npy", squeezed(parts.blocks["idf.npy"])))
    load(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: b"", "idf.npy has not the bytes it announces"),
        (lambda _: b"\xff" * 20, "idf.npy: Error"),
        (lambda block: squeezed(block[:-1]), "idf.npy has not the bytes it announces"),
        (lambda block: squeezed(block + bytes(10**8)), "idf.npy has not the bytes it announces"),
        (lambda block: squeezed(block)[:-1], "idf.npy has not the bytes it announces"),
        (lambda block: squeezed(block) + b"more", "idf.npy has not the bytes it announces"),
        (lambda block: squeezed(block[:-1] + b"x"), "idf.npy has not the bytes it announces"),
    ],
    ids=["nothing", "garbage", "short", "bomb", "cut", "more", "other"],
)
def test_members_that_do_not_expand_as_announced_are_refused(change, message, path, data, parts):
    stored = change(parts.blocks["idf.npy"])
    refused(with_stored(data, "idf.npy", stored), path, message)


# Manifests that make no sense.


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (b"[" * 10**6, "manifest is no JSON"),
        (b'{"a":' * 10**5, "manifest is no JSON"),
        (b'{"a": 1, "a": 2}', "a key twice"),
        (b'{"a": NaN}', "the number NaN"),
        (b'{"a": -1e999}', "the number -1e999"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "manifest is no JSON"),
        (b"\xff", "manifest is no JSON"),
        (b"[]", "manifest is no JSON object"),
        (b'{"format": 1}', "manifest has no arrays"),
        (b" " * (2**23 + 1), "manifest cannot have"),
    ],
    ids=lambda value: str(value[:10]) if isinstance(value, bytes) else None,
)
def test_a_manifest_that_is_no_manifest_is_refused(manifest, message, path):
    refused(pack([("manifest.json", manifest)]), path, message)


QUANTIFIER, VECTORIZER = ("model", "quantifier"), ("model", "vectorizer")
CLASSIFIER, SCORES = (*QUANTIFIER, "classifier"), (*QUANTIFIER, "scores", "fields")
CLASSES, SCORER = (*SCORES, "classes"), (*SCORES, "scorer")
CONSTANTS = {"type": "ModelScorer", "fields": {"models": {"tuple": [1.0] * 4}}}


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("about",), [], "not of plain types"),
        (("about",), "text", "not of plain types"),
        (("about",), {"text": {"a": 1}}, "not of plain types"),
        (("about",), {"text": ["a", 1]}, "not of plain types"),
        (("model", "type"), "os.system", "a model of the type 'os.system' is unknown"),
        (("model", "type"), "a" * 10**6, "a model of the type 'aaaa"),
        (("model", "extra"), 1, "TextQuantifier does not have the keys"),
        ((*QUANTIFIER, "type"), "Popen", "the quantifier 'Popen' is unknown"),
        ((*QUANTIFIER, "type"), "ThresholdCount", "parameters of ThresholdCount does not have"),
        ((*QUANTIFIER, "scores", "type"), "Popen", "unknown type 'Popen'"),
        ((*QUANTIFIER, "scores"), CONSTANTS, "it was not trained on scores"),
        ((*QUANTIFIER, "scores"), {}, "described in no known way"),
        ((*SCORES, "extra"), 1, "TrainingScores does not have the fields"),
        ((*SCORES, "kind"), "binary", "4 columns of labels for 4 classes"),
        ((*SCORES, "kind"), "ternary", "kind of TrainingScores is not of the right type"),
        ((*SCORES, "kind"), ["binary"], "kind of TrainingScores is not of the right type"),
        ((*SCORES, "counts_each_class"), 1, "counts_each_class of .* is not of the right type"),
        ((*SCORES, "seconds"), 1e200, "seconds is a number beyond 1e100"),
        ((*SCORES, "y"), None, "y of TrainingScores is not of the right type"),
        ((*SCORES, "y"), {"array": "out_of_fold"}, "y is described in no known way"),
        ((*SCORES, "y"), {"array": "y", "b": 1}, "y is described in no known way"),
        ((*SCORES, "out_of_fold"), None, "AdjustedCount learns from out-of-fold scores"),
        ((*CLASSES, "values"), ["a", "b"], "4 columns of labels for 2 classes"),
        ((*CLASSES, "values"), [1, 2, 3, 4], "classes are not of the type <U7"),
        ((*CLASSES, "values"), [[], {}, "", 1], "classes are of an unknown type"),
        ((*CLASSES, "dtype"), "<U2", "classes are not of the type <U2"),
        ((*CLASSES, "dtype"), "<U99999999", "MB of memory"),
        ((*CLASSES, "dtype"), "<U999999999", "is not consistent"),
        ((*CLASSES, "dtype"), "<M8[s]", "classes are of an unknown type"),
        ((*CLASSES, "dtype"), "<f1", "is not consistent"),
        (SCORER, None, "scorer of TrainingScores is not of the right type"),
        (SCORER, "os.system", "scorer of TrainingScores is not of the right type"),
        (SCORER, CONSTANTS, "arrays that belong nowhere: 'scorer.coef', 'scorer.intercept'"),
        (SCORER, {"type": "ModelScorer", "fields": {"models": [1.0] * 4}}, "not of the right type"),
        ((*SCORER, "fields", "coef"), {"tuple": [1.0]}, "coef of LinearScorer is not of the right"),
        ((*QUANTIFIER, "n_features"), 10**9, "cannot have 1000000000 features"),
        ((*QUANTIFIER, "n_features"), True, "n_features of the quantifier is a bool"),
        ((*QUANTIFIER, "feature_names"), ["a"], "not one for each feature"),
        ((*QUANTIFIER, "params", "folds"), [], "folds of .* is a list"),
        ((*CLASSIFIER, "type"), "Pipeline", "the classifier 'Pipeline' is unknown"),
        ((*CLASSIFIER, "params", "n_jobs"), 10**6, "n_jobs of LinearSVM is 1000000"),
        ((*VECTORIZER, "n_jobs"), -(10**6), "n_jobs of LtcVectorizer is -1000000"),
        ((*VECTORIZER, "stemmer"), "zig", "stemmer 'zig' is unknown"),
        ((*VECTORIZER, "stop_words"), "zig", "stop_words 'zig' is unknown"),
        ((*VECTORIZER, "stop_words"), [1], "one of its stop words is no string"),
        ((*VECTORIZER, "min_df"), {"a": 1}, "min_df of .* is a dict"),
        ((*VECTORIZER, "emoji"), "no", "emoji of LtcVectorizer is 'no', not true or false"),
        (("arrays", "idf.npy", "dtype"), "|O", "array idf.npy is of the type '|O'"),
        (("arrays", "idf.npy", "dtype"), ">f8", "array idf.npy is of the type '>f8'"),
        (("arrays", "idf.npy", "dtype"), "<i8", "not of the type and shape that the manifest"),
        (("arrays", "idf.npy", "shape"), [], "array idf.npy has the shape"),
        (("arrays", "idf.npy", "shape"), [1] * 9, "array idf.npy has the shape"),
        (("arrays", "idf.npy", "shape"), [-8], r"array idf.npy has the shape \[-8\]"),
        (("arrays", "idf.npy", "shape"), [8.0], "array idf.npy has the shape"),
        (("arrays", "idf.npy", "shape"), [True], "array idf.npy has the shape"),
        (("arrays", "idf.npy", "shape"), [4, 2], "not of the type and shape that the manifest"),
        (("arrays", "idf.npy", "shape"), [9], "not of the type and shape that the manifest"),
        (("arrays", "idf.npy", "shape"), [2**40, 2**40], "cannot have 192 bytes"),
        (("arrays", "idf.npy", "shape"), [0, 2**60], "array idf.npy has the shape"),
        (("arrays", "vocabulary.txt", "words"), 7, "has not the words it announces"),
        (("arrays", "vocabulary.txt", "words"), 2**50, "cannot have 1125899906842624 words"),
        (("arrays", "vocabulary.txt", "words"), -1, "cannot have -1 words"),
        (("arrays", "y.npy"), None, "array y.npy does not have the keys"),
        (("arrays", "z.npy"), {}, "do not name the same arrays: 'z.npy'"),
        (("arrays",), [], "manifest has no arrays"),
        (("quantext",), None, "quantext of the manifest is a NoneType"),
        (("model",), [], "model of the manifest is a list"),
    ],
    ids=lambda value: ".".join(value) if isinstance(value, tuple) else "",
)
def test_a_manifest_that_makes_no_sense_is_refused(place, value, message, path, parts):
    refused(parts.described(*place, value=value).pack(), path, message)


def test_fields_that_are_nested_without_end_are_refused(path, parts):
    value = 1.0
    for _ in range(200):
        value = {"tuple": [value]}
    refused(parts.described(*SCORES, "seconds", value=value).pack(), path, "nested too deeply")


@pytest.mark.parametrize("steps", [["a", "a"], ["a"], ["a", "b", "c"], ["a", 1], [[], {}]], ids=str)
def test_a_pipeline_without_two_names_is_refused(steps, path, parts):
    model = parts.manifest["model"] | {"type": "Pipeline", "steps": ["a", "b"]}
    path.write_bytes(parts.described("model", value=model).pack())
    assert type(load(path)) is Pipeline
    data = parts.described("model", value=model | {"steps": steps}).pack()
    refused(data, path, "not two different names")


# Arrays that make no sense.


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("scorer.coef.npy", np.full((8, 4), np.nan), "coef.npy has a number that is not finite"),
        ("scorer.coef.npy", np.full((8, 4), np.inf), "coef.npy has a number that is not finite"),
        ("scorer.coef.npy", np.ones((4, 8)), "weights are not one column for each"),
        ("scorer.coef.npy", np.ones((8, 4), np.int64), "weights are no fractions"),
        ("scorer.coef.npy", np.ones((8, 5)), "weights are not one column for each"),
        ("scorer.coef.npy", np.ones((0, 4)), "weights are not one column for each"),
        ("scorer.intercept.npy", np.ones((2, 2)), "intercepts are not one for each"),
        ("scorer.intercept.npy", np.array([-1e200, 0, 0, 0]), "beyond 1e100"),
        ("out_of_fold.npy", np.full((40, 4), np.nan), "out_of_fold.npy has a number"),
        ("out_of_fold.npy", np.ones((4, 40)), "not a row for each document"),
        ("out_of_fold.npy", np.ones((40, 4, 1)), "not a row for each document"),
        ("out_of_fold.npy", np.ones((40, 4), np.int64), "out-of-fold scores are no fractions"),
        ("out_of_fold.npy", np.ones((40, 5)), "weights are not one column for each"),
        ("idf.npy", np.full(8, -1.0), "idf is no logarithm"),
        ("idf.npy", np.full(8, 1e9), "idf is no logarithm"),
        ("idf.npy", np.ones(8, np.float32), "idf is no logarithm"),
        ("idf.npy", np.ones((4, 2)), "not one distinct term for each idf"),
        ("y.npy", np.ones((40, 4), np.bool_), "not in exactly one class"),
        ("y.npy", np.ones((40, 4), np.uint8), "y of TrainingScores is not of the right type"),
        ("y.npy", np.ones((4, 40), np.bool_), "40 columns of labels for 4 classes"),
        ("y.npy", np.ones((39, 4), np.bool_), "not in exactly one class"),
        ("y.npy", np.eye(4, dtype=np.bool_), "not a row for each document"),
        ("y.npy", np.ones((0, 4), np.bool_), "labels are not columns with documents"),
        ("y.npy", np.ones(40, np.bool_), "labels are not columns with documents"),
        ("vocabulary.txt", ["a"] * 8, "not one distinct term"),
        ("vocabulary.txt", [], "not one distinct term"),
        ("stranger.npy", np.ones(3), "arrays that belong nowhere: 'stranger'"),
    ],
)
def test_arrays_that_make_no_sense_are_refused(name, values, message, path, parts):
    refused(parts.changed(name, values).pack(), path, message)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("vocabulary.txt", lambda block: block[:-1] + b"\xff\n", "vocabulary.txt is not UTF-8"),
        ("vocabulary.txt", lambda block: b"\n" + block[:-1], "has not the words it announces"),
        ("y.npy", lambda block: block[:-1] + b"\2", "neither true nor false"),
        ("idf.npy", lambda block: b"X" + block[1:], "does not begin as .npy does"),
        ("idf.npy", lambda block: block[:6] + b"\2" + block[7:], "does not begin as .npy does"),
        ("idf.npy", lambda block: block[:8] + b"\xff\xff" + block[10:], "does not begin as .npy"),
        ("idf.npy", lambda block: block[:8] + b"\x75\0" + block[10:], "cannot have 192 bytes"),
        ("idf.npy", lambda block: block.replace(b"(8,)", b"(9,)"), "not of the type and shape"),
        ("idf.npy", lambda block: block.replace(b"<f8", b"|V8"), "not of the type and shape"),
        ("idf.npy", lambda block: block.replace(b"False", b"__im("), "not of the type and shape"),
        ("idf.npy", lambda block: block[:-8], "cannot have 184 bytes"),
        ("idf.npy", lambda block: block + bytes(2000), "cannot have 2192 bytes"),
    ],
)
def test_bytes_of_a_member_that_make_no_sense_are_refused(name, change, message, path, parts):
    blocks = parts.blocks | {name: change(parts.blocks[name])}
    refused(replace(parts, blocks=blocks).pack(), path, message)


def test_a_vocabulary_of_another_size_than_the_weights_is_refused(path, parts):
    parts = parts.changed("vocabulary.txt", ["a", "b"]).changed("idf.npy", np.ones(2))
    parts = parts.changed("words.txt", ["a", "b"])
    refused(parts.pack(), path, "its vectors have not the length that its quantifier needs")


def test_columns_that_the_method_can_do_nothing_with_are_refused(path, parts):
    parts = parts.changed("out_of_fold.npy", np.ones((40, 6)))
    parts = parts.changed("scorer.coef.npy", np.ones((8, 6)))
    refused(parts.changed("scorer.intercept.npy", np.ones(6)).pack(), path, "is not consistent")


# Files that ask for much.


def bombs(parts: Parts):
    """Files of less than 1 MB that ask for a lot of memory, with valid checksums."""
    documents = 3 * 10**7
    yield parts.changed("y.npy", np.zeros((documents, 4), np.bool_))
    yield parts.changed("scorer.coef.npy", np.zeros((3 * 10**6, 4)))
    yield parts.changed("vocabulary.txt", [""] * (2 * 10**6))


CHILD = """
import resource, sys
from quantext.models.save import ModelFileError, load
load(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in sys.argv[2:]:
    try:
        load(path)
    except ModelFileError as error:
        assert "MB of memory" in str(error), error
    else:
        raise AssertionError(f"{path} was loaded")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
def test_a_small_file_cannot_take_much_memory(tmp_path, path, data, parts):
    path.write_bytes(data)
    paths = []
    for i, bomb in enumerate(bombs(parts)):
        paths.append(tmp_path / f"bomb{i}.qx")
        paths[-1].write_bytes(bomb.pack())
        assert paths[-1].stat().st_size < 10**6
    command = [sys.executable, "-c", CHILD, path, *paths]
    child = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert child.returncode == 0, child.stderr
    assert int(child.stdout) < 20_000  # kB: they are refused before they are expanded


@pytest.mark.slow
def test_a_million_classes_are_refused_in_seconds(tmp_path, parts):
    m = 10**6
    y = np.zeros((2, m), np.bool_)
    y[[0, 1], [0, 1]] = True
    arrays = {
        "y.npy": y,
        "out_of_fold.npy": np.zeros((2, m)),
        "scorer.coef.npy": np.zeros((1, m)),
        "scorer.intercept.npy": np.zeros(m),
        "idf.npy": np.ones(1),
        "vocabulary.txt": ["a"],
        "words.txt": ["a"],
    }
    for name, values in arrays.items():
        parts = parts.changed(name, values)
    parts = parts.described(*CLASSES, value={"dtype": "|O", "values": [0] * m})
    path = tmp_path / "million.qx"
    path.write_bytes(parts.described(*QUANTIFIER, "n_features", value=1).pack())
    assert path.stat().st_size < 10**5
    said, megabytes, _ = measured("load(sys.argv[1])", path)
    assert "has 1,000,000 classes of 2 documents, which take longer" in said
    assert megabytes < 500


@pytest.mark.parametrize("kind", ["multiclass", "multilabel"])
def test_a_hundred_thousand_classes_are_refused_before_they_are_learned_from(kind, path, small):
    m = 10**5
    y = np.zeros((1, m), np.bool_)
    y[0, 0] = True
    parts = take_apart(small).changed("y.npy", y)
    values = parts.manifest["model"]["quantifier"]["scores"]["fields"] | {
        "kind": kind,
        "classes": {"dtype": "|O", "values": [0] * m},
        "scorer": {"type": "ModelScorer", "fields": {"models": {"tuple": [0.0] * m}}},
    }
    data = parts.described(*SCORES, value=values).pack()
    assert len(data) < 10**5
    refused(data, path, "has 100,000 classes of 1 documents, which take longer")


def test_whoever_trusts_a_file_may_allow_it_more_memory(path, data):
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match="if you trust it, load it with max_bytes=") as caught:
        load(path, max_bytes=1000)
    needed = int(re.search(r"max_bytes=(\d+)", str(caught.value))[1])
    assert load(path, max_bytes=10**3 * needed).predict(TEXTS).shape == (4,)
