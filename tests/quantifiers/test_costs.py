"""Class distribution estimation, worked by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from quantext.quantifiers import CostCount
from quantext.quantifiers.costs import Costs
from quantext.scores.calibration import LOGISTIC
from tests.support.ten_documents import HALF, TWO


def rest(log_odds, prevalence=0.5):
    """Where the count rests, of documents whose posteriors have these log-odds."""
    learned = Costs(LOGISTIC, prevalence)
    method = CostCount(None)
    counts = method.count(learned, np.array(log_odds, dtype=float)[:, None])
    return method.estimate(learned, counts, len(log_odds))[1]


def test_the_count_rests_where_it_confirms_itself():
    # Two of ten are above 0: odds 1/4, so the threshold goes up to ln 4 = 1.39, and leaves one. Its
    # odds are 1/9, the threshold is ln 9 = 2.2, and the one at 3 is above it still.
    assert rest([3, 1] + [-1] * 8) == pytest.approx(0.1)
    # At 2 it would not be: then none is left, and none it stays.
    assert rest([2, 1] + [-1] * 8) == 0
    # Seven are above 0: odds 7/3, the threshold is −0.85 and lets the one at −0.5 in, which makes
    # it −ln 4 = −1.39, below the two at −1; all are positive then.
    assert rest([2] * 7 + [-0.5, -1, -1]) == 1
    assert rest([2] * 7 + [-0.5, -4, -4]) == pytest.approx(0.8)


def test_costs_are_those_of_a_change_since_training():
    # One of four is above 0, as in training: nothing has changed, and the cost stays 1.
    assert rest([0.1, -0.1, -0.1, -0.1], prevalence=0.25) == 0.25


def test_a_document_at_the_threshold_is_not_counted():
    assert rest([0, 0, 5, 5]) == 0.5


def test_two_scores_are_calibrated_first():
    # The posteriors are 21/32 and 35/144: half of the bag is above ½. Its odds are 1, those of
    # training 4/6, so the threshold is at the odds 2/3, and 35/109 is below: the count rests.
    found = CostCount(None).fit_scores(TWO).predict(np.array(HALF, dtype=float)[:, None])
    assert_allclose(found, [0.5, 0.5])
