import json
import re
from base64 import b64encode
from hashlib import sha256

import polars as pl
import pytest

from quantext.experiments.results import REFERENCE
from quantext.reports import tables
from quantext.reports.catalogue import all_tables
from quantext.reports.experiment_page import render, summarise
from quantext.reports.findings import findings
from tests.support.page import Page
from tests.support.results import METHODS, MORE_METHODS, example_results, frame, joint, row

ABOUT = {
    "corpus": "RCV1-v2",
    "documents": 804_414,
    "features": 53_204,
    "unit": "week",
    "seed": 3,
    "versions": {"quantext": "0.1.0"},
    "configuration": {"methods": {"CC": "ClassifyAndCount(LinearSVM())"}, "bags": 12},
    "seconds": {"vectors": 1.25, "tasks": 10.0},
    "notes": ["2 documents have no date"],
}


@pytest.fixture(scope="module")
def summary():
    return summarise(example_results(30, 12, intervals=True), ABOUT)


@pytest.fixture(scope="module")
def page(summary):
    return Page(render(summary))


def text_of(summary, headline):
    return next(f["text"] for f in summary["findings"] if headline in f["headline"])


def test_a_summary_is_plain_data(summary):
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_the_page_embeds_the_data_that_its_scripts_draw(page, summary):
    (data,) = [text for attributes, text in page.all("script") if attributes.get("id") == "data"]
    assert json.loads(data) == summary["data"]


def test_estimates_are_embedded_in_millionths():
    results = frame(row(bag="1", p_true=0.2, p_hat=0.1234567), row(bag="2", p_true=0.0, p_hat=1.0))
    data = summarise(results)["data"]["classes"]
    assert data["truth"] == [[200_000, 0]]
    assert data["estimates"] == [[[123_457, 1_000_000]]]
    assert data["low"] is None


def test_a_missing_estimate_is_minus_one_and_is_said():
    results = example_results(3, 4).filter(
        ~((pl.col("method") == "CC") & (pl.col("task") == "C001") & (pl.col("bag") == "week 2"))
    )
    summary = summarise(results)
    data = summary["data"]["classes"]
    of_cc = data["estimates"][data["methods"].index("CC")]
    assert [value < 0 for value in of_cc[data["names"].index("C001")]] == [
        False,
        True,
        False,
        False,
    ]
    assert summary["warnings"] == [
        "Not every method has all 12 test sets: CC (11). Means are over what each has; tests "
        "compare what both have."
    ]


def test_bags_are_in_order_of_time_whatever_the_order_of_the_results():
    shuffled = example_results(3, 12).sample(fraction=1, shuffle=True, seed=5)
    labels = summarise(shuffled)["data"]["classes"]["labels"]
    assert labels == sorted(labels)
    assert len(labels) == 12


