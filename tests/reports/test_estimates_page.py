import datetime
import json

import polars as pl
import pytest

from quantext import ClassifyAndCount, LinearSVM, TextQuantifier
from quantext.models.changes import Change, WordChange
from quantext.models.estimates import estimate
from quantext.models.verdicts import Verdict
from quantext.reports.estimates_page import SCRIPTS, estimates_page, summarise_estimates
from quantext.reports.grid import grid
from quantext.reports.retraining import advice
from tests.support.estimates import example_estimates
from tests.support.page import Page

BAD = "</script><script>alert(1)</script>"


def frame(shares, p_train, *, bags=None, size=100, **columns):
    """Estimates from rows of shares; columns: bounds and truth, in the same shape."""
    bags = bags or [f"week {b}" for b in range(len(shares))]
    return pl.DataFrame(
        [
            {
                "batch": bag,
                "class": f"class {k}",
                "share": share,
                "count": round(share * size),
                "size": size,
                "p_train": p_train[k],
                **{name: values[b][k] for name, values in columns.items()},
            }
            for b, bag in enumerate(bags)
            for k, share in enumerate(shares[b])
        ]
    )


# The page ----------------------------------------------------------------------------------------


def test_a_summary_is_plain_data():
    summary = summarise_estimates(example_estimates(), {"n_train": 10, "notes": ["a note"]})
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_the_page_embeds_the_data_that_its_script_draws():
    table = frame([[0.25, 0.75]], [0.5, 0.5], low=[[0.2, 0.7]], high=[[0.3, 0.8]])
    page = Page(estimates_page(table))
    (text,) = [text for attributes, text in page.all("script") if attributes.get("id") == "data"]
    data = json.loads(text)
    assert data["classes"] == ["class 0", "class 1"]
    assert data["share"] == [[250_000], [750_000]]
    assert data["low"] == [[200_000], [700_000]]
    assert data["high"] == [[300_000], [800_000]]
    assert data["count"] == [[25], [75]]
    assert data["train"] == [500_000, 500_000]
    assert data["truth"] is None


def test_estimates_without_intervals_have_none_on_the_page():
    data = summarise_estimates(example_estimates(intervals=False))["data"]
    assert data["low"] is None
    assert data["high"] is None


def test_names_from_outside_stay_text():
    names = [BAD, "a & b"]
    table = example_estimates(2, 3, names=names).with_columns(
        batch=pl.lit(BAD) + pl.col("batch").cast(pl.String)
    )
    html = estimates_page(table, {"title": BAD, "method": BAD, "warnings": [BAD], "data": [BAD]})
    assert "<script>alert" not in html
    scripts = Page(html).all("script")
    assert len(scripts) == 1 + len(SCRIPTS)  # the data comes first
    assert BAD in json.loads(scripts[0][1])["classes"]


def test_the_policy_allows_the_scripts_of_the_page_and_no_address():
    page = Page(estimates_page(example_estimates(2, 2)))
    (policy,) = [a["content"] for a, _ in page.all("meta") if "http-equiv" in a]
    assert policy.startswith("default-src 'none';")
    assert policy.count("sha256-") == len(SCRIPTS) + 1  # and one style
    assert "unsafe" not in policy
    assert "http" not in policy


def test_155_classes_in_200_bags_make_a_page_of_less_than_two_megabytes():
    assert len(estimates_page(example_estimates(155, 200)).encode()) < 2e6


def test_bags_beyond_the_room_of_the_page_are_left_out_and_it_says_so():
    about = {"known_share": [0.9] * 8}
    summary = summarise_estimates(example_estimates(2, 8), about, most_estimates=10)
    assert summary["data"]["batches"][0] == "2024-03-18"  # the fourth of eight weeks
    assert len(summary["data"]["share"][0]) == 5
    assert summary["warnings"] == [
        "To keep the page small it has the last 5 of 8 batches only; what is said of all is of "
        "them all."
    ]


