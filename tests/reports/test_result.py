"""A result to hold in the hand: what qx.estimate gives."""

import json
from datetime import date, datetime
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.figure import Figure
from sklearn.pipeline import make_pipeline

import quantext as qx
from quantext.datasets import synthetic
from quantext.models.save import save
from quantext.models.train import train
from quantext.reports.answer import answer, now
from quantext.reports.grid import grid
from quantext.texts.corpus import Corpus
from tests.support.survey import command, survey

TRAINED = survey([40, 30, 20], seed=1)
NEW = survey([10, 20, 60], seed=2).with_columns(wave=pl.Series(["a", "b", "b"] * 30))
DAYS = NEW["day"].str.to_date()
ABOUT = {"text": ["answer"], "label": "topic"}


@pytest.fixture(scope="module")
def model():
    return train(Corpus("a", TRAINED["answer"], TRAINED["topic"]), name="acc", folds=5).model


@pytest.fixture(scope="module")
def result(model):
    return qx.estimate(model, NEW["answer"], by=NEW["wave"], replicates=50)


def same(a, b):
    return a.to_frame().equals(b.to_frame())


def test_texts_in_a_list_are_one_bag(model):
    texts = NEW["answer"].to_list()
    result = qx.estimate(model, texts, replicates=50)
    low, high = model.predict_interval(texts, replicates=50)
    frame = result.to_frame()
    assert frame.columns == [
        "batch", "class", "share", "count", "low", "high", "size", "p_train", "verdict",
    ]  # fmt: skip
    np.testing.assert_array_equal(frame["share"], model.predict(texts))
    np.testing.assert_array_equal(frame["low"], low)
    np.testing.assert_array_equal(frame["high"], high)
    assert result.shares.columns == ["batch", "battery", "price", "screen"]
    assert result.counts.row(0)[1:] == tuple(np.rint(90 * model.predict(texts)).astype(int))
    assert result.low.row(0)[1:] == tuple(low)
    assert result.high.row(0)[1:] == tuple(high)


@pytest.mark.parametrize("hold", [list, pl.Series.to_pandas, iter], ids=["list", "pandas", "iter"])
@pytest.mark.parametrize("by", [NEW["wave"].to_list(), NEW["wave"].to_numpy()], ids=["list", "np"])
def test_whatever_holds_the_texts_the_result_is_the_same(model, result, hold, by):
    assert same(qx.estimate(model, hold(NEW["answer"]), by=by, replicates=50), result)


@pytest.mark.parametrize("table", [NEW, NEW.to_pandas()], ids=["polars", "pandas"])
def test_a_table_has_columns(model, result, table):
    found = qx.estimate(model, table, text="answer", by="wave", replicates=50)
    assert same(found, result)
    beside = qx.estimate(model, table, text="answer", by=NEW["wave"].to_list(), replicates=50)
    assert same(beside, result)


def test_a_file_gives_what_the_command_line_writes(model, tmp_path, monkeypatch, capsys):
    save(model, tmp_path / "model.qx", about=ABOUT)
    NEW.write_csv(tmp_path / "new.csv")
    monkeypatch.chdir(tmp_path)
    run = command(monkeypatch, capsys)
    options = ["--by", "day", "--period", "month", "--replicates", "50"]
    files = ["--out", "out.parquet", "--report", "cli.html"]
    code, out, _ = run("estimate", "model.qx", "new.csv", *options, *files)
    assert code == 0
    result = qx.estimate("model.qx", "new.csv", by="day", period="month", replicates=50)
    assert result.to_frame().equals(pl.read_parquet("out.parquet"))
    assert repr(result) == out.rstrip("\n")
    assert result.truth == "column 'topic'"
    result.report("python.html")
    assert Path("python.html").read_text() == Path("cli.html").read_text()
    several = qx.estimate("model.qx", [Path("new.csv")], by="day", period="month", replicates=50)
    assert same(several, result)


def test_the_columns_of_training_are_looked_for_in_a_table(model, tmp_path):
    save(model, tmp_path / "model.qx", about=ABOUT)
    result = qx.estimate(tmp_path / "model.qx", NEW, level=None)
    np.testing.assert_allclose(result.to_frame()["true_share"], np.array([10, 20, 60]) / 90)


def test_labels_beside_the_texts_give_true_shares(model):
    result = qx.estimate(model, NEW["answer"], label=NEW["topic"], level=None)
    np.testing.assert_allclose(result.to_frame()["true_share"], np.array([10, 20, 60]) / 90)
    assert repr(result).endswith("The truth is that of label.")


