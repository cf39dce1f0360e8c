import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression

from quantext.learners.linear import LinearSVM
from quantext.quantifiers import (
    AdjustedCount,
    ClassifyAndCount,
    MedianSweep,
    ProbabilisticAdjustedCount,
    TrainingPrevalence,
)
from quantext.quantifiers.adaptive import AdaptiveCount
from quantext.quantifiers.intervals import bounds
from quantext.scores.training import TrainingScores


def scores_of(y, rng):
    return (rng.normal(size=len(y)) + 2 * np.asarray(y) - 1)[:, None]


def training(rng, n=400, p=0.3):
    y = np.arange(n) < p * n
    classes = np.array(["no", "yes"])
    return TrainingScores(np.asarray, scores_of(y, rng), y[:, None], 0.0, classes, "binary")


@pytest.mark.parametrize("quantifier", [AdjustedCount(None), ProbabilisticAdjustedCount(None)])
def test_nine_intervals_of_ten_contain_the_share_of_the_bag(quantifier):
    rng = np.random.default_rng(0)
    hits = []
    for p in np.linspace(0, 1, 60):
        fitted = quantifier.fit_scores(training(rng))
        y = np.arange(200) < round(200 * p)
        low, high = fitted.predict_interval(scores_of(y, rng), level=0.9, replicates=100)
        hits.append(low[1] <= y.mean() <= high[1])
    # Binomial with 60 and 0.9: 54 ± 2.3; fewer than 47 or all 60 would be one in 500.
    assert 47 <= sum(hits) < 60


def test_a_classifier_that_never_erred_leaves_room_for_the_errors_it_may_still_make():
    # 10 of 30 documents are positive. That none of 50 of a class was mistaken leaves room for 3/50:
    # 0.6 of the positives may be lost, 1.2 of the others won, in whole documents 1 and 2.
    y = np.arange(100) < 50
    sure = np.where(y, 1.0, -1.0)[:, None]
    scores = TrainingScores(np.asarray, sure, y[:, None], 0.0, np.arange(2), "binary")
    low, high = AdjustedCount(None).fit_scores(scores).predict_interval(sure[40:70])
    assert_allclose(low * 30, [18, 9])
    assert_allclose(high * 30, [21, 12])


def test_a_bag_of_one_document_is_not_known_for_sure():
    y = np.arange(100) < 50
    sure = np.where(y, 1.0, -1.0)[:, None]
    scores = TrainingScores(np.asarray, sure, y[:, None], 0.0, np.arange(2), "binary")
    for quantifier in (AdjustedCount(None), ClassifyAndCount(None), AdaptiveCount(None)):
        low, high = quantifier.fit_scores(scores).predict_interval(sure[:1])
        assert_allclose(low, 0, atol=1e-12)
        assert_allclose(high, 1)


def test_adaptive_intervals_have_width_where_classes_are_perfectly_separated():
    y = np.arange(100) < 50
    sure = np.where(y, 1.0, -1.0)[:, None]
    scores = TrainingScores(np.asarray, sure, y[:, None], 0.0, np.arange(2), "binary")
    low, high = AdaptiveCount(None).fit_scores(scores).predict_interval(sure[40:70])
    assert ((high - low) * 30 >= 1).all()


def test_higher_level_gives_a_wider_interval():
    rng = np.random.default_rng(1)
    fitted = MedianSweep(None).fit_scores(training(rng))
    bag = scores_of(rng.random(150) < 0.5, rng)
    narrow, wide = (fitted.predict_interval(bag, level, replicates=300) for level in (0.5, 0.99))
    assert wide[0][1] < narrow[0][1] < narrow[1][1] < wide[1][1]


def test_interval_depends_on_the_seed_alone():
    rng = np.random.default_rng(1)
    fitted = AdjustedCount(None).fit_scores(training(rng))
    bag = scores_of(rng.random(150) < 0.5, rng)
    first, again, other = (fitted.predict_interval(bag, seed=seed) for seed in (1, 1, 2))
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_interval_of_a_summary_is_that_of_the_bag():
    rng = np.random.default_rng(1)
    fitted = AdjustedCount(None).fit_scores(training(rng))
    bag = scores_of(rng.random(150) < 0.5, rng)
    summary = fitted.summarise(bag[:70]) + fitted.summarise(bag[70:])
    assert_array_equal(fitted.interval(summary), fitted.predict_interval(bag))


def test_bounds_of_two_classes_mirror_each_other():
    rng = np.random.default_rng(1)
    fitted = AdjustedCount(None).fit_scores(training(rng))
    low, high = fitted.predict_interval(scores_of(rng.random(150) < 0.5, rng))
    assert_allclose(low, 1 - high[::-1], atol=1e-12)


def test_labels_have_intervals_of_their_own():
    rng = np.random.default_rng(1)
    y = np.column_stack([np.arange(90) < 30, np.zeros(90, bool), np.arange(90) < 60])
    out_of_fold = np.hstack([scores_of(column, rng) for column in y.T])
    scores = TrainingScores(np.asarray, out_of_fold, y, 0.0, np.arange(3), "multilabel")
    fitted = AdjustedCount(None).fit_scores(scores)
    low, high = fitted.predict_interval(out_of_fold)
    assert np.all(low[[0, 2]] < high[[0, 2]])
    assert low[1] == high[1] == 0  # a label that no document has
    alone = TrainingScores(
        np.asarray, out_of_fold[:, :1], y[:, :1], 0.0, np.arange(1), "multilabel"
    )
    own = AdjustedCount(None).fit_scores(alone).predict_interval(out_of_fold[:, :1])
    assert_array_equal(np.ravel(own), [low[0], high[0]])


