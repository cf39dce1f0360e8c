"""TextQuantifier: the vectorizer and the quantifier by hand, streams, and scikit-learn's habits."""

from functools import reduce
from operator import add

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict

from quantext.learners.linear import LinearSVM
from quantext.measures import ae, kld
from quantext.models.methods import METHODS, method
from quantext.models.save import load, save
from quantext.models.textquantifier import TextQuantifier
from quantext.quantifiers import AdaptiveCount, AdjustedCount, ClassifyAndCount
from quantext.vectors.batches import BATCH
from quantext.vectors.ltc import LtcVectorizer

WORDS = {
    "battery": ["battery", "charge", "power", "drain", "empty"],
    "screen": ["screen", "glass", "pixel", "bright", "crack"],
    "sound": ["speaker", "loud", "noise", "volume", "music"],
}
SHARED = ["phone", "bought", "week", "good", "bad", "again", "never", "works"]


def survey(shares, seed):
    """Texts of four words, mostly of their class, and the class of each."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(list(WORDS), shares)
    texts = []
    for label in labels:
        own = rng.choice(WORDS[label], 2)
        others = rng.choice([*SHARED, *WORDS["battery"], *WORDS["screen"], *WORDS["sound"]], 2)
        texts.append(" ".join([*own, *others]))
    return texts, labels


TEXTS, LABELS = survey([30, 20, 10], seed=0)
BAG, BAG_LABELS = survey([5, 10, 25], seed=1)


@pytest.fixture(scope="module")
def model():
    return TextQuantifier(AdjustedCount(LinearSVM(), folds=5)).fit(TEXTS, LABELS)


def test_it_is_the_vectorizer_and_the_quantifier_one_after_the_other(model):
    vectorizer = LtcVectorizer().fit(TEXTS)
    quantifier = AdjustedCount(LinearSVM(), folds=5).fit(vectorizer.transform(TEXTS), LABELS)
    X = vectorizer.transform(BAG)
    assert model.classes_.tolist() == ["battery", "screen", "sound"]
    np.testing.assert_array_equal(model.predict(BAG), quantifier.predict(X))
    np.testing.assert_array_equal(
        model.predict_interval(BAG, 0.9, 3, replicates=50),
        quantifier.predict_interval(X, 0.9, 3, replicates=50),
    )


@pytest.mark.parametrize("name", METHODS)
def test_a_stream_of_texts_is_estimated_from_the_sum_of_its_summaries(name):
    model = TextQuantifier(METHODS[name].make()).fit(TEXTS, LABELS)
    chunks = [BAG[:1], BAG[1:9], BAG[9:]]
    summary = reduce(add, map(model.summarise, chunks))
    assert summary == model.summarise(BAG)
    np.testing.assert_array_equal(model.aggregate(summary), model.predict(BAG))


def test_an_interval_of_a_summary_is_that_of_its_texts(model):
    summary = model.summarise(BAG[:20]) + model.summarise(BAG[20:])
    np.testing.assert_array_equal(
        model.interval(summary, 0.8, 1, replicates=20),
        model.predict_interval(BAG, 0.8, 1, replicates=20),
    )


def test_many_blocks_of_scores_give_the_summary_of_one(model):
    texts = BAG * 60
    assert len(texts) > 2 * BATCH
    whole = model.summarise(texts)
    assert model.summarise(texts, at_once=1) == whole


def test_texts_may_be_any_iterable_of_strings(model):
    expected = model.predict(BAG)
    for texts in (tuple(BAG), np.array(BAG), pl.Series(BAG), iter(BAG)):
        np.testing.assert_array_equal(model.predict(texts), expected)


def test_labels_in_columns_are_estimated_one_by_one():
    y = np.column_stack([LABELS == "screen", LABELS == "sound"]).astype(int)
    model = TextQuantifier(ClassifyAndCount(LinearSVM())).fit(TEXTS, y)
    for j, label in enumerate(["screen", "sound"]):
        alone = TextQuantifier(ClassifyAndCount(LinearSVM())).fit(TEXTS, label == LABELS)
        assert model.predict(BAG)[j] == alone.predict(BAG)[1]


def test_fitting_leaves_its_parts_as_they_were():
    quantifier, vectorizer = ClassifyAndCount(LinearSVM()), LtcVectorizer(stemmer=None)
    model = TextQuantifier(quantifier, vectorizer).fit(TEXTS, LABELS)
    assert model.quantifier is quantifier
    assert not hasattr(quantifier, "scores_")
    assert not hasattr(vectorizer, "vocabulary_")
    assert model.vectorizer_.stemmer is None


def test_two_models_share_no_default_vectorizer():
    first = TextQuantifier(ClassifyAndCount(LinearSVM())).fit(TEXTS, LABELS)
    before = first.predict(BAG)
    TextQuantifier(ClassifyAndCount(LinearSVM())).fit(["other words", "altogether"], [0, 1])
    np.testing.assert_array_equal(first.predict(BAG), before)


def test_a_clone_has_the_parameters_and_nothing_learned(model):
    again = clone(model)
    assert not hasattr(again, "classes_")
    again.set_params(quantifier__classifier__C=2.0)
    assert again.get_params()["quantifier__classifier__C"] == 2.0
    assert model.quantifier.classifier.C == 1.0


def test_another_vectorizer_will_do():
    model = TextQuantifier(ClassifyAndCount(LinearSVM()), TfidfVectorizer()).fit(TEXTS, LABELS)
    X = TfidfVectorizer().fit(TEXTS).transform(BAG)
    np.testing.assert_array_equal(model.predict(BAG), model.quantifier_.predict(X))
    with pytest.raises(TypeError, match="TfidfVectorizer does not say which words it knows"):
        model.known_share(BAG)


def test_the_known_share_counts_words_that_are_no_stop_words():
    vectorizer = LtcVectorizer(stop_words="english")
    model = TextQuantifier(ClassifyAndCount(LinearSVM()), vectorizer).fit(
        ["good battery", "bad screen"], [0, 1]
    )
    # Known: batteries (by its stem), good, good. Unknown: accu. "The", "is", "and" are stop words.
    assert model.known_share(["The batteries: good!", "", "Good is the accu and"]) == 3 / 4
    assert model.known_share(["der Akku ist leer"]) == 0.0
    assert model.known_share(["", "the 42 😀"]) is None  # nothing is not all
    model.set_params(vectorizer=LtcVectorizer()).fit(["good battery", "bad screen"], [0, 1])
    assert model.known_share(["The batteries: good!", "", "Good is the accu and"]) == 3 / 8


def test_the_known_share_does_not_depend_on_the_threads(model):
    texts = [*BAG, "une langue inconnue"] * 60
    alone = model.known_share(texts)
    assert 0 < alone < 1
    two = clone(model).set_params(vectorizer=LtcVectorizer(n_jobs=2)).fit(TEXTS, LABELS)
    assert two.known_share(texts) == alone


@pytest.mark.parametrize("name", ["PACC", "pacc", "Pacc"])
def test_a_name_stands_for_its_method(name):
    model = TextQuantifier(name).fit(TEXTS, LABELS)
    expected = TextQuantifier(method("PACC")).fit(TEXTS, LABELS)
    np.testing.assert_array_equal(model.predict(BAG), expected.predict(BAG))


def test_a_name_is_a_parameter_like_any_other():
    model = TextQuantifier("CC")
    assert model.get_params() == {"quantifier": "CC", "vectorizer": None}
    assert repr(model) == repr(clone(model)) == "TextQuantifier(quantifier='CC')"
    fitted = clone(model).set_params(quantifier="ACC").fit(TEXTS, LABELS)
    assert fitted.quantifier == "ACC"
    assert isinstance(fitted.quantifier_, AdjustedCount)


def test_an_unknown_name_is_an_error_on_fitting_that_names_close_ones():
    model = TextQuantifier("pac")
    with pytest.raises(ValueError, match=r"method 'pac' is unknown; did you mean .*PACC"):
        model.fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="method '' is unknown"):
        TextQuantifier("").fit(TEXTS, LABELS)


def test_a_model_that_was_named_is_saved_and_loaded(tmp_path):
    model = TextQuantifier("ACC").fit(TEXTS, LABELS)
    save(model, tmp_path / "model.qx")
    again = load(tmp_path / "model.qx")
    np.testing.assert_array_equal(again.predict(BAG), model.predict(BAG))
    assert isinstance(clone(again).fit(TEXTS, LABELS).quantifier_, AdjustedCount)


def test_parameters_of_a_part_that_is_named_or_left_out_are_those_of_what_it_stands_for():
    named = TextQuantifier("ACC").set_params(quantifier__classifier__C=2.0, quantifier__folds=3)
    assert repr(named.quantifier) == repr(AdjustedCount(LinearSVM(C=2.0), folds=3))
    at_once = TextQuantifier().set_params(quantifier__folds=3, quantifier="ACC")
    assert repr(at_once.quantifier) == repr(AdjustedCount(LinearSVM(), folds=3))
    default = TextQuantifier().set_params(quantifier__folds=4, vectorizer__stemmer=None)
    assert isinstance(default.quantifier, AdaptiveCount)
    assert default.quantifier.folds == 4
    assert default.vectorizer.stemmer is None


def test_the_score_is_minus_the_error_of_the_bag(model):
    p_true = [5 / 40, 10 / 40, 25 / 40]
    error = kld(p_true, model.predict(BAG), size=40)
    assert model.score(iter(BAG), BAG_LABELS) == pytest.approx(-error)
    error = ae(p_true, model.predict(BAG), size=40)
    assert model.score(BAG, list(BAG_LABELS), measure="ae") == pytest.approx(-error)


def test_texts_are_searched_with_each_fold_a_bag_and_a_warning():
    grid = {"quantifier__classifier__C": [0.1, 1.0]}
    search = GridSearchCV(TextQuantifier("CC"), grid, cv=StratifiedKFold(3))
    with pytest.warns(UserWarning, match=r"qx\.SearchQ"):
        search.fit(TEXTS, LABELS)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_estimator_.quantifier.classifier.C in (0.1, 1.0)


def test_predictions_of_single_texts_are_refused_with_a_sentence():
    with pytest.raises(NotImplementedError, match="one prevalence for a whole bag"):
        cross_val_predict(TextQuantifier("CC"), TEXTS, LABELS)


def test_an_empty_bag_is_refused(model):
    with pytest.raises(ValueError, match="the bag is empty"):
        model.predict([])


def test_one_string_is_not_a_bag(model):
    with pytest.raises(TypeError, match="list or column of strings"):
        model.predict("the battery")


def test_a_text_that_is_no_string_is_named(model):
    with pytest.raises(TypeError, match="is None, not a string"):
        model.predict(["battery", None])


def test_texts_and_labels_must_be_equally_many():
    with pytest.raises(ValueError, match="60 documents"):
        TextQuantifier(ClassifyAndCount(LinearSVM())).fit(TEXTS, LABELS[:-1])


def test_it_must_be_fitted_first():
    model = TextQuantifier(ClassifyAndCount(LinearSVM()))
    for ask in (model.predict, model.known_share, model.aggregate, model.interval):
        with pytest.raises(NotFittedError):
            ask(BAG)
