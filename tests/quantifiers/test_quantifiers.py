"""Every method on ten documents, worked by hand, and where nothing can be learned."""

from functools import partial, reduce
from operator import add

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from quantext.quantifiers import (
    AdjustedCount,
    ClassifyAndCount,
    ExpectationMaximization,
    MedianSweep,
    MixtureModel,
    ProbabilisticAdjustedCount,
    ProbabilisticCount,
    ThresholdCount,
    TrainingPrevalence,
)
from quantext.quantifiers.counting import correct
from quantext.quantifiers.expectation import expectation_maximization
from quantext.quantifiers.mixtures import (
    Polyline,
    area_slope,
)
from quantext.quantifiers.summary import CoarseTally, Summary
from quantext.scores.calibration import posteriors
from quantext.scores.training import TrainingScores

# The scores are given, so the classifier is never asked.
METHODS = {
    "CC": ClassifyAndCount(None),
    "PCC": ProbabilisticCount(None),
    "PCC(logistic)": ProbabilisticCount(None, posteriors="logistic"),
    "ACC": AdjustedCount(None),
    "PACC": ProbabilisticAdjustedCount(None),
    "PACC(logistic)": ProbabilisticAdjustedCount(None, posteriors="logistic"),
    "T50": ThresholdCount(None, policy="t50"),
    "X": ThresholdCount(None, policy="x"),
    "MAX": ThresholdCount(None, policy="max"),
    "MS": MedianSweep(None),
    "MS2": MedianSweep(None, min_difference=0.25),
    "MM(KS)": MixtureModel(None, distance="ks"),
    "MM(PP)": MixtureModel(None, distance="pp"),
    "EMQ": ExpectationMaximization(None),
    "Training prevalence": TrainingPrevalence(),
}


def training(positive, negative):
    scores = np.array([*positive, *negative], dtype=float)
    y = np.arange(len(scores)) < len(positive)
    return TrainingScores(
        np.asarray, scores[:, None], y[:, None], 0.0, np.array(["no", "yes"]), "binary"
    )


def share(method, scores, bag):
    """Estimated prevalence of the positive class."""
    return METHODS[method].fit_scores(scores).predict(np.array(bag, dtype=float)[:, None])[1]


# Ten training documents, four of them positive. Above (strictly) the thresholds
#     t     −4   −3   −2   −1    0    1    2    3
# lie tp     4    4    4    3    3    2    1    0   of P = 4 positives
#     fp     5    4    2    1    1    0    0    0   of N = 6 negatives
POSITIVE = [3, 2, 1, -1]
NEGATIVE = [1, -1, -2, -2, -3, -4]
TEN = training(POSITIVE, NEGATIVE)
# and of the bag's ten documents
#     cc     .9   .9   .8   .6   .5   .3   .1   .1
BAG = [4, 2, 2, 0.5, 0.25, 0, -1, -1.5, -2, -5]

# The same, with two distinct scores only, at which a fitted sigmoid meets the mean targets exactly.
# Platt's targets are (4+1)/(4+2) = 5/6 for positives and 1/(6+2) = 1/8 for negatives.
#     at +1: 3 positives, 1 negative:   posterior (3·5/6 + 1/8)/4 = 21/32
#     at −1: 1 positive, 5 negatives:   posterior (5/6 + 5·1/8)/6 = 35/144
TWO = training([1, 1, 1, -1], [1, -1, -1, -1, -1, -1])
HALF = [1, 1, 1, 1, 1, -1, -1, -1, -1, -1]
HIGH, LOW = 21 / 32, 35 / 144


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("CC", 5 / 10),  # 0 itself is not above 0
        ("ACC", (1 / 2 - 1 / 6) / (3 / 4 - 1 / 6)),  # = 4/7, with tp = 3 and fp = 1 above 0
        ("T50", (3 / 10 - 0) / (2 / 4 - 0)),  # t = 1, where tpr is one half exactly
        # |fpr − (1−tpr)| is 1/3 at −2, |1/6 − 1/4| = 1/12 at −1 and 1/2 at 1: so t = −1.
        ("X", (6 / 10 - 1 / 6) / (3 / 4 - 1 / 6)),
        # tpr − fpr is 1/6, 1/3, 2/3, 7/12, 1/2, 1/4, 0: largest at t = −2.
        ("MAX", (8 / 10 - 1 / 3) / (2 / 3)),
        # Corrected at −4 … 2: .4, .7, .7, 26/35, .6, .4; at 3 tpr = fpr. Median of six: (.6+.7)/2.
        ("MS", 0.65),
        # tpr − fpr > 1/4 at −3, −2, −1 and 1: .7, .7, 26/35, .6. (At 2 it is 1/4, not more.)
        ("MS2", 0.7),
        # At t in [−1, 1) the blend is 5/6 − 7λ/12, while F runs from .4 (at −1) to .7 (before 1):
        # the distance is the larger of 13/30 − 7λ/12 and 7λ/12 − 2/15, least (.15) at λ = 17/35.
        # There, all other t have less: 1/7 at −2, .1 below −4 and above 3, .057 in [1, 2).
        ("MM(KS)", 17 / 35),
        ("Training prevalence", 4 / 10),
    ],
)
def test_ten_documents_give_the_value_worked_by_hand(method, expected):
    assert_allclose(share(method, TEN, BAG), expected, rtol=0, atol=1e-12)


