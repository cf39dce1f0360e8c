import subprocess
import sys

import polars as pl
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from quantext.experiments.results import kld_along_drift, ranked_methods, with_errors
from quantext.reports import plots, tables
from tests.support.results import METHODS, MORE_METHODS, example_results, frame, row

RESULTS = example_results(12, 8, intervals=True)


def lines(axes):
    return {line.get_label(): line.get_ydata().tolist() for line in axes.get_lines()}


@pytest.mark.parametrize("ours", [["Adaptive", "SVM(KLD)"], ["SVM(KLD)"], ["Adaptive"], []])
def test_error_by_period_shows_ours_the_three_best_baselines_and_the_reference(ours):
    # However bad they are, and in this order.
    methods = METHODS | MORE_METHODS | {"SVM(KLD)": METHODS["MS"], "Adaptive": METHODS["CC"]}
    away = {"Adaptive", "SVM(KLD)"} - set(ours)
    results = example_results(12, 8, {k: v for k, v in methods.items() if k not in away})
    (axes,) = plots.error_by_period(results).axes
    drawn = list(lines(axes))
    others = ("SVM", "Training", "Adaptive")
    baselines = [m for m in ranked_methods(results) if not m.startswith(others)]
    assert drawn == [*ours, *baselines[:3], "Training prevalence"]


def test_error_by_period_draws_the_mean_over_classes():
    (axes,) = plots.error_by_period(RESULTS, ["CC"]).axes
    rows = with_errors(RESULTS).filter(pl.col("method") == "CC", pl.col("bag") == "week 3")
    assert lines(axes)["CC"][2] == pytest.approx(rows["kld"].mean())


def test_periods_that_are_names_label_the_axis_in_their_order():
    (axes,) = plots.error_by_period(example_results(5, 4, by="year")).axes
    assert [t.get_text() for t in axes.get_xticklabels()] == [f"year {i}" for i in (1, 2, 3, 4)]


def test_error_by_drift_of_the_reference_is_the_drift_and_rises():
    (axes,) = plots.error_by_drift(RESULTS).axes
    reference = lines(axes)["Training prevalence"]
    assert reference == pytest.approx(kld_along_drift(RESULTS)["drift"].to_list())
    assert reference == sorted(reference)


def test_estimates_are_drawn_against_the_truth_smoothed():
    # Size 100: (0 + 0.005)/1.01 and (0.2 + 0.005)/1.01.
    figure = plots.estimated_against_true(frame(row(p_true=0.0, p_hat=0.2)), ["CC"])
    ((x, y),) = figure.axes[0].collections[0].get_offsets()
    assert (x, y) == pytest.approx((0.005 / 1.01, 0.205 / 1.01))


def test_coverage_is_drawn_by_method():
    (axes,) = plots.interval_coverage(RESULTS).axes
    table = tables.coverage(RESULTS)
    assert axes.get_lines()[1].get_xdata().tolist() == table["All"].to_list()
    assert [label.get_text() for label in axes.get_yticklabels()] == table["method"].to_list()


def test_what_cannot_be_drawn_is_said():
    with pytest.raises(ValueError, match="no intervals"):
        plots.interval_coverage(example_results(2, 2))
    with pytest.raises(ValueError, match="no periods"):
        plots.error_by_period(frame(row()))


def test_a_perfect_method_can_be_drawn():
    results = frame(row(bag="1", period="1"), row(bag="2", period="2"))
    for draw in (plots.error_by_period, plots.error_by_drift, plots.estimated_against_true):
        FigureCanvasAgg(draw(results)).draw()


@pytest.mark.slow
def test_figures_are_saved_in_each_format_and_are_reproducible(tmp_path):
    first, second = tmp_path / "a.b", tmp_path / "again"
    paths = plots.save_figure(plots.error_by_drift(RESULTS), first)
    assert [path.name for path in paths] == ["a.b.svg", "a.b.pdf", "a.b.png"]
    again = plots.save_figure(plots.error_by_drift(RESULTS), second)
    assert [p.read_bytes() for p in paths] == [p.read_bytes() for p in again]


def test_plots_never_touch_pyplot():
    look = "import sys, quantext.reports.plots; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", look], check=False).returncode == 0
