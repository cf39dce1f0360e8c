"""Agreement of two people, by hand."""

import numpy as np
import pytest

from quantext.labelling.kappa import agreement


def sets(*names):
    return {row: frozenset(own) for row, own in enumerate(names)}


def test_kappa_of_three_classes_by_hand():
    # Agree on 7 of 10. By chance: 5·4 + 3·4 + 2·2 of 100 = 0.36; (0.7 − 0.36) / 0.64.
    first = sets(*(["a"] for _ in range(5)), *(["b"] for _ in range(3)), ["c"], ["c"])
    second = sets(["a"], ["a"], ["a"], ["b"], ["c"], ["b"], ["b"], ["b"], ["a"], ["c"])
    found = agreement(first, second, ["a", "b", "c"])
    assert found.kappa == pytest.approx(0.34 / 0.64)
    assert found.observed == pytest.approx(0.7)
    assert found.disagreements.tolist() == [3, 4, 8]
    # a against the rest: 7 of 10 agree; by chance 5·4 + 5·6 of 100.
    assert found.by_class[0] == pytest.approx((0.7 - 0.5) / 0.5)


def test_of_several_classes_kappa_is_the_mean_of_classes():
    # a: all four agree, two have it: 1. b: three of four agree, 1·2 + 3·2 of 16 by chance: 0.5.
    first = sets(["a", "b"], ["a"], [], [])
    second = sets(["a", "b"], ["a", "b"], [], [])
    found = agreement(first, second, ["a", "b"])
    assert found.by_class.tolist() == [1.0, 0.5]
    assert found.kappa == 0.75
    assert found.disagreements.tolist() == [1]
    assert found.observed == 0.75


def test_only_documents_that_both_labelled_count():
    found = agreement({1: frozenset("a"), 2: frozenset("b")}, {2: frozenset("b")}, "ab")
    assert found.n_documents == 1
    assert found.observed == 1.0
    assert np.isnan(found.kappa)


def test_without_common_documents_nothing_is_known():
    found = agreement({1: frozenset("a")}, {2: frozenset("b")}, "ab")
    assert found.n_documents == 0
    assert np.isnan([found.kappa, found.observed]).all()
    assert found.disagreements.tolist() == []


def test_another_class_than_those_of_the_task_is_refused():
    with pytest.raises(ValueError, match="row 2 has the class 'c'"):
        agreement({2: frozenset("c")}, {2: frozenset("a")}, "ab")
