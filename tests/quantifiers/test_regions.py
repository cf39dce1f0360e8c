"""Regions of three classes or more: what is in them, how large they are, how often they hold."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import helmert

from quantext.learners.linear import LinearSVM
from quantext.models.textquantifier import TextQuantifier
from quantext.quantifiers import (
    AdaptiveCount,
    AdjustedCount,
    ClassifyAndCount,
    ExpectationMaximization,
    ProbabilisticAdjustedCount,
    TrainingPrevalence,
)
from quantext.quantifiers.intervals import bounds
from quantext.quantifiers.regions import (
    Box,
    Region,
    _exact_share,
    _sampled_share,
    find_region,
)
from quantext.quantifiers.triangle import box_corners, place
from quantext.scores.training import TrainingScores

THIRD = np.full(3, 1 / 3)
U = np.array([1.0, -1.0, 0.0]) / np.sqrt(2)  # two directions of length 1, at right angles, along
V = np.array([1.0, 1.0, -2.0]) / np.sqrt(6)  # which shares keep their sum
ABC = np.array(["a", "b", "c"])
NARROW = Box(THIRD, THIRD)


def circle(centre, radius):
    return Region(ABC, centre, 0.95, centre, radius * np.array([U, V]), NARROW)


def given(rng, n=200, p=(0.5, 0.3, 0.2), names=ABC):
    """Scores of documents of several classes, and their classes."""
    codes = rng.choice(len(p), size=n, p=p)
    return rng.normal(size=(n, len(p))) + 2 * (codes[:, None] == np.arange(len(p))), names[codes]


def fitted(quantifier, **options):
    return quantifier.fit_scores(TrainingScores.given(*given(np.random.default_rng(0), **options)))


# What is in a region


def test_border_is_in_the_ellipse_and_what_lies_beyond_is_not():
    axes = np.array([0.2 * U, 0.1 * V])
    region = Region(ABC, THIRD, 0.95, THIRD, axes, NARROW)
    for axis in (*axes, *-axes):
        assert THIRD + axis in region
        assert THIRD + 1.001 * axis not in region
    # (0.6)² + (0.8)² = 1
    assert THIRD + 0.6 * axes[0] + 0.8 * axes[1] in region
    assert THIRD + 0.7 * axes[0] + 0.8 * axes[1] not in region


def test_border_is_in_the_box():
    box = Box(np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.4, 0.5]))
    assert [0.3, 0.4, 0.3] in box
    assert [0.1 + 0.2, 0.2, 0.5] in box
    assert [0.31, 0.39, 0.3] not in box


@pytest.mark.parametrize(
    "region", [circle(np.array([0.9, 0.05, 0.05]), 0.3), Box(0 * U, 0 * U + 1)]
)
def test_what_is_no_prevalence_is_in_no_region(region):
    assert [0.9, 0.1, 0.0] in region
    assert [1.05, 0.0, -0.05] not in region
    assert [0.9, 0.05, 0.04] not in region
    with pytest.raises(ValueError, match=r"has 3 shares, one for each class.*shape \(2,\)"):
        [0.9, 0.1] in region  # noqa: B015


# Volumes


def test_volume_of_a_circle_in_the_triangle():
    # The triangle has sides of √2, so an area of √3/2.
    assert_allclose(circle(THIRD, 0.1).volume_share, np.pi * 0.01 / (np.sqrt(3) / 2))


def test_volume_of_a_circle_on_the_edge_is_that_of_its_half():
    region = circle(np.array([0.5, 0.5, 0.0]), 0.1)
    assert_allclose(region.volume_share, np.pi * 0.005 / (np.sqrt(3) / 2), rtol=0.03)


def test_volume_of_an_ellipse_that_holds_all_prevalences_is_one():
    assert circle(THIRD, 3.0).volume_share == 1


def test_volume_of_a_circle_that_the_triangle_does_not_hold():
    # The one through the middles of the sides, radius √(1/6), is π/6 · 2/√3 of it; the one through
    # the corners is all of it.
    inscribed = circle(THIRD, np.sqrt(1 / 6))
    assert_allclose(inscribed.volume_share, np.pi / 6 / (np.sqrt(3) / 2))
    assert circle(THIRD, np.sqrt(2 / 3) + 1e-6).volume_share == 1


def test_volume_of_a_ball_in_the_tetrahedron():
    # Sides of √2: a volume of 1/3. The inscribed ball has a radius of √(1/12).
    names, quarter = np.array(list("abcd")), np.full(4, 0.25)
    axes = 0.1 * helmert(4)
    region = Region(names, quarter, 0.95, quarter, axes, Box(quarter, quarter))
    assert_allclose(region.volume_share, 4 / 3 * np.pi * 0.001 / (1 / 3))


@pytest.mark.parametrize(
    ("low", "high", "share"),
    [
        ([0.2, 0.2, 0.2], [1, 1, 1], 0.16),  # a triangle with sides of 1 − 0.6
        ([0, 0, 0], [0.5, 0.5, 1], 0.5),  # without two corners of 1/4 each
        ([0, 0, 0, 0], [0.5, 0.5, 0.5, 0.5], 0.5),  # without four of 1/8
        ([0.3, 0.3, 0.0], [0.4, 0.4, 1.0], 0.02),  # a rhombus: 2 · 0.1 · 0.1
        ([0.5, 0.5, 0.5], [1, 1, 1], 0),  # more than all documents
        ([0, 0, 0], [0.3, 0.3, 0.3], 0),  # fewer
        ([0, 0, 0], [1, 1, 1], 1),
    ],
)
def test_volume_of_a_box_by_hand(low, high, share):
    assert_allclose(Box(np.array(low), np.array(high)).volume_share, share, atol=1e-12)


def test_volume_of_many_classes_is_sampled_and_agrees_with_the_sum():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(8))
    low, high = np.maximum(p - 0.04, 0), p + 0.05
    exact = _exact_share(low, high)
    assert_allclose(_sampled_share(low, high), exact, rtol=0.05)
    # The highest of 20 shares is above 1/2 with a chance of 20 / 2^19.
    half = Box(np.zeros(20), np.full(20, 0.5))
    assert_allclose(half.volume_share, 1 - 20 / 2**19, atol=1e-3)
    assert Box(np.zeros(20), np.full(20, 0.01)).volume_share == 0
    assert Box(np.full(20, 0.05), np.full(20, 0.05)).volume_share == 0


# How an ellipse is found


@pytest.mark.parametrize(("level", "factor"), [(0.5, 1.0), (0.9, np.sqrt(-np.log(0.1)))])
def test_ellipse_has_the_shape_of_the_draws_and_holds_the_share_of_them(level, factor):
    # Along U the mean square is (0.1² + 0.1²)/4, along V (0.04² + 0.04²)/4; by these, each of the
    # four draws has a squared distance of 2, and the ellipse through all of them has these axes. A
    # normal distribution has a share of 0.9 within −2 ln 0.1, which is more than 2.
    draws = THIRD + np.array([0.1 * U, -0.1 * U, 0.04 * V, -0.04 * V])
    region = find_region(ABC, THIRD, draws, NARROW, level=level, size=10**9, holds_estimate=True)
    assert_allclose(region.centre, THIRD)
    expected = factor * np.diag([0.1, 0.04])
    assert_allclose(np.abs(region.axes @ np.array([U, V]).T), expected, atol=1e-6)


def test_level_is_the_share_of_draws_in_the_ellipse_or_a_little_more():
    draws = np.random.default_rng(0).dirichlet([200, 100, 50], 1000)
    p = draws.mean(axis=0)
    sizes = []
    for level in (0.5, 0.8, 0.95):
        region = find_region(ABC, p, draws, Box(p, p), level=level, size=10**9, holds_estimate=True)
        assert level <= np.mean([draw in region for draw in draws]) < level + 0.04
        sizes.append(region.volume_share)
    # Of a normal distribution in the plane: −2 ln(0.05) against −2 ln(0.5).
    assert sizes[2] / sizes[0] == pytest.approx(np.log(0.05) / np.log(0.5), rel=0.1)


def test_draws_to_one_side_count_to_the_other_side_as_well():
    # Half of the draws are where the median is, half 0.1 to one side: as if half were 0.1 to either
    # side, a mean square of 0.01 and not of 0.005.
    draws = np.vstack([np.tile(THIRD, (51, 1)), np.tile(THIRD + 0.1 * U, (50, 1))])
    region = find_region(ABC, THIRD, draws, NARROW, level=0.95, size=10**9, holds_estimate=True)
    expected = np.sqrt(0.01 * 100 / 101 * -2 * np.log(0.05))
    assert_allclose(np.linalg.norm(region.axes, axis=1), [expected, 0], atol=1e-6)


def test_ellipse_reaches_as_far_as_the_box_where_draws_say_nothing():
    p = np.array([0.5, 0.3, 0.2])
    reach = np.array([0.04, 0.02, 0.02])
    box = Box(p - reach, p + reach)
    region = find_region(
        ABC, p, np.tile(p, (10, 1)), box, level=0.95, size=100, holds_estimate=True
    )
    assert (np.sqrt((region.axes**2).sum(axis=0)) >= reach).all()
    assert [0.53, 0.285, 0.185] in region
    assert [0.6, 0.25, 0.15] not in region


def test_ellipse_is_never_less_than_half_a_document():
    region = find_region(
        ABC, THIRD, np.tile(THIRD, (10, 1)), NARROW, level=0.95, size=50, holds_estimate=True
    )
    assert_allclose((region.axes**2).sum(axis=1), (0.01 * 1.5) ** 2)


def test_estimate_beside_the_draws_is_held_if_it_must_be():
    draws = THIRD + np.array([0.01 * U, -0.01 * U, 0.01 * V, -0.01 * V])
    far = THIRD + 0.2 * U

    def held(must):
        return far in find_region(
            ABC, far, draws, NARROW, level=0.95, size=100, holds_estimate=must
        )

    assert held(True)
    assert not held(False)


# Regions of quantifiers


@pytest.mark.slow
@pytest.mark.parametrize(
    "quantifier",
    [AdjustedCount(None), ProbabilisticAdjustedCount(None), AdaptiveCount(None)],
    ids=lambda quantifier: type(quantifier).__name__,
)
def test_eight_regions_of_ten_contain_the_shares_of_the_bag(quantifier):
    rng = np.random.default_rng(0)
    ellipses = boxes = 0
    for _ in range(60):
        quantifier.fit_scores(TrainingScores.given(*given(rng)))
        bag, y = given(rng, p=rng.dirichlet(np.ones(3)))
        region = quantifier.predict_region(bag, level=0.8, replicates=100)
        p_true = np.mean(y[:, None] == ABC, axis=0)
        ellipses += p_true in region
        boxes += p_true in region.box
    # Binomial with 60 and 0.8: 48 ± 3.1; fewer than 39 would be one in 300.
    assert ellipses >= 39
    assert boxes >= 39
    # Adaptive doubts more than it must; the others hold no more than they promise.
    assert ellipses < 58 or isinstance(quantifier, AdaptiveCount)


@pytest.mark.parametrize(
    "quantifier",
    [
        AdjustedCount(None),
        ClassifyAndCount(None),
        ExpectationMaximization(None),
        AdaptiveCount(None),
        TrainingPrevalence(),
    ],
    ids=lambda quantifier: type(quantifier).__name__,
)
def test_region_is_made_of_estimate_draws_and_bounds_of_each_class(quantifier):
    quantifier = fitted(quantifier)
    bag, _ = given(np.random.default_rng(1))
    region = quantifier.predict_region(bag, level=0.85, seed=3, replicates=50)
    assert_array_equal(region.classes, ABC)
    assert_array_equal(region.estimate, quantifier.predict(bag))
    draws = quantifier.draw_shares(quantifier.summarise(bag), seed=3, replicates=50)
    assert_allclose(draws.sum(axis=1), 1)
    low, high = bounds(region.estimate, region.estimate - draws, 0.95, len(bag))  # 1 − 0.15/3
    inside = [region.estimate] if quantifier.corrects else []
    assert_array_equal(region.box.low, np.min([low, *inside], axis=0))
    assert_array_equal(region.box.high, np.max([high, *inside], axis=0))
    assert_allclose(region.axes.sum(axis=1), 0, atol=1e-12)
    assert_allclose(region.axes @ region.axes.T, np.diag((region.axes**2).sum(axis=1)), atol=1e-12)
    assert region.estimate in region or not quantifier.corrects
    again = quantifier.predict_region(bag, level=0.85, seed=3, replicates=50)
    assert_array_equal(again.axes, region.axes)


def test_regions_reckon_with_errors_that_training_did_not_show():
    # Ten documents of each class, none mistaken: redrawn from these alone, no estimate errs. A bag
    # of 100 of the first class may yet be of a class whose documents are mistaken 1 time in 10.
    y = np.repeat(ABC, 10)
    quantifier = AdjustedCount(None).fit_scores(TrainingScores.given(y, y))
    region = quantifier.predict_region(np.repeat("a", 100), replicates=200)
    assert region.estimate.tolist() == [1, 0, 0]
    assert [0.9, 0.1, 0.0] in region
    assert [0.9, 0.1, 0.0] in region.box
    assert [0.4, 0.3, 0.3] not in region
    assert [0.4, 0.3, 0.3] not in region.box


def test_draws_of_the_adaptive_method_lie_about_its_estimate_as_wide_as_its_interval():
    quantifier = fitted(AdaptiveCount(None))
    bag, _ = given(np.random.default_rng(1))
    draws = quantifier.draw_shares(quantifier.summarise(bag), replicates=4000)
    assert_allclose(draws.mean(axis=0), quantifier.predict(bag), atol=0.003)
    low, high = quantifier.predict_interval(bag)
    assert_allclose(np.quantile(draws, [0.025, 0.975], axis=0), [low, high], atol=0.015)


def test_more_classes_have_a_region_too():
    names = np.array(list("abcde"))
    quantifier = fitted(AdjustedCount(None), p=(0.2,) * 5, names=names)
    bag, y = given(np.random.default_rng(1), p=(0.2,) * 5, names=names)
    region = quantifier.predict_region(bag, seed=1, replicates=100)
    assert np.mean(y[:, None] == names, axis=0) in region
    assert 0 < region.volume_share < 0.05
    with pytest.raises(ValueError, match="a region of 5 classes cannot be drawn"):
        region.plot()


def test_two_classes_and_labels_are_told_to_use_intervals():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(40, 1))
    two = AdjustedCount(None).fit_scores(TrainingScores.given(scores[:, 0], scores[:, 0] > 0.3))
    with pytest.raises(ValueError, match="there are 2: use predict_interval"):
        two.predict_region(scores[:, 0])
    labels = rng.normal(size=(40, 3))
    many = AdjustedCount(None).fit_scores(TrainingScores.given(labels, labels > 0.3))
    with pytest.raises(ValueError, match="each label has a share of its own: use predict_interval"):
        many.predict_region(labels)


def test_region_needs_out_of_fold_scores_and_a_level():
    X, y = given(np.random.default_rng(0))
    quantifier = ClassifyAndCount(LinearSVM()).fit(X, y)
    with pytest.raises(ValueError, match="fit with folds >= 2"):
        quantifier.predict_region(X)
    with pytest.raises(ValueError, match="level is 95"):
        quantifier.predict_region(X, level=95)


def test_training_documents_of_one_class_leave_a_region_of_little_size():
    X, y = given(np.random.default_rng(0))
    scores = TrainingScores.given(X, y)
    one = y == "a"
    alone = TrainingScores(scores.scorer, X[one], scores.y[one], 0.0, ABC, "multiclass")
    for quantifier in (AdjustedCount(None), AdaptiveCount(None)):
        region = quantifier.fit_scores(alone).predict_region(X, replicates=10)
        assert [1.0, 0.0, 0.0] in region
        assert region.volume_share < 1e-3


def test_region_of_texts():
    texts = ["good phone", "bad phone", "new phone"] * 10
    labels = ["yes", "no", "new"] * 10
    model = TextQuantifier(AdjustedCount(LinearSVM(), folds=3)).fit(texts, labels)
    region = model.predict_region(["good one", "bad one", "bad thing", "new"] * 5, replicates=50)
    assert region.classes.tolist() == ["new", "no", "yes"]
    assert [0.25, 0.5, 0.25] in region


# The triangle


def test_classes_are_the_corners_and_an_even_share_the_middle():
    corners = place(np.vstack([np.eye(3), THIRD]))
    assert_allclose(corners[:3], [[0, 0], [1, 0], [0.5, np.sqrt(0.75)]])
    assert_allclose(corners[3], corners[:3].mean(axis=0))


def test_box_of_three_classes_is_a_hexagon_at_most():
    box = Box(np.array([0.2, 0.2, 0.2]), np.array([0.5, 0.5, 0.5]))
    corners = box_corners(box)
    expected = {(0.2, 0.3, 0.5), (0.3, 0.2, 0.5), (0.5, 0.2, 0.3)}
    expected |= {(0.5, 0.3, 0.2), (0.3, 0.5, 0.2), (0.2, 0.5, 0.3)}
    assert {tuple(corner) for corner in corners.round(9).tolist()} == expected
    # In order along the border: neighbours share a bound.
    for a, b in zip(corners, np.roll(corners, 1, axis=0), strict=True):
        assert (np.abs(a - b) < 1e-9).any()
    assert len(box_corners(Box(THIRD + 0.1, THIRD + 0.2))) == 0


def test_region_is_drawn_in_a_triangle(tmp_path):
    region = fitted(AdjustedCount(None)).predict_region(given(np.random.default_rng(1))[0])
    figure = region.plot()
    assert isinstance(figure, Figure)
    [axes] = figure.axes
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["95% region", "Bounds of each class", "Estimate"]
    assert {"a", "b", "c"} <= {text.get_text() for text in axes.texts}
    ellipse = axes.patches[0].get_xy()
    assert_allclose(ellipse[0], place(region.centre + region.axes[0]))
    figure.savefig(tmp_path / "region.svg")
    assert (tmp_path / "region.svg").stat().st_size > 1000
