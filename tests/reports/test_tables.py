import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy.stats import ttest_rel

from quantext.experiments.results import (
    DRIFT_GROUPS,
    PREVALENCE_GROUPS,
    REFERENCE,
    class_rows,
    joint_rows,
    kld_by_period,
    main_rows,
    paired_p_values,
    ranked_methods,
    times,
    with_errors,
)
from quantext.measures import binary, kld
from quantext.reports import tables
from quantext.reports.catalogue import all_tables
from quantext.reports.classification import f1, fp_fn, rates
from quantext.reports.published import corpus_name, published
from quantext.reports.typeset import Table, to_csv, to_latex, to_markdown, write_tables
from tests.support.results import example_results, frame, joint, row


def by(frame, method):
    return frame.filter(pl.col("method") == method).row(0, named=True)


def test_errors_are_the_measures_of_each_row():
    results = example_results(4, 3)
    rows = with_errors(results)
    p_true, p_hat, size = (rows[c].to_list() for c in ("p_true", "p_hat", "size"))
    expected = [
        kld(binary(p), binary(q), size=n) for p, q, n in zip(p_true, p_hat, size, strict=True)
    ]
    np.testing.assert_allclose(rows["kld"], expected, rtol=1e-12)
    # By hand: bag of 100, e = 0.005; true 0.2, estimate 0.3: |0.3 − 0.2| / 0.205.
    one = with_errors(frame(row(p_true=0.2, p_hat=0.3, size=100)))
    assert one["rae"].item() == pytest.approx(0.1 / 0.205)


def test_errors_are_added_once():
    rows = with_errors(example_results(2, 2))
    assert with_errors(rows) is rows


def test_rows_keep_their_order_and_columns():
    results = example_results(5, 3)
    assert with_errors(results).select(results.columns).equals(results)


@pytest.mark.parametrize(
    ("p_train", "group"),
    [(0.0099, "VLP"), (0.01, "LP"), (0.0499, "LP"), (0.05, "HP"), (0.0999, "HP"), (0.1, "VHP")],
)
def test_prevalence_groups_are_closed_below_and_open_above(p_train, group):
    assert with_errors(frame(row(p_train=p_train)))["prevalence_group"].item() == group


def test_quartiles_of_drift_break_ties_by_the_order_of_the_results():
    # Six test sets, all of the same drift: ranks 0..5, quartile 4·rank//6 = 0 0 1 2 2 3.
    results = frame(*(row(bag=f"b{i}") for i in (5, 3, 1, 0, 2, 4)))
    assert with_errors(results)["drift_group"].to_list() == [
        "VLD",
        "VLD",
        "LD",
        "HD",
        "HD",
        "VHD",
    ]


def test_quartiles_of_drift_are_over_test_sets_and_not_over_rows():
    # p_train is 0.2: the drift of the bags rises with |p_true − 0.2|, the same for both methods.
    shares = {"far": 0.9, "near": 0.25, "same": 0.2, "further": 0.5}
    rows = [row(method=m, bag=b, p_true=p) for b, p in shares.items() for m in ("CC", "ACC")]
    groups = with_errors(frame(*rows)).select("method", "bag", "drift_group").rows()
    expected = {"same": "VLD", "near": "LD", "further": "HD", "far": "VHD"}
    assert groups == [(m, b, expected[b]) for b in shares for m in ("CC", "ACC")]


def test_drift_is_smoothed_with_the_size_of_the_bag():
    results = frame(row(p_true=0.0, p_train=0.2, size=50))
    expected = kld([1.0, 0.0], [0.8, 0.2], size=50)
    assert with_errors(results)["drift"].item() == pytest.approx(float(expected))


def test_results_without_a_column_or_rows_or_with_a_row_twice_are_refused():
    results = frame(row())
    with pytest.raises(ValueError, match="no column p_hat, tp"):
        with_errors(results.drop("p_hat", "tp"))
    with pytest.raises(ValueError, match="no rows"):
        with_errors(results.clear())
    with pytest.raises(ValueError, match="task 'c', method 'CC', bag 'b' more than once"):
        with_errors(pl.concat([results, results]))