def test_pcc_is_the_mean_posterior():
    assert_allclose(share("PCC(logistic)", TEN, BAG), np.mean(expit(BAG)), atol=1e-12)
    # Three of ten at +1: .3·21/32 + .7·35/144.
    bag = [1, 1, 1, -1, -1, -1, -1, -1, -1, -1]
    assert_allclose(share("PCC", TWO, bag), 0.3 * HIGH + 0.7 * LOW, atol=1e-9)


def test_pacc_corrects_by_mean_posteriors():
    tpr, fpr = np.mean(expit(POSITIVE)), np.mean(expit(NEGATIVE))
    expected = (np.mean(expit(BAG)) - fpr) / (tpr - fpr)
    assert_allclose(share("PACC(logistic)", TEN, BAG), expected, atol=1e-12)
    # Three of four positives are at +1, one of six negatives is. Posteriors are linear in a
    # two-valued score, so they cancel: (5/10 − 1/6)/(3/4 − 1/6) = 4/7, as for ACC.
    assert_allclose(share("PACC", TWO, HALF), 4 / 7, atol=1e-9)
    assert_allclose(share("ACC", TWO, HALF), 4 / 7, atol=1e-12)


def test_mm_pp_is_worked_by_hand_where_the_plot_is_simple():
    # At −1 the blend is m = λ/4 + (1−λ)5/6 = 5/6 − 7λ/12, at +1 it is 1.
    def blend(m):
        return (5 / 6 - m) * 12 / 7

    # Half of the bag at −1: (0, 0), (1/2, m), (1, 1): no area if m = 1/2.
    assert_allclose(share("MM(PP)", TWO, HALF), blend(1 / 2), atol=1e-9)
    # All of it between: (0, 0), (0, m), (1, m), (1, 1): area (m² + (1−m)²)/2, least at m = 1/2.
    assert_allclose(share("MM(PP)", TWO, [0, 0]), blend(1 / 2), atol=1e-9)
    # Half between, half at +1: (0, m), (1/2, m), (1, 1). For m ≤ 1/2 the first segment leaves
    # (m² + (1/2−m)²)/2, the second (1/2−m)/4: the derivative 2m − 3/4 is zero at m = 3/8.
    assert_allclose(share("MM(PP)", TWO, [0, 0, 0, 1, 1, 1]), blend(3 / 8), atol=1e-9)


def area(share, positive, negative, bag):
    """The definition, literally: the points at every t and just before, and 10,000 strips."""
    ts = np.unique([*positive, *negative, *bag]).astype(float)

    def cumulative(scores):
        scores = np.array(scores)[:, None]
        return np.ravel(np.column_stack([(scores < ts).mean(axis=0), (scores <= ts).mean(axis=0)]))

    # Vertical pieces have no width: nudge them so that the polyline is a function of x.
    F = cumulative(bag) + 1e-9 * np.arange(2 * len(ts))
    x = (np.arange(10_000) + 0.5) / 10_000
    blend = share * cumulative(positive) + (1 - share) * cumulative(negative)
    return np.abs(np.interp(x, F, blend) - x).mean()


def largest_gap(share, positive, negative, bag):
    """The definition, literally: at every t and just before."""
    ts = np.unique([*positive, *negative, *bag])
    gaps = []
    for below in (np.less, np.less_equal):
        F, f1, f0 = (below.outer(s, ts).mean(axis=0) for s in (bag, positive, negative))
        gaps.append(np.abs(F - share * f1 - (1 - share) * f0).max())
    return max(gaps)


