"""Rows that are no documents: further headers, a header that is none, totals."""

import warnings

import polars as pl
import pytest

from quantext.texts.look import look
from quantext.texts.notes import ReadingWarning
from quantext.texts.odd_rows import TotalRow, is_second_header, looks_like_data
from quantext.texts.reading import read_corpus

ROWS = [f"2015-01-{day:02},{day + 20},it was answer {day},{'ab'[day % 2]}" for day in range(1, 13)]


def write(folder, *rows):
    file = folder / "a.csv"
    file.write_text("\n".join([*rows, ""]), encoding="utf-8")
    return file


def test_header_rows_of_qualtrics_are_left_out_with_a_note(tmp_path):
    names = [f'"{{""ImportId"":""QID{i}""}}"' for i in range(4)]
    questions = "Start Date,Your age,What was it?,Code"
    file = write(tmp_path, "StartDate,Q1,Q2,code", questions, ",".join(names), *ROWS)
    with pytest.warns(ReadingWarning, match="2 rows below the header left out"):
        corpus = read_corpus(file, text="Q2", label="code")
    assert (len(corpus), corpus.classes) == (12, ("a", "b"))
    with pytest.warns(ReadingWarning, match="2 rows below the header left out"):
        found = look(file)
    assert (found.rows, found.guesses.date, found.headers.count) == (12, "StartDate", 0)


def test_a_second_header_is_noted_and_columns_are_judged_without_it(tmp_path):
    file = write(tmp_path, "start,q1,q2,code", "Start Date,Your age,What was it?,Code", *ROWS)
    with pytest.warns(ReadingWarning, match=r"row 1 looks like a second header \(“Start Date”"):
        corpus = read_corpus(file, text="q2", label="code")
    assert len(corpus) == 13  # it is for people to delete
    with pytest.warns(ReadingWarning, match="second header"):
        found = look(file)
    assert (found.guesses.date, found.headers.first, found.documents) == ("start", [1], 12)


def test_a_row_that_is_blank_where_all_others_have_dates_and_numbers_is_a_second_header():
    rows = [row.split(",") for row in ROWS]
    header = ["start", "age", "answer", "code"]
    assert is_second_header(header, [["", "", "Open-Ended Response", ""], *rows])
    assert not is_second_header(header, [["", "33", "Open-Ended Response", ""], *rows])


@pytest.mark.parametrize(
    "first", ["2015-01-01,unknown,x,a", "N/A,-,x,a", "unknown,unknown,x,a", "2015-01-01,,x,a"]
)
def test_a_document_that_lacks_something_is_no_header(first, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_corpus(write(tmp_path, "start,age,answer,code", first, *ROWS), text="answer")


def test_a_file_without_a_header_is_noted(tmp_path):
    with pytest.warns(ReadingWarning, match=r"first row looks like data \(“2015-01-01”, “21”"):
        look(write(tmp_path, *ROWS))


@pytest.mark.parametrize(
    "header",
    [
        "start,age,answer,code",
        "start,2019,Please say in your own words,code",
        "When?,25,What happened to you that day?,a",
    ],
)
def test_years_questions_and_labels_are_ordinary_headers(header):
    assert not looks_like_data(header.split(","), [row.split(",") for row in ROWS])


def test_the_last_row_is_one_of_totals_if_no_other_is(tmp_path):
    header = "answer,code,n"
    rows = [f"it was answer {i},{'ab'[i % 2]},{i}" for i in range(12)]
    assert look(write(tmp_path, header, *rows)).total is None
    total = look(write(tmp_path, header, *rows, "Gesamt:,12 answers,66")).total
    assert total == TotalRow(13, "answer", "Gesamt:")
    assert look(write(tmp_path, header, "Total,a,1", *rows, "Total,b,2")).total is None
    assert look(write(tmp_path, header, *rows, "Total mess it was,a,1")).total is None


def test_blocks_after_the_first_may_end_in_totals():
    from quantext.texts.odd_rows import Total

    seen = Total()
    seen.add(pl.DataFrame({"x": ["a", "Total"], "n": [1, 2]}), 0)
    seen.add(pl.DataFrame({"x": ["b", "c"], "n": [1, 2]}), 2)
    assert seen.row is None