def test_means_and_variances_are_those_of_the_groups():
    rows = with_errors(example_results(30, 12))
    cc = rows.filter(pl.col("method") == "CC")
    for group, names in (("prevalence", PREVALENCE_GROUPS), ("drift", DRIFT_GROUPS)):
        mean = by(getattr(tables, f"kld_by_{group}")(rows), "CC")
        variance = by(getattr(tables, f"kld_variance_by_{group}")(rows), "CC")
        for name in names:
            values = cc.filter(pl.col(f"{group}_group") == name)["kld"].to_numpy()
            assert mean[name] == pytest.approx(values.mean())
            assert variance[name] == pytest.approx(values.var(ddof=1))
        assert mean["All"] == pytest.approx(cc["kld"].mean())


def test_variance_has_one_degree_of_freedom_less():
    # RAE of two bags of 100: 0.1/0.205 and 0; KLDs a and 0 have variance a²/2 with ddof 1.
    results = frame(row(bag="a", p_hat=0.3), row(bag="b", p_hat=0.2))
    a = float(kld([0.8, 0.2], [0.7, 0.3], size=100))
    assert tables.kld_variance_by_drift(results)["All"].item() == pytest.approx(a**2 / 2)


def test_a_group_without_test_sets_is_null():
    table = tables.kld_by_prevalence(frame(row(p_train=0.2), row(method="ACC", p_train=0.2)))
    assert table["VLP"].to_list() == [None, None]
    assert table["VHP"].null_count() == 0


def test_rae_by_drift_is_the_positive_class_alone():
    assert tables.rae_by_drift(frame(row(p_hat=0.3)))["All"].item() == pytest.approx(0.1 / 0.205)


def test_methods_are_ranked_by_all():
    for make in (tables.kld_by_prevalence, tables.kld_variance_by_drift, tables.rae_by_drift):
        assert make(example_results())["All"].is_sorted()


def test_p_values_are_those_of_scipy():
    rng = np.random.default_rng(3)
    values = rng.gamma(1.0, 1.0, (40, 5)) * np.array([1.0, 1.2, 1.5, 2.0, 0.9])
    ours = paired_p_values(values, 2)
    expected = [1.0 if j == 2 else ttest_rel(values[:, j], values[:, 2]).pvalue for j in range(5)]
    np.testing.assert_allclose(ours, expected, rtol=1e-9)


def test_p_values_leave_out_missing_test_sets():
    rng = np.random.default_rng(4)
    values = rng.random((20, 2))
    with_gaps = values.copy()
    with_gaps[[3, 7], 1] = np.nan
    kept = np.delete(values, [3, 7], axis=0)
    assert paired_p_values(with_gaps, 0)[1] == pytest.approx(
        ttest_rel(kept[:, 1], kept[:, 0]).pvalue
    )


def test_p_values_of_constant_differences_and_single_rows():
    values = np.array([[1.0, 1.0, 2.0], [3.0, 3.0, 4.0]])
    assert paired_p_values(values, 0).tolist() == [1.0, 1.0, 0.0]
    assert paired_p_values(values[:1], 0).tolist() == [1.0, 1.0, 1.0]


def results_of(**p_hats):
    """One task of true prevalence 0.2 in bags of 1,000, the estimates of each method by bag."""
    return frame(
        *(
            row(method=method, bag=f"b{i}", size=1000, p_hat=float(p))
            for method, values in p_hats.items()
            for i, p in enumerate(values)
        )
    )


def test_bold_needs_every_other_method_to_be_significantly_worse():
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.002, 40)
    best, worse = 0.2 + noise, 0.3 + noise
    twin = 0.2 - noise + 1e-5  # as good as the best
    clear = tables.kld_by_drift(results_of(A=best, B=worse))
    assert "All" in by(clear, "A")["bold"]
    assert by(clear, "B")["bold"] == []
    contested = tables.kld_by_drift(results_of(A=best, B=worse, C=twin))
    assert contested["bold"].to_list() == [[], [], []]


def test_bold_in_a_table_of_variances_is_the_least():
    table = tables.kld_variance_by_drift(results_of(A=[0.2, 0.21, 0.22], B=[0.2, 0.3, 0.4]))
    assert "All" in by(table, "A")["bold"]
    assert by(table, "B")["bold"] == []