@pytest.mark.parametrize("seed", range(12))
def test_no_blend_on_a_grid_is_better_than_that_of_a_mixture(seed):
    rng = np.random.default_rng(seed)
    # Rounded, so that scores tie often.
    positive = np.round(rng.normal(1, 1, 12) * 3) / 3
    negative = np.round(rng.normal(-1, 1, 17) * 3) / 3
    bag = np.round(rng.normal(0, 1.5, 9) * 3) / 3
    scores = training(positive, negative)
    for method, distance in {"MM(KS)": largest_gap, "MM(PP)": area}.items():
        best = min(distance(p, positive, negative, bag) for p in np.linspace(0, 1, 201))
        found = distance(share(method, scores, bag), positive, negative, bag)
        assert found <= best + 1e-6  # the strips' own error


def test_emq_finds_the_maximum_of_the_likelihood():
    # Likelihoods of +1 and −1 in the two classes, posterior over training prevalence:
    positive = np.array([HIGH, LOW]) / 0.4
    negative = (1 - np.array([HIGH, LOW])) / 0.6
    # With gains d = positive − negative and half of the bag at each score, the derivative
    # ½d₁/(n₁+qd₁) + ½d₂/(n₂+qd₂) is zero at q = −(d₁n₂ + d₂n₁)/(2d₁d₂).
    d = positive - negative
    q = -(d[0] * negative[1] + d[1] * negative[0]) / (2 * d[0] * d[1])
    assert 0 < q < 1
    assert_allclose(share("EMQ", TWO, HALF), q, atol=1e-3)  # a bin is 1/1,024 of log-odds wide


def test_thresholds_that_tie_go_to_the_larger_difference_then_to_zero():
    # tpr is 3/4 above −1 and 1/4 above 1: as close to one half. fpr is 1/2 and 0, so tpr − fpr is
    # 1/4 at both. |t| ties as well, and the lower is taken: (cc − 1/2)/(1/4).
    scores = training([2, 1, 1, -1], [1, -1])
    assert_allclose(share("T50", scores, [0, 0, 0, -2, -2]), (3 / 5 - 1 / 2) / (1 / 4))
    # tpr − fpr is 1 − 1/2 above −3, 1/2 − 1/2 above −2, 1/2 − 0 above −1.5: MAX has a tie between
    # −3 and −1.5, and takes the one nearer to zero.
    scores = training([1, 1, -2, -2], [-3, -1.5])
    assert_allclose(share("MAX", scores, [0, -2.5, -2.5, -2.5]), (1 / 4) / (1 / 2))


def test_flat_minima_give_the_point_nearest_to_the_training_prevalence():
    # Below all training scores the blend is 0 and F is 1: the distance is 1 whatever λ.
    for method in ("MM(KS)", "MM(PP)"):
        assert share(method, TEN, [-9, -9]) == pytest.approx(0.4)
    # Half of the bag is below all, so KS is 1/2 or more. With the other half at 0, where the blend
    # is m = 5/6 − 7λ/12, it stays 1/2 as long as |1/2 − m| and |1 − m| do: 1/2 ≤ m ≤ 1, so
    # λ ≤ 4/7, which includes 0.4.
    assert share("MM(KS)", TWO, [-9, 0]) == pytest.approx(0.4)


def test_area_slope_is_the_derivative_of_the_area():
    rng = np.random.default_rng(3)
    x = np.append(0, np.sort(rng.random(5)))
    start, end, start_gain, end_gain = rng.random((4, 5)) * [[1], [1], [-0.5], [-0.5]]
    line = Polyline(x, start, start_gain, end, end_gain)

    def area(p):
        # |linear| on a segment, by 100,000 points
        s = (np.arange(100_000) + 0.5) / 100_000
        left, right = start + p * start_gain - x[:-1], end + p * end_gain - x[1:]
        heights = np.abs(left[:, None] + s * (right - left)[:, None]).mean(axis=1)
        return np.sum(np.diff(x) * heights)

    slope = (area(0.4 + 1e-4) - area(0.4 - 1e-4)) / 2e-4
    assert_allclose(area_slope(0.4, *line), slope, atol=1e-4)


