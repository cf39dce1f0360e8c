"""Model files: what was saved is loaded to the last bit, and what cannot be saved is named."""

import doctest
import hashlib
import io
import json
import os
import re
import resource
import stat
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline

from quantext import measures, quantifiers
from quantext.learners.linear import LinearSVM
from quantext.learners.losses import PrevalenceLoss
from quantext.learners.structural import StructuralSVM
from quantext.models.files.known import QUANTIFIERS
from quantext.models.methods import METHODS
from quantext.models.save import load, save
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
from quantext.scores.training import TrainingScores, score_training
from quantext.vectors.ltc import LtcVectorizer
from tests.support.fuzz_modelfile import take_apart
from tests.support.places import ROOT
from tests.support.quick import quick

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


# What is saved comes back.


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_loaded_to_the_last_bit(name, kind, path):
    model = fitted(quick(name, folds=3), LABELS[kind])
    loaded = saved_and_loaded(model, path)
    assert type(loaded) is TextQuantifier
    assert type(loaded.quantifier_) is type(model.quantifier_)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert_array_equal(loaded.classes_, model.classes_)
    assert_array_equal(loaded.predict(BAG), model.predict(BAG))
    if name == "HDx":  # the one without intervals
        return
    assert_array_equal(
        loaded.predict_interval(BAG, 0.9, 5, replicates=5),
        model.predict_interval(BAG, 0.9, 5, replicates=5),
    )


@pytest.mark.parametrize("kind", LABELS)
def test_a_model_without_folds_is_small_and_still_estimates(kind, path):
    model = fitted(ClassifyAndCount(StructuralSVM("kld")), LABELS[kind])
    loaded = saved_and_loaded(model, path)
    assert "out_of_fold.npy" not in take_apart(path.read_bytes()).blocks
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
    vectorizer = LtcVectorizer(stop_words={"the", "a"}, stemmer="german", min_df=0.05, emoji=True)
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
        "vectorizer__emoji": True,
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


def test_every_quantifier_can_be_saved():
    classes = {getattr(quantifiers, name) for name in quantifiers.__all__}
    assert set(QUANTIFIERS.values()) == {
        cls for cls in classes if issubclass(cls, Quantifier) and cls is not Quantifier
    }


def test_how_long_training_took_is_not_in_the_file(path):
    training = fitted().quantifier_.scores_
    model = AdjustedCount(LinearSVM()).fit_scores(replace(training, seconds=123.0))
    assert saved_and_loaded(model, path).scores_.seconds == 0.0


def test_equal_models_give_equal_files(tmp_path):
    first, second, third = (tmp_path / f"{i}.qx" for i in range(3))
    save(fitted(), first)
    save(fitted(), second)
    save(load(first), third)
    assert first.read_bytes() == second.read_bytes() == third.read_bytes()


def npy(values):
    file = io.BytesIO()
    np.save(file, values, allow_pickle=False)
    return file.getvalue()


