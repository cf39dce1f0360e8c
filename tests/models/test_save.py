"""Model files: what was saved is loaded to the last bit, and what was not is refused."""

import doctest
import json
import os
import pickle
import re
import resource
import stat
import struct
import subprocess
import sys
import zipfile
import zlib
from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline

from quantext import measures
from quantext.learners.linear import LinearSVM
from quantext.learners.losses import PrevalenceLoss
from quantext.learners.structural import StructuralSVM
from quantext.models import container
from quantext.models.methods import METHODS
from quantext.models.save import ModelFileError, load, save
from quantext.models.textquantifier import TextQuantifier
from quantext.quantifiers import (
    AdjustedCount,
    ClassifyAndCount,
    ProbabilisticAdjustedCount,
    Quantifier,
    ThresholdCount,
    TrainingPrevalence,
)
from quantext.scores.scorers import LinearScorer
from quantext.scores.training import TrainingScores
from quantext.vectors.ltc import LtcVectorizer
from tests.support.fuzz_modelfile import HEADER, Parts, planes, take_apart
from tests.support.places import ROOT

WORDS = ["battery", "screen", "speaker", "price", "good", "bad", "naïve", "łódź"]
RNG = np.random.default_rng(0)
TEXTS = [" ".join(RNG.choice(WORDS, 4)) for _ in range(40)]
FIRST = np.array([text.split()[0] for text in TEXTS])
BAG = [" ".join(RNG.choice(WORDS, 4)) for _ in range(15)]
LABELS = {
    "binary": FIRST == "battery",
    "multiclass": np.where(np.isin(FIRST, WORDS[:3]), FIRST, "other"),
    "multilabel": np.array([[word in text for word in WORDS[:3]] for text in TEXTS]).astype(int),
}


def fitted(quantifier=None, y=LABELS["multiclass"]):
    """A small model of texts."""
    quantifier = AdjustedCount(LinearSVM(), folds=4) if quantifier is None else quantifier
    return TextQuantifier(quantifier).fit(TEXTS, y)


def saved_and_loaded(model, path):
    save(model, path)
    return load(path)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.qx"


@pytest.fixture
def parts(path):
    """A valid file of four classes, in parts."""
    save(fitted(), path)
    return take_apart(path.read_bytes())


# What is saved comes back.


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_loaded_to_the_last_bit(name, kind, path):
    quantifier = METHODS[name].make()
    if "folds" in quantifier.get_params():
        quantifier.set_params(folds=3)
    model = fitted(quantifier, LABELS[kind])
    loaded = saved_and_loaded(model, path)
    assert type(loaded) is TextQuantifier
    assert type(loaded.quantifier_) is type(model.quantifier_)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert_array_equal(loaded.classes_, model.classes_)
    assert_array_equal(loaded.predict(BAG), model.predict(BAG))
    assert_array_equal(
        loaded.predict_interval(BAG, 0.9, 5, replicates=15),
        model.predict_interval(BAG, 0.9, 5, replicates=15),
    )


@pytest.mark.parametrize("kind", LABELS)
def test_a_model_without_folds_is_small_and_still_estimates(kind, path):
    model = fitted(ClassifyAndCount(StructuralSVM("kld")), LABELS[kind])
    loaded = saved_and_loaded(model, path)
    assert "out_of_fold" not in take_apart(path.read_bytes()).blocks
    assert_array_equal(loaded.predict(BAG), model.predict(BAG))
    with pytest.raises(ValueError, match="an interval needs out-of-fold scores"):
        loaded.predict_interval(BAG)