def test_kernel_of_expectation_maximization_agrees_with_a_plain_loop():
    rng = np.random.default_rng(0)
    own = rng.dirichlet([0.5, 0.5, 0.5], size=40)
    weights, p_train = np.full(40, 1 / 40), np.array([0.5, 0.3, 0.2])
    p = p_train
    for _ in range(1000):
        corrected = own * p / p_train
        corrected /= corrected.sum(axis=1, keepdims=True)
        change, p = np.abs(corrected.mean(axis=0) - p).max(), corrected.mean(axis=0)
        if change < 1e-6:
            break
    assert_allclose(expectation_maximization(own, weights, p_train), p, atol=1e-12)


# What cannot be learned


@pytest.mark.parametrize("method", ["ACC", "T50", "X", "MAX", "MS", "MS2"])
def test_adjusted_counts_fall_back_on_the_bare_count_where_tpr_equals_fpr(method):
    # Both classes have the same scores, so tpr = fpr at every threshold.
    assert share(method, training([1, -1], [1, -1]), [2, 2, 2, -2]) == 0.75


def test_pacc_falls_back_on_the_mean_posterior_where_the_classes_look_alike():
    scores = training([1, -1], [1, -1])
    bag = [2, 2, 2, -2]
    assert share("PACC(logistic)", scores, bag) == share("PCC(logistic)", scores, bag)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bag", [[0], [0, 0, 0], [-5], [5, 5]])
def test_no_bag_makes_a_method_leave_the_unit_interval(method, bag):
    for scores in (
        TEN,
        training([0, 0], [0, 0, 0]),  # all equal
        training([-1, -2], [-3, -4]),  # no positives predicted
        training([-2, -2], [3, 3]),  # the wrong way round
        training([1], [-1]),
    ):
        assert 0 <= share(method, scores, bag) <= 1


def test_equal_scores_give_the_documented_values():
    scores = training([0, 0], [0, 0, 0, 0, 0, 0])
    # Nothing is above zero: the bare count is 0.
    for method in ("CC", "ACC", "T50", "X", "MAX", "MS", "MS2"):
        assert share(method, scores, [0, 0]) == 0
    # Mixtures and posteriors know nothing but the training prevalence.
    for method in ("MM(KS)", "MM(PP)", "PCC", "PACC", "EMQ"):
        assert share(method, scores, [0, 0]) == pytest.approx(0.25, abs=1e-12)


# More than two classes

THREE = np.array(["a", "b", "c"])


def three_classes(out_of_fold, y, **options):
    labels = np.array(y)[:, None] == np.arange(3)
    return TrainingScores(
        np.asarray, np.array(out_of_fold, float), labels, 0.0, THREE, "multiclass", **options
    )


# Rows are documents, the highest score of each row decides; class b is mistaken for c half the time
OUT_OF_FOLD = [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]]
SCORES = three_classes(OUT_OF_FOLD, [0, 0, 1, 1, 2, 2])


def test_three_classes_are_counted_by_the_highest_score():
    bag = [[0.1, 0, -1], [-3, -1, -2], [-3, -1, -2], [0, 0, 2]]
    assert_array_equal(METHODS["CC"].fit_scores(SCORES).predict(bag), [0.25, 0.5, 0.25])


def test_three_classes_are_corrected_by_the_whole_matrix():
    # Counted (1/4, 1/4, 1/2), of which b is half of its documents: b = 1/2, c = 1/2 − 1/4.
    bag = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]
    assert_allclose(
        METHODS["ACC"].fit_scores(SCORES).predict(bag), [1 / 4, 1 / 2, 1 / 4], atol=1e-9
    )


def test_correction_of_three_classes_is_the_best_of_all_prevalences():
    rng = np.random.default_rng(5)
    corners = rng.dirichlet([1, 1, 1], size=20_000)
    for _ in range(20):
        rates, counted = rng.dirichlet([1, 1, 1], size=3).T, rng.dirichlet([0.3, 0.3, 0.3])
        error = np.sum((rates @ correct(rates, counted) - counted) ** 2)
        assert error <= np.min(np.sum((corners @ rates.T - counted) ** 2, axis=1)) + 1e-12


def test_correction_without_information_is_what_was_counted():
    counted = np.array([0.2, 0.5, 0.3])
    assert_allclose(correct(np.tile([[0.2], [0.5], [0.3]], 3), counted), counted, atol=1e-6)


