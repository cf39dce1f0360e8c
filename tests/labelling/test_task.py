"""Tasks, waves and labels: what is refused, and why."""

import numpy as np
import pytest

from quantext.labelling.task import Labels, Task, Wave, check_waves, places_of

TASK = Task(("ham", "spam"))
HAM, SPAM = [True, False], [False, True]


@pytest.mark.parametrize(
    ("faults", "message"),
    [
        ({"classes": ("ham",)}, "there are 1 classes; name 2 or more"),
        ({"classes": ("ham", "ham")}, "named twice"),
        ({"target": 3.0}, "a share such as 0.03"),
        ({"level": 95.0}, "level is 95.0"),
        ({"seed": -1}, "seed must not be negative"),
    ],
)
def test_a_task_says_what_is_wrong_with_it(faults, message):
    with pytest.raises(ValueError, match=message):
        Task(**({"classes": ("ham", "spam")} | faults))


def test_one_class_is_enough_if_documents_may_have_none():
    assert Task(("spam",), several=True).classes == ("spam",)


@pytest.mark.parametrize("chances", [[0.5, 0.0], [0.5, 1.5], [0.5, np.nan]])
def test_a_wave_has_chances_that_are_probabilities(chances):
    with pytest.raises(ValueError, match="no probability above 0"):
        Wave([1, 2], chances)


def test_a_wave_has_a_chance_for_each_row():
    with pytest.raises(ValueError, match="one chance for each row"):
        Wave([1, 2], [0.5])


def test_no_document_is_labelled_twice_nor_labelled_and_skipped():
    with pytest.raises(ValueError, match="row 4 is labelled or skipped more than once"):
        Labels([4, 4], [HAM, HAM])
    with pytest.raises(ValueError, match="row 5 is labelled or skipped more than once"):
        Labels([4, 5], [HAM, HAM], [5])


def test_labels_have_a_line_for_each_row():
    with pytest.raises(ValueError, match="give a line of one value a class"):
        Labels([4, 5], [HAM])


def test_places_are_those_in_the_other_list():
    assert places_of(np.array([3, 9, 1]), np.array([1, 2, 3])).tolist() == [2, -1, 0]
    assert places_of(np.array([3]), np.array([], dtype=np.int64)).tolist() == [-1]


@pytest.mark.parametrize(
    ("waves", "labels", "message"),
    [
        ([], Labels([], np.empty((0, 2))), "first_wave draws one"),
        ([Wave([1], [0.5], 1)], Labels([1], [HAM]), "wave 1 stands where wave 0 belongs"),
        ([Wave([10], [0.5])], Labels([10], [HAM]), "not from 0 to 9"),
        ([Wave([-1], [0.5])], Labels([-1], [HAM]), "not from 0 to 9"),
        ([Wave([1], [0.5]), Wave([1], [0.5], 1)], Labels([1], [HAM]), "drawn twice"),
        ([Wave([1], [0.5])], Labels([1, 7], [HAM, SPAM]), "row 7 has a label but was drawn in no"),
        ([Wave([1], [0.5])], Labels([1], [HAM], [8]), "row 8 has a label but was drawn in no"),
        ([Wave([1], [0.5])], Labels([1], [[True, True]]), "row 1 must have exactly one class"),
        ([Wave([1], [0.5])], Labels([1], [[True]]), "1 columns, but there are 2 classes"),
    ],
)
def test_waves_and_labels_must_belong_together(waves, labels, message):
    with pytest.raises(ValueError, match=message):
        check_waves(TASK, 10, waves, labels)


def test_with_several_classes_a_document_may_have_both_or_none():
    task = Task(("ham", "spam"), several=True)
    labels = Labels([1, 2], [[True, True], [False, False]])
    check_waves(task, 10, [Wave([1, 2], [0.5, 0.5])], labels)