def test_what_is_said_of_all_bags_is_of_those_too_that_the_page_has_no_room_for():
    bags = ["A · x", "B · x", "B · y"]
    keys = {"letter": ["A", "B", "B"], "end": ["x", "x", "y"]}
    table = frame([[0.9, 0.1], [0.3, 0.7], [0.3, 0.7]], [0.5, 0.5], bags=bags)
    summary = summarise_estimates(table, {"keys": keys}, most_estimates=4)
    # (90 + 30 + 30) / 300
    assert "50.0% of the 300 documents in all 3 batches" in summary["answer"]
    assert summary["lead"].startswith("2 classes in 300 documents in 3 batches")
    assert summary["data"]["batches"] == ["B · x", "B · y"]
    letter, end = summary["data"]["keys"]
    assert (letter["values"], letter["at"]) == (["B"], [0, 0])
    assert (end["values"], end["at"]) == (["x", "y"], [0, 1])


def test_groups_that_cannot_be_trusted_are_marked_beside_the_answer():
    bags = ["north", "south", "west"]
    table = frame([[0.2, 0.8]] * 3, [0.5, 0.5], bags=bags)

    def doubt(*levels):
        verdicts = {bag: Verdict(level) for bag, level in zip(bags, levels, strict=True)}
        return summarise_estimates(table, {"verdicts": verdicts})["doubt"]

    assert doubt("distrust", "distrust", "distrust")["headline"] == "Do not trust 3 of 3 batches"
    assert doubt("distrust", "care", "fine")["headline"] == "Do not trust 1 of 3 batches"
    assert doubt("fine", "care", "fine")["headline"] == "Read 1 of 3 batches with care"
    assert doubt("fine", "fine", "fine") is None


def test_what_estimate_makes_is_shown():
    model = TextQuantifier(ClassifyAndCount(LinearSVM(), folds=2)).fit(
        ["great battery", "battery lasts", "screen broke", "broken screen"],
        ["battery", "battery", "screen", "screen"],
    )
    texts = ["my battery!", "My screen?", "the screen", "screens"]
    days = pl.Series(["2024-01-01"] * 2 + ["2024-01-08"] * 2).str.to_date()
    for documents in (
        pl.DataFrame({"text": texts}),
        pl.DataFrame({"text": texts, "period": days}),
        pl.DataFrame({"text": texts, "period": days, "label": ["battery", *["screen"] * 2, None]}),
    ):
        made = estimate(model, [(4, documents)], replicates=10)
        about = {"kind": "binary", "known_share": made.known_share}
        shares = summarise_estimates(made.table, about)["data"]["share"]
        assert [p for row in shares for p in row] == [
            round(1e6 * p) for p in made.table.sort("class", maintain_order=True)["share"]
        ]
        assert "<!doctype html>" in estimates_page(made.table, about)


def test_one_bag_has_shares_but_no_trends():
    page = Page(estimates_page(example_estimates(4, 1)))
    titles = [text for attributes, text in page.all("h2") if attributes.get("class") != "chart"]
    assert titles == ["In brief", "Drift and retraining", "All estimates", "The model"]


def test_the_order_of_rows_within_the_table_does_not_matter():
    table = example_estimates(3, 4)
    by_class = table.sort("class", maintain_order=True)
    (one, other) = (summarise_estimates(t)["data"] for t in (table, by_class))
    assert other["batches"] == one["batches"]
    assert dict(zip(other["classes"], other["share"], strict=True)) == dict(
        zip(one["classes"], one["share"], strict=True)
    )


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda t: t.drop("size"), "no column size"),
        (lambda t: t.head(0), "no estimates"),
        (lambda t: pl.concat([t, t.head(1)]), "more than once"),
        (lambda t: t.head(5), "every batch needs every class"),
    ],
)
def test_estimates_that_cannot_be_shown_are_a_clear_error(spoil, message):
    with pytest.raises(ValueError, match=message):
        estimates_page(spoil(example_estimates(3, 2)))


def test_known_shares_must_be_as_many_as_bags():
    with pytest.raises(ValueError, match="known_share has 1 values for 2 batches"):
        estimates_page(example_estimates(3, 2), {"known_share": [0.9]})


def test_ten_thousand_bags_are_all_in_the_page():
    table = pl.DataFrame(
        {
            "batch": [str(b) for b in range(10_000)],
            "class": "a",
            "share": 0.5,
            "count": 5,
            "size": 10,
            "p_train": 0.5,
        }
    )
    summary = summarise_estimates(table, {"kind": "binary", "in_time": False})
    assert len(summary["data"]["batches"]) == 10_000
    assert summary["warnings"] == []


