"""CSV: what writers write, and rows of the wrong length."""

import csv
import io

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from quantext.texts.reading import read_corpus
from tests.support.tables import refused

CELLS = st.text(st.sampled_from('a,"\n\r;\t é'), max_size=5)


def two_fields_a_line(written):
    lines = (line.strip("\r") for line in written.split("\n"))
    return all(line.count("\t") == 1 for line in lines if line)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6), st.sampled_from([",", "\t"]))
@settings(deadline=None)  # the first time, kernels are compiled
def test_what_a_csv_writer_writes_is_read_back(tmp_path_factory, cells, separator):
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=separator)
    writer.writerows([("text", "note"), *((f"w{text}", note) for text, note in cells)])
    written = buffer.getvalue()
    # Between tabs quotes mean themselves if every line has two fields as it stands.
    assume(separator == "," or '"' not in written or not two_fields_a_line(written))
    path = tmp_path_factory.mktemp("csv") / ("a.csv" if separator == "," else "a.tsv")
    path.write_bytes(written.encode())
    assert read_corpus(path, text="text").texts.to_list() == [f"w{text}" for text, _ in cells]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("t,l\nx,a\nslow, dear,b\n", "row 2 has 3 fields, the header 2; a text with ',' needs"),
        ("t,l\nx,a\ny\nz,b\n", "row 2 has 1 fields, the header 2"),
        ('t,l\n"x,\n""y",a\nz\n', "row 2 has 1 fields, the header 2"),
        ('t,l\n"x\ny",a\n5" pipe,b\nz,b,c\n', "row 3 has 3 fields, the header 2"),
        ('t,l\nx,a\ny,"b\nz,a\n', "row 2: a field opens with a quote and does not close"),
        ('t,l\nx,a\n"y"z,a\n', "row 2: a field opens with a quote and does not close"),
    ],
    ids=["long", "short", "quoted", "stray quote", "open", "half"],
)
def test_a_row_that_is_not_as_long_as_the_header_is_named(file, content, message):
    refused(file("a.csv", content), message)