def test_a_single_method_is_not_bold():
    assert tables.kld_by_drift(results_of(A=[0.3, 0.4]))["bold"].to_list() == [[]]


def test_f1_over_the_union_of_the_test_sets_by_hand():
    # Class a (frequent), two bags: tp 3+1, fp 1+0, fn 0+3: F1 = 8/(8+1+3) = 2/3.
    # Class b (rare), two bags:     tp 0+1, fp 0+0, fn 1+0: F1 = 2/(2+0+1) = 2/3.
    # Class c (rare): nothing there, nothing found: F1 = 1.
    # Micro: tp 5, fp 1, fn 4: 10/15. Macro: (2/3 + 2/3 + 1)/3 = 7/9.
    # Rare: micro 2/3, macro (2/3 + 1)/2 = 5/6.
    results = frame(
        row("a", bag="1", tp=3, fp=1, fn=0, tn=6),
        row("a", bag="2", tp=1, fp=0, fn=3, tn=6),
        row("b", bag="1", tp=0, fp=0, fn=1, tn=9, p_train=0.01),
        row("b", bag="2", tp=1, fp=0, fn=0, tn=9, p_train=0.01),
        row("c", bag="1", tp=0, fp=0, fn=0, tn=10, p_train=0.001),
        row("a", method="PCC"),
    )
    assert f1(results).rows() == [("CC", *map(pytest.approx, (2 / 3, 7 / 9, 2 / 3, 5 / 6)))]


def test_f1_of_rare_classes_is_null_when_there_are_none():
    table = f1(frame(row(tp=1, fp=1, fn=1, tn=7)))
    assert table.row(0, named=True) == {
        "method": "CC", "micro": 0.5, "macro": 0.5, "rare_micro": None, "rare_macro": None
    }  # fmt: skip


def test_ratio_of_false_positives_to_false_negatives_by_hand():
    # With FN > 0: 1/2 and 3/1, mean 1.75; sums: (1+3+5)/(2+1+0) = 3.
    results = frame(
        row(bag="1", tp=1, fp=1, fn=2, tn=6),
        row(bag="2", tp=1, fp=3, fn=1, tn=5),
        row(bag="3", tp=1, fp=5, fn=0, tn=4),
    )
    assert fp_fn(results).rows() == [("CC", 1.75, 3.0, 2)]


def test_times_count_a_fit_once_whatever_the_number_of_bags():
    results = frame(
        row("a", bag="1", fit_seconds=2.0, shared_seconds=1.0, predict_seconds=0.1),
        row("a", bag="2", fit_seconds=2.0, shared_seconds=1.0, predict_seconds=0.3),
        row("b", bag="1", fit_seconds=4.0, shared_seconds=3.0, predict_seconds=0.2),
    )
    assert times(results).rows() == [("CC", 3.0, 2.0, 6.0, pytest.approx(0.2))]


def test_rates_in_training_are_over_classes_and_in_test_over_bags_with_positives():
    # Training: tpr (0.5 + 1.0)/2 = 0.75, fpr (0.1 + 0.3)/2 = 0.2.
    # Test: class a has positives in both bags: tpr 1/2 and 1; fpr 1/8 and 2/8. Class b has none.
    # tpr 0.75: change 0; fpr 0.1875: change −1/16.
    results = frame(
        row("a", bag="1", tpr_train=0.5, fpr_train=0.1, tp=1, fn=1, fp=1, tn=7),
        row("a", bag="2", tpr_train=0.5, fpr_train=0.1, tp=2, fn=0, fp=2, tn=6),
        row("b", bag="1", tpr_train=1.0, fpr_train=0.3, tp=0, fn=0, fp=9, tn=1),
        row("a", method="PCC", tpr_train=0.5, fpr_train=0.1),
    )
    (only,) = rates(results).rows()
    assert only == ("CC", 0.75, 0.75, 0.0, pytest.approx(0.2), 0.1875, pytest.approx(-1 / 16), 2)