@pytest.mark.parametrize(
    "labels",
    [
        ["no", "maybe", "yes"],
        ["no\n", "mäybe", "\ud800"],
        [3, 1, 2],
        [2**62, -1, 5],
        [1.0, 2.0, 4.0],
        np.array([1, 2, 3], np.uint8),
        np.array([1, 2, 3], ">i2"),
        np.array(["a", "b", "c"], dtype="<U9"),
        np.array(["no", "maybe", "yes"], dtype=object),
    ],
    ids=str,
)
def test_labels_keep_their_values_and_types(labels, path):
    y = np.asarray(labels)[np.arange(40) % 3]
    model = fitted(TrainingPrevalence(), y)
    loaded = saved_and_loaded(model, path)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert list(map(type, loaded.classes_)) == list(map(type, model.classes_))


def test_booleans_stay_booleans(path):
    loaded = saved_and_loaded(fitted(TrainingPrevalence(), FIRST == "battery"), path)
    assert loaded.classes_.dtype == np.bool_
    assert loaded.classes_.tolist() == [False, True]


def test_names_of_columns_are_kept(path):
    y = pd.DataFrame(LABELS["multilabel"], columns=["battery", 7, "both\nlines"])
    loaded = saved_and_loaded(fitted(y=y), path)
    assert loaded.classes_.tolist() == ["battery", 7, "both\nlines"]


def test_a_label_that_no_document_has_is_kept(path):
    y = np.column_stack([LABELS["multilabel"], np.zeros(40, int), np.ones(40, int)])
    model = fitted(AdjustedCount(LinearSVM(), folds=3), y)
    loaded = saved_and_loaded(model, path)
    assert_array_equal(loaded.predict(BAG), model.predict(BAG))
    assert loaded.predict(BAG)[3:].tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    "y", [np.zeros((40, 2), int), np.ones((40, 1), int), np.full(40, "same")], ids=np.shape
)
@pytest.mark.parametrize("classifier", [LinearSVM(), StructuralSVM("kld")], ids=str)
def test_a_model_with_nothing_to_learn_is_kept(classifier, y, path):
    model = fitted(AdjustedCount(classifier, folds=3), y)
    assert_array_equal(saved_and_loaded(model, path).predict(BAG), model.predict(BAG))