def test_months_and_years_are_called_so_and_tables_keep_their_days():
    days = [datetime.date(2023, 12, 1), datetime.date(2024, 2, 1)]
    table = frame([[0.5, 0.5]] * 2, [0.5, 0.5], bags=days)
    data = summarise_estimates(table, {"period": "month"})["data"]
    assert data["batches"] == ["Dec 2023", "Feb 2024"]
    assert data["ids"] == ["2023-12-01", "2024-02-01"]
    assert data["times"][1] - data["times"][0] == 62  # to scale: 31 days of each month between
    weeks = summarise_estimates(table, {"period": "week"})
    assert weeks["data"]["batches"] == ["2023-12-01", "2024-02-01"]
    assert weeks["data"]["ids"] is None
    lead = summarise_estimates(table, {"period": "year"})["lead"]
    assert "2 batches, 2023 to 2024," in lead


def test_bags_of_several_columns_are_named_by_all_and_do_not_follow_each_other():
    names = ["2024-02-01 · A", "2024-02-01 · B", "2024-03-01 · A"]
    days = [datetime.date(2024, month, 1) for month in (2, 2, 3)]
    keys = {"day": days, "airline": ["A", "B", "A"]}
    table = frame([[0.5, 0.5]] * 3, [0.5, 0.5], bags=names)
    data = summarise_estimates(table, {"keys": keys, "period": "month"})["data"]
    assert data["batches"] == ["Feb 2024 · A", "Feb 2024 · B", "Mar 2024 · A"]
    assert data["ids"] == names
    assert not data["in_time"]
    day, airline = data["keys"]
    assert (day["values"], day["at"]) == (["Feb 2024", "Mar 2024"], [0, 0, 1])
    assert day["times"][1] - day["times"][0] == 29
    assert day["ids"] == ["2024-02-01", "2024-03-01"]
    assert (airline["values"], airline["at"], airline["times"]) == (["A", "B"], [0, 1, 0], None)
    assert (airline["name"], airline["column"]) == ("airline", "airline")
    with pytest.raises(ValueError, match="keys have 1 values of 'day' for 3 batches"):
        estimates_page(table, {"keys": {"day": ["x"], "airline": keys["airline"]}})


def test_texts_that_look_like_days_are_not_called_months():
    keys = {"wave": ["2024-01-05", "2024-01-19"], "airline": ["A", "A"]}
    table = frame([[0.5, 0.5]] * 2, [0.5, 0.5])
    wave, _ = summarise_estimates(table, {"keys": keys, "period": "month"})["data"]["keys"]
    assert wave["values"] == ["2024-01-05", "2024-01-19"]
    assert wave["times"][1] - wave["times"][0] == 14


def test_the_page_for_analysts_has_no_nats_and_no_divergence():
    html = estimates_page(example_estimates(3, 4), {"method": "Adaptive"})
    for word in ("nats", "KLD", "Kullback"):
        assert word not in html


# What it says ------------------------------------------------------------------------------------


def test_findings_name_the_largest_class_and_what_changed():
    # From 40 and 60% to 70 and 30%: rises and falls of 30 points, outside of both intervals.
    table = frame(
        [[0.4, 0.6], [0.7, 0.3]],
        [0.4, 0.6],
        low=[[0.3, 0.5], [0.65, 0.25]],
        high=[[0.5, 0.7], [0.75, 0.35]],
    )
    first, second = summarise_estimates(table)["findings"]
    assert first["headline"] == "“class 0” leads in week 1 with 70.0%"
    assert first["text"] == (
        "About 70 of 100 documents; 95% interval 65.0% to 75.0%. Then “class 1” 30.0%."
    )
    assert second["headline"] == "2 of 2 classes have clearly changed since training"
    assert "“class 0” has risen, from 40.0% to 70.0% (+30.0 points)." in second["text"]


