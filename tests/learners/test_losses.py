import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantext import measures
from quantext.learners.losses import LOSSES, ContingencyTable, PrevalenceLoss, evaluate, find_loss


def table(tp, fp, fn, tn):
    return ContingencyTable(*(np.asarray(x, dtype=float) for x in (tp, fp, fn, tn)))


def all_tables(positives, negatives):
    tp, fp = np.meshgrid(np.arange(positives + 1.0), np.arange(negatives + 1.0), indexing="ij")
    return ContingencyTable(tp, fp, positives - tp, negatives - fp)


# Ten documents, four positive; two found, one negative taken for a positive: n = 10, P = 4, k = 3.
HAND_WORKED = {
    # p = 4.5/11, q = 3.5/11: p ln(4.5/3.5) + (1-p) ln(6.5/7.5)
    "kld": 4.5 / 11 * np.log(4.5 / 3.5) + 6.5 / 11 * np.log(6.5 / 7.5),
    "nkld": 1 - 2 / (1 + (4.5 / 3.5) ** (4.5 / 11) * (6.5 / 7.5) ** (6.5 / 11)),
    "ae": 1 / 10,  # |fn - fp| = |2 - 1|
    "rae": (1 / 4.5 + 1 / 6.5) / 2,
    "q": 1 - 2 * (5 / 6) * (1 / 2) / (5 / 6 + 1 / 2),  # a = 1 - 1/6, b = 2/4
    "f1": 1 - 4 / 7,  # 2tp / (2tp + fp + fn)
    "error_rate": 3 / 10,
}


@pytest.mark.parametrize("name", LOSSES)
def test_loss_has_its_hand_worked_value(name):
    assert LOSSES[name](table(2, 1, 2, 5)) == pytest.approx(HAND_WORKED[name], abs=1e-14)


@pytest.mark.parametrize("name", LOSSES)
@given(positives=st.integers(0, 6), negatives=st.integers(0, 6))
def test_loss_is_zero_on_the_perfect_table_and_never_negative(name, positives, negatives):
    if positives + negatives == 0:
        return
    values = LOSSES[name](all_tables(positives, negatives))
    assert values[positives, 0] == pytest.approx(0, abs=1e-15)
    assert values.min() >= -1e-15


@pytest.mark.parametrize("name", LOSSES)
def test_loss_of_a_grid_equals_a_loop_over_its_tables(name):
    grid = all_tables(3, 4)
    values = LOSSES[name](grid)
    loop = [[LOSSES[name](table(tp, fp, 3 - tp, 4 - fp)) for fp in range(5)] for tp in range(4)]
    np.testing.assert_allclose(values, loop, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("name", ["f1", "q"])
def test_without_positives_only_false_positives_cost(name):
    np.testing.assert_array_equal(LOSSES[name](all_tables(0, 3)), [[0, 1, 1, 1]])


@pytest.mark.parametrize("name", ["f1", "q"])
def test_finding_no_positive_costs_one(name):
    np.testing.assert_array_equal(LOSSES[name](all_tables(3, 3))[0], np.ones(4))


def test_prevalence_loss_depends_on_the_predicted_positives_alone():
    loss = PrevalenceLoss(measures.kld)
    assert loss(table(4, 0, 1, 5)) == loss(table(0, 4, 5, 1)) > 0


@pytest.mark.parametrize("name", ["ae", "kld", "nae", "nkld", "nmd", "nrae", "rae", "se"])
def test_every_measure_of_a_bag_makes_a_loss(name):
    values = evaluate(PrevalenceLoss(measures.MEASURES[name]), all_tables(2, 3))
    assert values[0, 2] == values[2, 0] == 0  # two predicted positives, and two there are
    assert values[0, 0] > 0


def test_losses_survive_pickling_and_compare_equal():
    for loss in LOSSES.values():
        assert pickle.loads(pickle.dumps(loss)) == loss


def test_a_name_or_a_callable_finds_its_loss():
    def own(table):
        return table.fp / table.size

    assert find_loss("kld") is LOSSES["kld"]
    assert find_loss(own) is own


@pytest.mark.parametrize("unknown", ["kdl", None, 3])
def test_an_unknown_loss_is_an_error_that_lists_the_names(unknown):
    with pytest.raises(ValueError, match=", ".join(sorted(LOSSES))):
        find_loss(unknown)


def test_a_loss_of_the_wrong_shape_is_a_clear_error():
    with pytest.raises(ValueError, match=r"returned shape \(\) for tables of shape \(3, 4\)"):
        evaluate(lambda t: np.sum(t.fp), all_tables(2, 3))


def test_a_loss_of_a_measure_of_single_classes_is_a_clear_error():
    with pytest.raises(ValueError, match=r"returned shape \(3, 4, 2\)"):
        evaluate(PrevalenceLoss(measures.bias), all_tables(2, 3))


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
def test_a_loss_that_is_not_a_number_or_negative_names_the_table(value):
    def own(table):
        return np.where((table.tp == 1) & (table.fp == 2), value, 0.5)

    with pytest.raises(ValueError, match=r"loss own is .* at tp=1, fp=2, fn=1, tn=1"):
        evaluate(own, all_tables(2, 3))