def test_a_quantifier_of_vectors_is_loaded_as_one(path):
    X = pd.DataFrame(RNG.normal(size=(40, 3)), columns=["a", "b", "c"])
    model = ClassifyAndCount(LinearSVM()).fit(X, LABELS["multiclass"])
    loaded = saved_and_loaded(model, path)
    assert type(loaded) is ClassifyAndCount
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c"]
    assert_array_equal(loaded.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(X.rename(columns={"a": "d"}))


def test_a_pipeline_is_loaded_as_one(path):
    model = make_pipeline(LtcVectorizer(), ClassifyAndCount(LinearSVM())).fit(TEXTS, FIRST)
    loaded = saved_and_loaded(model, path)
    assert type(loaded) is Pipeline
    assert [name for name, _ in loaded.steps] == ["ltcvectorizer", "classifyandcount"]
    assert_array_equal(loaded.predict(BAG), model.predict(BAG))


def test_parameters_are_kept(path):
    quantifier = ThresholdCount(LinearSVM(C=0.1, n_jobs=2), policy="x", folds=3, seed=np.int64(9))
    vectorizer = LtcVectorizer(stop_words={"the", "a"}, stemmer="german", min_df=0.05)
    model = TextQuantifier(quantifier, vectorizer).fit(TEXTS, LABELS["binary"])
    params = saved_and_loaded(model, path).get_params()
    for name, value in {
        "quantifier__policy": "x",
        "quantifier__folds": 3,
        "quantifier__seed": 9,
        "quantifier__classifier__C": 0.1,
        "quantifier__classifier__n_jobs": 2,
        "vectorizer__stop_words": ["a", "the"],
        "vectorizer__stemmer": "german",
        "vectorizer__min_df": 0.05,
    }.items():
        assert params[name] == value, name
        assert type(params[name]) is type(value), name


def test_a_loaded_model_can_be_fitted_again(path):
    loaded = saved_and_loaded(fitted(), path)
    assert_array_equal(clone(loaded).fit(TEXTS, FIRST).predict(BAG), fitted(y=FIRST).predict(BAG))


def test_the_layout_of_arrays_in_memory_is_kept(path):
    y = np.asfortranarray(LABELS["multilabel"].astype(bool))
    scores = np.asfortranarray(RNG.normal(size=y.shape))
    scorer = LinearScorer(np.eye(3, dtype=np.float32), np.zeros(3, dtype=np.float32))
    training = TrainingScores(scorer, scores, y, 1.0, np.arange(3), "multilabel")
    loaded = saved_and_loaded(AdjustedCount(LinearSVM()).fit_scores(training), path).scores_
    assert loaded.y.flags.f_contiguous
    assert loaded.out_of_fold.flags.f_contiguous
    assert loaded.scorer.coef.dtype == np.float32
    assert_array_equal(loaded.y, y)
    assert_array_equal(loaded.out_of_fold, scores)


def test_a_file_holds_every_field_of_the_training_scores():
    # A new field must go into the file, or predictions of a loaded model may differ.
    known = "scorer out_of_fold y seconds classes kind counts_each_class"
    assert [field.name for field in fields(TrainingScores)] == known.split()


def test_every_quantifier_can_be_saved():
    from quantext import quantifiers
    from quantext.models.save import _QUANTIFIERS

    classes = {getattr(quantifiers, name) for name in quantifiers.__all__}
    kinds = {cls for cls in classes if issubclass(cls, Quantifier) and cls is not Quantifier}
    assert set(_QUANTIFIERS.values()) == kinds


def test_equal_models_give_equal_files(tmp_path):
    first, second, third = (tmp_path / f"{i}.qx" for i in range(3))
    save(fitted(), first)
    save(fitted(), second)
    save(load(first), third)
    assert first.read_bytes() == second.read_bytes() == third.read_bytes()


@pytest.mark.parametrize(
    ("version", "about"),
    [(1, {}), (2, {"text": ["review"], "label": "part", "method": "ACC"})],
)
def test_files_of_all_formats_are_still_loaded(version, about):
    model = load(ROOT / "tests" / "data" / f"model-format-{version}.qx")
    assert model.about_ == about
    assert model.classes_.tolist() == ["battery", "screen", "sound"]
    assert model.quantifier.folds == 4
    # What the model said when it was saved. The count is [2, 2, 4] / 8 before it is corrected.
    bag = ["my battery is empty", "a crack in the screen", "so loud", "loud!"] * 2
    assert_allclose(model.predict(bag), [4 / 15, 1 / 4, 29 / 60], atol=1e-9)
    low, high = model.predict_interval(bag, replicates=50)
    assert (low < high).all()


# Classifiers and losses that are not ours.


def test_a_users_loss_predicts_but_cannot_be_fitted_again(path):
    def lopsided(table):
        return (2 * table.fp + table.fn) / (2 * table.size)

    model = fitted(ClassifyAndCount(StructuralSVM(lopsided)), LABELS["binary"])
    loaded = saved_and_loaded(model, path)
    assert_array_equal(loaded.predict(BAG), model.predict(BAG))
    with pytest.raises(ValueError, match="does not keep the code of the loss lopsided"):
        clone(loaded).fit(TEXTS, LABELS["binary"])
    again = saved_and_loaded(loaded, path)
    assert again.quantifier.classifier.loss == loaded.quantifier.classifier.loss
    again.set_params(quantifier__classifier__loss=lopsided).fit(TEXTS, LABELS["binary"])
    assert_array_equal(again.predict(BAG), model.predict(BAG))


@pytest.mark.parametrize("loss", ["kld", PrevalenceLoss(measures.kld)], ids=["name", "callable"])
def test_a_known_loss_is_kept_by_its_name(loss, path):
    model = fitted(ClassifyAndCount(StructuralSVM(loss)), LABELS["binary"])
    assert saved_and_loaded(model, path).quantifier.classifier.loss == "kld"


@pytest.mark.parametrize("kind", LABELS)
def test_another_linear_classifier_is_kept_by_its_weights(kind, path):
    model = fitted(ProbabilisticAdjustedCount(LogisticRegression(), folds=3), LABELS[kind])
    loaded = saved_and_loaded(model, path)
    assert_array_equal(loaded.predict(BAG), model.predict(BAG))
    with pytest.raises(ValueError, match="keeps the weights of a LogisticRegression"):
        clone(loaded).fit(TEXTS, LABELS[kind])
    loaded.set_params(quantifier__classifier=LogisticRegression()).fit(TEXTS, LABELS[kind])
    assert_array_equal(loaded.predict(BAG), model.predict(BAG))


def test_a_frozen_linear_classifier_is_kept_by_its_weights(path):
    X = RNG.normal(size=(40, 3))
    frozen = FrozenEstimator(LogisticRegression().fit(X, FIRST))
    model = AdjustedCount(frozen).fit(X, FIRST)
    loaded = saved_and_loaded(model, path)
    assert loaded.classifier.name == "LogisticRegression"
    assert_array_equal(loaded.predict(X), model.predict(X))


def test_a_classifier_that_is_not_linear_is_refused_and_the_file_left_alone(path):
    path.write_bytes(b"what was there")
    model = AdjustedCount(GaussianNB(), folds=2).fit(RNG.normal(size=(40, 3)), FIRST == "battery")
    with pytest.raises(TypeError, match=r"of a GaussianNB cannot be saved.*LogisticRegression"):
        save(model, path)
    assert path.read_bytes() == b"what was there"


class OwnCount(ClassifyAndCount):
    pass


class OwnTexts(TextQuantifier):
    pass


def test_what_cannot_be_saved_is_named(path):
    tfidf = TextQuantifier(ClassifyAndCount(LinearSVM()), TfidfVectorizer()).fit(TEXTS, FIRST)
    pipeline = make_pipeline(TfidfVectorizer(), LinearSVM())
    y = pd.DataFrame({pd.Timestamp("2020-01-01"): FIRST == "battery"})
    odd = ClassifyAndCount(LinearSVM(), seed=[1]).fit([[0.0], [1.0]], [0, 1])
    for model, message in [
        (LinearSVM(), "a LinearSVM cannot be saved in a model file; what can is"),
        (OwnCount(LinearSVM()).fit([[0.0], [1.0]], [0, 1]), "a OwnCount cannot be saved"),
        (OwnTexts(TrainingPrevalence()).fit(TEXTS, FIRST), "a OwnTexts cannot be saved"),
        (tfidf, "a TfidfVectorizer cannot be saved in a model file; use a LtcVectorizer"),
        (pipeline, "only a Pipeline of a LtcVectorizer and a quantifier"),
        (TrainingPrevalence().fit(np.zeros((40, 1)), y), "classes of the type object cannot"),
        (odd, "seed of ClassifyAndCount is [1], which cannot be saved"),
    ]:
        with pytest.raises(TypeError, match=re.escape(message)):
            save(model, path)


def test_names_that_do_not_fit_into_a_file_are_refused(path):
    y = np.array(["a", "b" * 2**23], dtype=object)[np.arange(40) % 2]
    with pytest.raises(ValueError, match="take 8 MB, and a model file has room for 8"):
        save(fitted(TrainingPrevalence(), y), path)


@pytest.mark.parametrize(
    "model",
    [
        ClassifyAndCount(LinearSVM()),
        TextQuantifier(ClassifyAndCount(LinearSVM())),
        make_pipeline(LtcVectorizer(), ClassifyAndCount(LinearSVM())),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_model_must_be_fitted_to_be_saved(model, path):
    with pytest.raises(NotFittedError):
        save(model, path)
    assert not path.exists()


# Written whole or not at all.


def test_a_full_disk_leaves_the_old_file(path):
    save(fitted(), path)
    before = path.read_bytes()
    larger = fitted(y=LABELS["multilabel"])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, hard))
    try:
        with pytest.raises(OSError, match="large"):
            save(larger, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_an_interrupted_save_leaves_nothing(path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(container.os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(fitted(), path)
    assert os.listdir(path.parent) == []


def test_a_link_stays_a_link_and_permissions_stay(path):
    link = path.with_name("link.qx")
    path.write_bytes(b"")
    path.chmod(0o640)
    link.symlink_to(path)
    save(fitted(), link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    load(path)


def test_a_missing_folder_is_named(path):
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        save(fitted(), path.parent / "missing" / "model.qx")


def test_only_a_regular_file_is_replaced(tmp_path):
    with pytest.raises(ValueError, match="is not a regular file"):
        save(fitted(), tmp_path)


# What is no valid model file is refused.


def refused(data, path, message, **options):
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match=message) as caught:
        load(path, **options)
    assert str(caught.value).startswith(f"{path} ")
    assert len(str(caught.value)) < len(str(path)) + 310


def test_any_flipped_bit_is_noticed(path):
    save(fitted(TrainingPrevalence(), LABELS["binary"]), path)
    data = path.read_bytes()
    for i in range(len(data)):
        changed = bytearray(data)
        changed[i] ^= 1 << i % 8
        refused(bytes(changed), path, "is not a quantext model file|damaged or incomplete")


def test_a_file_that_is_cut_off_or_too_long_is_noticed(path):
    save(fitted(TrainingPrevalence(), LABELS["binary"]), path)
    data = path.read_bytes()
    refused(b"", path, "is empty")
    for length in range(1, len(data)):
        refused(data[:length], path, "is not a quantext model file|damaged or incomplete")
    refused(data + b"\0", path, "damaged or incomplete")


ABOUT = {"text": ["title", "body"], "label": "topic", "known_share": 0.5, "folds": 9, "old": None}


def test_what_is_said_about_a_model_is_kept(path):
    save(fitted(), path, about=ABOUT)
    assert load(path).about_ == ABOUT
    assert HEADER.unpack(path.read_bytes()[: HEADER.size])[1] == 2


def test_without_anything_about_it_the_file_is_of_the_first_version(path):
    save(fitted(), path)
    assert load(path).about_ == {}
    assert HEADER.unpack(path.read_bytes()[: HEADER.size])[1] == 1


@pytest.mark.parametrize("value", [{"a": 1}, [1], np.ones(2), object()])
def test_only_plain_values_can_be_said_about_a_model(path, value):
    with pytest.raises(TypeError, match="about can only have names with strings, numbers"):
        save(fitted(), path, about={"value": value})
    assert not path.exists()


@pytest.mark.parametrize("about", [[], "text", {"text": {"a": 1}}, {"text": ["a", 1]}])
def test_what_a_file_says_about_a_model_is_checked(path, parts, about):
    manifest = {**parts.manifest, "about": about}
    refused(replace(parts, manifest=manifest, version=2).pack(), path, "not of plain types")


def test_a_newer_file_asks_for_an_upgrade(path, parts):
    data = replace(parts, version=3).pack()
    refused(data, path, r"newer quantext \(format 3, .* up to 2\); upgrade")
    refused(replace(parts, version=0).pack(), path, "unknown format 0")


class Trap:
    def __reduce__(self):
        return os.abort, ()


def test_a_pickle_is_not_run(path):
    refused(pickle.dumps(Trap()), path, "is not a quantext model file")


def test_a_zip_file_is_not_unpacked(path):
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


def at(*keys):
    """Function that sets the value at these keys of a manifest."""

    def change(manifest, value):
        for key in keys[:-1]:
            manifest = manifest[key]
        manifest[keys[-1]] = value

    return change


QUANTIFIER, VECTORIZER = ("model", "quantifier"), ("model", "vectorizer")
CLASSIFIER = (*QUANTIFIER, "classifier")


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("model", "type"), "os.system", "a model of the type 'os.system' is unknown"),
        (("model", "type"), "a" * 10**6, "a model of the type 'aaaa"),
        (("model", "extra"), 1, "TextQuantifier does not have the keys"),
        ((*QUANTIFIER, "type"), "Popen", "the quantifier 'Popen' is unknown"),
        ((*QUANTIFIER, "type"), "ThresholdCount", "parameters of ThresholdCount does not have"),
        ((*QUANTIFIER, "kind"), "binary", "4 columns of labels for 4 classes"),
        ((*QUANTIFIER, "kind"), "ternary", "the kind 'ternary' is unknown"),
        ((*QUANTIFIER, "classes", "values"), ["a", "b"], "4 columns of labels for 2 classes"),
        ((*QUANTIFIER, "classes", "values"), [1, 2, 3, 4], "classes are not of the type <U7"),
        ((*QUANTIFIER, "classes", "values"), [[], {}, "", 1], "classes are of an unknown type"),
        ((*QUANTIFIER, "classes", "dtype"), "<U2", "classes are not of the type <U2"),
        ((*QUANTIFIER, "classes", "dtype"), "<U99999999", "MB of memory"),
        ((*QUANTIFIER, "classes", "dtype"), "<U999999999", "is not consistent"),
        ((*QUANTIFIER, "classes", "dtype"), "<M8[s]", "classes are of an unknown type"),
        ((*QUANTIFIER, "classes", "dtype"), "<f1", "is not consistent"),
        ((*QUANTIFIER, "n_features"), 10**9, "cannot have 1000000000 features"),
        ((*QUANTIFIER, "n_features"), True, "n_features of the quantifier is a bool"),
        ((*QUANTIFIER, "feature_names"), ["a"], "not one for each feature"),
        ((*QUANTIFIER, "constants"), [1.0, 1.0], "constant scores are not one for each column"),
        ((*QUANTIFIER, "constants"), [1.0] * 4, "arrays that belong nowhere: 'coef', 'intercept'"),
        ((*QUANTIFIER, "params", "folds"), [], "folds of .* is a list"),
        ((*CLASSIFIER, "type"), "Pipeline", "the classifier 'Pipeline' is unknown"),
        ((*CLASSIFIER, "params", "n_jobs"), 10**6, "n_jobs of LinearSVM is 1000000"),
        (CLASSIFIER, None, "the classifier does not have the keys"),
        ((*VECTORIZER, "n_jobs"), -(10**6), "n_jobs of LtcVectorizer is -1000000"),
        ((*VECTORIZER, "stemmer"), "zig", "stemmer 'zig' is unknown"),
        ((*VECTORIZER, "stop_words"), "zig", "stop_words 'zig' is unknown"),
        ((*VECTORIZER, "stop_words"), [1], "one of its stop words is no string"),
        ((*VECTORIZER, "min_df"), {"a": 1}, "min_df of .* is a dict"),
        (("arrays", "coef", "type"), "object", "array coef is of the type 'object'"),
        (("arrays", "coef", "order"), "K", "array coef has no known layout"),
        (("arrays", "coef", "shape"), [8, 4, 1], "array coef has no known layout"),
        (("arrays", "coef", "shape"), [-8, -4], r"array coef has the shape \[-8, -4\]"),
        (("arrays", "coef", "shape"), [8, 4.0], "array coef has the shape"),
        (("arrays", "coef", "shape"), [4, 8], "weights are not one column for each"),
        (("arrays", "coef", "shape"), [8, 5], "cannot have 256 bytes"),
        (("arrays", "coef", "shape"), [2**40, 2**40], "cannot have 256 bytes"),
        (("arrays", "intercept", "shape"), [2, 2], "weights are not one column for each"),
        (("arrays", "idf", "shape"), [4, 2], "not one distinct term for each idf"),
        (("arrays", "y", "shape"), [4, 40], "4 columns|40 columns"),
        (("arrays", "y", "shape"), [39, 4], "is not consistent"),
        (("arrays", "out_of_fold", "shape"), [4, 40], "out-of-fold scores are not one for each"),
        (("arrays", "vocabulary", "shape"), [7], "vocabulary has not the words it announces"),
        (("arrays", "vocabulary", "shape"), [2**50], "MB of memory"),
        (("arrays", "y"), None, "array y does not have the keys"),
        (("arrays",), [], "manifest has no arrays"),
        (("quantext",), None, "quantext of the manifest is a NoneType"),
        (("model",), [], "model of the manifest is a list"),
    ],
    ids=lambda value: ".".join(value) if isinstance(value, tuple) else "",
)
def test_a_manifest_that_makes_no_sense_is_refused(place, value, message, path, parts):
    manifest = json.loads(json.dumps(parts.manifest))
    at(*place)(manifest, value)
    stored = {name: zlib.compress(block) for name, block in sorted(parts.blocks.items())}
    refused(parts.sign(json.dumps(manifest).encode(), stored), path, message)


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
        (b"{}", "manifest has no arrays"),
        (b" " * (2**23 + 1), "manifest cannot have"),
    ],
    ids=lambda value: str(value[:10]) if isinstance(value, bytes) else None,
)
def test_a_manifest_that_is_no_manifest_is_refused(manifest, message, path, parts):
    refused(parts.sign(manifest, {}), path, message)