def test_a_file_written_by_hand_from_the_description_is_loaded(path):
    # Not by our writer: this guards the format against changes that are not meant.
    words = ["battery", "screen", "sound"]
    scores = {
        "type": "TrainingScores",
        "fields": {
            "scorer": {
                "type": "LinearScorer",
                "fields": {
                    "coef": {"array": "scorer.coef"},
                    "intercept": {"array": "scorer.intercept"},
                },
            },
            "out_of_fold": None,
            "y": {"array": "y"},
            "seconds": 0.0,
            "classes": {"dtype": "<U6", "values": ["energy", "screen", "sound"]},
            "kind": "multiclass",
            "counts_each_class": False,
            "features": None,
        },
    }
    svm = {"C": 1.0, "max_iter": 1000, "n_jobs": None, "tol": 0.001}
    quantifier = {
        "type": "ClassifyAndCount",
        "params": {"folds": 0, "seed": 0},
        "classifier": {"type": "LinearSVM", "params": svm},
        "scores": scores,
        "n_features": 3,
        "feature_names": None,
    }
    vectorizer = {
        "max_features": None,
        "min_df": 1,
        "n_jobs": None,
        "stemmer": None,
        "stop_words": ["the"],
    }
    manifest = {
        "format": 1,
        "quantext": "0.1.0",
        "about": {"label": "part"},
        "model": {"type": "TextQuantifier", "vectorizer": vectorizer, "quantifier": quantifier},
        "arrays": {
            "vocabulary.txt": {"words": 3},
            "words.txt": {"words": 3},
            "idf.npy": {"dtype": "<f8", "shape": [3]},
            "scorer.coef.npy": {"dtype": "<f8", "shape": [3, 3]},
            "scorer.intercept.npy": {"dtype": "<f8", "shape": [3]},
            "y.npy": {"dtype": "|b1", "shape": [6, 3]},
        },
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("manifest.json", json.dumps(manifest))
        file.writestr("vocabulary.txt", "".join(f"{word}\n" for word in words))
        file.writestr("words.txt", "".join(f"{word}\n" for word in words))
        file.writestr("idf.npy", npy(np.ones(3)))
        file.writestr("scorer.coef.npy", npy(np.eye(3)))
        file.writestr("scorer.intercept.npy", npy(np.full(3, -0.5)))
        file.writestr("y.npy", npy(np.tile(np.eye(3, dtype=bool), (2, 1))))
        file.comment = b"sha256 " + b"0" * 64
    data = path.read_bytes()[:-64]
    path.write_bytes(data + hashlib.sha256(data).hexdigest().encode())
    model = load(path)
    assert model.about_ == {"label": "part"}
    assert_array_equal(
        model.predict(["the battery", "screen", "sound", "a sound"]), [0.25, 0.25, 0.5]
    )


def test_other_tools_open_a_file(path):
    model = fitted()
    save(model, path)
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        assert file.namelist()[0] == "manifest.json"
        words = file.read("vocabulary.txt").decode().split()
    assert words == list(model.vectorizer_.vocabulary_)
    with np.load(path, allow_pickle=False) as arrays:
        assert_array_equal(arrays["y"], model.quantifier_.scores_.y)
        assert_array_equal(arrays["scorer.coef"], model.quantifier_.scores_.scorer.coef)


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


@pytest.mark.parametrize("y", [FIRST == "battery", FIRST], ids=["two classes", "several"])
def test_a_classifier_that_is_not_linear_is_refused_and_the_file_left_alone(y, path):
    path.write_bytes(b"what was there")
    model = AdjustedCount(GaussianNB(), folds=2).fit(RNG.normal(size=(40, 3)), y)
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
        (pipeline, "only a Pipeline of a vectorizer and a quantifier"),
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

    monkeypatch.setattr(os, "fsync", interrupt)
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


# What a file remembers.


ABOUT = {"text": ["title", "body"], "label": "topic", "known_share": 0.5, "folds": 9, "old": None}


def test_what_is_said_about_a_model_is_kept(path):
    save(fitted(), path, about=ABOUT)
    assert load(path).about_ == ABOUT


def test_nothing_need_be_said_about_a_model(path):
    save(fitted(), path)
    assert load(path).about_ == {}


@pytest.mark.parametrize("value", [{"a": 1}, [1], np.ones(2), object()])
def test_only_plain_values_can_be_said_about_a_model(path, value):
    with pytest.raises(TypeError, match="about can only have names with strings, numbers"):
        save(fitted(), path, about={"value": value})
    assert not path.exists()


def test_the_description_of_the_format_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(ROOT / "docs" / "model-files.md"), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0


# What is not a classifier's scores.


def test_labels_and_posteriors_from_elsewhere_are_kept(tmp_path):
    truth = ["a", "a", "b", "b", "b", "b"]
    for given in (["a", "b", "b", "b", "b", "a"], [0.1, 0.4, 0.6, 0.9, 0.8, 0.7]):
        model = AdjustedCount(None).fit_scores(TrainingScores.given(given, truth))
        save(model, tmp_path / "model.qx")
        again = load(tmp_path / "model.qx")
        np.testing.assert_array_equal(again.predict(given[:3]), model.predict(given[:3]))
        assert again.scores_.scorer == model.scores_.scorer


def test_features_by_class_are_kept(tmp_path):
    X, y = np.eye(6, 4) + np.arange(4), ["a", "b", "c"] * 2
    scores = score_training(LinearSVM(), X, y, folds=2, features=True)
    save(AdjustedCount(LinearSVM()).fit_scores(scores), tmp_path / "model.qx")
    found = load(tmp_path / "model.qx").scores_.features
    np.testing.assert_array_equal(found.sums.toarray(), scores.features.sums.toarray())
    np.testing.assert_array_equal(found.variance, scores.features.variance)
