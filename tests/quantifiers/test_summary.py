"""Summaries and tallies: what adds up, and what does not."""

from functools import reduce
from operator import add

import numpy as np
import pytest

from quantext.quantifiers.summary import CoarseTally, MeanTally, Summary, Tally
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


def test_a_mean_tally_puts_numbers_together_that_differ_in_their_last_16_bits():
    tally = MeanTally.of(np.array([0x50001, -2, 0x50004, 0x60000], dtype=np.int32))
    assert tally.keys.tolist() == [-1, 5, 6]
    assert tally.counts.tolist() == [1, 2, 1]
    assert tally.means().tolist() == [-2, 0x50000 + 2.5, 0x60000]


def test_a_mean_tally_leaves_out_what_has_no_weight():
    numbers = np.array([8, 2**20, 9], dtype=np.int32)
    tally = MeanTally.of(numbers, np.array([1, 0, 3]))
    assert tally == MeanTally.of(np.array([8, 9, 9, 9], dtype=np.int32))
    assert len(MeanTally.of(numbers, np.zeros(3, np.int64)).keys) == 0


def test_a_coarse_tally_of_many_rows_puts_those_together_that_differ_in_their_last_16_bits():
    rows = np.array([[0x10100, -1], [0x10300, -5], [0x20100, 7]], dtype=np.int32)
    tally = FewKeys.of(rows, np.array([1, 3, 2]))
    assert tally.lost == 16
    assert tally.keys.tolist() == [[1, -1], [2, 0]]
    assert tally.counts.tolist() == [4, 2]
    # (0x100 + 3 * 0x300) / 4 and (1 + 3 * 5) / 4
    assert tally.means().tolist() == [[0x10000 + 640, -4], [0x20100, 7]]


def test_a_coarse_tally_of_few_rows_tells_apart_what_differs_in_more_than_8_bits():
    tally = FewKeys.of(np.array([[0x10100, 0], [0x10300, 4], [0x10103, 2]], dtype=np.int32))
    assert tally.lost == 8
    assert tally.means().tolist() == [[0x10100 + 1.5, 1], [0x10300, 4]]
    assert tally.counts.tolist() == [2, 1]


def test_tallies_of_different_make_do_not_add_up():
    numbers = np.array([[1, 2]], dtype=np.int32)
    with pytest.raises(ValueError, match="different quantifiers"):
        Summary(1, (Tally.of(numbers),)) + Summary(1, (CoarseTally.of(numbers),))


@pytest.mark.parametrize("n", [2, 3, 40])
def test_a_coarse_tally_does_not_depend_on_the_parts(n):
    rows = np.random.default_rng(n).integers(-(2**18), 2**18, size=(n, 3)).astype(np.int32)
    whole = FewKeys.of(rows)
    assert reduce(add, [FewKeys.of(row) for row in np.split(rows, n)]) == whole
    assert FewKeys.of(rows[n // 2 :]) + FewKeys.of(rows[: n // 2]) == whole
