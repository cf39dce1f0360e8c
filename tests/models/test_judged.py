import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from quantext.models.judged import read_judged

SAID = ["a", "b", "b", "a"]
TRUTH = ["a", None, "b", "b"]
NAN = float("nan")


def test_truths_are_numbers_of_the_classes_and_the_rest_is_not_known():
    judged = read_judged(SAID, TRUTH)
    [question] = judged.questions
    assert question.names == ("a", "b")
    assert question.asked == (0, 1)
    assert_array_equal(judged.known, [0, 2, 3])
    assert_array_equal(question.truth, [0, 1, 1])
    assert judged.bag_names == ("all",)
    assert_array_equal(judged.sizes, [4])


def test_a_label_that_only_the_model_gives_is_a_class_if_it_gives_the_others():
    assert read_judged(["a", "c", "b"], ["b", "a", None]).questions[0].names == ("a", "b", "c")
    assert read_judged(["x", "y", "z"], ["b", "a", None]).questions[0].names == ("a", "b")


def test_classes_can_be_named_and_are_then_in_that_order():
    question = read_judged(SAID, TRUTH, classes=["c", "b", "a"]).questions[0]
    assert question.names == ("c", "b", "a")
    assert_array_equal(question.truth, [2, 1, 1])


def test_shares_as_the_model_says_them_leave_out_missing_answers():
    judged = read_judged(["a", "b", "b", None], ["a", "b", None, None], by=[1, 1, 2, 2])
    raw = judged.questions[0].raw(judged.bags, 2)
    assert_allclose(raw, [[0.5, 0.5], [0, 0.5]])


def test_shares_of_posteriors_are_their_means():
    judged = read_judged(np.array([0.2, 0.4, 0.9]), ["a", "b", None])
    assert_allclose(judged.questions[0].raw(judged.bags, 1), [[0.5, 0.5]])
    both = read_judged(np.array([[0.3, 0.7], [0.5, 0.5]]), ["a", "b"])
    assert_allclose(both.questions[0].raw(both.bags, 1), [[0.4, 0.6]])


def test_a_model_whose_answers_are_no_classes_says_no_shares():
    judged = read_judged(["x", "y", "x"], ["a", "b", None])
    assert np.isnan(judged.questions[0].raw(judged.bags, 1)).all()
    scores = read_judged(np.array([-1.5, 2.0, 0.1]), ["a", "b", None])
    assert np.isnan(scores.questions[0].raw(scores.bags, 1)).all()


def test_two_models_say_the_mean_of_both():
    judged = read_judged({"x": ["a", "a"], "y": ["a", "b"]}, ["a", "b"])
    assert_allclose(judged.questions[0].raw(judged.bags, 1), [[0.75, 0.25]])


TEXTS = ["a;b", "b", ";", "a", "a; b"]
TRUTHS = ["a", "b", ";", "", None]
COLUMNS = {"a": [1.0, 0.0, 0.0, 1.0, 1.0], "b": [1.0, 1.0, 0.0, 0.0, 1.0]}
LOOKED = {"a": [1.0, 0.0, 0.0, NAN, NAN], "b": [0.0, 1.0, 0.0, NAN, NAN]}


@pytest.mark.parametrize(
    "other",
    [
        lambda: read_judged(pd.DataFrame(COLUMNS), pd.DataFrame(LOOKED)),
        lambda: read_judged(pl.DataFrame(COLUMNS), pl.DataFrame(LOOKED)),
        lambda: read_judged(pd.DataFrame(COLUMNS)[["b", "a"]], pd.DataFrame(LOOKED)),
    ],
)
def test_several_labels_in_texts_and_in_columns_are_the_same(other):
    texts, columns = read_judged(TEXTS, TRUTHS, separator=";"), other()
    assert [question.names[1] for question in columns.questions] == ["a", "b"]
    assert_array_equal(texts.known, [0, 1, 2])
    assert_array_equal(columns.known, texts.known)
    for one, two in zip(texts.questions, columns.questions, strict=True):
        assert one.names == two.names
        assert one.asked == two.asked == (1,)
        assert_array_equal(one.truth, two.truth)
        assert_array_equal(one.models[0].codes, two.models[0].codes)


def test_columns_of_posteriors_are_scores_of_each_label():
    judged = read_judged(np.array([[0.3, 1.0], [0.6, np.nan]]), np.array([[0, 1], [1, 1]]))
    first, second = (question.models[0] for question in judged.questions)
    assert_allclose(first.values, [[0.3], [0.6]])
    assert second.names[-1] is None  # 0 and 1 alone are labels


def test_labels_without_a_name_are_called_by_their_column():
    judged = read_judged(np.eye(2), np.eye(2))
    assert [question.names for question in judged.questions] == [("not 0", "0"), ("not 1", "1")]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: read_judged(["a"], TRUTH), "proxy has 1 values and the truth 4"),
        (lambda: read_judged(SAID, TRUTH, by=[1, 2]), "by has 2 values for 4 documents"),
        (lambda: read_judged(SAID, TRUTH, by=[1, None, 2, None]), "row 1 .* and 1 more"),
        (lambda: read_judged(SAID, TRUTH, classes=["a"]), "the truth has 'b', which is none"),
        (lambda: read_judged([0.5, 0.1], ["a", "b"], separator=";"), "not numbers"),
        (lambda: read_judged(np.eye(2), np.array([[0, 2], [1, 1]])), "hold 0 and 1"),
        (lambda: read_judged(np.ones(3), np.eye(3)), r"shape \(3, 3\) and the proxy \(3,\)"),
        (
            lambda: read_judged(pl.DataFrame({"a": [1.0]}), pl.DataFrame({"b": [1.0]})),
            r"columns \['a'\] and the truth \['b'\]",
        ),
    ],
)
def test_what_does_not_fit_together_is_an_error(call, message):
    with pytest.raises(ValueError, match=message):
        call()
