"""What qx.correct gives: lines, a table for notebooks, and the page."""

import re
from dataclasses import replace

import polars as pl
import pytest

import quantext as qx
from quantext.models.correction import COLUMNS, Corrected
from quantext.reports.correction import Correction
from quantext.reports.correction_listing import change_sentence, reason_sentence
from quantext.reports.correction_page import correction_page, summarise_correction
from tests.support.page import Page

BAD = '<script>alert("x")</script>'


def found(bags=("all",), classes=("no", "yes"), *, known=True, notes=(), **options):
    """A correction in which every bag is alike: the model says 0.3 of the last class, it is 0.4."""
    rows = []
    for bag in bags:
        for k, name in enumerate(classes):
            share = (0.6, 0.4)[k == len(classes) - 1] if len(classes) == 2 else 1 / len(classes)
            rows.append(
                {
                    "batch": bag,
                    "class": name,
                    "raw": 1 - share if k == 0 else share - 0.1,
                    "gold": share,
                    "ppi": share,
                    "misclassification": share,
                    "share": share,
                    "low": share - 0.05,
                    "high": share + 0.05,
                    "used": "ppi",
                    "weight": 0.9,
                    "correlation": 0.8,
                    "n_gold": 50,
                    "size": 1000,
                }
            )
    table = pl.DataFrame(rows)
    if not known:
        nothing = [pl.lit(None, pl.Float64).alias(name) for name in ("share", "low", "high")]
        table = table.with_columns(*nothing, used=pl.lit(None, pl.String))
    why = [f"reason {i}" for i in range(len(table))]
    return Corrected(
        table.select(COLUMNS),
        pl.Series("effective", [120.0] * len(table)),
        pl.Series("why", why),
        tuple(notes),
        **{"design": "srs", "target": "batch", "level": 0.9} | options,
    )


def test_lines_are_sorted_by_share_within_80_columns_and_say_why():
    names = ("no", "a class whose name is much longer than its column is wide")
    lines = list(Correction(found(("May", "June"), names)).lines())
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["class", "share", "90%", "interval", "raw", "gold"]
    assert lines[1] == "May (1,000 documents, 50 of them with a known truth)"
    assert lines[2].split()[:7] == ["no", "60.0%", "55.0", "–", "65.0", "40.0%", "60.0%"]
    assert lines[3].startswith("  a class whose name is much …  40.0%")
    assert lines[4] == "  Prediction-powered (λ 0.90): for “no” reason 0."
    assert lines[-1].startswith("Shares in each batch; raw: as the model says")


def test_of_many_classes_and_batches_the_first_are_shown():
    many = found([f"b{i}" for i in range(30)], [f"c{k}" for k in range(12)])
    text = repr(Correction(many))
    assert "... 10 batches more; to_frame() has all of them ..." in text
    assert "  ... and 2 classes of up to 8.3%" in text
    assert "The last 20 of 30 batches" in Correction(many)._repr_html_()


def test_where_nothing_is_known_nothing_is_said():
    nothing = found(known=False)
    lines = list(Correction(nothing).lines())
    assert lines[2].split() == ["no", "–", "–", "40.0%", "60.0%"]
    assert lines[4] == "  Nothing is said: reason 0."
    assert "Too few truths" in correction_page(nothing)


def test_truths_from_elsewhere_are_counted_apart_and_need_no_name_of_a_way():
    there = found(design="elsewhere")
    table = there.table.with_columns(used=pl.lit("misclassification"), why=pl.lit("so it is"))
    assert reason_sentence(table) == "So it is."
    assert "(1,000 documents; 50 known truths from elsewhere)" in "\n".join(
        Correction(there).lines()
    )


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (0.3, "The model says 30.0% “yes”; corrected it is 40.0%, between 35.0% and 45.0%."),
        (0.4, "The model says 40.0% “yes”, and so it is: between 35.0% and 45.0%."),
        (None, "“yes” has a share of 40.0%, between 35.0% and 45.0%."),
    ],
)
def test_one_sentence_says_what_changed(raw, said):
    row = {"class": ["yes"], "raw": [raw], "share": [0.4], "low": [0.35], "high": [0.45]}
    schema = {"raw": pl.Float64}
    assert change_sentence(pl.DataFrame(row, schema_overrides=schema)) == said


def test_the_reasons_are_a_table_beside_that_of_the_shares():
    why = Correction(found()).why
    assert why.columns == ["batch", "class", "used", "why", "effective"]
    assert why.row(1) == ("all", "yes", "ppi", "reason 1", 120.0)