@pytest.mark.parametrize(
    "days",
    [
        DAYS,
        DAYS.to_list(),
        NEW["day"].to_list(),
        pd.to_datetime(NEW["day"].to_pandas()),
        pd.to_datetime(NEW["day"].to_pandas()).to_numpy(),
    ],
    ids=["polars", "dates", "texts", "pandas", "numpy"],
)
def test_dates_make_months(model, days):
    result = qx.estimate(model, NEW["answer"], by=days, period="month", level=None)
    assert result.shares["batch"].to_list() == [date(2024, m, 1) for m in (1, 2, 3)]


def test_months_are_read_as_such_and_tables_keep_their_first_days(model, tmp_path):
    result = qx.estimate(model, NEW["answer"], by=DAYS, period="month", level=None)
    heads = [line for line in result.lines() if not line.startswith(" ")]
    assert [line.split(" (")[0] for line in heads[:3]] == ["Jan 2024", "Feb 2024", "Mar 2024"]
    assert '<td style="text-align:left">Feb 2024</td>' in result._repr_html_()
    assert result.to_frame()["batch"].dtype == pl.Date
    result.report(tmp_path / "a.html")
    assert "Jan 2024 to Mar 2024" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_dates_without_a_period_are_days(model):
    result = qx.estimate(model, NEW["answer"][:2], by=[datetime(2024, 1, 5, 7)] * 2, level=None)
    assert result.shares["batch"].to_list() == [date(2024, 1, 5)]


def test_rows_without_a_text_are_left_out_and_counted(model):
    result = qx.estimate(
        model, ["my battery", None, " ", np.nan], by=["a", "b", "b", "b"], level=None
    )
    assert list(result.bags) == ["a"]
    assert result.notes == ["3 of 4 rows have no text and were left out"]


