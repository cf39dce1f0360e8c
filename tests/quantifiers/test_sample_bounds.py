import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from quantext.quantifiers.powered import Sample
from quantext.quantifiers.sample_bounds import Steps, group_bounds, split_groups, wilson

NAMED = np.array([0, 1])


def sample_of(table, chance):
    """Documents by answer (row) and truth (column)."""
    answer, truth = np.indices(table.shape).reshape(2, -1)
    kinds = np.repeat(answer, table.ravel())
    classes = np.eye(table.shape[1], dtype=bool)[np.repeat(truth, table.ravel())]
    return Sample(classes, classes.astype(float), kinds, np.full(len(kinds), chance))


def bounds_of(table, counts, *, chance=1e-9, named=NAMED, population=False, level=0.95):
    values = (table + 0.5) / (table + 0.5).sum(axis=1, keepdims=True)
    K = table.shape[1]
    return group_bounds(
        sample_of(table, chance),
        values,
        counts,
        np.ones(K),
        asked=range(K),
        named=named,
        level=level,
        population=population,
    )


def test_wilson_gives_published_bounds():
    # Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I.
    low, high = wilson(np.array([81 / 263, 15 / 148, 0 / 20]), np.array([263, 148, 20]), 0.95)
    assert_allclose(low, [0.2553, 0.0624, 0.0], atol=5e-5)
    assert_allclose(high, [0.3662, 0.1605, 0.1611], atol=5e-5)


def test_a_sample_of_all_documents_leaves_nothing_open():
    assert_allclose(wilson(np.array([0.2]), np.inf, 0.95), [[0.2], [0.2]])


def steps_of(drawn, found, counts=None):
    drawn, found = np.array(drawn, dtype=float), np.array(found, dtype=float)
    return Steps(found / drawn, 10 * drawn if counts is None else np.array(counts), drawn, found)


def test_groups_are_split_where_the_truths_tell_them_apart():
    assert_array_equal(split_groups(steps_of([50, 50, 50], [2, 3, 45]), 8), [0, 0, 1])
    assert_array_equal(split_groups(steps_of([50, 50, 50], [2, 25, 48]), 8), [0, 1, 2])


def test_no_more_groups_than_asked_and_the_widest_apart_first():
    assert_array_equal(split_groups(steps_of([50, 50, 50], [2, 10, 48]), 2), [0, 0, 1])
    assert_array_equal(split_groups(steps_of([50, 50, 50], [2, 10, 48]), 1), [0, 0, 0])


def test_one_document_alone_makes_no_group():
    # Without Yates's half the chi-square would be 7.6.
    assert_array_equal(split_groups(steps_of([22, 3], [0, 1]), 8), [0, 0])


def test_groups_are_the_same_whatever_the_number_of_equal_steps():
    few = split_groups(steps_of([40, 40], [2, 30]), 8)
    many = split_groups(steps_of([20, 20, 20, 20], [1, 1, 15, 15]), 8)
    assert_array_equal(np.repeat(few, 2), many)


def beta_quantiles(table, sizes, k, level=0.95):
    """Quantiles of the share of class k, a weighted sum of beta variables, by drawing them."""
    rng = np.random.default_rng(0)
    groups = np.stack([table[k], np.delete(table, k, axis=0).sum(axis=0)])
    found, others = groups[:, k], groups.sum(axis=1) - groups[:, k]
    weights = np.array([sizes[k], 1 - sizes[k]])
    draws = rng.beta(found + 0.6, others + 0.6, (200_000, 2)) @ weights
    return np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])


@pytest.mark.parametrize(
    "table",
    [[[60, 5], [7, 28]], [[30, 1], [0, 19]], [[90, 2], [1, 7]], [[440, 60], [50, 450]]],
)
def test_bounds_are_quantiles_of_the_sum_of_beta_posteriors(table):
    table, sizes = np.array(table), np.array([0.7, 0.3])
    low, high = bounds_of(table, (1e6 * sizes).astype(int))
    for k in (0, 1):
        expected = beta_quantiles(table, sizes, k)
        width = expected[1] - expected[0]
        # A gamma law with the same three moments: within 4% of the width, most often within 1%.
        assert_allclose([low[k], high[k]], expected, atol=0.04 * width)


def test_answers_that_are_called_like_the_class_are_a_group_of_their_own():
    # The third answer has by luck as many of class 0 as the first, but is not called so.
    table = np.array([[3, 2, 0], [0, 20, 1], [3, 2, 20]])
    counts = np.array([100_000, 400_000, 500_000])
    low, high = bounds_of(table, counts, named=np.arange(3))
    expected = beta_quantiles(table, counts / counts.sum(), 0)
    assert_allclose([low[0], high[0]], expected, atol=0.01)


def test_a_class_seen_twice_has_the_bounds_of_the_sample_alone():
    table = np.array([[50, 1], [1, 1]])
    low, high = bounds_of(table, np.array([900_000, 100_000]))
    assert_allclose([low[1], high[1]], np.ravel(wilson(2 / 53, 53, 0.95)), atol=1e-6)


def test_the_more_documents_were_drawn_the_shorter_and_of_all_nothing_is_left_open():
    table = np.array([[60, 5], [7, 28]])
    widths = []
    for chance in (1e-9, 0.5, 1.0):
        low, high = bounds_of(table, np.array([65, 35]), chance=chance)
        widths.append(high[1] - low[1])
    assert widths[0] > widths[1] > widths[2]
    assert_allclose([low[1], high[1]], [0.33, 0.33])


def test_a_group_of_which_nothing_was_drawn_may_be_anything():
    drawn = np.array([[40, 10], [0, 0]])
    low, high = bounds_of(drawn, np.array([50, 50]), named=np.array([0, 1]))
    assert low[1] < 0.15
    assert high[1] > 0.55


def test_what_a_bag_was_drawn_from_is_less_sure_than_the_bag():
    table, counts = np.array([[60, 5], [7, 28]]), np.array([130, 70])
    here, there = (bounds_of(table, counts, population=own) for own in (False, True))
    assert there[0][1] < here[0][1] < here[1][1] < there[1][1]


def test_a_higher_level_is_wider():
    table, counts = np.array([[60, 5], [7, 28]]), np.array([130, 70])
    nine, ten = (bounds_of(table, counts, level=level) for level in (0.9, 0.99))
    assert (ten[0] < nine[0]).all()
    assert (ten[1] > nine[1]).all()


def test_scores_are_grouped_by_what_other_truths_say_of_them():
    # Learned from their own truths, the posteriors of the sample's documents seem to be perfect.
    rng = np.random.default_rng(0)
    truth = np.eye(2, dtype=bool)[(np.arange(100) < 40).astype(int)]
    q = np.r_[truth[:, 1] * 0.98 + 0.01, rng.random(900)]
    values = np.column_stack([1 - q, q])
    widths = []
    for own in (rng.random(100), q[:100]):
        sample = Sample(truth, np.column_stack([1 - own, own]), np.arange(100), np.full(100, 0.1))
        low, high = group_bounds(
            sample,
            values,
            np.ones(1000, dtype=int),
            np.ones(2),
            asked=[1],
            named=np.full(1000, -1),
            level=0.95,
            population=False,
        )
        widths.append(high[1] - low[1])
    alone = np.ptp(wilson(0.4, 100 / 0.9, 0.95))
    assert widths[0] == pytest.approx(alone, rel=0.1)
    assert widths[1] < 0.5 * alone
