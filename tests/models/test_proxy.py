"""Models of what other models say: corrected, saved, and used on new documents."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import quantext as qx
from quantext.models.files.flaws import ModelFileError
from quantext.models.proxy import train_proxy
from quantext.texts.answers import join_answers
from quantext.texts.corpus import Corpus
from tests.support.fuzz_modelfile import take_apart


def corpus(truth, **said):
    return Corpus("gold", join_answers(pl.Series(name, own) for name, own in said.items()), truth)


# 80 of 100 spam and 10 of 100 ham were taken for spam.
MODEL = ["spam"] * 80 + ["ham"] * 20 + ["spam"] * 10 + ["ham"] * 90
TRUTH = pl.Series(["spam"] * 100 + ["ham"] * 100)
BAG = ["spam"] * 450 + ["ham"] * 550  # so (0.45 - 0.1) / (0.8 - 0.1) = 0.5 are spam


@pytest.fixture(scope="module")
def several():
    """A model of two others, and what they say of new documents."""
    rng = np.random.default_rng(0)

    def said(y):
        right = np.where(rng.random(len(y)) < 0.8, y, ~y)
        label = np.where(rng.random(len(y)) < 0.1, None, np.where(right, "spam", "ham"))
        return {"model": label.tolist(), "score": (rng.normal(size=len(y)) + 2 * y).tolist()}

    y = rng.random(80) < 0.4
    gold = corpus(pl.Series(np.where(y, "spam", "ham")), **said(y))
    model = train_proxy(gold, ["model", "score"], folds=3).model
    return model, pl.DataFrame(said(rng.random(5000) < 0.7))


def test_labels_are_corrected_by_how_often_they_are_wrong():
    exact = train_proxy(corpus(TRUTH, model=MODEL), ["model"], name="ACC")
    assert_allclose(exact.model.predict(BAG), [0.5, 0.5])
    rates = exact.quality.row(by_predicate=pl.col("class") == "spam", named=True)
    assert (rates["tpr"], rates["fpr"]) == (0.8, 0.1)

    usual = train_proxy(corpus(TRUTH, model=MODEL), ["model"])
    assert (usual.method, usual.warnings) == ("Bayesian CC", ())
    assert_allclose(usual.model.predict(BAG), [0.5, 0.5], atol=0.02)
    low, high = usual.model.predict_interval(BAG)
    assert low[1] < 0.45 < 0.5 < high[1] < 0.65


def test_what_a_model_does_not_say_counts_too():
    said = ["spam" if truth == "spam" else None for truth in TRUTH]
    model = train_proxy(corpus(TRUTH, model=said), ["model"], name="CC").model
    assert_array_equal(model.predict(["spam", None, None, None]), [0.75, 0.25])


def test_labels_need_not_be_called_like_the_classes():
    said = ["1" if answer == "spam" else "0" for answer in MODEL]
    training = train_proxy(corpus(TRUTH, model=said), ["model"], name="ACC", folds=5)
    assert_allclose(training.model.predict(["1"] * 450 + ["0"] * 550), [0.5, 0.5])


def test_classes_that_some_program_wrote_as_fractions_are_named_all_the_same():
    said = ["1.0" if answer == "spam" else None for answer in MODEL]
    truth = pl.Series(["0.0" if own == "spam" else "1.0" for own in TRUTH])  # mostly wrong
    model = train_proxy(corpus(truth, model=said), ["model"], name="CC", folds=5).model
    assert_array_equal(model.predict([1, 1, 1]), [0, 1])


def test_labels_of_three_classes_are_corrected():
    truth = [name for name in "abc" for _ in range(30)]
    said = ["c" if i % 3 == 0 else own for i, own in enumerate(truth)]  # a third become c
    model = train_proxy(corpus(pl.Series(truth), model=said), ["model"], name="ACC").model
    # Of 60 a, 20 are called c; 40 are c. Of no b there is nothing.
    assert_allclose(model.predict(["a"] * 40 + ["c"] * 60), [0.6, 0, 0.4], atol=1e-8)


def test_several_models_know_more_than_either(several):
    model, new = several
    assert model.quantifier_.__class__ is qx.AdaptiveCount
    assert abs(model.predict(new)[1] - 0.7) < 0.1


def test_documents_may_have_several_labels():
    said = [["a"], ["a", "b"], [], ["b"]] * 10
    gold = corpus(pl.Series(said), model=said)
    model = train_proxy(gold, ["model"], folds=3).model
    shares = model.predict(pl.DataFrame({"model": [["a", "b"]] * 30 + [["a"]] * 10}))
    assert shares[0] > 0.8 > shares[1] > 0.6


@pytest.mark.parametrize("which", ["labels", "several"])
def test_a_saved_model_gives_the_same_estimates(which, several, tmp_path):
    model, new = several
    if which == "labels":
        model = train_proxy(corpus(TRUTH, model=MODEL), ["model"]).model
    qx.save(model, tmp_path / "judge.qx")
    loaded = qx.load(tmp_path / "judge.qx")
    assert_array_equal(loaded.predict(new), model.predict(new))
    assert_array_equal(loaded.predict_interval(new), model.predict_interval(new))
    qx.save(loaded, tmp_path / "again.qx")
    assert (tmp_path / "again.qx").read_bytes() == (tmp_path / "judge.qx").read_bytes()


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (("type",), "Popen", "vectorizer 'Popen' is unknown"),
        (("columns",), ["a", "b"], "not different names"),
        (("answers",), {"tuple": []}, "reads no answers"),
        (("answers", "tuple", 0, "fields", "names"), {"tuple": ["a", "a"]}, "not different names"),
        (("answers", "tuple", 0, "fields", "names"), {"tuple": ["\ud800"]}, "surrogates"),
        (("answers", "tuple", 0, "fields", "names"), {"tuple": ["a"]}, "have not the length"),
        (("answers", "tuple", 0, "fields", "had_none"), 3, "had_none of LabelAnswers"),
        (("answers", "tuple", 1, "fields", "deviation"), 0, "not positive"),
        (("answers", "tuple", 1, "type"), "LinearScorer", "unknown type 'LinearScorer'"),
    ],
)
def test_a_file_made_to_do_harm_is_refused(several, tmp_path, keys, value, message):
    qx.save(several[0], tmp_path / "judge.qx")
    parts = take_apart((tmp_path / "judge.qx").read_bytes())
    changed = parts.described("model", "vectorizer", *keys, value=value)
    (tmp_path / "judge.qx").write_bytes(changed.pack())
    with pytest.raises(ModelFileError, match=message):
        qx.load(tmp_path / "judge.qx")


def test_weights_of_several_classes_that_do_not_fit_each_other_are_refused(tmp_path):
    said, truth = pl.Series([0.1, 0.5, 0.8] * 4), pl.Series(["a", "b", "c"] * 4)
    model = train_proxy(corpus(truth, score=said), ["score"], folds=2).model
    qx.save(model, tmp_path / "judge.qx")
    parts = take_apart((tmp_path / "judge.qx").read_bytes())
    changed = parts.changed("scorer.linear.intercept.npy", np.zeros(9))
    (tmp_path / "judge.qx").write_bytes(changed.pack())
    with pytest.raises(ModelFileError, match="intercepts are not one for each column"):
        qx.load(tmp_path / "judge.qx")


def test_files_tables_lists_and_streams_give_the_same_estimates(several, tmp_path):
    model, new = several
    new.write_csv(tmp_path / "new.csv")
    expected = model.predict(new)
    assert_array_equal(qx.estimate(model, tmp_path / "new.csv").estimates.prevalence, expected)
    assert_array_equal(qx.estimate(model, new.to_pandas()).estimates.prevalence, expected)
    renamed = qx.estimate(model, new.rename({"model": "m"}), text=["m", "score"])
    assert_array_equal(renamed.estimates.prevalence, expected)
    one = train_proxy(corpus(TRUTH, model=MODEL), ["model"]).model
    assert_array_equal(qx.estimate(one, BAG).estimates.prevalence, one.predict(iter(BAG)))


def test_nothing_is_said_of_words_and_something_of_new_answers(several, tmp_path):
    model, new = several
    odd = new.with_columns(model=pl.Series(["eggs"] * 1250 + new["model"].to_list()[1250:]))
    result = qx.estimate(model, odd, level=None)
    assert result.notes == [
        "training never had 1,250 answers of those that are given here; each counts as no answer"
    ]
    verdict = result.verdicts["all"]
    assert verdict.level == "distrust"
    assert "12% of what is said of these documents was never said in training" in str(verdict)
    result.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "known from training" not in page
    assert "Reads, in place of texts" in page
    assert result.estimates.known_share == {"all": None}


def test_a_text_quantifier_takes_a_data_frame():
    said = pl.DataFrame({"model": MODEL})
    model = qx.TextQuantifier(qx.AdjustedCount(qx.LinearSVM()), qx.ProxyVectorizer())
    assert_allclose(model.fit(said, TRUTH.to_list()).predict(BAG), [0.5, 0.5])


def test_a_handful_of_labels_is_asked_for():
    with pytest.raises(ValueError, match="gold: only 4 rows have a label to learn from; label at"):
        train_proxy(corpus(TRUTH[98:102], model=MODEL[:4]), ["model"])


def test_a_cluster_reads_texts_alone(several):
    with pytest.raises(TypeError, match=r"reads what other models say .* qx\.estimate reads files"):
        qx.distributed.estimate(several[0], "new.csv", text="model")


def test_columns_that_are_not_there_are_named(several):
    model, new = several
    with pytest.raises(ValueError, match="no column 'score'"):
        qx.estimate(model, new.select("model"))
    with pytest.raises(ValueError, match=r"text names 1 column, and the model reads 2: .*'score'"):
        qx.estimate(model, new, text="model")
    with pytest.raises(TypeError, match="the model reads 2 columns, 'model', 'score'"):
        qx.estimate(model, BAG)