def test_the_lead_has_the_name_of_a_method_but_no_description():
    def lead(method):
        return summarise_estimates(STEADY, {"method": method, "n_train": 1234})["lead"]

    what = "2 classes in 500 documents in 5 batches, week 0 to week 4, estimated"
    assert lead("SVM(KLD)") == f"{what} by SVM(KLD) from 1,234 training documents."
    assert (
        lead("ClassifyAndCount(StructuralSVM(C=8.0))") == f"{what} from 1,234 training documents."
    )


def test_bags_that_are_not_in_time_are_spoken_of_together():
    table = frame([[0.2, 0.8], [0.4, 0.6]], [0.5, 0.5], bags=["north", "south"])
    finding = summarise_estimates(table)["findings"][0]
    # (80 + 60) / 200
    assert finding["headline"] == "Over both batches, “class 1” leads with 70.0%"
    assert finding["text"].startswith("About 140 of 200 documents")


def test_where_the_truth_is_known_the_error_is_told_beside_that_of_the_training_shares():
    # Errors of 2 points in each class; the training shares err by 10.
    # One of two classes' intervals holds the truth.
    table = frame(
        [[0.42, 0.58]], [0.5, 0.5], true_share=[[0.4, 0.6]], low=[[0.3, 0.5]], high=[[0.5, 0.59]]
    )
    finding = summarise_estimates(table)["findings"][-1]
    assert finding["headline"] == "Estimates are off by 2 points on average"
    assert "training shares would be off by 10 points" in finding["text"]
    assert "50.0% hold the truth; their level is 95%" in finding["text"]


# Drift -------------------------------------------------------------------------------------------


def test_drift_of_single_labels_is_the_share_of_documents_that_would_change_class():
    # .5 .3 .2 to .2 .5 .3: 20 + 10 of 100 documents have gone from the first class to the others.
    shown = grid(frame([[0.2, 0.5, 0.3]], [0.5, 0.3, 0.2]), {})
    assert shown.single_label
    assert shown.drift() == pytest.approx([0.3])


def test_drift_of_one_class_of_two_is_its_move():
    shown = grid(frame([[0.2]], [0.5]), {"kind": "binary"})
    assert shown.drift() == pytest.approx([0.3])


def test_drift_of_many_labels_is_the_largest_move():
    shown = grid(frame([[0.2, 0.5, 0.6]], [0.5, 0.4, 0.5]), {})
    assert not shown.single_label
    assert shown.drift() == pytest.approx([0.3])


# Advice ------------------------------------------------------------------------------------------

STEADY = frame([[0.5, 0.5]] * 5, [0.5, 0.5])


def levels(table, **about):
    return [verdict.level for verdict in grid(table, about).verdicts]


def test_estimates_alone_are_judged_by_the_rules_that_need_nothing_else():
    # Rules themselves: tests/models/test_verdicts.py.
    assert levels(STEADY, known_share=[0.9] * 5) == ["fine"] * 5
    known = {"week 4": 0.79, "week 0": 0.9, "week 1": 0.81, "week 2": 0.95, "week 3": 0.4}
    assert levels(STEADY, known_share=known, known_share_train=0.9) == [
        *["fine"] * 3, "distrust", "care"
    ]  # fmt: skip
    assert levels(frame([[0.79, 0.21], [0.8, 0.2]], [0.5, 0.5])) == ["fine", "care"]
    table = frame([[0.9, 0.1]], [0.8, 0.2], size=49, low=[[0.7, 0.1]], high=[[0.94, 0.12]])
    [verdict] = grid(table, {}).verdicts
    assert [reason.split()[-1] for reason in verdict.reasons] == ["one.", "roughly."]


def test_a_bag_whose_truth_is_met_is_still_judged_by_the_other_rules():
    met = {"low": [[0.85, 0.05]], "high": [[0.95, 0.15]], "true_share": [[0.9, 0.1]]}
    table = frame([[0.9, 0.1]], [0.5, 0.5], **met)
    assert levels(table, known_share=[0.2]) == ["distrust"]
    assert levels(frame([[0.9, 0.1]], [0.9, 0.1], size=20, **met)) == ["care"]


