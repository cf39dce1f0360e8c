"""Dates on the command line: found, asked about, said with --date-format."""

import json
import os
import pty
import subprocess
import sys
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from quantext.datasets.synthetic import synthetic
from quantext.models.save import save
from quantext.models.train import train
from quantext.texts.corpus import Corpus
from tests.support.survey import QUANTEXT, command, survey

# How notes of reading are printed is tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::quantext.texts.encoding.ReadingWarning")

TRAINED, NEW = survey([40, 30, 20], seed=1), survey([10, 20, 60], seed=2)
QUICK = ["--text", "answer", "--no-intervals", "--by", "day"]


@pytest.fixture(scope="module")
def model():
    return train(Corpus("a", TRAINED["answer"], TRAINED["topic"]), name="cc", folds=5).model


@pytest.fixture
def run(monkeypatch, capsys, tmp_path, model):
    monkeypatch.chdir(tmp_path)
    save(model, "model.qx")
    return command(monkeypatch, capsys)


def write(name, *days):
    """New answers with these days in turn; each is a batch."""
    column = pl.Series("day", [days[i % len(days)] for i in range(len(NEW))])
    NEW.with_columns(column).write_csv(name)


def batches(run, *options):
    code, out, err = run("estimate", "model.qx", *options, *QUICK, "--json")
    assert code == 0, err
    return list(dict.fromkeys(row["batch"] for row in json.loads(out)["estimates"]))


def test_european_dates_are_batches_in_the_order_of_time(run):
    write("new.csv", "24/02/2015 11:35", "25/01/2015 9:00", "25/02/2015 10:00")
    assert batches(run, "new.csv") == ["2015-01-25", "2015-02-24", "2015-02-25"]
    assert batches(run, "new.csv", "--period", "month") == ["2015-01-01", "2015-02-01"]


def test_iso_dates_without_a_period_are_names_as_they_are_written(run):
    write("new.csv", "2015-02-24", "2015-01-25")
    assert batches(run, "new.csv") == ["2015-01-25", "2015-02-24"]


def test_dates_of_spreadsheets_need_the_period_or_the_format(run):
    write("new.csv", "42059.48", "42060")
    assert batches(run, "new.csv") == ["42059.48", "42060"]
    assert batches(run, "new.csv", "--period", "day") == ["2015-02-24", "2015-02-25"]
    assert batches(run, "new.csv", "--date-format", "excel") == ["2015-02-24", "2015-02-25"]


def test_day_or_month_first_is_an_error_that_shows_both(run):
    write("new.csv", "03/04/2015", "05/06/2015")
    for more in ([], ["--period", "month"]):
        code, out, err = run("estimate", "model.qx", "new.csv", *QUICK, *more)
        assert (code, out) == (2, "")
        assert err == (
            "Error: new.csv, column 'day', row 1: '03/04/2015' is 3 April 2015 with --date-format "
            "%d/%m/%Y, and 4 March 2015 with --date-format %m/%d/%Y; say which\n"
        )
    assert batches(run, "new.csv", "--date-format", "%d/%m/%Y") == ["2015-04-03", "2015-06-05"]
    assert batches(run, "new.csv", "--date-format", "%m/%d/%Y") == ["2015-03-04", "2015-05-06"]


def test_mistakes_are_one_sentence(run):
    write("new.csv", "24/02/2015", "2015-02-24", "")
    for options, message in [
        (["--by", "day", "--date-format", "dd.mm.yyyy"], "write %d.%m.%Y, or iso or excel"),
        (["--by", "day", "--date-format", "iso"], "row 1: '24/02/2015' is not a date; write 2019"),
        (["--by", "day", "--date-format", "%d/%m/%Y"], "row 2: '2015-02-24' is not a date"),
        (["--date-format", "iso"], "--date-format iso needs --by with the column of the dates"),
    ]:
        code, out, err = run("estimate", "model.qx", "new.csv", "--text", "answer", *options)
        assert (code, out) == (2, "")
        assert message in err
    write("new.csv", "24/02/2015", "")
    code, _, err = run("estimate", "model.qx", "new.csv", *QUICK)
    assert code == 2
    assert "column 'day', row 2 is blank, so it is no date, as are 45 of these 90 rows" in err


def test_notes_of_reading_stand_before_the_error_that_shows_both(run):
    write("new.csv", "03/04/2015", "05/06/2015")
    recode("new.csv")
    code, _, err = run("estimate", "model.qx", "new.csv", *QUICK)
    assert (code, err.count("Note: new.csv")) == (2, 1)
    assert err.index("cp1252") < err.index("Error: new.csv, column 'day', row 1: '03/04/2015'")


def recode(name):
    """The same file in an encoding that is worth a note."""
    table = pl.read_csv(name).with_columns(answer=pl.col("answer") + " caf\u00e9")
    Path(name).write_bytes(table.write_csv().encode("cp1252"))