def test_coverage_counts_the_intervals_that_hold_the_truth():
    results = frame(
        row(bag="1", p_true=0.2, low=0.2, high=0.4),  # at its end: held
        row(bag="2", p_true=0.2, low=0.3, high=0.4),
        row(bag="3", p_true=0.5, low=0.4, high=0.6),
        row(bag="4", p_true=0.9, low=0.4, high=0.6),
    )
    table = tables.coverage(results)
    # Drift: bags 1 and 2 none, 3 some, 4 most.
    assert table.select("method", *DRIFT_GROUPS, "All", "test_sets").rows() == [
        ("CC", 1.0, 0.0, 1.0, 0.0, 0.5, 4)
    ]
    assert table["width"].item() == pytest.approx((0.2 + 0.1 + 0.2 + 0.2) / 4)


def test_without_intervals_there_is_no_table_of_coverage():
    results = example_results(3, 3)
    assert tables.coverage(results).is_empty()
    assert "coverage" not in [table.name for table in all_tables(results)]


def test_significance_names_the_best_method_first_and_the_test_sets_of_each():
    results = example_results(10, 5).filter(
        ~((pl.col("method") == "MS") & (pl.col("task") == "C003"))
    )
    table = tables.significance(results)
    assert table["method"].to_list() == ranked_methods(results)
    assert table["p_value"].null_count() == 1
    assert by(table, "MS")["test_sets"] == 45
    assert by(table, "CC")["test_sets"] == 50


def test_classes_have_their_prevalences_and_the_error_of_each_method():
    results = example_results(6, 4)
    table = tables.classes(results)
    one = table.row(2, named=True)
    rows = with_errors(results).filter(pl.col("task") == one["class"])
    assert one["p_true"] == pytest.approx(rows.unique("bag")["p_true"].mean())
    assert one["drift"] == pytest.approx(rows.filter(pl.col("method") == REFERENCE)["kld"].mean())
    assert one["PACC"] == pytest.approx(rows.filter(pl.col("method") == "PACC")["kld"].mean())


def test_periods_are_in_order_of_time():
    weeks = kld_by_period(example_results(3, 12).sample(fraction=1, shuffle=True, seed=1))
    assert weeks["period"].is_sorted()
    named = kld_by_period(example_results(3, 12, by="day"))
    assert named["period"].to_list() == [f"day {i}" for i in range(1, 13)]
    without = example_results(3, 3).with_columns(period=pl.lit(None, pl.String))
    assert kld_by_period(without).is_empty()


def test_characteristics_by_hand():
    results = frame(
        row("a", bag="1", size=100, n_train=1000, p_train=0.2, p_true=0.1),
        row("a", bag="2", size=300, n_train=1000, p_train=0.2, p_true=0.5),
        row("b", bag="1", size=100, n_train=1000, p_train=0.001, p_true=0.0),
        row("b", bag="2", size=300, n_train=1000, p_train=0.001, p_true=0.01),
    )
    table = tables.characteristics(results, {"features": 5000, "unit": "week"})
    assert table["value"].to_list() == [
        "1,400", "2", "week",
        "1,000", "5,000", "1", "200", "100", "0.0010", "0.2000", "0.1005",
        # positives of the four test sets: 10, 150, 0, 3
        "400", "2", "200", "0", "150", "41", "0.0000", "0.5000", "0.1525",
    ]  # fmt: skip


def test_published_figures_stand_beside_ours_for_their_corpora_alone():
    results = example_results(8, 4)
    ours = {table.name: table.frame for table in all_tables(results, {"corpus": "arXiv"})}
    assert not any(name.endswith("published") for f in ours.values() for name in f.columns)
    theirs = {table.name: table for table in all_tables(results, {"corpus": "rcv1-v2"})}
    kld_table = theirs["kld_by_prevalence"].frame
    assert by(kld_table, "SVM(KLD)")["All_published"] == 1.32e-3
    assert "All_published" in by(kld_table, "SVM(KLD)")["bold"]
    assert by(kld_table, "T50")["All"] is None  # theirs alone
    assert kld_table["All"].drop_nulls().equals(ours["kld_by_prevalence"]["All"])
    assert theirs["corpus"].frame["published"][3] == "12,807"
    assert by(theirs["rates"].frame, "CC")["tpr_test_published"] == 0.357


