import numpy as np
import pytest

from quantext.measures import kld
from quantext.reports.catalogue import all_tables
from quantext.reports.errors import errors
from quantext.reports.typeset import write_tables
from tests.support.results import example_results, frame, joint, row

POINTS = ("-2", "-1", "0", "1", "2")


def bag(name, true, estimated, method="CC"):
    """Rows of a bag that is all of one point and is estimated to be all of another."""
    shares = {point: float(point == estimated) for point in POINTS}
    return joint(shares, [point == true for point in POINTS], 5 * [0.2], method=method, bag=name)


# In the order of their texts, -1 comes before -2, and 0 were one step from -2 and not two.
ORDERED = [*bag("a", "-2", "0"), *bag("b", "-2", "-2"), *bag("c", "2", "2")]


def test_a_class_against_the_rest_is_measured_by_hand():
    rows = [row(bag="a", p_true=0.2, p_hat=0.3), row(bag="b", p_true=0.5, p_hat=0.5)]
    [one] = errors(frame(*rows)).to_dicts()
    # A bag of 100: e = .005. Both classes are off by .1.
    rae = (0.1 / 0.205 + 0.1 / 0.805) / 2
    divergence = float(kld([0.8, 0.2], [0.7, 0.3], size=100))
    assert one == {
        "method": "CC",
        "ae": pytest.approx(0.05),
        "ae_sd": pytest.approx(0.05),  # .1 and 0, over 2
        "rae": pytest.approx(rae / 2),
        "rae_sd": pytest.approx(rae / 2),
        "kld": pytest.approx(divergence / 2),
        "kld_sd": pytest.approx(divergence / 2),
        "test_sets": 2,
        "bold": [],
    }


def test_all_classes_are_measured_at_once_by_hand():
    [one] = errors(frame(*ORDERED)).to_dicts()
    assert one["test_sets"] == 3
    assert one["ae"] == pytest.approx((2 / 5) / 3)
    assert one["rae"] == pytest.approx((1 / 1.005 + 1 / 0.005) / 5 / 3)


def test_classes_whose_names_are_numbers_are_in_the_order_of_these():
    [one] = errors(frame(*ORDERED)).to_dicts()
    assert one["nmd"] == pytest.approx((2 / 4) / 3)  # two steps of four, in one bag of three
    assert one["nmd_sd"] == pytest.approx(np.std([0.5, 0, 0]))
    # Two bags have their mean between -2 and -1, with .5 and 0; one between 1 and 2, with 0.
    assert one["macro_nmd"] == pytest.approx((0.25 + 0) / 2)


def test_classes_that_are_not_numbers_have_no_order():
    shares = {"books": 0.5, "music": 0.3, "toys": 0.2}
    table = errors(frame(*joint(shares, shares.values(), shares.values())))
    assert "nmd" not in table.columns


def test_a_joint_task_goes_before_those_of_each_class():
    alone = errors(frame(*ORDERED))
    both = errors(frame(*ORDERED, row("-2", p_true=0.9, p_hat=0.1)))
    assert both.equals(alone)


def test_the_best_by_the_official_measure_comes_first():
    # Nearly absent, a class weighs most in RAE; KLD is the worse for the larger share.
    rows = [
        *(row(bag="a", p_true=0.0, p_hat=0.1, method="A"), row(bag="b", p_hat=0.2, method="A")),
        *(row(bag="a", p_true=0.0, p_hat=0.0, method="B"), row(bag="b", p_hat=0.8, method="B")),
    ]
    assert errors(frame(*rows))["method"].to_list() == ["A", "B"]
    assert errors(frame(*rows), "rae")["method"].to_list() == ["B", "A"]
    assert errors(frame(*rows), "nmd")["method"].to_list() == ["A", "B"]  # there is none


def test_only_a_significantly_better_method_is_marked():
    near, far = ([row(bag=f"b{i}", p_hat=0.2 + d * (1 + i % 3), method=m) for i in range(12)]
                 for m, d in (("A", 0.01), ("B", 0.1)))  # fmt: skip
    table = errors(frame(*near, *far))
    assert table["bold"].to_list() == [["ae", "rae", "kld"], []]
    assert errors(frame(*near[:2], *far[:2]))["bold"].to_list() == [[], []]


def test_the_table_is_among_those_of_a_run_and_ranks_as_the_contest_does(tmp_path):
    results = example_results(5, 6)
    ours, lequa = (
        next(t for t in all_tables(results, {"corpus": corpus}) if t.name == "errors")
        for corpus in ("news", "LeQua 2022 T1A")
    )
    assert ours.frame["kld"].is_sorted()
    assert lequa.frame["rae"].is_sorted()
    assert "Best first by KLD." in ours.note
    assert "Best first by RAE." in lequa.note
    write_tables([ours], tmp_path)
    header = (tmp_path / "errors.csv").read_text("utf-8").splitlines()[0]
    assert header.startswith("method,ae,ae_sd,rae,rae_sd,kld,kld_sd,test_sets")