@pytest.mark.usefixtures("run")
def test_somebody_at_a_terminal_is_asked_and_told_all_once():
    write("new.csv", "03/04/2015", "05/06/2015")
    recode("new.csv")
    main, terminal = pty.openpty()
    process = subprocess.Popen(
        [QUANTEXT, "estimate", "model.qx", "new.csv", *QUICK],
        stdin=terminal, stderr=terminal, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    os.close(terminal)
    os.write(main, b"3\n2\n")  # there is no third
    out, _ = process.communicate(timeout=120)
    asked = b""
    while chunk := _read(main):
        asked += chunk
    os.close(main)
    assert process.returncode == 0, asked
    assert "2015-03-04 (45 documents)" in out
    assert b"1  3 April 2015  (--date-format %d/%m/%Y)" in asked
    assert b"2  4 March 2015  (--date-format %m/%d/%Y)" in asked
    assert asked.count(b"1 or 2") == 2
    assert asked.count(b"Note: new.csv") == 1


def _read(terminal):
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # the other end is closed
        return b""


def test_correct_takes_european_dates_and_asks_about_ambiguous_ones(run):
    rows = pl.DataFrame(
        {
            "says": ["spam", "ham"] * 200,
            "checked": ["spam", "ham", None, None] * 100,
            "day": ["24/02/2015", "25/01/2015", "23/02/2015", "26/01/2015"] * 100,
            "unclear": ["03/04/2015", "04/05/2015"] * 200,
        }
    )
    rows.write_csv("judged.csv")
    base = ["correct", "judged.csv", "--proxy", "says", "--truth", "checked", "--design", "srs"]

    def found(*options):
        code, out, err = run(*base, *options, "--json")
        assert code == 0, err
        return list(dict.fromkeys(row["batch"] for row in json.loads(out)["shares"]))

    assert found("--by", "day", "--period", "month") == ["2015-01-01", "2015-02-01"]
    unclear = ["--by", "unclear"]
    code, _, err = run(*base, *unclear)
    assert (code, "'03/04/2015' is 3 April 2015 with --date-format %d/%m/%Y" in err) == (2, True)
    assert found(*unclear, "--date-format", "%m/%d/%Y") == ["2015-03-04", "2015-04-05"]


def test_compare_finds_european_dates_by_itself(run):
    corpus = synthetic(3000, n_topics=5, weeks=15, labels="sentiment")
    columns = {"answer": corpus.texts, "mood": corpus.labels}
    base = ["--text", "answer", "--label", "mood", "--methods", "cc", "--jobs", "1"]
    for name, written in (("iso", "%Y-%m-%d"), ("european", "%d.%m.%Y")):
        days = corpus.periods.dt.strftime(written).alias("day")
        pl.DataFrame({"day": days, **columns}).write_csv(f"{name}.csv")
    found = [run("compare", f"{name}.csv", *base) for name in ("iso", "european")]
    assert [code for code, _, _ in found] == [0, 0]
    heads = [out.split("method")[0] for _, out, _ in found]
    assert "later periods (2024-02-05 to" in heads[0]
    assert heads[0] == heads[1]
    assert "column 'day' has dates, so it is tested on later ones" in found[1][2]


def test_compare_asks_about_ambiguous_dates_that_it_finds(run):
    NEW.with_columns(day=pl.lit("03/04/2015")).write_csv("new.csv")
    base = ["compare", "new.csv", "--text", "answer", "--label", "topic", "--methods", "cc"]
    code, _, err = run(*base)
    assert (code, "4 March 2015 with --date-format %m/%d/%Y; say which" in err) == (2, True)
    NEW.drop("day").write_csv("new.csv")
    code, _, err = run(*base, "--date-format", "iso")
    assert (code, "--date-format iso needs --by" in err) == (2, True)
    code, _, err = run(*base, "--by", "topic", "--protocol", "group", "--date-format", "iso")
    assert (code, "--date-format is for dates" in err) == (2, True)


def test_experiment_takes_the_format_of_a_table(run):
    from quantext.experiments.configuration import configure, load_corpus

    write("new.csv", "03/04/2015", "05/06/2015")
    reader = {"text": "answer", "label": "topic", "date": "day", "date_format": "%m/%d/%Y"}
    settings = {"corpus": "table", "data": "new.csv", "reader": reader}
    corpus = load_corpus(configure({**settings, "split": {"train_periods": 1}}))
    assert corpus.periods[0] == date(2015, 3, 4)
    options = ["--text", "answer", "--label", "topic", "--date", "day", "--train-periods", "1"]
    code, _, err = run("experiment", "table", "--data", "new.csv", "--out", "run", *options)
    assert (code, "--date-format %d/%m/%Y, and 4 March" in err) == (2, True)


def test_standard_input_is_read_once(run, monkeypatch):
    write("new.csv", "24/02/2015", "25/01/2015")
    with open("new.csv") as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert batches(run, "-", "--format", "csv") == ["2015-01-25", "2015-02-24"]
