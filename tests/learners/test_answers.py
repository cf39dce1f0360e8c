"""AnswerClassifier: what an answer stands for, worked by hand."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from quantext.learners.answers import AnswerClassifier


def test_an_answer_that_names_a_class_stands_for_it_however_often_it_is_wrong():
    X = np.eye(2)[[0, 1, 1, 1]]
    judge = AnswerClassifier(["a", "b"]).fit(X, ["b", "a", "a", "b"])
    assert judge.predict(np.eye(2)).tolist() == ["a", "b"]
    assert_array_equal(judge.coef_, [[-1, 1]])


def test_any_other_stands_for_the_class_whose_documents_give_it_most_often():
    # Two of two documents of the rare class, and three of eight of the other, have answer 1.
    answers = [1, 1, 0, 0, 0, 0, 0, 1, 1, 1]
    y = ["rare"] * 2 + ["usual"] * 8
    judge = AnswerClassifier([None] * 3).fit(np.eye(3)[answers], y)
    assert judge.predict(np.eye(3)).tolist() == ["usual", "rare", "usual"]  # the last: never given


def test_three_classes_have_a_score_each():
    judge = AnswerClassifier(["a", "b", "c", None]).fit(np.eye(4), ["a", "b", "c", "b"])
    assert_array_equal(
        judge.decision_function(np.eye(4)), [[1, -1, -1], [-1, 1, -1], [-1, -1, 1], [-1, 1, -1]]
    )


def test_meanings_are_as_many_as_columns():
    with pytest.raises(ValueError, match="X has 3 columns, but there are 2 meanings"):
        AnswerClassifier(["a", "b"]).fit(np.eye(3), ["a", "b", "a"])