def test_three_classes_use_posteriors_that_sum_to_one():
    bag = np.array([[1.0, 0, -2], [3, 1, 1]])
    own = expit(bag)
    expected = (own / own.sum(axis=1, keepdims=True)).mean(axis=0)
    p_hat = METHODS["PCC(logistic)"].fit_scores(SCORES).predict(bag)
    assert_allclose(p_hat, expected, atol=1e-12)


def test_classes_estimated_one_by_one_are_divided_by_their_sum():
    scores = three_classes(OUT_OF_FOLD, [0, 0, 1, 1, 2, 2], counts_each_class=True)
    bag = [[1, 1, -1], [1, -1, -1], [-1, 1, -1], [1, -1, -1]]  # 3/4, 2/4 and 0 are above zero
    assert_allclose(METHODS["CC"].fit_scores(scores).predict(bag), [3 / 5, 2 / 5, 0])


@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize("method", ["CC", "ACC"])
def test_coarse_scores_mean_the_same_to_a_count(method, each):
    bag = np.random.default_rng(0).normal(size=(50, 3))
    scores = three_classes(OUT_OF_FOLD, [0, 0, 1, 1, 2, 2], counts_each_class=each)
    fitted = METHODS[method].fit_scores(scores)
    assert_array_equal(fitted.predict(fitted.coarsen(bag)), fitted.predict(bag))


@pytest.mark.parametrize("method", METHODS)
def test_condensed_scores_have_the_same_summary(method):
    rng = np.random.default_rng(0)
    several = np.round(rng.normal(size=(50, 3)), 1)  # some tie, some are zero
    y = np.array(OUT_OF_FOLD) > 0
    labels = TrainingScores(np.asarray, several[:6], y, 0.0, THREE, "multilabel")
    separate = three_classes(OUT_OF_FOLD, [0, 0, 1, 1, 2, 2], counts_each_class=True)
    for scores, bag in (
        (training([1, 0.5], [-1, 0.2]), several[:, :1]),
        (labels, several),
        (SCORES, several),
        (separate, several),
    ):
        fitted = clone(METHODS[method]).fit_scores(scores)
        condensed = fitted.condense(bag)
        assert fitted.summarise_scores(condensed) == fitted.summarise_scores(bag)
        if method in ("CC", "ACC"):
            assert condensed.nbytes == bag.size


def test_classes_that_are_all_zero_give_the_training_prevalence():
    scores = three_classes([*OUT_OF_FOLD, [0, 0, 1]], [0, 0, 1, 1, 2, 2, 2], counts_each_class=True)
    p_hat = METHODS["CC"].fit_scores(scores).predict([[-1, -1, -1]])
    assert_allclose(p_hat, [2 / 7, 2 / 7, 3 / 7])


def test_emq_of_three_classes_agrees_with_unrounded_posteriors():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=300)
    out_of_fold = rng.normal(size=(300, 3)) - 1 + 2 * (y[:, None] == np.arange(3))
    fitted = METHODS["EMQ"].fit_scores(three_classes(out_of_fold, y))
    bag = rng.normal(size=(200, 3)) - 1
    bag[:120, 2] += 2
    own = posteriors(fitted.learned_[0].sigmoids, bag)
    expected = expectation_maximization(own, np.full(200, 1 / 200), fitted.learned_[0].p_train)
    assert_allclose(fitted.predict(bag), expected, atol=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_class_without_training_scores_does_no_harm(method):
    # A fitted classifier may know a class of which the held-out documents have none.
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=40)
    out_of_fold = rng.normal(size=(40, 3)) + 2 * (y[:, None] == np.arange(3))
    fitted = METHODS[method].fit_scores(three_classes(out_of_fold, y))
    bag = rng.normal(size=(30, 3))
    p_hat = fitted.predict(bag)
    low, high = fitted.predict_interval(bag, replicates=20)
    assert p_hat.sum() == pytest.approx(1)
    assert np.all((low >= 0) & (low <= p_hat) & (p_hat <= high) & (high <= 1))


# Summaries


def test_posterior_sums_of_a_billion_documents_are_exact():
    fitted = METHODS["PCC(logistic)"].fit_scores(TEN)
    summary = fitted.summarise_scores(np.array([[0.3]]))
    for _ in range(30):
        summary = summary + summary
    assert summary.size == 2**30
    assert_allclose(fitted.aggregate(summary)[1], expit(0.3), rtol=0, atol=1e-12)