def test_classify_and_count_needs_folds_for_an_interval():
    X, y = np.arange(20.0)[:, None], np.arange(20) >= 10
    with pytest.raises(ValueError, match=r"out-of-fold scores.*fit with folds >= 2"):
        ClassifyAndCount(LogisticRegression()).fit(X, y).predict_interval(X)
    low, high = ClassifyAndCount(LogisticRegression(), folds=5).fit(X, y).predict_interval(X)
    assert np.all(low <= high)


@pytest.mark.parametrize("level", [0, 1, 95, -0.1])
def test_level_is_a_share_of_bags(level):
    rng = np.random.default_rng(1)
    for quantifier in (AdjustedCount(None), TrainingPrevalence()):
        with pytest.raises(ValueError, match=r"between 0 and 1, such as 0\.95"):
            quantifier.fit_scores(training(rng)).predict_interval([[0.0]], level)


def test_an_interval_needs_replicates():
    rng = np.random.default_rng(1)
    for quantifier in (AdjustedCount(None), TrainingPrevalence()):
        with pytest.raises(ValueError, match="replicates is 0; an interval needs at least one"):
            quantifier.fit_scores(training(rng)).predict_interval([[0.0]], replicates=0)


def test_errors_are_taken_off_once_and_bounds_rounded_outward_to_whole_documents():
    # Estimates are 0.1 to 0.2 too high: the truth is 0.3 to 0.4.
    errors = np.linspace(0.1, 0.2, 101)[:, None]
    low, high = bounds(np.array([0.5]), errors, level=0.9, size=1000)
    assert_allclose([low[0], high[0]], [0.305, 0.395])
    low, high = bounds(np.array([0.5]), errors, level=0.9, size=40)  # 12.2 and 15.8 documents
    assert_allclose([low[0], high[0]], [12 / 40, 16 / 40])


def test_bounds_stay_in_the_unit_interval():
    errors = np.linspace(-1, 1, 101)[:, None]
    assert_array_equal(np.ravel(bounds(np.array([0.5]), errors, 0.95, size=10)), [0, 1])


def test_a_method_that_does_not_correct_has_its_interval_nearer_to_the_truth():
    # tpr 0.8, fpr 0.3: of a bag at 0.9 CC says 0.75. There it would say 0.675, 0.075 too little, at
    # 0.825 it would say 0.7125, 0.1125 too little: so the truth should be near 0.8625.
    rng = np.random.default_rng(0)
    y = np.repeat([False, True], 400)
    said = np.where(rng.random(800) < np.where(y, 0.8, 0.3), 1.0, -1.0)
    scores = TrainingScores.given(np.where(said > 0, "yes", "no"), np.where(y, "yes", "no"))
    bag = np.where(rng.random(2000) < np.repeat([0.8, 0.3], [1800, 200]), "yes", "no")
    counter = ClassifyAndCount(None).fit_scores(scores)
    p_hat, (low, high) = counter.predict(bag), counter.predict_interval(bag)
    assert p_hat[1] < low[1] < 0.8625 < high[1]
    corrected = AdjustedCount(None).fit_scores(scores)
    low, high = corrected.predict_interval(bag)
    assert low[1] <= corrected.predict(bag)[1] <= high[1]


def test_classes_that_are_counted_one_by_one_share_their_replicates():
    # Each class is told from the others without error, so every replicate's estimate is its truth;
    # what is left is a document of doubt on either side.
    y = np.arange(90) % 3
    sure = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    scores = TrainingScores(
        np.asarray, sure, sure > 0, 0.0, np.arange(3), "multiclass", counts_each_class=True
    )
    low, high = ClassifyAndCount(None).fit_scores(scores).predict_interval(sure[:10])
    assert_allclose(low, [0.3, 0.2, 0.2])
    assert_allclose(high, [0.5, 0.4, 0.4])


def test_threads_do_not_change_an_interval():
    rng = np.random.default_rng(1)
    y = np.column_stack([np.arange(90) < 30, np.arange(90) % 4 == 0])
    out_of_fold = np.hstack([scores_of(column, rng) for column in y.T])
    scores = TrainingScores(np.asarray, out_of_fold, y, 0.0, np.arange(2), "multilabel")
    one, two = (
        ProbabilisticAdjustedCount(LinearSVM(n_jobs=n)).fit_scores(scores) for n in (None, 2)
    )
    assert_array_equal(one.predict_interval(out_of_fold), two.predict_interval(out_of_fold))


def test_training_prevalence_is_as_uncertain_as_both_sets_are_small():
    y = np.arange(400) < 100
    fitted = TrainingPrevalence().fit(np.zeros((400, 1)), y)
    # Standard error of the difference of two shares: √(p(1−p)(1/400 + 1/100)) = 0.0484.
    low, high = fitted.predict_interval(np.zeros((100, 1)))
    assert_allclose([low[1], high[1]], [0.25 - 1.96 * 0.0484, 0.25 + 1.96 * 0.0484], atol=0.02)
    both = TrainingPrevalence().fit(np.zeros((400, 1)), np.column_stack([y, ~y]))
    low, high = both.predict_interval(np.zeros((100, 1)))
    assert_allclose(high - low, 2 * 1.96 * 0.0484, atol=0.03)
