"""The sentence on top of the page is true, whatever the estimates are."""

import polars as pl
import pytest

from quantext.reports.answer import answer
from quantext.reports.estimates_findings import estimates_findings
from quantext.reports.grid import grid


def shown(shares, *, names=None, bags=None, kind="multiclass", bounds=None):
    """Estimates of 100 documents a bag."""
    names = names or [f"class {k}" for k in range(len(shares[0]))]
    bags = bags or [f"week {b + 1}" for b in range(len(shares))]
    rows = [
        {
            "batch": bag,
            "class": name,
            "share": share,
            "count": round(100 * share),
            "size": 100,
            "p_train": 1 / len(names),
            **({} if bounds is None else {"low": bounds[0], "high": bounds[1]}),
        }
        for bag, row in zip(bags, shares, strict=True)
        for name, share in zip(names, row, strict=True)
    ]
    return grid(pl.DataFrame(rows), {"kind": kind})


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
    assert answer(shown(shares)) == sentence


def test_of_groups_all_are_told_together_and_how_many_have_the_same_leader():
    groups = shown([[0.9, 0.1], [0.4, 0.6], [0.3, 0.7]], bags=["north", "south", "west"])
    # (90 + 40 + 30) / 300
    assert answer(groups) == (
        "About 53.3% of the 300 documents in all batches together are “class 0”, the largest of 2 "
        "classes and the largest in 1 of the 3 batches."
    )


def test_one_class_is_not_compared_with_others_and_has_its_interval():
    one = shown([[0.3]], names=['a "b" <c>'], kind="binary", bounds=(0.2, 0.4))
    assert answer(one) == (
        'About 30.0% of the 100 documents are “a "b" <c>” (95% interval 20.0% to 40.0%).'
    )
    headlines = [finding["headline"] for finding in estimates_findings(one)]
    assert headlines[0] == '“a "b" <c>” is there with 30.0%'
    assert headlines[1] == '“a "b" <c>” has clearly changed since training'


def test_labels_are_had_and_nothing_found_is_said_to_be_nothing():
    labels = shown([[0.2, 0.6]], kind="multilabel")
    assert answer(labels).startswith("About 60.0% of the 100 documents have the label “class 1”")
    none = shown([[0.0, 0.0]], kind="multilabel")
    assert answer(none) == "Nothing of any of the 2 classes was found in the 100 documents."
    assert estimates_findings(none)[0]["headline"] == "No class was found"


def test_classes_that_are_equal_as_shown_lead_together():
    tied = estimates_findings(shown([[0.50001, 0.49999]]))[0]
    assert tied["headline"] == "“class 0” and “class 1” lead with 50.0% each"