def test_published_tables_have_eleven_methods_on_two_corpora():
    for name in ("kld_by_prevalence", "kld_variance_by_drift", "rae_by_drift"):
        for corpus in ("RCV1-v2", "OHSUMED-S"):
            assert published(name, corpus).height == 11
    assert published("kld_by_prevalence", "Reuters-21578") is None
    assert published("corpus", "RCV1-v2") is None
    assert corpus_name("OHSUMED-S") == corpus_name("ohsumed_s") == "OHSUMED-S"


SMALL = Table(
    "small",
    "Small",
    "A note.",
    pl.DataFrame(
        {"method": ["A|B_1", "C"], "All": [0.00132, None], "n": [1234, 5], "bold": [["All"], []]},
        schema_overrides={"bold": pl.List(pl.String)},
    ),
)


def test_markdown_marks_bold_and_escapes():
    assert to_markdown(SMALL) == (
        "**Small.** A note.\n\n"
        "| method | All | n |\n| --- | --: | --: |\n"
        "| A\\|B\\_1 | **1.32e-03** | 1,234 |\n| C | – | 5 |\n"
    )


def test_latex_marks_bold_and_escapes():
    lines = to_latex(SMALL).splitlines()
    assert r"\begin{tabular}{lrr}" in lines
    assert r"A|B\_1 & \textbf{1.32e-03} & 1,234 \\" in lines
    assert r"C & -- & 5 \\" in lines


def test_csv_is_exact_and_names_the_bold_columns():
    assert to_csv(SMALL) == 'method,All,n,bold\nA|B_1,0.00132,1234,All\nC,,5,""\n'


def test_each_table_is_written_in_three_formats(tmp_path):
    made = all_tables(example_results(3, 3), {"corpus": "x"})
    paths = write_tables(made, tmp_path / "tables")
    assert len(paths) == 3 * len(made)
    assert {path.name for path in (tmp_path / "tables").iterdir()} == {path.name for path in paths}
    again = pl.read_csv(tmp_path / "tables" / "kld_by_drift.csv")
    assert (
        again["All"].to_list()
        == next(t for t in made if t.name == "kld_by_drift").frame["All"].to_list()
    )


# All classes at once -----------------------------------------------------------------------------

TRAINED = (0.5, 0.25, 0.25)


def moods(**bags):
    """Two methods on all classes at once; each bag is the estimates, true shares and its size."""
    names = ("negative", "neutral", "positive")
    return [
        one
        for method in ("CC", REFERENCE)
        for bag, (p_hat, p_true, size) in bags.items()
        for one in joint(
            dict(zip(names, p_hat if method == "CC" else TRAINED, strict=True)),
            p_true,
            TRAINED,
            method=method,
            bag=bag,
            size=size,
            period=bag,
            low=0.2,
            high=0.6,
        )
    ]


BAGS = moods(
    a=((0.5, 0.3, 0.2), (0.5, 0.25, 0.25), 100),
    b=((0.2, 0.2, 0.6), (0.1, 0.2, 0.7), 50),
    c=((0.4, 0.3, 0.3), (0.4, 0.2, 0.4), 200),
)
EACH = [row(task, method, bag) for task in ("x", "y") for method in ("CC", "ACC") for bag in "ab"]


def test_kld_of_a_joint_task_is_over_all_its_classes():
    rows = joint_rows(frame(*BAGS))
    expected = kld([0.1, 0.2, 0.7], [0.2, 0.2, 0.6], size=50)
    of_b = rows.filter(pl.col("method") == "CC", pl.col("bag") == "b")
    assert of_b["kld"].to_list() == pytest.approx([float(expected)] * 3)
    drift = kld([0.1, 0.2, 0.7], TRAINED, size=50)
    assert of_b["drift"].to_list() == pytest.approx([float(drift)] * 3)
    assert of_b["drift_group"].to_list() == ["HD"] * 3  # the last of three: 4·2 // 3 = 2


def test_errors_of_both_kinds_stand_side_by_side_and_change_neither():
    both = with_errors(frame(*EACH, *BAGS))
    each, joint = with_errors(frame(*EACH)), with_errors(frame(*BAGS))
    assert class_rows(both).equals(each)
    assert joint_rows(both).equals(joint)
    assert main_rows(both).equals(each)
    assert main_rows(joint).equals(joint)


