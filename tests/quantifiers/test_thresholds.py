"""Counts at other thresholds, worked by hand."""

import pytest
from numpy.testing import assert_allclose

from quantext.quantifiers import (
    MedianSweep,
    ThresholdCount,
)
from tests.support.ten_documents import BAG, TEN, share, training


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("T50", (3 / 10 - 0) / (2 / 4 - 0)),  # t = 1, where tpr is one half exactly
        # |fpr − (1−tpr)| is 1/3 at −2, |1/6 − 1/4| = 1/12 at −1 and 1/2 at 1: so t = −1.
        ("X", (6 / 10 - 1 / 6) / (3 / 4 - 1 / 6)),
        # tpr − fpr is 1/6, 1/3, 2/3, 7/12, 1/2, 1/4, 0: largest at t = −2.
        ("MAX", (8 / 10 - 1 / 3) / (2 / 3)),
        # Corrected at −4 … 2: .4, .7, .7, 26/35, .6, .4; at 3 tpr = fpr. Median of six: (.6+.7)/2.
        ("MS", 0.65),
        # tpr − fpr > 1/4 at −3, −2, −1 and 1: .7, .7, 26/35, .6. (At 2 it is 1/4, not more.)
        ("MS2", 0.7),
    ],
)
def test_ten_documents_at_thresholds_are_worked_by_hand(method, expected):
    assert_allclose(share(method, TEN, BAG), expected, rtol=0, atol=1e-12)


def test_thresholds_that_tie_go_to_the_larger_difference_then_to_zero():
    # tpr is 3/4 above −1 and 1/4 above 1: as close to one half. fpr is 1/2 and 0, so tpr − fpr is
    # 1/4 at both. |t| ties as well, and the lower is taken: (cc − 1/2)/(1/4).
    scores = training([2, 1, 1, -1], [1, -1])
    assert_allclose(share("T50", scores, [0, 0, 0, -2, -2]), (3 / 5 - 1 / 2) / (1 / 4))
    # tpr − fpr is 1 − 1/2 above −3, 1/2 − 1/2 above −2, 1/2 − 0 above −1.5: MAX has a tie between
    # −3 and −1.5, and takes the one nearer to zero.
    scores = training([1, 1, -2, -2], [-3, -1.5])
    assert_allclose(share("MAX", scores, [0, -2.5, -2.5, -2.5]), (1 / 4) / (1 / 2))


def test_an_unknown_policy_is_an_error():
    with pytest.raises(ValueError, match="policy 't60' is unknown; choose t50, x or max"):
        ThresholdCount(None, policy="t60").fit_scores(TEN)


def test_a_difference_that_no_rates_have_is_an_error():
    with pytest.raises(ValueError, match=r"min_difference is 1\.5"):
        MedianSweep(None, min_difference=1.5).fit_scores(TEN)