def test_the_page_allows_its_own_scripts_and_style_and_nothing_else(page):
    policies = [
        attributes["content"]
        for attributes, _ in page.all("meta")
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    (policy,) = policies
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "http" not in policy
    code = [text for attributes, text in page.all("script") if "type" not in attributes]
    for text in [*code, *(text for _, text in page.all("style"))]:
        assert b64encode(sha256(text.encode()).digest()).decode() in policy


def test_the_page_refers_to_nothing_outside_itself(page):
    for tag, attributes, _ in page.elements:
        assert "src" not in attributes, tag
        assert attributes.get("href", "#").startswith(("#", "data:,"))
        assert "style" not in attributes, tag  # the policy forbids it
        assert not any(name.startswith("on") for name in attributes)


def test_names_are_escaped_wherever_they_appear():
    bad = '</script><script>alert("x")</script>&amp;'
    names = [bad, "b", "c"]
    results = example_results(3, 3, {bad: (0.1, 0.2, True, False), **METHODS}, names=names)
    about = {"corpus": bad, "notes": [bad], "failures": {bad: bad}, "configuration": {bad: bad}}
    text = render(summarise(results, about))
    assert "<script>alert" not in text
    parsed = Page(text)
    assert len(parsed.all("script")) == 5  # the data and four scripts
    assert bad in next(text for attributes, text in parsed.all("title"))
    (data,) = [text for attributes, text in parsed.all("script") if attributes.get("id") == "data"]
    assert bad in json.loads(data)["classes"]["names"]


def test_every_table_is_on_the_page_with_values_to_sort_by(page, summary):
    ids = {attributes.get("id") for attributes, _ in page.all("section")}
    expected = {table.name for table in all_tables(example_results(3, 3, intervals=True))}
    assert ids == {f"table-{name}" for name in expected}
    mean = next(t for t in summary["tables"] if t["name"] == "kld_by_prevalence")
    labels = [column["label"] for column in mean["columns"]]
    assert labels == ["method", *("VLP", "LP", "HP", "VHP", "All") * 2]
    assert [column["theirs"] for column in mean["columns"]] == [False] * 6 + [True] * 5
    values = [row[5]["value"] for row in mean["rows"] if row[5]["value"] is not None]
    assert values == sorted(values)


def test_facts_of_the_run_are_on_the_page(summary):
    facts = {fact["label"]: fact["parts"] or fact["text"] for fact in summary["facts"]}
    assert facts["Documents"] == "804,414"
    assert facts["Notes"] == ["2 documents have no date"]
    assert facts["Time"] == ["vectors: 1.2 s", "tasks: 10.0 s", "in all: 11.2 s"]
    assert facts["Methods"] == ["CC: ClassifyAndCount(LinearSVM())"]
    assert facts["Bags"] == "12"


def test_failed_tasks_are_named_at_the_top():
    about = {"failures": {"gold": "Traceback\nValueError: too heavy"}}
    (warning,) = summarise(example_results(3, 3), about)["warnings"]
    assert warning == (
        "1 task failed, not shown in any figure or table: gold. The first error: "
        "ValueError: too heavy"
    )


def test_the_best_method_is_named_with_its_margin(summary):
    results = example_results(30, 12, intervals=True)
    table = tables.significance(results)
    best, second = table["method"][0], table["method"][1]
    text = text_of(summary, f"{best} is the most accurate of 8 methods")
    assert f"{table['kld'][0]:.2e}" in text
    assert f"{1 - table['kld'][0] / table['kld'][1]:.0%} below" in text
    assert f"of {second}, the next best" in text
    close = table.filter(pl.col("p_value") >= 0.001)["method"].to_list()
    assert close  # of this example
    assert f"not significant at p < .001 (paired t-test) against {' and '.join(close)}" in text


def test_significance_is_claimed_only_when_it_holds_against_each():
    far = example_results(30, 12, {k: METHODS[k] for k in ("SVM(KLD)", "MS", "CC")})
    assert "better than each other method" in findings(far, {})[0]["text"]


def test_the_groups_that_svm_kld_wins_and_loses_are_those_of_the_tables(summary):
    text = text_of(summary, "SVM(KLD) wins")
    table = tables.kld_by_drift(example_results(30, 12, intervals=True))
    names = {
        "VLD": "very low drift",
        "LD": "low drift",
        "HD": "high drift",
        "VHD": "very high drift",
    }
    by_drift = text.partition("By drift it is ")[2]
    won, _, lost = by_drift.partition("beaten at")
    for label, name in names.items():
        winner = table.sort(label)["method"][0]
        if winner == "SVM(KLD)":
            assert name in won
        else:
            assert f"{name} ({winner})" in lost


def test_adaptive_and_svm_kld_are_each_reported_as_they_score():
    methods = {"SVM(KLD)": METHODS["SVM(KLD)"], "CC": METHODS["CC"], "Adaptive": METHODS["MS"]}
    results = example_results(30, 12, methods)
    found = findings(results, {})
    wins = [f["headline"].partition(" wins")[0] for f in found if " wins " in f["headline"]]
    assert wins == ["Adaptive", "SVM(KLD)"]
    means = tables.kld_by_drift(results)
    ours, best = (
        means.filter(pl.col("method") == name)["All"].item() for name in ("Adaptive", "SVM(KLD)")
    )
    text = text_of({"findings": found}, "Adaptive wins in no group")
    assert f"number 3 of 3: {ours:.2e}, {ours / best:.1f} times that of SVM(KLD)" in text
    assert "Adaptive is fitted in 200 ms a class" in [f["headline"] for f in found]
    text = text_of({"findings": found}, "Adaptive is fitted in")
    assert text == (
        "Over all classes that is 6 s. Others, each run alone: SVM(KLD) 50 ms and CC 50 ms a class."
    )


def test_a_method_that_never_wins_is_said_to():
    methods = {"CC": METHODS["SVM(KLD)"], "SVM(KLD)": METHODS["MS"]}
    (finding,) = [
        f for f in findings(example_results(30, 12, methods), {}) if "wins" in f["headline"]
    ]
    assert finding["headline"] == "SVM(KLD) wins in no group"
    assert "number 2 of 2" in finding["text"]


def test_the_training_prevalence_is_always_reported(summary):
    text = text_of(summary, "training prevalence")
    table = tables.kld_by_drift(example_results(30, 12, intervals=True))
    score = table.filter(pl.col("method") == REFERENCE)["All"].item()
    assert f"scores {score:.2e}" in text
    assert "best at very low drift" in text


def test_intervals_are_judged_against_their_level():
    results = example_results(10, 5, intervals=True)
    some = pl.col("low").is_not_null()
    narrow = results.with_columns(low=pl.when(some).then(0.98), high=pl.when(some).then(0.99))
    text = text_of({"findings": findings(narrow, {})}, "Intervals are too narrow")
    assert "At a nominal 95%, no method's cover 92%" in text
    wide = results.with_columns(low=pl.when(some).then(0.0), high=pl.when(some).then(1.0))
    text = text_of({"findings": findings(wide, {"level": 0.9})}, "Intervals cover")
    assert "cover at least 87% of the true prevalences (7 of 7 methods)" in text


def test_published_results_are_compared_for_their_corpora_only(summary):
    assert "SVM(KLD)" in text_of(summary, "Beside the published")
    others = findings(example_results(5, 3), {"corpus": "arXiv"})
    assert not any("published" in f["headline"] for f in others)


def test_numbers_in_the_findings_do_not_break_across_lines(summary):
    text = render(summary)
    inside = text[text.index('class="findings"') : text.index('id="figures"')]
    numbers = re.findall(r"\de-\d\d", inside)
    assert numbers
    assert len(re.findall(r'<span class="nowrap">[^<]*\de-\d\d', inside)) == len(numbers)


@pytest.mark.parametrize(
    "results",
    [
        frame(row()),
        frame(row(bag="1"), row(bag="2", p_true=0.0), row("d", bag="1", p_train=0.001)),
        example_results(3, 1),
        example_results(4, 3, {"Training prevalence": None}),
        example_results(4, 3, by="year"),
        example_results(4, 3).with_columns(period=pl.lit(None, pl.String)),
    ],
    ids=["one row", "one method", "one bag", "reference alone", "named periods", "no periods"],
)
def test_small_and_odd_runs_have_a_page_too(results):
    page = Page(render(summarise(results)))
    assert page.all("title")[0][1] == "Experiment"


@pytest.mark.slow
def test_a_large_run_makes_a_page_of_a_few_megabytes():
    results = example_results(155, 52, METHODS | MORE_METHODS)
    assert results.height == 161_200
    assert len(render(summarise(results)).encode()) < 2_000_000


def test_estimates_beyond_the_room_of_the_page_are_left_out_and_it_says_so():
    # 200 estimates a method: room for five
    summary = summarise(example_results(20, 10), most_estimates=1000)
    assert summary["data"]["classes"]["methods"][:2] == ["SVM(KLD)", "PCC"]
    assert len(summary["data"]["classes"]["methods"]) == 5
    assert "trends of 5 methods only" in summary["classes"]["note"]


def mood_rows(methods=("CC", "SVM(KLD)", REFERENCE)):
    """All classes at once, in four bags."""
    truth = (0.3, 0.2, 0.5)
    return [
        one
        for i, method in enumerate(methods)
        for bag in "1234"
        for one in joint(
            {"bad": 0.3 - 0.02 * i, "good": 0.2, "so so": 0.5 + 0.02 * i},
            truth,
            truth,
            method=method,
            bag=bag,
            period=bag,
            fit_seconds=0.5,
        )
    ]


def test_a_page_of_all_classes_at_once_has_each_of_them():
    summary = summarise(frame(*mood_rows()))
    assert summary["lead"].startswith("3 methods estimate the prevalence of 3 classes all at once")
    assert summary["by_period_shows"] == "KLD over all classes at once"
    data = summary["data"]["classes"]
    assert data["names"] == ["so so", "bad", "good"]
    assert data["truth"][0] == [500_000] * 4
    assert data["estimates"][data["methods"].index("CC")][1] == [300_000] * 4
    assert summary["warnings"] == []
    assert text_of(summary, "SVM(KLD) is fitted in 500 ms").startswith("That is the time for all")
    assert Page(render(summary)).all("title")


def test_a_page_of_both_kinds_shows_each_class_and_says_who_is_best_at_all_at_once():
    each = [row(task, m, b, period=b) for task in "xy" for m in ("CC", REFERENCE) for b in "1234"]
    summary = summarise(frame(*each, *mood_rows(("CC", REFERENCE))))
    assert "2 classes, each against the rest and all at once, in 4 bags" in summary["lead"]
    assert summary["data"]["classes"]["names"] == ["x", "y"]
    text = text_of(summary, "All classes at once: CC is the most accurate")
    assert "over all 3 classes of a bag is 0.00e+00 (4 bags)" in text
    assert "all_at_once" in [table["name"] for table in summary["tables"]]
    alone = summarise(frame(*each))
    assert not any("All classes" in finding["headline"] for finding in alone["findings"])
    assert "all_at_once" not in [table["name"] for table in alone["tables"]]
