"""Mixtures of score distributions: by hand, and against blends on a grid."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from quantext.quantifiers import MixtureModel
from quantext.quantifiers.mixtures import (
    Polyline,
    area_slope,
)
from tests.support.ten_documents import (
    BAG,
    HALF,
    TEN,
    TWO,
    share,
    training,
)


def test_mm_ks_of_ten_documents_is_worked_by_hand():
    # At t in [−1, 1) the blend is 5/6 − 7λ/12, while F runs from .4 (at −1) to .7 (before 1):
    # the distance is the larger of 13/30 − 7λ/12 and 7λ/12 − 2/15, least (.15) at λ = 17/35.
    # There, all other t have less: 1/7 at −2, .1 below −4 and above 3, .057 in [1, 2).
    assert_allclose(share("MM(KS)", TEN, BAG), 17 / 35, rtol=0, atol=1e-12)


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


def test_an_unknown_distance_is_an_error():
    with pytest.raises(ValueError, match="distance 'l2' is unknown; choose ks or pp"):
        MixtureModel(None, distance="l2").fit_scores(TEN)
