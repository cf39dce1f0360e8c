import numpy as np
import polars as pl
import pytest

from quantext import AdjustedCount, ClassifyAndCount, ProbabilisticCount, TrainingScores

TRUTH = ["a", "a", "b", "b", "b", "b"]
SAID = ["a", "b", "b", "b", "b", "a"]  # right of a 1 in 2, of b 3 in 4


@pytest.mark.parametrize("names", [["a", "b"], [1, 2], [False, True], [-1, 1]])
@pytest.mark.parametrize("column", [list, np.array, pl.Series])
def test_labels_of_any_type_are_counted_and_corrected_by_hand(names, column):
    codes = {"a": names[0], "b": names[1]}
    said, truth = ([codes[label] for label in labels] for labels in (SAID, TRUTH))
    scores = TrainingScores.given(column(said), column(truth))
    bag = column([names[1]] * 5 + [names[0]] * 3)
    np.testing.assert_allclose(
        ClassifyAndCount(None).fit_scores(scores).predict(bag), [3 / 8, 5 / 8]
    )
    # tpr 3/4, fpr 1/2: (5/8 − 1/2) / (1/4) = 1/2.
    np.testing.assert_allclose(AdjustedCount(None).fit_scores(scores).predict(bag), [0.5, 0.5])


def test_labels_of_three_classes_have_a_column_each():
    scores = TrainingScores.given(["a", "b", "c", "c"], ["a", "b", "c", "a"])
    np.testing.assert_array_equal(scores.out_of_fold[2], [-1, -1, 1])
    assert scores.kind == "multiclass"
    counted = ClassifyAndCount(None).fit_scores(scores).predict(["a", "c", "c", "b"])
    np.testing.assert_allclose(counted, [0.25, 0.25, 0.5])


def test_one_score_a_document_tells_two_classes_apart():
    scores = TrainingScores.given([-2.0, 0.5, 1.5, 3.0, 0.1, -0.1], TRUTH)
    counted = ClassifyAndCount(None).fit_scores(scores).predict([-1.0, 2.0, 7.0, 1.0])
    np.testing.assert_allclose(counted, [0.25, 0.75])


@pytest.mark.parametrize("both", [False, True])
def test_posteriors_become_log_odds_and_logistic_gives_them_back(both):
    p = np.array([0.2, 0.4, 0.6, 0.8, 0.9, 0.7])
    given = np.column_stack([1 - p, p]) if both else p
    scores = TrainingScores.given(given, TRUTH)
    np.testing.assert_allclose(scores.out_of_fold[:, 0], np.log(p / (1 - p)))
    counter = ProbabilisticCount(None, posteriors="logistic").fit_scores(scores)
    np.testing.assert_allclose(counter.predict(given[:3]), [0.6, 0.4])


def test_posteriors_of_three_classes_and_columns_of_labels():
    y = ["a", "b", "c"]
    posteriors = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    scores = TrainingScores.given(posteriors, y)
    np.testing.assert_allclose(1 / (1 + np.exp(-scores.out_of_fold)), posteriors)
    labels = TrainingScores.given([[1, 0], [1, 1], [0, 0]], [[1, 0], [0, 1], [0, 0]])
    assert labels.kind == "multilabel"
    np.testing.assert_array_equal(labels.decisions, [[1, 0], [1, 1], [0, 0]])


@pytest.mark.parametrize(
    ("given", "y", "message"),
    [
        (["a", "x"], ["a", "b"], "label 'x' of document 1 .* is no class of y; these are 'a', 'b'"),
        ([3, 1], [0, 1], "label 3 of document 0 .* give them as floating-point numbers"),
        (["a"], ["a", "b"], r"shape \(1,\) for 2 documents"),
        ([0.5, np.nan], ["a", "b"], "score of document 1 .* is not finite"),
        ([[1.0, 2.0], [0.0, 1.0]], ["a", "b"], "must be posteriors, whose rows sum to 1"),
        ([[1.0, 2.0], [0.0, 1.0], [0, 0]], ["a", "b", "c"], "2 columns of scores, but y needs 3"),
        ([1.0, 2.0, 3.5], ["a", "b", "c"], r"label .*1.0.* is no class"),
        ([1, 0], [[1, 0], [0, 1]], "y has 2 labels, so give a column for each"),
    ],
)
def test_what_does_not_fit_is_a_clear_error(given, y, message):
    with pytest.raises(ValueError, match=message):
        TrainingScores.given(given, y)


def test_a_bag_must_be_of_the_same_kind():
    labelled = AdjustedCount(None).fit_scores(TrainingScores.given(SAID, TRUTH))
    with pytest.raises(ValueError, match="label 'c' of document 1"):
        labelled.predict(["a", "c"])
    posteriors = TrainingScores.given([0.1, 0.2, 0.6, 0.7, 0.8, 0.9], TRUTH)
    counter = ProbabilisticCount(None).fit_scores(posteriors)
    with pytest.raises(ValueError, match=r"between 0 and 1, but document 0 .* has 1\.5"):
        counter.predict([1.5, 0.5])
    with pytest.raises(ValueError, match="there should be 1 for each document"):
        counter.predict([[0.5, 0.5]])