def test_bags_whose_truth_is_not_known_do_not_count_as_hit():
    none = [[None, None]]
    table = frame(
        [[0.5, 0.5]] * 5,
        [0.5, 0.5],
        low=[[0.45, 0.45]] * 5,
        high=[[0.55, 0.55]] * 5,
        true_share=[[0.42, 0.58]] + none + [[0.42, 0.58]] * 2 + none,
    )
    assert levels(table) == [*["fine"] * 3, "distrust", "fine"]
    text = summarise_estimates(table)["findings"][-1]["text"]
    assert "Of the intervals, 0.0% hold the truth" in text


def test_verdicts_of_the_model_are_shown_as_they_are():
    verdicts = {f"week {b}": Verdict("fine") for b in range(5)}
    verdicts["week 4"] = Verdict("care", ("It rains.", "It pours."))
    change = Change(0.2, 1.0, (WordChange("umbrella", 0.75, 0.04),))
    about = {"verdicts": verdicts, "changes": {"week 4": change}}
    summary = summarise_estimates(STEADY, about)
    assert summary["data"]["verdicts"] == [0, 0, 0, 0, 1]
    assert summary["data"]["reasons"][4] == ["It rains.", "It pours."]
    assert summary["data"]["words"] == [*[None] * 4, [["umbrella", 0.75, 0.04]]]
    assert summary["doubt"] == {"css": "care", "headline": "Read with care"}
    assert summary["advice"]["headline"] == "Read 1 of the last 3 batches with care"
    assert summary["advice"]["text"].startswith("week 4: It rains. It pours. To be sure, ")


def test_an_estimate_beside_its_interval_is_said_to_be():
    table = frame([[0.4, 0.6]], [0.5, 0.5], low=[[0.42, 0.5]], high=[[0.5, 0.58]])
    [reasons] = summarise_estimates(table)["data"]["reasons"]
    assert "lies outside its own interval" in reasons[0]


def test_a_wide_interval_of_a_small_class_is_told_of_the_class_not_of_the_bag():
    # .9 × .05 + .1 × .8 = .125
    table = frame([[0.9, 0.1]], [0.8, 0.2], low=[[0.88, 0.0]], high=[[0.93, 0.8]])
    assert levels(table) == ["fine"]
    finding = summarise_estimates(table)["findings"][2]
    assert finding["headline"] == "1 of 2 classes is hardly known"
    assert "“class 1” 0.0% to 80.0%" in finding["text"]


@pytest.mark.parametrize(
    ("names", "in_time"),
    [
        (["2024", "2025"], True),
        (["2024-W01", "2024-W02"], True),
        (["Week 1", "Week 10"], True),
        (["north", "south"], False),
        (["2024", "unknown"], False),
    ],
)
def test_names_of_bags_tell_whether_they_follow_each_other(names, in_time):
    table = frame([[0.5, 0.5]] * 2, [0.5, 0.5], bags=names)
    assert grid(table, {}).in_time is in_time
    assert grid(table, {"in_time": not in_time}).in_time is not in_time


def test_the_advice_follows_the_majority_of_the_last_three_bags():
    def advised(known, usual=0.6):
        return advice(grid(STEADY, {"known_share": known, "known_share_train": usual}))[:2]

    assert advised([0.4, 0.4, 0.9, 0.9, 0.9]) == (
        "fine",
        "No sign that the model should be retrained",
    )
    assert advised([0.9, 0.9, 0.4, 0.9, 0.9]) == (
        "distrust",
        "Do not trust 1 of the last 3 batches",
    )
    assert advised([0.9, 0.9, 0.6, 0.9, 0.4], usual=0.9) == (
        "distrust",
        "Read 2 of the last 3 batches with care, and do not trust 1 of them",
    )
    assert advised([0.9, 0.9, 0.4, 0.9, 0.4]) == (
        "distrust",
        "Retrain the model before these estimates are used",
    )


def test_the_advice_says_which_rules_could_not_be_judged():
    _, _, text = advice(grid(STEADY, {}))
    assert text.endswith(
        "Not known here: change, words, model, training, intervals, truth and error."
    )


def test_the_page_states_every_rule():
    summary = summarise_estimates(STEADY)
    html = estimates_page(STEADY)
    for rule in summary["rules"]:
        assert rule["text"] in html
    assert html.count("Not known here.</em>") == 7
