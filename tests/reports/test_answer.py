"""The sentence on top of the page is true, whatever the estimates are."""

import datetime

import polars as pl
import pytest

from quantext.models.verdicts import Verdict
from quantext.reports.answer import answer
from quantext.reports.estimates_findings import estimates_findings
from quantext.reports.grid import grid


def shown(
    shares,
    *,
    names=None,
    bags=None,
    kind="multiclass",
    bounds=None,
    size=100,
    p_train=None,
    **about,
):
    """Estimates of 100 documents a bag, say."""
    names = names or [f"class {k}" for k in range(len(shares[0]))]
    bags = bags or [f"week {b + 1}" for b in range(len(shares))]
    rows = [
        {
            "batch": bag,
            "class": name,
            "share": share,
            "count": round(size * share),
            "size": size,
            "p_train": 1 / len(names) if p_train is None else p_train,
            **({} if bounds is None else {"low": bounds[0], "high": bounds[1]}),
        }
        for bag, row in zip(bags, shares, strict=True)
        for name, share in zip(names, row, strict=True)
    ]
    return grid(pl.DataFrame(rows), {"kind": kind, **about})


@pytest.mark.parametrize(
    ("shares", "sentence"),
    [
        (
            [[0.6, 0.4]],
            "About 60.0% of the 100 documents are “class 0”, the largest of 2 classes.",
        ),
        (
            [[0.6, 0.4], [0.7, 0.3]],
            "About 70.0% of the 100 documents in week 2 are “class 0”, the largest of 2 classes "
            "and the largest in both batches.",
        ),
        (
            [[0.6, 0.4]] * 3,
            "About 60.0% of the 100 documents in week 3 are “class 0”, the largest of 2 classes "
            "and the largest in all 3 batches.",
        ),
        (
            [[0.6, 0.4], [0.4, 0.6], [0.7, 0.3]],
            "About 70.0% of the 100 documents in week 3 are “class 0”, the largest of 2 classes, "
            "as in 1 of the 2 batches before.",
        ),
        (
            # A tie in the first week: there it does not lead.
            [[0.5, 0.5], [0.7, 0.3]],
            "About 70.0% of the 100 documents in week 2 are “class 0”, the largest of 2 classes, "
            "which it is in no other batch.",
        ),
        (
            [[0.45, 0.45, 0.1]],
            "“class 0” and “class 1” are the largest classes, with about 45.0% of the 100 "
            "documents each.",
        ),
    ],
)
def test_a_class_leads_where_it_does_and_nowhere_else(shares, sentence):
    assert answer(shown(shares)) == (sentence, "")


def test_of_groups_all_are_told_together_and_how_many_have_the_same_leader():
    groups = shown([[0.9, 0.1], [0.4, 0.6], [0.3, 0.7]], bags=["north", "south", "west"])
    # (90 + 40 + 30) / 300
    assert answer(groups)[0] == (
        "About 53.3% of the 300 documents in all 3 batches are “class 0”, the largest of 2 "
        "classes and the largest in 1 of the 3 batches."
    )


def test_one_class_is_not_compared_with_others_and_has_its_interval():
    one = shown([[0.3]], names=['a "b" <c>'], kind="binary", bounds=(0.2, 0.4))
    assert answer(one)[0] == (
        'About 30.0% of the 100 documents are “a "b" <c>” (95% interval 20.0% to 40.0%).'
    )
    headlines = [finding["headline"] for finding in estimates_findings(one)]
    assert headlines[0] == '“a "b" <c>” is there with 30.0%'
    assert headlines[1] == '“a "b" <c>” has clearly changed since training'


def test_labels_are_had_and_nothing_found_is_said_to_be_nothing():
    labels = shown([[0.2, 0.6]], kind="multilabel")
    assert answer(labels)[0].startswith("About 60.0% of the 100 documents have the label “class 1”")
    none = shown([[0.0, 0.0]], kind="multilabel")
    assert answer(none)[0] == "Nothing of any of the 2 classes was found in the 100 documents."
    assert estimates_findings(none)[0]["headline"] == "No class was found"


def test_classes_that_are_equal_as_shown_lead_together():
    tied = estimates_findings(shown([[0.50001, 0.49999]]))[0]
    assert tied["headline"] == "“class 0” and “class 1” lead with 50.0% each"