@pytest.mark.parametrize(
    ("texts", "options", "error", "message"),
    [
        (["a text"], {"by": "wave"}, TypeError, "by='wave' names a column, and texts have none"),
        (["a text"], {"by": ["a", "b"]}, ValueError, "by has 2 values for 1 texts"),
        (["a text"], {"period": "week"}, ValueError, "period='week' needs by="),
        (["a text"], {"by": ["x"], "period": "era"}, ValueError, "period 'era' is unknown"),
        (["a text"], {"level": 2}, ValueError, "level is 2"),
        (["a text", 5], {}, TypeError, "the values of text are not of one type"),
        (5, {}, TypeError, "texts is a int; give texts in a list"),
        (NEW, {}, ValueError, "name it with text='...'; its columns are 'answer', 'topic'"),
        (NEW, {"text": "answr"}, ValueError, "did you mean 'answer'"),
        (NEW, {"text": "answer", "by": "week"}, ValueError, "has no column 'week'"),
        ("no.csv", {"text": "answer"}, FileNotFoundError, "there is no file no.csv"),
        (Path(__file__), {"text": "a", "by": [1]}, TypeError, "by must name a column"),
        ([], {}, ValueError, "there are no documents"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_says_what_next(model, texts, options, error, message):
    with pytest.raises(error, match=message.replace("(", r"\(").replace("...", r"\.\.\.")):
        qx.estimate(model, texts, **options)


def test_a_model_without_cross_validation_gives_no_intervals_and_says_so():
    model = qx.TextQuantifier(qx.method("CC"))
    model = model.fit(["great battery", "battery", "screen", "my screen"], ["b", "b", "s", "s"])
    result = qx.estimate(model, ["battery", "screen", "screen"], by=["x", "x", "y"])
    assert not result.has_intervals
    assert result.notes[0].startswith("no intervals: the model was trained without")
    assert "interval" not in repr(result)
    difference = result.difference("x", "y")
    assert difference.table["low"].null_count() == 2
    assert difference.sentences[0] == "“b” fell by 50.0 points, from 50.0% in x to 0.0% in y."


def test_many_bags_are_cut_short_in_a_terminal_and_a_notebook(model):
    result = qx.estimate(model, NEW["answer"], by=[str(i) for i in range(90)], level=None)
    assert "... 70 batches more; to_frame() has all of them ..." in repr(result)
    assert repr(result).splitlines()[1] == "0 (1 document)"
    assert "The last 20 of 90 batches" in result._repr_html_()


def test_names_are_escaped_in_a_notebook(model):
    html = qx.estimate(model, NEW["answer"], by=["<i>"] * 90, replicates=20)._repr_html_()
    assert "&lt;i&gt;" in html
    assert "<i>" not in html
    assert "95% interval" in html


def test_verdicts_and_changes_are_those_of_the_estimates(result):
    assert result.verdicts == getattr(result.estimates, "verdicts", {})
    assert result.changes == getattr(result.estimates, "changes", {})


def test_a_plot_has_a_line_for_each_class_along_the_bags(model, result):
    figure = result.plot()
    assert isinstance(figure, Figure)
    (axes,) = figure.axes
    assert axes.get_lines()[0].get_label() == "screen"
    assert len(axes.get_lines()) == len(axes.collections) == 3
    months = qx.estimate(model, NEW["answer"], by=DAYS, period="month", level=None)
    (axes,) = months.plot(["price"]).axes
    (line,) = axes.get_lines()
    assert line.get_xdata()[0] == date(2024, 1, 1)
    with pytest.raises(ValueError, match="there is no class 'prise'"):
        months.plot(["prise"])


def test_a_plot_of_one_bag_has_a_bar_for_each_class(model):
    (axes,) = qx.estimate(model, NEW["answer"], replicates=20).plot().axes
    assert len(axes.patches) == 3
    assert axes.get_yticklabels()[0].get_text() == "screen"


def test_a_difference_is_that_of_the_shares_and_its_interval_made_of_both(result):
    difference = result.difference("a", "b")
    frame = difference.to_frame()
    assert frame.columns == ["class", "first", "second", "difference", "low", "high"]
    shares = result.shares.select(result.classes).to_numpy()
    low, high = (t.select(result.classes).to_numpy() for t in (result.low, result.high))
    np.testing.assert_allclose(frame["difference"], shares[1] - shares[0])
    below = np.hypot(shares[1] - low[1], high[0] - shares[0])
    np.testing.assert_allclose(frame["low"], np.maximum(shares[1] - shares[0] - below, -1))
    above = np.hypot(high[1] - shares[1], shares[0] - low[0])
    np.testing.assert_allclose(frame["high"], np.minimum(shares[1] - shares[0] + above, 1))
    back = result.difference("b", "a").to_frame()
    np.testing.assert_allclose(back["low"], -frame["high"])


def test_columns_of_batches_may_be_called_like_those_of_the_tables(model):
    texts = ["battery", "screen", "battery"]
    given = {"text": texts, "batch": ["x", "y", "y"], "battery": ["p", "q", "p"]}
    result = qx.estimate(model, pl.DataFrame(given), text="text", by=["batch", "battery"])
    wide = result.shares
    assert wide.columns == ["batch", "batch (by)", "battery", "battery (class)", "price", "screen"]
    assert wide["batch"].to_list() == ["x · p", "y · p", "y · q"]
    assert wide["batch (by)"].to_list() == ["x", "y", "y"]
    assert result.to_frame().columns[:4] == ["batch", "batch (by)", "battery", "class"]
    twice = pl.DataFrame({"text": texts, "share": ["x", "y", "y"], "share (by)": ["p", "q", "p"]})
    table = qx.estimate(model, twice, text="text", by=["share", "share (by)"]).to_frame()
    assert table.columns[:5] == ["batch", "share (by) (by)", "share (by)", "class", "share"]
    assert table["share (by) (by)"].to_list()[::3] == ["x", "y", "y"]


def test_from_documents_that_cannot_be_read_nothing_is_known_to_differ(model):
    texts, waves = [*NEW["answer"], *20 * ["gauge boson"]], [*NEW["wave"], *20 * ["none"]]
    result = qx.estimate(model, texts, by=waves, replicates=20)
    frame, own = result.difference("a", "none").to_frame(), result.to_frame().filter(batch="a")
    np.testing.assert_allclose(frame["low"], -own["high"])
    np.testing.assert_allclose(frame["high"], 1 - own["low"])
    with pytest.raises(ValueError, match="hardly any document of batch none has a word that the"):
        result.region("none")


def test_a_difference_says_what_rose_and_what_may_not_have_changed():
    table = pl.DataFrame(
        {
            "class": ["up", "down", "<same>"],
            "first": [0.1, 0.6, 0.3],
            "second": [0.2, 0.49, 0.31],
            "difference": [0.1, -0.11, 0.01],
            "low": [0.05, -0.2, -0.02],
            "high": [0.15, -0.02, 0.04],
        }
    )
    difference = qx.Difference("May", "June", table, 0.95)
    assert difference.sentences == [
        "“down” fell by 11.0 points (2.0 to 20.0), from 60.0% in May to 49.0% in June.",
        "“up” rose by 10.0 points (5.0 to 15.0), from 10.0% in May to 20.0% in June.",
        "“<same>” may not have changed: +1.0 points (−2.0 to +4.0), from 30.0% in May to 31.0% "
        "in June.",
    ]
    assert max(map(len, repr(difference).splitlines()[1:])) <= 80
    assert "&lt;same&gt;" in difference._repr_html_()


def test_a_region_is_that_of_the_model_for_the_bag_that_is_named(model, result):
    texts = NEW.filter(pl.col("wave") == "b")["answer"]
    region, expected = result.region("b"), model.predict_region(texts, replicates=50)
    assert region.level == 0.95
    np.testing.assert_array_equal(region.estimate, expected.estimate)
    np.testing.assert_array_equal(region.axes, expected.axes)
    np.testing.assert_array_equal(region.box.high, expected.box.high)
    assert isinstance(region.plot(), Figure)


def test_a_region_needs_one_bag_and_a_level(model, result):
    texts = NEW["answer"].head(20)
    alone = qx.estimate(model, texts, level=0.8, seed=3, replicates=50)
    assert alone.region().level == 0.8
    expected = model.predict_region(texts, level=0.8, seed=3, replicates=50)
    np.testing.assert_array_equal(alone.region().axes, expected.axes)
    with pytest.raises(ValueError, match="there are several; name one of a and b"):
        result.region()
    with pytest.raises(ValueError, match="there is no batch 'c'; choose one of a and b"):
        result.region("c")
    with pytest.raises(ValueError, match="estimate with level"):
        qx.estimate(model, texts, level=None).region()


def test_bags_are_named_by_their_dates_or_months(model):
    result = qx.estimate(model, NEW["answer"], by=DAYS, period="month", level=None)
    difference = result.difference("2024-01", date(2024, 3, 1))
    assert (difference.first, difference.second) == (date(2024, 1, 1), date(2024, 3, 1))
    assert result.difference("Jan 2024", "2024-03-01").first == date(2024, 1, 1)
    assert " in Jan 2024 to " in difference.sentences[0]
    with pytest.raises(ValueError, match="there is no batch '2025'; choose one of 2024-01-01"):
        result.difference("2024-01", "2025")
    with pytest.raises(ValueError, match="several batches begin with '2024'"):
        result.difference("2024", "2024-02")
    with pytest.raises(ValueError, match="are the same batch"):
        result.difference("2024-02", "2024-02-01")


WEIGHTS = [1.0, 0.5, 2.5] * 30


@pytest.mark.parametrize("convert", [pl.DataFrame, pl.DataFrame.to_pandas], ids=["pl", "pd"])
def test_weights_are_a_column_or_beside_the_texts(model, convert):
    beside = qx.estimate(model, NEW["answer"], by=NEW["wave"], weight=WEIGHTS, replicates=20)
    weighed = convert(NEW.with_columns(w=pl.Series(WEIGHTS)))
    column = qx.estimate(model, weighed, text="answer", by="wave", weight="w", replicates=20)
    assert same(beside, column)
    assert beside.to_frame()["size"].to_list() == [30] * 3 + [60] * 3


def test_with_weights_the_page_speaks_of_weight(model):
    texts, by = ["battery"] * 2 + ["screen"] * 18, ["a"] * 2 + ["b"] * 18
    result = qx.estimate(model, texts, by=by, weight=[27] * 2 + [1] * 18, level=None)
    about = result._about()
    assert about["weights"] == {"a": 54.0, "b": 18.0}
    shown = grid(result.to_frame(), about)
    shares = result.shares.select(result.classes).to_numpy()
    np.testing.assert_allclose(now(shown).share, shares[0] * 3 / 4 + shares[1] / 4)
    np.testing.assert_allclose(now(shown).count, np.rint(20 * now(shown).share))
    assert "% of the weight of the 20 documents in both batches is “" in answer(shown)[0]
    assert shown.last(1).weights.tolist() == [18.0]
    assert about["notes"].startswith("Documents count by their weights")
    unweighted = qx.estimate(model, texts, by=by, level=None)
    assert unweighted._about()["weights"] is None
    assert unweighted._about()["notes"] is None


def test_a_text_of_weight_3_counts_as_if_it_were_there_three_times(model):
    texts, labels = ["my battery", "the screen", "a price"], ["battery", "screen", "price"]
    weighted = qx.estimate(model, texts, weight=[3, 2, 1], label=labels, level=None).to_frame()
    repeated = qx.estimate(
        model, np.repeat(texts, [3, 2, 1]), label=np.repeat(labels, [3, 2, 1]), level=None
    ).to_frame()
    np.testing.assert_allclose(weighted["share"], repeated["share"])
    np.testing.assert_allclose(weighted["true_share"], [3 / 6, 1 / 6, 2 / 6])
    np.testing.assert_allclose(repeated["true_share"], weighted["true_share"])
    assert weighted["size"].to_list() == [3] * 3
    np.testing.assert_array_equal(weighted["count"], np.rint(3 * weighted["share"]))


def test_the_command_line_takes_weights_and_compares(model, tmp_path, monkeypatch, capsys):
    save(model, tmp_path / "model.qx", about={"text": ["answer"]})
    NEW.with_columns(w=pl.Series(WEIGHTS)).write_csv(tmp_path / "new.csv")
    monkeypatch.chdir(tmp_path)
    run = command(monkeypatch, capsys)
    options = ["--by", "wave", "--weight", "w", "--difference", "a", "b", "--replicates", "20"]
    code, out, err = run("estimate", "model.qx", "new.csv", *options, "--out", "out.parquet")
    assert (code, err) == (0, "")
    result = qx.estimate("model.qx", NEW, by="wave", weight=WEIGHTS, replicates=20)
    assert result.to_frame().equals(pl.read_parquet("out.parquet"))
    difference = result.difference("a", "b")
    assert out == f"{result!r}\n{difference!r}\n"
    _, out, _ = run("estimate", "model.qx", "new.csv", *options, "--json")
    assert json.loads(out)["difference"] == difference.to_frame().to_dicts()
    code, _, err = run("estimate", "model.qx", "new.csv", "--difference", "a", "b")
    assert code
    assert "--difference needs --by" in err


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, -2, 1], "the texts, column 'weight=', row 2: -2 is no weight; a weight is a number"),
        ([1, 1, None], "row 3: None is no weight"),
        ([1, 1, float("inf")], "row 3: inf is no weight"),
        (["1", "1,5", "1"], "row 2: '1,5' is no weight"),
        ([date(2024, 1, 1)] * 3, "holds Date, not weights"),
        ([0, 0, 1], "all documents of batch x have weight 0"),
        ([1, 1], "weight has 2 values for 3 texts"),
    ],
)
def test_a_wrong_weight_is_named_by_row_and_column(model, weight, message):
    with pytest.raises(ValueError, match=message):
        qx.estimate(model, ["a text"] * 3, by=["x", "x", "y"], weight=weight, level=None)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Adaptive", "PACC"])