@pytest.mark.parametrize(
    ("name", "block", "message"),
    [
        ("coef", planes(np.full(32, np.nan)), "coef has a number that is not finite"),
        ("coef", planes([np.inf] + [0.0] * 31), "coef has a number that is not finite"),
        ("intercept", planes([-1e200, 0, 0, 0]), "beyond 1e100"),
        ("out_of_fold", planes(np.full(160, np.nan)), "out_of_fold has a number"),
        ("idf", planes(np.full(8, -1.0)), "idf is no logarithm"),
        ("idf", planes(np.full(8, 1e9)), "idf is no logarithm"),
        ("y", b"\xff" * 20, "not in exactly one class"),
        ("vocabulary", b"a\n" * 8, "not one distinct term"),
        ("vocabulary", b"a\nb\nc\nd\ne\nf\ng\nh\xff\n", "vocabulary is not UTF-8"),
        ("vocabulary", b"a\nb\nc\nd\ne\nf\ng\n\nh", "has not the words it announces"),
        ("stranger", b"", "array stranger does not have the keys"),
    ],
)
def test_numbers_and_words_that_make_no_sense_are_refused(name, block, message, path, parts):
    refused(replace(parts, blocks=parts.blocks | {name: block}).pack(), path, message)


def test_a_vocabulary_of_another_size_than_the_weights_is_refused(path, parts):
    manifest = json.loads(json.dumps(parts.manifest))
    manifest["arrays"]["vocabulary"]["shape"] = manifest["arrays"]["idf"]["shape"] = [2]
    blocks = parts.blocks | {"vocabulary": b"a\nb\n", "idf": planes([1.0, 2.0])}
    data = replace(parts, manifest=manifest, blocks=blocks).pack()
    refused(data, path, "its vectors have not the length that its quantifier needs")