def verdicts(*levels, bags=None):
    """A verdict on each week."""
    bags = bags or [f"week {b + 1}" for b in range(len(levels))]
    reasons = ("Only 4% of the words are known.", "It rains.")
    return {
        bag: Verdict(level, () if level == "fine" else reasons)
        for bag, level in zip(bags, levels, strict=True)
    }


def test_what_cannot_be_trusted_is_said_before_any_number():
    told = shown(
        [[0.4, 0.6], [0.9, 0.1]], bounds=(0.85, 0.95), verdicts=verdicts("fine", "distrust")
    )
    first, then = answer(told)
    assert first == ("This model cannot tell the shares in week 2: only 4% of the words are known.")
    assert then == (
        "What it says all the same: about 90.0% of the 100 documents in week 2 are “class 0” "
        "(95% interval 85.0% to 95.0%)."
    )
    said = str(estimates_findings(told))
    assert "leads" not in said
    assert "clearly" not in said.lower()


@pytest.mark.parametrize("levels", [("distrust", "fine"), ("fine", "care")])
def test_only_the_verdict_on_what_is_told_takes_its_number_from_the_answer(levels):
    told = shown([[0.4, 0.6], [0.9, 0.1]], verdicts=verdicts(*levels))
    assert answer(told)[0].startswith("About 90.0%")


def test_groups_are_told_of_unless_none_can_be_trusted():
    bags = ["north", "south"]
    for levels, begin in (
        (("distrust", "fine"), "About 65.0% of the 200 documents in both batches are"),
        (("distrust", "distrust"), "This model cannot tell the shares in both batches: none"),
    ):
        told = shown([[0.4, 0.6], [0.9, 0.1]], bags=bags, verdicts=verdicts(*levels, bags=bags))
        assert answer(told)[0].startswith(begin)


@pytest.mark.parametrize(
    ("size", "sentence"),
    [
        (1, "There is only one document in week 2: too few to tell shares."),
        (9, "There are only 9 documents in week 2: too few to tell shares."),
    ],
)
def test_a_handful_of_documents_has_no_share_in_the_answer(size, sentence):
    told = shown([[0.4, 0.6], [0.9, 0.1]], size=size)
    assert answer(told) == (sentence, "")
    said = str(estimates_findings(told))
    assert "leads" not in said
    assert "By estimates of so few documents, “class 0” has risen" in said


@pytest.mark.parametrize(
    ("period", "where"),
    [("day", "on 2024-03-01"), ("week", "in the week of 2024-03-01"), ("month", "in Mar 2024")],
)
def test_days_are_on_and_weeks_are_of_their_first_day(period, where):
    days = [datetime.date(2024, month, 1) for month in (1, 3)]
    told = shown([[0.4, 0.6], [0.9, 0.1]], bags=days, period=period)
    assert answer(told)[0].startswith(f"About 90.0% of the 100 documents {where} are")


def test_an_estimate_beside_its_interval_is_said_to_be_off():
    told = shown([[0.9, 0.1]], bounds=(0.6, 0.7))
    assert answer(told)[0].startswith(
        "About 90.0% of the 100 documents are “class 0”, but this method's estimates are off: 95% "
        "interval 60.0% to 70.0%"
    )


@pytest.mark.parametrize(
    ("n_classes", "sentence"),
    [
        (5, "about 0.25 of the 5 would"),
        (50, "about 2.5 of the 50 would"),
        (400, "about 20 of the 400"),
    ],
)
def test_how_many_classes_change_by_chance_is_a_plain_number(n_classes, sentence):
    told = shown([[1.0] + [0.0] * (n_classes - 1)], bounds=(0.0, 1.0))
    assert f"By chance alone {sentence}" in estimates_findings(told)[1]["text"]


def test_of_two_classes_one_move_is_told_once():
    [finding] = [f for f in estimates_findings(shown([[0.7, 0.3]])) if "training" in f["headline"]]
    assert finding["text"] == "“class 0” has risen, from 50.0% to 70.0% (+20.0 points)."


def test_names_from_right_to_left_do_not_turn_the_sentence():
    told = shown([[0.7, 0.3]], names=["\u05de\u05d7\u05d9\u05e8", "b"])
    assert "are “\u2068\u05de\u05d7\u05d9\u05e8\u2069”, the largest" in answer(told)[0]
