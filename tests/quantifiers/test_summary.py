"""Summaries and tallies: what adds up, and what does not."""

from functools import reduce
from operator import add

import numpy as np
import pytest

from quantext.quantifiers.summary import CoarseTally, Summary
from tests.support.ten_documents import METHODS, TEN


def test_summaries_of_different_quantifiers_do_not_add_up_silently():
    cc = METHODS["CC"].fit_scores(TEN).summarise([[1.0]])
    with pytest.raises(ValueError, match="different quantifiers"):
        cc + Summary(1, ())


def test_summaries_differ_if_the_bags_do():
    fitted = METHODS["MS"].fit_scores(TEN)
    assert fitted.summarise([[0.0]]) != fitted.summarise([[1.5]])


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