def test_summaries_of_different_quantifiers_do_not_add_up_silently():
    cc = METHODS["CC"].fit_scores(TEN).summarise([[1.0]])
    with pytest.raises(ValueError, match="different quantifiers"):
        cc + Summary(1, ())


def test_summary_of_many_chunks_equals_that_of_the_whole():
    rng = np.random.default_rng(0)
    bag = np.round(rng.normal(size=(500, 1)), 1)
    for quantifier in METHODS.values():
        fitted = quantifier.fit_scores(TEN)
        chunks = np.split(bag, [3, 50, 51, 300])
        assert reduce(add, map(fitted.summarise, chunks)) == fitted.summarise(bag)


def test_summaries_differ_if_the_bags_do():
    fitted = METHODS["MS"].fit_scores(TEN)
    assert fitted.summarise([[0.0]]) != fitted.summarise([[1.5]])


# Parameters


@pytest.mark.parametrize(
    ("quantifier", "message"),
    [
        (ThresholdCount(None, policy="t60"), "policy 't60' is unknown; choose t50, x or max"),
        (MixtureModel(None, distance="l2"), "distance 'l2' is unknown; choose ks or pp"),
        (ProbabilisticCount(None, posteriors="own"), "choose calibrated or logistic"),
        (MedianSweep(None, min_difference=1.5), "min_difference is 1.5"),
    ],
)
def test_unknown_option_is_an_error_that_says_what_to_choose(quantifier, message):
    with pytest.raises(ValueError, match=message):
        quantifier.fit_scores(TEN)


def test_methods_that_learn_from_folds_say_so():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    with pytest.raises(
        ValueError, match=r"AdjustedCount learns from out-of-fold scores.*folds >= 2"
    ):
        AdjustedCount(LogisticRegression(), folds=0).fit(X, y)
    bare = partial(ProbabilisticCount, LogisticRegression(), folds=0)
    assert bare(posteriors="logistic").fit(X, y).predict(X).sum() == pytest.approx(1)


def test_empty_bag_is_an_error_that_says_so():
    with pytest.raises(ValueError, match="the bag is empty"):
        METHODS["CC"].fit_scores(TEN).predict(np.empty((0, 1)))


class FewKeys(CoarseTally):
    most_keys = 2


def test_a_coarse_tally_puts_rows_with_the_same_first_bits_together_and_keeps_their_sums():
    rows = np.array([[0x0101, 0], [0x0103, 4], [0x0201, 7]], dtype=np.uint16)
    tally = FewKeys.of(rows, np.array([1, 3, 2]))
    assert tally.keys.tolist() == [[1, 0], [2, 0]]
    assert tally.counts.tolist() == [4, 2]
    # (257 + 3 * 259) / 4 and (0 + 3 * 4) / 4
    assert tally.means().tolist() == [[258.5, 3.0], [513.0, 7.0]]


def test_a_coarse_tally_of_few_rows_is_exact():
    tally = FewKeys.of(np.array([[257, 0], [259, 4], [257, 0]], dtype=np.uint16))
    assert tally.means().tolist() == [[257, 0], [259, 4]]
    assert tally.counts.tolist() == [2, 1]


@pytest.mark.parametrize("n", [2, 3, 40])
def test_a_coarse_tally_does_not_depend_on_the_parts(n):
    rows = np.random.default_rng(n).integers(0, 2**16, size=(n, 3)).astype(np.uint16)
    whole = FewKeys.of(rows)
    assert reduce(add, [FewKeys.of(row) for row in np.split(rows, n)]) == whole
    assert FewKeys.of(rows[n // 2 :]) + FewKeys.of(rows[: n // 2]) == whole


def test_coarse_posteriors_hardly_change_the_estimate_of_emq():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 600)
    scores = three_classes(2 * np.eye(3)[y] + rng.normal(size=(600, 3)), y)
    emq = ExpectationMaximization(None).fit_scores(scores)
    drawn = rng.choice(3, 100_000, p=[0.1, 0.3, 0.6])
    bag = 2 * np.eye(3)[drawn] + rng.normal(size=(100_000, 3))
    fine = emq.summarise(bag)
    assert fine.counts[0].lost == 0
    # Twice as many posteriors that are hardly others are too many to be told apart.
    coarse = fine + emq.summarise(bag + rng.normal(scale=1e-3, size=bag.shape))
    assert coarse.counts[0].lost == 8
    assert_allclose(emq.aggregate(coarse), emq.aggregate(fine), atol=1e-4)