def test_intervals_of_differences_hold_the_truth_as_often_as_they_say(name):
    answers = synthetic(10_000, weeks=24, labels="sentiment", seed=1)
    is_old = answers.periods < answers.periods.unique().sort()[8]
    old, new = answers.select(is_old), answers.select(~is_old)
    model = qx.TextQuantifier(qx.method(name, folds=10)).fit(old.texts, old.y)
    result = qx.estimate(model, new.texts, by=new.periods, label=new.labels, replicates=200)
    true = {bag["batch"][0]: bag["true_share"] for bag in result.to_frame().partition_by("batch")}
    held = []
    for first, second in list(combinations(result.bags, 2))[::3]:
        table = result.difference(first, second).to_frame()
        held += (true[second] - true[first]).is_between(table["low"], table["high"]).to_list()
    assert np.mean(held) >= 0.93


def test_an_interval_is_had_from_the_last_step_of_a_pipeline():
    texts, topics = TRAINED["answer"].to_list(), TRAINED["topic"].to_numpy()
    vectors = make_pipeline(qx.LtcVectorizer(), qx.method("Adaptive", folds=5)).fit(texts, topics)
    raw = make_pipeline("passthrough", qx.TextQuantifier(qx.method("Adaptive", folds=5)))
    raw.fit(texts, topics)
    new = NEW["answer"].to_list()
    np.testing.assert_array_equal(vectors.predict(new), raw.predict(new))
    low, high = vectors[-1].predict_interval(vectors[:-1].transform(new))
    np.testing.assert_array_equal([low, high], raw[-1].predict_interval(new))
