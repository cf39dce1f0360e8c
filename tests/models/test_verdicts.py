"""Bags that are known to be bad, and what is said of them."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import quantext as qx
from quantext.models.changes import Change, find_change, tell_apart
from quantext.models.estimates import estimate
from quantext.models.evidence import Evidence, Trained, examine
from quantext.models.rules import LEVELS, RULES
from quantext.models.textquantifier import TextQuantifier
from quantext.models.train import train
from quantext.models.verdicts import Verdict, judge
from quantext.texts.corpus import Corpus
from tests.support.survey import survey

TRAINED = Trained(
    classes=["no", "yes"],
    p_train=np.array([0.5, 0.5]),
    single_label=True,
    level=0.95,
    documents=np.array([500, 500]),
    n_train=1000,
    tpr=np.array([0.9, 0.9]),
    fpr=np.array([0.1, 0.1]),
    gap=np.array([2.0]),
    apart=np.array([2.0, 2.0]),
    usual_known=0.9,
    corrects=True,
)
GOOD = Evidence(
    size=500,
    share=np.array([0.4, 0.6]),
    low=np.array([0.35, 0.55]),
    high=np.array([0.45, 0.65]),
    true_share=np.array([0.41, 0.59]),
    known=0.9,
    unreadable=0.0,
    change=Change(0.01, 1.0, ()),
)


def level(trained=TRAINED, **changes):
    [verdict] = judge(trained, [replace(GOOD, **changes)])
    return verdict.level


def told(trained=TRAINED, **changes):
    [verdict] = judge(trained, [replace(GOOD, **changes)])
    return " ".join(verdict.reasons)


def test_a_bag_without_signs_is_fine():
    assert judge(TRAINED, [GOOD]) == [Verdict("fine")]


BAD = {
    "changed": ({"change": Change(0.3, 1.0, ())}, "distrust", "very different words"),
    "changed some": ({"change": Change(0.15, 1.0, ())}, "care", "different words"),
    "cut": ({"change": Change(0.01, 0.4, ())}, "distrust", "shorter"),
    "long": ({"change": Change(0.01, 1.6, ())}, "care", "longer"),
    "foreign": ({"known": 0.3}, "distrust", "Only 30% of the words are known"),
    "other subject": ({"known": 0.75}, "care", "(90% are usual)"),
    "no words": ({"known": None, "unreadable": 1.0}, "distrust", "Hardly any of these documents"),
    "some unreadable": ({"unreadable": 0.2}, "care", "20% of these documents have no word"),
    "one document": ({"size": 1}, "distrust", "only 1 document;"),
    "few documents": ({"size": 49}, "care", "only 49 documents"),
    "wide": (
        {"low": np.array([0.2, 0.4]), "high": np.array([0.6, 0.8])}, "care", "40 points wide"),
    "beside": (
        {"low": np.array([0.41, 0.51]), "high": np.array([0.49, 0.59])},
        "care", "outside its own interval"),
    "no width": (
        {"low": np.array([0.4, 0.6]), "high": np.array([0.4, 0.6]), "true_share": None},
        "care", "has no width"),
    "far outside": (
        {"true_share": np.array([0.1, 0.9])}, "distrust", "lies far outside its interval"),
    "worse than training": (
        {"true_share": np.array([0.5, 0.5])}, "care", "off by 10.0 points"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_each_rule_speaks_for_itself(name):
    changes, expected, text = BAD[name]
    assert level(**changes) == expected
    assert text in told(**changes)


@pytest.mark.parametrize("name", BAD)
def test_a_truth_that_is_met_turns_no_other_sign_off(name):
    changes, expected, _ = BAD[name]
    if "true_share" not in changes:
        met = np.array([0.42, 0.58])  # inside all of these intervals
        assert level(**changes | {"true_share": met}) == expected


def test_documents_with_unknown_words_are_not_called_shorter():
    # A small training set: half of the words of any other document are new, and so not counted.
    small = replace(TRAINED, usual_known=0.6)
    assert level(small, known=0.6, change=Change(0.01, 0.6, ())) == "fine"
    assert "shorter" in told(small, known=0.6, change=Change(0.01, 0.3, ()))


def test_the_worst_counts_and_comes_first():
    [verdict] = judge(TRAINED, [replace(GOOD, size=20, known=0.1)])
    assert verdict.level == "distrust"
    assert len(verdict.reasons) == 2
    assert verdict.reasons[0].startswith("Only 10%")
    assert str(verdict).startswith("Do not trust: only 10% of the words")


WEAK = {
    "scores": replace(TRAINED, apart=np.array([0.05, 0.05])),
    "worse than chance": replace(TRAINED, apart=np.array([-0.3, -0.3])),
}


@pytest.mark.parametrize("name", WEAK)
def test_a_model_that_tells_nothing_apart_is_not_trusted(name):
    assert level(WEAK[name]) == "distrust"
    assert "The model cannot tell “no” and “yes” from the rest." in told(WEAK[name])


def test_rates_that_do_not_differ_and_a_wide_interval_are_a_model_that_cannot_tell():
    # "0.0% (0.0 to 44.4)" is never said alone.
    blind = replace(TRAINED, tpr=np.array([0.95, 0.06]), fpr=np.array([0.94, 0.05]))
    bounds = {"low": np.array([0.556, 0.0]), "high": np.array([1.0, 0.444])}
    shares = {"share": np.array([1.0, 0.0]), "true_share": None}
    assert level(blind, **shares, **bounds) == "distrust"
    assert "cannot tell" in told(blind, **shares, **bounds)
    assert "cannot tell" not in told(blind)  # these intervals are narrow: scores tell


def test_one_weak_class_of_many_calls_for_care_if_it_may_be_large():
    many = replace(
        TRAINED,
        classes=list("abcd"),
        p_train=np.full(4, 0.25),
        documents=np.full(4, 250),
        tpr=np.full(4, 0.8),
        fpr=np.full(4, 0.1),
        apart=np.array([0.1, 2, 2, 2]),
    )
    shares = {"low": None, "high": None, "true_share": None}
    assert level(many, share=np.full(4, 0.25), **shares) == "care"
    assert level(many, share=np.array([0.01, 0.33, 0.33, 0.33]), **shares) == "fine"


@pytest.mark.parametrize(
    ("documents", "expected", "text"),
    [
        ([992, 8], "care", "Fewer than 10 training documents are of “yes”"),
        ([1000, 0], "distrust", "the model knows nothing else"),
    ],
)
def test_classes_with_few_training_documents_are_told(documents, expected, text):
    trained = replace(TRAINED, documents=np.array(documents))
    assert level(trained) == expected
    assert text in told(trained)


def test_a_classifier_that_never_erred_on_few_documents_is_not_taken_at_its_word():
    flawless = replace(TRAINED, tpr=np.ones(2), fpr=np.zeros(2))
    assert level(flawless) == "fine"
    few = replace(flawless, documents=np.array([980, 20]))
    assert level(few) == "care"
    assert "with only 20 of them up to 15% of new ones may be" in told(few)


def test_shares_far_from_training_are_a_sign_only_where_a_method_does_not_follow():
    far = {"share": np.array([0.1, 0.9]), "low": None, "high": None, "true_share": None}
    assert level(**far) == "fine"
    assert level(replace(TRAINED, corrects=False), **far) == "care"


def test_intervals_that_miss_three_times_in_a_row_are_more_than_chance():
    # Of two classes both miss or none: one chance a bag, of 10% (twice the 5% of their level).
    # Two misses in a row have 1%, three 0.1%, less than 1 in 200.
    missed = replace(GOOD, true_share=np.array([0.34, 0.66]))
    bags = [GOOD, missed, missed, missed, GOOD]
    found = judge(TRAINED, bags, in_time=True)
    assert [verdict.level for verdict in found] == ["fine"] * 3 + ["distrust", "fine"]
    assert "3 of 3 intervals of the last 3 batches miss the truth" in found[3].reasons[0]
    # Bags that do not follow each other are judged one by one.
    assert {verdict.level for verdict in judge(TRAINED, bags)} == {"fine"}


def test_levels_are_in_order_and_rules_are_told_to_people():
    assert LEVELS == ("fine", "care", "distrust")
    known = {*Trained.__dataclass_fields__, *Evidence.__dataclass_fields__, ""}
    for rule in RULES:
        assert rule.needs in known
        assert rule.text.endswith(".")


# Of models


def fitted(shares, seed=1, **options):
    table = survey(shares, seed=seed)
    return train(Corpus("a", table["answer"], table["topic"]), folds=5, **options).model


def test_what_sets_scores_apart_is_their_difference_in_deviations():
    scores = np.array([[0.0], [2.0], [4.0], [6.0]])
    gap, apart = tell_apart(scores, np.array([[False], [False], [True], [True]]))
    assert gap == pytest.approx([4.0])  # means of 5 and 1
    assert apart == pytest.approx([4.0])  # all are 1 from their mean
    assert tell_apart(scores, np.ones((4, 1), bool))[0].tolist() == [0.0]


def test_labels_at_random_make_a_model_that_cannot_tell():
    table = survey([100, 100, 100], seed=1)
    labels = pl.Series(np.random.default_rng(0).permutation(["x", "y"] * 150))
    for name in ("adaptive", "acc"):
        model = train(Corpus("a", table["answer"], labels), name=name, folds=5).model
        new = survey([100, 100, 100], seed=2).select(text="answer")
        [verdict] = estimate(model, [(300, new)], replicates=50).verdicts.values()
        assert verdict.level == "distrust"
        assert any("cannot tell" in reason for reason in verdict.reasons)


def test_documents_like_those_of_training_have_not_changed():
    model = fitted([100, 100, 100])
    new = survey([30, 70, 200], seed=2).select(text="answer")
    found = estimate(model, [(300, new)])
    assert found.verdicts["all"].level == "fine"
    assert found.changes["all"].extent < 0.1
    assert found.changes["all"].length == pytest.approx(1, abs=0.1)


def test_a_model_of_one_class_is_not_trusted():
    table = survey([60, 0, 0], seed=1)
    model = train(Corpus("a", table["answer"], table["topic"]), folds=5).model
    [verdict] = estimate(model, [(60, table.select(text="answer"))]).verdicts.values()
    assert verdict.level == "distrust"
    assert "All or none of the training documents are “battery”" in verdict.reasons[0]


def test_other_methods_count_no_words():
    model = fitted([30, 30, 30], name="acc")
    summary = model.summarise(["battery"])
    gap = examine(model, 0.95).gap
    assert find_change(model, summary, model.aggregate(summary), gap) is None


def test_equal_weights_change_no_verdict_and_one_heavy_document_is_a_small_bag():
    coded, new = survey([60, 60, 60], seed=1), survey([40, 40, 40], seed=2)
    model = TextQuantifier().fit(coded["answer"], coded["topic"])
    plain = qx.estimate(model, new["answer"])
    for weight in (1.0, 2.0):
        weighted = qx.estimate(model, new["answer"], weight=[weight] * len(new))
        assert weighted.verdicts == plain.verdicts
        assert weighted.changes["all"].length == pytest.approx(plain.changes["all"].length)
        assert weighted.changes["all"].words == plain.changes["all"].words
    heavy = qx.estimate(model, new["answer"], weight=[1e6] + [1.0] * (len(new) - 1))
    assert heavy.verdicts["all"].level == "distrust"
    assert "has only 1 document" in " ".join(heavy.verdicts["all"].reasons)