def test_the_page_says_what_changed_how_truths_were_drawn_and_shows_all_ways():
    summary = summarise_correction(found(), {"Truth": "column 'a'"})
    assert summary["headline"].startswith("The model says 40.0% “no”; corrected it is 60.0%")
    assert summary["findings"][0]["headline"] == "“no” moves by 20.0 points"
    assert summary["findings"][2]["headline"].endswith("drawn at random from these documents")
    assert [column["label"] for column in summary["table"]["columns"]][:3] == [
        "class",
        "raw",
        "gold",
    ]
    assert summary["table"]["rows"][1][5] == {"text": "40.0", "value": 0.4, "bold": True}
    assert summary["facts"][0] == {"label": "Truth", "text": "column 'a'", "parts": []}
    assert not summary["several"]


def test_of_batches_in_time_the_last_is_told_of_others_the_one_that_changed_most():
    timely = summarise_correction(found(("2024-01", "2024-02")))
    assert timely["headline"].startswith("2024-02: the model says")
    assert timely["data"]["first"] == 1
    named = found(("north", "south"))
    raw = pl.Series("raw", [0.1, 0.9, 0.5, 0.5])
    moved = Corrected(**{**named.__dict__, "table": named.table.with_columns(raw)})
    assert summarise_correction(moved)["headline"].startswith("north: ")


def test_of_groups_all_are_told_together_and_in_how_many_the_model_is_wrong():
    named = found(("north", "south"))
    raw = pl.Series("raw", [0.1, 0.9, 0.6, 0.4])
    moved = replace(named, table=named.table.with_columns(raw))
    summary = summarise_correction(moved, together=found())
    assert summary["headline"] == (
        "All 2 batches together: the model says 40.0% “no”; corrected it is 60.0%, between 55.0% "
        "and 65.0%."
    )
    assert summary["findings"][0]["text"].endswith(" Of “no” it lies outside in 1 of 2 batches.")


def test_above_the_table_no_term_meets_who_has_not_learned_it():
    summary = summarise_correction(found())
    said = (
        "What the model says of all documents and 50 known truths tell as much of “no” as 120 "
        "known truths would alone."
    )
    assert summary["data"]["reasons"] == [said]
    assert summary["findings"][1]["text"] == said


def test_months_are_named_so_and_stand_where_they_are_in_time():
    months = found(("2024-01-01", "2024-02-01", "2024-04-01"), notes=["few truths in 2024-04-01"])
    result = Correction(months, period="month")
    assert next(line for line in result.lines() if "2024" in line).startswith("Jan 2024 (1,000")
    assert "Apr 2024" in result._repr_html_()
    assert result.to_frame()["batch"][0] == "2024-01-01"  # for programs
    summary = summarise_correction(months, period="month")
    assert summary["headline"].startswith("Apr 2024: the model says")
    assert summary["warnings"] == ["Few truths in Apr 2024."]
    assert summary["data"]["batches"] == ["Jan 2024", "Feb 2024", "Apr 2024"]
    assert summary["data"]["times"] == [19723, 19754, 19814]
    assert summary["table"]["rows"][0][0]["text"] == "Jan 2024"


def test_a_page_of_many_batches_has_the_last_of_them():
    summary = summarise_correction(found([f"week {i}" for i in range(9)]), most_rows=6)
    assert summary["data"]["batches"] == ["week 6", "week 7", "week 8"]
    assert "the last 3 of 9 batches" in summary["warnings"][-1]


def test_no_name_becomes_markup_or_ends_the_data():
    bad = found((BAD, "b"), (BAD, "c"), notes=[BAD])
    html = correction_page(bad, {BAD: BAD})
    assert BAD not in html
    assert len(Page(html).all("script")) == 5  # the data and four scripts
    assert BAD not in Correction(bad)._repr_html_()


def test_the_page_is_one_file_that_may_load_nothing(tmp_path):
    Correction(found()).report(tmp_path / "a.html")
    html = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "default-src &#39;none&#39;" in html
    assert not re.search(r"(src|href)=\"https?:", html)


def test_qx_correct_gives_it():
    says, people = ["a"] * 50 + ["b"] * 50, (["a"] * 9 + ["b"] + [None] * 40) * 2
    result = qx.correct(says, people, design="srs")
    assert isinstance(result, Correction)
    assert repr(result).startswith("  class ")
    assert "<table>" in result._repr_html_()


def test_all_batches_together_are_what_they_are_without_batches():
    says, people = ["a"] * 50 + ["b"] * 50, (["a"] * 9 + ["b"] + [None] * 40) * 2
    by = ["north", "south"] * 50
    result = qx.correct(says, people, design="srs", by=by)
    whole = qx.correct(says, people, design="srs")
    assert result.together.table.equals(whole.to_frame())
    assert whole.together is None