@pytest.mark.parametrize("steps", [["a", "a"], ["a"], ["a", "b", "c"], ["a", 1], [[], {}]], ids=str)
def test_a_pipeline_without_two_names_is_refused(steps, path, parts):
    model = parts.manifest["model"] | {"type": "Pipeline", "steps": ["a", "b"]}
    path.write_bytes(replace(parts, manifest=parts.manifest | {"model": model}).pack())
    assert type(load(path)) is Pipeline
    manifest = parts.manifest | {"model": model | {"steps": steps}}
    refused(replace(parts, manifest=manifest).pack(), path, "not two different names")


def test_a_method_without_its_out_of_fold_scores_is_refused(path, parts):
    manifest = json.loads(json.dumps(parts.manifest))
    del manifest["arrays"]["out_of_fold"]
    blocks = {name: block for name, block in parts.blocks.items() if name != "out_of_fold"}
    data = replace(parts, manifest=manifest, blocks=blocks).pack()
    refused(data, path, "AdjustedCount learns from out-of-fold scores")


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        (b"", "array coef has not the bytes"),
        (b"garbage", "array coef: Error"),
        (zlib.compress(b"\0" * 255), "array coef has not the bytes"),
        (zlib.compress(b"\0" * 10**8), "array coef has not the bytes"),
        (zlib.compress(b"\0" * 256)[:-1], "array coef has not the bytes"),
        (zlib.compress(b"\0" * 256) + b"more", "array coef has not the bytes"),
    ],
    ids=["nothing", "garbage", "short", "bomb", "cut", "more"],
)
def test_blocks_that_do_not_expand_as_announced_are_refused(stored, message, path, parts):
    manifest = json.loads(json.dumps(parts.manifest))
    manifest["arrays"]["coef"]["stored"] = len(stored)
    blocks = {name: zlib.compress(block) for name, block in sorted(parts.blocks.items())}
    data = parts.sign(json.dumps(manifest).encode(), blocks | {"coef": stored})
    refused(data, path, message)