def test_the_order_of_rows_does_not_matter_to_the_errors_of_a_joint_task():
    shuffled = frame(*EACH, *BAGS).sample(fraction=1, shuffle=True, seed=3)
    keys = ["task", "method", "bag", "class"]
    one, other = (
        with_errors(rows).sort(keys).drop("drift_rank", "drift_group")
        for rows in (shuffled, frame(*EACH, *BAGS))
    )
    assert_frame_equal(one, other)  # up to the last digit: sums have another order


def test_the_table_of_all_classes_at_once_by_hand():
    table = tables.all_at_once(frame(*EACH, *BAGS))
    assert table.columns == ["method", *DRIFT_GROUPS, "All", "absolute_error", "coverage", "width",
                             "bold"]  # fmt: skip
    assert table["method"].to_list() == ["CC", REFERENCE]
    cc, reference = by(table, "CC"), by(table, REFERENCE)
    klds = [
        float(kld(p_true, p_hat, size=size))
        for p_hat, p_true, size in (
            ([0.5, 0.3, 0.2], [0.5, 0.25, 0.25], 100),
            ([0.4, 0.3, 0.3], [0.4, 0.2, 0.4], 200),
            ([0.2, 0.2, 0.6], [0.1, 0.2, 0.7], 50),
        )
    ]  # in order of drift: 4·rank // 3 is 0, 1, 2
    assert [cc["VLD"], cc["LD"], cc["HD"]] == pytest.approx(klds)
    assert cc["VHD"] is None
    assert cc["All"] == pytest.approx(sum(klds) / 3)
    # |differences|: .05 .05 over a; .1 .1 over b; .1 .1 over c; of nine shares.
    assert cc["absolute_error"] == pytest.approx(0.5 / 9)
    assert reference["VLD"] == 0
    # From .2 to .6: all of a and c but none; of b .1 and .7 are not held.
    assert cc["coverage"] == pytest.approx(7 / 9)
    assert cc["width"] == pytest.approx(0.4)


def test_tables_of_each_class_leave_the_joint_task_out():
    alone, both = (all_tables(frame(*rows)) for rows in (EACH, [*EACH, *BAGS]))
    assert [table.name for table in both if table.name != "all_at_once"] == [t.name for t in alone]
    named = {table.name: table for table in both}
    for table in alone:
        if table.name != "errors":  # those of all classes at once, if there are any
            assert named[table.name].frame.equals(table.frame), table.name


def test_a_joint_task_alone_has_every_table_but_those_by_training_prevalence():
    names = [table.name for table in all_tables(frame(*BAGS))]
    assert names == [
        *("corpus", "errors", "all_at_once", "kld_variance_by_drift", "rae_by_drift", "times"),
        "significance",
    ]
    assert tables.kld_by_prevalence(frame(*BAGS)).is_empty()
    corpus = tables.characteristics(frame(*BAGS))
    assert corpus.row(1) == ("All", "Classes", "3")
    each = tables.classes(frame(*BAGS))
    assert each["class"].to_list() == ["negative", "neutral", "positive"]  # each against the rest
    alone = [
        float(kld(binary(p_true), binary(p_hat), size=size))
        for p_hat, p_true, size in ((0.5, 0.5, 100), (0.2, 0.1, 50), (0.4, 0.4, 200))
    ]
    assert each["CC"][0] == pytest.approx(sum(alone) / 3)


def test_f1_of_a_joint_task_is_by_class():
    shares = {"a": 0.5, "b": 0.3, "c": 0.2}
    first, second, third = joint(shares, shares.values(), shares.values())
    # F1: a 2·4/(8+1+1) = .8, b 2·2/(4+1+1) = 2/3, c 2·2/(4+0+0) = 1.
    results = frame(
        first | {"tp": 4, "fp": 1, "fn": 1, "tn": 4},
        second | {"tp": 2, "fp": 1, "fn": 1, "tn": 6},
        third | {"tp": 2, "fp": 0, "fn": 0, "tn": 8},
    )
    only = f1(results).row(0, named=True)
    assert only["macro"] == pytest.approx((0.8 + 2 / 3 + 1) / 3)
    assert only["micro"] == pytest.approx(16 / 20)