def test_blocks_must_fill_the_file(path, parts):
    data = parts.pack()
    manifest = json.loads(json.dumps(take_apart(data).manifest))
    manifest["arrays"]["y"]["stored"] += 1
    stored = {name: zlib.compress(block) for name, block in sorted(parts.blocks.items())}
    refused(parts.sign(json.dumps(manifest).encode(), stored), path, "arrays do not fill it")
    manifest["arrays"]["y"]["stored"] = -5
    refused(parts.sign(json.dumps(manifest).encode(), stored), path, "array y has the shape")


def bombs(parts: Parts):
    """Files of less than 1 MB that ask for a lot of memory, with valid checksums."""
    manifest = json.loads(json.dumps(parts.manifest))
    documents = 3 * 10**7
    manifest["arrays"]["y"]["shape"] = [documents, 4]
    yield replace(parts, manifest=manifest, blocks=parts.blocks | {"y": bytes(documents // 2)})
    manifest = json.loads(json.dumps(parts.manifest))
    manifest["arrays"]["coef"]["shape"] = [3 * 10**6, 4]
    yield replace(parts, manifest=manifest, blocks=parts.blocks | {"coef": bytes(96 * 10**6)})
    manifest = json.loads(json.dumps(parts.manifest))
    manifest["arrays"]["vocabulary"]["shape"] = [2 * 10**6]
    yield replace(parts, manifest=manifest, blocks=parts.blocks | {"vocabulary": b"\n" * 2 * 10**6})


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


def test_a_small_file_cannot_take_much_memory(tmp_path, path, parts):
    paths = []
    for i, bomb in enumerate(bombs(parts)):
        paths.append(tmp_path / f"bomb{i}.qx")
        paths[-1].write_bytes(bomb.pack())
        assert paths[-1].stat().st_size < 10**6
    command = [sys.executable, "-c", CHILD, path, *paths]
    child = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert child.returncode == 0, child.stderr
    assert int(child.stdout) < 20_000  # kB: they are refused before they are expanded


def test_whoever_trusts_a_file_may_allow_it_more_memory(path):
    save(fitted(), path)
    with pytest.raises(ModelFileError, match="if you trust it, load it with max_bytes=") as caught:
        load(path, max_bytes=1000)
    needed = int(re.search(r"max_bytes=(\d+)", str(caught.value))[1])
    assert load(path, max_bytes=10 * needed).predict(BAG).shape == (4,)


def test_the_magic_and_the_version_are_where_the_description_says(path):
    save(fitted(), path)
    assert struct.unpack_from("<8sI", path.read_bytes()) == (b"\x93QXMODEL", 1)


def test_the_description_of_the_format_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(ROOT / "docs" / "model-files.md"), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0
